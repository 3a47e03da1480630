// The secret key from outside: who may generate one, the messages for a missing or wrong one, and replacing it.

import assert from 'node:assert/strict';
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
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startServiceHere } from '../../proof/machines/service-here.ts';
import { startPatiently, startServiceProcess } from '../../proof/machines/service-process.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { openApiKey } from '../../src/features/identity/api-key-rows.ts';
import { readConfig } from '../../src/setup/config.ts';
import { findDatabase } from '../../src/setup/open-database.ts';
import { assertRefused, runCommand, runForJson } from '../harness/command-process.ts';
import { createPostgresDatabase } from '../harness/postgres-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-secret-key-'));
const inFolder = (name: string) => join(folder, name);
const secretKey = 'the key that the operator has chosen';
const adminKey = mintApiKey('live');

async function startAndStop(environment: Readonly<Record<string, string>>): Promise<void> {
  const service = await startServiceHere({ PORT: '0', ...environment });
  service.kill('SIGTERM');
  await service.gone;
}

function run(args: readonly string[], environment: Readonly<Record<string, string>>) {
  return runCommand(args, { cwd: folder, environment: { PORT: '0', ...environment } });
}

let made: Promise<string> | undefined;

function backupOfOriginal(): Promise<string> {
  const path = inFolder('original.backup');
  const environment = { DATA_DIR: inFolder('original'), SECRET_KEY: secretKey };
  made ??= runForJson(['backup', path], { cwd: folder, environment }).then(() => path);
  return made;
}

function newDataDir(name: string): string {
  copyEmbeddedTemplate(inFolder(name));
  return inFolder(name);
}

before(async () => {
  const environment = { DATA_DIR: newDataDir('original'), SECRET_KEY: secretKey, ADMIN_API_KEY: adminKey };
  await startAndStop(environment);
});
after(() => rmSync(folder, { recursive: true, force: true }));

describe('after a restore with SECRET_KEY in the environment @nightly', () => {
  const dataDir = inFolder('restored');
  const kept = join(dataDir, 'secret.key');

  before(async () => {
    newDataDir('restored');
    await runForJson(['restore', await backupOfOriginal()], {
      cwd: folder,
      environment: { DATA_DIR: dataDir, SECRET_KEY: secretKey },
    });
    assert.ok(!existsSync(kept));
  });

  test('commands and starts without it say what is missing, and make no other key', async () => {
    for (const args of [['verify'], ['serve'], ['backup', inFolder('x.backup')]]) {
      assertRefused(
        await run(args, { DATA_DIR: dataDir }),
        1,
        /set up with a secret key, but .*restored\/secret\.key is missing\. Restore it from your copy, or set SECRET_KEY\.$/m,
      );
      assert.ok(!existsSync(kept), `${args[0]} makes no key`);
    }
    assert.ok(!existsSync(inFolder('x.backup')));
    const { stdout } = await run(['doctor', '--json'], { DATA_DIR: dataDir });
    const { checks }: { checks: { name: string; state: string; says: string }[] } = JSON.parse(stdout);
    const check = checks.find(({ name }) => name === 'secret key');
    assert.equal(check?.state, 'fail');
    assert.match(check?.says ?? '', /secret\.key is missing/);
  });

  test('a wrong file is named, a damaged one too, and the right one is taken', async () => {
    writeFileSync(kept, `${'w'.repeat(43)}\n`);
    assertRefused(await run(['verify'], { DATA_DIR: dataDir }), 1, /The key in .*secret\.key is not the one/);
    writeFileSync(kept, 'short\n');
    assertRefused(await run(['verify'], { DATA_DIR: dataDir }), 1, /secret\.key is damaged/);
    writeFileSync(kept, `${secretKey}\n`);
    await runForJson(['verify'], { cwd: folder, environment: { DATA_DIR: dataDir } });
    await startAndStop({ DATA_DIR: dataDir });
    assert.equal(readFileSync(kept, 'utf8'), `${secretKey}\n`);
  });
});

test('a restore takes the right secret.key that was copied into the empty folder beforehand @nightly', async () => {
  const dataDir = inFolder('prepared');
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'secret.key'), `${secretKey}\n`, { mode: 0o600 });
  const restored = await runForJson(['restore', await backupOfOriginal()], {
    cwd: folder,
    environment: { DATA_DIR: dataDir },
  });
  assert.equal(restored.verify.ok, true);
  await startAndStop({ DATA_DIR: dataDir });
  assert.equal(readFileSync(join(dataDir, 'secret.key'), 'utf8'), `${secretKey}\n`);
});

