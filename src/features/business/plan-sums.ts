// Sums up what became of plans, for each account and for all real accounts together. A job does it, so that orders do not
// pay for it. The only writer of plan_sums, cohort_sums, plan_totals, cohort_totals and plan_sum_marks.
// Invariant: each completed order is summed exactly once. One that waited for the product is summed with the plan change
// that completed it.

import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { bigint } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { cents, describeTable, int, type RowOf, text, writeRows } from '../../platform/database/table.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { holdTestInUse, isInUse } from '../identity/account-in-use.ts';
import {
  addFigures,
  type CohortMovement,
  type CountedOrder,
  cohortMovements,
  monthOfDay,
  noFigures,
  type PlanFigures,
  type PlanMovement,
  type PlanTerm,
  planMovements,
} from './plan-movements.ts';

const dateText = (name: string) => ({ ...text(name), arrayType: 'date[]' });

export const figureColumns = {
  newPlans: int('new_plans'),
  returnedPlans: int('returned_plans'),
  lostPlans: int('lost_plans'),
  duePlans: int('due_plans'),
  movedInPlans: int('moved_in_plans'),
  movedOutPlans: int('moved_out_plans'),
  newCents: cents('new_cents'),
  returnedCents: cents('returned_cents'),
  lostCents: cents('lost_cents'),
  raisedCents: cents('raised_cents'),
  loweredCents: cents('lowered_cents'),
  movedInCents: cents('moved_in_cents'),
  movedOutCents: cents('moved_out_cents'),
  dueCents: cents('due_cents'),
};
const figureNames = Object.values(figureColumns).map(({ name }) => name);
const planKey = { step: text('step'), since: dateText('since'), packageId: int('package_id') };
const cohortColumns = { plans: int('plans'), yearCents: cents('year_cents') };
const cohortKey = { cohort: dateText('cohort'), month: dateText('month') };
const account = { accountId: int('account_id') };

const planSums = describeTable('plan_sums', { ...account, ...planKey, ...figureColumns });
const planTotals = describeTable('plan_totals', { ...planKey, ...figureColumns });
const cohortSums = describeTable('cohort_sums', { ...account, ...cohortKey, ...cohortColumns });
const cohortTotals = describeTable('cohort_totals', { ...cohortKey, ...cohortColumns });

type PlanSum = RowOf<typeof planTotals>;
type CohortSum = RowOf<typeof cohortTotals>;

const added = (table: string, names: readonly string[]) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ');

const addPlanSums = planSums.insert(
  'add_plan_sums',
  `on conflict (account_id, step, since, package_id) do update set ${added('plan_sums', figureNames)}`,
);
const addPlanTotals = planTotals.insert(
  'add_plan_totals',
  `on conflict (step, since, package_id) do update set ${added('plan_totals', figureNames)}`,
);
const addCohortSums = cohortSums.insert(
  'add_cohort_sums',
  `on conflict (account_id, cohort, month) do update set ${added('cohort_sums', ['plans', 'year_cents'])}`,
);
const addCohortTotals = cohortTotals.insert(
  'add_cohort_totals',
  `on conflict (cohort, month) do update set ${added('cohort_totals', ['plans', 'year_cents'])}`,
);

export interface PlanSums {
  /** Returns whether all is summed. */
  bringUpToDate(accountId: number, piecesMax?: number): Promise<boolean>;
  /** Returns false, having done nothing, if a request would have to wait too long. */
  bringAllNearly(): Promise<boolean>;
  /** Returns how many orders and changes were left when the signal stopped it. */
  bringAllUpToDate(signal?: AbortSignal): Promise<number>;
}

/** Orders and plan changes per transaction. On the embedded database, orders wait for each transaction. */
const rowsAtOnceMax = 1_000;
/** How many transactions a request waits for. The job does the rest. */
export const piecesOfRequestMax = 10;
const neverAborted = new AbortController().signal;

const behind = `from accounts a left join plan_sum_marks m on m.account_id = a.id
    where (a.order_count > coalesce(m.order_number, 0) or a.plan_change_count > coalesce(m.change_number, 0))`;

