// The command line of `npm run bench`: what to measure, how many times and for how long. Read once by bench.ts.

import { parseArgs } from 'node:util';
import { statementSettings } from './statement-costs.ts';

export const pieceNames = [
  'orders',
  'bulk',
  'tpcb',
  'textbook',
  'reads',
  'one-client',
  'embedded',
  'beside',
  'age',
  'start',
] as const;
export type PieceName = (typeof pieceNames)[number];

export interface BenchOptions {
  readonly rounds: number;
  /** The length of each measurement, without its warm-up. */
  readonly seconds: number;
  readonly warmupSeconds: number;
  readonly pieces: ReadonlySet<PieceName>;
  /** Orders and customers of the aged history. */
  readonly agedOrders: number;
  readonly agedCustomers: number;
  /** The number of account groups of the young service on PostgreSQL. */
  readonly accountGroups: number;
  /** Packages on sale besides the demo's. */
  readonly packages: number;
  /** Each account has a price of its own for each of them. */
  readonly accountPrices: boolean;
  /** Settings of the PostgreSQL server that replace its defaults. */
  readonly settings: Readonly<Record<string, string>>;
  readonly write: boolean;
  readonly profile: boolean;
  readonly statements: boolean;
  readonly verify: boolean;
}

export const usage = `npm run bench -- [options]

  --rounds N       rounds over all pieces (3)
  --seconds N      length of each measurement (10)
  --only PIECE     one piece, may be repeated: ${pieceNames.join(', ')}
  --orders N       orders of the aged history (5000000; 20000 or more)
  --customers N    customers of the aged history (a fifth of the orders)
  --setting N=V    a setting of the PostgreSQL server, may be repeated: shared_buffers=1GB
  --packages N     packages on sale besides the demo's (0)
  --account-prices each account has a price of its own for each of them
  --groups N       the accounts of the young service on PostgreSQL are in N groups (1)
  --verify         run "sellthrough verify" on every database that was loaded
  --profile        run the service of the pieces "orders" and "bulk" with --cpu-prof: prints where its time went, keeps the profiles
  --statements     print what each statement of an order costs PostgreSQL (pg_stat_statements)
  --write          write the tables into docs/performance.md
`;

// One account has half of the orders, and its list must have a page 10,000.
const agedOrdersMin = 20_000;

/** @throws Error with a sentence for an option that is not understood */
export function readBenchOptions(words: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...words],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '10' },
      only: { type: 'string', multiple: true, default: [] },
      orders: { type: 'string', default: '5000000' },
      customers: { type: 'string' },
      setting: { type: 'string', multiple: true, default: [] },
      groups: { type: 'string', default: '1' },
      packages: { type: 'string', default: '0' },
      'account-prices': { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      statements: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const seconds = wholeNumber('--seconds', values.seconds, 1, 600);
  const agedOrders = wholeNumber('--orders', values.orders, agedOrdersMin, 100_000_000);
  const customers = values.customers ?? String(Math.floor(agedOrders / 5));
  return {
    rounds: wholeNumber('--rounds', values.rounds, 1, 100),
    seconds,
    warmupSeconds: Math.min(3, seconds),
    pieces: new Set(values.only.length === 0 ? pieceNames : values.only.map(pieceName)),
    agedOrders,
    agedCustomers: wholeNumber('--customers', customers, 1_000, agedOrders),
    accountGroups: wholeNumber('--groups', values.groups, 1, 64),
    packages: wholeNumber('--packages', values.packages, 0, 199),
    accountPrices: values['account-prices'],
    settings: {
      ...(values.statements ? statementSettings : {}),
      ...Object.fromEntries(values.setting.map(settingOf)),
    },
    write: values.write,
    profile: values.profile,
    statements: values.statements,
    verify: values.verify,
  };
}

function pieceName(text: string): PieceName {
  const found = pieceNames.find((name) => name === text);
  if (found === undefined) throw new Error(`--only takes ${pieceNames.join(', ')}, not "${text}".`);
  return found;
}

function settingOf(text: string): [string, string] {
  const [, name, value] = /^([a-z_.]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`--setting takes name=value, such as shared_buffers=1GB, not "${text}".`);
  return [name, value];
}

/** @throws Error with a sentence */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) {
    throw new Error(`${option} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return number;
}
