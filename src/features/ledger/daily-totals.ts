// The ledger's sums by UTC day, from which statements and charts are made. A job computes them, so that orders do not pay
// for it. Each entry is added once (rollup-watermarks.ts). The only writer of ledger_days.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { cents, describeTable, int8, type RowOf } from '../../platform/database/table.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { isSettling } from '../order-engine/records/ledger-entry.ts';
import { createRollupWatermarks, type RollupWatermarks } from './rollup-watermarks.ts';

const ledgerSums = describeTable('ledger_days', {
  orderCount: int8('order_count'),
  entryCount: int8('entry_count'),
  chargedCents: cents('charged_cents'),
  refundedCents: cents('refunded_cents'),
  creditedCents: cents('credited_cents'),
  debitedCents: cents('debited_cents'),
});

/** `date` is "2026-01-31" or "2026-01". */
export type LedgerSums = RowOf<typeof ledgerSums> & { readonly date: string };

export interface NumberSpan {
  readonly from: number;
  readonly to: number;
}

export interface SpannedSums extends LedgerSums {
  readonly entries: NumberSpan;
}

export type Step = 'day' | 'month';

export interface DailyTotals extends Pick<RollupWatermarks, 'bringAllUpToDate'> {
  /** The account's sums from `since`, oldest first. Days without entries are left out. */
  sums(accountId: number, step: Step, since: string): Promise<SpannedSums[]>;
  sumsOfAll(step: Step, since: string): Promise<LedgerSums[]>;
  topAccounts(since: string, limit: number): Promise<TopAccount[]>;
  /** The numbers of the entries of these days; null if there are none. "" leaves an end of the range open. */
  entrySpan(accountId: number, from: string, to: string): Promise<NumberSpan | null>;
  orderSpan(accountId: number, from: string, to: string): Promise<NumberSpan | null>;
  /** Closes the past: no later entry of the account can get a time before `until`, even if the clock goes back. */
  closeUntil(accountId: number, until: EpochSeconds): Promise<void>;
}

export interface TopAccount {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  readonly orderCount: number;
  readonly spentCents: bigint;
}

/** An entry that settles a pending order does not count as an order. */
const dayOfEntries = {
  order_count: `count(*) filter (where kind = 'charge' and not is_settling)`,
  entry_count: 'count(*)',
  charged_cents: `coalesce(-sum(amount_cents) filter (where kind = 'charge'), 0)`,
  refunded_cents: `coalesce(sum(amount_cents) filter (where kind = 'refund'), 0)`,
  credited_cents: `coalesce(sum(amount_cents) filter (where kind in ('credit', 'reinstatement')), 0)`,
  debited_cents: `coalesce(-sum(amount_cents) filter (where kind in ('debit', 'reversal', 'settlement')), 0)`,
  first_entry: 'min(number)',
  last_entry: 'max(number)',
  first_order: 'min(order_number) filter (where not is_settling)',
  last_order: 'max(order_number) filter (where not is_settling)',
};

const sumEntries: SqlStatement = {
  name: 'sum_ledger_entries',
  text: `insert into ledger_days as d (account_id, day, ${Object.keys(dayOfEntries).join(', ')})
    select $1::int, day, ${Object.values(dayOfEntries).join(', ')}
    from (
      select number, kind, amount_cents, order_number, (created_at at time zone 'UTC')::date as day,
        ${isSettling('e')} as is_settling
      from ledger_entries e where account_id = $1::int and number > $2::int and number <= $3::int) fresh
    group by day
    on conflict (account_id, day) do update set
      ${ledgerSums.names.map((name) => `${name} = d.${name} + excluded.${name}`).join(', ')},
      first_entry = least(d.first_entry, excluded.first_entry),
      last_entry = greatest(d.last_entry, excluded.last_entry),
      first_order = least(d.first_order, excluded.first_order),
      last_order = greatest(d.last_order, excluded.last_order)`,
};

const sumColumns = ledgerSums.names.map((name) => `sum(d.${name})::bigint as ${name}`).join(', ');

const dateFormats: Readonly<Record<Step, string>> = { day: 'YYYY-MM-DD', month: 'YYYY-MM' };

const sumsOfAccount: SqlStatement = {
  name: 'list_ledger_sums',
  text: `select to_char(d.day, $3::text) as date, min(d.first_entry) as first_entry, max(d.last_entry) as last_entry,
      ${sumColumns} from ledger_days d
    where d.account_id = $1::int and d.day >= $2::date group by 1 order by 1`,
};

// Joins per account, because an index by day alone could be chosen for queries about one account too. Real accounts only.
const daysOfAll = `accounts a join lateral (
      select * from ledger_days d where d.account_id = a.id and d.day >= $1::date) d on a.id <= ${realAccountIdMax}`;

const sumsOfAccounts: SqlStatement = {
  name: 'list_ledger_sums_of_all',
  text: `select to_char(d.day, $2::text) as date, ${sumColumns} from ${daysOfAll} group by 1 order by 1`,
};

