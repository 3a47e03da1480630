// Product calls for lists and pages, without tests.

import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { oneOf } from '../../platform/database/table.ts';
import { publicId, realAccountIdMax } from '../../shared/identifiers.ts';
import type { BoundedCount } from '../../shared/list-schemas.ts';
import { productCallStatuses } from '../../shared/product-states.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { ProductCallStatus } from '../order-engine/records/product-call-rows.ts';
import { type CallAttempt, parseAttempts } from './call-attempts.ts';

export interface ProductCall {
  readonly id: string;
  readonly type: string;
  readonly status: ProductCallStatus;
  readonly account: { readonly id: number; readonly username: string };
  readonly customer: { readonly id: number; readonly reference: string };
  readonly orderId: number | null;
  /** If true, the call's answer completes or fails its order. */
  readonly confirms: boolean;
  readonly createdAt: EpochSeconds;
  readonly attempts: number;
  readonly firstAttemptAt: EpochSeconds | null;
  readonly lastAttemptAt: EpochSeconds | null;
  readonly nextAttemptAt: EpochSeconds;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly latestAttempts: readonly CallAttempt[];
}

export interface FoundProductCalls {
  readonly calls: readonly ProductCall[];
  readonly next: string | null;
}

/** `failing` calls wait for another attempt after a failed one. */
export const openCallLists = ['attention', 'failing', 'waiting'] as const;
export type OpenCallList = (typeof openCallLists)[number];

const status = oneOf('status', productCallStatuses);

const shown = (rows: string, order: string) => `select p.*, a.username, c.reference
    from ${rows} p
    join accounts a on a.id = p.account_id
    join customers c on c.account_id = p.account_id and c.number = p.customer_number
    order by ${order}`;

const columns = `id, call_id, account_id, customer_number, order_number, confirms, type, status, created_at, attempts,
      first_attempt_at, last_attempt_at, next_attempt_at, last_status, last_error, attempt_log`;

/** The cursor is time and id, because lists of waiting calls change while they are read. */
const byTime = (list: 'failing' | 'waiting', column: string, when: string): SqlStatement => ({
  name: `list_${list}_product_calls`,
  text: shown(
    `(select ${columns} from product_calls where status = 'waiting' and ${when} account_id <= ${realAccountIdMax}
      and (${column}, id) > (to_timestamp($1::bigint), $2::bigint) order by ${column}, id limit $3::int)`,
    `p.${column}, p.id`,
  ),
});

const lists = {
  attention: {
    order: ['id'],
    statement: {
      name: 'list_product_calls_needing_attention',
      text: shown(
        `(select ${columns} from product_calls where status = 'attention' and $1::bigint = 0 and id > $2::bigint
          and account_id <= ${realAccountIdMax} order by id limit $3::int)`,
        'p.id',
      ),
    },
    cursorOf: (row: Row) => [0, row['id']],
  },
  failing: {
    order: ['first_attempt_at', 'id'],
    statement: byTime('failing', 'first_attempt_at', 'attempts > 0 and'),
    cursorOf: (row: Row) => [row['first_attempt_at'], row['id']],
  },
  waiting: {
    order: ['next_attempt_at', 'id'],
    statement: byTime('waiting', 'next_attempt_at', ''),
    cursorOf: (row: Row) => [row['next_attempt_at'], row['id']],
  },
} as const satisfies Record<OpenCallList, object>;

