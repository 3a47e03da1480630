// The kinds of measurement for the steps of bench.ts. Each warms up first.

import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { publicId } from '../src/shared/identifiers.ts';
import { type ReadsDone, startBackgroundReads } from './background-reads.ts';
import type { BenchOptions } from './bench-options.ts';
import type { AgedShop } from './bench-servers.ts';
import type { Shop, ShopAccount } from './bench-shop.ts';
import type { Stage } from './bench-stage.ts';
import type { GetTarget, LoadGenerator } from './load.ts';
import { loadWithOrders, type OrderLoadOptions, type OrderTarget } from './order-load.ts';
import { cpuSeconds, cpuSecondsOfFamily, residentMegabytes, watchMemory } from './process-figures.ts';
import { createStatementCosts } from './statement-costs.ts';

export interface Measurements {
  /** Orders per second of 128 connections, which use the keys in turn. */
  orders(target: OrderTarget, keys: readonly string[]): Promise<number>;
  /** The same, with idempotency keys in the order of time. */
  ordersWithKeysInOrder(target: OrderTarget, keys: readonly string[]): Promise<number>;
  /** Orders per second in bulks of 100, over 16 connections. */
  ordersInBulk(target: OrderTarget, keys: readonly string[]): Promise<number>;
  /** The throughput of orders(), and the memory and CPU of the service's process and, if given, of PostgreSQL. */
  ordersAndCosts(shop: Shop, keys: readonly string[], postgres?: number): Promise<OrderCosts>;
  /** Orders per second of 128 connections alone, and then beside the reads of background-reads.ts. */
  ordersBesideReads(shop: AgedShop): Promise<OrdersBesideReads>;
  /** The most megabytes that the service uses while 512 connections order. */
  megabytesOfCrowd(shop: Shop): Promise<number | null>;
  /** Megabytes of a service that has just started and has nothing to do. */
  idleMegabytes(shop: Shop): Promise<number | null>;
  /** Places enough orders on the service's single account to fill a page. */
  fillPage(shop: Shop): Promise<void>;
  /** Requests per second of 128 connections, the targets in turn. */
  gets(address: string, targets: readonly GetTarget[]): Promise<number>;
  /** The median latency of one connection alone. */
  getMilliseconds(address: string, target: GetTarget): Promise<number>;
  /** The median latency of one client that orders alone: the load generator with one connection. */
  oneClientMilliseconds(shop: Shop): Promise<number>;
  /** The same for a client in Node, including the client's own time. */
  oneClientInNodeMilliseconds(shop: Shop): Promise<number>;
}

export interface OrdersBesideReads extends ReadsDone {
  readonly alone: number;
  readonly beside: number;
}

/** A figure is null if this system does not report it. */
export interface OrderCosts {
  readonly perSecond: number;
  readonly medianMilliseconds: number;
  readonly p99Milliseconds: number;
  readonly megabytes: number | null;
  readonly peakMegabytes: number | null;
  /** CPU seconds for 10,000 orders. */
  readonly serviceCpu: number | null;
  readonly databaseCpu: number | null;
}

const connections = 128;
const crowdConnections = 512;
const idleMilliseconds = 5_000;
const costsPerOrders = 10_000;