const isBehind: SqlStatement = {
  name: 'is_behind_plan_sum_marks',
  text: `select true ${behind} and a.id = $1::int`,
};
const findBehind: SqlStatement = {
  name: 'find_behind_plan_sum_marks',
  text: `select a.id, a.order_count - coalesce(m.order_number, 0) + a.plan_change_count - coalesce(m.change_number, 0) as behind
    ${behind} and ${isInUse('a')} order by a.id`,
};
const ensureMark: SqlStatement = {
  name: 'ensure_plan_sum_mark',
  text: `insert into plan_sum_marks (account_id, order_number, change_number) values ($1::int, 0, 0) on conflict do nothing`,
};
const lockMark: SqlStatement = {
  name: 'lock_plan_sum_mark',
  text: 'select order_number, change_number from plan_sum_marks where account_id = $1::int for update',
};
const readCounters: SqlStatement = {
  name: 'count_for_plan_sums',
  text: 'select order_count, plan_change_count from accounts where id = $1::int',
};
const moveMark: SqlStatement = {
  name: 'move_plan_sum_mark',
  text: `update plan_sum_marks set order_number = $2::int, change_number = $3::int where account_id = $1::int`,
};

const isCompleted = (o: string) => `not exists (select from order_handoffs h
        where h.account_id = ${o}.account_id and h.order_number = ${o}.number and h.status <> 'completed')`;
const utcDay = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;
const seconds = (column: string) => `extract(epoch from ${column})::bigint`;
const term = (o: string, prefix: string) => `${o}.package_id as ${prefix}package_id,
      ${o}.price_cents * 12 / ${o}.months as ${prefix}year_cents, ${o}.price_cents as ${prefix}price_cents,
      ${utcDay(`${o}.expires_at`)} as ${prefix}end, ${seconds(`${o}.expires_at`)} as ${prefix}ends_at`;

// A customer with a pending order gets no other, so all orders before a completed one are settled.
const readOrders: SqlStatement = {
  name: 'read_orders_for_plan_sums',
  text: `select ${term('o', '')}, o.kind = 'renew' as is_renewal, ${utcDay('o.created_at')} as day,
      ${seconds('o.created_at')} as created_at, ${term('p', 'before_')},
      to_char(coalesce(f.created_at, o.created_at) at time zone 'UTC', 'YYYY-MM-01') as cohort
    from (
      select * from orders o where o.account_id = $1::int and o.number > $2::int and o.number <= $3::int
        and not exists (select from order_handoffs h where h.account_id = o.account_id and h.order_number = o.number)
      union all
      select o.* from plan_changes c join orders o on o.account_id = c.account_id and o.number = c.order_number
      where c.account_id = $1::int and c.number > $4::int and c.number <= $5::int and c.kind = 'order_completed') o
    left join lateral (
      select * from orders p where p.account_id = $1::int and p.customer_number = o.customer_number
        and p.number < o.number and ${isCompleted('p')}
      order by p.account_id, p.customer_number desc, p.number desc limit 1) p on true
    left join lateral (
      select * from orders f where f.account_id = $1::int and f.customer_number = o.customer_number
        and f.number < o.number and ${isCompleted('f')}
      order by f.account_id, f.customer_number, f.number limit 1) f on true`,
};

