// Completes a pending order in the product's place, or fails it. What that does to the money is said before.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settleOrder } from '../../api/commands.ts';
import { accountOrderQuery } from '../../api/queries.ts';
import { useCommand } from '../../api/use-command.ts';
import { formatMoney } from '../../text/amounts.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toasts.tsx';

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
  const command = useCommand(() => settleOrder(orderId, outcome, reason.trim()), {
    onDone: () => {
      say(fails ? t`The order has failed. ${username} has its money back.` : t`The order is completed.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={fails ? t`Fail this order?` : t`Complete this order?`}
      description={
        fails
          ? t`${username} gets back what the order took: its price was ${price}. The plan of ${customer} stays as it was before.`
          : t`${customer} gets ${name}. The price of ${price} stays charged to ${username}. The product is not called again: it must have the plan already, or get it from you.`
      }
      action={fails ? t`Fail the order` : t`Complete the order`}
      danger={fails}
      busy={command.isPending}
      ready={data !== undefined && (!fails || reason.trim() !== '')}
      error={command.error ?? error}
      onSubmit={() => command.mutate(undefined)}
      onClose={onClose}
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
