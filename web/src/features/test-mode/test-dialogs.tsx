import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { creditTest, resetTest } from '../../api/commands.ts';
import { useMe } from '../../api/me.ts';
import { formatMoney, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useText } from '../../ui/use-text.ts';

interface DialogProps {
  readonly onClose: () => void;
}

const centsMax = 100_000_000n;

export function TestCreditDialog({ onClose }: DialogProps) {
  const { currency } = useMe().account;
  const [typed, typedField] = useText(typedAmount('1000.00'));
  const amount = readAmount(typed);
  const isAmount = amount !== null && toCents(amount) > 0n && toCents(amount) <= centsMax;
  const form = useDialogForm({
    onClose,
    send: ({ key }) => creditTest({ amount: amount ?? '0.00' }, key),
    says: ({ balance }) => t`The test balance is ${formatMoney(balance, currency)}.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Add test credit`}
      description={t`Test credit only.`}
      action={t`Add credit`}
      ready={isAmount}
    >
      <TextField
        label={t`Amount in ${currency}`}
        kind="money"
        autoFocus
        maxLength={14}
        problem={
          typed.trim() === '' || isAmount
            ? null
            : t`Enter an amount up to ${formatCount(1_000_000)}, such as ${typedAmount('99.50')}.`
        }
        {...typedField}
      />
    </FormDialog>
  );
}

export function TestResetDialog({ onClose }: DialogProps) {
  const { currency } = useMe().account;
  const balance = formatMoney('1000.00', currency);
  const navigate = useNavigate();
  const form = useDialogForm({
    onClose,
    send: ({ key }) => resetTest(key),
    says: () => t`Test data reset.`,
    onDone: () => void navigate({ to: '/' }),
  });
  return (
    <FormDialog
      form={form}
      title={t`Reset test data?`}
      description={t`Deletes all test customers, orders, ledger entries, requests, events and endpoints. The test balance is reset to ${balance} and the clock to the real time. Test keys stay, and nothing real is affected. This can’t be undone.`}
      action={t`Reset test`}
      danger
    />
  );
}
