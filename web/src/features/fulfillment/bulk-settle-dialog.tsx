// Accepts or fails the orders of the selected calls, one after the other, and reports the result of each.

import { plural, t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { settleOrder } from '../../api/commands.ts';
import { formatMoney } from '../../text/amounts.ts';
import { BulkProgress, type BulkRow, BulkRows } from '../../ui/bulk-parts.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { errorMessageOf } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';

export interface HeldOrder {
  readonly orderId: number;
  readonly name: string;
  /** null: not known. */
  readonly amount: string | null;
}

interface BulkSettleDialogProps {
  readonly orders: readonly HeldOrder[];
  readonly outcome: 'accept' | 'fail';
  /** What all of them hold. */
  readonly total: string;
  readonly currency: string;
  /** `settled`: the orders that need no decision anymore. */
  readonly onClose: (settled: ReadonlySet<number>) => void;
}

export function BulkSettleDialog({ outcome, currency, onClose, ...given }: BulkSettleDialogProps) {
  const client = useQueryClient();
  // Keep what was shown when the dialog opened: the user confirms what they read.
  const [{ orders, total }] = useState(given);
  const [results, setResults] = useState<ReadonlyMap<number, Error | null>>(new Map());
  const [isRunning, setIsRunning] = useState(false);
  const [reason, setReason] = useState('');
  const fails = outcome === 'fail';
  const left = orders.filter(({ orderId }) => results.get(orderId) !== null);
  const settled = orders.length - left.length;
  const hasResults = results.size > 0;
  const amount = formatMoney(total, currency);

  const run = async () => {
    setIsRunning(true);
    for (const { orderId } of left) {
      const error = await settleOrder(orderId, outcome, reason.trim()).then(
        () => null,
        (problem: unknown) => (problem instanceof Error ? problem : new Error(String(problem))),
      );
      setResults((known) => new Map([...known, [orderId, error]]));
    }
    setIsRunning(false);
    void client.invalidateQueries();
  };
  const close = () =>
    onClose(new Set(orders.map(({ orderId }) => orderId).filter((id) => results.get(id) === null)));
  const rowOf = ({ orderId: id, name, amount: held }: HeldOrder): BulkRow => {
    const result = results.get(id);
    if (result === undefined)
      return { id, name, says: held === null ? '' : formatMoney(held, currency), isBad: false };
    if (result !== null) return { id, name, says: errorMessageOf(result), isBad: true };
    return { id, name, says: fails ? t`Failed and refunded` : t`Accepted`, isBad: false };
  };
  return (
    <Dialog
      title={
        fails
          ? plural(orders.length, { one: 'Fail # order?', other: 'Fail # orders?' })
          : plural(orders.length, { one: 'Accept # order?', other: 'Accept # orders?' })
      }
      description={
        hasResults || isRunning
          ? undefined
          : fails
            ? t`The accounts are refunded ${amount} in all. The customers’ plans stay as they were.`
            : t`The customers get their plans. The accounts stay charged ${amount} in all. The product isn’t called again: make sure it already has these plans.`
      }
      width="wide"
      dismissible={!isRunning}
      onClose={close}
    >
      <DialogBody>
        {isRunning || hasResults ? (
          <BulkProgress total={orders.length} answered={results.size}>
            {fails
              ? plural(settled, { one: '# order failed', other: '# orders failed' })
              : plural(settled, { one: '# order accepted', other: '# orders accepted' })}
            {isRunning || left.length === 0
              ? ''
              : ` · ${plural(left.length, { one: '# could not be settled', other: '# could not be settled' })}`}
          </BulkProgress>
        ) : fails ? (
          <TextField
            label={t`Reason (shown to the account)`}
            value={reason}
            maxLength={200}
            required
            onText={setReason}
          />
        ) : null}
        <BulkRows label={t`Selected orders`} rows={orders.map(rowOf)} />
      </DialogBody>
      <DialogActions>
        {isRunning ? null : <Button onClick={close}>{hasResults ? t`Close` : t`Cancel`}</Button>}
        {left.length === 0 ? null : (
          <Button
            look={fails ? 'danger' : 'primary'}
            busy={isRunning}
            disabled={fails && reason.trim() === ''}
            onClick={() => void run()}
          >
            {hasResults && !isRunning ? t`Try again` : fails ? t`Fail orders` : t`Accept orders`}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
