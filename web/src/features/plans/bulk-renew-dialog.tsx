// Renews many customers: shows the cost and who is excluded, then progress and results.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PanelCustomer, Renewals } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { renewalRefusalWords } from '../../text/renewal-words.ts';
import { BulkProgress, type BulkRow, BulkRows } from '../../ui/bulk-parts.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { dueRenewals, type RenewalResult, renewAll } from './bulk-renewals.ts';

interface BulkRenewDialogProps {
  readonly customers: readonly PanelCustomer[];
  readonly preview: Renewals;
  readonly onClose: () => void;
  /** Called with the customers that were renewed, so that they are not renewed again. */
  readonly onRenewed: (ids: ReadonlySet<number>) => void;
}

export default function BulkRenewDialog({ customers, preview, onClose, onRenewed }: BulkRenewDialogProps) {
  const client = useQueryClient();
  // Keep the values from when the dialog opened: the user confirms what they read.
  const [shown] = useState({ customers, preview });
  const [results, setResults] = useState<ReadonlyMap<number, RenewalResult>>(new Map());
  const [isRunning, setIsRunning] = useState(false);
  const due = dueRenewals(shown.preview.data);
  const left = due.filter(({ customerId }) => results.get(customerId)?.type !== 'renewed');
  const renewed = due.length - left.length;
  const { currency, balance } = shown.preview;
  const total = fromCents(left.reduce((sum, { charge }) => sum + toCents(charge), 0n));
  const price = formatMoney(total, currency);
  const balanceAfter = fromCents(toCents(balance) - toCents(shown.preview.total));
  const hasResults = results.size > 0;

  const run = async () => {
    setIsRunning(true);
    try {
      await renewAll(left, (some) => setResults((known) => new Map([...known, ...some])));
    } finally {
      setIsRunning(false);
      void client.invalidateQueries();
    }
  };
  const close = () => {
    const stand = [...results].filter(([, { type }]) => type === 'renewed').map(([id]) => id);
    if (stand.length > 0) onRenewed(new Set(stand));
    onClose();
  };
  const action = plural(left.length, { one: `Renew # for ${price}`, other: `Renew # for ${price}` });
  const rowOf = ({ customer_id: id, ...row }: Renewals['data'][number]): BulkRow => {
    const name = shown.customers.find((one) => one.id === id)?.name ?? row.reference;
    const result = results.get(id);
    if (row.refusal !== null)
      return { id, name, says: t`Not included: ${renewalRefusalWords(row.refusal)}`, isBad: true };
    if (result?.type === 'refused') return { id, name, says: renewalRefusalWords(result), isBad: true };
    const says =
      result === undefined ? (
        row.charge !== null && <Money amount={row.charge} currency={currency} />
      ) : result.isPending ? (
        t`Pending: waiting for the operator’s product`
      ) : (
        <Trans>
          Renewed, ends <Time at={row.expires_at ?? result.expiresAt} style="day" />
        </Trans>
      );
    return { id, name, says, isBad: false };
  };
  return (
    <Dialog
      title={hasResults ? t`Renewals` : t`Renew ${formatCount(due.length)} plans`}
      description={
        hasResults || isRunning
          ? undefined
          : t`Each plan is renewed for the period of its last order, starting at its current end.`
      }
      width="wide"
      dismissible={!isRunning}
      onClose={close}
    >
      <DialogBody>
        {isRunning || hasResults ? (
          <BulkProgress total={due.length} answered={results.size}>
            {plural(renewed, { one: '# plan renewed', other: '# plans renewed' })}
            {isRunning ? '' : notRenewed(left.length)}
          </BulkProgress>
        ) : (
          <>
            <Facts
              facts={[
                { name: t`Cost`, value: <Money amount={shown.preview.total} currency={currency} /> },
                { name: t`Balance`, value: <Money amount={balance} currency={currency} /> },
                { name: t`Balance after`, value: <Money amount={balanceAfter} currency={currency} /> },
              ]}
            />
            {shown.preview.covered ? null : (
              <Notice tone="warn">
                {t`The balance doesn’t cover all of them. They are renewed in this order until it runs out; the rest are refused.`}
              </Notice>
            )}
          </>
        )}
        <BulkRows rows={shown.preview.data.map(rowOf)} />
      </DialogBody>
      <DialogActions>
        {isRunning ? null : <Button onClick={close}>{hasResults ? t`Close` : t`Cancel`}</Button>}
        {left.length === 0 ? null : (
          <Button look="primary" busy={isRunning} onClick={() => void run()}>
            {hasResults && !isRunning ? t`Try again` : action}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function notRenewed(count: number): string {
  if (count === 0) return '';
  return ` · ${plural(count, { one: '# not renewed', other: '# not renewed' })}`;
}
