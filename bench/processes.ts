// npm run bench:processes [-- --rounds N] [--seconds N] [--processes N]: what more processes of the service gain or cost on one
// PostgreSQL server. Sends orders over 128 connections to one process, to two, and so on, in turns, and prints the medians as
// a table. Answered orders must be in the database.

import { parseArgs } from 'node:util';
import { createPostgresShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { openShop, prepareShop, type Shop } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { median } from './figures.ts';
import { LoadFailed } from './load.ts';
import { findLoadGenerator } from './load-generator.ts';
import { keysOf } from './measurements.ts';
import { cpuSeconds, cpuSecondsOfFamily } from './process-figures.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    processes: { type: 'string', default: '3' },
  },
});
const rounds = wholeNumber('--rounds', values.rounds, 1, 100);
const seconds = wholeNumber('--seconds', values.seconds, 1, 60);
const processesMax = wholeNumber('--processes', values.processes, 1, 16);
const connections = 128;

const stage = await openStage();
const isInterrupted = closeOnInterrupt(() => stage.close());
try {
  await measure(stage);
} catch (error) {
  // An interruption breaks the run, so errors after it mean nothing.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await stage.close();
}

interface Side {
  readonly shops: readonly Shop[];
  readonly perSecond: number[];
  readonly milliseconds: number[];
  /** Per order, of all processes together. */
  readonly serviceMicroseconds: number[];
  readonly databaseMicroseconds: number[];
}

async function measure(stage: Stage): Promise<void> {
  const generator = await findLoadGenerator(stage);
  const database = await createPostgresShopDatabase(stage, 'processes');
  const plan = await prepareShop(stage, database);
  const shops: Shop[] = [];
  for (let index = 0; index < processesMax; index += 1) shops.push(await openShop(stage, database, plan));
  const sides = shops.map(
    (_, index): Side => ({
      shops: shops.slice(0, index + 1),
      perSecond: [],
      milliseconds: [],
      serviceMicroseconds: [],
      databaseMicroseconds: [],
    }),
  );
  const postgres = stage.postgres.pid();
  let answeredOfAll = 0;
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const cpuOfServices = () =>
        side.shops.reduce((sum, { pid }) => sum + (cpuSeconds(pid) ?? Number.NaN), 0);
      const cpuOfPostgres = () =>
        (postgres === undefined ? null : cpuSecondsOfFamily(postgres)) ?? Number.NaN;
      const before = { services: cpuOfServices(), postgres: cpuOfPostgres() };
      const results = await Promise.all(
        side.shops.map(({ address, packageId }, index) =>
          generator.run({
            address,
            seconds,
            connections: Math.floor(connections / side.shops.length),
            requests: {
              kind: 'orders',
              keys: keysOf(plan.accounts),
              packageId,
              keysInOrder: false,
              run: `r${round + 1}p${side.shops.length}i${index}`,
            },
          }),
        ),
      );
      const answered = results.reduce((sum, result) => sum + result.answered, 0);
      answeredOfAll += answered;
      if (round < 0) continue;
      side.perSecond.push(results.reduce((sum, { perSecond }) => sum + perSecond, 0));
      side.milliseconds.push(median(results.map(({ medianMilliseconds }) => medianMilliseconds)));
      side.serviceMicroseconds.push(((cpuOfServices() - before.services) / answered) * 1e6);
      side.databaseMicroseconds.push(((cpuOfPostgres() - before.postgres) / answered) * 1e6);
    }
  }
  const placed = (await shops[0]?.countOrders()) ?? 0;
  if (placed < answeredOfAll)
    throw new LoadFailed(`${answeredOfAll} orders were answered, but ${placed} are in the database.`);
  const rows = sides.map(({ shops, perSecond, milliseconds, serviceMicroseconds, databaseMicroseconds }) => {
    const range = `${Math.min(...perSecond).toFixed(0)}–${Math.max(...perSecond).toFixed(0)}`;
    return `| ${shops.length} | ${median(perSecond).toFixed(0)}/s (${range}) | ${median(milliseconds).toFixed(1)} ms | ${median(serviceMicroseconds).toFixed(0)} µs | ${median(databaseMicroseconds).toFixed(0)} µs |`;
  });
  process.stdout.write(
    `${generator.description}, ${rounds} rounds of ${seconds} s, ${connections} connections; ${answeredOfAll} orders answered, ${placed} placed\n\n` +
      `| Processes | Orders | Median | CPU of the services for each | CPU of PostgreSQL for each |\n|---|---|---|---|---|\n${rows.join('\n')}\n`,
  );
}
