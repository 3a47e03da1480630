// Runs a load of orders and checks its count: the database must have as many new orders as the generator saw answered, plus at
// most those that were under way when it stopped.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadFailed, type LoadGenerator, type LoadResult, ordersInBulk } from './load.ts';

/** What takes orders: the service or the textbook implementation. */
export interface OrderTarget {
  readonly address: string;
  readonly packageId: number;
  countOrders(): Promise<number>;
}

export interface OrderLoadOptions {
  readonly keys: readonly string[];
  readonly seconds: number;
  /** 128 by default; 16 for bulks. */
  readonly connections?: number;
  /** Uses POST /orders/bulk. The result still counts orders. */
  readonly inBulk?: boolean;
  /** Idempotency keys in the order of time, as the client library makes them. */
  readonly keysInOrder?: boolean;
}

const connectionsDefault = 128;
/** If an account had more bulks running and waiting, they would be refused. */
const bulkConnections = 16;
// A busy machine may take this long over the last batch.
const stillMilliseconds = 600;
const pollMilliseconds = 150;

export async function loadWithOrders(
  generator: LoadGenerator,
  target: OrderTarget,
  {
    keys,
    seconds,
    inBulk = false,
    keysInOrder = false,
    connections = inBulk ? bulkConnections : connectionsDefault,
  }: OrderLoadOptions,
): Promise<LoadResult & { readonly placed: number }> {
  const before = await target.countOrders();
  const run = randomBytes(4).toString('hex');
  const requests = {
    kind: inBulk ? 'bulks' : 'orders',
    keys,
    packageId: target.packageId,
    keysInOrder,
    run,
  } as const;
  const result = await generator.run({ address: target.address, connections, seconds, requests });
  const each = inBulk ? ordersInBulk : 1;
  const answered = result.answered * each;
  const placed = (await settledCount(target)) - before;
  if (placed < answered || placed > answered + connections * each) {
    throw new LoadFailed(`${answered} orders were answered, but ${placed} are in the database.`);
  }
  return { ...result, answered, perSecond: result.perSecond * each, placed };
}

/** The count once it has not changed for a while: the orders that were under way have then ended. */
async function settledCount(target: OrderTarget): Promise<number> {
  let count = await target.countOrders();
  let since = performance.now();
  while (performance.now() - since < stillMilliseconds) {
    await sleep(pollMilliseconds);
    const now = await target.countOrders();
    if (now === count) continue;
    count = now;
    since = performance.now();
  }
  return count;
}
