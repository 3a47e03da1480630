// The servers of a benchmark, each started when a measurement first asks for it. The young services, on PostgreSQL and on the
// embedded database, begin every round with an empty history. The service with an aged history, the textbook implementation
// and the bare server serve the whole run.

import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgedHistory, seedAgedHistory } from './aged-history.ts';
import {
  createEmbeddedShopDatabase,
  createPostgresShopDatabase,
  type ShopDatabase,
} from './bench-database.ts';
import type { BenchOptions } from './bench-options.ts';
import {
  addressOf,
  endProcess,
  openShop,
  prepareShop,
  type Shop,
  type ShopPlan,
  verifyShop,
} from './bench-shop.ts';
import type { Stage } from './bench-stage.ts';
import type { LoadGenerator } from './load.ts';
import { openTextbookShop, type TextbookShop } from './textbook-shop.ts';

export interface AgedShop extends Shop {
  readonly history: AgedHistory;
}

export interface BenchServers {
  young(): Promise<Shop>;
  embedded(): Promise<Shop>;
  /** The service with the aged history. Its process is started again in every round, but its history stays. */
  aged(): Promise<AgedShop>;
  history(): Promise<AgedHistory>;
  /** A service whose history is large enough to search and to export. */
  beside(kind: 'postgres' | 'embedded'): Promise<AgedShop>;
  textbook(): Promise<TextbookShop>;
  /** The address of the bare server. */
  bare(): Promise<string>;
  /** Stops the services, and removes the databases that began with an empty history. */
  endRound(): Promise<void>;
  /** Removes the aged history. With --verify, the books are verified before each removal. */
  endRun(): Promise<void>;
  /** Where the CPU profiles of the young service are; null without --profile. */
  readonly profileFolder: string | null;
}

interface Prepared {
  readonly database: ShopDatabase;
  readonly plan: ShopPlan;
}

/** Enough for the account that is searched to have more than 100,000 customers and as many orders. */
const besideRows = 220_000;

export function createBenchServers(
  stage: Stage,
  generator: LoadGenerator,
  options: BenchOptions,
): BenchServers {
  const profileFolder = options.profile ? mkdtempSync(join(tmpdir(), 'sellthrough-profile-')) : null;
  const say = (text: string) => process.stdout.write(`${text}\n`);
  let copies = 0;

  const onPostgres = lazily(async (): Promise<Prepared> => {
    say('Preparing 201 accounts on PostgreSQL …');
    const database = await createPostgresShopDatabase(stage, 'shop', { groups: options.accountGroups });
    return { database, plan: await prepareShop(stage, database, options) };
  });
  const inFolder = lazily(async (): Promise<Prepared> => {
    say('Preparing 201 accounts on the embedded database …');
    const database = createEmbeddedShopDatabase(stage, 'shop');
    return { database, plan: await prepareShop(stage, database, options) };
  });

  async function openCopy({ database, plan }: Prepared, profile: string | null) {
    copies += 1;
    const copy = await database.copy(`shop_${copies}`);
    const shop = await openShop(stage, copy, plan, profile === null ? {} : { profileFolder: profile });
    return { shop, copy };
  }
  const young = lazily(async () => openCopy(await onPostgres.get(), profileFolder));
  const embedded = lazily(async () => openCopy(await inFolder.get(), null));

  const seeded = lazily(async () => {
    const { database, plan } = await onPostgres.get();
    say(`Seeding ${options.agedOrders} orders of ${options.agedCustomers} customers …`);
    const copy = await database.copy('aged');
    // packageId 1 is the demo's first package, which every load orders.
    const sizes = { orders: options.agedOrders, customers: options.agedCustomers, packageId: 1 };
    const history = await seedAgedHistory(stage, copy, plan, sizes);
    say(`  ${history.secondsPerMillion.toFixed(1)} s for each million orders`);
    return { copy, plan, history };
  });
  const aged = lazily(async () => {
    const { copy, plan, history } = await seeded.get();
    return { ...(await openShop(stage, copy, plan)), history };
  });

  const besideOn = (prepared: { get(): Promise<Prepared> }) =>
    lazily(async () => {
      const { database, plan } = await prepared.get();
      say(`Seeding ${besideRows} orders and customers …`);
      const copy = await database.copy('beside');
      const sizes = { orders: besideRows, customers: besideRows, packageId: 1 };
      const history = await seedAgedHistory(stage, copy, plan, sizes);
      return { ...(await openShop(stage, copy, plan)), history };
    });
  const beside = { postgres: besideOn(onPostgres), embedded: besideOn(inFolder) };

  const textbook = lazily(() => openTextbookShop(stage, generator));
  const bare = lazily(async () => {
    const program = fileURLToPath(new URL('bare-server.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'pipe'] });
    stage.later(() => endProcess(child, 'SIGTERM'));
    return addressOf(child, 'The bare server');
  });

  async function verifyAndRemove(copy: ShopDatabase, plan: ShopPlan): Promise<void> {
    if (options.verify) say(`verify: ${(await verifyShop(stage, copy, plan)).trim()}`);
    await copy.remove();
  }

  return {
    young: async () => (await young.get()).shop,
    embedded: async () => (await embedded.get()).shop,
    aged: aged.get,
    history: async () => (await seeded.get()).history,
    beside: (kind) => beside[kind].get(),
    textbook: textbook.get,
    bare: bare.get,
    profileFolder,
    async endRound() {
      for (const each of [young, embedded]) {
        const opened = await each.take();
        if (opened === null) continue;
        await opened.shop.stop();
        await verifyAndRemove(opened.copy, opened.shop);
      }
      // The next round starts a new process, so that it is as young as the others.
      await (await aged.take())?.stop();
    },
    async endRun() {
      for (const each of Object.values(beside)) await (await each.take())?.stop();
      const aging = await seeded.take();
      if (aging !== null) await verifyAndRemove(aging.copy, aging.plan);
    },
  };
}

/** get() makes the value once. take() returns it for the last time, so that the next get() makes another. */
function lazily<Value>(make: () => Promise<Value>) {
  let made: Promise<Value> | null = null;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    async take(): Promise<Value | null> {
      const taken = made;
      made = null;
      return taken;
    },
  };
}
