// A plan's history, newest first: orders and plan changes, each with the plan before and after. Each change comes after the
// account's newest order at that time, which gives both a common order.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type OrderRecord,
  orderColumns,
  orderJoins,
  orderPlaces,
  parseOrder,
} from '../order-engine/records/order-table.ts';
import { type PlanChange, planChanges } from '../order-engine/records/plan-change.ts';
import { type PlanStatus, planStatus } from '../order-engine/records/plan-life.ts';

export interface HistoryCursor {
  readonly order: number;
  readonly change: number;
}

export interface PlanState {
  readonly status: PlanStatus;
  readonly packageId: number;
  readonly expiresAt: EpochSeconds;
}

export interface HistoryItem {
  readonly at: EpochSeconds;
  readonly what:
    | { readonly order: OrderRecord }
    /** `order` is the order that the change settled, or null. */
    | { readonly change: PlanChange; readonly order: OrderRecord | null };
  readonly from: PlanState | null;
  readonly to: PlanState;
}

export interface History {
  readonly items: readonly HistoryItem[];
  readonly next: HistoryCursor | null;
}

export const newest: HistoryCursor = { order: 2_147_483_647, change: 2_147_483_647 };

const listOrders: SqlStatement = {
  name: 'history_orders',
  text: `select ${orderColumns}
    from orders o ${orderJoins}
    where o.account_id = $1::int and o.customer_number = $2::int and o.number < $3::int
    order by o.account_id desc, o.customer_number desc, o.number desc limit $4::int`,
};

const listChanges: SqlStatement = {
  name: 'history_changes',
  text: `select ${planChanges.list('p')} from plan_changes p
    where p.account_id = $1::int and p.customer_number = $2::int and p.number < $3::int and not p.is_empty
    order by p.account_id desc, p.customer_number desc, p.number desc limit $4::int`,
};

const listSettled: SqlStatement = {
  name: 'history_settled_orders',
  text: `select ${orderColumns} from ${orderPlaces.sent('wanted')}
    join orders o on o.account_id = wanted.account_id and o.number = wanted.number
    ${orderJoins}`,
};

export async function listPlanHistory(
  database: Database,
  { accountId, number }: { readonly accountId: number; readonly number: number },
  before: HistoryCursor,
  limit: number,
): Promise<History> {
  // One extra row each: for the state before the oldest item, and to see whether more follow.
  const [orderRows, changeRows] = await Promise.all([
    database.ofAccount(accountId).query(listOrders, [accountId, number, before.order, limit + 1]),
    database.ofAccount(accountId).query(listChanges, [accountId, number, before.change, limit + 1]),
  ]);
  const changes = changeRows.map((row) => planChanges.parse(row));
  const settled = await settledBy(database.ofAccount(accountId), changes);
  const oldestFirst = [
    ...orderRows.map((row) => placed({ order: parseOrder(row) })),
    ...changes.map((change) => placed({ change, order: settled.get(change.orderNumber ?? 0) ?? null })),
  ].sort((one, other) => one.place - other.place || one.number - other.number);

  const items: HistoryItem[] = [];
  let earlier: After | null = null;
  for (const { what, at } of oldestFirst) {
    const left: After = stateAfter(what, earlier);
    items.push({ at, what, from: earlier && stateAt(earlier, at), to: stateAt(left, at) });
    earlier = left;
  }
  const page = items.reverse().slice(0, limit);
  if (items.length <= limit) return { items: page, next: null };
  const oldest = (of: readonly number[], otherwise: number) =>
    of.length === 0 ? otherwise : Math.min(...of);
  return {
    items: page,
    next: {
      order: oldest(
        page.flatMap(({ what }) => ('change' in what ? [] : what.order.number)),
        before.order,
      ),
      change: oldest(
        page.flatMap(({ what }) => ('change' in what ? what.change.number : [])),
        before.change,
      ),
    },
  };
}

async function settledBy(
  database: Database,
  changes: readonly PlanChange[],
): Promise<ReadonlyMap<number, OrderRecord>> {
  const places = changes.flatMap(({ accountId, orderNumber }) =>
    orderNumber === null ? [] : { accountId, number: orderNumber },
  );
  if (places.length === 0) return new Map();
  const rows = await database.query(listSettled, orderPlaces.values(places));
  return new Map(rows.map(parseOrder).map((order) => [order.number, order]));
}

/** An order's place is its number. Changes come after it. */
function placed(what: HistoryItem['what']) {
  if ('change' in what) {
    const { afterOrder: place, number, createdAt: at } = what.change;
    return { what, at, place, number };
  }
  const { number, createdAt: at } = what.order;
  return { what, at, place: number, number: 0 };
}

interface After {
  readonly packageId: number;
  readonly expiresAt: EpochSeconds;
  readonly isSuspended: boolean;
  readonly isCancelled: boolean;
}

function stateAfter(what: HistoryItem['what'], earlier: After | null): After {
  const isSuspended = earlier?.isSuspended ?? false;
  if (!('change' in what)) {
    const { handoff, packageId, createdAt, expiresAt } = what.order;
    if (handoff === null) return { packageId, expiresAt, isSuspended, isCancelled: false };
    // While a new customer's order is pending, they have a plan that ended as it began.
    return earlier ?? { packageId, expiresAt: createdAt, isSuspended, isCancelled: false };
  }
  const { change } = what;
  // Rows of the first edition contain only what changed.
  return {
    packageId: change.packageId ?? earlier?.packageId ?? 0,
    expiresAt: change.expiresAt ?? earlier?.expiresAt ?? 0,
    isSuspended: change.isSuspended ?? (change.kind === 'trial' ? isSuspended : change.kind === 'suspend'),
    isCancelled: change.kind === 'cancel' || (change.kind !== 'trial' && change.planStatus === 'cancelled'),
  };
}

function stateAt({ packageId, expiresAt, isSuspended, isCancelled }: After, at: EpochSeconds): PlanState {
  return { packageId, expiresAt, status: planStatus(expiresAt, isSuspended, isCancelled, at) };
}
