import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { schedulePrices, unschedulePrices } from '../../api/commands.ts';
import { scheduledPricesQuery } from '../../api/console-queries.ts';
import { useMay } from '../../api/person.ts';
import type { AdminPackage, Group, ScheduledPrices } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { toCents } from '../../text/amounts.ts';
import { zone } from '../../text/clock.ts';
import { firstOfNextMonth } from '../../text/day-spans.ts';
import { formatStated, formatStatedUtc, formatTypedDay } from '../../text/times.ts';
import { readTypedMinute } from '../../text/typed-minutes.ts';
import { groupWord, periods } from '../../text/words.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, LineCard } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { useDialogForm } from '../../ui/dialog-form.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { useText } from '../../ui/use-text.ts';
import { type ExistingPlans, ExistingPlansChoice } from './existing-plans-choice.tsx';
import { isOdd, PriceChangeList, PriceStep, withNamed } from './price-change-list.tsx';
import { emptyPrices, PriceMatrix, readSomePrices, type TypedPrices } from './price-matrix.tsx';

type Opened =
  | { readonly action: 'add' }
  | { readonly action: 'delete'; readonly price: ScheduledPrices }
  | null;

function pricesBefore(
  one: AdminPackage,
  schedule: readonly ScheduledPrices[],
  from: string,
): AdminPackage['prices'] {
  return schedule
    .filter((price) => !price.begun && Date.parse(price.from) < Date.parse(from))
    .toSorted((first, second) => Date.parse(first.from) - Date.parse(second.from))
    .reduce((prices, price) => withNamed(prices, price.prices), one.prices);
}

export function PriceSchedule({ one }: { readonly one: AdminPackage }) {
  const query = useQuery(scheduledPricesQuery(one.id));
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  const mayChange = useMay()('admin:packages');
  const schedule = query.data?.data ?? [];
  // The previous price is known only for future changes.
  const beforeOf = (price: ScheduledPrices) => (price.begun ? null : pricesBefore(one, schedule, price.from));
  const deletion = (price: ScheduledPrices) =>
    price.begun || !mayChange ? null : (
      <Button
        aria-label={t`Delete the prices from ${formatStated(price.from)}`}
        onClick={() => setOpened({ action: 'delete', price })}
      >
        {t`Delete`}
      </Button>
    );
  const columns: readonly Column<ScheduledPrices>[] = [
    {
      title: t`From`,
      cell: (price) => (
        <>
          <span className="flex flex-wrap items-center gap-x-2">
            <Time at={price.from} />
            {price.begun ? <Badge>{t`Started`}</Badge> : <Badge tone="accent">{t`Upcoming`}</Badge>}
          </span>
          <span className="block text-xs text-soft">
            {price.existing_plans === 'held' ? t`Running plans keep their price` : t`Running plans follow`}
          </span>
          <div className="mt-1 sm:hidden">{deletion(price)}</div>
        </>
      ),
    },
    {
      title: t`Reseller`,
      cell: (price) => <Named price={price} before={beforeOf(price)} group="reseller" one={one} />,
    },
    {
      title: t`Distributor`,
      cell: (price) => <Named price={price} before={beforeOf(price)} group="distributor" one={one} />,
      from: 'sm',
    },
    { title: t`Delete`, untitled: true, align: 'end', cell: deletion, from: 'sm' },
  ];
  const add =
    one.retired || !mayChange ? null : (
      <Button onClick={() => setOpened({ action: 'add' })}>{t`Schedule prices`}</Button>
    );
  return (
    <>
      {query.data?.data.length === 0 ? (
        <LineCard title={t`Price schedule`} action={add}>
          {t`No scheduled prices. Resellers see them in GET /packages in advance.`}
        </LineCard>
      ) : (
        <Card
          title={t`Price schedule`}
          description={t`Prices change automatically at the scheduled time. Leave a field blank to keep its current price.`}
          action={add}
          flush
        >
          <DataTable
            caption={t`Scheduled prices`}
            columns={columns}
            {...tableState(query)}
            rowKey={({ from }) => from}
            empty={null}
          />
        </Card>
      )}
      {opened?.action === 'add' ? <ScheduleDialog one={one} schedule={schedule} onClose={close} /> : null}
      {opened?.action === 'delete' ? (
        <UnscheduleDialog one={one} price={opened.price} onClose={close} />
      ) : null}
    </>
  );
}

