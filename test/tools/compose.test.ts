// Tests compose.yaml without Docker: settings, generated secrets, and database roles.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
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
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { startThrowawayPostgres, type ThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { assertRefused, runCommand, runForJson, startCommand } from '../harness/command-process.ts';
import { askServer } from '../harness/one-question.ts';
import { runProgram } from '../harness/run-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-compose-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('compose.yaml', () => {
  const compose = read('compose.yaml');
  const part = (name: string, indent = 2) => {
    const begin = ' '.repeat(indent);
    const [, text] = new RegExp(`^${begin}${name}:.*\\n((?:(?:${begin} .*)?\\n)*)`, 'm').exec(compose) ?? [];
    assert.ok(text, `it has ${name}`);
    return text;
  };

  test('starts with no PUBLIC_URL at all, and says where to set it', () => {
    assert.match(compose, /PUBLIC_URL: \$\{PUBLIC_URL:\?set it in the file \.env .*https:.*\}/);
  });

  test('trusts the range of the network that a proxy arrives from, and publishes the port to this host alone', () => {
    const [, anchor] = /TRUST_PROXY: &(\w+) \$\{FRONT_NETWORK:-172\.30\.83\.0\/24\}/.exec(compose) ?? [];
    assert.match(part('front'), new RegExp(`- subnet: \\*${anchor}\\n`));
    assert.match(part('service'), /networks: \[front, back\]/);
    const ports = part('service').match(/^ +- "[^"]*:3000"$/gm);
    assert.deepEqual(
      ports?.map((line) => line.trim()),
      ['- "127.0.0.1:3000:3000"'],
    );
  });

  test('gives the role that owns the tables to the migration alone, which comes before the service', () => {
    assert.match(part('migrate'), /command: \[migrate\][\s\S]*env_file: \[sellthrough\.env, owner\.env\]/);
    assert.match(part('service'), /env_file: sellthrough\.env\n/);
    assert.match(part('service'), /migrate:\n +condition: service_completed_successfully/);
    assert.equal(compose.match(/owner\.env/g)?.length, 1);
  });

  test('base images are pinned by digest', () => {
    const files = ['Dockerfile', 'compose.yaml', 'compose.embedded.yaml', 'compose.valkey.yaml'];
    const images = files.flatMap((file) =>
      [...read(file).matchAll(/^(?:FROM| +image:) (\S+)/gm)].map(([, image]) => image),
    );
    const pinned = images.filter((image) => /:[\w.-]+@sha256:[0-9a-f]{64}$/.test(String(image)));
    assert.deepEqual([...new Set(images.filter((image) => !pinned.includes(image)))], ['sellthrough']);
    assert.equal(pinned.length, 5);
  });

  test('so do the files of the other choices: one range of the proxy, the port for this host alone', () => {
    const range = /\$\{FRONT_NETWORK:-[^}]*\}/.exec(compose)?.[0];
    assert.ok(range && read('compose.embedded.yaml').includes(`TRUST_PROXY: &front ${range}`));
    for (const file of ['compose.embedded.yaml', 'compose.valkey.yaml'])
      assert.deepEqual(read(file).match(/^ +- "[^"]*:3000"$/gm), ['      - "127.0.0.1:3000:3000"'], file);
  });

  test('its secrets enter neither an image nor the repository', async () => {
    for (const list of [read('.dockerignore'), read('.gitignore')])
      for (const pattern of [/^\.env$/m, /^\*\.env$/m, /^\/?\*-password$/m]) assert.match(list, pattern);
  });
});

