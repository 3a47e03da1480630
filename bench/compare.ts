// npm run bench:compare -- FOLDER [--load NAME]… [--pairs N] [--seconds N] [--groups N] [--packages N] [--account-prices]:
// compares this checkout with another one, in short loads that take turns, so that other work on the machine affects both alike. Prints medians, and the median
// of each pair's ratio: what a change did to throughput and to the CPU of an order or request.
// `--groups N` divides the accounts of this checkout into N groups, `--account-prices` gives each a price of its own for
// every package, `--packages N` puts N more packages on sale, on both sides. Each side runs its own service on its own PostgreSQL
// server, through its own bench/.

import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { wholeNumber } from './bench-options.ts';
import { closeOnInterrupt, type Stage } from './bench-stage.ts';
import { median } from './figures.ts';

const loads = ['orders', 'single', 'one-client', 'embedded', 'packages', 'balance', 'page'] as const;
type LoadName = (typeof loads)[number];

interface Taken {
  readonly perSecond: number;
  /** Microseconds of CPU per answer; NaN where the system does not report them. */
  readonly service: number;
  readonly database: number;
}

interface Side {
  take(load: LoadName): Promise<Taken>;
}

const warmups = 3;
const connections = 128;

const { folder, wanted, pairs, seconds, groups, packages, accountPrices } = readWords();
const sides: Side[] = [];
const stages: Stage[] = [];
const closeStages = () => Promise.all(stages.map((stage) => stage.close()));
const isInterrupted = closeOnInterrupt(closeStages);
try {
  const withPackages = packages === 0 ? [] : ['--packages', String(packages)];
  sides.push(await openSide(resolve(folder), withPackages));
  const inGroups = groups === 1 ? [] : ['--groups', String(groups)];
  const withPrices = accountPrices ? ['--account-prices'] : [];
  sides.push(
    await openSide(fileURLToPath(new URL('..', import.meta.url)), [
      ...inGroups,
      ...withPackages,
      ...withPrices,
    ]),
  );
  for (const load of wanted) await compare(load);
} catch (error) {
  // An interruption breaks the run, so errors after it mean nothing.
  if (!isInterrupted()) throw error;
} finally {
  if (!isInterrupted()) await closeStages();
}

function readWords() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        load: { type: 'string', multiple: true, default: ['orders'] },
        pairs: { type: 'string', default: '12' },
        seconds: { type: 'string', default: '2' },
        groups: { type: 'string', default: '1' },
        packages: { type: 'string', default: '0' },
        'account-prices': { type: 'boolean', default: false },
      },
    });
    const [folder, ...others] = positionals;
    if (folder === undefined || others.length > 0) throw new Error('One folder is wanted: another checkout.');
    const unknown = values.load.find((name) => !loads.some((load) => load === name));
    if (unknown !== undefined) throw new Error(`--load takes ${loads.join(', ')}, not "${unknown}".`);
    return {
      folder,
      wanted: loads.filter((load) => values.load.includes(load)),
      pairs: wholeNumber('--pairs', values.pairs, 1, 1_000),
      seconds: wholeNumber('--seconds', values.seconds, 1, 600),
      groups: wholeNumber('--groups', values.groups, 1, 64),
      packages: wholeNumber('--packages', values.packages, 0, 199),
      accountPrices: values['account-prices'],
    };
  } catch (error) {
    process.stderr.write(`bench:compare: ${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(2);
  }
}

async function compare(load: LoadName): Promise<void> {
  for (const side of sides) for (let time = 0; time < warmups; time += 1) await side.take(load);
  const taken: Taken[][] = sides.map(() => []);
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      const found = await sides[index]?.take(load);
      if (found !== undefined) taken[index]?.push(found);
    }
  }
  const [theirs = [], ours = []] = taken;
  const line = (title: string, read: (one: Taken) => number) => {
    const ratio = median(ours.map((one, index) => read(one) / read(theirs[index] ?? one)));
    const middle = (side: readonly Taken[]) => median(side.map(read)).toFixed(0).padStart(8);
    process.stdout.write(
      `${load.padEnd(11)} ${title.padEnd(24)}${middle(theirs)}${middle(ours)}   × ${ratio.toFixed(2)}\n`,
    );
  };
  line('per second', (one) => one.perSecond);
  line('µs of the service', (one) => one.service);
  if (load !== 'embedded') line('µs of PostgreSQL', (one) => one.database);
}

async function openSide(root: string, words: readonly string[]): Promise<Side> {
  const load = <Module>(name: string): Promise<Module> =>
    import(pathToFileURL(join(root, 'bench', `${name}.ts`)).href);
  const { readBenchOptions } = await load<typeof import('./bench-options.ts')>('bench-options');
  const { openStage } = await load<typeof import('./bench-stage.ts')>('bench-stage');
  const { createBenchServers } = await load<typeof import('./bench-servers.ts')>('bench-servers');
  const { findLoadGenerator } = await load<typeof import('./load-generator.ts')>('load-generator');
  const { loadWithOrders } = await load<typeof import('./order-load.ts')>('order-load');
  const { forEach, keysOf } = await load<typeof import('./measurements.ts')>('measurements');
  const { cpuSeconds, cpuSecondsOfFamily } =
    await load<typeof import('./process-figures.ts')>('process-figures');

  const stage = await openStage();
  stages.push(stage);
  const generator = await findLoadGenerator(stage);
  const bench = readBenchOptions(words);
  if (bench === 'help') throw new Error('No option asks for help.');
  const servers = createBenchServers(stage, generator, bench);
  return {
    async take(name) {
      const shop = await (name === 'embedded' ? servers.embedded() : servers.young());
      const { address, accounts, single, pid } = shop;
      const cpu = () => [
        cpuSeconds(pid) ?? Number.NaN,
        cpuSecondsOfFamily(stage.postgres.pid() ?? 0) ?? Number.NaN,
      ];
      const [service = 0, database = 0] = cpu();
      let answered: number;
      let perSecond: number;
      if (name === 'packages' || name === 'balance' || name === 'page') {
        // The page shows the orders that earlier loads have placed.
        const path = name === 'page' ? '/orders?page=1' : `/${name}`;
        const requests = { kind: 'gets', targets: forEach(accounts, path) } as const;
        ({ answered, perSecond } = await generator.run({ address, connections, seconds, requests }));
      } else {
        const keys = name === 'single' || name === 'one-client' ? [single.key] : keysOf(accounts);
        const load = { keys, seconds, connections: name === 'one-client' ? 1 : connections };
        ({ placed: answered, perSecond } = await loadWithOrders(generator, shop, load));
      }
      const [serviceAfter = 0, databaseAfter = 0] = cpu();
      const each = (from: number, to: number) => ((to - from) / answered) * 1e6;
      return { perSecond, service: each(service, serviceAfter), database: each(database, databaseAfter) };
    },
  };
}
