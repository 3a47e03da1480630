// Breaks the database in many ways under a real service process on its own PostgreSQL server, while clients repeat each
// order with its key. Called by test/process/broken-database.test.ts (short) and long-broken-database.ts.
// Invariant: the process lives; every answer is 200, 201, or 503 with Retry-After; every acknowledged order exists once; no
// session leaks.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  type StopMode,
  startThrowawayPostgres,
  type ThrowawayPostgres,
} from '../../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { createRandom, type Random } from '../../src/setup/demo-year/seeded-random.ts';
import { startTcpProxy, type TcpProxy } from '../../test/harness/tcp-proxy.ts';
import { startDeliveryWitness } from './delivery-witness.ts';
import {
  type Attempt,
  compareBooks,
  emptyJournal,
  isRefusedForGood,
  type Journal,
  openShop,
  type Shop,
  startRetryingClients,
  untilTaken,
} from './kill-proof.ts';
import { send, serverProcesses } from './server-processes.ts';
import { type ServiceProcess, startPatiently, whenThisEnds } from './service-process.ts';

export const sceneNames = ['server', 'network', 'small disk'] as const;
export type Scene = (typeof sceneNames)[number];

export interface BreakableService {
  breakDatabase(options: BrokenDatabaseOptions): Promise<BrokenDatabaseReport>;
  end(): Promise<readonly string[]>;
}

export interface BrokenDatabaseOptions {
  readonly breakage: BreakageName;
  readonly seed: number;
  /** Few repetitions. An outage ends as soon as a client has received a 503. */
  readonly isShort?: boolean;
}

export interface BrokenDatabaseReport {
  readonly breakage: BreakageName;
  readonly ordersAcknowledged: number;
  readonly unknownOutcomesRetried: number;
  readonly answersByStatus: Readonly<Record<string, number>>;
  readonly readsByStatus: Readonly<Record<string, number>>;
  readonly recoveries: readonly Recovery[];
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly verify: readonly string[];
  /** All other failures, one sentence each: a death, a wrong answer, no recovery, leaked sessions. */
  readonly problems: readonly string[];
}

/** Milliseconds from the database's return until a request that was sent after it is answered with 201. */
export interface Recovery {
  readonly first: number;
  readonly everyAccount: number;
}

const clientCountBusy = 6;
const readerCountBusy = 2;
const clientCountShort = 3;
const customersPerAccount = 200;
/** The short form tests moments rather than load, so its clients pause and leave the CPU to other tests. */
const restMillisecondsShort = 60;
const { orderConnections, lookupConnections, readConnections } = defaultLimits.database;
const sessionsMax = orderConnections + lookupConnections + readConnections + 1;

