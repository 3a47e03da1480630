// npm run bench: measures the product beside what it can be compared with, on one machine. `steps` below lists the
// measurements. They take turns in rounds, every second round backwards, so that other work on the machine affects all of
// them alike. Each has a warm-up that is not counted.
// No CHECKPOINT is forced between them: after one, pgbench would have to write every page in full again.

import { existsSync } from 'node:fs';
import { deepPage } from './aged-history.ts';
import { type BenchOptions, type PieceName, readBenchOptions, usage } from './bench-options.ts';
import { formatFigure, reportText, writeReport } from './bench-report.ts';
import { type BenchServers, createBenchServers } from './bench-servers.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { type FigureName, figures, type Measured } from './figures.ts';
import { timeFirstOrders } from './first-order.ts';
import type { LoadGenerator } from './load.ts';
import { findLoadGenerator } from './load-generator.ts';
import {
  createMeasurements,
  forEach,
  keysOf,
  type Measurements,
  orderTargets,
  pageTarget,
} from './measurements.ts';
import { findPgbench, type Pgbench } from './pgbench.ts';
import { profileSummary } from './profile-summary.ts';

interface Step {
  /** The step runs if one of these pieces is wanted. */
  readonly pieces: readonly PieceName[];
  readonly title: string;
  measure(round: number): Promise<Measured>;
}

interface Equipment {
  readonly stage: Stage;
  readonly servers: BenchServers;
  readonly measure: Measurements;
  readonly pgbench: Pgbench | null;
  /** The same equipment on a server with its data in memory; null if the system has no folder in memory. */
  readonly fast: Pick<Equipment, 'servers' | 'measure' | 'pgbench'> | null;
  readonly seconds: number;
}

