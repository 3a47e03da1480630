// Changes open product calls, apart from the caller's and the order batch's own changes.
// Invariant: once a later call with the customer's whole state was accepted, no earlier call of that customer is sent.

import type { Actor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import {
  byGroup,
  type Database,
  type Queryable,
  type Row,
  type SqlStatement,
} from '../../platform/database/database.ts';
import { type Changed, type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import { nullable, oneOf } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { publicId, realAccountIdMax } from '../../shared/identifiers.ts';
import { productCallStatuses } from '../../shared/product-states.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { lockAccountRow } from '../identity/account-row.ts';
import { recheckCaller } from '../identity/recheck-caller.ts';
import {
  type NewProductCall,
  newProductCalls,
  type ProductCallStatus,
  type ProductCallType,
  productCallTypes,
} from '../order-engine/records/product-call-rows.ts';
import { findProductCall, type ProductCall } from './product-call-reads.ts';

const openStatuses: readonly ProductCallStatus[] = ['waiting', 'attention'];
/** Rows per statement. The settling of orders waits for each statement. */
const rowsAtOnce = 500;
const sentAgainMax = 10_000;

// `t` is obsolete if a later call with the whole state was accepted, was closed by hand, or needs attention itself.
const isSuperseded = `not t.confirms and exists (select 1 from product_calls l
    where l.account_id = t.account_id and l.customer_number = t.customer_number and l.id > t.id
      and (l.status = 'attention' and not l.confirms
        or l.status = 'done' and (not l.confirms or exists (select 1 from order_handoffs h
          where h.account_id = l.account_id and h.order_number = l.order_number and h.status = 'completed'))))`;

// The product may have accepted a later call although its answer was lost. Then it must not get an older call afterwards.
const hasLater = `not t.confirms and exists (select 1 from product_calls l
    where l.account_id = t.account_id and l.customer_number = t.customer_number and l.id > t.id
      and (l.status = 'waiting' or l.status = 'attention' and l.confirms))`;

const supersede: SqlStatement = {
  name: 'supersede_product_calls',
  text: `update product_calls t set status = 'superseded'
    from (select distinct * from unnest($1::int[], $2::int[]) row (account_id, customer_number)) row
    where t.account_id = row.account_id and t.customer_number = row.customer_number and t.status = 'attention'
      and ${isSuperseded}`,
};

/** Marks calls that need attention as superseded if a later call replaces them. */
export async function supersedeCalls(
  transaction: Queryable,
  customers: readonly { readonly accountId: number; readonly customerNumber: number }[],
): Promise<void> {
  for (const [accountId, ofGroup] of byGroup(transaction, customers, (row) => row.accountId)) {
    const values = [ofGroup.map((row) => row.accountId), ofGroup.map((row) => row.customerNumber)];
    await transaction.ofAccount(accountId).query(supersede, values.map(numberArray));
  }
}

const hasten = (mode: string, whose: string): SqlStatement => ({
  name: `hasten_failing_product_calls_${mode}`,
  text: `update product_calls set next_attempt_at = to_timestamp($1::bigint)
    where id = any(array(select id from product_calls where status = 'waiting' and ${whose} and attempts > 0
      and next_attempt_at > to_timestamp($1::bigint)
      order by next_attempt_at, id limit ${rowsAtOnce} for update skip locked)) returning id`,
});

const hastenFailing = {
  live: hasten('live', `account_id <= ${realAccountIdMax}`),
  test: hasten('test', `account_id > ${realAccountIdMax}`),
} as const;

/** Makes delayed calls due now, because the product answers again. The caller limits how many are sent at once. */
export async function hastenFailingCalls(
  database: Database,
  mode: keyof typeof hastenFailing,
  now: EpochSeconds,
): Promise<void> {
  for (const group of database.accountGroups()) {
    for (let count = rowsAtOnce; count === rowsAtOnce; ) {
      count = (await group.query(hastenFailing[mode], [now])).length;
    }
  }
}

export interface CallChange extends Actor {
  readonly actorId: number;
  readonly idempotencyKey: string | null;
}

const findAccountOfCall: SqlStatement = {
  name: 'find_account_of_product_call',
  text: `select account_id from product_calls where call_id = $1::text and account_id <= ${realAccountIdMax}`,
};

const lockCall: SqlStatement = {
  name: 'lock_product_call',
  text: `select t.id, t.type, t.customer_number, t.order_number, t.confirms, t.status, ${isSuperseded} as superseded,
      ${hasLater} as later
    from product_calls t where t.call_id = $1::text for update of t`,
};

const setCall: SqlStatement = {
  name: 'set_open_product_call',
  text: `update product_calls set status = $2::text, next_attempt_at = to_timestamp($3::bigint)
    where id = $1::bigint and status in ('waiting', 'attention')`,
};

// An order's payload contains the whole state, so its call replaces earlier ones, unless it was refused or already sent.
const standForEarlier: SqlStatement = {
  name: 'let_order_calls_stand_for_earlier',
  text: `update product_calls t
    set status = case when $3::boolean then 'waiting' else t.status end,
      tell_after = case when $3::boolean or t.payload is null then coalesce(t.tell_after, 'refusal') else 'any' end
    from (select distinct * from unnest($1::int[], $2::int[]) row (account_id, customer_number)) row
    where t.account_id = row.account_id and t.customer_number = row.customer_number
      and t.status in ('waiting', 'attention') and t.confirms`,
};

async function letOrdersStandForEarlier(
  group: Queryable,
  customers: readonly { readonly accountId: number; readonly customerNumber: number }[],
  { isSent }: { readonly isSent: boolean },
): Promise<void> {
  if (customers.length === 0) return;
  const places = [customers.map((one) => one.accountId), customers.map((one) => one.customerNumber)];
  await group.query(standForEarlier, [...places.map(numberArray), isSent]);
}

// Makes the call itself, earlier ones, and the later one that replaces it due.
const hastenOfCustomer: SqlStatement = {
  name: 'hasten_product_calls_of_customer',
  text: `update product_calls set next_attempt_at = least(next_attempt_at, to_timestamp($3::bigint))
    where id = any(array(select id from product_calls where account_id = $1::int and customer_number = $2::int
      and status = 'waiting' for update skip locked))`,
};

/** If a later call replaces it, sends that one instead. A finished call is returned unchanged. */
export function sendCallAgain(
  database: Database,
  callId: string,
  change: CallChange,
): Promise<Done<ProductCall> | Refusal> {
  const what = { action: 'product_call.send_again', statuses: openStatuses };
  return changeCall(database, callId, change, what, async (transaction, call) => {
    const isPast = call.status === 'attention' && (call.isSuperseded || call.hasLater);
    const status = isPast ? 'superseded' : 'waiting';
    await transaction.query(setCall, [call.rowId, status, change.now]);
    if (status === 'superseded') {
      await letOrdersStandForEarlier(transaction, [call], { isSent: true });
    }
    await transaction.query(hastenOfCustomer, [call.accountId, call.customerNumber, change.now]);
    return status;
  });
}

const supersedeEarlier: SqlStatement = {
  name: 'supersede_product_calls_before',
  text: `update product_calls t set status = 'superseded'
    where t.account_id = $1::int and t.customer_number = $2::int and t.status = 'waiting' and t.id < $3::bigint
      and not t.confirms returning t.payload is not null as was_attempted`,
};

const findLater: SqlStatement = {
  name: 'find_later_product_call',
  text: `select coalesce(bool_or(t.confirms), false) as has_order, coalesce(bool_or(t.payload is not null), false) as was_attempted,
      coalesce(bool_or(not t.confirms and t.payload is null), false) as tells_state
    from product_calls t
    where t.account_id = $1::int and t.customer_number = $2::int and t.status in ('waiting', 'attention')
      and t.id > $3::bigint`,
};

/** Nothing earlier is sent any more. If the product may be outdated nevertheless, the state is sent once more. */
export function closeCallByHand(
  database: Database,
  callId: string,
  change: CallChange,
): Promise<Done<ProductCall> | Refusal> {
  const what = { action: 'product_call.done', statuses: [...openStatuses, 'superseded'] as const };
  return changeCall(database, callId, change, what, async (transaction, call) => {
    const { rowId, accountId, customerNumber, orderNumber, confirms } = call;
    if (confirms && orderNumber !== null) {
      return refusal('product_call_decides_order', { order_id: publicId(accountId, orderNumber) });
    }
    const place = [accountId, customerNumber, rowId];
    await transaction.query(setCall, [rowId, 'done', change.now]);
    const earlier = await transaction.query(supersedeEarlier, place);
    await supersedeCalls(transaction, [{ accountId, customerNumber }]);
    const [later] = await transaction.query(findLater, place);
    const mayArrive = earlier.some((row) => row['was_attempted'] === true);
    if (call.isSuperseded || mayArrive || later?.['was_attempted'] === true)
      await callOnceMore(transaction, callId, call, later, change.now);
    return call.status === 'superseded' ? 'superseded' : 'done';
  });
}

const insertOnce = newProductCalls.insert('insert_product_call_once', 'on conflict (call_id) do nothing');

async function callOnceMore(
  group: Queryable,
  closedId: string,
  { accountId, customerNumber, type: closedType, isSuperseded: isOld }: LockedCall,
  later: Row | undefined,
  now: EpochSeconds,
): Promise<void> {
  if (later?.['tells_state'] === true) return;
  if (later?.['has_order'] === true) {
    await letOrdersStandForEarlier(group, [{ accountId, customerNumber }], { isSent: false });
    return;
  }
  // A plan.expire is dropped if the plan continues, and the later call may have extended the plan.
  const mayContinue = closedType === 'plan.expire' && later?.['was_attempted'] === true;
  const type = isOld || mayContinue ? 'plan.change' : isOfOrder.has(closedType) ? 'plan.resume' : closedType;
  const call: NewProductCall = {
    ...{ callId: `${closedId}_after`, accountId, customerNumber, orderNumber: null, confirms: false },
    ...{ type, createdAt: now, nextAttemptAt: now },
  };
  await group.query(insertOnce.statement, insertOnce.values([call]));
}

const isOfOrder: ReadonlySet<ProductCallType> = new Set(['plan.activate', 'plan.renew', 'plan.change']);

interface LockedCall {
  readonly rowId: string;
  readonly type: ProductCallType;
  readonly accountId: number;
  readonly customerNumber: number;
  readonly orderNumber: number | null;
  readonly confirms: boolean;
  readonly status: ProductCallStatus;
  readonly isSuperseded: boolean;
  readonly hasLater: boolean;
}

/** Runs the change under the lock of the author's account: once per key, and only if the author is still allowed. */
function changeOnce<Result>(
  database: Database,
  { idempotencyKey, ...actor }: CallChange,
  what: readonly unknown[],
  work: (transaction: Queryable) => Promise<Changed<Result> | Refusal>,
  again: (transaction: Queryable, id: number) => Promise<Result | Refusal>,
): Promise<Done<Result> | Refusal> {
  const { actorId: accountId, now } = actor;
  return database.transaction(async (transaction): Promise<Done<Result> | Refusal> => {
    await lockAccountRow(transaction, accountId);
    const gone = await recheckCaller(transaction, actor, { isAdmin: false });
    if (gone !== null) return gone;
    return runOnce(
      transaction,
      { accountId, idempotencyKey, what, now },
      () => work(transaction),
      (id) => again(transaction, id),
    );
  });
}

async function changeCall(
  database: Database,
  callId: string,
  change: CallChange,
  /** A call with a status other than these is returned unchanged. */
  { action, statuses }: { readonly action: string; readonly statuses: readonly ProductCallStatus[] },
  work: (transaction: Queryable, call: LockedCall) => Promise<string | Refusal>,
): Promise<Done<ProductCall> | Refusal> {
  const [place] = await queryShards(database, findAccountOfCall, [callId], 'every');
  if (place === undefined) return refusal('product_call_not_found');
  const accountId = Number(place['account_id']);
  const shown = async (transaction: Queryable) =>
    (await findProductCall(transaction, accountId, callId)) ?? missing();
  const once = async (transaction: Queryable): Promise<Changed<ProductCall> | Refusal> => {
    const group = transaction.ofAccount(accountId);
    const [row] = await group.query(lockCall, [callId]);
    if (row === undefined) return missing();
    const status = oneOf(productCallStatuses, row['status']);
    if (statuses.includes(status)) {
      const after = await work(group, {
        rowId: String(row['id']),
        type: oneOf(productCallTypes, row['type']),
        accountId,
        customerNumber: Number(row['customer_number']),
        orderNumber: nullable(Number, row['order_number']),
        confirms: row['confirms'] === true,
        status,
        isSuperseded: status === 'superseded' || row['superseded'] === true,
        hasLater: row['later'] === true,
      });
      if (isRefusal(after)) return after;
      const { actorId, by = null, now } = change;
      const entry = { actorId, by, action, subject: `product call ${callId}` };
      await appendAudit(transaction, { ...entry, before: { status }, after: { status: after } }, now);
    }
    const call = await shown(transaction);
    return isRefusal(call) ? call : { id: 0, result: call };
  };
  return changeOnce(database, change, [action, callId], once, shown);
}

const missing = () => refusal('product_call_not_found');

const sendAll: SqlStatement = {
  name: 'send_all_product_calls_again',
  text: `update product_calls t
    set status = case when ${isSuperseded}
        or ${hasLater}
      then 'superseded' else 'waiting' end,
      next_attempt_at = to_timestamp($1::bigint)
    where t.id = any(array(select id from product_calls where status = 'attention' and id > 0
      and account_id <= ${realAccountIdMax} order by id limit $2::int for update skip locked))
    returning t.account_id, t.customer_number, t.status`,
};

export function sendAllCallsAgain(database: Database, change: CallChange): Promise<Done<number> | Refusal> {
  const action = 'product_call.send_all_again';
  return changeOnce(
    database,
    change,
    [action],
    async (transaction) => {
      const { actorId, by = null, now } = change;
      let sent = 0;
      for (const group of transaction.accountGroups()) {
        const rows = await group.query(sendAll, [now, sentAgainMax - sent]);
        sent += rows.length;
        const superseded = rows.filter((row) => row['status'] === 'superseded');
        const customers = superseded.map((row) => ({
          accountId: Number(row['account_id']),
          customerNumber: Number(row['customer_number']),
        }));
        await letOrdersStandForEarlier(group, customers, { isSent: true });
      }
      if (sent > 0) {
        const entry = { actorId, by, action, subject: 'product calls', before: null, after: { calls: sent } };
        await appendAudit(transaction, entry, now);
      }
      return { id: sent, result: sent };
    },
    async (_transaction, sent) => sent,
  );
}
