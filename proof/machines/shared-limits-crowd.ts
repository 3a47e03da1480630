// Proves the shared limits: three processes on one PostgreSQL and one Valkey, and clients that exceed their limits while the
// server is restarted, frozen and away.
// A request was admitted at some moment between sending and answer. A window counts as too full only if it is so for every
// choice of these moments, so each finding is real.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { createRandom, type Random } from '../../src/setup/demo-year/seeded-random.ts';
import { readMetrics } from '../../test/harness/read-metrics.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import type { ThrowawayValkey } from './throwaway-valkey.ts';

export interface SharedLimitsOptions {
  readonly databaseUrl: string;
  readonly valkey: ThrowawayValkey;
  readonly seed: number;
  readonly disturbances: readonly Disturbance[];
  readonly patienceMilliseconds: number | null;
  readonly say: (sentence: string) => void;
}

export const disturbances = ['restarted', 'frozen', 'gone'] as const;
export type Disturbance = (typeof disturbances)[number];

export interface SharedLimitsReport {
  readonly admitted: number;
  readonly refused: number;
  readonly calmWindows: number;
  readonly fullest: Readonly<Record<string, string>>;
  readonly fullestDisturbed: Readonly<Record<string, string>>;
  readonly milliseconds: number;
}

interface Customer {
  readonly name: string;
  readonly limit: number;
  readonly rest: number;
  readonly on: number;
  readonly off: number;
}

// Steady clients use up reservations slowly, which reveals leases that are too short.
const customers: readonly Customer[] = [
  { name: '60 a minute', limit: 60, rest: 250, on: 1_000, off: 0 },
  { name: '60 a minute in bursts', limit: 60, rest: 5, on: 300, off: 20_000 },
  { name: '600 a minute', limit: 600, rest: 100, on: 1_000, off: 0 },
  { name: '600 a minute in bursts', limit: 600, rest: 10, on: 5_000, off: 30_000 },
  { name: '1200 a minute', limit: 1_200, rest: 40, on: 1_000, off: 0 },
  { name: '3000 a minute by day', limit: 3_000, rest: 40, on: 40_000, off: 25_000 },
  { name: '6000 a minute', limit: 6_000, rest: 15, on: 1_000, off: 0 },
];
const processCount = 3;
const windowMilliseconds = 60_000;
/** Enough for an undisturbed window and the leases of the next one. */
const calmMilliseconds = 76_000;
const disturbedMilliseconds: Readonly<Record<Disturbance, number>> = {
  restarted: 0,
  frozen: 5_000,
  gone: 10_000,
};
const pollMilliseconds = 20;
const logMilliseconds = 20;
const heldShare = 0.01;
const leaseMilliseconds = 500;
const refusalsJudged = 400;
const lostEvent = 'shared limits lost';
const restoredEvent = 'shared limits restored';