export function createPlanSums(database: Database): PlanSums {
  /** Returns whether more is left. */
  function sumMore(accountId: number): Promise<boolean> {
    return database.ofAccount(accountId).transaction(
      async (transaction) => {
        if (!(await holdTestInUse(transaction, accountId))) return false;
        await transaction.query(ensureMark, [accountId]);
        const [mark] = await transaction.query(lockMark, [accountId]);
        const [counted] = await transaction.query(readCounters, [accountId]);
        const [order, change] = [Number(mark?.['order_number']), Number(mark?.['change_number'])];
        const [lastOrder, lastChange] = [
          Number(counted?.['order_count'] ?? 0),
          Number(counted?.['plan_change_count'] ?? 0),
        ];
        const orderTo = Math.max(order, Math.min(lastOrder, order + rowsAtOnceMax));
        const changeTo = Math.max(change, Math.min(lastChange, change + rowsAtOnceMax));
        if (orderTo === order && changeTo === change) return false;
        const rows = await transaction.query(readOrders, [accountId, order, orderTo, change, changeTo]);
        await addOrders(transaction, accountId, rows.map(countedOrder));
        await transaction.query(moveMark, [accountId, orderTo, changeTo]);
        return orderTo < lastOrder || changeTo < lastChange;
      },
      { rank: 'reads' },
    );
  }

  async function listBehind() {
    const rows = await queryShards(database, findBehind, [], 'every');
    return rows.map((row) => ({ accountId: Number(row['id']), rows: Number(row['behind']) }));
  }

  async function bringUpToDate(accountId: number, piecesMax = Number.POSITIVE_INFINITY): Promise<boolean> {
    let isMore = (await database.ofAccount(accountId).query(isBehind, [accountId])).length > 0;
    for (let pieces = 0; isMore && pieces < piecesMax; pieces += 1) isMore = await sumMore(accountId);
    return !isMore;
  }

  return {
    bringUpToDate,
    async bringAllNearly() {
      const left = (await listBehind()).filter(({ accountId }) => accountId <= realAccountIdMax);
      const pieces = left.reduce((sum, { rows }) => sum + Math.ceil(rows / rowsAtOnceMax), 0);
      // Many accounts that are slightly behind are summed up here, but not a year of orders.
      if (pieces > left.length + piecesOfRequestMax) return false;
      for (const { accountId } of left) await bringUpToDate(accountId, piecesOfRequestMax);
      return true;
    },
    async bringAllUpToDate(signal = neverAborted) {
      let left = 0;
      await eachInTurn(await listBehind(), async ({ accountId, rows }) => {
        let missing = rows;
        for (let isMore = true; isMore && !signal.aborted; missing -= rowsAtOnceMax) {
          isMore = await sumMore(accountId);
        }
        if (signal.aborted) left += Math.max(0, missing);
      });
      return left;
    },
  };
}

async function addOrders(
  transaction: Queryable,
  accountId: number,
  counted: readonly CountedOrder[],
): Promise<void> {
  const plans = planSumsOf(counted.flatMap(planMovements));
  const cohorts = cohortSumsOf(counted.flatMap(cohortMovements));
  const owned = <Item>(items: readonly Item[]) => items.map((item) => ({ accountId, ...item }));
  await writeRows(transaction, addPlanSums, owned(plans));
  await writeRows(transaction, addCohortSums, owned(cohorts));
  if (accountId > realAccountIdMax) return;
  // Other accounts' transactions add to the same rows. All lock them in the same order.
  await writeRows(transaction, addPlanTotals, plans);
  await writeRows(transaction, addCohortTotals, cohorts);
}

function planSumsOf(movements: readonly PlanMovement[]): PlanSum[] {
  const sums = new Map<string, PlanSum>();
  const add = (key: Pick<PlanSum, 'step' | 'since' | 'packageId'>, figures: Partial<PlanFigures>) => {
    const text = `${key.step} ${key.since} ${String(key.packageId).padStart(10, '0')}`;
    sums.set(text, { ...key, ...addFigures(sums.get(text) ?? noFigures, figures) });
  };
  for (const { day, packageId, figures } of movements) {
    add({ step: 'day', since: day, packageId }, figures);
    add({ step: 'month', since: monthOfDay(day), packageId }, figures);
  }
  return sorted(sums);
}

function cohortSumsOf(movements: readonly CohortMovement[]): CohortSum[] {
  const sums = new Map<string, CohortSum>();
  for (const { cohort, month, plans, yearCents } of movements) {
    const text = `${cohort} ${month}`;
    const sum = sums.get(text) ?? { cohort, month, plans: 0, yearCents: 0n };
    sums.set(text, { ...sum, plans: sum.plans + plans, yearCents: sum.yearCents + yearCents });
  }
  return sorted(sums);
}

function sorted<Sum>(sums: ReadonlyMap<string, Sum>): Sum[] {
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

function countedOrder(row: Row): CountedOrder {
  return {
    ...termOf(row, ''),
    isRenewal: row['is_renewal'] === true,
    day: String(row['day']),
    createdAt: Number(row['created_at']),
    cohort: String(row['cohort']),
    before: row['before_package_id'] === null ? null : termOf(row, 'before_'),
  };
}

function termOf(row: Row, prefix: '' | 'before_'): PlanTerm {
  return {
    packageId: Number(row[`${prefix}package_id`]),
    yearCents: bigint(row[`${prefix}year_cents`]),
    priceCents: bigint(row[`${prefix}price_cents`]),
    end: String(row[`${prefix}end`]),
    endsAt: Number(row[`${prefix}ends_at`]),
  };
}
