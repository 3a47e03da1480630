import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LockKeyhole } from 'lucide-react';
import { usePerson } from '../api/person.ts';
import { windowTitle } from '../text/service-name.ts';
import { roleWord } from '../text/words.ts';
import { ButtonLink } from './button-link.tsx';
import { EmptyState } from './empty-state.tsx';

export function NotForRole() {
  const { person } = usePerson();
  return (
    <>
      <title>{windowTitle(t`Not available to your role`)}</title>
      <EmptyState
        isPage
        icon={LockKeyhole}
        title={t`Not available to your role`}
        action={<ButtonLink to="/">{t`Go to overview`}</ButtonLink>}
      >
        <Trans>Your role is {roleWord(person.role)}. An account owner can give you another role.</Trans>
      </EmptyState>
    </>
  );
}