test('in a folder without a database no command makes anything, and migrate no key @nightly', async () => {
  const dataDir = inFolder('nothing');
  for (const args of [['verify'], ['backup', inFolder('y.backup')]]) {
    assertRefused(await run(args, { DATA_DIR: dataDir }), 1, /There is no database in .*nothing/);
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('nothing') || name.startsWith('y.backup')),
    [],
  );
  newDataDir('nothing');
  await runForJson(['migrate'], { cwd: folder, environment: { DATA_DIR: dataDir } });
  assert.ok(!existsSync(join(dataDir, 'secret.key')), 'migrate makes no key');
  assertRefused(
    await run(['backup', inFolder('y.backup')], { DATA_DIR: dataDir }),
    1,
    /No service was ever started on this database/,
  );
  await startAndStop({ DATA_DIR: dataDir });
  assert.match(
    readFileSync(join(dataDir, 'secret.key'), 'utf8'),
    /^[\w-]{43}\n$/,
    'the first start makes one',
  );
});

describe('SECRET_KEY is replaced', () => {
  const oldKey = secretKey;
  const newKey = 'the key that takes the place of the other';
  const dataDir = inFolder('replaced');
  const before = { DATA_DIR: dataDir, SECRET_KEY: oldKey, ADMIN_API_KEY: adminKey };
  const between = { ...before, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey };
  const after = { ...before, SECRET_KEY: newKey };
  const json = (args: readonly string[], environment: Readonly<Record<string, string>>) =>
    runForJson(args, { cwd: folder, environment });
  const doctorOf = async (environment: Readonly<Record<string, string>>) => {
    const { stdout } = await run(['doctor', '--json'], environment);
    const { checks }: { checks: { name: string; state: string; says: string }[] } = JSON.parse(stdout);
    return checks.find(({ name }) => name === 'secret key');
  };

  test('beside a running embedded service, and what was sealed opens all the while', async () => {
    cpSync(inFolder('original'), dataDir, { recursive: true });
    assertRefused(await run(['verify'], after), 1, /SECRET_KEY is not the one/);
    const waiting = await doctorOf(between);
    assert.equal(waiting?.state, 'warn');
    assert.match(
      waiting?.says ?? '',
      /^1 texts are sealed under SECRET_KEY_PREVIOUS: run "sellthrough reseal"/,
    );

    const service = await startServiceProcess({ environment: { PORT: '0', ...between } });
    const elsewhere = await run(['reseal'], { ...before, SECRET_KEY: 'x'.repeat(40) });
    assertRefused(elsewhere, 1, /uses another SECRET_KEY\. Restart it with this one first/);
    const done = await json(['reseal'], between);
    assert.deepEqual([done.resealed, done.previous, done.unreadable, done.current], [1, 0, 0, 1]);
    service.kill('SIGTERM');
    await service.gone;

    assert.equal((await doctorOf(after))?.state, 'ok');
    assert.match((await doctorOf(between))?.says ?? '', /nothing is sealed under SECRET_KEY_PREVIOUS/);
    assert.equal((await json(['reseal'], after)).resealed, 0, 'again: nothing to do');
    assertRefused(await run(['verify'], before), 1, /SECRET_KEY is not the one/);
    const { database, seal } = await findDatabase(readConfig(after), 0, 'current');
    assert.ok(seal);
    assert.equal(await openApiKey(database, seal, 1), adminKey);
    await database.close();
  });

  test('on PostgreSQL not before every process that runs knows the new key: those that do not are named', async () => {
    const created = await createPostgresDatabase();
    const url = new URL(created.url);
    // The operator's own application_name must not hide other processes.
    url.searchParams.set('application_name', 'shop');
    const start = (settings: Readonly<Record<string, string>>) =>
      startPatiently({ environment: { PORT: '0', DATABASE_URL: url.href, ...settings } });
    const knowsOld = { SECRET_KEY: oldKey, ADMIN_API_KEY: adminKey };
    const knowsBoth = { ...knowsOld, SECRET_KEY_PREVIOUS: newKey };
    const reseal = { DATABASE_URL: url.href, SECRET_KEY: newKey, SECRET_KEY_PREVIOUS: oldKey };
    let service = await start(knowsOld);
    try {
      // Acts as a process of the first edition, which does not announce its keys.
      const older = new pg.Client({ connectionString: url.href.replace('=shop', '=sellthrough') });
      older.on('error', () => undefined);
      await older.connect();
      const refused = await run(['reseal'], reseal);
      assertRefused(
        refused,
        1,
        new RegExp(`: one of an earlier version, .*; .*, process ${service.pid}\\. `),
      );
      await older.end();
      assertRefused(await run(['reseal'], reseal), 1, new RegExp(`it: [^;]+, process ${service.pid}\\. `));
      service.kill('SIGTERM');
      await service.gone;
      service = await start(knowsBoth);
      const done = await json(['reseal'], reseal);
      assert.deepEqual([done.resealed, done.previous, done.current], [1, 0, 1], 'nothing was done before');
    } finally {
      service.kill('SIGKILL');
      await service.gone;
      await created.remove();
    }
  });
});
