import { t } from '@lingui/core/macro';
import { SearchX } from 'lucide-react';
import { ButtonLink } from '../ui/button.tsx';
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
          title={t`There is nothing at this address`}
          action={<ButtonLink to="/">Go to the overview</ButtonLink>}
        >
          {t`It may be mistyped, or lead to something that belongs to another account.`}
        </EmptyState>
      </Card>
    </>
  );
}
