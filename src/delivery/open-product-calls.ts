// Product calls that are open (waiting, or needing attention): what changes them besides the caller and the order batch.
// Called by product-caller.ts and product-call-routes.ts.
// Invariant: of a customer no call is sent after a later one that told the whole state was taken.

import { type Actor, lockAccountRow } from '../accounts/account-store.ts';
import { authorProblem } from '../accounts/author.ts';
import { isRefusal, type Refusal, refusal } from '../contract/error-catalogue.ts';
import { publicId, realAccountIdMax } from '../contract/identifiers.ts';
import type { EpochSeconds } from '../contract/times.ts';
import { byGroup, type Database, type Queryable, type Statement } from '../database/database.ts';
import { fromEveryGroup } from '../database/over-groups.ts';
import { nullable } from '../database/row-values.ts';
import { numberArray } from '../database/sql-arrays.ts';
import { appendAudit } from '../journal/audit-log.ts';
import { type Changed, type Done, onceByKey } from '../journal/keyed-changes.ts';
import { findProductCall, type ProductCall } from './product-call-reads.ts';

/** Rows of one statement: whoever settles orders waits for it. */
const rowsAtOnce = 500;
/** Of one request. */
const sentAgainMax = 10_000;

// A later call stands for `t`: it told the whole state and was taken or done by hand, or is to be decided about itself.
const isSuperseded = `not t.confirms and exists (select 1 from product_calls l
    where l.account_id = t.account_id and l.customer_number = t.customer_number and l.id > t.id
      and (l.status = 'attention' and not l.confirms
        or l.status = 'done' and (not l.confirms or exists (select 1 from order_handoffs h
          where h.account_id = l.account_id and h.order_number = l.order_number and h.status = 'completed'))))`;

// An order that waits may be refused, and then tells the product nothing.
const hasLater = `not t.confirms and exists (select 1 from product_calls l
    where l.account_id = t.account_id and l.customer_number = t.customer_number and l.status = 'waiting'
      and l.id > t.id and not l.confirms)`;

const supersede: Statement = {
  name: 'supersede_product_calls',
  text: `update product_calls t set status = 'superseded'
    from (select distinct * from unnest($1::int[], $2::int[]) row (account_id, customer_number)) row
    where t.account_id = row.account_id and t.customer_number = row.customer_number and t.status = 'attention'
      and ${isSuperseded}`,
};

/** Of these customers: calls on the list for which a later call stands. */
export async function supersedeCalls(
  transaction: Queryable,
  customers: readonly { readonly accountId: number; readonly customerNumber: number }[],
): Promise<void> {
  for (const [accountId, ofGroup] of byGroup(transaction, customers, (row) => row.accountId)) {
    const values = [ofGroup.map((row) => row.accountId), ofGroup.map((row) => row.customerNumber)];
    await transaction.ofAccount(accountId).query(supersede, values.map(numberArray));
  }
}

