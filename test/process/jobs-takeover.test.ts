// Processes share a background job on PostgreSQL: if the one that runs it is killed, frozen or closed, another takes over.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { briefFlags } from '../../scripts/brief-processes.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/schema/migrate.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';
import { childEnvironment } from '../harness/child-environment.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgres-database.ts';

const leaseSeconds = 4;
const running = new Set<ChildProcess>();
let postgres: PostgresDatabase;
let database: Database;
before(async () => {
  postgres = await createPostgresDatabase();
  database = await connectDatabase({ database: { kind: 'postgres', connectionString: postgres.url } });
  await migrate(database);
});
beforeEach(() => database.query({ name: '', text: 'delete from jobs' }));
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  await database.close();
  await postgres.remove();
});

interface JobProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  says(): Promise<string>;
}

function start(): JobProcess {
  const child = spawn(
    process.execPath,
    [...briefFlags, fileURLToPath(new URL('../harness/job-process.ts', import.meta.url))],
    {
      env: { ...childEnvironment, DATABASE_URL: postgres.url, LEASE_SECONDS: String(leaseSeconds) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  running.add(child);
  const ended = once(child, 'close').then(() => running.delete(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    ended,
    async says() {
      const { done, value } = await lines.next();
      assert.ok(!done, 'the process has ended');
      return value;
    },
  };
}

async function startTwo() {
  const first = start();
  const said = await first.says();
  return { first, second: start(), lease: numberOf(said) };
}

function numberOf(said: string): number {
  const number = /^running (\d+)$/.exec(said)?.[1];
  assert.ok(number, said);
  return Number(number);
}

async function stopAll(...processes: JobProcess[]): Promise<void> {
  for (const { child } of processes) child.kill('SIGKILL');
  await Promise.all(processes.map(({ ended }) => ended));
}

test('kill -9 of the process that runs a job lets another one take over', async () => {
  const { first, second, lease } = await startTwo();
  const asked = second.says();
  first.child.kill('SIGKILL');
  await first.ended;
  assert.ok(numberOf(await asked) > lease);
  const [row] = await database.query({ name: '', text: 'select leased_by, failure_count from jobs' });
  assert.equal(row?.['leased_by'], `process ${second.child.pid}`);
  assert.ok(Number(row?.['failure_count']) >= 1, 'the death is counted');
  await stopAll(second);
});

test('a process that was frozen loses its job, and stops when it wakes up @nightly', async () => {
  const { first, second, lease } = await startTwo();
  const asked = second.says();
  first.child.kill('SIGSTOP');
  const next = numberOf(await asked);
  assert.ok(next > lease);
  first.child.kill('SIGCONT');
  assert.match(await first.says(), /^stopped: Another process has taken it over/);
  const [row] = await database.query({ name: '', text: 'select lease_number from jobs' });
  assert.ok(Number(row?.['lease_number']) >= next);
  await stopAll(first, second);
});

test('a process that closes hands its job over without a failure @nightly', async () => {
  const { first, second, lease } = await startTwo();
  const asked = second.says();
  first.child.kill('SIGTERM');
  assert.match(await first.says(), /^stopped: The process is shutting down/);
  assert.ok(numberOf(await asked) > lease);
  await first.ended;
  await stopAll(second);
});
