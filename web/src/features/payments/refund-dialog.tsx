import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refundTopup } from '../../api/payment-commands.ts';
import { accountQuery } from '../../api/queries.ts';
import type { ListedTopup, Topup } from '../../api/shapes.ts';
import { formatMoney, fromCents, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SwitchField } from '../../ui/switch-field.tsx';
import { useText } from '../../ui/use-text.ts';

/** What was paid and has not gone back, in cents. */
export function refundable({ credited_at: at, amount, refunded, disputed }: Topup): bigint {
  return at === null ? 0n : toCents(amount) - toCents(refunded) - toCents(disputed);
}

interface RefundDialogProps {
  readonly listed: ListedTopup;
  readonly onClose: () => void;
}

export function RefundDialog({ listed: { topup, account }, onClose }: RefundDialogProps) {
  const { currency } = topup;
  const left = refundable(topup);
  const [typed, typedField] = useText(typedAmount(fromCents(left)));
  const [reason, reasonField] = useText();
  const [mayOwe, setMayOwe] = useState(false);
  const { data } = useQuery(accountQuery(String(account.id)));
  const amount = readAmount(typed);
  const isWithin = amount !== null && toCents(amount) > 0n && toCents(amount) <= left;
  const missing = data === undefined || !isWithin ? 0n : toCents(amount) - toCents(data.account.balance);
  const owes = formatMoney(fromCents(missing), currency);
  const form = useDialogForm({
    onClose,
    password: 'asked',
    isSentOnce: true,
    send: ({ key, password }) =>
      refundTopup(
        topup.id,
        {
          amount: amount ?? '',
          ...(reason.trim() !== '' && { reason: reason.trim() }),
          allow_receivable: missing > 0n && mayOwe,
          current_password: password,
        },
        key,
      ),
    says: ({ refund }) => saidOf(refund.status, formatMoney(refund.amount, currency)),
  });
  return (
    <FormDialog
      form={form}
      title={t`Refund ${account.username}?`}
      description={
        topup.method === 'card'
          ? t`The amount is taken from the balance and sent back to the card.`
          : t`The amount is taken from the balance. Send the transfer yourself.`
      }
      action={t`Refund`}
      danger
      ready={isWithin && (missing <= 0n || mayOwe)}
    >
      <TextField
        label={t`Amount in ${currency}`}
        kind="money"
        maxLength={19}
        hint={t`Up to ${formatMoney(fromCents(left), currency)}.`}
        problem={
          typed.trim() === '' || isWithin
            ? null
            : t`Enter an amount up to ${formatMoney(fromCents(left), currency)}.`
        }
        {...typedField}
      />
      {missing <= 0n ? null : (
        <SwitchField
          label={t`Refund more than the balance`}
          hint={t`The balance is ${owes} too small. The account will owe that, and its next credits settle it.`}
          checked={mayOwe}
          onChange={setMayOwe}
        />
      )}
      <TextField
        label={t`Reason`}
        hint={t`Optional. Recorded in the audit log.`}
        autoComplete="off"
        maxLength={500}
        {...reasonField}
      />
    </FormDialog>
  );
}

function saidOf(status: 'new' | 'sent' | 'failed' | 'by_hand', amount: string): string {
  if (status === 'sent') return t`${amount} refunded.`;
  if (status === 'failed') return t`The provider refused. The balance has the money again.`;
  return status === 'new'
    ? t`${amount} taken from the balance. The provider hasn’t answered and is asked again.`
    : t`${amount} taken from the balance. Now send the transfer.`;
}