interface Stage {
  readonly postgres: ThrowawayPostgres;
  readonly proxy: TcpProxy;
  readonly relay: StallingRelay;
  readonly disk: SmallDisk;
  readonly random: Random;
  readonly isShort: boolean;
  ask(statement: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  placed(count: number): Promise<void>;
  /** Resolves when the next order is refused (503, if correct), or after this many more orders. */
  refused(unlessPlaced?: number): Promise<void>;
  /** Resolves when an order was refused, so that no outage goes unnoticed; in the long form not before this time. */
  outage(milliseconds: number, unlessPlaced?: number): Promise<unknown>;
  readAtOnce(): Promise<void>;
  lift(work: () => unknown): Promise<void>;
}

interface Breakage {
  readonly scene: Scene;
  readonly isQuiet?: boolean;
  readonly refusedMax?: number;
  run(stage: Stage): Promise<void>;
}

const connectionsMax = 30;

const scenes: Readonly<
  Record<Scene, { settings: Readonly<Record<string, string>>; diskMegabytes?: number }>
> = {
  server: { settings: { max_connections: String(connectionsMax), superuser_reserved_connections: '0' } },
  network: { settings: {} },
  'small disk': { settings: { max_wal_size: '32MB', min_wal_size: '32MB' }, diskMegabytes: 160 },
};

const commit = /^commit$/i;
const ownSessions = `from pg_stat_activity where application_name like 'sellthrough%'`;

function stopped(mode: StopMode): Breakage {
  return {
    scene: 'server',
    async run({ postgres, random, isShort, lift }) {
      await postgres.stop(mode);
      if (!isShort) await pause(random.below(8_000));
      await lift(() => postgres.start());
    },
  };
}

const breakages = {
  'server killed': {
    scene: 'server',
    async run({ postgres, random, isShort, lift }) {
      send('SIGKILL', serverProcesses(postgres));
      await postgres.stop('kill');
      if (!isShort) await pause(random.below(8_000));
      await lift(() => postgres.start());
    },
  },
  'stopped immediate': stopped('immediate'),
  'restarted fast': stopped('fast'),
  /** Kills one backend of the service. The server then ends all others and recovers. */
  'backend killed': {
    scene: 'server',
    async run({ random, ask, lift }) {
      const pids = await servicePids(ask);
      send('SIGKILL', [random.pick(pids)]);
      await lift(async () => {
        const left = `select 1 from pg_stat_activity where pid = any($1::int[])`;
        while ((await ask(left, [pids]).catch(() => ['not yet'])).length > 0) await pause(pollMilliseconds);
      });
    },
  },
  'backends terminated': {
    scene: 'server',
    run: (stage) =>
      repeat(stage, 30, async ({ ask, lift }) => {
        await lift(() => ask(`select pg_terminate_backend(pid) ${ownSessions}`));
      }),
  },
  'connections cut': {
    scene: 'network',
    run: (stage) =>
      repeat(stage, 40, async ({ relay, random, lift }) => {
        await pause(random.below(20));
        await lift(() => relay.cut());
      }),
  },
  'connections cut at commit': {
    scene: 'network',
    run: (stage) =>
      repeat(stage, 40, async ({ proxy, random, lift }) => {
        const how = random.pick([
          'cut before',
          'cut behind',
          'cut before receipt',
          'cut during receipt',
        ] as const);
        await lift(() => proxy.breakAt(commit, how));
      }),
  },
  'connections half open': {
    scene: 'network',
    async run({ relay, random, outage, lift }) {
      relay.stall();
      await outage(3_000 + random.below(7_000));
      await lift(() => relay.forget());
    },
  },
  'connections forgotten': {
    scene: 'network',
    run: ({ relay, lift }) => lift(() => relay.forget()),
  },
  'idle connections forgotten': {
    scene: 'network',
    isQuiet: true,
    // After one silent session, a client must not wait for the others one by one.
    refusedMax: 2,
    run: ({ relay, lift }) => lift(() => relay.forget()),
  },
  /** Nothing is lost, but bytes, new connections and closes arrive late. */
  'network stalled': {
    scene: 'network',
    async run({ relay, outage, lift }) {
      relay.stall();
      await outage(10_000);
      await lift(() => relay.flow());
    },
  },
  'backends stalled': {
    scene: 'server',
    run: async (stage) => whileStopped(await servicePids(stage.ask), stage),
  },
  'server stalled': {
    scene: 'server',
    run: (stage) => whileStopped(serverProcesses(stage.postgres), stage),
  },
  'server read-only': {
    scene: 'server',
    async run({ ask, outage, lift, random }) {
      const become = (state: 'on' | 'off') => setForAll(ask, 'default_transaction_read_only', state);
      await become('on');
      await outage(random.below(10_000));
      await lift(() => become('off'));
    },
  },
  'new sessions read-only': {
    scene: 'server',
    async run({ ask, outage, readAtOnce, lift, random }) {
      await ask('alter database postgres set default_transaction_read_only = on');
      await ask(`select pg_terminate_backend(pid) ${ownSessions}`);
      await outage(random.below(10_000));
      await readAtOnce();
      await lift(() =>
        ask('begin read write; alter database postgres reset default_transaction_read_only; commit'),
      );
    },
  },
  'disk full': {
    scene: 'small disk',
    async run({ disk, postgres, ask, outage, lift, random }) {
      disk.fill();
      await outage(2_000 + random.below(8_000));
      disk.clear();
      await lift(() => standsAgain(postgres, ask));
    },
  },
  /** The server has no room for its next WAL file, so it panics. */
  'disk full for the log': {
    scene: 'small disk',
    async run({ disk, postgres, ask, outage, lift, random }) {
      disk.fill();
      let isOver = false;
      const switching = (async () => {
        while (!isOver) {
          await ask('select pg_switch_wal()').catch(() => undefined);
          await pause(pollMilliseconds);
        }
      })();
      await outage(2_000 + random.below(8_000));
      isOver = true;
      await switching;
      disk.clear();
      await lift(() => standsAgain(postgres, ask));
    },
  },
  'connections taken': {
    scene: 'server',
    async run({ postgres, outage, lift, random }) {
      const others = await takeConnections(postgres.url, connectionsMax);
      await outage(random.below(10_000));
      await lift(() => Promise.all(others.map((client) => client.end())));
    },
  },
  'table locked': { scene: 'server', run: whileLocked },
  'table locked, locks time out': {
    scene: 'server',
    async run(stage) {
      await setForAll(stage.ask, 'lock_timeout', '500ms');
      await whileLocked(stage);
      await setForAll(stage.ask, 'lock_timeout', '0');
    },
  },
} as const satisfies Readonly<Record<string, Breakage>>;

export type BreakageName = keyof typeof breakages;

export const breakageNames = Object.keys(breakages) as readonly BreakageName[];

export function sceneOf(name: BreakageName): Scene {
  return breakages[name].scene;
}

export function whyNotHere(scene: Scene): string | null {
  return scenes[scene].diskMegabytes === undefined ? null : whyNoSmallDisk();
}

/** `isShort`: the service waits only half as long for the database (short-waits.ts). */
export async function openBreakableService(
  scene: Scene,
  { isShort = false } = {},
): Promise<BreakableService> {
  const { settings, diskMegabytes } = scenes[scene];
  const endings: (() => unknown)[] = [];
  const endAll = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const disk = mountSmallDisk(diskMegabytes);
    endings.push(disk.remove);
    const postgres = await startThrowawayPostgres({
      settings,
      ...(disk.folder === null ? {} : { parentFolder: disk.folder }),
    });
    endings.push(postgres.remove);
    const proxy = await startTcpProxy(postgres.url);
    endings.push(proxy.close);
    const relay = await startStallingRelay(proxy.url());
    endings.push(relay.close);
    const adminKey = mintApiKey('live');
    const service = await startPatiently({
      environment: {
        PORT: '0',
        LOG_LEVEL: 'error',
        SECRET_KEY: randomBytes(32).toString('hex'),
        ADMIN_API_KEY: adminKey,
        OUTBOUND_ALLOW: '127.0.0.0/8',
        DATABASE_URL: scene === 'network' ? relay.url : postgres.url,
      },
      preloads: ['quick-jobs', ...(isShort ? ['short-waits'] : [])].map(
        (name) => `proof/machines/${name}.ts`,
      ),
    });
    endings.push(() => {
      service.kill('SIGKILL');
      return service.gone;
    });
    const shop = await openShop(service.address, adminKey);
    const witness = await startDeliveryWitness({ shop, address: service.address, adminKey, seed: 1 });
    endings.push(witness.close);
    const place = { disk, postgres, proxy, relay, service, adminKey, shop, journal: emptyJournal(shop) };
    return {
      async breakDatabase(options) {
        if (sceneOf(options.breakage) !== scene)
          throw new Error(`"${options.breakage}" needs another scene than "${scene}".`);
        return breakOnce(place, options);
      },
      async end() {
        const { problems } = await witness.check(service.address, adminKey);
        service.kill('SIGTERM');
        const { code, signal } = await service.gone;
        await endAll();
        return code === 0
          ? problems
          : [...problems, `After SIGTERM the process ended with ${code ?? signal}.`];
      },
    };
  } catch (error) {
    await endAll();
    throw error;
  }
}

