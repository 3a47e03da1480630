// Reads the sums of plans and cohorts: one account's, or those of all real accounts.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { cents, describeTable, int, type RowOf, text } from '../../platform/database/table.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { figureColumns } from './plan-sums.ts';

const planRows = describeTable('plan_sums', {
  since: text('since'),
  packageId: int('package_id'),
  ...figureColumns,
});
const cohortRows = describeTable('cohort_sums', {
  cohort: text('cohort'),
  month: text('month'),
  plans: int('plans'),
  yearCents: cents('year_cents'),
});

export type PlanRow = RowOf<typeof planRows>;
export type CohortRow = RowOf<typeof cohortRows>;

/** null: all real accounts, or all packages. */
export interface BusinessScope {
  readonly accountId: number | null;
  readonly packageId: number | null;
}

export interface AccountBusiness {
  readonly id: number;
  readonly username: string;
  readonly displayName: string;
  /** And not closed. */
  readonly isBlocked: boolean;
  readonly balanceCents: bigint;
  readonly plans: number;
  readonly yearCents: bigint;
  /** Of the plans that end within the days of the forecast. */
  readonly duePlans: number;
  readonly dueCents: bigint;
  readonly runsOutOn: string | null;
}

export interface AccountsFilter {
  readonly today: string;
  /** The first day of the present month. */
  readonly month: string;
  /** The day after the forecast. */
  readonly until: string;
  readonly by: 'mrr' | 'runs_out_on';
  readonly limit: number;
}

const day = (column: string) => `to_char(${column}, 'YYYY-MM-DD') as ${column}`;
const figureNames = planRows.names.filter((name) => name !== 'since').join(', ');
const plansBetween = `step = $1::text and since between $2::date and $3::date
      and ($4::int is null or package_id = $4::int) order by plan.since, package_id`;

const listPlanSums: SqlStatement = {
  name: 'list_plan_sums',
  text: `select ${day('since')}, ${figureNames} from plan_sums plan where account_id = $5::int and ${plansBetween}`,
};
const listPlanTotals: SqlStatement = {
  name: 'list_plan_totals',
  text: `select ${day('since')}, ${figureNames} from plan_totals plan where ${plansBetween}`,
};
const cohortsUntil = `month <= $1::date order by sums.cohort, sums.month`;
const cohortNames = `${day('cohort')}, ${day('month')}, plans, year_cents`;
const listCohortSums: SqlStatement = {
  name: 'list_cohort_sums',
  text: `select ${cohortNames} from cohort_sums sums where account_id = $2::int and ${cohortsUntil}`,
};
const listCohortTotals: SqlStatement = {
  name: 'list_cohort_totals',
  text: `select ${cohortNames} from cohort_totals sums where ${cohortsUntil}`,
};

// Each plan that runs is booked as lost on the day of its end, so the losses to come are the active plans: those of the
// months from the present one, without the days before today. The two are read apart: as one condition with `or` they made the
// planner read every day of an account.
const ofPlans = `select a.id, a.username, a.display_name, a.blocked and a.closed_at is null as is_blocked, a.balance_cents,
        m.plans, m.year_cents, m.due_cents
      from accounts a
      join lateral (
        select coalesce(sum(plans), 0)::bigint as plans, coalesce(sum(cents), 0)::bigint as year_cents,
          coalesce(sum(due_cents), 0)::bigint as due_cents
        from (
          select lost_plans as plans, lost_cents as cents, case when since < $2::date then due_cents else 0 end as due_cents
          from plan_sums where account_id = a.id and step = 'month' and since >= $3::date
          union all
          select -lost_plans, -lost_cents, 0
          from plan_sums where account_id = a.id and step = 'day' and since >= $3::date and since < $1::date) ends) m on true`;

const withDays = (
  accounts: string,
) => `select a.id, a.username, a.display_name, a.is_blocked, a.balance_cents, a.plans, a.year_cents,
      d.due_plans, d.due_cents, d.runs_out_on
    from (
      ${accounts}) a
    join lateral (
      select coalesce(sum(plans), 0)::bigint as due_plans, coalesce(sum(cost), 0)::bigint as due_cents,
        to_char(min(since) filter (where together > a.balance_cents), 'YYYY-MM-DD') as runs_out_on
      from (
        select since, sum(lost_plans) as plans, sum(due_cents) as cost, sum(sum(due_cents)) over (order by since) as together
        from plan_sums where account_id = a.id and step = 'day' and since >= $1::date and since < $2::date
        group by since) days) d on true`;

