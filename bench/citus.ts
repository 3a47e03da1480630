// npm run bench:citus [-- --rounds N] [--seconds N] [--groups N] [--workers N,N] [--connections N]: what an order costs
// PostgreSQL if the account groups are on Citus workers, compared with one plain server with one group and with as many. They
// take turns; medians are printed as a table. `--workers 2,4` compares the first four workers with the first two. Needs the
// servers of `npm run test:citus` (TEST_CITUS_URL, TEST_CITUS_WORKERS) on this machine: their CPU is read from /proc.

import { parseArgs } from 'node:util';
import pg from 'pg';
import {
  at,
  type CitusServers,
  citusServers,
  citusServersWanted,
  createCitusDatabase,
} from '../scripts/throwaway/citus-database.ts';
import { createPostgresShopDatabase, type ShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { openShop, prepareShop, type Shop, verifyShop } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { median } from './figures.ts';
import { LoadFailed, type LoadGenerator } from './load.ts';
import { findLoadGenerator } from './load-generator.ts';
import { keysOf } from './measurements.ts';
import { loadWithOrders } from './order-load.ts';
import { cpuSecondsOfFamily } from './process-figures.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    groups: { type: 'string', default: '2' },
    workers: { type: 'string' },
    connections: { type: 'string', default: '128' },
  },
});
const rounds = wholeNumber('--rounds', values.rounds, 1, 100);
const seconds = wholeNumber('--seconds', values.seconds, 1, 60);
const groups = wholeNumber('--groups', values.groups, 2, 64);
const connections = wholeNumber('--connections', values.connections, 1, 1000);

const servers = citusServers();
if (servers === null) {
  process.stderr.write(`${citusServersWanted}\n`);
  process.exit(2);
}
const stage = await openStage();
const isInterrupted = closeOnInterrupt(() => stage.close());
try {
  await measure(stage, servers);
} catch (error) {
  // An interruption breaks the run, so errors after it mean nothing.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await stage.close();
}

interface Side {
  readonly title: string;
  readonly shop: Shop;
  /** The ids of the servers' first processes. */
  readonly pids: readonly number[];
  readonly perSecond: number[];
  /** CPU time per order, of all servers together. */
  readonly microseconds: number[];
  readonly alone: number[];
}

async function measure(stage: Stage, citus: CitusServers): Promise<void> {
  const generator = await findLoadGenerator(stage);
  const counts = (values.workers ?? String(citus.workers.length))
    .split(',')
    .map((count) => wholeNumber('--workers', count, 1, citus.workers.length));
  const plainPids = [stage.postgres.pid() ?? 0];
  const sideOf = async (title: string, database: ShopDatabase, pids: readonly number[]): Promise<Side> => {
    const plan = await prepareShop(stage, database);
    const shop = await openShop(stage, database, plan);
    stage.later(async () => {
      await shop.stop();
      process.stdout.write(`${title}: ${(await verifyShop(stage, database, plan)).trim()}\n`);
    });
    return { title, shop, pids, perSecond: [], microseconds: [], alone: [] };
  };
  const inGroups = await createPostgresShopDatabase(stage, 'groups', { groups });
  const sides = [
    await sideOf('one server, one group', await createPostgresShopDatabase(stage, 'plain'), plainPids),
    await sideOf(`one server, ${groups} groups`, inGroups, plainPids),
  ];
  for (const count of counts) {
    const some = { ...citus, workers: citus.workers.slice(0, count) };
    const spread = await createCitusDatabase(some);
    stage.later(spread.remove);
    const onCitus: ShopDatabase = {
      environment: { DATABASE_URL: spread.connectionString, ACCOUNT_GROUPS: String(groups) },
      copy: () => Promise.reject(new Error('What Citus knows of a database is not copied with it.')),
      remove: spread.remove,
    };
    const urls = [some.coordinator, ...some.workers.map((worker) => at(some, worker))];
    const pids = await Promise.all(urls.map(firstProcess));
    sides.push(await sideOf(`Citus, ${groups} groups on ${some.workers.length} workers`, onCitus, pids));
  }
  for (let round = -1; round < rounds; round += 1) {
    for (const { shop, pids, perSecond, microseconds, alone } of sides) {
      const cpu = () => pids.reduce((sum, pid) => sum + (cpuSecondsOfFamily(pid) ?? Number.NaN), 0);
      let used = 0;
      // Measures only the load. Orders are also counted before and after it, through views of all groups.
      const watched: LoadGenerator = {
        ...generator,
        async run(load) {
          const before = cpu();
          const result = await generator.run(load);
          used = cpu() - before;
          return result;
        },
      };
      const load = { keys: keysOf(shop.accounts), seconds, connections };
      if (round < 0) {
        // In the warm-up, lanes connect for the first time, and their orders may wait too long.
        await loadWithOrders(generator, shop, load).catch((error: unknown) => {
          if (!(error instanceof LoadFailed)) throw error;
        });
        continue;
      }
      const many = await loadWithOrders(watched, shop, load);
      const one = await loadWithOrders(generator, shop, {
        keys: [shop.single.key],
        seconds: 1,
        connections: 1,
      });
      perSecond.push(many.perSecond);
      microseconds.push((used / many.placed) * 1e6);
      alone.push(one.medianMilliseconds);
    }
  }
  const [plain] = sides;
  const rows = sides.map(({ title, perSecond, microseconds, alone }) => {
    return `| ${title} | ${median(microseconds).toFixed(0)} | ${ratio(microseconds, plain?.microseconds)} | ${median(perSecond).toFixed(0)} | ${ratio(perSecond, plain?.perSecond)} | ${median(alone).toFixed(2)} ms |`;
  });
  const [few, more] = sides.slice(-counts.length);
  const growth =
    counts.length < 2 || few === undefined || more === undefined
      ? []
      : [
          `${more.title} beside ${few.title}, the same round: µs for each order × ${ratio(more.microseconds, few.microseconds)}`,
        ];
  process.stdout.write(
    [
      '| | µs of PostgreSQL for each order | beside one group | orders/s | beside one group | one client, median |',
      '|---|---|---|---|---|---|',
      ...rows,
      ...growth,
      '',
    ].join('\n'),
  );
}

/** The median of each round's ratio. */
function ratio(own: readonly number[], theirs: readonly number[] = own): string {
  return median(own.map((value, index) => value / (theirs[index] ?? value))).toFixed(2);
}

/** The id of the first process of a server on this machine. */
async function firstProcess(connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ line: string }>(
      "select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as line",
    );
    return Number(rows[0]?.line);
  } finally {
    await client.end();
  }
}
