// A load of orders whose count is not taken on trust: what the generator says was answered must be in the database as
// new orders, no fewer, and no more than those that were under way when it stopped.

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoadFailed, type LoadGenerator, type LoadResult } from './load.ts';

/** What takes orders: the service or the textbook implementation. */
export interface OrderTarget {
  readonly address: string;
  readonly packageId: number;
  countOrders(): Promise<number>;
}

export interface OrderLoadOptions {
  readonly keys: readonly string[];
  readonly seconds: number;
  /** 128 unless given. */
  readonly connections?: number;
}

const connectionsDefault = 128;
// A busy machine may take this long over the last batch.
const stillMilliseconds = 600;
const pollMilliseconds = 150;

export async function loadWithOrders(
  generator: LoadGenerator,
  target: OrderTarget,
  { keys, seconds, connections = connectionsDefault }: OrderLoadOptions,
): Promise<LoadResult & { readonly placed: number }> {
  const before = await target.countOrders();
  const run = randomBytes(4).toString('hex');
  const requests = { kind: 'orders', keys, packageId: target.packageId, run } as const;
  const result = await generator.run({ address: target.address, connections, seconds, requests });
  const placed = (await settledCount(target)) - before;
  if (placed < result.answered || placed > result.answered + connections) {
    throw new LoadFailed(`${result.answered} orders were answered, but ${placed} are in the database.`);
  }
  return { ...result, placed };
}

/** The count once the orders that were under way have ended: when it has not moved for a while. */
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
