// `migrate --groups` as a process, and the database that it divides: access, backups, verify and doctor.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { type ServiceHere, startServiceHere } from '../../proof/machines/service-here.ts';
import { type ServiceProcess, startPatiently } from '../../proof/machines/service-process.ts';
import { dumpSchema } from '../../scripts/schema-dump.ts';
import { type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { postgresForTests } from '../../scripts/throwaway-postgres.ts';
import { readGroups } from '../../src/cli/split-shards-command.ts';
import type { BackupHead } from '../../src/features/backup/backup-format.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { type Queryable, StatementFailed } from '../../src/platform/database/database.ts';
import { accountReferences, accountTables } from '../../src/platform/database/shards/sharded-tables.ts';
import { divideAccounts } from '../../src/platform/database/shards/split-into-shards.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';
import { assertRefused, runCommand, runForJson, startCommand } from '../harness/command-process.ts';
import { askServer } from '../harness/one-question.ts';
import { queryableOf } from '../harness/queryable-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-groups-'));
const adminKey = mintApiKey('live');
const settings = { SECRET_KEY: 'the key of the service that is divided', ADMIN_API_KEY: adminKey, PORT: '0' };
const resellers = 4;
const groups = 3;
/** With this lock in the database, the test delays the division. */
const heldLock = 42;
/** The holder of this lock changes the schema or divides the accounts. */
const schemaLock = 7_355_608;
const soonMilliseconds = 50;

let postgres: Awaited<ReturnType<typeof postgresForTests>>;
let packageId: number;
const keys: string[] = [];
const template = `groups_${process.pid}_template`;
const dividedTemplate = `groups_${process.pid}_divided`;
const databases = new Set([template, dividedTemplate]);
const roles = new Set<string>();
const running = new Set<ServiceHere>();

before(async () => {
  postgres = await postgresForTests();
  const migrated = process.env['TEST_DATABASE_TEMPLATE'] ?? 'template1';
  await askServer(postgres.url, `create database ${template} template ${migrated} strategy file_copy`);
  const service = await start(addressOf(template));
  const admin = createApiClient(service.address, adminKey);
  const one = { monthly: '1.00', quarterly: '2.50', yearly: '9.99' };
  const limits = { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 };
  const body = { name: 'Plain', features: ['one'], limits, prices: { reseller: one, distributor: one } };
  packageId = (await made(admin.post('/api/admin/v1/packages', body))).package.id;
  for (let number = 0; number < resellers; number += 1) {
    const reseller = { username: `reseller-${number}`, group: 'reseller' };
    const { account, api_key: key } = await made(admin.post('/api/admin/v1/accounts', reseller));
    keys.push(key);
    await made(admin.post(`/api/admin/v1/accounts/${account.id}/credit`, { amount: '100.00' }));
    const client = createApiClient(service.address, key);
    for (const customer of ['first', 'second']) await order(client, `${customer}-${number}`);
  }
  await stop(service);
  await askServer(postgres.url, `create database ${dividedTemplate} template ${template}`);
  await divide(addressOf(dividedTemplate));
});
after(async () => {
  for (const service of running) service.kill('SIGKILL');
  for (const name of databases) await askServer(postgres.url, `drop database if exists ${name} with (force)`);
  for (const name of roles) await askServer(postgres.url, `drop role if exists ${name}`);
  await postgres?.remove();
  rmSync(folder, { recursive: true, force: true });
});

test('the list of what is an account’s, and of what refers to it, is the schema’s', async () => {
  const owned = await askServer(
    addressOf(template),
    `select conrelid::regclass::text as table, confrelid::regclass::text as "refersTo",
       (select attname::text from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as column
     from pg_constraint where contype = 'f' and (confrelid = any($1) or conrelid = any($1))`.replaceAll(
      '$1',
      `array[${Object.keys(accountTables).map((name) => `'${name}'`)}]::regclass[]`,
    ),
  );
  assert.deepEqual(owned, accountReferences);
});

