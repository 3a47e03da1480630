// An account's spending by package, kind, UTC day and month, so that dashboards read no orders. The only writer of
// spending_sums.
// Invariant: a day's charges and refunds over all packages and kinds equal those of ledger_days. An entry counts on its own
// day for its order's package and kind, even if the order failed or was settled later. A canceled plan's refund has the kind
// `cancel`. Top-ups and debits are not spending.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import {
  cents,
  describeTable,
  int,
  int8,
  oneOf,
  type RowOf,
  text,
  writeRows,
} from '../../platform/database/table.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { isSettling } from '../order-engine/records/ledger-entry.ts';
import type { Step } from './daily-totals.ts';
import { createRollupWatermarks, type RollupWatermarks } from './rollup-watermarks.ts';

/** The kinds of orders, and `cancel` for refunds without an order. */
export const spendingKinds = ['activate', 'renew', 'change', 'cancel'] as const;

const figures = {
  orderCount: int8('order_count'),
  chargedCents: cents('charged_cents'),
  refundedCents: cents('refunded_cents'),
};
const sums = { packageId: int('package_id'), kind: oneOf('kind', spendingKinds), ...figures };
const spendingFigures = describeTable('spending_sums', figures);
const spending = describeTable('spending_sums', sums);
const spendingSums = describeTable('spending_sums', {
  accountId: int('account_id'),
  step: oneOf('step', ['day', 'month'] as const),
  since: { ...text('since'), arrayType: 'date[]' },
  ...sums,
});

export type Spending = RowOf<typeof spending>;
type SpendingSum = RowOf<typeof spendingSums>;
type Figures = RowOf<typeof spendingFigures>;
const nothing: Figures = { orderCount: 0, chargedCents: 0n, refundedCents: 0n };

export interface PeriodSpending extends Spending {
  readonly isBefore: boolean;
}

export interface SpendingPeriods {
  readonly step: Step;
  readonly since: string;
  readonly previousSince: string;
}

export interface SpendingFilter {
  /** UTC days, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** An end in the future still allows whole months, because there are no sums beyond today. */
  readonly today: string;
  readonly packageId: number | null;
  readonly kind: Spending['kind'] | null;
  readonly by: 'spent' | 'orders' | 'refunded';
  readonly limit: number;
}

export interface AccountSpending extends Figures {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
}

export interface SpendingByAccount {
  readonly accounts: readonly AccountSpending[];
  /** Totals over all accounts, even those beyond the limit. */
  readonly countOfAccounts: number;
  readonly together: Figures;
}

export interface SpendingReads extends Pick<RollupWatermarks, 'bringAllUpToDate'> {
  /** null: too many entries are not summed yet. The job is working on them. */
  ofAccount(accountId: number, periods: SpendingPeriods): Promise<PeriodSpending[] | null>;
  ofAll(periods: SpendingPeriods): Promise<PeriodSpending[] | null>;
  byAccount(filter: SpendingFilter): Promise<SpendingByAccount | null>;
}

/** How many transactions a request waits for. The job does the rest. */
const piecesOfRequestMax = 10;
const sumEntries: SqlStatement = {
  name: 'sum_spending',
  text: `select to_char(day, 'YYYY-MM-DD') as day, package_id, kind,
      count(*) filter (where entry_kind = 'charge' and not is_settling) as order_count,
      coalesce(-sum(amount_cents) filter (where entry_kind = 'charge'), 0)::bigint as charged_cents,
      coalesce(sum(amount_cents) filter (where entry_kind = 'refund'), 0)::bigint as refunded_cents
    from (
      select (e.created_at at time zone 'UTC')::date as day, e.kind as entry_kind, e.amount_cents,
        coalesce(o.package_id, c.package_id, 0) as package_id, coalesce(o.kind, 'cancel') as kind,
        ${isSettling('e')} as is_settling
      from ledger_entries e
      left join orders o on o.account_id = e.account_id and o.number = e.order_number
      left join plan_changes c on c.account_id = e.account_id and c.entry_number = e.number and c.kind = 'cancel'
      where e.account_id = $1::int and e.number > $2::int and e.number <= $3::int
        and e.kind in ('charge', 'refund')) entry
    group by day, package_id, kind`,
};

const addSums = spendingSums.insert(
  'add_spending_sums',
  `on conflict (account_id, step, since, package_id, kind) do update set
      order_count = spending_sums.order_count + excluded.order_count,
      charged_cents = spending_sums.charged_cents + excluded.charged_cents,
      refunded_cents = spending_sums.refunded_cents + excluded.refunded_cents`,
);

const periodSums = `s.package_id, s.kind, s.since < $3::date as is_before, sum(s.order_count)::bigint as order_count,
      sum(s.charged_cents)::bigint as charged_cents, sum(s.refunded_cents)::bigint as refunded_cents`;

const listOfAccount: SqlStatement = {
  name: 'list_spending',
  text: `select ${periodSums} from spending_sums s
    where s.account_id = $4::int and s.step = $1::text and s.since >= $2::date group by 1, 2, 3`,
};

const listOfAll: SqlStatement = {
  name: 'list_spending_of_all',
  text: `select ${periodSums} from accounts a join lateral (
      select * from spending_sums s
      where s.account_id = a.id and s.step = $1::text and s.since >= $2::date) s on a.id <= ${realAccountIdMax}
    group by 1, 2, 3`,
};

const figureSums = `sum(s.order_count)::bigint as order_count, sum(s.charged_cents)::bigint as charged_cents,
      sum(s.refunded_cents)::bigint as refunded_cents`;