interface Place {
  readonly disk: SmallDisk;
  readonly postgres: ThrowawayPostgres;
  readonly proxy: TcpProxy;
  readonly relay: StallingRelay;
  readonly service: ServiceProcess;
  readonly adminKey: string;
  readonly shop: Shop;
  readonly journal: Journal;
}

async function breakOnce(
  { disk, postgres, proxy, relay, service, adminKey, shop, journal }: Place,
  { breakage: name, seed, isShort = false }: BrokenDatabaseOptions,
): Promise<BrokenDatabaseReport> {
  const breakage: Breakage = breakages[name];
  const random = createRandom(seed);
  const admin = createApiClient(service.address, adminKey);
  const [busyClients, busyReaders] = isShort ? [clientCountShort, 1] : [clientCountBusy, readerCountBusy];
  const clientCount = breakage.isQuiet === true ? 1 : busyClients;
  const readerCount = breakage.isQuiet === true ? 0 : busyReaders;
  const readAtOnce = () => useEverySession(service, shop);
  const witness = createWitness(service, Math.min(clientCount, shop.accounts.length));
  const acknowledgedCount = () => [...journal.values()].reduce((sum, { length }) => sum + length, 0);
  const acknowledgedBefore = acknowledgedCount();
  await readAtOnce();

  const clients = startRetryingClients({
    ...{ shop, journal, seed, clientCount, customersPerAccount },
    keyPrefix: `${name.replaceAll(' ', '-')}-${acknowledgedBefore}`,
    restMilliseconds: isShort ? restMillisecondsShort : 0,
    address: () => service.address,
    onAttempt: witness.onAttempt,
  });
  const readers = startReaders(
    readerCount,
    service,
    shop,
    journal,
    seed,
    witness.onRead,
    isShort ? restMillisecondsShort : readPauseMilliseconds,
  );
  let books = { lost: [] as readonly string[], doubled: [] as readonly string[] };
  try {
    const { placed, refused, lift } = witness;
    const ask: Stage['ask'] = (statement, values) => askOnce(postgres.url, statement, values);
    const outage: Stage['outage'] = (milliseconds, unlessPlaced) =>
      Promise.all([refused(unlessPlaced), isShort ? null : pause(milliseconds)]);
    await placed(isShort ? 20 + random.below(20) : 50 + random.below(50));
    // Break at a random moment, because right after an answer no request is under way.
    await pause(random.below(20));
    await breakage.run({
      ...{ postgres, proxy, relay, disk, random, isShort, ask, outage, readAtOnce, placed, refused, lift },
    });
    await placed(isShort ? 20 : 50);
  } catch (error) {
    witness.add(error instanceof Error ? error.message : String(error));
  }
  try {
    await clients.finish();
    await readers.finish();
    witness.expectRefusedAtMost(breakage.refusedMax ?? Number.POSITIVE_INFINITY);
    await everySessionWrites(admin, shop, witness.add);
    books = await compareBooks(service.address, adminKey, journal);
    await witness.checkVerify(admin);
    relay.bury();
    await sessionsAreSound(postgres.url, witness.add);
  } catch (error) {
    witness.add(error instanceof Error ? error.message : String(error));
    await readers.finish();
  }
  return {
    breakage: name,
    ordersAcknowledged: acknowledgedCount() - acknowledgedBefore,
    unknownOutcomesRetried: clients.ordersAfterUnknown(),
    ...witness.report(),
    lost: books.lost,
    doubled: books.doubled,
  };
}