// The days of the forecast are read of the listed accounts alone, or of those whose renewals of these months cost more than
// their balance.
const listAccounts: SqlStatement = {
  name: 'list_business_of_accounts',
  text: `${withDays(`${ofPlans}
      where a.id <= ${realAccountIdMax} and m.plans > 0 and ($4::text = 'mrr' or m.due_cents > a.balance_cents)
      order by case when $4::text = 'mrr' then -m.year_cents end, a.id
      limit case when $4::text = 'mrr' then $5::int end`)}
    where $4::text = 'mrr' or d.runs_out_on is not null
    order by case when $4::text = 'mrr' then -a.year_cents end, case when $4::text <> 'mrr' then d.runs_out_on end, a.id
    limit $5::int`,
};

const findAccounts: SqlStatement = {
  name: 'find_business_of_accounts',
  text: withDays(`${ofPlans}
      where a.id = any($4::int[])`),
};

export interface BusinessReads {
  /** Months from the first one to `month`. Days from `from`, before `until`. */
  plans(
    scope: BusinessScope,
    span: { readonly month: string; readonly from: string; readonly to: string },
  ): Promise<{ readonly months: readonly PlanRow[]; readonly days: readonly PlanRow[] }>;
  cohorts(accountId: number | null, month: string): Promise<readonly CohortRow[]>;
  accounts(filter: AccountsFilter): Promise<readonly AccountBusiness[]>;
  accountsOf(
    ids: readonly number[],
    days: Pick<AccountsFilter, 'today' | 'month' | 'until'>,
  ): Promise<readonly AccountBusiness[]>;
}

const firstMonth = '1970-01-01';

export function createBusinessReads(database: Database): BusinessReads {
  async function rowsOf(
    { accountId, packageId }: BusinessScope,
    step: 'day' | 'month',
    [from, to]: readonly [string, string],
  ): Promise<PlanRow[]> {
    const values = [step, from, to, packageId];
    const rows =
      accountId === null
        ? await database.query(listPlanTotals, values)
        : await database.ofAccount(accountId).query(listPlanSums, [...values, accountId]);
    return rows.map((row) => planRows.parse(row));
  }

  return {
    async plans(scope, { month, from, to }) {
      const [months, days] = await Promise.all([
        rowsOf(scope, 'month', [firstMonth, month]),
        rowsOf(scope, 'day', [from, to]),
      ]);
      return { months, days };
    },
    async cohorts(accountId, month) {
      const rows =
        accountId === null
          ? await database.query(listCohortTotals, [month])
          : await database.ofAccount(accountId).query(listCohortSums, [month, accountId]);
      return rows.map((row) => cohortRows.parse(row));
    },
    async accounts({ today, month, until, by, limit }) {
      const values = [today, until, month, by, limit];
      const found = (await queryShards(database, listAccounts, values, 'every')).map(parseAccount);
      return found.toSorted((one, other) => compare(one, other, by)).slice(0, limit);
    },
    async accountsOf(ids, { today, month, until }) {
      const values = [today, until, month, numberArray(ids)];
      return (await queryShards(database, findAccounts, values, 'every')).map(parseAccount);
    },
  };
}

function compare(one: AccountBusiness, other: AccountBusiness, by: AccountsFilter['by']): number {
  if (by === 'mrr' && one.yearCents !== other.yearCents) return one.yearCents > other.yearCents ? -1 : 1;
  const [first, second] = [one.runsOutOn ?? '', other.runsOutOn ?? ''];
  if (by === 'runs_out_on' && first !== second) return first < second ? -1 : 1;
  return one.id - other.id;
}

function parseAccount(row: Row): AccountBusiness {
  return {
    id: Number(row['id']),
    username: String(row['username']),
    displayName: String(row['display_name']),
    isBlocked: row['is_blocked'] === true,
    balanceCents: bigint(row['balance_cents']),
    plans: Number(row['plans']),
    yearCents: bigint(row['year_cents']),
    duePlans: Number(row['due_plans']),
    dueCents: bigint(row['due_cents']),
    runsOutOn: nullable(String, row['runs_out_on']),
  };
}