function steps({ stage, servers, measure, pgbench, fast, seconds }: Equipment): Step[] {
  return [
    {
      // This step also measures memory and CPU.
      pieces: ['orders', 'age'],
      title: 'orders through HTTP, 200 accounts',
      async measure() {
        const shop = await servers.young();
        const found = await measure.ordersAndCosts(shop, keysOf(shop.accounts), stage.postgres.pid());
        return {
          orders: found.perSecond,
          ordersLatency: found.medianMilliseconds,
          ordersLatency99: found.p99Milliseconds,
          memory: found.megabytes,
          memoryPeak: found.peakMegabytes,
          cpuService: found.serviceCpu,
          cpuDatabase: found.databaseCpu,
        };
      },
    },
    {
      pieces: ['orders'],
      title: 'orders of 512 connections',
      measure: async () => ({ memoryCrowd: await measure.megabytesOfCrowd(await servers.young()) }),
    },
    {
      pieces: ['bulk'],
      title: 'orders in bulks of 100, 200 accounts',
      async measure() {
        const shop = await servers.young();
        return { bulk: await measure.ordersInBulk(shop, keysOf(shop.accounts)) };
      },
    },
    {
      pieces: ['tpcb', 'bulk'],
      title: 'pgbench, scale 50',
      measure: async () => ({ tpcb50: await pgbench?.throughput(50, seconds) }),
    },
    {
      pieces: ['textbook'],
      title: 'textbook implementation, 200 accounts',
      async measure() {
        const shop = await servers.textbook();
        return { textbook: await measure.orders(shop, shop.keys) };
      },
    },
    {
      pieces: ['embedded'],
      title: 'orders, embedded database, 200 accounts',
      async measure() {
        const shop = await servers.embedded();
        const idle = await measure.idleMegabytes(shop);
        const found = await measure.ordersAndCosts(shop, keysOf(shop.accounts));
        return {
          memoryEmbeddedIdle: idle,
          embedded: found.perSecond,
          memoryEmbedded: found.megabytes,
          cpuEmbedded: found.serviceCpu,
        };
      },
    },
    {
      pieces: ['age'],
      title: 'orders, 200 accounts, aged history',
      async measure() {
        const shop = await servers.aged();
        return { aged: await measure.orders(shop, keysOf(shop.accounts)) };
      },
    },
    {
      pieces: ['age'],
      title: 'orders, 200 accounts, aged history, keys in order',
      async measure() {
        const shop = await servers.aged();
        return { agedInOrder: await measure.ordersWithKeysInOrder(shop, keysOf(shop.accounts)) };
      },
    },
    {
      pieces: ['orders'],
      title: 'orders through HTTP, one account',
      async measure() {
        const shop = await servers.young();
        return { ordersOneAccount: await measure.orders(shop, [shop.single.key]) };
      },
    },
    {
      pieces: ['bulk'],
      title: 'orders in bulks of 100, one account',
      async measure() {
        const shop = await servers.young();
        return { bulkOneAccount: await measure.ordersInBulk(shop, [shop.single.key]) };
      },
    },
    {
      // At scale 1, all of pgbench's transactions update the same row.
      pieces: ['tpcb', 'bulk'],
      title: 'pgbench, scale 1',
      measure: async () => ({ tpcb1: await pgbench?.throughput(1, seconds) }),
    },
    {
      pieces: ['textbook'],
      title: 'textbook implementation, one account',
      async measure() {
        const shop = await servers.textbook();
        return { textbookOneAccount: await measure.orders(shop, [shop.singleKey]) };
      },
    },
    {
      pieces: ['embedded'],
      title: 'orders, embedded database, one account',
      async measure() {
        const shop = await servers.embedded();
        return { embeddedOneAccount: await measure.orders(shop, [shop.single.key]) };
      },
    },
    {
      pieces: ['beside'],
      title: 'orders beside exports, searches and an overview',
      async measure() {
        const found = await measure.ordersBesideReads(await servers.beside('postgres'));
        return {
          besideAlone: found.alone,
          besideReads: found.beside,
          besideExported: found.exportedPerSecond,
          besideSearch: found.searchMilliseconds,
        };
      },
    },
    {
      pieces: ['beside'],
      title: 'the same, embedded database',
      async measure() {
        const found = await measure.ordersBesideReads(await servers.beside('embedded'));
        return {
          besideAloneEmbedded: found.alone,
          besideReadsEmbedded: found.beside,
          besideExportedEmbedded: found.exportedPerSecond,
          besideSearchEmbedded: found.searchMilliseconds,
        };
      },
    },
    {
      pieces: ['one-client'],
      title: 'one client alone',
      measure: async () => ({ oneClient: await measure.oneClientMilliseconds(await servers.young()) }),
    },
    {
      pieces: ['one-client'],
      title: 'one client alone, in Node',
      async measure() {
        return { oneClientInNode: await measure.oneClientInNodeMilliseconds(await servers.young()) };
      },
    },
    {
      pieces: ['one-client'],
      title: 'pgbench, one client alone',
      measure: async () => ({ oneClientTpcb: await pgbench?.oneClientMilliseconds(50, seconds) }),
    },
    {
      pieces: ['one-client'],
      title: 'one client alone, data in memory',
      async measure() {
        if (fast === null) return {};
        return { oneClientFast: await fast.measure.oneClientMilliseconds(await fast.servers.young()) };
      },
    },
    {
      pieces: ['one-client'],
      title: 'pgbench, one client alone, data in memory',
      measure: async () => ({
        oneClientFastTpcb: await fast?.pgbench?.oneClientMilliseconds(50, seconds),
      }),
    },
    {
      // The bare server gets the same requests as the service below.
      pieces: ['reads'],
      title: 'the bare server',
      async measure() {
        const { accounts } = await servers.aged();
        return { bare: await measure.gets(await servers.bare(), forEach(accounts, '/balance')) };
      },
    },
    {
      pieces: ['reads'],
      title: 'GET /balance',
      async measure() {
        const shop = await servers.aged();
        return { balance: await measure.gets(shop.address, forEach(shop.accounts, '/balance')) };
      },
    },
    {
      pieces: ['reads'],
      title: 'GET /packages',
      async measure() {
        const shop = await servers.aged();
        return { packages: await measure.gets(shop.address, forEach(shop.accounts, '/packages')) };
      },
    },
    {
      pieces: ['reads'],
      title: 'GET /orders?page=1',
      async measure() {
        const shop = await servers.aged();
        return { firstPage: await measure.gets(shop.address, [pageTarget(shop, 1)]) };
      },
    },
    {
      pieces: ['reads'],
      title: `GET /orders?page=${deepPage}`,
      async measure() {
        const shop = await servers.aged();
        return { deepPage: await measure.gets(shop.address, [pageTarget(shop, deepPage)]) };
      },
    },
    {
      pieces: ['reads'],
      title: 'GET /orders/{id}',
      async measure() {
        const shop = await servers.aged();
        return { orderById: await measure.gets(shop.address, orderTargets(shop)) };
      },
    },
    {
      pieces: ['age'],
      title: 'latency of page 1, young history',
      async measure() {
        const history = await servers.history();
        const shop = await servers.young();
        await measure.fillPage(shop);
        const target = pageTarget({ ...shop, history }, 1);
        return { youngPageLatency: await measure.getMilliseconds(shop.address, target) };
      },
    },
    {
      pieces: ['age'],
      title: 'latency of page 1, aged history',
      async measure() {
        const shop = await servers.aged();
        return { firstPageLatency: await measure.getMilliseconds(shop.address, pageTarget(shop, 1)) };
      },
    },
    {
      pieces: ['age'],
      title: `latency of page ${deepPage}, aged history`,
      async measure() {
        const shop = await servers.aged();
        return { deepPageLatency: await measure.getMilliseconds(shop.address, pageTarget(shop, deepPage)) };
      },
    },
    {
      pieces: ['start'],
      title: 'npm start to the first order',
      async measure(round) {
        const { cold, warm } = await timeFirstOrders(stage, round);
        return { coldStart: cold, warmStart: warm };
      },
    },
  ];
}

