import { useQuery } from '@tanstack/react-query';
import { receivablesQuery } from '../../api/payment-queries.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ReceivablesCard } from './receivables-card.tsx';

export function ReceivablesTab() {
  const { data, error, refetch } = useQuery(receivablesQuery);
  if (data !== undefined) return <ReceivablesCard list={data} />;
  return error === null ? (
    <Skeleton className="h-48 w-full" />
  ) : (
    <ErrorNotice error={error} onRetry={() => void refetch()} />
  );
}
