// doctor as a process. Each complaint is provoked.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { checkPublicUrl, gatewayOf } from '../../src/setup/checks/doctor-addresses.ts';
import { runCommand, runForJson } from '../harness/command-process.ts';
import { startMailServer } from '../harness/mail-server.ts';
import { askServer } from '../harness/one-question.ts';

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly says: string;
}

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-doctor-'));
const settings = { PORT: '0', SECRET_KEY: 'a key that is long enough for a service' };
let folderCount = 0;
let postgres: ThrowawayPostgres;

before(async () => {
  postgres = await startThrowawayPostgres({ settings: { fsync: 'off' } });
});
after(async () => {
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The exit code must match the checks. */
async function doctor(
  environment: Record<string, string>,
  cwd = newFolder(),
  notAsRoot = false,
): Promise<Map<string, Check>> {
  const options = { cwd, environment: { ...settings, ...environment }, notAsRoot };
  const { code, stdout, stderr } = await runCommand(['doctor', '--json'], options);
  assert.equal(stderr, '');
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  assert.equal(ok, !checks.some(({ state }) => state === 'fail'));
  assert.equal(code, ok ? 0 : 5);
  return new Map(checks.map((check) => [check.name, check]));
}

function newFolder(): string {
  folderCount += 1;
  const made = join(folder, `folder-${folderCount}`);
  mkdirSync(made);
  chmodSync(made, 0o755);
  return made;
}

function assertCheck(checks: Map<string, Check>, name: string, state: Check['state'], says: RegExp): void {
  const check = checks.get(name);
  assert.equal(check?.state, state, `${name}: ${check?.says}`);
  assert.match(check?.says ?? '', says);
}

describe('on this machine', () => {
  test('an empty folder is well, and stays empty', async () => {
    const cwd = newFolder();
    const checks = await doctor({}, cwd);
    assert.deepEqual(
      [...checks.values()].filter(({ state }) => state === 'fail'),
      [],
    );
    assertCheck(checks, 'data folder', 'ok', /the first start creates/);
    assertCheck(checks, 'database', 'ok', /the first start creates it/);
    const { bavail, bsize } = statfsSync(cwd);
    const isRoomy = bavail * bsize >= 2048 * 2 ** 20;
    assertCheck(
      checks,
      'disk',
      isRoomy ? 'ok' : 'warn',
      isRoomy ? /^\d+ MiB free$/ : /^only \d+ MiB free: a busy service/,
    );
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('people get a line for each check', async () => {
    const { code, stdout } = await runCommand(['doctor'], { cwd: newFolder(), environment: settings });
    assert.equal(code, 0);
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines.slice(0, -1)) assert.match(line, /^(ok {2}|warn) {2}[\w .]+ {2,}\S/);
    assert.match(lines.at(-1) ?? '', /^\d+ checks: 0 failed, \d+ warnings?\.$/);
  });

  test('a port that another program has', async () => {
    const other = createServer((socket) => socket.destroy());
    const port = await listenOnUnwantedPort(other);
    assertCheck(
      await doctor({ PORT: String(port) }),
      'port',
      'fail',
      /taken by another program: stop it, or choose another PORT/,
    );
    other.close();
    await once(other, 'close');
    const mailServer = await startMailServer();
    const SMTP_URL = `smtp://127.0.0.1:${mailServer.port}`;
    const PUBLIC_URL = 'https://resell.example.com';
    const checks = await doctor({
      PORT: String(port),
      SMTP_URL,
      PUBLIC_URL,
      MAIL_FROM: 'billing@example.com',
    });
    await mailServer.close();
    assertCheck(checks, 'port', 'ok', /is free/);
    assertCheck(checks, 'mail', 'ok', /accepts mail from billing@example\.com/);
  });

  test('an address that this machine does not have, and a mail server that is not there', async () => {
    const away = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'billing@example.com' };
    const checks = await doctor({ HOST: '192.0.2.1', PORT: '3000', ...away });
    assertCheck(checks, 'port', 'fail', /HOST must be an address of this machine/);
    assertCheck(checks, 'mail', 'fail', /^127\.0\.0\.1 cannot be used: .*ECONNREFUSED.*: check SMTP_URL$/);
  });

  test('a DATA_DIR that is a file, or that this user may not write to', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'a-file'), '');
    assertCheck(await doctor({ DATA_DIR: './a-file' }, cwd), 'data folder', 'fail', /is a file/);
    mkdirSync(join(cwd, 'closed'), { mode: 0o555 });
    chmodSync(folder, 0o755);
    const checks = await doctor({ DATA_DIR: './closed/data' }, cwd, true);
    assertCheck(checks, 'data folder', 'fail', /this user cannot write to .*closed: change its owner/);
  });

  test('an .env that others may read, and a configuration that cannot be read', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, '.env'), 'LOG_LEVEL=warn\n');
    chmodSync(join(cwd, '.env'), 0o644);
    assertCheck(await doctor({}, cwd), '.env', 'warn', /chmod 600/);
    chmodSync(join(cwd, '.env'), 0o600);
    assertCheck(await doctor({}, cwd), '.env', 'ok', /only its owner may read it/);
    const checks = await doctor({ CURRENCY: 'dollars' });
    assertCheck(checks, 'configuration', 'fail', /CURRENCY must be/);
    assert.equal([...checks.keys()].at(-1), 'configuration', 'nothing else was looked at');
    const yen = await doctor({ CURRENCY: 'JPY' });
    assertCheck(
      yen,
      'currency',
      'fail',
      /JPY, which has no decimals, and amounts here have two: choose another/,
    );
  });

  test('addresses that do not work behind a proxy', async () => {
    assertCheck(await doctor({ HOST: '0.0.0.0' }), 'public address', 'warn', /PUBLIC_URL/);
    assertCheck(
      await doctor({ PUBLIC_URL: 'http://sell.example.com' }),
      'public address',
      'warn',
      /not https/,
    );
    const proxied = { PUBLIC_URL: 'https://sell.example.com' };
    assertCheck(await doctor(proxied), 'public address', 'warn', /TRUST_PROXY/);
    assertCheck(
      await doctor({ ...proxied, TRUST_PROXY: '127.0.0.1' }),
      'public address',
      'ok',
      /sell\.example/,
    );
  });

  test('a proxy in front of a container', () => {
    const config = { publicUrl: 'https://sell.example.com', host: '0.0.0.0' };
    const check = (trustProxy: string[], gateway: string | null) =>
      checkPublicUrl({ ...config, trustProxy }, gateway);
    assert.match(check([], null).says, /TRUST_PROXY does not name the proxy/);
    const says =
      /in a container, a proxy on the host arrives from 172\.30\.83\.1, not from 127\.0\.0\.1: set TRUST_PROXY to 172\.30\.83\.1/;
    assert.match(check(['127.0.0.1'], '172.30.83.1').says, says);
    for (const [trusted, gateway] of [
      ['127.0.0.1', null],
      ['172.30.83.0/24', '172.30.83.1'],
      ['10.0.0.7', '172.30.83.1'],
    ] as const)
      assert.equal(check([trusted], gateway).state, 'ok', trusted);
    const routes =
      'Iface\tDestination\tGateway \tFlags\neth1\t000011AC\t00000000\t0001\neth0\t00000000\t01531EAC\t0003\n';
    assert.equal(gatewayOf(routes), '172.30.83.1');
  });

  test('secrets that a first start left in a file', async () => {
    const cwd = newFolder();
    assert.equal((await doctor({}, cwd)).has('first secrets'), false);
    mkdirSync(join(cwd, 'data'), { mode: 0o700 });
    writeFileSync(join(cwd, 'data', 'first-administrator.txt'), '');
    assertCheck(await doctor({}, cwd), 'first secrets', 'warn', /delete the file/);
  });

  test('another SECRET_KEY than the embedded database was set up with @nightly', async () => {
    const cwd = newFolder();
    copyEmbeddedTemplate(join(cwd, 'data'));
    await runForJson(['migrate'], { cwd, environment: settings });
    const checks = await doctor({}, cwd);
    assertCheck(checks, 'secret key', 'ok', /opens/);
    assertCheck(checks, 'schema', 'ok', /up to date/);
    assertCheck(await doctor({ SECRET_KEY: 'y'.repeat(40) }, cwd), 'secret key', 'fail', /not the one/);
  });
});

