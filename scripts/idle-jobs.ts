// node scripts/idle-jobs.ts [--seconds 60] [--pg-boss FOLDER] [--polling 2] [--vacuum]: measures how much idle background
// jobs load the embedded database: five kinds, each due once a minute. --pg-boss measures pg-boss through an adapter
// (FOLDER has that package installed). --vacuum measures how long VACUUM and ANALYZE block the session. Results:
// docs/decisions/0016-jobs.md.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Database } from '../src/platform/database/database.ts';
import { openEmbedded } from '../src/platform/database/embedded/embedded.ts';
import { startEmbeddedServer } from '../src/platform/database/embedded/embedded-server.ts';
import { migrate } from '../src/platform/database/schema/migrate.ts';
import { createJobs } from '../src/platform/jobs/job-runner.ts';
import { defaultLimits } from '../src/setup/config.ts';

const kinds = ['one', 'two', 'three', 'four', 'five'];
const settleSeconds = 20;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    'pg-boss': { type: 'string' },
    polling: { type: 'string', default: '2' },
    vacuum: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-idle-'));
const counted = { statements: 0, milliseconds: 0, longest: 0, runs: 0 };
try {
  if (values.vacuum) await measureVacuum();
  else if (values['pg-boss'] === undefined) await measureOurs();
  else await measurePgBoss(values['pg-boss'], Number(values.polling));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureOurs(): Promise<void> {
  const database = await openEmbedded({ dataDir: folder, queue: defaultLimits.database.queue });
  await migrate(database);
  const query: Database['query'] = (...asked) => timed(() => database.query(...asked));
  const jobs = createJobs({
    database: { ...database, query },
    now: null,
    monotonicNow: () => performance.now(),
    processName: 'measured',
    limits: defaultLimits.jobs,
    scheduled: kinds.map((kind) => ({
      kind,
      everySeconds: 60,
      runSecondsMax: 60,
      run: async () => {
        counted.runs += 1;
        return { backlog: 0 };
      },
    })),
    requested: [],
    onProblem: (error) => process.stderr.write(`${String(error)}\n`),
  });
  jobs.start();
  await measure();
  await report((text) => database.query({ name: '', text }), `relname like 'jobs%'`, "proname like 'jobs%'");
  await jobs.close();
  await database.close();
}

async function measureVacuum(): Promise<void> {
  const database = await openEmbedded({ dataDir: folder, queue: defaultLimits.database.queue });
  await migrate(database);
  const query = (text: string) => database.query({ name: '', text });
  const fill = (from: number, to: number) =>
    query(`insert into api_requests select 1, n, now(), 'GET', '/', 200, null, 'r' || n, 1, '127.0.0.1'
      from generate_series(${from}, ${to}) n`);
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['300,000 rows were inserted', () => fill(1, 300_000)],
    ['nothing happened', async () => undefined],
    ['20,000 rows were inserted', () => fill(300_001, 320_000)],
    ['100,000 rows were deleted', () => query('delete from api_requests where number <= 100000')],
  ];
  for (const [title, step] of steps) {
    await step();
    for (const text of ['vacuum (truncate false) api_requests', 'analyze api_requests']) {
      const began = performance.now();
      await query(text);
      process.stdout.write(`${title}, ${text}: ${Math.round(performance.now() - began)} ms\n`);
    }
  }
  await database.close();
}

/** The parts of pg-boss used here; its types are not installed. */
interface PgBoss {
  on(event: string, listener: (error: unknown) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  schedule(name: string, cron: string): Promise<unknown>;
  work(name: string, options: object, handler: () => Promise<void>): Promise<unknown>;
  stop(options: object): Promise<unknown>;
}

async function measurePgBoss(installed: string, pollingIntervalSeconds: number): Promise<void> {
  const path = join(resolve(installed), 'node_modules/pg-boss/dist/index.js');
  const { PgBoss } = (await import(pathToFileURL(path).href)) as { PgBoss: new (options: object) => PgBoss };
  const server = await startEmbeddedServer({ dataDir: folder });
  const stream = server.connect();
  const client = new pg.Client({ stream: () => stream, user: 'postgres' } as pg.ClientConfig);
  await client.connect();
  // Run queries one after another, like our driver, because the embedded database has a single session.
  let last: Promise<unknown> = Promise.resolve();
  const executeSql = (text: string, parameters?: unknown[]) => {
    const result = last.then(() =>
      timed(async () => {
        const answered: pg.QueryResult | pg.QueryResult[] = await (parameters?.length
          ? client.query(text, parameters)
          : client.query(text));
        return { rows: [answered].flat().flatMap(({ rows }) => rows ?? []) };
      }),
    );
    last = result.catch(() => undefined);
    return result;
  };
  const began = performance.now();
  const boss = new PgBoss({ db: { executeSql }, backend: 'pglite' });
  boss.on('error', (error) => process.stderr.write(`${String(error)}\n`));
  await boss.start();
  for (const kind of kinds) {
    await boss.createQueue(kind);
    await boss.schedule(kind, '* * * * *');
    await boss.work(kind, { pollingIntervalSeconds }, async () => {
      counted.runs += 1;
    });
  }
  process.stdout.write(
    `set up with ${counted.statements} statements in ${Math.round(performance.now() - began)} ms\n`,
  );
  await measure();
  const inSchema = "relnamespace = 'pgboss'::regnamespace";
  await report(
    async (text) => (await client.query(text)).rows,
    inSchema,
    "pronamespace = 'pgboss'::regnamespace",
  );
  await boss.stop({ graceful: false });
  await client.end();
  await server.close();
}

async function measure(): Promise<void> {
  await pause(settleSeconds * 1000);
  Object.assign(counted, { statements: 0, milliseconds: 0, longest: 0, runs: 0 });
  await pause(seconds * 1000);
}

async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    const took = performance.now() - began;
    counted.statements += 1;
    counted.milliseconds += took;
    counted.longest = Math.max(counted.longest, took);
  }
}

async function report(
  query: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
  relations: string,
  functions: string,
): Promise<void> {
  const { statements, milliseconds, longest, runs } = counted;
  const [row] = await query(`select
    (select count(*) from pg_class where relkind in ('r', 'p') and ${relations})::int as tables,
    (select count(*) from pg_class where relkind = 'i' and ${relations})::int as indexes,
    (select count(*) from pg_proc where ${functions})::int as functions`);
  process.stdout.write(`in ${seconds} s: ${runs} runs, ${statements} statements, ${Math.round(milliseconds)} ms of the session, \
the longest ${longest.toFixed(1)} ms\n${String(row?.['tables'])} tables, ${String(row?.['indexes'])} indexes, \
${String(row?.['functions'])} functions\n`);
}
