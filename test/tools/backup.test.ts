// backup and restore as processes, on both databases. Files that are incomplete or foreign are refused without any effect.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { type ServiceHere, startServiceHere } from '../../proof/machines/service-here.ts';
import { startServiceProcess } from '../../proof/machines/service-process.ts';
import { type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { postgresForTests } from '../../scripts/throwaway-postgres.ts';
import { readBackup } from '../../src/features/backup/backup-format.ts';
import { migrationsOf, passTables } from '../../src/features/backup/restore-backup.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts';
import { migrate, readMigrations } from '../../src/platform/database/schema/migrate.ts';
import { createSeal } from '../../src/platform/secrets/seal.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { errorMessageOf } from '../../src/setup/error-message.ts';
import { assertRefused, runCommand, runForJson, startCommand } from '../harness/command-process.ts';
import { askServer } from '../harness/one-question.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-backup-'));
const inFolder = (name: string) => join(folder, name);
const secretKey = 'the key of the service that is backed up';
const adminKey = mintApiKey('live');
const settings = { SECRET_KEY: secretKey, ADMIN_API_KEY: adminKey, PORT: '0' };

/** The pause between two orders during a backup, so that orders continue but leave the CPU to other tests. */
const restMilliseconds = 50;

const oddTexts = [
  'a "quoted" \\ back\\slash',
  'tab-free but ünïcödé 漢字 🙂',
  "'; drop table accounts; --",
  '\u2028\u2029 {null} [1,2]',
];

let postgres: Awaited<ReturnType<typeof postgresForTests>>;
let packageId: number;
let demoKey: string;
const original = inFolder('original.backup');

