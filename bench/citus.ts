// npm run bench:citus [-- --rounds N] [--seconds N] [--groups N]: what an order costs PostgreSQL where the account groups are on
// workers of Citus, beside one plain server with one group and with as many groups. They take turns; medians are printed as a
// table. Needs the servers of `npm run test:citus` (TEST_CITUS_URL, TEST_CITUS_WORKERS), on this machine: their CPU is read
// from /proc.

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
import { findLoadGenerator } from './load-generator.ts';
import { keysOf } from './measurements.ts';
import { loadWithOrders } from './order-load.ts';
import { cpuSecondsOfFamily } from './process-figures.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    groups: { type: 'string', default: '2' },
  },
});
const rounds = wholeNumber('--rounds', values.rounds, 1, 100);
const seconds = wholeNumber('--seconds', values.seconds, 1, 60);
const groups = wholeNumber('--groups', values.groups, 2, 64);
const connections = 128;

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
  // What an interruption broke is not news.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await stage.close();
}

interface Side {
  readonly title: string;
  readonly shop: Shop;
  /** Of the servers' first processes. */
  readonly pids: readonly number[];
  readonly perSecond: number[];
  /** Of all servers together, for each order. */
  readonly microseconds: number[];
  readonly alone: number[];
}

async function measure(stage: Stage, citus: CitusServers): Promise<void> {
  const generator = await findLoadGenerator(stage);
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
  const spread = await createCitusDatabase(citus);
  stage.later(spread.remove);
  const onCitus: ShopDatabase = {
    environment: { DATABASE_URL: spread.connectionString, ACCOUNT_GROUPS: String(groups) },
    copy: () => Promise.reject(new Error('What Citus knows of a database is not copied with it.')),
    remove: spread.remove,
  };
  const inGroups = await createPostgresShopDatabase(stage, 'groups', { groups });
  const sides = [
    await sideOf('one server, one group', await createPostgresShopDatabase(stage, 'plain'), plainPids),
    await sideOf(`one server, ${groups} groups`, inGroups, plainPids),
    await sideOf(
      `Citus, ${groups} groups on ${citus.workers.length} workers`,
      onCitus,
      await Promise.all(
        [citus.coordinator, ...citus.workers.map((worker) => at(citus, worker))].map(firstProcess),
      ),
    ),
  ];
  for (let round = -1; round < rounds; round += 1) {
    for (const { shop, pids, perSecond, microseconds, alone } of sides) {
      const cpu = () => pids.reduce((sum, pid) => sum + (cpuSecondsOfFamily(pid) ?? Number.NaN), 0);
      const before = cpu();
      const many = await loadWithOrders(generator, shop, {
        keys: keysOf(shop.accounts),
        seconds,
        connections,
      });
      const used = cpu() - before;
      const one = await loadWithOrders(generator, shop, {
        keys: [shop.single.key],
        seconds: 1,
        connections: 1,
      });
      // The first round warms up.
      if (round < 0) continue;
      perSecond.push(many.perSecond);
      microseconds.push((used / many.placed) * 1e6);
      alone.push(one.medianMilliseconds);
    }
  }
  const [plain] = sides;
  const rows = sides.map(({ title, perSecond, microseconds, alone }) => {
    const beside = (own: readonly number[], theirs: readonly number[] = own) =>
      median(own.map((value, index) => value / (theirs[index] ?? value))).toFixed(2);
    return `| ${title} | ${median(microseconds).toFixed(0)} | ${beside(microseconds, plain?.microseconds)} | ${median(perSecond).toFixed(0)} | ${beside(perSecond, plain?.perSecond)} | ${median(alone).toFixed(2)} ms |`;
  });
  process.stdout.write(
    [
      '| | µs of PostgreSQL for each order | beside one group | orders/s | beside one group | one client, median |',
      '|---|---|---|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  );
}

/** Of a server on this machine. */
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
