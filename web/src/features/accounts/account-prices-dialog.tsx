// Sets an account's own prices from now or from a date on. Shows what the account will pay beside the group's price.

import { t } from '@lingui/core/macro';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import type { Account, AccountPriceList } from '../../api/shapes.ts';
import { setAccountPrices } from '../../api/support-commands.ts';
import { toCents, typedAmount } from '../../text/amounts.ts';
import { zone } from '../../text/clock.ts';
import { firstOfNextMonth } from '../../text/day-spans.ts';
import { formatStated, formatTypedDay } from '../../text/times.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { valueProblem } from '../../ui/field-problems.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { DistantPrices, distantPrices, type OwnPrice } from './distant-prices.tsx';
import { OwnPriceFields } from './own-price-fields.tsx';
import {
  type PackagePrices,
  priceOf,
  readList,
  readPercent,
  type TypedList,
  typedListOf,
} from './own-prices.ts';

interface AccountPricesDialogProps {
  readonly account: Account;
  readonly offered: readonly PackagePrices[];
  /** The list in force, which the new one replaces. */
  readonly present: AccountPriceList | null;
  readonly onClose: () => void;
}

export function AccountPricesDialog({ account, offered, present, onClose }: AccountPricesDialogProps) {
  // Keep the values from when the dialog opened: another list may begin meanwhile.
  const [opened] = useState({ offered, present });
  const [typed, setTyped] = useState(() => typedListOf(opened.present));
  const read = readList(typed, opened.offered);
  const paid = paidPrices(typed, opened.offered);
  const isEmpty = read?.prices.length === 0 && read.percent_off === undefined;
  const form = useDialogForm({
    onClose,
    password: 'asked',
    isDoneOnceRead: true,
    send: ({ password }) =>
      setAccountPrices(account.id, { ...(read ?? { prices: [] }), current_password: password }),
    says: ({ price_list: list }) =>
      list.begun
        ? t`Prices set. They apply from the next order on.`
        : t`Prices scheduled for ${formatStated(list.from)}.`,
  });
  const refused = refusedField(form.error);
  const place = /^prices\.(\d+)/.exec(refused?.field ?? '')?.[1];
  const wrongPackage = place === undefined ? undefined : read?.prices[Number(place)]?.package_id;
  const isPlaced =
    refused !== null &&
    (wrongPackage !== undefined ||
      ['until', 'percent_off', 'memo'].includes(refused.field) ||
      (refused.field === 'from' && typed.start === 'date'));
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isPlaced) fields.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [isPlaced]);
  const type = (change: Partial<TypedList>) => {
    // The refusal was about the list that was sent, so it no longer applies.
    if (form.error !== null) form.reset();
    setTyped({ ...typed, ...change });
  };
  const problemAt = (field: string) => (refused?.field === field ? refused.problem : null);
  return (
    <FormDialog
      form={form}
      title={t`Set prices for ${account.username}`}
      description={t`The new list replaces the one before it. A price left empty is the group’s price less the percentage.`}
      action={
        isEmpty ? t`Return to group prices` : distantPrices(paid).length > 0 ? t`Set anyway` : t`Set prices`
      }
      ready={read !== null}
      isChanged={typed.start !== 'now'}
      error={isPlaced ? null : form.error}
      width="wide"
    >
      <div ref={fields} className="flex min-w-0 flex-col gap-4">
        <ListFields typed={typed} problemAt={problemAt} onType={type} />
        <OwnPriceFields
          offered={opened.offered}
          currency={account.currency}
          typed={typed.prices}
          percent={readPercent(typed.percent)}
          wrong={wrongPackage === undefined ? null : { id: wrongPackage, problem: refused?.problem ?? '' }}
          onType={(prices) => type({ prices })}
        />
        {typed.start === 'now' ? null : (
          <p className="text-soft">
            {t`Compared with the group’s prices of today. The percentage is taken off the group’s price at the time of each order.`}
          </p>
        )}
        {namesRetired(opened.present, opened.offered) ? (
          <Notice tone="warn">
            {t`The list in effect also names retired packages. A new list can’t, so renewals of them will cost the group’s price less the percentage.`}
          </Notice>
        ) : null}
        <DistantPrices prices={paid} currency={account.currency} />
      </div>
    </FormDialog>
  );
}

