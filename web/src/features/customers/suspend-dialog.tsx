import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { changeCustomerStatus } from '../../api/commands.ts';
import type { AccountCustomer } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';

export function isSuspended({ status }: AccountCustomer): boolean {
  return status === 'suspended';
}

interface SuspendDialogProps {
  readonly customer: AccountCustomer;
  readonly onClose: () => void;
}

export function SuspendDialog({ customer, onClose }: SuspendDialogProps) {
  const suspended = isSuspended(customer);
  const form = useDialogForm({
    onClose,
    send: () => changeCustomerStatus(customer.id, suspended ? 'active' : 'suspended'),
    says: () => (suspended ? t`${customer.name} can log in again.` : t`${customer.name} suspended.`),
  });
  return (
    <FormDialog
      form={form}
      title={suspended ? t`Resume this customer?` : t`Suspend this customer?`}
      description={
        <>
          <Trans>
            <bdi className="text-ink">{customer.name}</bdi> of{' '}
            <bdi className="text-ink">{customer.account.username}</bdi>
          </Trans>
          {': '}
          {suspended
            ? t`can log in again.`
            : t`can no longer log in. The plan keeps running, and orders still work.`}
        </>
      }
      action={suspended ? t`Resume` : t`Suspend`}
      danger={!suspended}
    />
  );
}
