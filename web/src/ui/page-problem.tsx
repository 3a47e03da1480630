import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { EmptyState } from './empty-state.tsx';
import { ErrorNotice, isMissing } from './error-notice.tsx';
import { PageHeader } from './page-header.tsx';

interface PageProblemProps {
  readonly title: string;
  readonly back: ReactNode;
  readonly error: Error;
  readonly onRetry: () => void;
  /** Shown instead of an error if the service has no such thing. */
  readonly missing?: { readonly title: string; readonly hint: string; readonly action: ReactNode };
}

export function PageProblem({ title, back, error, onRetry, missing }: PageProblemProps) {
  if (missing !== undefined && isMissing(error)) {
    return (
      <>
        <PageHeader title={missing.title} back={back} />
        <Card>
          <EmptyState icon={SearchX} title={missing.hint} action={missing.action} />
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHeader title={title} back={back} />
      <Card>
        <ErrorNotice error={error} onRetry={onRetry} />
      </Card>
    </>
  );
}