const listTop: SqlStatement = {
  name: 'list_top_accounts',
  text: `select a.id, a.username, a.display_name, sum(d.order_count)::bigint as orders,
      sum(d.charged_cents - d.refunded_cents)::bigint as spent
    from ${daysOfAll} group by a.id having sum(d.order_count) > 0 order by 5 desc, 1 limit $2::int`,
};

const findSpans: SqlStatement = {
  name: 'find_ledger_spans',
  text: `select min(first_entry) as first_entry, max(last_entry) as last_entry, min(first_order) as first_order,
      max(last_order) as last_order, (select postdated_order from accounts where id = $1::int) as postdated_order
    from ledger_days where account_id = $1::int
      and day >= coalesce(nullif($2::text, '')::date, '-infinity') and day <= coalesce(nullif($3::text, '')::date, 'infinity')`,
};

// Waits for a running batch of the account, because that batch may still write earlier times.
const closeLedger: SqlStatement = {
  name: 'close_ledger_until',
  text: `update accounts set ledger_open_from = to_timestamp($2::bigint)
    where id = $1::int and (ledger_open_from is null or ledger_open_from < to_timestamp($2::bigint))`,
};

export function createDailyTotals(database: Database): DailyTotals {
  const marks = createRollupWatermarks(database, {
    table: 'ledger_day_marks',
    rows: 'entries',
    async add(transaction, accountId, mark, upto) {
      await transaction.query(sumEntries, [accountId, mark, upto]);
    },
  });

  async function spans(accountId: number, from: string, to: string): Promise<Row> {
    await marks.bringUpToDate(accountId);
    return (await database.ofAccount(accountId).query(findSpans, [accountId, from, to]))[0] ?? {};
  }

  return {
    async sums(accountId, step, since) {
      await marks.bringUpToDate(accountId);
      const rows = await database
        .ofAccount(accountId)
        .query(sumsOfAccount, [accountId, since, dateFormats[step]]);
      return rows.map((row) => ({
        ...parseSums(row),
        entries: { from: Number(row['first_entry']), to: Number(row['last_entry']) },
      }));
    },
    async sumsOfAll(step, since) {
      await marks.bringAllUpToDate();
      const found = await queryShards(database, sumsOfAccounts, [since, dateFormats[step]], 'every');
      return addedUp(found.map(parseSums));
    },
    async topAccounts(since, limit) {
      const found = (await queryShards(database, listTop, [since, limit], 'every')).map((row) => ({
        id: Number(row['id']),
        username: String(row['username']),
        displayName: String(row['display_name']),
        orderCount: Number(row['orders']),
        spentCents: bigint(row['spent']),
      }));
      const first = (one: TopAccount, other: TopAccount) =>
        one.spentCents === other.spentCents ? one.id - other.id : one.spentCents > other.spentCents ? -1 : 1;
      return found.toSorted(first).slice(0, limit);
    },
    async entrySpan(accountId, from, to) {
      const row = await spans(accountId, from, to);
      return spanOf(row['first_entry'], row['last_entry']);
    },
    async orderSpan(accountId, from, to) {
      const row = await spans(accountId, from, to);
      const span = spanOf(row['first_order'], row['last_order']);
      const postdated = nullable(Number, row['postdated_order']);
      if (to === '' || postdated === null) return span;
      // Orders of these days may be entered later, after the clock was set back. Extend the range to the last of them.
      return { from: span?.from ?? 1, to: Math.max(span?.to ?? 0, postdated) };
    },
    async closeUntil(accountId, until) {
      await database.ofAccount(accountId).query(closeLedger, [accountId, until]);
    },
    bringAllUpToDate: marks.bringAllUpToDate,
  };
}

function spanOf(from: unknown, to: unknown): NumberSpan | null {
  const first = nullable(Number, from);
  const last = nullable(Number, to);
  return first === null || last === null ? null : { from: first, to: last };
}

function parseSums(row: Row): LedgerSums {
  return { date: String(row['date']), ...ledgerSums.parse(row) };
}

function addedUp(sums: readonly LedgerSums[]): LedgerSums[] {
  const dates = new Map<string, LedgerSums>();
  for (const each of sums) {
    const before = dates.get(each.date);
    dates.set(each.date, before === undefined ? each : bothOf(before, each));
  }
  return [...dates.values()].sort((one, other) => (one.date < other.date ? -1 : 1));
}

function bothOf(one: LedgerSums, other: LedgerSums): LedgerSums {
  return {
    date: one.date,
    orderCount: one.orderCount + other.orderCount,
    entryCount: one.entryCount + other.entryCount,
    chargedCents: one.chargedCents + other.chargedCents,
    refundedCents: one.refundedCents + other.refundedCents,
    creditedCents: one.creditedCents + other.creditedCents,
    debitedCents: one.debitedCents + other.debitedCents,
  };
}

export function lastDates(step: Step, count: number, now: EpochSeconds): string[] {
  const date = new Date(now * 1000);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  return Array.from({ length: count }, (_, index) => {
    const back = count - 1 - index;
    const moment = step === 'day' ? Date.UTC(year, month, day - back) : Date.UTC(year, month - back, 1);
    return new Date(moment).toISOString().slice(0, step === 'day' ? 10 : 7);
  });
}
