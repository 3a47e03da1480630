import { t } from '@lingui/core/macro';
import { writeOffReceivable } from '../../api/commands.ts';
import type { Receivable } from '../../api/shapes.ts';
import { formatMoney, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';

interface WriteOffDialogProps {
  readonly receivable: Receivable;
  readonly onClose: () => void;
}

export function WriteOffDialog({ receivable, onClose }: WriteOffDialogProps) {
  const { account, receivable: owed, currency } = receivable;
  const [typed, typedField] = useText(typedAmount(owed));
  const [memo, memoField] = useText();
  const amount = readAmount(typed);
  const isWithin = amount !== null && toCents(amount) > 0n && toCents(amount) <= toCents(owed);
  const form = useDialogForm({
    onClose,
    password: 'asked',
    isSentOnce: true,
    send: ({ key, password }) =>
      writeOffReceivable(
        account.id,
        { amount: amount ?? '', memo: memo.trim(), current_password: password },
        key,
      ),
    says: ({ written_off: written, receivable: left }) =>
      t`${formatMoney(written, currency)} written off. ${account.username} now owes ${formatMoney(left, currency)}.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Write off what ${account.username} owes?`}
      description={t`The account no longer owes the amount. Its balance does not change. This can’t be undone.`}
      action={t`Write off`}
      danger
      ready={isWithin && memo.trim() !== ''}
    >
      <TextField
        label={t`Amount in ${currency}`}
        kind="money"
        maxLength={19}
        problem={
          typed.trim() === '' || isWithin ? null : t`Enter an amount up to ${formatMoney(owed, currency)}.`
        }
        {...typedField}
      />
      <TextField
        label={t`Reason`}
        hint={t`Recorded in the audit log.`}
        autoComplete="off"
        maxLength={500}
        {...memoField}
      />
    </FormDialog>
  );
}