const recoveryMillisecondsMax = 60_000;
const problemsMax = 20;

function createWitness(service: ServiceProcess, accountCount: number) {
  const began = performance.now();
  const answersByStatus: Record<string, number> = {};
  const readsByStatus: Record<string, number> = {};
  const recoveries: Recovery[] = [];
  const problems: string[] = [];
  const verify: string[] = [];
  let placedCount = 0;
  let refusedCount = 0;
  let backAt = Number.POSITIVE_INFINITY;
  let firstOrderAt = new Map<number, number>();
  let isExpectedToEnd = false;
  const waits = new Set<{ isOver: () => boolean; end(error: Error | null): void }>();

  const add = (problem: string): void => {
    if (problems.length < problemsMax) problems.push(problem);
  };
  const count = (counts: Record<string, number>, answer: Answer | null): void => {
    const status = String(answer?.status ?? 'none');
    counts[status] = (counts[status] ?? 0) + 1;
  };

  service.gone.then(({ code, signal }) => {
    if (isExpectedToEnd) return;
    problems.unshift(`The process ended (${code ?? signal}): ${service.said().slice(-2_000)}`);
    for (const { end } of [...waits]) end(new Error('Nothing more can be tried without the process.'));
  });

  function until(what: string, isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (error: Error | null): void => {
        clearTimeout(patience);
        waits.delete(wait);
        if (error === null) resolve();
        else reject(error);
      };
      const wait = { isOver, end };
      const patience = setTimeout(
        () => end(new Error(`${recoveryMillisecondsMax} ms passed without ${what}.`)),
        recoveryMillisecondsMax,
      );
      waits.add(wait);
    });
  }

  return {
    add,
    onAttempt({ accountId, key, sentAt, answeredAt, answer }: Attempt): void {
      count(answersByStatus, answer);
      if (answer?.status === 201) {
        placedCount += 1;
        if (sentAt >= backAt && !firstOrderAt.has(accountId)) firstOrderAt.set(accountId, answeredAt);
      }
      const isDecided = answer !== null && (answer.status === 201 || isRefusedForGood(answer));
      if (!isDecided) refusedCount += 1;
      const wrong = isDecided ? null : wrongAnswer(answer, 201);
      const [from, to] = [sentAt, answeredAt].map((at) => Math.round(at - began));
      if (wrong !== null) add(`The order ${key}, sent at ${from} ms, was answered at ${to} ms: ${wrong}.`);
      for (const wait of [...waits]) if (wait.isOver()) wait.end(null);
    },
    onRead(path: string, answer: Answer | null): void {
      count(readsByStatus, answer);
      const wrong = wrongAnswer(answer, 200);
      if (wrong !== null) add(`GET ${path} was answered ${wrong}.`);
    },
    placed(wanted: number): Promise<void> {
      const from = placedCount;
      return until(`${wanted} more orders`, () => placedCount >= from + wanted);
    },
    refused(unlessPlaced = Number.POSITIVE_INFINITY): Promise<void> {
      const [refusedBefore, placedBefore] = [refusedCount, placedCount];
      return until(
        'an order that is refused',
        () => refusedCount > refusedBefore || placedCount >= placedBefore + unlessPlaced,
      );
    },
    async lift(work: () => unknown): Promise<void> {
      await work();
      firstOrderAt = new Map();
      backAt = performance.now();
      await until('an order of every account', () => firstOrderAt.size === accountCount);
      const times = [...firstOrderAt.values()].map((at) => Math.round(at - backAt));
      recoveries.push({ first: Math.min(...times), everyAccount: Math.max(...times) });
    },
    expectRefusedAtMost(max: number): void {
      if (refusedCount > max) add(`Orders were refused ${refusedCount} times, more than ${max}.`);
    },
    async checkVerify(admin: ApiClient): Promise<void> {
      const { status, body, text } = await untilTaken(() => admin.get('/api/admin/v1/verify'));
      if (status !== 200) verify.push(`${status}: ${text}`);
      else for (const problem of body.problems) verify.push(JSON.stringify(problem));
    },
    report() {
      isExpectedToEnd = true;
      if (problems.length > 0) problems.push(`The end of its log: ${service.logged().slice(-3_000)}`);
      return { answersByStatus, readsByStatus, recoveries, verify, problems };
    },
  };
}