describe('on PostgreSQL', () => {
  const safe = () => ({ ALLOW_UNSAFE_DATABASE: '1' });
  let migrated: string;
  before(async () => {
    const DATABASE_URL = await createDatabase();
    await runForJson(['migrate'], {
      cwd: newFolder(),
      environment: { ...settings, DATABASE_URL, ...safe() },
    });
    migrated = nameOf(DATABASE_URL);
  });
  const createMigratedDatabase = () => createDatabase(`template ${migrated}`);

  test('of a list of hosts each is named with what it is', async () => {
    const single = await createMigratedDatabase();
    const { host } = new URL(single);
    const environment = { ...settings, ...safe() };
    const checks = await doctor({
      ...environment,
      DATABASE_URL: single.replace(host, `127.0.0.1:1,${host}`),
    });
    const said =
      /127\.0\.0\.1:1 does not answer \(.*ECONNREFUSED.*\); \S+ takes writes, timeline \d+, system identifier \d+$/;
    assertCheck(checks, 'database hosts', 'warn', said);
    assertCheck(checks, 'writing', 'ok', /takes writes/);
  });

  test('a server that does not answer', async () => {
    const DATABASE_URL = 'postgres://postgres@127.0.0.1:1/postgres';
    assertCheck(await doctor({ DATABASE_URL }), 'database', 'fail', /cannot be reached/);
  });

  test('fsync off', async () => {
    const DATABASE_URL = await createDatabase();
    const checks = await doctor({ DATABASE_URL });
    assertCheck(checks, 'durability', 'fail', /^fsync off: acknowledged orders may be lost; switch it on/);
    assertCheck(checks, 'schema', 'warn', /empty: the next start, or "sellthrough migrate", fills it/);
    assertCheck(await doctor({ DATABASE_URL, ...safe() }), 'durability', 'warn', /ALLOW_UNSAFE_DATABASE/);
    assert.deepEqual(
      await askServer(
        DATABASE_URL,
        "select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace",
      ),
      [{ n: 0 }],
    );
  });

  test('a database that takes no writes', async () => {
    const DATABASE_URL = await createDatabase();
    await askServer(
      postgres.url,
      `alter database ${nameOf(DATABASE_URL)} set default_transaction_read_only = on`,
    );
    assertCheck(
      await doctor({ DATABASE_URL, ...safe() }),
      'writing',
      'fail',
      /default_transaction_read_only is on/,
    );
  });

  test('an encoding that cannot hold every text', async () => {
    const DATABASE_URL = await createDatabase(
      "encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' template template0",
    );
    assertCheck(await doctor({ DATABASE_URL, ...safe() }), 'writing', 'fail', /encoding is SQL_ASCII/);
  });

  test('a schema that is behind, ahead, or another one', async () => {
    const DATABASE_URL = await createMigratedDatabase();
    const environment = { ...settings, DATABASE_URL, ...safe() };
    await askServer(
      DATABASE_URL,
      "insert into schema_migrations values (9999, '9999-later.sql', 'x', now())",
    );
    assertCheck(await doctor(environment), 'schema', 'fail', /newer than this program \(9999-later\.sql\)/);
    await askServer(DATABASE_URL, 'delete from schema_migrations where number > 1');
    assertCheck(await doctor(environment), 'schema', 'warn', /\d migrations behind/);
    await askServer(DATABASE_URL, "update schema_migrations set checksum = 'x'");
    assertCheck(await doctor(environment), 'schema', 'fail', /0001-\S+ is not this program/);
  });

  test('a key that an earlier version showed, and a clock that is behind the newest record', async () => {
    const DATABASE_URL = await createMigratedDatabase();
    const environment = { ...settings, DATABASE_URL, ...safe() };
    const checks = await doctor(environment);
    assertCheck(checks, 'clock', 'ok', /the same in the database/);
    assertCheck(checks, 'schema', 'ok', /up to date/);
    const euros = await doctor({ ...environment, CURRENCY: 'EUR' });
    assertCheck(euros, 'currency', 'fail', /CURRENCY is EUR.*holds USD/);
    assert.equal(checks.has('first key'), false);
    await askServer(
      DATABASE_URL,
      `with made as (insert into accounts (id, username, display_name, search_text, group_name, is_admin, created_at)
          overriding system value values (1, 'admin', 'a', 'a', 'distributor', true, now() - interval '1 day')
          returning id, created_at)
        insert into api_keys (lookup_hash, account_id, sealed_key, last_four, created_at)
          select repeat('a', 64), id, 'x', 'abcd', created_at from made`,
    );
    const shown = await doctor(environment);
    assertCheck(
      shown,
      'first key',
      'warn',
      /admin still has the key that the first start showed: .*account key admin/,
    );
    await askServer(DATABASE_URL, "insert into audit_log values (1, now() + interval '1 hour', 1, 'x', 'x')");
    assertCheck(await doctor(environment), 'clock', 'fail', /behind the newest record/);
  });
});

async function createDatabase(how = ''): Promise<string> {
  folderCount += 1;
  const name = `doctor_${folderCount}`;
  await askServer(postgres.url, `create database ${name} ${how}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

/** A port that the system never assigns itself, so that nothing else takes it after release. */
async function listenOnUnwantedPort(server: Server): Promise<number> {
  for (let port = 20_000 + (process.pid % 5_000); port < 32_768; port += 1) {
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return port;
    } catch {
      // The port is taken.
    }
  }
  assert.fail('no port is free');
}
