// Sets auto-renewal for many customers: the terms, then progress and results.

import { plural, t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { packagesQuery } from '../../api/queries.ts';
import type { Months, PanelCustomer, Renewals } from '../../api/shapes.ts';
import { formatMoney, readAmount, typedAmount } from '../../text/amounts.ts';
import { renewalRefusalWords } from '../../text/renewal-words.ts';
import { periods, periodsOf } from '../../text/words.ts';
import { BulkProgress, type BulkRow, BulkRows } from '../../ui/bulk-parts.tsx';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog, DialogActions, DialogBody } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useText } from '../../ui/use-text.ts';
import { type RenewalWish, sendEach, type WishResult } from './bulk-auto-renewals.ts';

interface BulkAutoRenewDialogProps {
  readonly customers: readonly PanelCustomer[];
  /** Holds the number of months of each customer's last order. */
  readonly preview: Renewals;
  readonly onClose: () => void;
  readonly onChanged: (ids: ReadonlySet<number>) => void;
}

export default function BulkAutoRenewDialog({ onClose, onChanged, ...selected }: BulkAutoRenewDialogProps) {
  const client = useQueryClient();
  const [{ customers, preview }] = useState(selected);
  const [wanted, setWanted] = useState<'on' | 'off'>('on');
  const [period, setPeriod] = useState('last');
  const [limit, limitField] = useText();
  const [results, setResults] = useState<ReadonlyMap<number, WishResult>>(new Map());
  const [isRunning, setIsRunning] = useState(false);
  const { currency } = preview;
  const maxCharge = limit.trim() === '' ? null : readAmount(limit);
  const isLimit = limit.trim() === '' || maxCharge !== null;

  const { offered, isUnsold } = useOfferedPeriods(customers, preview, period);
  const lastMonths = new Map(preview.data.map(({ customer_id: id, months }) => [id, monthsOf(months)]));
  const wishes = customers.flatMap((customer): RenewalWish[] => {
    const { id, plan } = customer;
    if (wanted === 'off') return plan.auto_renew === null ? [] : [{ customerId: id, terms: null }];
    if (isUnsold(customer)) return [];
    const months = period === 'last' ? lastMonths.get(id) : monthsOf(Number(period));
    return months === undefined ? [] : [{ customerId: id, terms: { months, max_charge: maxCharge } }];
  });
  const left = wishes.filter(({ customerId }) => results.get(customerId)?.type !== 'done');
  const done = wishes.length - left.length;
  const hasBegun = isRunning || results.size > 0;

  const run = async () => {
    setIsRunning(true);
    try {
      await sendEach(left, (id, result) => setResults((known) => new Map([...known, [id, result]])));
    } finally {
      setIsRunning(false);
      void client.invalidateQueries();
    }
  };
  const close = () => {
    const changed = [...results].filter(([, { type }]) => type === 'done').map(([id]) => id);
    if (changed.length > 0) onChanged(new Set(changed));
    onClose();
  };
  const most = maxCharge === null ? '' : formatMoney(maxCharge, currency);
  const action =
    wanted === 'off'
      ? plural(left.length, {
          one: 'Turn off auto-renew for # plan',
          other: 'Turn off auto-renew for # plans',
        })
      : most === ''
        ? plural(left.length, {
            one: 'Auto-renew # plan at any price',
            other: 'Auto-renew # plans at any price',
          })
        : plural(left.length, {
            one: `Auto-renew # plan for at most ${most} each time`,
            other: `Auto-renew # plans for at most ${most} each time`,
          });
  const rowOf = (customer: PanelCustomer): BulkRow => {
    const { id, name, plan } = customer;
    const result = results.get(id);
    if (result?.type === 'refused') return { id, name, says: renewalRefusalWords(result), isBad: true };
    const isLeftOut = !wishes.some(({ customerId }) => customerId === id);
    const renewsItself = result === undefined ? plan.auto_renew !== null : wanted === 'on';
    const state = renewsItself ? t`Auto-renew` : t`Auto-renew is off`;
    return { id, name, says: isLeftOut ? leftOutWords(wanted, isUnsold(customer)) : state, isBad: false };
  };
  return (
    <Dialog
      // After sending, the key makes this a new dialog, which closes without asking about typed input.
      key={hasBegun ? 'results' : 'terms'}
      title={hasBegun ? t`Auto-renewals` : t`Auto-renew for selected customers`}
      description={
        hasBegun ? undefined : t`Nothing is charged now. Each renewal is an order at the price on that day.`
      }
      width="wide"
      dismissible={!isRunning}
      onClose={close}
    >
      <DialogBody>
        {hasBegun ? (
          <BulkProgress total={wishes.length} answered={results.size}>
            {plural(done, { one: '# plan changed', other: '# plans changed' })}
            {isRunning || left.length === 0
              ? ''
              : ` · ${plural(left.length, { one: '# not changed', other: '# not changed' })}`}
          </BulkProgress>
        ) : (
          <>
            <Choice
              label={t`Auto-renew`}
              labelShown
              value={wanted}
              options={[
                { value: 'on', title: t`Yes` },
                { value: 'off', title: t`No` },
              ]}
              onChoose={setWanted}
            />
            {wanted === 'off' ? (
              <p>{t`Plans run to their end and aren’t renewed automatically.`}</p>
            ) : (
              <div className="grid gap-4 sm:grid-cols-2">
                <SelectField
                  label={t`Period`}
                  value={period}
                  options={[
                    { value: 'last', title: t`Same as each plan’s last order` },
                    ...offered.map(({ months, title }) => ({ value: String(months), title })),
                  ]}
                  onValue={setPeriod}
                />
                <TextField
                  label={t`Highest price, in ${currency}`}
                  hint={t`If the price is higher, the plan isn’t renewed. Leave blank for no limit.`}
                  kind="money"
                  maxLength={14}
                  problem={isLimit ? null : t`Enter an amount, such as ${typedAmount('12.50')}.`}
                  {...limitField}
                />
              </div>
            )}
          </>
        )}
        <BulkRows rows={customers.map(rowOf)} />
      </DialogBody>
      <DialogActions>
        {isRunning ? null : <Button onClick={close}>{hasBegun ? t`Close` : t`Cancel`}</Button>}
        {left.length === 0 && hasBegun ? null : (
          <Button
            look="primary"
            busy={isRunning}
            disabled={left.length === 0 || !isLimit}
            onClick={() => void run()}
          >
            {hasBegun && !isRunning ? t`Try again` : action}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** `period` is a number of months as text, or `last`, whose months only the service knows. */
function useOfferedPeriods(customers: readonly PanelCustomer[], preview: Renewals, period: string) {
  const { data: packages } = useQuery(packagesQuery);
  const soldTo = ({ plan }: PanelCustomer) =>
    periodsOf(packages?.data.find(({ id }) => id === plan.package_id)).map(({ months }) => months);
  const refused = preview.data.filter(({ refusal }) => refusal?.code === 'invalid_months');
  const unsoldAsLast = new Set(refused.map((one) => one.customer_id));
  return {
    offered: periods.filter(({ months }) => customers.some((one) => soldTo(one).includes(months))),
    isUnsold: (customer: PanelCustomer) =>
      period === 'last'
        ? unsoldAsLast.has(customer.id)
        : !soldTo(customer).some((months) => String(months) === period),
  };
}

function leftOutWords(wanted: 'on' | 'off', isUnsold: boolean): string {
  if (wanted === 'on' && isUnsold) return t`Not included: not sold for this period`;
  return wanted === 'off' ? t`Not included: auto-renew is off` : t`Not included: never ordered`;
}

function monthsOf(months: number | null): Months | undefined {
  return periods.find((period) => period.months === months)?.months;
}