describe('its database', { skip: process.platform === 'win32' }, () => {
  const cwd = join(folder, 'checkout');
  let postgres: ThrowawayPostgres;
  let service: Record<string, string>;
  let owner: Record<string, string>;

  before(async () => {
    postgres = await startThrowawayPostgres();
    mkdirSync(cwd);
    const made = await runProgram('sh', [join(root, 'deploy/make-secrets.sh'), 'https://sell.example.com'], {
      cwd,
    });
    assert.equal(made.code, 0, made.stderr);
    const env = (name: string): Record<string, string> => {
      const { DATABASE_URL = '', ...others } = parseEnv(readFileSync(join(cwd, name), 'utf8'));
      const url = new URL(DATABASE_URL);
      assert.equal(url.host, 'database:5432');
      url.host = `127.0.0.1:${postgres.port}`;
      return { ...others, PORT: '0', DATABASE_URL: url.href } as Record<string, string>;
    };
    service = env('sellthrough.env');
    owner = { ...service, ...env('owner.env') };

    // Does what the PostgreSQL image does with POSTGRES_USER and its folder of scripts.
    const password = readFileSync(join(cwd, 'postgres-password'), 'utf8');
    await askServer(postgres.url, `create role sellthrough superuser login password '${password}'`);
    await askServer(postgres.url, 'create database sellthrough owner sellthrough');
    // The server runs as another user, to whom Docker shows the secret.
    chmodSync(folder, 0o755);
    const shown = join(folder, 'service-password');
    writeFileSync(shown, readFileSync(join(cwd, 'service-password')), { mode: 0o644 });
    chmodSync(shown, 0o644);
    const roles = read('deploy/postgres-roles.sql').replace('/run/secrets/service-password', shown);
    await askServer(owner['DATABASE_URL'] ?? '', roles);
    await askServer(owner['DATABASE_URL'] ?? '', roles);
  });
  after(() => postgres?.remove());

  test('the secrets are made once, unreadable for other users, and only for an address that is https', async () => {
    const script = join(root, 'deploy/make-secrets.sh');
    const names = ['.env', 'owner.env', 'postgres-password', 'sellthrough.env', 'service-password'];
    assert.deepEqual(readdirSync(cwd).sort(), names);
    const contents = () => names.map((name) => readFileSync(join(cwd, name), 'utf8'));
    const before = contents();
    for (const name of names) assert.equal(statSync(join(cwd, name)).mode & 0o777, 0o600, name);
    assert.equal(before[0], 'PUBLIC_URL=https://sell.example.com\n');
    assert.match(before[3] ?? '', /^ADMIN_PASSWORD=[0-9a-f]{32}$/m, '128 random bits');
    const again = await runProgram('sh', [script, 'https://other.example.com'], { cwd });
    assert.match(again.stderr, /sellthrough\.env exists already: it is left as it is/);
    assert.deepEqual(contents(), before);
    for (const args of [[], ['http://sell.example.com']])
      assert.equal((await runProgram('sh', [script, ...args], { cwd: folder })).code, 2);
  });

  test('a service without the migration says who has to run it', async () => {
    const inFolder = { cwd: folder, environment: service };
    assertRefused(
      await runCommand(['serve'], inFolder),
      1,
      /run "sellthrough migrate" as the role that owns/,
    );
    const { checks } = JSON.parse((await runCommand(['doctor', '--json'], inFolder)).stdout);
    assert.match(JSON.stringify(checks), /sellthrough_service may not create tables: run/);
  });

  test('the service works with a role that cannot touch what keeps the ledger append-only', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    await runForJson(['migrate'], { cwd: data, environment: owner });
    const child = startCommand(['serve'], { cwd: data, environment: { ...service, LOG_LEVEL: 'warn' } });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    // When the service listens, the administrator already exists.
    while (!/listens at \S+\n/.test(said)) {
      assert.equal(child.exitCode, null, said);
      await once(child.stderr ?? child, 'data');
    }

    const file = join(data, 'first-administrator.txt');
    const key = /^API key {3}(sk_live_\w+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.ok(said.includes(file), said);
    assert.ok(key.length > 20 && !said.includes(key), 'the key is not in the log');
    assert.doesNotMatch(said, /sk_live_/);

    const address = /listens at (\S+)\n/.exec(said)?.[1] ?? '';
    const admin = createApiClient(address, key);
    const api = '/api/admin/v1';
    const prices = { monthly: '9.00', quarterly: '24.00', yearly: '89.00' };
    const limits = { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 };
    const made = { name: 'Basic', limits, prices: { reseller: prices, distributor: prices } };
    const { body } = await admin.post(`${api}/packages`, made);
    const reseller = (await admin.post(`${api}/accounts`, { username: 'acme', group: 'reseller' })).body;
    await admin.post(`${api}/accounts/${reseller.account.id}/credit`, { amount: '10.00' });
    const order = { package_id: body.package.id, customer: 'ada@example.com', return_login: true };
    assert.equal((await createApiClient(address, reseller.api_key).post('/orders', order)).status, 201);
    assert.equal((await admin.get(`${api}/verify`)).body.ok, true);

    const asService = { cwd: data, environment: service };
    const { checks } = await runForJson(['doctor'], asService);
    const check = (name: string) => checks.find((one: { name: string }) => one.name === name);
    assert.match(check('database role').says, /^sellthrough_service does not own the append-only tables/);
    assert.equal(check('database role').state, 'ok');
    assert.match(
      check('first secrets').says,
      /first-administrator\.txt holds the secrets that the first start generated/,
    );
    await runForJson(['backup', 'one.backup'], asService);
    child.kill('SIGTERM');
    await once(child, 'exit');
    assert.doesNotMatch(said, /"level":"error"|permission denied/);

    const url = service['DATABASE_URL'] ?? '';
    for (const [statement, refusal] of [
      ['alter table ledger_entries disable trigger all', /must be owner/],
      ['drop trigger ledger_entries_append_only on ledger_entries', /must be owner/],
      [
        'create or replace function refuse_rewriting_history() returns trigger language plpgsql as $$begin return null; end$$',
        /must be owner|permission denied/,
      ],
      ['truncate orders', /permission denied/],
      ['set session_replication_role = replica', /permission denied/],
      ['set role sellthrough', /permission denied/],
      ['delete from ledger_entries', /append-only|history/],
      ['update audit_log set action = action', /append-only|history/],
      ['create table mine (id int)', /permission denied/],
    ] as const)
      await assert.rejects(askServer(url, statement), refusal, statement);
  });

  test('doctor warns of a role that owns the tables', async () => {
    const asOwner = { cwd: folder, environment: owner };
    const { checks } = await runForJson(['doctor'], asOwner);
    const said = JSON.stringify(checks);
    assert.match(said, /"warn","says":"sellthrough is a superuser, who can rewrite the ledger/);
    await askServer(postgres.url, 'alter role sellthrough nosuperuser');
    const { checks: then } = await runForJson(['doctor'], asOwner);
    assert.match(JSON.stringify(then), /"warn","says":"sellthrough owns the tables and could switch off/);
  });
});