test('a service has to stop first, and the downtime is estimated; then every row moves, and it goes on', async () => {
  const url = await copyOfTemplate();
  const environment = { ...settings, DATABASE_URL: url };
  const service = await startProcess(url);
  const refused = await runCommand(['migrate', '--groups', '3', '--yes'], { cwd: folder, environment });
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    new RegExp(
      `^\\d+ rows of ${Object.keys(accountTables).length} tables \\(\\d+ MB\\) go from one group into 3\\.\\n.*must be stopped for about \\d+ s`,
    ),
  );
  assert.match(
    refused.stderr,
    /Nothing was changed: a service is running on this database \(.+, process \d+\)\. Stop it first/,
  );
  await stop(service);
  // The service's jobs may have written while it ran, so count only now.
  const before = await counts(url);

  const unasked = await runCommand(['migrate', '--groups', '3'], { cwd: folder, environment });
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /Without a terminal, this command needs --yes/);
  assert.deepEqual(await groupsOf(url), []);

  const done = await runForJson(['migrate', '--groups', '3', '--yes'], { cwd: folder, environment });
  const sum = Object.values(before).reduce((all, count) => all + count, 0);
  assert.deepEqual(
    [done.groups, done.moved, done.tables, done.rows],
    [3, true, Object.keys(accountTables).length, sum],
  );
  assert.deepEqual(await counts(url), before);
  const misplaced = (await groupsOf(url)).flatMap((schema, number) =>
    Object.entries(accountTables).map(
      ([table, owner]) =>
        `select '${schema}.${table}' as name from ${schema}.${table} where ${owner} % 3 <> ${number}`,
    ),
  );
  assert.equal(misplaced.length, 3 * Object.keys(accountTables).length);
  assert.deepEqual(await askServer(url, misplaced.join(' union all ')), []);
  const again = await runCommand(['migrate', '--groups', '3'], { cwd: folder, environment });
  assert.deepEqual(
    [again.code, again.stdout],
    [0, 'Nothing to do: the accounts of this database are in 3 groups already.\n'],
  );

  const after = await start(url);
  for (const [number, key] of keys.entries()) {
    const client = createApiClient(after.address, key);
    const replayed = await client.post(
      '/orders',
      { package_id: packageId, customer: `first-${number}` },
      { 'idempotency-key': `first-${number}` },
    );
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true', replayed.text);
    await order(client, `third-${number}`);
  }
  const admin = createApiClient(after.address, adminKey);
  const { account } = await made(
    admin.post('/api/admin/v1/accounts', { username: 'newcomer', group: 'reseller' }),
  );
  assert.equal(account.id, resellers + 2, 'ids go on without a gap');
  await stop(after);
  const report = await runForJson(['verify'], { cwd: folder, environment });
  assert.deepEqual([report.ok, report.accounts, report.entries], [true, resellers + 2, resellers * 4]);
});

test('numbers that cannot be had are refused with what to do', async () => {
  const url = await copyOfTemplate();
  const environment = { ...settings, DATABASE_URL: url };
  const migrate = (number: string, more = {}) =>
    runCommand(['migrate', '--groups', number, '--yes'], {
      cwd: folder,
      environment: { ...environment, ...more },
    });
  assert.deepEqual(['0', '1', '64', '65', '1.5', 'two'].map(readGroups), [null, 1, 64, null, null, null]);
  const [none, same] = await Promise.all([migrate('0'), migrate('1')]);
  assert.match(none.stderr, /a number from 1 to 64 is needed/);
  assert.match(same.stdout, /^Nothing to do: the accounts of this database are in one group already\./);
  await askServer(url, 'create schema public_group_1');
  assert.match((await migrate('2')).stderr, /A schema "public_group_1" already exists/);
  assert.deepEqual(await groupsOf(url), []);
  await askServer(url, 'drop schema public_group_1');
  assert.equal(
    (await migrate('3', { ACCOUNT_GROUPS: '3' })).code,
    0,
    'what there shall be may be set before',
  );
  const embedded = { ...settings, DATA_DIR: join(folder, 'none') };
  const [fewer, more, one, small] = await Promise.all([
    migrate('2'),
    migrate('4'),
    migrate('1'),
    runCommand(['migrate', '--groups', '3', '--yes'], { cwd: folder, environment: embedded }),
  ]);
  assertRefused(fewer, 1, /are in 3 groups and cannot be moved into fewer \(2\).*ACCOUNT_GROUPS=2/);
  assertRefused(more, 1, /are in 3 groups and cannot be moved into 4.*backup.*ACCOUNT_GROUPS=4/);
  assertRefused(one, 1, /cannot be moved into fewer \(1\)/);
  assertRefused(small, 1, /make a backup, set DATABASE_URL and ACCOUNT_GROUPS, and restore it there/);
});

