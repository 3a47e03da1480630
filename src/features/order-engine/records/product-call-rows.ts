// Calls to the operator's product about a customer's plan: one row of `product_calls` for each event, written in the
// transaction of the event (the order batch, under the account's lock), without a payload: that is added before the
// first attempt (order-engine/prepare-product-calls.ts). The batch that settles an order also closes the order's call.
// Invariant: the id names the event and the database's incarnation, so an event has one call, no id is used again after a
// restore, and the product recognizes a retry by its id.

import type { Database, Queryable, Row, SqlStatement } from '../../../platform/database/database.ts';
import { nullable } from '../../../platform/database/row-values.ts';
import {
  boolean,
  describeTable,
  int,
  nullableInt,
  oneOf,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import { realAccountIdMax } from '../../../shared/identifiers.ts';
import type { JsonObject } from '../../../shared/json.ts';
import type { productCallStatuses } from '../../../shared/product-states.ts';

/** `plan.expire` is written when a plan has run out, the others when a command is decided. */
export const productCallTypes = [
  'plan.activate',
  'plan.renew',
  'plan.change',
  'plan.suspend',
  'plan.resume',
  'plan.cancel',
  'plan.expire',
] as const;
export type ProductCallType = (typeof productCallTypes)[number];

/**
 * `waiting`: sent at next_attempt_at. `attention`: ran out of attempts; an administrator decides. `done`: taken by the
 * product, settled with its order, or done by hand. `superseded`: a later call tells the product the whole state.
 * `failed`: not sent any more, because there is no product, or because it belongs to a test account.
 */
export type ProductCallStatus = (typeof productCallStatuses)[number];

/** As the batch writes it; payload, attempts and answers are added by the sender. */
export const newProductCalls = describeTable('product_calls', {
  callId: text('call_id'),
  accountId: int('account_id'),
  customerNumber: int('customer_number'),
  orderNumber: nullableInt('order_number'),
  /** Its answer settles the order. */
  confirms: boolean('confirms'),
  type: oneOf('type', productCallTypes),
  createdAt: time('created_at'),
  nextAttemptAt: time('next_attempt_at'),
});

export type NewProductCall = RowOf<typeof newProductCalls>;

export interface UnpreparedCall {
  readonly id: number;
  readonly accountId: number;
}

/** By the calls' ids: the payload, `dropped` where nothing is to be sent any more, or why it cannot be prepared. */
export type PreparedCalls = ReadonlyMap<number, JsonObject | 'dropped' | Error>;

export const insertProductCalls = newProductCalls.insert('insert_product_calls');

const callPlaces = newProductCalls.pick('accountId', 'orderNumber');

/** Of orders that were settled, by whom ever: nothing more is sent of them. */
export const closeProductCalls = {
  statement: {
    name: 'close_product_calls',
    text: `update product_calls t set status = 'done' from ${callPlaces.sent('row')}
      where t.account_id = row.account_id and t.order_number = row.order_number and t.status in ('waiting', 'attention')`,
  },
  values: callPlaces.values,
};

/**
 * Of their customers: earlier calls that still wait. An administrator settled the order before they were taken, and what the
 * product has now is newer.
 */
export const supersedeEarlierCalls = {
  statement: {
    name: 'supersede_earlier_product_calls',
    text: `update product_calls t set status = 'superseded'
      from (select o.account_id, o.customer_number, o.id from ${callPlaces.sent('row')}
        join product_calls o on o.account_id = row.account_id and o.order_number = row.order_number) o
      where t.account_id = o.account_id and t.customer_number = o.customer_number and t.status = 'waiting'
        and t.id < o.id and not t.confirms`,
  },
  values: callPlaces.values,
};

/** An order's call, as settling the order needs it. */
export interface OrderCall {
  /** The plan's status in the payload that the product was sent; null: no attempt was begun. */
  readonly sentStatus: string | null;
  /** A call was held back while the order was pending: see `holdBackCalls`. */
  readonly heldBack: boolean;
  /** An attempt of an earlier call was begun, and it is not known whether the product took it or will. */
  readonly followsAttempt: boolean;
  /** It stands for an earlier call that is not sent any more: when the state is told by a call of its own after it. */
  readonly tellAfter: 'refusal' | 'any' | null;
}

const toOrderCall: (row: Row) => OrderCall = (row) => ({
  sentStatus: nullable(String, row['sent_status']),
  heldBack: row['held_back'] === true,
  followsAttempt: row['follows_attempt'] === true,
  tellAfter: nullable((value) => (value === 'any' ? 'any' : 'refusal'), row['tell_after']),
});

/** The calls of these orders, by `callKey`. */
export async function loadOrderCalls(
  database: Queryable,
  orders: readonly { readonly accountId: number; readonly orderNumber: number }[],
): Promise<ReadonlyMap<string, OrderCall>> {
  if (orders.length === 0) return new Map();
  const rows = await database.query(findOrderCalls, callPlaces.values(orders));
  return new Map(
    rows.map((row) => [callKey(Number(row['account_id']), Number(row['order_number'])), toOrderCall(row)]),
  );
}

export function callKey(accountId: number, orderNumber: number): string {
  return `${accountId} ${orderNumber}`;
}

const findOrderCalls: SqlStatement = {
  name: 'find_order_calls',
  text: `select t.account_id, t.order_number, t.held_back, t.payload ->> 'status' as sent_status,
      exists (select 1 from product_calls e where e.account_id = t.account_id
        and e.customer_number = t.customer_number and e.status = 'waiting' and e.id < t.id
        and e.payload is not null) as follows_attempt, t.tell_after
    from ${callPlaces.sent('row')}
    join product_calls t on t.account_id = row.account_id and t.order_number = row.order_number`,
};

/**
 * While an order is pending, a hold or an end writes no call: the order's own call carries the mark, and settling the
 * order sends one call with the state that results.
 */
export const holdBackCalls = {
  statement: {
    name: 'hold_back_product_calls',
    text: `update product_calls t set held_back = true from ${callPlaces.sent('row')}
      where t.account_id = row.account_id and t.order_number = row.order_number and not t.held_back`,
  },
  values: callPlaces.values,
};

/** Of one statement: batches that settle orders wait for it. */
const givenUpAtOnce = 500;

// What a batch is closing at this moment needs no giving up. Of tests nobody decides: theirs wait for the next product.
const giveUp: SqlStatement = {
  name: 'give_up_product_calls',
  text: `update product_calls set status = case when confirms then 'attention' else 'failed' end,
      last_error = coalesce(last_error, 'no_product')
    where id = any(array(select id from product_calls where status = 'waiting' and account_id <= ${realAccountIdMax}
      order by next_attempt_at, id limit ${givenUpAtOnce} for update skip locked)) returning id`,
};

// Without a product they can never be sent.
const giveUpAttention: SqlStatement = {
  name: 'give_up_product_calls_needing_attention',
  text: `update product_calls set status = 'failed'
    where id = any(array(select id from product_calls where status = 'attention' and not confirms and id > 0
      and account_id <= ${realAccountIdMax} order by id limit ${givenUpAtOnce} for update skip locked)) returning id`,
};

/**
 * When there is no product to tell: orders that wait for its answer need an administrator, the rest is moot. A batch that
 * began before the product was removed may still write calls: whoever sends them does this in every round without one.
 */
export async function giveUpProductCalls(database: Database): Promise<void> {
  for (const group of database.accountGroups()) {
    for (const statement of [giveUp, giveUpAttention]) {
      for (let count = givenUpAtOnce; count === givenUpAtOnce; ) {
        count = (await group.query(statement)).length;
      }
    }
  }
}

/** A call's id in a database that was restored. The first incarnation's ids have no ending. */
export function callIdIn(incarnation: string | null, callId: string): string {
  return incarnation === null ? callId : `${callId}_r${incarnation}`;
}

const rename: SqlStatement = {
  name: '',
  text: `update product_calls set call_id = regexp_replace(call_id, '_r[0-9a-f]+$', '') || $1::text,
      payload = null,
      next_attempt_at = case status when 'waiting' then least(next_attempt_at, created_at) else next_attempt_at end
    where status in ('waiting', 'attention')`,
};

/**
 * The lost database may have sent these calls, and others after them. Under their old ids the product would repeat its old
 * answers instead of looking at the present state, which the next attempt builds anew. That attempt is due at once: the pause
 * belonged to an outage of the lost database's time.
 */
export async function renameWaitingCalls(transaction: Queryable, incarnation: string): Promise<void> {
  for (const group of transaction.accountGroups()) await group.query(rename, [callIdIn(incarnation, '')]);
}
