import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { PageHeader } from './page-header.tsx';

interface PageProblemProps {
  readonly title: string;
  readonly back: ReactNode;
  readonly error: Error;
  readonly onRetry: () => void;
}

export function PageProblem({ title, back, error, onRetry }: PageProblemProps) {
  return (
    <>
      <PageHeader title={title} back={back} />
      <Card>
        <ErrorNotice error={error} onRetry={onRetry} />
      </Card>
    </>
  );
}
