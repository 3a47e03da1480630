// A page whose thing cannot be shown: it does not exist, or the service failed.

import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
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
        <ErrorNotice error={error} {...(!isMissing(error) && { onRetry })} />
      </Card>
    </>
  );
}

/** Asked again, it is missing again. */
function isMissing(error: Error): boolean {
  return error instanceof ApiError && error.status === 404;
}
