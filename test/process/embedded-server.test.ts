// What the embedded database promises: durability, the protocol of a real server, one process per folder.
// Invariant: nothing waits for a fixed time. A child is killed only after it has printed or created something.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { briefFlags } from '../../scripts/brief-processes.ts';
import { copyEmbeddedTemplate, keepPostgresCompiled } from '../../scripts/throwaway/test-database.ts';
import { DataFolderInUse, DataFolderUnusable } from '../../src/platform/database/embedded/data-lock.ts';
import {
  type EmbeddedServer,
  startEmbeddedServer,
} from '../../src/platform/database/embedded/embedded-server.ts';
import { createRandom } from '../../src/setup/demo-year/seeded-random.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-embedded-'));
const template = join(folder, 'template');

// initdb takes seconds, so every test starts on a copy. process-life.test.ts tests first and interrupted starts.
before(async () => {
  await keepPostgresCompiled();
  copyEmbeddedTemplate(template);
  if (!existsSync(template)) await (await startEmbeddedServer({ dataDir: template })).close();
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('the embedded server', () => {
  let server: EmbeddedServer;
  before(async () => {
    server = await startEmbeddedServer({ dataDir: copyOfTemplate('shared') });
  });
  after(() => server.close());

  test('PostgreSQL itself believes that it is durable', async () => {
    await withClient(server, async (client) => {
      const shown = await client.query(
        `SELECT name, setting FROM pg_settings
         WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method') ORDER BY name`,
      );
      assert.deepEqual(
        shown.rows.map(({ name, setting }) => `${name}=${setting}`),
        ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on', 'wal_sync_method=fsync'],
      );
    });
  });

  test('every commit reaches the disk with an fsync before it is answered', async () => {
    await withClient(server, async (client) => {
      await client.query('CREATE TABLE commits (number int)');
      for (let number = 0; number < 20; number += 1) {
        const earlier = server.fsyncCount();
        await client.query('INSERT INTO commits VALUES ($1)', [number]);
        assert.ok(server.fsyncCount() > earlier, `commit ${number} was answered without an fsync`);
      }
      const earlier = server.fsyncCount();
      await Promise.all([client.query('BEGIN'), client.query('INSERT INTO commits VALUES (99)')]);
      assert.equal(server.fsyncCount(), earlier, 'what is not committed needs no fsync');
      await client.query('ROLLBACK');
    });
  });

  test('an answer is taken over within the turn in which it was asked for', async () => {
    await withClient(server, async (client) => {
      const endOfTick = () => new Promise((resolve) => process.nextTick(resolve));
      let turned = false;
      setImmediate(() => (turned = true));
      let rows: unknown[] | null = null;
      client.query('SELECT 1 AS one').then((result) => (rows = result.rows));
      for (let waits = 0; rows === null && waits < 10_000; waits += 1) {
        // This thread sleeps here, so its event loop does not turn.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
        server.poll();
        await endOfTick();
      }
      assert.deepEqual(rows, [{ one: 1 }]);
      assert.equal(turned, false);
    });
  });

  test('a statement that fails leaves the next one unharmed', async () => {
    await withClient(server, async (client) => {
      const answers = await Promise.allSettled([
        client.query('SELECT 1 AS x'),
        client.query('SELECT 1 / $1::int AS x', [0]),
        client.query({ name: 'plus', text: 'SELECT $1::int + 1 AS x', values: [1] }),
        client.query('SELECT 1 / 0'),
        client.query({ name: 'plus', text: 'SELECT $1::int + 1 AS x', values: [2] }),
        client.query('SELEC'),
        client.query('SELECT 4 AS x'),
      ]);
      assert.deepEqual(answers.map(firstCell), [1, '22012', 2, '22012', 3, '42601', 4]);
    });
  });

  test('a statement that fails inside a transaction undoes all of it', async () => {
    await withClient(server, async (client) => {
      await client.query('CREATE TABLE undone (x int PRIMARY KEY)');
      const answers = await Promise.allSettled([
        client.query('BEGIN'),
        client.query('INSERT INTO undone VALUES ($1)', [1]),
        client.query('INSERT INTO undone VALUES ($1)', [1]),
        client.query('INSERT INTO undone VALUES ($1)', [2]),
        client.query('COMMIT'),
        client.query('SELECT count(*)::int AS x FROM undone'),
      ]);
      assert.deepEqual(answers.map(firstCell), [undefined, undefined, '23505', '25P02', undefined, 0]);
      const commit = answers[4];
      assert.equal(commit?.status === 'fulfilled' && commit.value.command, 'ROLLBACK');
    });
  });

  test('an error skips what follows up to the next Sync, and no further', async () => {
    const connection = await openConnection(server);
    connection.write(
      Buffer.concat([
        ...extended('SELECT 1/0'),
        ...extended('SELECT 2'), // skipped, because the same Sync closes it
        frame('S'),
        ...extended('SELECT 3'),
        frame('S'),
        frame('Q', 'SELECT 4; SELECT 1/0; SELECT 5\0'),
        frame('S'),
      ]),
    );
    assert.deepEqual(await readTypes(connection, 4), [
      '1',
      'E',
      'Z',
      '1',
      '2',
      'D',
      'C',
      'Z',
      'T',
      'D',
      'C',
      'E',
      'Z',
      'Z',
    ]);
    connection.destroy();
  });

  test('frames that are cut anywhere are put together again', async () => {
    const connection = await openConnection(server);
    const bytes = Buffer.concat([...extended("SELECT 'äöü'"), frame('S'), frame('Q', 'SELECT 2\0')]);
    for (const byte of bytes) {
      connection.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    assert.deepEqual(await readTypes(connection, 2), ['1', '2', 'D', 'C', 'Z', 'T', 'D', 'C', 'Z']);
    connection.destroy();
  });

  test('answers and parameters of many megabytes arrive whole, in order, byte for byte', async () => {
    await withClient(server, async (client) => {
      const bytes = Buffer.from(Array.from({ length: 5_000_000 }, (_, index) => (index * 31) % 256));
      const [long, many, echo, last] = await Promise.all([
        client.query("SELECT repeat('0123456789', 500000) AS x"),
        client.query('SELECT g, md5(g::text) AS hash FROM generate_series(1, 120000) g'),
        client.query('SELECT $1::bytea AS x', [bytes]),
        client.query("SELECT 'last' AS x"),
      ]);
      assert.equal(long.rows[0]?.x, '0123456789'.repeat(500_000));
      assert.equal(many.rows.length, 120_000);
      assert.ok(many.rows.every((row, index) => row.g === index + 1 && row.hash.length === 32));
      assert.ok(bytes.equals(echo.rows[0]?.x));
      assert.equal(last.rows[0]?.x, 'last');
    });
  });

  test('a notification arrives with the COMMIT of its transaction, and never after a ROLLBACK', async () => {
    await withClient(server, async (client) => {
      const received: string[] = [];
      client.on('notification', ({ channel, payload }) => received.push(`${channel}: ${payload}`));
      await client.query('LISTEN changes');
      await Promise.all([
        client.query('BEGIN'),
        client.query('SELECT pg_notify($1, $2)', ['changes', 'undone']),
      ]);
      await client.query('ROLLBACK');
      await Promise.all([
        client.query('BEGIN'),
        client.query('SELECT pg_notify($1, $2)', ['changes', 'done']),
      ]);
      await client.query('SELECT 1');
      assert.deepEqual(received, []);
      await client.query('COMMIT');
      assert.deepEqual(received, ['changes: done']);
      await client.query("NOTIFY changes, 'alone'");
      assert.deepEqual(received, ['changes: done', 'changes: alone']);
    });
  });

  test("a new connection rolls back the old one's transaction and discards its session", async () => {
    const old = await openClient(server);
    const endings: string[] = [];
    old.on('error', (error) => endings.push(error.message));
    await old.query('CREATE TABLE left_open (x int)');
    await old.query("SET application_name = 'old'");
    await old.query('LISTEN changes');
    await old.query({ name: 'kept', text: 'SELECT 1' });
    await old.query('BEGIN');
    await old.query('INSERT INTO left_open VALUES (1)');
    await withClient(server, async (client) => {
      assert.match(endings[0] ?? '', /newer connection/);
      const seen = await client.query(
        `SELECT (SELECT count(*)::int FROM left_open) AS rows, (SELECT count(*)::int FROM pg_prepared_statements WHERE name = 'kept') AS statements,
                current_setting('application_name') AS application, array(SELECT pg_listening_channels()) AS channels`,
      );
      assert.deepEqual(seen.rows, [{ rows: 0, statements: 0, application: '', channels: [] }]);
    });
  });

  test('a connection that ends in mid-transaction rolls it back', async () => {
    const client = await openClient(server);
    await client.query('CREATE TABLE ended_early (x int)');
    await Promise.all([client.query('BEGIN'), client.query('INSERT INTO ended_early VALUES (1)')]);
    await client.end();
    await withClient(server, async (next) => {
      assert.deepEqual((await next.query('SELECT x FROM ended_early')).rows, []);
    });
  });

  test('settings of a connection hold for its session, and an unknown one is refused', async () => {
    const client = await openClient(server, {
      options: '-c enable_seqscan=off --work-mem=8MB',
      application_name: "it's",
    });
    const shown = await client.query(
      `SELECT current_setting('enable_seqscan') || ' ' || current_setting('work_mem') || ' ' || current_setting('application_name') AS x`,
    );
    assert.equal(shown.rows[0]?.x, "off 8MB it's");
    await client.end();
    await assert.rejects(openClient(server, { options: '-c no_such_setting=1' }), /no_such_setting/);
    await withClient(server, async (next) => {
      assert.equal((await next.query('SHOW enable_seqscan')).rows[0]?.enable_seqscan, 'on');
    });
  });

  test('COPY FROM STDIN fails as a statement and harms nothing', async () => {
    await withClient(server, async (client) => {
      await client.query('CREATE TABLE copied (x int)');
      await assert.rejects(
        client.query('COPY copied FROM STDIN'),
        /COPY FROM STDIN is for a PostgreSQL server only/,
      );
      assert.equal((await client.query('SELECT 1 AS x')).rows[0]?.x, 1);
    });
  });

  test('an expression that is too deep fails as a statement and harms nothing', async () => {
    await withClient(server, async (client) => {
      await assert.rejects(client.query(`SELECT ${Array(30_000).fill('1').join('+')}`), { code: '54001' });
      await client.query(
        'CREATE FUNCTION pg_temp.deep(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN pg_temp.deep(x + 1); END $$',
      );
      await assert.rejects(client.query('SELECT pg_temp.deep(1)'), { code: '54001' });
      assert.equal((await client.query('SELECT 1 AS x')).rows[0]?.x, 1);
    });
  });

  test('checkpoints come by themselves, so the write-ahead log does not grow forever', async () => {
    await withClient(server, async (client) => {
      await client.query('CREATE TABLE logged (x int)');
      const redo = async () =>
        (await client.query('SELECT redo_lsn::text AS x FROM pg_control_checkpoint()')).rows[0]?.x;
      const first = await redo();
      for (let segment = 0; segment < 20; segment += 1) {
        await client.query('INSERT INTO logged VALUES ($1)', [segment]);
        await client.query('SELECT pg_switch_wal()');
      }
      assert.notEqual(await redo(), first);
    });
  });
});

test('a clean end leaves a database that needs no recovery, and every row', async () => {
  const dataDir = copyOfTemplate('clean');
  const first = await startEmbeddedServer({ dataDir });
  const client = await openClient(first);
  client.on('error', () => {});
  await client.query('CREATE TABLE kept AS SELECT generate_series(1, 1000) AS x');
  const unfinished = client.query('SELECT count(*)::int AS x FROM kept, pg_sleep(0.1)');
  const closing = first.close();
  await assert.rejects(openClient(first), /closing/);
  await closing;
  assert.equal((await unfinished).rows[0]?.x, 1000, 'what was sent before the end is answered');
  const shutDown = 1; // a value of DBState in pg_control
  assert.equal(readFileSync(join(dataDir, 'postgres', 'global', 'pg_control')).readUInt32LE(16), shutDown);
  await assert.rejects(openClient(first), /closed/);

  const second = await startEmbeddedServer({ dataDir });
  await withClient(second, async (next) => {
    assert.equal((await next.query('SELECT count(*)::int AS x FROM kept')).rows[0]?.x, 1000);
  });
  await second.close();
});

test('a PostgreSQL that breaks inside ends every connection with the reason, and starts again', async () => {
  const dataDir = copyOfTemplate('broken');
  const server = await startEmbeddedServer({ dataDir });
  const connection = await openConnection(server);
  const ended = once(connection, 'error');
  connection.write(frame('!')); // a FATAL error, which ends PostgreSQL for good
  const [error] = await ended;
  assert.match(error.message, /has stopped.*invalid frontend message type/);
  assert.equal((await server.failed).message, error.message);
  await assert.rejects(openClient(server), /has stopped/);
  await server.close();

  const second = await startEmbeddedServer({ dataDir });
  await withClient(second, async (client) => assert.equal((await client.query('SELECT 1 AS x')).rowCount, 1));
  await second.close();
});

test('a second start on the same folder ends with a sentence', async () => {
  const dataDir = copyOfTemplate('locked');
  const server = await startEmbeddedServer({ dataDir });
  await assert.rejects(startEmbeddedServer({ dataDir }), DataFolderInUse);

  const child = startChild(dataDir, `console.log('started')`);
  const lines: string[] = [];
  for await (const line of linesOf(child)) lines.push(line);
  assert.deepEqual(lines, [
    `The data folder ${dataDir} is in use by another Sellthrough (process ${process.pid}). Stop that one first, or set DATA_DIR to another folder.`,
  ]);

  await server.close();
  const next = await startEmbeddedServer({ dataDir });
  await next.close();
});

test("a folder that is not the service's ends the start with a sentence", async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  await assert.rejects(startEmbeddedServer({ dataDir: file }), unusable(/is a file/));
  await assert.rejects(startEmbeddedServer({ dataDir: join(file, 'below') }), unusable(/is a file/));

  // In this folder the kernel creates nothing, and there mkdir with `recursive` would never end.
  if (process.platform === 'linux') {
    await assert.rejects(startEmbeddedServer({ dataDir: '/proc/nope/data' }), unusable(/cannot be used/));
  }

  const foreign = join(folder, 'foreign');
  mkdirSync(foreign);
  writeFileSync(join(foreign, 'thesis.txt'), 'mine');
  await assert.rejects(startEmbeddedServer({ dataDir: foreign }), unusable(/thesis\.txt/));
  assert.deepEqual(readdirSync(foreign), ['thesis.txt'], 'nothing is written to it');

  const gutted = copyOfTemplate('gutted');
  rmSync(join(gutted, 'postgres', 'PG_VERSION'));
  await assert.rejects(startEmbeddedServer({ dataDir: gutted }), /not a whole PostgreSQL data folder/);
  assert.ok(!existsSync(join(gutted, 'postgres', 'PG_VERSION')), 'no new database is put over the old one');
});

test('V8 never frees compiled code of the database, because that can abort the process', async () => {
  // Code is optimized early, so that it would be freed early.
  const flags = ['--wasm-tiering-budget=3000', '--trace-wasm-code-gc'];
  const child = startChild(
    copyOfTemplate('kept-code'),
    `const client = new pg.Client({ stream: () => server.connect(), user: 'postgres', database: 'postgres' });
     await client.connect();
     for (let n = 0; n < 60; n += 1) await client.query('SELECT count(*) FROM pg_class, pg_am WHERE relnatts > $1', [n]);
     await client.end();
     await server.close();
     console.log('closed');`,
    flags,
  );
  const lines: string[] = [];
  for await (const line of linesOf(child)) lines.push(line);
  assert.ok(lines.includes('closed'), lines.join('\n'));
  // Isolate 0 is the main thread, where Node may free code of its own, such as the one that strips types.
  const ofPostgres = lines.filter((line) => /\bIsolate [1-9]\d* reporting\b/.test(line));
  assert.deepEqual(ofPostgres, []);
});

test('kill -9 under load loses no acknowledged commit', async (context) => {
  const dataDir = copyOfTemplate('killed');
  const first = await startEmbeddedServer({ dataDir });
  await withClient(first, async (client) => {
    await client.query('CREATE TABLE acknowledged (number int PRIMARY KEY, filler text)');
  });
  await first.close();

  const random = createRandom(seed);
  let last = 0;
  for (let round = 0; round < 2; round += 1) {
    const killAfter = random.below(400);
    const child = startChild(
      dataDir,
      `const client = new pg.Client({ stream: () => server.connect(), user: 'postgres', database: 'postgres', pipeline: true });
       await client.connect();
       let number = ${last};
       const insert = 'INSERT INTO acknowledged SELECT n, repeat(md5(n::text), 20) FROM unnest($1::int[]) n';
       async function lane() {
         for (;;) {
           const numbers = Array.from({ length: 20 }, () => ++number);
           await Promise.all([client.query('BEGIN'), client.query({ name: 'insert', text: insert, values: [numbers] }), client.query('COMMIT')]);
           await new Promise((done) => process.stdout.write(numbers.at(-1) + '\\n', done));
         }
       }
       await Promise.all([lane(), lane()]);`,
    );
    const exited = once(child, 'exit');
    const acknowledged: number[] = [];
    for await (const line of linesOf(child)) {
      acknowledged.push(Number(line));
      if (acknowledged.length > killAfter) child.kill('SIGKILL');
    }
    await exited;
    assert.equal(child.signalCode, 'SIGKILL', `the child ended by itself: ${acknowledged.at(-1)}`);

    const reopened = await startEmbeddedServer({ dataDir });
    await withClient(reopened, async (client) => {
      const found = await client.query('SELECT number FROM acknowledged');
      const numbers = new Set(found.rows.map((row) => row.number));
      for (const number of acknowledged) {
        for (let n = number - 19; n <= number; n += 1)
          assert.ok(numbers.has(n), `round ${round}: ${n} is lost`);
      }
      assert.equal(numbers.size % 20, 0, 'a transaction is there as a whole or not at all');
      last = Math.max(0, ...numbers);
    });
    await reopened.close();
    context.diagnostic(`round ${round}: killed after ${acknowledged.length} acknowledged commits`);
  }
});

function copyOfTemplate(name: string): string {
  const copy = join(folder, name);
  cpSync(template, copy, { recursive: true });
  return copy;
}

async function openClient(server: EmbeddedServer, settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({
    stream: () => server.connect(),
    user: 'postgres',
    database: 'postgres',
    pipeline: true,
    ...settings,
  });
  await client.connect();
  return client;
}

async function withClient(server: EmbeddedServer, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = await openClient(server);
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function firstCell(answer: PromiseSettledResult<pg.QueryResult>): unknown {
  return answer.status === 'fulfilled' ? answer.value.rows[0]?.x : answer.reason.code;
}

function frame(type: string, body = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

/** The frames Parse, Bind and Execute, without Sync. */
function extended(sql: string): Buffer[] {
  return [frame('P', `\0${sql}\0\0\0`), frame('B', '\0\0\0\0\0\0\0\0'), frame('E', '\0\0\0\0\0')];
}

async function openConnection(server: EmbeddedServer): Promise<Duplex> {
  const connection = server.connect();
  const packet = Buffer.from('\0\0\0\0\0\x03\0\0user\0postgres\0\0', 'latin1');
  packet.writeInt32BE(packet.length);
  connection.write(packet);
  const types = await readTypes(connection, 1);
  assert.deepEqual([types.at(0), types.at(-2), types.at(-1)], ['R', 'K', 'Z']);
  return connection;
}

async function readTypes(connection: Duplex, readyCount: number): Promise<string[]> {
  const types: string[] = [];
  let rest = Buffer.alloc(0);
  while (types.filter((type) => type === 'Z').length < readyCount) {
    // Do not use 'data' events: data that arrives between two calls would be lost.
    const chunk: Buffer | null = connection.read();
    if (chunk === null) await once(connection, 'readable');
    else rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      types.push(rest.toString('latin1', 0, 1));
      rest = rest.subarray(1 + rest.readInt32BE(1));
    }
  }
  assert.equal(rest.length, 0);
  return types;
}

function unusable(message: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof DataFolderUnusable && message.test(error.message);
}

/** Starts the server on the folder in another process and runs the script there. Prints why a start failed. */
function startChild(dataDir: string, script: string, flags = briefFlags): ChildProcess {
  const module = new URL('../../src/platform/database/embedded/embedded-server.ts', import.meta.url).href;
  const source = `
    import pg from 'pg';
    import { startEmbeddedServer } from ${JSON.stringify(module)};
    const server = await startEmbeddedServer({ dataDir: ${JSON.stringify(dataDir)} }).catch((error) => {
      console.log(error.message);
      process.exit(1);
    });
    ${script}`;
  const repository = new URL('..', import.meta.url);
  return spawn(process.execPath, [...flags, '--input-type=module', '--eval', source], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function linesOf(child: ChildProcess): AsyncIterable<string> {
  assert.ok(child.stdout !== null);
  return createInterface({ input: child.stdout });
}
