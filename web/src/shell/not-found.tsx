// An address without a page.

import { SearchX } from 'lucide-react';
import { ButtonLink } from '../components/button.tsx';
import { Card } from '../components/card.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <Card>
        <EmptyState
          icon={SearchX}
          title="There is nothing at this address"
          action={<ButtonLink to="/">Go to the overview</ButtonLink>}
        >
          It may be mistyped, or lead to what another account has.
        </EmptyState>
      </Card>
    </>
  );
}