// ---- the run

/** On Linux this folder is in memory. That is the fastest disk there is, and the same on every machine. */
const memoryFolder = '/dev/shm';

const options = readOptions();
if (options !== null) {
  const stage = await openStage(options.settings);
  const isInterrupted = closeOnInterrupt(() => stage.close());
  try {
    await run(stage, options);
  } catch (error) {
    // An interruption breaks the run, so errors after it mean nothing.
    if (!isInterrupted())
      process.stderr.write(`bench: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    if (!isInterrupted()) await stage.close();
  }
}

function readOptions(): BenchOptions | null {
  try {
    const read = readBenchOptions(process.argv.slice(2));
    if (read !== 'help') return read;
    process.stdout.write(usage);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exitCode = 1;
  }
  return null;
}

async function run(stage: Stage, wanted: BenchOptions): Promise<void> {
  const began = performance.now();
  const generator = await findLoadGenerator(stage);
  const pgbench = findPgbench(stage, wanted.warmupSeconds);
  const servers = createBenchServers(stage, generator, wanted);
  process.stdout.write(`${stage.postgres.description}; ${generator.description}\n`);

  const measure = createMeasurements(stage, generator, wanted);
  const isWanted = (...pieces: readonly PieceName[]) => pieces.some((piece) => wanted.pieces.has(piece));
  const fast = isWanted('one-client') ? await openFast(stage, generator, wanted) : null;
  const taken = steps({ stage, servers, measure, pgbench, fast, seconds: wanted.seconds }).filter(
    ({ pieces }) => isWanted(...pieces),
  );
  // Prepare everything that takes long before the first round, so that it does not distort a measurement.
  if (isWanted('tpcb', 'bulk')) await pgbench?.prepare([1, 50]);
  else if (isWanted('one-client')) await pgbench?.prepare([50]);
  await fast?.pgbench?.prepare([50]);
  await fast?.servers.young();
  if (isWanted('textbook')) await servers.textbook();
  if (isWanted('embedded')) await servers.embedded();
  if (isWanted('beside')) {
    await servers.beside('postgres');
    await servers.beside('embedded');
  }
  if (isWanted('orders', 'bulk', 'age', 'one-client')) await servers.young();
  if (isWanted('reads', 'age')) await servers.aged();

  const values = new Map<FigureName, number[]>();
  for (let round = 1; round <= wanted.rounds; round += 1) {
    for (const step of round % 2 === 1 ? taken : taken.toReversed()) {
      process.stdout.write(`round ${round}/${wanted.rounds}  ${step.title}\n`);
      for (const [name, value] of found(await step.measure(round))) {
        process.stdout.write(`             ${formatFigure(name, value)}  ${figures[name].title}\n`);
        values.set(name, [...(values.get(name) ?? []), value]);
      }
    }
    await servers.endRound();
    await fast?.servers.endRound();
  }

  const notes: string[] = [];
  if (isWanted('reads', 'age')) {
    const { secondsPerMillion } = await servers.history();
    const sizes = `${grouped(wanted.agedOrders)} orders of ${grouped(wanted.agedCustomers)} customers`;
    notes.push(`The aged history: ${sizes}, seeded in ${Math.round(secondsPerMillion)} s for each million.`);
  }
  if (pgbench === null) notes.push('pgbench was not found: apt-get install postgresql.');
  await servers.endRun();
  const words = process.argv.slice(2);
  const report = reportText(values, {
    command: ['npm run bench', ...(words.length === 0 ? [] : ['--', ...words])].join(' '),
    postgres: stage.postgres.description.replace(/ on port \d+$/, ''),
    loadGenerator: generator.description,
    notes,
  });
  process.stdout.write(`\n${report}\n\n${Math.round((performance.now() - began) / 1000)} s in all.\n`);
  if (servers.profileFolder !== null) {
    process.stdout.write(`\nShares of the service's busy time:\n${profileSummary(servers.profileFolder)}\n`);
    process.stdout.write(`The CPU profiles, one for each round, are in ${servers.profileFolder}\n`);
  }
  if (wanted.write) writeReport(new URL('../docs/performance.md', import.meta.url), report);
}

async function openFast(
  { later }: Stage,
  generator: LoadGenerator,
  wanted: BenchOptions,
): Promise<Equipment['fast']> {
  if (!existsSync(memoryFolder)) return null;
  const stage = await openStage(wanted.settings, memoryFolder);
  later(() => stage.close());
  return {
    servers: createBenchServers(stage, generator, { ...wanted, profile: false }),
    measure: createMeasurements(stage, generator, wanted),
    pgbench: findPgbench(stage, wanted.warmupSeconds),
  };
}

function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

function found(measured: Measured): [FigureName, number][] {
  return (Object.keys(figures) as FigureName[]).flatMap((name) => {
    const value = measured[name];
    return value === undefined || value === null ? [] : [[name, value]];
  });
}