interface ListFieldsProps {
  readonly typed: TypedList;
  readonly problemAt: (field: string) => string | null;
  readonly onType: (change: Partial<TypedList>) => void;
}

function ListFields({ typed, problemAt, onType }: ListFieldsProps) {
  const { start, day, time, endDay, endTime, percent, memo } = typed;
  const isPercent = readPercent(percent) !== null;
  return (
    <>
      <Choice
        label={t`From`}
        labelShown
        value={start}
        options={[
          { value: 'now', title: t`Now` },
          { value: 'date', title: t`On a date` },
        ]}
        onChoose={(chosen) => onType({ start: chosen })}
      />
      {start === 'now' ? null : (
        <Button className="self-start" onClick={() => onType({ day: firstOfNextMonth() })}>
          {t`From next month`}
        </Button>
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        {start === 'now' ? null : (
          <>
            <TextField
              label={t`Day`}
              type="date"
              problem={problemAt('from')}
              value={day}
              onText={(text) => onType({ day: text })}
              {...(day !== '' && { hint: formatTypedDay(day) })}
            />
            <TextField
              label={t`Time (${zone})`}
              type="time"
              value={time}
              onText={(text) => onType({ time: text })}
            />
          </>
        )}
        <TextField
          label={t`Until (optional)`}
          type="date"
          className="sm:col-start-1"
          problem={problemAt('until')}
          hint={endDay === '' ? t`Then the group’s prices apply again.` : formatTypedDay(endDay)}
          value={endDay}
          onText={(text) => onType({ endDay: text })}
        />
        {endDay === '' ? null : (
          <TextField
            label={t`Until, time (${zone})`}
            type="time"
            value={endTime}
            onText={(text) => onType({ endTime: text })}
          />
        )}
        <TextField
          label={t`Percent off`}
          kind="money"
          className="sm:col-start-1"
          maxLength={8}
          hint={t`For every price that you don’t name below.`}
          problem={
            isPercent
              ? problemAt('percent_off')
              : t`Enter a percentage from 0 to 100, such as ${typedAmount('12.5')}.`
          }
          value={percent}
          onText={(text) => onType({ percent: text })}
        />
        <TextField
          label={t`Memo`}
          maxLength={500}
          autoComplete="off"
          hint={t`Optional. Only the operator sees it.`}
          problem={problemAt('memo')}
          value={memo}
          onText={(text) => onType({ memo: text })}
        />
      </div>
    </>
  );
}

function paidPrices({ percent, prices }: TypedList, offered: readonly PackagePrices[]): readonly OwnPrice[] {
  const off = readPercent(percent);
  return offered.flatMap(({ package: { id, name }, prices: ofPackage }) =>
    ofPackage.flatMap(({ period, group_price: group }) => {
      const ofGroup = toCents(group);
      const price = priceOf(prices[id]?.[period] ?? '', ofGroup, off);
      return price === null ? [] : [{ packageName: name, period, price, ofGroup }];
    }),
  );
}

function namesRetired(present: AccountPriceList | null, offered: readonly PackagePrices[]): boolean {
  const ids = new Set(offered.map((one) => one.package.id));
  return (present?.prices ?? []).some(({ package_id: id }) => !ids.has(id));
}

function refusedField(error: Error | null): { readonly field: string; readonly problem: string } | null {
  if (!(error instanceof ApiError) || error.code !== 'validation_failed') return null;
  const field = error.detail('field');
  return field === '' ? null : { field, problem: valueProblem(error.detail('reason')) };
}