const hasten = (mode: string, whose: string): Statement => ({
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

/** The product answers again: what waits for a later attempt is due now. The caller's limits bound how many go out at once. */
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

/** Who asks, and the key of the request. */
export interface CallChange extends Actor {
  readonly actorId: number;
  readonly idempotencyKey: string | null;
}

const findAccountOfCall: Statement = {
  name: 'find_account_of_product_call',
  text: `select account_id from product_calls where call_id = $1::text and account_id <= ${realAccountIdMax}`,
};

const lockCall: Statement = {
  name: 'lock_product_call',
  text: `select t.id, t.customer_number, t.order_number, t.confirms, t.status, ${isSuperseded} as superseded,
      ${hasLater} as later
    from product_calls t where t.call_id = $1::text for update of t`,
};

const setCall: Statement = {
  name: 'set_open_product_call',
  text: `update product_calls set status = $2::text, next_attempt_at = to_timestamp($3::bigint)
    where id = $1::bigint and status in ('waiting', 'attention')`,
};

// The call itself, those before it, and the later one that stands for it.
const hastenOfCustomer: Statement = {
  name: 'hasten_product_calls_of_customer',
  text: `update product_calls set next_attempt_at = least(next_attempt_at, to_timestamp($3::bigint))
    where id = any(array(select id from product_calls where account_id = $1::int and customer_number = $2::int
      and status = 'waiting' for update skip locked))`,
};

/**
 * One more attempt at once, whatever the schedule says. A call for which a later one stands is closed as superseded, and
 * the later one is sent. A call that is over is answered as it is.
 */
export function sendCallAgain(
  database: Database,
  callId: string,
  change: CallChange,
): Promise<Done<ProductCall> | Refusal> {
  return changeCall(database, callId, change, 'product_call.send_again', async (transaction, call) => {
    const isPast = call.isListed && (call.isSuperseded || call.hasLater);
    const status = isPast ? 'superseded' : 'waiting';
    await transaction.query(setCall, [call.rowId, status, change.now]);
    await transaction.query(hastenOfCustomer, [call.accountId, call.customerNumber, change.now]);
    return status;
  });
}

/** The product has what this call says, by other means: it is not sent any more. */
export function closeCallByHand(
  database: Database,
  callId: string,
  change: CallChange,
): Promise<Done<ProductCall> | Refusal> {
  return changeCall(database, callId, change, 'product_call.done', async (transaction, call) => {
    const { accountId, customerNumber, orderNumber, confirms } = call;
    if (confirms && orderNumber !== null) {
      return refusal('product_call_decides_order', { order_id: publicId(accountId, orderNumber) });
    }
    await transaction.query(setCall, [call.rowId, 'done', change.now]);
    await supersedeCalls(transaction, [{ accountId, customerNumber }]);
    return 'done';
  });
}

interface LockedCall {
  readonly rowId: string;
  readonly accountId: number;
  readonly customerNumber: number;
  readonly orderNumber: number | null;
  readonly confirms: boolean;
  /** It needs attention. */
  readonly isListed: boolean;
  readonly isSuperseded: boolean;
  /** A later call waits that will tell the whole state. */
  readonly hasLater: boolean;
}

/** In a transaction that has locked the author's account: once for a key, and only while the author may still ask for it. */
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
    const gone = await authorProblem(transaction, actor, { isAdmin: false });
    if (gone !== null) return gone;
    return onceByKey(
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
  action: string,
  work: (transaction: Queryable, call: LockedCall) => Promise<string | Refusal>,
): Promise<Done<ProductCall> | Refusal> {
  const [place] = await fromEveryGroup(database, findAccountOfCall, [callId]);
  if (place === undefined) return refusal('product_call_not_found');
  const accountId = Number(place['account_id']);
  const shown = async (transaction: Queryable) =>
    (await findProductCall(transaction, accountId, callId)) ?? missing();
  const once = async (transaction: Queryable): Promise<Changed<ProductCall> | Refusal> => {
    const group = transaction.ofAccount(accountId);
    const [row] = await group.query(lockCall, [callId]);
    if (row === undefined) return missing();
    const status = String(row['status']);
    if (status === 'waiting' || status === 'attention') {
      const after = await work(group, {
        rowId: String(row['id']),
        accountId,
        customerNumber: Number(row['customer_number']),
        orderNumber: nullable(Number, row['order_number']),
        confirms: row['confirms'] === true,
        isListed: status === 'attention',
        isSuperseded: row['superseded'] === true,
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

// Two calls of one customer are on the list only if the earlier one settles no order and the later one does: the caller
// sends them in their order.
const sendAll: Statement = {
  name: 'send_all_product_calls_again',
  text: `update product_calls t
    set status = case when ${isSuperseded}
        or ${hasLater}
      then 'superseded' else 'waiting' end,
      next_attempt_at = to_timestamp($1::bigint)
    where t.id = any(array(select id from product_calls where status = 'attention' and id > 0
      and account_id <= ${realAccountIdMax} order by id limit $2::int for update skip locked))
    returning t.id`,
};

/** All calls that need attention, oldest first: how many. At most sentAgainMax; the rest stays on the list. */
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
        sent += (await group.query(sendAll, [now, sentAgainMax - sent])).length;
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