export function createMeasurements(
  stage: Stage,
  generator: LoadGenerator,
  { seconds, warmupSeconds, statements }: BenchOptions,
): Measurements {
  const costs = statements ? createStatementCosts(stage) : null;

  type OrderOptions = Omit<OrderLoadOptions, 'seconds'>;

  const warmUp = (target: OrderTarget, options: OrderOptions) =>
    loadWithOrders(generator, target, { ...options, seconds: warmupSeconds });

  /** With --statements, also prints what the load cost PostgreSQL. */
  async function placeOrders(target: OrderTarget, options: OrderOptions) {
    await costs?.begin();
    const result = await loadWithOrders(generator, target, { ...options, seconds });
    await costs?.print();
    return result;
  }

  async function load(address: string, targets: readonly GetTarget[], connectionCount: number) {
    const requests = { kind: 'gets', targets } as const;
    const all = { address, connections: connectionCount, requests };
    await generator.run({ ...all, seconds: warmupSeconds });
    return generator.run({ ...all, seconds });
  }

  return {
    async orders(target, keys) {
      await warmUp(target, { keys });
      return (await placeOrders(target, { keys })).perSecond;
    },

    async ordersWithKeysInOrder(target, keys) {
      await warmUp(target, { keys, keysInOrder: true });
      return (await placeOrders(target, { keys, keysInOrder: true })).perSecond;
    },

    async megabytesOfCrowd(shop) {
      const watch = watchMemory(shop.pid);
      await placeOrders(shop, { keys: keysOf(shop.accounts), connections: crowdConnections });
      return watch.end().megabytes;
    },

    async ordersInBulk(target, keys) {
      await warmUp(target, { keys, inBulk: true });
      return (await placeOrders(target, { keys, inBulk: true })).perSecond;
    },

    async ordersAndCosts(shop, keys, postgres) {
      await warmUp(shop, { keys });
      const cpuNow = () => ({
        service: cpuSeconds(shop.pid),
        database: postgres === undefined ? null : cpuSecondsOfFamily(postgres),
      });
      const before = cpuNow();
      const watch = watchMemory(shop.pid);
      const { placed, ...load } = await placeOrders(shop, { keys });
      const after = cpuNow();
      const cost = (from: number | null, to: number | null) =>
        from === null || to === null ? null : ((to - from) / placed) * costsPerOrders;
      return {
        ...load,
        ...watch.end(),
        serviceCpu: cost(before.service, after.service),
        databaseCpu: cost(before.database, after.database),
      };
    },

    async ordersBesideReads(shop) {
      const keys = keysOf(shop.accounts);
      await warmUp(shop, { keys });
      const alone = (await placeOrders(shop, { keys })).perSecond;
      const reads = await startBackgroundReads(shop, shop.history);
      await warmUp(shop, { keys });
      const beside = (await placeOrders(shop, { keys })).perSecond;
      return { alone, beside, ...(await reads.end()) };
    },

    async idleMegabytes(shop) {
      // Memory that only the start needed is freed by then.
      await pause(idleMilliseconds);
      return residentMegabytes(shop.pid);
    },

    async fillPage(shop) {
      await loadWithOrders(generator, shop, { keys: [shop.single.key], seconds: 1 });
    },

    async gets(address, targets) {
      return (await load(address, targets, connections)).perSecond;
    },

    async getMilliseconds(address, target) {
      return (await load(address, [target], 1)).medianMilliseconds;
    },

    async oneClientMilliseconds(shop) {
      const alone = { keys: [shop.single.key], connections: 1 };
      await warmUp(shop, alone);
      return (await placeOrders(shop, alone)).medianMilliseconds;
    },

    async oneClientInNodeMilliseconds({ address, single, packageId }) {
      const program = fileURLToPath(new URL('one-client.ts', import.meta.url));
      const words = [program, address, single.key, String(packageId), String(seconds)];
      return Number(await stage.run(process.execPath, words));
    },
  };
}

export function keysOf(accounts: readonly ShopAccount[]): string[] {
  return accounts.map(({ key }) => key);
}

/** One path for all accounts in turn. */
export function forEach(accounts: readonly ShopAccount[], path: string): GetTarget[] {
  return accounts.map(({ key }) => ({ path: `/api/v1${path}`, key }));
}

/** Page `page` of the single account, which has enough orders for it. */
export function pageTarget(shop: AgedShop, page: number): GetTarget {
  return { path: `/api/v1/orders?page=${page}&limit=${shop.history.pageSize}`, key: shop.single.key };
}

const scatteredOrders = 5_000;

/** Orders from the whole history, of all accounts. */
export function orderTargets({ accounts, history }: AgedShop): GetTarget[] {
  return Array.from({ length: scatteredOrders }, (_, index) => {
    const { id = 0, key = '' } = accounts[index % accounts.length] ?? {};
    // A large prime step spreads the numbers over the history, in the same way in every run.
    const number = ((index * 7_919) % history.ordersPerAccount) + 1;
    return { path: `/api/v1/orders/${publicId(id, number)}`, key };
  });
}