export async function listOpenProductCalls(
  database: Queryable,
  list: OpenCallList,
  after: string | null,
  limit: number,
): Promise<FoundProductCalls> {
  const { order, statement, cursorOf } = lists[list];
  const [at = '0', id = '0'] = after?.split(' ') ?? [];
  const rows = await queryShards(database, statement, [at, id, limit + 1], {
    first: { columns: order, limit: limit + 1 },
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    calls: page.map(parseCall),
    next: rows.length > limit && last !== undefined ? cursorOf(last).join(' ') : null,
  };
}

const findOfOrder: SqlStatement = {
  name: 'find_product_call_of_order',
  text: shown(
    `(select ${columns} from product_calls where account_id = $1::int and order_number = $2::int)`,
    'p.id',
  ),
};

/** Returns null if the order was never handed over or its call was deleted. */
export async function findProductCallOfOrder(
  database: Queryable,
  accountId: number,
  orderNumber: number,
): Promise<ProductCall | null> {
  const [row] = await database.ofAccount(accountId).query(findOfOrder, [accountId, orderNumber]);
  return row === undefined ? null : parseCall(row);
}

const pageOfCalls = 200;

const listOfCustomer: SqlStatement = {
  name: 'list_product_calls_of_customer',
  text: shown(
    `(select ${columns} from product_calls where account_id = $1::int and customer_number = $2::int and id < $3::bigint
      order by id desc limit ${pageOfCalls})`,
    'p.id desc',
  ),
};

/** Newest first, in pages. */
export async function* productCallsOfCustomer(
  database: Queryable,
  { accountId, number }: { readonly accountId: number; readonly number: number },
): AsyncGenerator<readonly ProductCall[]> {
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = await database.ofAccount(accountId).query(listOfCustomer, [accountId, number, before]);
    yield rows.map(parseCall);
    if (rows.length < pageOfCalls) return;
    before = Number(rows.at(-1)?.['id']);
  }
}

const findById: SqlStatement = {
  name: 'find_product_call',
  text: shown(`(select ${columns} from product_calls where call_id = $1::text)`, 'p.id'),
};

export async function findProductCall(
  database: Queryable,
  accountId: number,
  callId: string,
): Promise<ProductCall | null> {
  const [row] = await database.ofAccount(accountId).query(findById, [callId]);
  return row === undefined ? null : parseCall(row);
}

const countedMax = 1_000;
const counted = (when: string, order: string, column: string) =>
  `select count(*)::int as count, extract(epoch from min(${column}))::bigint as since from (
      select ${column} from product_calls where ${when} and account_id <= ${realAccountIdMax}
      order by ${order} limit ${countedMax + 1}) counted`;

const counts = {
  attention: {
    name: 'count_product_calls_needing_attention',
    text: counted(`status = 'attention' and id > 0`, 'id', 'created_at'),
  },
  failing: {
    name: 'count_failing_product_calls',
    text: counted(`status = 'waiting' and attempts > 0`, 'first_attempt_at, id', 'first_attempt_at'),
  },
  waiting: {
    name: 'count_product_calls_in_line',
    text: counted(`status = 'waiting'`, 'next_attempt_at, id', 'created_at'),
  },
} as const satisfies Record<OpenCallList, SqlStatement>;

export interface CountedCalls extends BoundedCount {
  /** The earliest first attempt; if no call was attempted, the earliest creation. null if there are no calls. */
  readonly since: EpochSeconds | null;
}

/** Counts real accounts only, up to what a page needs. */
export async function countOpenProductCalls(database: Queryable, list: OpenCallList): Promise<CountedCalls> {
  const rows = await queryShards(database, counts[list], [], 'every');
  const count = rows.reduce((sum, row) => sum + Number(row['count']), 0);
  const times = rows.flatMap((row) => nullable(Number, row['since']) ?? []);
  return {
    count: Math.min(count, countedMax),
    more: count > countedMax,
    since: times.length === 0 ? null : Math.min(...times),
  };
}

function parseCall(row: Row): ProductCall {
  const accountId = Number(row['account_id']);
  const idOf = (number: unknown) => publicId(accountId, Number(number));
  return {
    id: String(row['call_id']),
    type: String(row['type']),
    status: status.parse(row['status']),
    account: { id: accountId, username: String(row['username']) },
    customer: { id: idOf(row['customer_number']), reference: String(row['reference']) },
    orderId: nullable(idOf, row['order_number']),
    confirms: row['confirms'] === true,
    createdAt: Number(row['created_at']),
    attempts: Number(row['attempts']),
    firstAttemptAt: nullable(Number, row['first_attempt_at']),
    lastAttemptAt: nullable(Number, row['last_attempt_at']),
    nextAttemptAt: Number(row['next_attempt_at']),
    lastStatus: nullable(Number, row['last_status']),
    lastError: nullable(String, row['last_error']),
    latestAttempts: parseAttempts(row['attempt_log']),
  };
}