const figuresOfAccounts = `accounts a join lateral (
      select * from spending_sums s
      where s.account_id = a.id and s.step = $1::text and s.since between $2::date and $3::date
        and ($4::int is null or s.package_id = $4::int) and ($5::text is null or s.kind = $5::text)) s
      on a.id <= ${realAccountIdMax}`;

const listByAccount: SqlStatement = {
  name: 'list_spending_by_account',
  text: `select a.id, a.username, a.display_name, ${figureSums} from ${figuresOfAccounts}
    group by a.id
    order by case $6::text when 'orders' then sum(s.order_count) when 'refunded' then sum(s.refunded_cents)
      else sum(s.charged_cents) - sum(s.refunded_cents) end desc, a.id
    limit $7::int`,
};

const sumOfAccounts: SqlStatement = {
  name: 'sum_spending_of_accounts',
  text: `select count(distinct a.id)::int as accounts, ${figureSums} from ${figuresOfAccounts}`,
};

export function createSpendingReads(database: Database): SpendingReads {
  const marks = createRollupWatermarks(database, {
    table: 'spending_marks',
    rows: 'entries',
    async add(transaction, accountId, mark, upto) {
      const rows = await transaction.query(sumEntries, [accountId, mark, upto]);
      // Rows are sorted by key. An account never has concurrent writers here.
      await writeRows(transaction, addSums, sumsOf(accountId, rows));
    },
  });

  /** Returns false if a request would have to wait too long. */
  async function bringAllNearly(): Promise<boolean> {
    const behind = await marks.listBehind();
    const pieces = behind.reduce((sum, each) => sum + each.pieces, 0);
    // Sums many accounts that are slightly behind, but not a year of orders.
    if (pieces > behind.length + piecesOfRequestMax) return false;
    for (const { accountId } of behind) await marks.bringUpToDate(accountId, piecesOfRequestMax);
    return true;
  }

  return {
    async ofAccount(accountId, { step, since, previousSince }) {
      if (!(await marks.bringUpToDate(accountId, piecesOfRequestMax))) return null;
      const values = [step, previousSince, since, accountId];
      return (await database.ofAccount(accountId).query(listOfAccount, values)).map(parsePeriod);
    },
    async ofAll({ step, since, previousSince }) {
      if (!(await bringAllNearly())) return null;
      const found = await queryShards(database, listOfAll, [step, previousSince, since], 'every');
      return addedUp(found.map(parsePeriod));
    },
    async byAccount({ from, to, today, packageId, kind, by, limit }) {
      if (!(await bringAllNearly())) return null;
      // Prefer whole months, which are few rows, over days.
      const step: Step = from.endsWith('-01') && (to >= today || isEndOfMonth(to)) ? 'month' : 'day';
      const values = [step, from, to, packageId, kind];
      const [found, sums] = await Promise.all([
        queryShards(database, listByAccount, [...values, by, limit], 'every'),
        queryShards(database, sumOfAccounts, values, 'every'),
      ]);
      const accounts = found.map(parseAccountSpending).toSorted((one, other) => {
        const [first, second] = [rankOf(one, by), rankOf(other, by)];
        return first === second ? one.id - other.id : first > second ? -1 : 1;
      });
      const filled = sums.filter((row) => Number(row['accounts']) > 0);
      return {
        accounts: accounts.slice(0, limit),
        countOfAccounts: filled.reduce((count, row) => count + Number(row['accounts']), 0),
        together: filled.map((row) => spendingFigures.parse(row)).reduce(bothOf, nothing),
      };
    },
    bringAllUpToDate: marks.bringAllUpToDate,
  };
}

function sumsOf(accountId: number, rows: readonly Row[]): SpendingSum[] {
  const days = rows.map((row) => ({
    accountId,
    step: 'day' as const,
    since: String(row['day']),
    ...spending.parse(row),
  }));
  const months = new Map<string, SpendingSum>();
  for (const day of days) {
    const month = { ...day, step: 'month' as const, since: `${day.since.slice(0, 7)}-01` };
    const key = `${month.since} ${day.packageId} ${day.kind}`;
    const before = months.get(key);
    months.set(key, before === undefined ? month : { ...month, ...bothOf(before, month) });
  }
  return [...days, ...months.values()];
}

function addedUp(found: readonly PeriodSpending[]): PeriodSpending[] {
  const together = new Map<string, PeriodSpending>();
  for (const each of found) {
    const key = `${each.packageId} ${each.kind} ${each.isBefore}`;
    const before = together.get(key);
    together.set(key, before === undefined ? each : { ...each, ...bothOf(before, each) });
  }
  return [...together.values()];
}

function bothOf(one: Figures, other: Figures): Figures {
  return {
    orderCount: one.orderCount + other.orderCount,
    chargedCents: one.chargedCents + other.chargedCents,
    refundedCents: one.refundedCents + other.refundedCents,
  };
}

function parsePeriod(row: Row): PeriodSpending {
  return { ...spending.parse(row), isBefore: row['is_before'] === true };
}

function parseAccountSpending(row: Row): AccountSpending {
  return {
    id: Number(row['id']),
    username: String(row['username']),
    displayName: String(row['display_name']),
    ...spendingFigures.parse(row),
  };
}

function rankOf({ orderCount, chargedCents, refundedCents }: Figures, by: SpendingFilter['by']): bigint {
  if (by === 'orders') return BigInt(orderCount);
  return by === 'refunded' ? refundedCents : chargedCents - refundedCents;
}

function isEndOfMonth(day: string): boolean {
  const next = new Date(`${day}T00:00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.getUTCDate() === 1;
}
