import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settleOrder } from '../../api/commands.ts';
import { accountOrderQuery } from '../../api/console-queries.ts';
import { formatMoney } from '../../text/amounts.ts';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface SettleDialogProps {
  readonly orderId: number;
  readonly outcome: 'accept' | 'fail';
  readonly onClose: () => void;
}

export function SettleDialog({ orderId, outcome, onClose }: SettleDialogProps) {
  const { data, error } = useQuery(accountOrderQuery(String(orderId)));
  const [reason, setReason] = useState('');
  const fails = outcome === 'fail';
  const username = data?.account.username ?? '…';
  const customer = data?.order.customer.reference ?? '…';
  const name = data?.order.package.name ?? '…';
  const price = data === undefined ? '…' : formatMoney(data.order.price, data.order.currency);
  const form = useDialogForm({
    onClose,
    send: () => settleOrder(orderId, outcome, reason.trim()),
    says: () => (fails ? t`Order failed. ${username} was refunded.` : t`Order accepted.`),
  });
  return (
    <FormDialog
      form={form}
      title={fails ? t`Fail this order?` : t`Accept this order?`}
      description={
        fails
          ? t`${username} is refunded the price of ${price}. ${customer}’s plan stays as it was.`
          : t`${customer} gets ${name}. ${username} stays charged ${price}. The product isn’t called again: make sure it already has this plan.`
      }
      action={fails ? t`Fail order` : t`Accept order`}
      danger={fails}
      ready={data !== undefined && (!fails || reason.trim() !== '')}
      error={form.error ?? error}
    >
      {fails ? (
        <TextField
          label={t`Reason (shown to the account)`}
          value={reason}
          maxLength={200}
          required
          onText={setReason}
        />
      ) : null}
    </FormDialog>
  );
}
