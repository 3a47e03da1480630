// Accepts or fails a pending order, after showing the effect on the balance.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settleOrder } from '../../api/commands.ts';
import { accountOrderQuery } from '../../api/queries.ts';
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
    says: () =>
      fails ? t`The order has failed. ${username} has its money back.` : t`The order is completed.`,
  });
  return (
    <FormDialog
      form={form}
      title={fails ? t`Fail this order?` : t`Complete this order?`}
      description={
        fails
          ? t`${username} gets back what the order took: its price was ${price}. The plan of ${customer} stays as it was before.`
          : t`${customer} gets ${name}. The price of ${price} stays charged to ${username}. The product is not called again: it must have the plan already, or get it from you.`
      }
      action={fails ? t`Fail the order` : t`Complete the order`}
      danger={fails}
      ready={data !== undefined && (!fails || reason.trim() !== '')}
      error={form.error ?? error}
    >
      {fails ? (
        <TextField
          label={t`Reason, for the account`}
          value={reason}
          maxLength={200}
          required
          onText={setReason}
        />
      ) : null}
    </FormDialog>
  );
}
