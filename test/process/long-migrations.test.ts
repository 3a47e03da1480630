// Migrations longer than all time limits, on a real server. They finish and report progress while other processes wait; an
// interrupted one continues at the next start.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { type Database, DatabaseUnavailable, ranked } from '../../src/platform/database/database.ts';
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts';
import {
  isMigrated,
  type Migration,
  migrate,
  type Notices,
} from '../../src/platform/database/schema/migrate.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';

/** A migration must be able to exceed this limit. Short statements stay below it even on a busy machine. */
const limitMilliseconds = 1_000;
/** When the first notice comes, all limits have passed. */
const noticeMilliseconds = 3 * limitMilliseconds;
/** Used where no limit is tested. */
const patientMilliseconds = 30_000;
const soonMilliseconds = 100;

const heldLock = 42;
const migrations: readonly Migration[] = [
  'create table one (id int); select pg_sleep(0.4)',
  `create table two (id int); select pg_advisory_xact_lock_shared(${heldLock})`,
  'create table three (id int)',
].map((sql, index) => ({
  number: index + 1,
  name: `000${index + 1}-test.sql`,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
}));
const names = migrations.map(({ name }) => name);
/** The one that waits for the lock. On a busy machine the first may also run long enough for a notice. */
const secondRuns = /^Migration 0002-test\.sql \(2 of 3\) has been running for \d+ s\.$/;

let postgres: ThrowawayPostgres;
before(async () => {
  postgres = await startThrowawayPostgres();
});
after(() => postgres.remove());

test('a migration may take longer than every limit, and says how far it is', async () => {
  const { url, letGo, remove } = await newDatabase();
  const database = open(url, limitMilliseconds);
  const running = listenFor(secondRuns, noticeMilliseconds);
  const migrating = migrate(database, { migrations, notices: running.notices });
  await running.noticed;
  const seen = await isMigrated(ranked(database, 'lookups'), migrations.slice(0, 1));
  assert.equal(seen, true, 'what is whole can be seen');
  await letGo();
  assert.deepEqual(await migrating, names);
  assert.deepEqual(await migrate(database, { migrations }), []);
  await database.close();
  await remove();
});

test('a process that finds another one at it waits, and says for whom', async () => {
  const { url, letGo, remove } = await newDatabase();
  const databases = [open(url, limitMilliseconds), open(url, limitMilliseconds)] as const;
  const running = listenFor(secondRuns, noticeMilliseconds);
  const first = migrate(databases[0], { migrations, notices: running.notices });
  await running.noticed;
  const waiting = listenFor(
    /^Waiting for another process \(PostgreSQL process \d+ of [\d.:]+\) to finish changing the schema \(\d+ s\)\.$/,
    noticeMilliseconds,
  );
  const second = migrate(databases[1], { migrations, notices: waiting.notices });
  await waiting.noticed;
  await letGo();
  const ran = [await first, await second];
  assert.deepEqual(ran.flat().sort(), names, 'each ran once');
  for (const database of databases) await database.close();
  await remove();
});

test('a server that ends the session half way: the next start goes on behind the last whole migration', async () => {
  const { url, letGo, endSession, remove } = await newDatabase();
  const database = open(url);
  const running = listenFor(secondRuns);
  const cut = assert.rejects(
    migrate(database, { migrations, notices: running.notices }),
    DatabaseUnavailable,
  );
  await running.noticed;
  await endSession(
    `select pg_terminate_backend(pid) from pg_locks where objid = ${heldLock} and not granted`,
  );
  await cut;
  await letGo();
  assert.deepEqual(await migrate(database, { migrations }), names.slice(1));
  await database.close();
  await remove();
});

test('a process that vanishes in the middle of a migration lets the lock go', {
  timeout: 60_000,
}, async () => {
  const { url, letGo, remove } = await newDatabase();
  const proxy = await startTcpProxy(url);
  const vanishing = open(proxy.url());
  const running = listenFor(secondRuns);
  const cut = assert.rejects(
    migrate(vanishing, { migrations, notices: running.notices }),
    DatabaseUnavailable,
  );
  await running.noticed;
  proxy.become('refusing');
  await cut;
  // No client ends its own migration, so the server has to detect the lost connection.
  const database = open(url);
  const next = listenFor(secondRuns);
  const migrating = migrate(database, { migrations, notices: next.notices });
  await next.noticed;
  await letGo();
  assert.deepEqual(await migrating, names.slice(1));
  await database.close();
  await vanishing.close();
  await proxy.close();
  await remove();
});

test('a session that has ended behind a connection that stays silent is given up', {
  timeout: 60_000,
}, async () => {
  const { url, letGo, endSession, remove } = await newDatabase();
  await letGo();
  const proxy = await startTcpProxy(url);
  const database = open(proxy.url());
  const frozen = proxy.breakAt(/^create table two|^CREATE TABLE/, 'freeze unheard');
  const migrating = migrate(database, { migrations });
  await frozen;
  await endSession(`select pg_terminate_backend(pid) from pg_stat_activity
    where query like 'create table two%' and pid <> pg_backend_pid()`);
  await assert.rejects(migrating, DatabaseUnavailable);
  assert.deepEqual(await migrate(database, { migrations }), names.slice(1));
  await database.close();
  await proxy.close();
  await remove();
});

function listenFor(
  sentence: RegExp,
  everyMilliseconds = soonMilliseconds,
): { notices: Notices; noticed: Promise<void> } {
  const { promise: noticed, resolve } = Promise.withResolvers<void>();
  const say = (said: string) => {
    if (sentence.test(said)) resolve();
  };
  return { notices: { say, everyMilliseconds }, noticed };
}

function open(connectionString: string, limit = patientMilliseconds): Database {
  return openPostgres({
    ...defaultLimits.database,
    connectionString,
    connectMilliseconds: patientMilliseconds,
    // Patient, because queries on other connections may be slow on a busy machine.
    answerMilliseconds: patientMilliseconds,
    readMilliseconds: limit,
    idleInTransactionMilliseconds: limit,
    heartbeatMilliseconds: limitMilliseconds,
  });
}

let databaseCount = 0;

async function newDatabase() {
  databaseCount += 1;
  const url = new URL(postgres.url);
  const server = new pg.Client({ connectionString: url.href });
  await server.connect();
  await server.query(`create database long_${databaseCount}`);
  url.pathname = `/long_${databaseCount}`;
  const holder = new pg.Client({ connectionString: url.href });
  await holder.connect();
  await holder.query(`select pg_advisory_lock(${heldLock})`);
  return {
    url: url.href,
    letGo: () => holder.query(`select pg_advisory_unlock(${heldLock})`),
    async endSession(text: string) {
      while ((await holder.query(text)).rowCount === 0) await pause(soonMilliseconds);
    },
    async remove() {
      await holder.end();
      await server.query(`drop database ${url.pathname.slice(1)} with (force)`);
      await server.end();
    },
  };
}
