// Test credit and test reset.

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
  const [typed, typedField] = useText('1000.00');
  const amount = readAmount(typed);
  const isAmount = amount !== null && toCents(amount) > 0n && toCents(amount) <= centsMax;
  const form = useDialogForm({
    onClose,
    send: ({ key }) => creditTest({ amount: amount ?? '0.00' }, key),
    says: ({ balance }) => t`The balance of the test is ${formatMoney(balance, currency)}.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Add credit to the test`}
      description={t`As much as you need: it buys nothing real.`}
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
            : t`An amount up to ${formatCount(1_000_000)}, such as ${typedAmount('99.50')}.`
        }
        {...typedField}
      />
    </FormDialog>
  );
}

export function TestResetDialog({ onClose }: DialogProps) {
  const navigate = useNavigate();
  const form = useDialogForm({
    onClose,
    send: ({ key }) => resetTest(key),
    says: () => t`The test begins again.`,
    onDone: () => void navigate({ to: '/' }),
  });
  return (
    <FormDialog
      form={form}
      title={t`Start the test over?`}
      description={t`Its customers, orders, ledger, requests, events and endpoints are deleted. Its balance is 1,000.00 again, and its clock shows the real time. The test keys stay, and nothing real is touched. This cannot be undone.`}
      action={t`Start over`}
      danger
    />
  );
}
