import { t } from '@lingui/core/macro';
import { SearchX } from 'lucide-react';
import { ButtonLink } from '../ui/button-link.tsx';
import { Card } from '../ui/card.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';

export function NotFound() {
  return (
    <>
      <PageHeader title={t`Not found`} />
      <Card>
        <EmptyState
          icon={SearchX}
          title={t`Page not found`}
          action={<ButtonLink to="/">{t`Go to overview`}</ButtonLink>}
        >
          {t`The address may be mistyped, or belong to another account.`}
        </EmptyState>
      </Card>
    </>
  );
}