interface NamedProps {
  readonly one: AdminPackage;
  readonly price: ScheduledPrices;
  /** null if the price has begun. */
  readonly before: AdminPackage['prices'] | null;
  readonly group: Group;
}

/** The group's prices. Narrow screens show the other group's prices below. */
function Named({ one, price: { prices }, before, group }: NamedProps) {
  const lines = (of: Group) =>
    periods.flatMap(({ period, title }) => {
      const price = prices[of]?.[period];
      const old = before?.[of][period];
      return price === undefined
        ? []
        : [{ period, title, after: toCents(price), before: old === undefined ? null : toCents(old) }];
    });
  const list = (of: Group, title: string) => (
    <ul aria-label={title}>
      {lines(of).map((line) => (
        <li key={line.period} className="flex flex-wrap items-baseline gap-x-1.5">
          <PriceStep change={line} currency={one.currency} />
          <span className="text-soft">{line.title.toLowerCase()}</span>
        </li>
      ))}
    </ul>
  );
  const own =
    lines(group).length === 0 ? <span className="text-soft">–</span> : list(group, groupWord(group));
  if (group === 'distributor' || lines('distributor').length === 0) return own;
  return (
    <>
      {own}
      <div className="mt-1 sm:hidden">
        <p className="text-xs text-soft">{t`Distributor`}</p>
        {list('distributor', groupWord('distributor'))}
      </div>
    </>
  );
}

interface DialogProps {
  readonly one: AdminPackage;
  readonly onClose: () => void;
}

function ScheduleDialog({
  one,
  schedule,
  onClose,
}: DialogProps & { readonly schedule: readonly ScheduledPrices[] }) {
  const [day, dayField] = useText();
  const [time, timeField] = useText('00:00');
  const [prices, setPrices] = useState<TypedPrices>(emptyPrices);
  const [existing, setExisting] = useState<ExistingPlans>('new');
  const read = readSomePrices(prices);
  const from = readTypedMinute(`${day}T${time}`);
  const before = from === null ? one.prices : pricesBefore(one, schedule, from);
  const after = read === null ? before : withNamed(before, read);
  const odd = isOdd(before, after);
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) =>
      schedulePrices(one.id, {
        from: from ?? '',
        prices: read ?? {},
        existing_plans: existing,
        current_password: password,
      }),
    says: ({ price }) => t`Prices scheduled for ${formatStated(price.from)}.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Schedule prices for ${one.name}`}
      description={t`New orders use these prices from then on. Leave a field blank to keep its current price.`}
      action={odd ? t`Schedule anyway` : t`Schedule prices`}
      ready={from !== null && read !== null}
      width="wide"
      isChanged={existing !== 'new'}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={t`Day`}
          type="date"
          autoFocus
          {...dayField}
          {...(day !== '' && { hint: formatTypedDay(day) })}
        />
        <TextField
          label={t`Time (${zone})`}
          type="time"
          {...timeField}
          {...(from !== null && zone !== 'UTC' && { hint: formatStatedUtc(from) })}
        />
      </div>
      <Button className="self-start" onClick={() => dayField.onText(firstOfNextMonth())}>
        {t`From next month`}
      </Button>
      <PriceMatrix prices={prices} currency={one.currency} onChange={setPrices} shown={before} />
      <PriceChangeList before={before} after={after} currency={one.currency} />
      <ExistingPlansChoice one={one} named={read} value={existing} onChoose={setExisting} />
    </FormDialog>
  );
}

function UnscheduleDialog({ one, price, onClose }: DialogProps & { readonly price: ScheduledPrices }) {
  const form = useDialogForm({
    onClose,
    password: 'asked',
    send: ({ password }) => unschedulePrices(one.id, price.from, { current_password: password }),
    says: () => t`Scheduled prices deleted.`,
  });
  return (
    <FormDialog
      form={form}
      title={t`Delete these prices?`}
      description={t`The prices for ${one.name} from ${formatStated(price.from)} won’t take effect. The current prices continue.`}
      action={t`Delete prices`}
      danger
    />
  );
}