function wrongAnswer(answer: Answer | null, expected: number): string | null {
  if (answer === null) return 'by a connection that broke';
  if (answer.status === expected) return null;
  if (answer.status !== 503) return `${answer.status}: ${answer.text}`;
  return /^[1-9]\d*$/.test(answer.headers.get('retry-after') ?? '') ? null : '503 without Retry-After';
}

type Add = (problem: string) => void;

const readPauseMilliseconds = 10;

function startReaders(
  readerCount: number,
  service: ServiceProcess,
  { accounts }: Shop,
  journal: Journal,
  seed: number,
  onRead: (path: string, answer: Answer | null) => void,
  pauseMilliseconds: number,
) {
  let isOver = false;
  async function read(number: number): Promise<void> {
    const random = createRandom(seed * 1_000 + 500 + number);
    while (!isOver) {
      const { id, key } = random.pick(accounts);
      const orders = journal.get(id) ?? [];
      const one = orders.length === 0 ? '/orders' : `/orders/${random.pick(orders).orderId}`;
      const path = random.pick(['/balance', '/orders?limit=5', one]);
      const request = createApiClient(service.address, key).get(path);
      onRead(path, await request.catch(() => null));
      await pause(pauseMilliseconds);
    }
  }
  const running = Promise.all(Array.from({ length: readerCount }, (_, number) => read(number)));
  return {
    async finish(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}

async function useEverySession(service: ServiceProcess, { accounts }: Shop): Promise<void> {
  const requests = Array.from({ length: (lookupConnections + readConnections) * 4 }, (_, index) => {
    const key = accounts[index % accounts.length]?.key ?? null;
    return createApiClient(service.address, key).get('/orders');
  });
  await Promise.all(requests);
}

/** Uses all sessions at once. Orders flow again, so no dead or read-only session may be left. */
async function everySessionWrites(admin: ApiClient, { accounts }: Shop, add: Add): Promise<void> {
  const answers: Answer[] = [];
  // As many at once as there are connections for changes: on a busy machine, more would be answered with 503.
  for (let wave = 0; wave < 4; wave += 1) {
    const changes = Array.from({ length: readConnections }, (_, index) =>
      admin.patch(`/api/admin/v1/accounts/${accounts[index % accounts.length]?.id}`, {
        display_name: `After ${wave} ${index}`,
      }),
    );
    answers.push(...(await Promise.all(changes)));
  }
  const refused = answers.flatMap(({ status }, place) => (status === 503 ? [place] : []));
  if (refused.length > 0)
    add(
      `Orders flow again, but of ${answers.length} changes these met a session left behind: ${refused.join(', ')}. ` +
        `The first was answered ${answers[refused[0] ?? 0]?.text}.`,
    );
  for (const answer of answers) {
    const wrong = wrongAnswer(answer, 200);
    if (wrong !== null) add(`A change of an account was answered ${wrong}.`);
  }
}

/** Checks the service's sessions: at most the allowed number, all of them idle, one of them listening. */
async function sessionsAreSound(url: string, add: Add): Promise<void> {
  const sound = `select count(*) <= $1 and count(*) filter (where state <> 'idle') = 0
      and count(*) filter (where query ilike 'listen %' or query = 'select 1') = 1 as is_sound,
      string_agg(format('%s: %s', state, query), '; ') as sessions ${ownSessions}`;
  const deadline = performance.now() + soundMillisecondsMax;
  for (;;) {
    const [row] = await askOnce(url, sound, [sessionsMax]);
    if (row?.['is_sound'] === true) return;
    if (performance.now() > deadline) return add(`Its sessions are ${row?.['sessions']}.`);
    await pause(pollMilliseconds);
  }
}

const pollMilliseconds = 20;
const soundMillisecondsMax = 10_000;

async function repeat(stage: Stage, times: number, once: (stage: Stage) => Promise<void>): Promise<void> {
  for (let turn = 0; turn < (stage.isShort ? Math.ceil(times / 10) : times); turn += 1) {
    await once(stage);
    await stage.placed(1 + stage.random.below(stage.isShort ? 10 : 40));
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function askOnce(
  url: string,
  statement: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = await connect(url);
  try {
    return (await client.query(statement, [...values])).rows;
  } finally {
    await client.end();
  }
}

async function setForAll(ask: Stage['ask'], setting: string, value: string): Promise<void> {
  await ask(`alter system set ${setting} = '${value}'`);
  await ask('select pg_reload_conf()');
  while ((await ask(`show ${setting}`))[0]?.[setting] !== value) await pause(pollMilliseconds);
}

async function servicePids(ask: Stage['ask']): Promise<number[]> {
  return (await ask(`select pid ${ownSessions}`)).map(({ pid }) => Number(pid));
}

async function whileStopped(pids: readonly number[], { outage, lift }: Stage): Promise<void> {
  const goOn = () => send('SIGCONT', pids);
  // If this process ends first, the stopped processes must continue: otherwise they would never end.
  const disarm = whenThisEnds('kill -CONT "$@"', pids.map(String));
  try {
    send('SIGSTOP', pids);
    // If no stopped process holds a lock, orders continue on new sessions and none is refused.
    await outage(10_000, 100);
    await lift(goOn);
  } finally {
    goOn();
    disarm();
  }
}

async function whileLocked({ postgres, outage, lift, random }: Stage): Promise<void> {
  const operator = await connect(postgres.url);
  await operator.query('set lock_timeout = 0');
  await operator.query('begin; lock table accounts in access exclusive mode');
  await outage(random.below(10_000));
  await lift(() => operator.end());
}

async function takeConnections(url: string, count: number): Promise<pg.Client[]> {
  const first = await connect(url);
  const taken = [first];
  while (taken.length < count) {
    await first.query(`select pg_terminate_backend(pid) ${ownSessions}`);
    const more = Array.from({ length: count - taken.length }, () => connect(url).catch(() => null));
    for (const client of await Promise.all(more)) if (client !== null) taken.push(client);
  }
  return taken;
}

async function standsAgain(postgres: ThrowawayPostgres, ask: Stage['ask']): Promise<void> {
  for (;;) {
    await postgres.start();
    const isBack = await ask('select 1').then(
      () => true,
      () => false,
    );
    if (isBack) return;
    await pause(pollMilliseconds);
  }
}

interface SmallDisk {
  readonly folder: string | null;
  fill(): void;
  clear(): void;
  remove(): void;
}

/** Mounts a file system in memory. Only Linux makes this easy, and only root may do it. */
function mountSmallDisk(megabytes: number | undefined): SmallDisk {
  if (megabytes === undefined) {
    return { folder: null, fill: () => undefined, clear: () => undefined, remove: () => undefined };
  }
  const folder = mkdtempSync(join(tmpdir(), 'sellthrough-disk-'));
  chmodSync(folder, 0o755);
  const options = `size=${megabytes}m,mode=755`;
  const run = (program: string, ...args: string[]) => spawnSync(program, args, { encoding: 'utf8' });
  const mounted = run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder);
  if (mounted.status !== 0) {
    rmdirSync(folder);
    throw new Error(`A small disk could not be mounted: ${mounted.error?.message ?? mounted.stderr.trim()}`);
  }
  const ballast = join(folder, 'ballast');
  let filling: NodeJS.Timeout | undefined;
  // Lazily, because an exiting process of the server may still use it.
  const disarm = whenThisEnds('umount --lazy "$1"; rmdir "$1"', [folder]);
  return {
    folder,
    fill() {
      fillUp(ballast);
      filling = setInterval(() => fillUp(ballast), pollMilliseconds);
    },
    clear() {
      clearInterval(filling);
      rmSync(ballast, { force: true });
    },
    remove() {
      clearInterval(filling);
      run('umount', '--lazy', folder);
      rmSync(folder, { recursive: true, force: true });
      disarm();
    },
  };
}

function fillUp(ballast: string): void {
  const file = openSync(ballast, 'a');
  for (const bytes of [1_048_576, 4_096]) {
    try {
      while (writeSync(file, Buffer.alloc(bytes)) === bytes);
    } catch {
      // The disk is full.
    }
  }
  closeSync(file);
}

function whyNoSmallDisk(): string | null {
  if (process.platform !== 'linux') return 'A small disk can be mounted on Linux only.';
  if (process.getuid?.() !== 0) return 'A small disk can be mounted by root only.';
  try {
    mountSmallDisk(1).remove();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface StallingRelay {
  readonly url: string;
  /** From now on no bytes pass, not even a close. New connections are accepted and stay silent. */
  stall(): void;
  flow(): void;
  forget(): void;
  cut(): void;
  bury(): void;
  close(): Promise<void>;
}

interface RelayLink {
  readonly client: Socket;
  readonly server: Socket;
  held: (() => void)[] | null;
  isForgotten: boolean;
}

async function startStallingRelay(serverUrl: string): Promise<StallingRelay> {
  const target = new URL(serverUrl);
  const links = new Set<RelayLink>();
  let isStalled = false;

  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const { hostname: host, port } = target;
    const server = openSocket({ host, port: Number(port), allowHalfOpen: true, noDelay: true });
    const link: RelayLink = { client, server, held: isStalled ? [] : null, isForgotten: false };
    links.add(link);
    const pass = (act: () => void): void => {
      if (link.isForgotten) return;
      if (link.held === null) act();
      else link.held.push(act);
    };
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => pass(() => other.write(bytes)));
      socket.on('end', () => pass(() => other.end()));
      socket.on('close', () => pass(() => drop(link)));
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);

  function drop(link: RelayLink): void {
    links.delete(link);
    link.client.destroy();
    link.server.destroy();
  }

  return {
    url: url.href,
    stall() {
      isStalled = true;
      for (const link of links) link.held ??= [];
    },
    flow() {
      isStalled = false;
      for (const link of [...links]) {
        const held = link.held ?? [];
        link.held = null;
        for (const act of held) act();
      }
    },
    forget() {
      isStalled = false;
      for (const link of links) link.isForgotten = true;
    },
    cut() {
      for (const link of [...links]) drop(link);
    },
    bury() {
      for (const link of [...links]) if (link.isForgotten) drop(link);
    },
    async close() {
      for (const link of [...links]) drop(link);
      listener.close();
      await once(listener, 'close');
    },
  };
}