before(async () => {
  postgres = await postgresForTests();
  const environment = { ...settings, DATA_DIR: inFolder('first') };
  copyEmbeddedTemplate(environment.DATA_DIR);
  const service = await startService({ environment });
  const admin = createApiClient(service.address, adminKey);
  const reseller = { username: 'demo', group: 'reseller', rate_limit_per_minute: 1_000_000 };
  demoKey = (await made(admin.post('/api/admin/v1/accounts', reseller))).api_key;
  const demo = createApiClient(service.address, demoKey);
  for (const text of oddTexts) {
    await made(admin.post('/api/admin/v1/accounts/2/credit', { amount: '100.00', memo: text }));
  }
  const limits = { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 };
  const one = { monthly: '1.00', quarterly: '2.50', yearly: '9.99' };
  const prices = { reseller: one, distributor: one };
  for (const name of ['Plain', 'Odd']) {
    const body = { name, features: oddTexts, limits, prices };
    packageId = (await made(admin.post('/api/admin/v1/packages', body))).package.id;
  }
  await fill(demo, 'customer');
  service.kill('SIGTERM');
  await service.gone;
  await runForJson(['backup', original], { cwd: folder, environment });
});
const databases = new Set<string>();
const running = new Set<ServiceHere>();
after(async () => {
  for (const service of running) service.kill('SIGKILL');
  for (const name of databases) await askServer(postgres.url, `drop database if exists ${name} with (force)`);
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('a backup holds every row and no secret key, and only its owner may read it', async () => {
  assert.equal(statSync(original).mode & 0o777, 0o600);
  const text = gunzipSync(readFileSync(original)).toString('utf8');
  for (const secret of [secretKey, adminKey, demoKey]) assert.ok(!text.includes(secret));
  const shown = await runForJson(['restore', '--check', original], { cwd: folder });
  assert.equal(shown.database, 'embedded');
  assert.deepEqual(
    [shown.tables.accounts, shown.tables.orders, shown.tables.packages, shown.tables.service_state],
    [2, 40, 2, 1],
  );
});

test('embedded to PostgreSQL to embedded: every row is the same to the byte, and the service goes on', async () => {
  const url = await createDatabase();
  const loaded = await runForJson(['restore', original], {
    cwd: folder,
    environment: { ...settings, DATABASE_URL: url },
  });
  assert.deepEqual([loaded.verify.ok, loaded.verify.accounts, loaded.tables.orders], [true, 2, 40]);
  const second = inFolder('second.backup');
  await runForJson(['backup', second], { cwd: folder, environment: { ...settings, DATABASE_URL: url } });

  const environment = { ...settings, DATA_DIR: inFolder('third') };
  copyEmbeddedTemplate(environment.DATA_DIR);
  await runForJson(['restore', second], { cwd: folder, environment });
  const third = inFolder('third.backup');
  await runForJson(['backup', third], { cwd: folder, environment });
  const rows = rowsOf(original);
  assert.ok(Object.values(rows).flat().length > 100);
  assert.equal(rows['login_links']?.length, 3);
  rows['login_links'] = [];
  assert.deepEqual(withoutIncarnation(rowsOf(second), second), withoutIncarnation(rows, original));
  assert.deepEqual(withoutIncarnation(rowsOf(third), third), withoutIncarnation(rows, original));

  for (const [target, accountId] of [
    [{ DATABASE_URL: url }, 1_003],
    [{ DATA_DIR: inFolder('third') }, 2_003],
  ] as const) {
    const service = await startService({ environment: { ...settings, ...target } });
    const demo = createApiClient(service.address, demoKey);
    const body = { package_id: packageId, customer: 'customer-0', customer_name: oddTexts[1] };
    const replayed = await demo.post('/orders', body, { 'idempotency-key': 'customer-0' });
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true', replayed.text);
    const placed = await made(
      demo.post('/orders', { package_id: packageId, customer: 'after the restore'.replaceAll(' ', '-') }),
    );
    assert.equal(placed.order.id, 2_000_000_041, 'numbers go on without a gap');
    // New ids start beyond those that the lost database may have used.
    const admin = createApiClient(service.address, adminKey);
    const account = await made(
      admin.post('/api/admin/v1/accounts', { username: 'newcomer', group: 'reseller' }),
    );
    assert.equal(account.account.id, accountId);
    service.kill('SIGTERM');
    await service.gone;
  }
});

describe('a restore revokes access that may have ended', () => {
  const file = inFolder('passes.backup');
  const passes = [
    'sessions',
    'account_views',
    'customer_sessions',
    'login_links',
    'login_codes',
    'password_links',
    'recovery_codes',
  ];
  const counts = `select ${passes.map((table) => `(select count(*)::int from ${table}) as ${table}`).join()},
    (select count(*)::int from totp_secrets) as totp_secrets,
    (select count(*)::int from mails where gave_up_at is null) as mails`;

  before(async () => {
    const url = await createDatabase();
    const environment = { ...settings, DATABASE_URL: url };
    await runForJson(['restore', original], { cwd: folder, environment });
    const sealedSecret = createSeal(secretKey).seal('ABCDEFGH', 'totp secret of account 1');
    await askServer(
      url,
      `insert into sessions values (1, 'hash', 1, now(), now(), '::1', 'browser'), (2, 'hash', 1, now(), now(), '::1', '');
        insert into account_views values ('hash', 2, now() + interval '1 hour');
        insert into customer_sessions values ('hash', 2, 1, now(), now() + interval '1 day');
        insert into login_links (token_hash, account_id, customer_number, order_number, created_at, expires_at)
          values ('hash', 2, 1, 1, now(), now() + interval '1 day');
        insert into login_codes (code_hash, account_id, customer_number, created_at, expires_at)
          values ('hash', 2, 1, now(), now() + interval '1 day');
        insert into totp_secrets (person_id, sealed_secret, created_at, enabled_at) values (1, '${sealedSecret}', now(), now());
        insert into password_links values ('hash', 2, 'password_reset', 1, now(), now() + interval '1 hour');
        insert into mails (to_address, kind, occasion, subject, sealed_body, created_at, send_after, expires_at)
          values ('a@example.com', 'alert', 'one', '', '', now(), now(), now() + interval '1 day');
        with made as (
          insert into api_keys (lookup_hash, account_id, last_four, created_at, is_first, ends_at, expires_at) values
            ('ended', 2, 'ende', now(), false, now() - interval '1 second', null),
            ('expired', 2, 'expi', now(), false, null, now() - interval '1 second'),
            ('ending', 2, 'last', now(), false, now() + interval '1 day', now() + interval '1 day')
          returning id, last_four),
        counted as (update service_state set audit_count = audit_count + 3 returning audit_count - 3 as earlier)
        insert into audit_log (number, at, actor_id, action, subject, after)
          select earlier + row_number() over (order by id), now(), 2, 'account.create_key', 'key ' || id || ' of account 2',
            jsonb_build_object('last_four', last_four) from made, counted;
        insert into recovery_codes (person_id, code_hash) values (1, 'one'), (1, 'two')`,
    );
    await runForJson(['backup', file], { cwd: folder, environment });
    assert.deepEqual(await askServer(url, counts), [
      {
        ...Object.fromEntries(passes.map((table) => [table, 1])),
        sessions: 2,
        recovery_codes: 2,
        totp_secrets: 1,
        mails: 1,
      },
    ]);
  });

  test('sessions, links and codes are gone, second factors are not, and every living key is named', async () => {
    const url = await createDatabase();
    const environment = { ...settings, DATABASE_URL: url };
    const restored = await runForJson(['restore', file], { cwd: folder, environment });
    const none = Object.fromEntries(passes.map((table) => [table, 0]));
    assert.deepEqual(await askServer(url, counts), [{ ...none, totp_secrets: 1, mails: 0 }]);
    assert.deepEqual(restored.dropped, {
      ...none,
      sessions: 2,
      account_views: 1,
      customer_sessions: 1,
      login_links: 1,
      login_codes: 1,
      password_links: 1,
      recovery_codes: 2,
    });
    assert.deepEqual(
      restored.keys.map((key: Record<string, string>) => [key['username'], key['last_four']]),
      [
        ['admin', adminKey.slice(-4)],
        ['demo', demoKey.slice(-4)],
        ['demo', 'last'],
      ],
      'without links that have ended or expired',
    );
    const other = { ...settings, DATABASE_URL: await createDatabase() };
    const { code, stdout } = await runCommand(['restore', file], { cwd: folder, environment: other });
    assert.equal(code, 0);
    assert.match(
      stdout,
      /Not restored.* 2 sessions, 1 account views, 1 customer sessions, .* 2 recovery codes/,
    );
    assert.match(stdout, /Team members who were removed after that are back/);
    assert.match(stdout, new RegExp(`^ +2  demo +…${demoKey.slice(-4)}  \\d{4}-`, 'm'));
    for (const key of [adminKey, demoKey]) assert.ok(!stdout.includes(key));
  });

  test('with --revoke-keys no key of the backup works, and each account has a new one @nightly', async () => {
    const url = await createDatabase();
    const environment = { ...settings, DATABASE_URL: url };
    const restored = await runForJson(['restore', '--revoke-keys', file], { cwd: folder, environment });
    assert.deepEqual([restored.keys, restored.new_keys, restored.administrators.length], [[], 2, 1]);
    const [{ username, api_key: newKey }] = restored.administrators;
    assert.equal(username, 'admin');
    const service = await startService({ environment });
    for (const key of [adminKey, demoKey]) {
      const { status, body } = await createApiClient(service.address, key).get('/balance');
      assert.deepEqual([status, body.error.code], [401, 'revoked_api_key']);
    }
    const { status, body } = await createApiClient(service.address, newKey).get('/api/admin/v1/accounts');
    assert.deepEqual([status, body.total], [200, 2]);
    service.kill('SIGTERM');
    await service.gone;
    const current = 'select account_id, last_four from api_keys where revoked_at is null order by 1';
    const [first, second, ...others] = await askServer(url, current);
    assert.deepEqual([first, others], [{ account_id: 1, last_four: newKey.slice(-4) }, []]);
    assert.notDeepEqual(second, { account_id: 2, last_four: demoKey.slice(-4) });
  });

  test('no table of sessions, links or codes is forgotten', () => {
    const schema = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8');
    const holders = [...schema.matchAll(/^(\w+)\.(token_hash|code_hash) /gm)].map(([, table = '']) => table);
    // This table contains hashes of links, but lets no customer in.
    const logs = ['login_link_log'];
    assert.deepEqual(
      [...passTables].sort(),
      [...new Set(holders)].filter((one) => !logs.includes(one)).sort(),
    );
  });
});

test('customers who were erased after the backup are erased again before the service answers, and no others', async () => {
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  const [first, second] = await askServer(
    await createRestored(),
    `select number, reference, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as created_at
      from customers where account_id = 2 order by number limit 2`,
  );
  const idOf = (number: number) => 2_000_000_000 + number;
  const lines = [
    'not JSON, but it says customer erased',
    JSON.stringify({ msg: 'customer erased', customer: idOf(first.number), created_at: first.created_at }),
    JSON.stringify({ msg: 'customer erased', customer: idOf(first.number), created_at: first.created_at }),
    // Another customer had this number then.
    JSON.stringify({
      msg: 'customer erased',
      customer: idOf(second.number),
      created_at: '2020-01-01T00:00:00Z',
    }),
  ];
  writeFileSync(inFolder('service.log'), lines.join('\n'));
  const options = ['--erasures', inFolder('service.log')];
  const restored = await runForJson(['restore', original, ...options], { cwd: folder, environment });
  assert.equal(restored.erasures, 1);
  const service = await startService({ environment });
  const demo = createApiClient(service.address, demoKey);
  const [erased, other] = await Promise.all(
    [first, second].map(async ({ number }) => (await demo.get(`/customers/${idOf(number)}`)).body.customer),
  );
  assert.equal(erased.reference, `erased-${idOf(first.number)}`);
  assert.equal(other.reference, second.reference);
  service.kill('SIGTERM');
  await service.gone;
});

async function createRestored(): Promise<string> {
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  await runForJson(['restore', original], { cwd: folder, environment });
  return url;
}

test('a backup of PostgreSQL under load is one consistent moment: its ledger adds up', async () => {
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  await runForJson(['restore', original], { cwd: folder, environment });
  const service = await startService({ environment });
  const demo = createApiClient(service.address, demoKey);
  let isOver = false;
  let placed = 0;
  const stream = (async () => {
    while (!isOver) {
      const { status, text } = await demo.post('/orders', {
        package_id: packageId,
        customer: `busy-${placed % 7}`,
      });
      assert.ok(status === 201 || status === 402, text);
      placed += 1;
      await pause(restMilliseconds);
    }
  })();
  try {
    for (const name of ['busy-1', 'busy-2']) {
      const made = await runForJson(['backup', inFolder(`${name}.backup`)], { cwd: folder, environment });
      const target = { ...settings, DATABASE_URL: await createDatabase() };
      const loaded = await runForJson(['restore', inFolder(`${name}.backup`)], {
        cwd: folder,
        environment: target,
      });
      assert.deepEqual([loaded.rows, loaded.verify.ok], [made.rows, true]);
    }
    const noted = await askServer(url, 'select backed_up_at is not null as is_noted from service_state');
    assert.deepEqual(noted, [{ is_noted: true }], 'the step of the console is done');
  } finally {
    isOver = true;
    await stream;
    service.kill('SIGTERM');
    await service.gone;
  }
  assert.ok(placed > 1);
});

test('a backup of a running embedded service is one consistent moment, orders go on, and only a complete file is noted', async () => {
  const environment = { ...settings, DATA_DIR: inFolder('busy') };
  cpSync(inFolder('first'), environment.DATA_DIR, { recursive: true });
  // A separate process, because the commands find the service by its folder.
  const service = await noted(startServiceProcess({ environment }));
  const demo = createApiClient(service.address, demoKey);
  let isOver = false;
  let placed = 0;
  const stream = (async () => {
    while (!isOver) {
      const body = { package_id: packageId, customer: `busy-${placed % 7}` };
      const { status, text } = await demo.post('/orders', body);
      assert.ok(status === 201 || status === 402, text);
      placed += 1;
      await pause(restMilliseconds);
    }
  })();
  let entries = 0;
  try {
    const before = rowsOf(original)['ledger_entries']?.length ?? 0;
    while (placed === 0) await pause(restMilliseconds);
    const wasPlaced = placed;
    const ends = await Promise.all(
      ['pair-1', 'pair-2'].map((name) =>
        runCommand(['backup', inFolder(`${name}.backup`), '--json'], { cwd: folder, environment }),
      ),
    );
    assert.ok(placed > wasPlaced, 'orders went on');
    // Only one backup runs at a time. The other is refused, and its files are not touched.
    const [done, ...others] = ends.toSorted((a, b) => Number(a.code) - Number(b.code));
    for (const end of others.filter(({ code }) => code !== 0)) assertRefused(end, 1, /already running/);
    assert.equal(done?.code, 0, done?.stderr);
    const made = JSON.parse(done?.stdout ?? '');
    const target = { ...settings, DATABASE_URL: await createDatabase() };
    const loaded = await runForJson(['restore', made.path], { cwd: folder, environment: target });
    assert.deepEqual([loaded.rows, loaded.verify.ok], [made.rows, true]);
    assert.ok(made.tables.ledger_entries > before, 'it holds what was placed meanwhile');
    entries = made.tables.ledger_entries;
    const wrong = { ...environment, SECRET_KEY: 'x'.repeat(40) };
    assertRefused(
      await runCommand(['backup', inFolder('never.backup')], { cwd: folder, environment: wrong }),
      1,
      /SECRET_KEY is not the one/,
    );
    // A backup holds the note of the one before it. The service notes a complete file, and no failed backup.
    const last = inFolder('after-pair.backup');
    await runForJson(['backup', last], { cwd: folder, environment });
    assert.equal(noteIn(made.path).backedUpAt, noteIn(original).madeAt);
    assert.equal(noteIn(last).backedUpAt, noteIn(made.path).madeAt);
    // The service is not affected: it continues, and its folder opens as usual afterwards.
  } finally {
    isOver = true;
    await stream;
    service.kill('SIGKILL');
    await service.gone;
  }
  const last = await runForJson(['verify'], { cwd: folder, environment });
  assert.equal(last.ok, true);
  assert.ok(last.entries >= entries);
});

test('a backup that a signal ends takes its file with it; what kill -9 leaves doctor names and the next backup replaces @nightly', async () => {
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  await runForJson(['restore', original], { cwd: folder, environment });
  const cwd = inFolder('cut-off');
  mkdirSync(cwd);
  // This lock stops all backups of the database halfway.
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin; lock table orders in access exclusive mode');
  const cutOff = async (signal: NodeJS.Signals) => {
    const child = startCommand(['backup', `${signal}.backup`], { cwd, environment });
    const ended = once(child, 'exit');
    while (!existsSync(join(cwd, `${signal}.backup.unfinished`)) && child.exitCode === null) await pause(5);
    child.kill(signal);
    assert.deepEqual(await ended, [null, signal]);
  };
  try {
    await Promise.all([cutOff('SIGINT'), cutOff('SIGHUP'), cutOff('SIGKILL')]);
  } finally {
    await holder.end();
  }
  assert.deepEqual(readdirSync(cwd), ['SIGKILL.backup.unfinished']);
  // A copy beside a running embedded service leaves such a folder if it is killed.
  mkdirSync(join(cwd, 'SIGKILL.backup.unfinished-copy'));
  const { stdout } = await runCommand(['doctor', '--json'], { cwd, environment });
  const { checks }: { checks: { name: string; state: string; says: string }[] } = JSON.parse(stdout);
  const found = checks.find(({ name }) => name === 'backups');
  assert.equal(found?.state, 'warn');
  assert.match(found?.says ?? '', /SIGKILL\.backup\.unfinished and .*SIGKILL\.backup\.unfinished-copy/);
  await runForJson(['backup', 'SIGKILL.backup'], { cwd, environment });
  assert.deepEqual(readdirSync(cwd), ['SIGKILL.backup']);
});

test('a backup never replaces a file', async () => {
  const before = readFileSync(original);
  const environment = { ...settings, DATABASE_URL: await createDatabase() };
  await runForJson(['migrate'], { cwd: folder, environment });
  assertRefused(await runCommand(['backup', original], { cwd: folder, environment }), 1, /already exists/);
  assert.deepEqual(readFileSync(original), before);
});

test('a place that cannot be written to ends with one sentence, and nothing is left there @nightly', async () => {
  const environment = { ...settings, DATABASE_URL: await createDatabase() };
  await runForJson(['restore', original], { cwd: folder, environment });
  const nowhere = inFolder('nowhere/made.backup');
  assertRefused(
    await runCommand(['backup', nowhere], { cwd: folder, environment }),
    1,
    /nowhere\/made\.backup cannot be written: ENOENT/,
  );
  const closed = inFolder('closed');
  mkdirSync(closed);
  chmodSync(closed, 0o555);
  chmodSync(folder, 0o755);
  const refused = await runCommand(['backup', join(closed, 'made.backup')], {
    cwd: folder,
    environment,
    notAsRoot: true,
  });
  assertRefused(refused, 1, /made\.backup cannot be written: EACCES/);
  assert.deepEqual(readdirSync(closed), []);
});

test('a database whose schema is older is backed up before the upgrade, and restored after it @nightly', async () => {
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  const older = await openPostgres({ connectionString: url, ...defaultLimits.database });
  const missing = readMigrations().slice(-2);
  await migrate(older, { migrations: readMigrations().slice(0, -2) });
  await older.close();
  const [check, audit] = [rowsOf(original)['service_state'], rowsOf(original)['accounts']];
  const [, currency, sealed] = JSON.parse(check?.[0] ?? '[]');
  assert.ok(audit !== undefined);
  await askServer(
    url,
    `insert into service_state (currency, secret_key_check, created_at) values ('${currency}', '${sealed}', now());
      insert into accounts (username, display_name, search_text, group_name, created_at)
        values ('before', 'Before', 'before', 'reseller', now())`,
  );
  assertRefused(await runCommand(['verify'], { cwd: folder, environment }), 1, /run "sellthrough migrate"/);
  const made = await runForJson(['backup', inFolder('older.backup')], { cwd: folder, environment });
  assert.equal(made.tables.accounts, 1);
  const target = { ...settings, DATABASE_URL: await createDatabase() };
  const loaded = await runForJson(['restore', inFolder('older.backup')], {
    cwd: folder,
    environment: target,
  });
  assert.deepEqual(
    [loaded.migrated, loaded.verify.ok, loaded.tables.accounts],
    [missing.map(({ name }) => name), true, 1],
  );
  const wrong = { ...environment, SECRET_KEY: 'x'.repeat(40) };
  assertRefused(
    await runCommand(['backup', inFolder('wrong.backup')], { cwd: folder, environment: wrong }),
    1,
    /SECRET_KEY is not the one/,
  );
});

test('a database with data in it is left alone @nightly', async () => {
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  await runForJson(['restore', original], { cwd: folder, environment });
  const again = await runCommand(['restore', original], { cwd: folder, environment });
  assertRefused(again, 1, /already has data.*only restored into an empty one/);

  const foreign = await createDatabase();
  await askServer(foreign, 'create table thesis (id int primary key)');
  const refused = await runCommand(['restore', original], {
    cwd: folder,
    environment: { ...settings, DATABASE_URL: foreign },
  });
  assertRefused(refused, 1, /tables that are not Sellthrough's \(thesis\)/);
  assert.deepEqual(await askServer(foreign, "select to_regclass('accounts')::text as x"), [{ x: null }]);
});

describe('what does not fit ends the restore before anything is made', () => {
  const whole = () => gunzipSync(readFileSync(original)).toString('utf8');
  /** Recomputes all checksums, as an attacker would. */
  const damages: readonly (readonly [title: string, damage: () => Buffer, sentence: RegExp])[] = [
    [
      'a file that is no backup',
      () => Buffer.from('PGDMP, not ours'),
      /cannot be used: it is damaged or not a backup/,
    ],
    ['gzip of something else', () => gzipSync('hello\nworld\n'), /not a backup made by/],
    ['an empty file', () => Buffer.alloc(0), /it is incomplete/],
    ['a file cut in the middle', () => readFileSync(original).subarray(0, -100), /it is incomplete/],
    [
      'a file without its last line',
      () => gzipSync(whole().split('\n').slice(0, -2).join('\n').concat('\n')),
      /it is incomplete/,
    ],
    [
      'a changed amount',
      () => gzipSync(whole().replace('"10000"', '"99999"')),
      /rows of \w+ do not match their checksum/,
    ],
    ['a row less', () => gzipSync(whole().replace(/\n\["2", "7",[^\n]+/, '')), /do not match their checksum/],
    ['a table less', () => gzipSync(withoutTable(whole(), 'login_links')), /tables do not match its header/],
    ['another head', () => gzipSync(whole().replace('"currency":"USD"', '"currency":"EUR"')), /checksum/],
    ['something behind its end', () => gzipSync(`${whole()}[]\n`), /data after its end/],
    [
      'a newer format',
      () => gzipSync(whole().replace('"sellthrough_backup":1', '"sellthrough_backup":2')),
      /not known to this version/,
    ],
    [
      'a newer schema',
      () =>
        reseal((text) =>
          text.replace('"migrations":[', '"migrations":[{"name":"0001-x.sql","checksum":"x"},'),
        ),
      /Migration 0001/,
    ],
  ];
  for (const [title, damage, sentence] of damages) {
    test(title, async () => {
      const file = inFolder('damaged.backup');
      writeFileSync(file, damage());
      await assert.rejects(
        async () => migrationsOf((await readBackup(file)).head),
        (error) => sentence.test(errorMessageOf(error)),
      );
    });
  }

  test('one flipped bit, anywhere @nightly', async () => {
    const bytes = readFileSync(original);
    const file = inFolder('flipped.backup');
    const harmless: number[] = [];
    for (let place = 0; place < bytes.length; place += place < 20 ? 1 : 97) {
      // Bytes 4 to 9 of the gzip head (time, flags and system) do not affect the content.
      if (place >= 4 && place <= 9) continue;
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ 0b100;
      // A flipped bit may still encode the same content.
      if (isSameContent(flipped, whole())) {
        harmless.push(place);
        continue;
      }
      writeFileSync(file, flipped);
      await assert.rejects(readBackup(file), { name: 'BackupDamaged' }, `byte ${place}`);
    }
    assert.ok(harmless.length <= 3, `bytes ${harmless} of ${bytes.length}`);
  });

  test('as a process: one sentence, and no folder', async () => {
    const file = inFolder('damaged.backup');
    writeFileSync(file, gzipSync(whole().replace('"10000"', '"99999"')));
    const environment = { ...settings, DATA_DIR: inFolder('never') };
    const refused = await runCommand(['restore', file], { cwd: folder, environment });
    assertRefused(refused, 1, /The backup cannot be used: the rows of \w+ do not match their checksum/);
    assert.ok(!existsSync(inFolder('never')), 'no folder was made');
  });

  test('another SECRET_KEY, and none', async () => {
    for (const key of ['x'.repeat(40), '']) {
      const environment = { ...settings, SECRET_KEY: key, DATA_DIR: inFolder('never') };
      assertRefused(
        await runCommand(['restore', original], { cwd: folder, environment }),
        1,
        /SECRET_KEY is not the one/,
      );
      assert.ok(!existsSync(inFolder('never')));
    }
  });

  test('another currency', async () => {
    const environment = { ...settings, CURRENCY: 'EUR', DATA_DIR: inFolder('never') };
    assertRefused(
      await runCommand(['restore', original], { cwd: folder, environment }),
      1,
      /CURRENCY is EUR, but the backup holds USD/,
    );
    assert.ok(!existsSync(inFolder('never')));
  });

  test('no file', async () => {
    const environment = { ...settings, DATA_DIR: inFolder('never') };
    const refused = await runCommand(['restore', inFolder('missing.backup')], { cwd: folder, environment });
    assertRefused(refused, 1, /missing\.backup cannot be used: ENOENT/);
  });
});

test('a row that the database refuses half-way leaves no row behind, and the restore can be tried again', async () => {
  const file = inFolder('refused.backup');
  // The checksums are valid, so only the database can detect the error: a negative balance near the end.
  writeFileSync(
    file,
    reseal((text) => text.replace(/(\n\["2", "40", "\d+", "\d+", "1", "\w+", ")\d+"/, '$1-5"')),
  );
  const url = await createDatabase();
  const environment = { ...settings, DATABASE_URL: url };
  assertRefused(
    await runCommand(['restore', file], { cwd: folder, environment }),
    1,
    /a row of orders does not fit its table/,
  );
  assert.deepEqual(
    await askServer(
      url,
      'select (select count(*) from accounts)::int as a, (select count(*) from ledger_entries)::int as e',
    ),
    [{ a: 0, e: 0 }],
  );
  assert.equal((await runForJson(['restore', original], { cwd: folder, environment })).verify.ok, true);
});

test('each verification of a command is kept, and one that cannot be kept ends as it would', async () => {
  const url = await createDatabase();
  const options = { cwd: folder, environment: { ...settings, DATABASE_URL: url } };
  const kept = () =>
    askServer(
      url,
      `select started_by, account_count as accounts, entry_count::int as entries, problem_count as problems,
        finished_at > now() - interval '1 hour' as is_new from verifications order by id`,
    );
  const { verify: report } = await runForJson(['restore', original], options);
  const sound = { accounts: report.accounts, entries: report.entries, problems: 0, is_new: true };
  assert.deepEqual(await kept(), [{ started_by: 'restore', ...sound }]);
  assert.equal((await runForJson(['verify'], options)).ok, true);
  await askServer(url, 'update accounts set balance_cents = balance_cents + 1 where id = 2');
  const { code, stdout } = await runCommand(['verify', '--json'], options);
  assert.equal(code, 5);
  const { length: problems } = JSON.parse(stdout).problems;
  assert.ok(problems > 0);
  const all = [
    { started_by: 'restore', ...sound },
    { started_by: 'verify', ...sound },
    { started_by: 'verify', ...sound, problems },
  ];
  assert.deepEqual(await kept(), all);
  await askServer(
    url,
    "alter table verifications add constraint full_table check (started_by <> 'verify') not valid",
  );
  for (const [code, sql] of [
    [5, 'select 1'],
    [0, 'update accounts set balance_cents = balance_cents - 1 where id = 2'],
  ] as const) {
    await askServer(url, sql);
    const unkept = await runCommand(['verify'], options);
    assert.equal(unkept.code, code, unkept.stderr);
    assert.match(unkept.stdout, /2 accounts, \d+ ledger entries: /);
    assert.match(
      unkept.stderr,
      /The console will not list this verification, because it could not be stored: /,
    );
  }
  assert.deepEqual(await kept(), all);
});

test('books that did not add up when they were saved are restored, named, and end with code 5 @nightly', async () => {
  const file = inFolder('falsified.backup');
  writeFileSync(
    file,
    reseal((text) => text.replace(/(\n\["2", "demo", .*?"reseller", "false", ")\d+"/, '$177"')),
  );
  const environment = { ...settings, DATABASE_URL: await createDatabase() };
  const { code, stdout } = await runCommand(['restore', file], { cwd: folder, environment });
  assert.equal(code, 5);
  assert.match(stdout, /account 2, account 2: the balance is 77 cents, the entries add up to \d+/);
});

test('nothing unfinished lies about', () => {
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.includes('unfinished')),
    [],
  );
});

function startService({ environment }: Parameters<typeof startServiceProcess>[0]): Promise<ServiceHere> {
  return noted(startServiceHere(environment));
}

async function noted(starting: Promise<ServiceHere>): Promise<ServiceHere> {
  const service = await starting;
  running.add(service);
  service.gone.then(() => running.delete(service));
  return service;
}

async function fill(demo: ApiClient, name: string): Promise<void> {
  for (let index = 0; index < 40; index += 1) {
    const body = {
      package_id: index % 5 === 4 ? 1 : packageId,
      customer: `${name}-${index % 25}`,
      customer_name: oddTexts[1],
      return_login: index < 3,
    };
    const { status, text } = await demo.post('/orders', body, { 'idempotency-key': `${name}-${index}` });
    assert.equal(status, 201, text);
  }
}

async function made(answer: ReturnType<ApiClient['post']>) {
  const { status, body, text } = await answer;
  assert.equal(status, 201, text);
  return body;
}

function rowsOf(path: string): Record<string, string[]> {
  const rows: Record<string, string[]> = {};
  let table = '';
  for (const line of gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n').slice(1, -1)) {
    if (line.startsWith('[')) rows[table]?.push(line);
    else {
      table = JSON.parse(line).table;
      rows[table] ??= [];
    }
  }
  return rows;
}

/** A restore changes these: the incarnation, the numbers of events and the list of verifications. */
function withoutIncarnation(rows: Record<string, string[]>, path: string): Record<string, string[]> {
  const head = JSON.parse(gunzipSync(readFileSync(path)).toString('utf8').split('\n', 1)[0] ?? '');
  const without = (table: string, column: string) => {
    const place = head.tables.find(({ name }: { name: string }) => name === table).columns.indexOf(column);
    return (rows[table] ?? []).map((line) => JSON.stringify(JSON.parse(line).toSpliced(place, 1)));
  };
  return {
    ...rows,
    accounts: without('accounts', 'event_count'),
    service_state: without('service_state', 'incarnation'),
    event_gaps: [],
    verifications: [],
  };
}

function noteIn(path: string): { readonly madeAt: string; readonly backedUpAt: string | null } {
  const head = JSON.parse(gunzipSync(readFileSync(path)).toString('utf8').split('\n', 1)[0] ?? '');
  const { columns } = head.tables.find(({ name }: { name: string }) => name === 'service_state');
  const [row = '[]'] = rowsOf(path)['service_state'] ?? [];
  const at = JSON.parse(row)[columns.indexOf('backed_up_at')];
  const backedUpAt = at === null ? null : new Date(at).toISOString().replace('.000', '');
  return { madeAt: head.made_at, backedUpAt };
}

function reseal(change: (text: string) => string): Buffer {
  const before = gunzipSync(readFileSync(original)).toString('utf8');
  const changed = change(before);
  assert.notEqual(changed, before, 'the change found its place');
  const lines = changed.trimEnd().split('\n').slice(0, -1);
  let hash = createHash('sha256');
  let rows = 0;
  let all = 0;
  const sealed = lines.map((line, index) => {
    if (line.startsWith('[')) {
      hash.update(`${line}\n`);
      rows += 1;
      all += 1;
      return line;
    }
    const mark = JSON.parse(line);
    if (index === 0 || !('rows' in mark)) {
      hash = createHash('sha256');
      rows = 0;
      return line;
    }
    return JSON.stringify({ table: mark.table, rows, sha256: hash.digest('hex') });
  });
  const text = `${sealed.join('\n')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(`${text}${JSON.stringify({ end: true, rows: all, sha256 })}\n`);
}

function isSameContent(gzipped: Buffer, text: string): boolean {
  try {
    return gunzipSync(gzipped).equals(Buffer.from(text));
  } catch {
    return false;
  }
}

function withoutTable(text: string, table: string): string {
  const lines = text.split('\n');
  const first = lines.indexOf(JSON.stringify({ table }));
  const last = lines.findIndex(
    (line, index) => index > first && line.startsWith(`{"table":"${table}","rows"`),
  );
  return lines.toSpliced(first, last - first + 1).join('\n');
}

async function createDatabase(): Promise<string> {
  const name = `backup_${process.pid}_${databases.size + 1}`;
  databases.add(name);
  await askServer(postgres.url, `create database ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}