test('each group has the tables, indexes, triggers and settings that there were', async () => {
  const url = await copyOfTemplate();
  await askServer(url, 'alter table orders alter customer_number set statistics 500');
  const database = await connectDatabase({ database: { kind: 'postgres', connectionString: url } });
  const isOurs = (line: string) =>
    Object.keys(accountTables).some((table) =>
      new RegExp(`^(${table}[.: ]|CREATE .* ON public\\.${table} )`).test(line),
    );
  const whole = (await dumpSchema(database)).split('\n').filter(isOurs);
  const lastNumbers = () =>
    askServer(
      url,
      `select seqrelid::regclass::text as name, seqmax as last from pg_sequence
       where seqrelid::regclass::text similar to '(${Object.keys(accountTables).join('|')})_%' order by 1`,
    );
  const lastBefore = await lastNumbers();
  assert.equal(lastBefore.length, 3);
  assert.ok(whole.length > 250);
  await database.transaction((transaction) => divideAccounts(transaction, groups), {
    timeoutMilliseconds: null,
  });
  assert.deepEqual(await lastNumbers(), lastBefore, 'ids of accounts end where those of tests begin');
  for (const schema of await groupsOf(url)) {
    const own = (await dumpSchema(inSchema(database, schema)))
      .replaceAll(`${schema}.`, 'public.')
      .split('\n')
      .map((line) =>
        line
          .replace(/ EXECUTE FUNCTION public\./, ' EXECUTE FUNCTION ')
          .replace(/ default nextval\(.*_seq'::regclass\)/, ''),
      )
      .filter((line) => isOurs(line) && !line.includes('of_its_account_group'));
    const expected = whole.map((line) => line.replace(/ generated (always|by default) as identity/, ''));
    assert.deepEqual(own, expected);
    const [target] = await askServer(
      url,
      `select attstattarget as n from pg_attribute where attrelid = '${schema}.orders'::regclass and attname = 'customer_number'`,
    );
    assert.equal(target.n, 500);
    const [analyzed] = await askServer(
      url,
      `select reltuples as n from pg_class where oid = '${schema}.customers'::regclass`,
    );
    assert.ok(analyzed.n >= 0, 'statistics are there at once');
  }
  await database.close();
  await assert.rejects(
    askServer(url, `delete from public_group_1.orders`),
    /orders is append-only: delete refused/,
  );
  await assert.rejects(
    askServer(url, `delete from public_group_2.accounts where id = 2`),
    /accounts is kept: delete refused/,
  );
  await assert.rejects(
    askServer(
      url,
      'insert into public_group_0.ledger_days select * from public_group_1.ledger_days; insert into public_group_0.accounts select * from public_group_1.accounts',
    ),
    /of_its_account_group/,
  );
});

test('killed in the middle, the accounts are one group as before, and it can be run again', async () => {
  const url = await copyOfTemplate();
  const environment = { ...settings, DATABASE_URL: url };
  const before = await counts(url);
  // If accounts are divided, building this index waits for the test.
  await askServer(
    url,
    `create function held(int) returns int immutable language plpgsql as $$
       begin
         if exists (select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and objid = ${schemaLock})
         then perform pg_advisory_xact_lock_shared(${heldLock}); end if;
         return $1; end $$;
     create index held on orders (held(number))`,
  );
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query(`select pg_advisory_lock(${heldLock})`);
  const command = startCommand(['migrate', '--groups', '3', '--yes'], { cwd: folder, environment });
  // Look at this database only, because other tests have databases on this server.
  const waitingFor = (lock: number) =>
    `select pid from pg_locks where locktype = 'advisory' and not granted and objid = ${lock}
       and database = (select oid from pg_database where datname = current_database())`;
  const isWaiting = async (lock: number) => (await holder.query(waitingFor(lock))).rows.length > 0;
  while (!(await isWaiting(heldLock))) {
    assert.equal(command.exitCode, null);
    await pause(soonMilliseconds);
  }
  const starting = start(url);
  const [{ pid }] = (await holder.query(waitingFor(heldLock))).rows;
  while (!(await isWaiting(schemaLock))) await pause(soonMilliseconds);
  command.kill('SIGKILL');
  await once(command, 'exit');
  while ((await holder.query(`select from pg_stat_activity where pid = ${pid}`)).rows.length > 0)
    await pause(soonMilliseconds);
  await holder.end();
  const service = await starting;
  await order(createApiClient(service.address, String(keys[0])), 'meanwhile');
  await stop(service);
  assert.deepEqual(await groupsOf(url), []);
  assert.equal((await counts(url))['orders'], Number(before['orders']) + 1);
  const done = await runForJson(['migrate', '--groups', '3', '--yes'], { cwd: folder, environment });
  assert.equal(done.moved, true);
  assert.equal((await runForJson(['verify'], { cwd: folder, environment })).ok, true);
});

test('a process that was away while they were divided writes nothing, and says why @nightly', async () => {
  const url = await copyOfTemplate();
  const service = await startProcess(url);
  await divide(url);
  const before = await counts(url);
  for (const [number, key] of keys.entries()) {
    const { status } = await createApiClient(service.address, key).post(
      '/orders',
      { package_id: packageId, customer: `away-${number}` },
      { 'idempotency-key': `away-${number}` },
    );
    assert.ok(status >= 500, String(status));
  }
  assert.deepEqual(await counts(url), before);
  const ready = await fetch(`${service.address}/readyz`);
  assert.equal(ready.status, 503);
  assert.match(await ready.text(), /the accounts of this database are in 3 groups now/);
  await service.logs(/"account_groups":3,"msg":"account groups changed"/);
  await stop(service);
  const restarted = await start(url);
  assert.equal((await fetch(`${restarted.address}/readyz`)).status, 200);
  await order(createApiClient(restarted.address, String(keys[0])), 'away-0');
  await stop(restarted);
});

interface Backup {
  readonly path: string;
  readonly content: Pick<BackupHead, 'tables' | 'sequences'>;
  readonly rows: readonly string[];
}

/** A restore changes these: the incarnation, the numbers of events and the list of verifications. */
function withoutIncarnation({ content, rows }: Backup): readonly string[] {
  const changed: Readonly<Record<string, string | null>> = {
    accounts: 'event_count',
    service_state: 'incarnation',
    event_gaps: null,
    verifications: null,
  };
  let table = '';
  return rows.flatMap((line) => {
    const parsed: unknown = JSON.parse(line);
    if (!Array.isArray(parsed)) {
      table = (parsed as { readonly table: string }).table;
      return table in changed ? [] : [line];
    }
    const column = changed[table];
    if (column === undefined) return [line];
    if (column === null) return [];
    const place = content.tables.find(({ name }) => name === table)?.columns.indexOf(column) ?? -1;
    return [JSON.stringify(parsed.toSpliced(place, 1))];
  });
}

test('a backup is independent of the number of groups, and goes into one group or into several @nightly', async () => {
  const backUp = async (from: string, name: string): Promise<Backup> => {
    const path = join(folder, name);
    await runForJson(['backup', path], { cwd: folder, environment: { ...settings, DATABASE_URL: from } });
    const [head = '', ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n');
    const { made_at: _, ...content } = JSON.parse(head);
    // Leave out the last line, because its checksum includes the head.
    return { path, content, rows: lines.slice(0, -1).filter((line) => !line.includes('login_links')) };
  };
  const [whole, divided] = await Promise.all([
    backUp(await copyOfTemplate(), 'whole.backup'),
    backUp(await copyOfTemplate(dividedTemplate), 'divided.backup'),
  ]);
  assert.deepEqual(divided.content, whole.content);
  assert.deepEqual(divided.rows, whole.rows);
  const goesInto = async (number: number, more: Readonly<Record<string, string>>) => {
    const target = await newDatabase();
    const settled = { ...settings, DATABASE_URL: target, ...more };
    const loaded = await runForJson(['restore', divided.path], { cwd: folder, environment: settled });
    assert.deepEqual([loaded.verify.ok, loaded.verify.accounts], [true, resellers + 1]);
    assert.equal(Math.max(1, (await groupsOf(target)).length), number);
    const again = await backUp(target, `again-${number}.backup`);
    assert.deepEqual(withoutIncarnation(again), withoutIncarnation(whole));
    const lasts = (of: Backup) => of.content.sequences.map(({ last }) => Number(last));
    const [before, after] = [lasts(whole), lasts(again)];
    assert.ok(
      before.every((last, index) => (after[index] ?? 0) >= last),
      `${before} ${after}`,
    );
  };
  const isRefusedByEmbedded = async () => {
    const environment = { ...settings, DATA_DIR: join(folder, 'embedded'), ACCOUNT_GROUPS: '3' };
    const refused = await runCommand(['restore', divided.path], { cwd: folder, environment });
    assertRefused(refused, 1, /ACCOUNT_GROUPS needs PostgreSQL/);
  };
  await Promise.all([goesInto(1, {}), goesInto(2, { ACCOUNT_GROUPS: '2' }), isRefusedByEmbedded()]);
});

test('verify finds rows in another account’s group and references without a target; doctor finds what a group lacks', async () => {
  const url = await copyOfTemplate(dividedTemplate);
  const environment = { ...settings, DATABASE_URL: url };
  const inDoctor = async () => {
    const { stdout } = await runCommand(['doctor', '--json'], { cwd: folder, environment });
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'account groups');
  };
  assert.deepEqual(await inDoctor(), {
    name: 'account groups',
    state: 'ok',
    says: '3, all complete',
  });
  await askServer(
    url,
    `alter table public_group_1.plan_changes drop constraint of_its_account_group;
     alter table public_group_1.orders drop constraint of_its_account_group;
     insert into public_group_1.orders select * from public_group_2.orders where account_id = 2 and number = 1;
     insert into api_keys (lookup_hash, account_id, last_four, created_at, name, revoked_at, is_first)
       values ('of no account', 99, 'abcd', now(), 'of no account', now(), false)`,
  );
  const [{ stdout, code }, incomplete] = await Promise.all([
    runCommand(['verify', '--json'], { cwd: folder, environment }),
    inDoctor(),
  ]);
  assert.equal(code, 5);
  const { problems } = JSON.parse(stdout);
  const found = problems.map(
    ({ account_id: id, subject, problem }: Record<string, unknown>) => `${id} ${subject}: ${problem}`,
  );
  assert.ok(
    found.includes("2 order 1: it is in account group 1, which is not its account's"),
    found.join('\n'),
  );
  assert.ok(
    found.some((line: string) => /^99 api keys \d+: its account does not exist$/.test(line)),
    found.join('\n'),
  );
  const [halted] = await askServer(
    url,
    'select halted_at is not null as is_halted from accounts where id = 2',
  );
  assert.equal(halted.is_halted, true, 'the account is halted in its own group');
  assert.equal(incomplete.state, 'fail');
  assert.match(
    incomplete.says,
    /there is no rule of orders that rows are of its accounts in public_group_1 \(and 1 more\)/,
  );
  await askServer(url, 'drop schema public_group_2 cascade');
  const [check, refused] = await Promise.all([
    inDoctor(),
    runCommand(['verify'], { cwd: folder, environment }),
  ]);
  assert.match(check.says, /are in 3 groups, and there is no schema public_group_2/);
  assertRefused(refused, 1, /there is no schema public_group_2/);
});

test('a role that owns nothing can do with the groups what it could with the tables @nightly', async () => {
  const role = `groups_service_${process.pid}`;
  roles.add(role);
  const url = await copyOfTemplate();
  await askServer(
    url,
    `create role ${role} login password 'of a test';
     grant select, insert, update, delete on all tables in schema public to ${role};
     grant select on all sequences in schema public to ${role};
     alter default privileges in schema public grant select, insert, update, delete on tables to ${role};
     alter default privileges in schema public grant select on sequences to ${role}`,
  );
  const owned = { ...settings, DATABASE_URL: url };
  const asService = new URL(url);
  asService.username = role;
  asService.password = 'of a test';
  const serving = { ...settings, DATABASE_URL: asService.href };
  assertLastLine(
    await runCommand(['migrate', '--groups', '3', '--yes'], { cwd: folder, environment: serving }),
    /may not create schemas, or does not own the tables\. Run this command as the role that owns the database/,
  );
  await divide(url);
  await askServer(url, 'create table public_group_1.later (id int); create table later (id int)');
  const [may] = await askServer(
    url,
    `select has_table_privilege('${role}', 'public_group_1.later', 'insert') as may`,
  );
  assert.equal(may.may, true, 'of what later migrations make too');
  await askServer(url, 'drop table public_group_1.later, later');
  const service = await start(asService.href);
  await order(createApiClient(service.address, String(keys[1])), 'of-the-role');
  const admin = createApiClient(service.address, adminKey);
  await made(admin.post('/api/admin/v1/accounts', { username: 'newcomer', group: 'reseller' }));
  await stop(service);
  const roleInDoctor = async (environment: typeof serving) => {
    const { stdout } = await runCommand(['doctor', '--json'], { cwd: folder, environment });
    return JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === 'database role');
  };
  const [ofRole, ofOwner] = await Promise.all([roleInDoctor(serving), roleInDoctor(owned)]);
  assert.equal(ofRole.state, 'ok', ofRole.says);
  assert.notEqual(ofOwner.state, 'ok');
});

function assertLastLine(end: { code: number | null; stderr: string }, sentence: RegExp): void {
  assert.equal(end.code, 1, end.stderr);
  assert.match(end.stderr, sentence);
}

function inSchema(database: Queryable, schema: string): Queryable {
  return queryableOf((statement, values) =>
    database.query(
      {
        name: '',
        text: statement.text
          .replaceAll(`'public'::regnamespace`, `'${schema}'::regnamespace`)
          .replaceAll(`schemaname = 'public'`, `schemaname = '${schema}'`),
      },
      values,
    ),
  );
}

async function counts(url: string): Promise<Record<string, number>> {
  const [row] = await askServer(
    url,
    `select ${Object.keys(accountTables).map((table) => `(select count(*)::int from ${table}) as ${table}`)}`,
  );
  return row;
}

async function groupsOf(url: string): Promise<string[]> {
  const rows = await askServer(url, 'select schema_name from account_groups order by number');
  return rows.map((row) => String(row.schema_name));
}

async function order(client: ApiClient, customer: string) {
  return made(client.post('/orders', { package_id: packageId, customer }, { 'idempotency-key': customer }));
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape and assert what they find
async function made(answer: ReturnType<ApiClient['post']>): Promise<any> {
  const { status, body, text } = await answer;
  assert.ok(status === 201 || status === 200, text);
  return body;
}

async function start(url: string): Promise<ServiceHere> {
  const service = await startServiceHere({ ...settings, DATABASE_URL: url });
  running.add(service);
  return service;
}

async function startProcess(url: string): Promise<ServiceProcess> {
  const service = await startPatiently({ environment: { ...settings, DATABASE_URL: url } });
  running.add(service);
  return service;
}

async function stop(service: ServiceHere): Promise<void> {
  service.kill('SIGTERM');
  await service.gone;
  running.delete(service);
}

async function newDatabase(from = 'template1'): Promise<string> {
  const name = `groups_${process.pid}_${databases.size}`;
  databases.add(name);
  await askServer(postgres.url, `create database ${name} template ${from}`);
  return addressOf(name);
}

function copyOfTemplate(from = template): Promise<string> {
  return newDatabase(from);
}

/** Like `migrate --groups` while a service runs, so it may deadlock with the service's jobs. */
async function divide(url: string): Promise<void> {
  const database = await connectDatabase({ database: { kind: 'postgres', connectionString: url } });
  const division = () =>
    database.transaction((transaction) => divideAccounts(transaction, groups), {
      timeoutMilliseconds: null,
    });
  const isDeadlock = (error: unknown) => error instanceof StatementFailed && error.code === '40P01';
  for (;;) {
    const problem = await division().then(
      () => null,
      (error: unknown) => error,
    );
    if (problem === null) break;
    if (!isDeadlock(problem)) throw problem;
  }
  await database.close();
}

function addressOf(name: string): string {
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}
