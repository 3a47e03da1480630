// The table product_calls, with one row per event, written in the event's transaction (the order batch, under the account's
// lock). prepare-product-calls.ts adds the payload. The batch that settles an order also closes its call.
// Invariant: an id names the event and the database's incarnation. So each event has one call, no id is used again after a
// restore, and the product recognizes retries.

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

/**
 * `plan.expire` is written when a plan runs out, those about a customer when the customer is renamed or erased, the others
 * when a command is decided.
 */
export const productCallTypes = [
  'plan.activate',
  'plan.renew',
  'plan.change',
  'plan.suspend',
  'plan.resume',
  'plan.cancel',
  'plan.expire',
  'customer.updated',
  'customer.erased',
] as const;
export type ProductCallType = (typeof productCallTypes)[number];

/**
 * `waiting`: sent at next_attempt_at. `attention`: out of attempts, so an administrator decides. `done`: accepted, settled,
 * or done by hand. `superseded`: a later call has the whole state. `failed`: never sent, because there is no product or it
 * is a test.
 */
export type ProductCallStatus = (typeof productCallStatuses)[number];

/** The caller adds payload, attempts and answers. */
export const newProductCalls = describeTable('product_calls', {
  callId: text('call_id'),
  accountId: int('account_id'),
  customerNumber: int('customer_number'),
  orderNumber: nullableInt('order_number'),
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

/** By the call's row id: the payload, `dropped` if there is nothing to send, or why it cannot be prepared. */
export type PreparedCalls = ReadonlyMap<number, JsonObject | 'dropped' | Error>;

export const insertProductCalls = newProductCalls.insert('insert_product_calls');

const callPlaces = newProductCalls.pick('accountId', 'orderNumber');

/** Closes the calls of orders that were settled, by the product or a person, so that they are not sent any more. */
export const closeProductCalls = {
  statement: {
    name: 'close_product_calls',
    text: `update product_calls t set status = 'done' from ${callPlaces.sent('row')}
      where t.account_id = row.account_id and t.order_number = row.order_number and t.status in ('waiting', 'attention')`,
  },
  values: callPlaces.values,
};

/** Ends earlier calls of the customer: an administrator settled the order, so the product has a newer state. */
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

export interface OrderCall {
  /** The plan's status in the payload. null if no attempt was made. */
  readonly sentStatus: string | null;
  readonly heldBack: boolean;
  /** True if an earlier call was attempted and its result is unknown. */
  readonly followsAttempt: boolean;
  /** Set if this call replaces earlier ones. Says after which answers a separate call with the plan's state must follow. */
  readonly tellAfter: 'refusal' | 'any' | null;
}

const toOrderCall: (row: Row) => OrderCall = (row) => ({
  sentStatus: nullable(String, row['sent_status']),
  heldBack: row['held_back'] === true,
  followsAttempt: row['follows_attempt'] === true,
  tellAfter: nullable((value) => (value === 'any' ? 'any' : 'refusal'), row['tell_after']),
});

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

/** Marks the pending order's call instead of writing another one. Settling the order then sends the resulting state. */
export const holdBackCalls = {
  statement: {
    name: 'hold_back_product_calls',
    text: `update product_calls t set held_back = true from ${callPlaces.sent('row')}
      where t.account_id = row.account_id and t.order_number = row.order_number and not t.held_back`,
  },
  values: callPlaces.values,
};

const givenUpAtOnce = 500;

// Skips calls that a batch is just closing. Calls of tests wait for the next product.
const giveUp: SqlStatement = {
  name: 'give_up_product_calls',
  text: `update product_calls set status = case when confirms then 'attention' else 'failed' end,
      last_error = coalesce(last_error, 'no_product')
    where id = any(array(select id from product_calls where status = 'waiting' and account_id <= ${realAccountIdMax}
      order by next_attempt_at, id limit ${givenUpAtOnce} for update skip locked)) returning id`,
};

// Without a product, these calls can never be sent.
const giveUpAttention: SqlStatement = {
  name: 'give_up_product_calls_needing_attention',
  text: `update product_calls set status = 'failed'
    where id = any(array(select id from product_calls where status = 'attention' and not confirms and id > 0
      and account_id <= ${realAccountIdMax} order by id limit ${givenUpAtOnce} for update skip locked)) returning id`,
};

/** A batch that began before the product was removed may still write calls, so the caller repeats this in every round. */
export async function giveUpProductCalls(database: Database): Promise<void> {
  for (const group of database.accountGroups()) {
    for (const statement of [giveUp, giveUpAttention]) {
      for (let count = givenUpAtOnce; count === givenUpAtOnce; ) {
        count = (await group.query(statement)).length;
      }
    }
  }
}

/** Ids of the database's first incarnation have no suffix. */
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
 * For a restore: the lost database may have sent these calls, and the product would repeat its old answers to their ids.
 * The next attempt has a new id and payload and is due at once, because the delay belonged to the lost database.
 */
export async function renameWaitingCalls(transaction: Queryable, incarnation: string): Promise<void> {
  for (const group of transaction.accountGroups()) await group.query(rename, [callIdIn(incarnation, '')]);
}
