import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { eraseCustomer } from '../../api/commands.ts';
import type { AccountCustomer } from '../../api/shapes.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';

/** The service shows this reference for erased customers alone. */
export function isErased({ id, reference }: Pick<AccountCustomer, 'id' | 'reference'>): boolean {
  return reference === `erased-${id}`;
}

interface EraseDialogProps {
  readonly customer: Pick<AccountCustomer, 'id' | 'name' | 'reference'>;
  readonly isOperator?: boolean;
  readonly onClose: () => void;
}

export function EraseDialog({ customer, isOperator = false, onClose }: EraseDialogProps) {
  const [typed, field] = useText();
  const { name, reference } = customer;
  const form = useDialogForm({
    onClose,
    send: () => eraseCustomer(customer.id, isOperator),
    says: () => t`Customer erased.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Erase ${name}?`}
      description={t`Email or username, name, external ID and reasons are removed, also from events and logs. Orders and ledger entries stay. This can’t be undone.`}
      action={t`Erase customer`}
      danger
      ready={typed.trim() === reference}
    >
      <p>
        <Trans>
          Type <bdi className="font-semibold wrap-anywhere">{reference}</bdi> to confirm.
        </Trans>
      </p>
      <TextField label={t`Email or username`} kind="address" autoFocus maxLength={254} {...field} />
    </FormDialog>
  );
}
