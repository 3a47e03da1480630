// The load that every generator takes, and its result. A generator counts only answers of the expected status: any other
// status, a broken connection or a timeout ends the benchmark with an error.

export interface Load {
  readonly address: string;
  /** The number of requests under way: each connection sends its next request when its last one is answered. */
  readonly connections: number;
  readonly seconds: number;
  readonly requests: OrderRequests | GetRequests;
}

/** Orders that are placed with each of the keys in turn. Each has its own customer and idempotency key. */
export interface OrderRequests {
  /** POST /orders, or POST /orders/bulk with `ordersInBulk` orders in each. */
  readonly kind: 'orders' | 'bulks';
  readonly keys: readonly string[];
  readonly packageId: number;
  /** True: idempotency keys in the order of time, as the client library makes them. False: scattered, as customers are. */
  readonly keysInOrder: boolean;
  /** Part of every customer and key, so that two loads with different texts share none. Letters and digits. */
  readonly run: string;
}

/** GET requests that are sent to each of the targets in turn. */
export interface GetRequests {
  readonly kind: 'gets';
  readonly targets: readonly GetTarget[];
}

export interface GetTarget {
  readonly path: string;
  readonly key: string;
}

export interface LoadResult {
  /** Answers of status 2xx; there were no others. */
  readonly answered: number;
  readonly perSecond: number;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
}

export interface LoadGenerator {
  /** Name and version, for the report. */
  readonly description: string;
  /** @throws LoadFailed */
  run(load: Load): Promise<LoadResult>;
}

export class LoadFailed extends Error {
  override readonly name = 'LoadFailed';
}

export const ordersPath = '/api/v1/orders';
export const bulkPath = '/api/v1/orders/bulk';
export const ordersInBulk = 100;

/** Longer than the service ever lets a request wait. */
export const answerSeconds = 10;

/**
 * The unique part of order `count` of a run. It begins with scattered digits, because real customers and keys do not arrive
 * in the order of an index either. wrk-load.ts makes the same text in Lua.
 */
export function uniqueText(run: string, count: number): string {
  const scattered = (count * 2_654_435_761) % 4_294_967_296;
  return `${scattered.toString(16).padStart(8, '0')}-${run}-${String(count).padStart(7, '0')}`;
}

/** The idempotency key of order `count`. It sorts after earlier keys of the load, and after loads that `began` earlier. */
export function keyInOrder(began: string, run: string, count: number): string {
  return `${began}-${String(count).padStart(7, '0')}-${run}`;
}

/** The time at which a load begins, in digits that sort as the times do. */
export function beginningText(): string {
  return Date.now().toString(16).padStart(12, '0');
}

export function orderBody(packageId: number, unique: string): string {
  return `{"package_id": ${packageId}, "customer": "${unique}@example.com"}`;
}

export function orderInBulk(packageId: number, unique: string): string {
  return `{"package_id": ${packageId}, "customer": "${unique}@example.com", "idempotency_key": "${unique}"}`;
}

/** @throws LoadFailed unless everything was answered as expected */
export function expectAllAnswered(found: {
  readonly answered: number;
  readonly refused: number;
  readonly broken: number;
  readonly timedOut: number;
}): void {
  const { answered, refused, broken, timedOut } = found;
  if (answered > 0 && refused === 0 && broken === 0 && timedOut === 0) return;
  throw new LoadFailed(
    `Of the answers ${answered} were as expected and ${refused} had another status; ` +
      `${broken} connections broke, ${timedOut} requests had no answer within ${answerSeconds} s.`,
  );
}
