// How accounts pay in: what they owe, the card provider, the bank account and the limits.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { paymentsQuery, receivablesQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PaymentsForm } from './payments-form.tsx';
import { ReceivablesCard } from './receivables-card.tsx';

export function PaymentsPage() {
  const canChange = useMay()('admin:packages');
  const { data, error, refetch } = useQuery(paymentsQuery);
  const { data: owed, error: owedError, refetch: refetchOwed } = useQuery(receivablesQuery);
  const problem = error ?? owedError;
  const retry = () => {
    void refetch();
    void refetchOwed();
  };
  return (
    <>
      <PageHeader title={t`Payments`} description={t`How accounts add funds to their balance.`} />
      {problem === null ? null : <ErrorNotice error={problem} onRetry={retry} />}
      {data === undefined || owed === undefined ? (
        problem === null ? (
          <Skeleton className="h-96 w-full" />
        ) : null
      ) : (
        <div className="flex flex-col gap-5">
          {owed.total === 0 ? null : <ReceivablesCard list={owed} />}
          <PaymentsForm key={JSON.stringify(data.payments)} payments={data.payments} canChange={canChange} />
        </div>
      )}
    </>
  );
}
