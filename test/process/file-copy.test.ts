// Copies the files of the embedded database while it writes, and checks both databases.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { copyEmbeddedTemplate, keepPostgresCompiled } from '../../scripts/throwaway/test-database.ts';
import { copyRunningService, copyWish, guardCopy } from '../../src/features/backup/copy-running-service.ts';
import type { Database } from '../../src/platform/database/database.ts';
import {
  ControlConnectionClosed,
  connectControlSocket,
  openControlSocket,
} from '../../src/platform/database/embedded/control-socket.ts';
import { type EmbeddedDatabase, openEmbedded } from '../../src/platform/database/embedded/embedded.ts';
import { copyDatabaseFiles, finishCopy } from '../../src/platform/database/embedded/file-copy.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import type { JsonObject } from '../../src/shared/json.ts';
import { startCommand } from '../harness/command-process.ts';

const folder = mkdtempSync(join(process.env['TEST_FOLDER'] ?? tmpdir(), 'sellthrough-file-copy-'));
const dataDir = join(folder, 'data');
let database: EmbeddedDatabase;

before(async () => {
  await keepPostgresCompiled();
  copyEmbeddedTemplate(dataDir);
  database = await open(dataDir);
  await run(database, 'create table pages (id int primary key, turn int not null, filler text not null)');
  await run(database, "insert into pages select id, 0, repeat('x', 900) from generate_series(1, 6000) as id");
});
after(async () => {
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(path: string): Promise<EmbeddedDatabase> {
  return openEmbedded({ dataDir: path, queue: defaultLimits.database.queue });
}

function run(on: Database, text: string) {
  return on.query({ name: '', text }, [], 'changes');
}

async function begin() {
  assert.ok(database.beginFileCopy);
  return database.beginFileCopy();
}

/** Changes every page of the table, some rows at a time, so that a plain copy would be inconsistent. */
async function writeTurn(turn: number): Promise<void> {
  for (let part = 0; part < 8; part += 1) {
    await run(database, `update pages set turn = ${turn} where id % 8 = ${part}`);
  }
}

test('a copy made while every page changes holds all that was committed before its end, and nothing by halves', async () => {
  const guard = await begin();
  const state = { isCopied: false };
  const copying = copyDatabaseFiles(dataDir, join(folder, 'copy')).finally(() => {
    state.isCopied = true;
  });
  let turn = 0;
  do {
    turn += 1;
    await writeTurn(turn);
  } while (!state.isCopied || turn < 3);
  await copying;
  const label = await guard.end();
  await writeTurn(turn + 1);
  await finishCopy(dataDir, join(folder, 'copy'), label);
  await guard.release();

  const copy = await open(join(folder, 'copy'));
  try {
    const [row = {}] = await run(
      copy,
      'select min(turn) as least, max(turn) as most, count(*)::int as rows from pages',
    );
    assert.equal(row['rows'], 6_000);
    assert.ok(Number(row['least']) >= turn, `turn ${row['least']} of ${turn}`);
    assert.ok(Number(row['most']) <= turn + 1);
    const [index = {}] = await run(
      copy,
      'select count(*)::int as found from generate_series(1, 6000) as wanted (id) join pages using (id)',
    );
    assert.equal(index['found'], 6_000, 'the index leads to every row');
    await run(copy, 'insert into pages values (6001, 0, $$$$)');
  } finally {
    await copy.close();
  }
});

test('one copy at a time; an abandoned copy leaves the database as it was', async () => {
  const guard = await begin();
  await assert.rejects(begin(), /already running/);
  await guard.release();
  const again = await begin();
  await again.end();
  await again.release();
  await run(database, 'checkpoint');
  assert.equal((await run(database, 'select count(*)::int as count from pages'))[0]?.['count'], 6_000);
});

test('if either end drops the connection, the other end notices and nothing stays locked', async () => {
  const problems: unknown[] = [];
  const ends: Promise<void>[] = [];
  const openIt = async () => {
    const controlSocket = await openControlSocket(
      dataDir,
      (_wish, connection) => {
        const end = guardCopy(database, connection, { copySecondsMax: 3_600 });
        ends.push(end);
        return end;
      },
      (problem) => problems.push(problem),
    );
    return controlSocket ?? assert.fail('this system has sockets');
  };
  const controlSocket = await openIt();
  await connectControlSocket(dataDir, copyWish, async (connection) =>
    assert.deepEqual(await connection.receive(), { copy: 'begun' }),
  );
  await assert.rejects(ends[0] ?? Promise.resolve(), ControlConnectionClosed);
  await (await begin()).release();

  await connectControlSocket(dataDir, copyWish, async (connection) => {
    await connection.receive();
    await assert.rejects(copyRunningService(dataDir, join(folder, 'second')), /already running/);
    await controlSocket.close();
    await assert.rejects(connection.receive(), ControlConnectionClosed);
  });
  assert.equal(await copyRunningService(dataDir, join(folder, 'third')), null, 'no listener');
  assert.ok(!existsSync(join(folder, 'third')));
  const again = await openIt();
  assert.ok(await copyRunningService(dataDir, join(folder, 'fourth')));
  await again.close();
  assert.equal(problems.length, 1);
  await (await open(join(folder, 'fourth'))).close();
});

test('a backup command that a signal ends leaves nothing behind, and the database beside it is let go of at once', async () => {
  const ends: Promise<unknown>[] = [];
  const controlSocket = await openControlSocket(
    dataDir,
    (_wish, connection) => {
      // The label is never sent, so the command waits with an incomplete copy.
      const mute = { ...connection, send: (value: JsonObject) => 'label' in value || connection.send(value) };
      const end = guardCopy(database, mute, { copySecondsMax: 3_600 });
      ends.push(end.catch((error: unknown) => error));
      return end;
    },
    () => undefined,
  );
  assert.ok(controlSocket);
  const path = join(folder, 'cut-off.backup');
  const child = startCommand(['backup', path], {
    cwd: folder,
    environment: { DATA_DIR: dataDir, SECRET_KEY: 'a key that this command does not come to use' },
  });
  const ended = once(child, 'exit');
  while (!existsSync(`${path}.unfinished-copy`) && child.exitCode === null) await pause(5);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [null, 'SIGTERM']);
  assert.ok((await ends[0]) instanceof ControlConnectionClosed);
  await (await begin()).release();
  await controlSocket.close();
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('cut-off')),
    [],
  );
});

test('while files are copied no log is cleared, and afterwards it is', async () => {
  const guard = await begin();
  const [first = {}] = await run(database, 'select pg_walfile_name(pg_current_wal_lsn()) as name');
  const path = join(dataDir, 'postgres', 'pg_wal', String(first['name']));
  // Write more segments than the worker keeps before it clears its WAL.
  await fillSegments(20);
  assert.ok(existsSync(path), 'kept');
  await guard.release();
  await fillSegments(2);
  assert.ok(!existsSync(path), 'cleared');
});

async function fillSegments(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await run(database, 'update pages set turn = turn + 1 where id = 1');
    await run(database, 'select pg_switch_wal()');
  }
}
