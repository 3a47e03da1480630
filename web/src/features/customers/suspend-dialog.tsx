import { t } from '@lingui/core/macro';
import { changeCustomerStatus } from '../../api/commands.ts';
import type { AccountCustomer } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';
import { Whom } from '../../ui/whom.tsx';

export function isSuspended({ status }: AccountCustomer): boolean {
  return status === 'suspended';
}

interface SuspendDialogProps {
  readonly customer: AccountCustomer;
  readonly onClose: () => void;
}

export function SuspendDialog({ customer, onClose }: SuspendDialogProps) {
  const { name } = customer;
  const suspended = isSuspended(customer);
  const [reason, reasonField] = useText();
  const form = useDialogForm({
    onClose,
    send: () => changeCustomerStatus(customer.id, suspended ? 'active' : 'suspended', reason.trim()),
    says: () => (suspended ? t`${name} can log in again.` : t`${name} suspended.`),
  });
  return (
    <FormDialog
      form={form}
      title={suspended ? t`Resume ${name}?` : t`Suspend ${name}?`}
      description={
        <>
          <Whom customer={customer} isNamed />
          {suspended
            ? t`This customer of ${customer.account.username} can log in again.`
            : t`This customer of ${customer.account.username} can no longer log in. The plan keeps running, and orders still work.`}
        </>
      }
      action={suspended ? t`Resume` : t`Suspend`}
      danger={!suspended}
    >
      {suspended ? undefined : (
        <TextField
          label={t`Reason`}
          hint={t`Optional. Recorded in the audit log; the account doesn’t see it.`}
          autoFocus
          autoComplete="off"
          maxLength={200}
          {...reasonField}
        />
      )}
    </FormDialog>
  );
}
