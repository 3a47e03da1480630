// How accounts pay in: the card provider, the bank account and the limits.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../api/person.ts';
import { paymentsQuery } from '../../api/queries.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PaymentsForm } from './payments-form.tsx';

export function PaymentsPage() {
  const canChange = useMay()('admin:packages');
  const { data, error, refetch } = useQuery(paymentsQuery);
  return (
    <>
      <PageHeader title={t`Payments`} description={t`How accounts add funds to their balance.`} />
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-96 w-full" />
        ) : null
      ) : (
        <PaymentsForm key={JSON.stringify(data.payments)} payments={data.payments} canChange={canChange} />
      )}
    </>
  );
}
