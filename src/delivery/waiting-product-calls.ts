// The calls that the operator's product has not taken, as the console shows them: those that are tried next come first, each with
// what its last attempt came to. Without tests. Called by product-panel-routes.ts; calling is done by product-caller.ts.

import { publicId, realAccountIdMax } from '../contract/identifiers.ts';
import type { BoundedCount } from '../contract/panel-schemas.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { firstOfEveryGroup, fromEveryGroup } from '../database/over-groups.ts';
import { nullable } from '../database/row-values.ts';

export interface WaitingProductCall {
  readonly id: string;
  readonly accountId: number;
  /** null: it is about no order. */
  readonly orderId: number | null;
  readonly type: string;
  readonly createdAt: EpochSeconds;
  readonly attempts: number;
  readonly nextAttemptAt: EpochSeconds;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

const listedMax = 20;
const countedMax = 1_000;
const waiting = `from product_calls where status = 'waiting' and account_id <= ${realAccountIdMax}`;

const listWaiting: Statement = {
  name: 'list_waiting_product_calls',
  text: `select id, call_id, account_id, order_number, type, created_at, attempts, next_attempt_at, last_status, last_error
    ${waiting} order by next_attempt_at, id limit ${listedMax}`,
};

const countWaiting: Statement = {
  name: 'count_product_calls_in_line',
  text: `select count(*)::int as count from (
      select 1 ${waiting} order by next_attempt_at, id limit ${countedMax + 1}) counted`,
};

/** Of every real account; not counted beyond what a page needs. */
export async function countWaitingProductCalls(database: Queryable): Promise<BoundedCount> {
  const rows = await fromEveryGroup(database, countWaiting);
  const count = rows.reduce((sum, row) => sum + Number(row['count']), 0);
  return { count: Math.min(count, countedMax), more: count > countedMax };
}

export async function listWaitingProductCalls(database: Queryable): Promise<WaitingProductCall[]> {
  const order = { columns: ['next_attempt_at', 'id'], limit: listedMax };
  const rows = await firstOfEveryGroup(database, listWaiting, [], order);
  return rows.map((row) => {
    const accountId = Number(row['account_id']);
    return {
      id: String(row['call_id']),
      accountId,
      orderId: nullable((number) => publicId(accountId, Number(number)), row['order_number']),
      type: String(row['type']),
      createdAt: Number(row['created_at']),
      attempts: Number(row['attempts']),
      nextAttemptAt: Number(row['next_attempt_at']),
      lastStatus: nullable(Number, row['last_status']),
      lastError: nullable(String, row['last_error']),
    };
  });
}
