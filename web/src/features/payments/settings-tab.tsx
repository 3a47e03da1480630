import { useQuery } from '@tanstack/react-query';
import { paymentsQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { PaymentsForm } from './payments-form.tsx';

export function SettingsTab() {
  const canChange = useMay()('admin:packages');
  const { data, error, refetch } = useQuery(paymentsQuery);
  if (data === undefined)
    return error === null ? (
      <Skeleton className="h-96 w-full" />
    ) : (
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    );
  return <PaymentsForm key={JSON.stringify(data.payments)} payments={data.payments} canChange={canChange} />;
}
