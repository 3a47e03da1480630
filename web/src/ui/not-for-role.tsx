// Shown for a page outside the person's role.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { LockKeyhole } from 'lucide-react';
import { usePerson } from '../api/person.ts';
import { windowTitle } from '../text/service-name.ts';
import { roleWord } from '../text/words.ts';
import { ButtonLink } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

export function NotForRole() {
  const { person } = usePerson();
  return (
    <>
      <title>{windowTitle(t`Not for your role`)}</title>
      <EmptyState
        isPage
        icon={LockKeyhole}
        title={t`Not for your role`}
        action={<ButtonLink to="/">To the overview</ButtonLink>}
      >
        <Trans>
          You are signed in as {roleWord(person.role).toLowerCase()}. An owner of the account can give you
          another role.
        </Trans>
      </EmptyState>
    </>
  );
}