interface Asked {
  readonly process: number;
  readonly sentAt: number;
  readonly answeredAt: number;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

export async function runSharedLimits(options: SharedLimitsOptions): Promise<SharedLimitsReport> {
  const { databaseUrl, valkey, seed, say } = options;
  const random = createRandom(seed);
  const adminKey = mintApiKey('live');
  const environment = {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: randomBytes(32).toString('hex'),
    ADMIN_API_KEY: adminKey,
    VALKEY_URL: valkey.url,
    PATIENCE_MILLISECONDS: String(options.patienceMilliseconds ?? 0),
  };
  const preloads = ['proof/machines/patient-limits.ts'];
  const services: ServiceProcess[] = [];
  let isOver = false;
  try {
    for (let count = 0; count < processCount; count += 1)
      services.push(await startServiceProcess({ environment, preloads }));
    const admin = createApiClient(services[0]?.address ?? '', adminKey);
    const books = await Promise.all(customers.map((customer) => openBook(admin, customer, seed)));
    const clients = books.flatMap((book) =>
      services.map(({ address }, process) =>
        knock(createApiClient(address, book.key), book, process, random, () => isOver),
      ),
    );
    const failed = Promise.all(clients).then(() => undefined);
    const disturbed: Span[] = [];
    for (const disturbance of options.disturbances) {
      await Promise.race([failed, pause(calmMilliseconds)]);
      disturbed.push(await disturb(disturbance, services, valkey));
      say(`${disturbance}: the processes counted for themselves for ${seconds(disturbed.at(-1))} s`);
    }
    await Promise.race([failed, pause(calmMilliseconds)]);
    isOver = true;
    await failed;
    const alone = services.flatMap(({ logged }) => readAlone(logged(), options.disturbances.length));
    return judge(books, [...disturbed, ...alone]);
  } finally {
    isOver = true;
    for (const { kill } of services) kill('SIGKILL');
    await Promise.all(services.map(({ gone }) => gone));
  }
}

interface Book {
  readonly customer: Customer;
  readonly key: string;
  readonly admitted: Asked[];
  readonly refused: Asked[];
  slowest: number;
}

async function openBook(admin: ApiClient, customer: Customer, seed: number): Promise<Book> {
  const made = await admin.post('/api/admin/v1/accounts', {
    username: `${customer.name.replaceAll(' ', '-')}-${seed}`,
    group: 'reseller',
    rate_limit_per_minute: customer.limit,
  });
  assert.equal(made.status, 201, made.text);
  return { customer, key: made.body.api_key, admitted: [], refused: [], slowest: 0 };
}

async function knock(
  client: ApiClient,
  book: Book,
  process: number,
  random: Random,
  isOver: () => boolean,
): Promise<void> {
  const { rest, on, off } = book.customer;
  for (;;) {
    const until = performance.now() + on;
    while (performance.now() < until) {
      if (isOver()) return;
      const sentAt = performance.now();
      const { status, text } = await client.get('/packages');
      const answeredAt = performance.now();
      assert.ok(
        status === 200 || status === 429,
        `a request is admitted or limited, and nothing else: ${text}`,
      );
      (status === 200 ? book.admitted : book.refused).push({ process, sentAt, answeredAt });
      book.slowest = Math.max(book.slowest, answeredAt - sentAt);
      await pause(rest * (0.5 + random.below(1_000) / 1_000));
    }
    await pause(off);
  }
}

async function disturb(
  disturbance: Disturbance,
  services: readonly ServiceProcess[],
  valkey: ThrowawayValkey,
): Promise<Span> {
  const from = performance.now();
  if (disturbance === 'frozen') valkey.freeze();
  else await valkey.stop();
  if (disturbance === 'restarted') await valkey.start();
  else {
    await until(services, 0, 'each process says that it counts for itself');
    for (const { address } of services)
      assert.equal((await fetch(`${address}/readyz`)).status, 200, 'the service stays ready');
    await pause(disturbedMilliseconds[disturbance]);
    if (disturbance === 'frozen') valkey.thaw();
    else await valkey.start();
  }
  // Processes may notice a short restart late, so the check below must not come too early.
  await pause(500);
  await until(services, 1, 'each process says that they are counted together again');
  return { from, to: performance.now() };
}

async function until(services: readonly ServiceProcess[], up: 0 | 1, promise: string): Promise<void> {
  const deadline = performance.now() + windowMilliseconds;
  for (const service of services) {
    while ((await readMetrics(service)).get('sellthrough_shared_limits_up') !== up) {
      assert.ok(performance.now() < deadline, promise);
      await pause(pollMilliseconds);
    }
  }
}

/** The spans in which a process counted alone, by its log. Each start and end must be one line. */
function readAlone(log: string, disturbanceCount: number): readonly Span[] {
  const lines = log
    .split('\n')
    .flatMap((line) => (line.startsWith('{') && line.endsWith('}') ? [JSON.parse(line)] : []))
    .filter(({ msg }) => msg === lostEvent || msg === restoredEvent)
    .map(({ msg, time }) => ({ msg, at: Date.parse(time) - performance.timeOrigin }));
  const spans: Span[] = [];
  for (const [place, { msg, at }] of lines.entries()) {
    const isBeginning = place % 2 === 0;
    assert.equal(msg, isBeginning ? lostEvent : restoredEvent, 'each change is in the log, once');
    const end = lines[place + 1];
    assert.ok(!isBeginning || end !== undefined, 'each end of it is in the log');
    // The log's time may be slightly earlier.
    if (isBeginning && end !== undefined)
      spans.push({ from: at - logMilliseconds, to: end.at + logMilliseconds });
  }
  assert.ok(
    spans.length >= disturbanceCount,
    `it is in the log ${disturbanceCount} times, not ${spans.length}`,
  );
  return spans;
}

function judge(books: readonly Book[], disturbed: readonly Span[]): SharedLimitsReport {
  const fullest: Record<string, string> = {};
  const fullestDisturbed: Record<string, string> = {};
  let calmWindows = 0;
  for (const { customer, admitted, refused } of books) {
    const { name, limit, off } = customer;
    const isTouched = (from: number) =>
      disturbed.some((span) => span.from < from + windowMilliseconds && from < span.to);
    const windows = windowsOf(admitted);
    const calm = windows.filter(({ from }) => !isTouched(from));
    const touched = windows.filter(({ from }) => isTouched(from));
    calmWindows += calm.length;
    assert.ok(calm.length > 0, `${name}: no window was left alone: the machine is too busy for this proof`);
    fullest[name] = String(most(calm));
    assert.ok(
      most(calm) <= limit,
      `${name}: no window of 60 seconds admits more than the limit, not ${most(calm)}`,
    );
    if (off === 0 && limit <= 60)
      assert.ok(most(calm) > limit * 0.9, `${name}: the limit is reached, not only ${most(calm)}`);
    const unjust = findUnjust(admitted, refused, limit, isTouched);
    assert.equal(unjust, null, `${name}: no one is refused before the limit: ${unjust}`);
    if (touched.length > 0) fullestDisturbed[name] = String(most(touched));
    for (let process = 0; process < processCount; process += 1) {
      const own = most(windowsOf(admitted.filter((each) => each.process === process)));
      assert.ok(own <= limit, `${name}: a process alone admits no more than the limit, not ${own}`);
    }
  }
  return {
    admitted: books.reduce((sum, { admitted }) => sum + admitted.length, 0),
    refused: books.reduce((sum, { refused }) => sum + refused.length, 0),
    calmWindows,
    fullest,
    fullestDisturbed,
    milliseconds: Math.max(...books.map(({ slowest }) => slowest)),
  };
}

interface Window {
  readonly from: number;
  readonly count: number;
}

function windowsOf(admitted: readonly Asked[]): readonly Window[] {
  const sorted = admitted.toSorted((one, other) => one.sentAt - other.sentAt);
  return sorted.map(({ sentAt: from }, place) => {
    let count = 0;
    for (let index = place; index < sorted.length; index += 1) {
      const each = sorted[index];
      if (each === undefined || each.sentAt >= from + windowMilliseconds) break;
      if (each.answeredAt < from + windowMilliseconds) count += 1;
    }
    return { from, count };
  });
}

/** Finds the first refusal that is wrong for every choice of moments, even with all possible reservations; null: none. */
function findUnjust(
  admitted: readonly Asked[],
  refused: readonly Asked[],
  limit: number,
  isTouched: (from: number) => boolean,
): string | null {
  const held = Math.floor(limit * heldShare) * processCount;
  const every = Math.ceil(refused.length / refusalsJudged);
  for (const [place, { sentAt, answeredAt }] of refused.entries()) {
    const from = sentAt - windowMilliseconds - leaseMilliseconds;
    if (place % every !== 0 || isTouched(from) || isTouched(sentAt - windowMilliseconds)) continue;
    const counted = admitted.filter((each) => each.answeredAt > from && each.sentAt < answeredAt).length;
    if (counted + held < limit) return `${counted} of ${limit}`;
  }
  return null;
}

function most(windows: readonly Window[]): number {
  return windows.reduce((max, { count }) => Math.max(max, count), 0);
}

function seconds(span: Span | undefined): string {
  return span === undefined ? '0' : ((span.to - span.from) / 1000).toFixed(1);
}
