// npm run bench:shared-limits [-- --rounds N] [--seconds N] [--accounts N]: what it costs to count limits over all processes.
// Sends GET /packages, which is answered from memory, to a service that counts by itself, to one that reserves for busy
// accounts, and to one that calls the limits server in every event-loop turn, because its keys have their own limits. They take
// turns; medians are printed as a table. Needs valkey-server or redis-server. The service's PostgreSQL is idle.

import { parseArgs } from 'node:util';
import { startThrowawayValkey, valkeyProblem } from '../proof/machines/throwaway-valkey.ts';
import { createPostgresShopDatabase } from './bench-database.ts';
import { wholeNumber } from './bench-options.ts';
import { createAdminClient, openShop, prepareShop, type Shop } from './bench-shop.ts';
import { closeOnInterrupt, openStage, type Stage } from './bench-stage.ts';
import { median } from './figures.ts';
import { findLoadGenerator } from './load-generator.ts';
import { forEach } from './measurements.ts';
import { cpuSeconds } from './process-figures.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    // Each account may send 16,666 requests a second.
    accounts: { type: 'string', default: '20' },
  },
});
const rounds = wholeNumber('--rounds', values.rounds, 1, 100);
const seconds = wholeNumber('--seconds', values.seconds, 1, 60);
const accounts = wholeNumber('--accounts', values.accounts, 2, 1_000);
const connections = 64;
const keyRateLimitPerMinute = 1_000_000;

const problem = valkeyProblem();
if (problem !== null) {
  process.stderr.write(`${problem}\n`);
  process.exit(2);
}
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
  readonly title: string;
  readonly shop: Shop;
  readonly perSecond: number[];
  readonly milliseconds: number[];
  /** CPU time of the service per request, with many connections. */
  readonly cpuMicroseconds: number[];
}

async function measure(stage: Stage): Promise<void> {
  const generator = await findLoadGenerator(stage);
  const valkey = await startThrowawayValkey();
  stage.later(() => valkey.remove());
  const database = await createPostgresShopDatabase(stage, 'limits');
  const plan = await prepareShop(stage, database, { count: accounts });
  const environment = { ...database.environment, VALKEY_URL: valkey.url };
  const alone = await openShop(stage, database, plan);
  const ask = createAdminClient(alone.address, plan.adminKey);
  const limited = [];
  for (const { id } of plan.accounts) {
    const body = { name: 'Benchmark', rate_limit_per_minute: keyRateLimitPerMinute };
    const made = await ask('POST', `/accounts/${id}/keys`, body);
    limited.push({ id, key: String(made['api_key']) });
  }
  const side = (title: string, shop: Shop): Side => ({
    title,
    shop,
    perSecond: [],
    milliseconds: [],
    cpuMicroseconds: [],
  });
  const sides = [
    side('in the process', alone),
    side('busy accounts taken ahead', await openShop(stage, { ...database, environment }, plan)),
    side(
      'one call for each turn of the event loop',
      await openShop(stage, { ...database, environment }, { ...plan, accounts: limited }),
    ),
  ];
  for (let round = -1; round < rounds; round += 1) {
    for (const { shop, perSecond, milliseconds, cpuMicroseconds } of sides) {
      const load = {
        address: shop.address,
        seconds,
        requests: { kind: 'gets', targets: forEach(shop.accounts, '/packages') },
      } as const;
      const cpu = () => cpuSeconds(shop.pid) ?? Number.NaN;
      const before = cpu();
      const many = await generator.run({ ...load, connections });
      const used = cpu() - before;
      const one = await generator.run({ ...load, connections: 1 });
      // The first round warms up.
      if (round < 0) continue;
      perSecond.push(many.perSecond);
      cpuMicroseconds.push((used / many.answered) * 1e6);
      milliseconds.push(one.medianMilliseconds);
    }
  }
  const rows = sides.map(({ title, perSecond, milliseconds, cpuMicroseconds }) => {
    const range = [Math.min(...perSecond), Math.max(...perSecond)]
      .map((each) => (each / 1000).toFixed(1))
      .join('–');
    return `| ${title} | ${(median(perSecond) / 1000).toFixed(1)}k/s (${range}) | ${median(cpuMicroseconds).toFixed(0)} µs | ${median(milliseconds).toFixed(3)} ms |`;
  });
  process.stdout.write(
    `${valkey.description}, ${generator.description}, ${rounds} rounds of ${seconds} s\n\n` +
      `| | GET /packages, ${connections} clients | CPU of the service for each | one client, median |\n|---|---|---|---|\n${rows.join('\n')}\n`,
  );
}
