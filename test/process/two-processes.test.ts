// Several processes of `src/main.ts` on one PostgreSQL. A change made through one applies in the others.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { briefFlags } from '../../scripts/brief-processes.ts';
import { type Answer, type ApiClient, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { readMigrations } from '../../src/platform/database/schema/migrate.ts';
import { childEnvironment, programFile } from '../harness/child-environment.ts';
import { runForJson } from '../harness/command-process.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgres-database.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';

/** How often a promise that must always hold is checked. */
const rounds = 5;
const settings = { PORT: '0', SECRET_KEY: 'z'.repeat(32) };
const running = new Set<ChildProcess>();
const folder = mkdtempSync(join(tmpdir(), 'sellthrough-processes-'));
const databases: PostgresDatabase[] = [];
after(async () => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  for (const database of databases) await database.remove();
});

interface ServiceProcess {
  readonly address: string;
  readonly child: ChildProcess;
  readonly said: string;
  readonly ended: Promise<{ code: number | null; log: string }>;
}

async function start(environment: Record<string, string>, args: string[] = []): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [...briefFlags, programFile('src/main.ts'), ...args], {
    cwd: folder,
    env: { ...childEnvironment, ...settings, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let log = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code, log };
  });
  const over = ended.then(() => true as const);
  for (;;) {
    const [, address] = /listens at (\S+)\n[\s\S]*\n\n$/.exec(said) ?? [];
    if (address !== undefined) return { address, child, said, ended };
    const isOver = await Promise.race([over, once(child.stderr, 'data').then(() => false)]);
    if (isOver) assert.fail(`the service did not start:\n${said}`);
  }
}

describe('two processes that share an account', () => {
  const adminKey = mintApiKey('live');
  let url: string;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let admin: ApiClient;
  let packageId: number;
  let accountCount = 0;
  before(async () => {
    url = await newDatabase();
    const environment = { DATABASE_URL: url, ADMIN_API_KEY: adminKey };
    first = await start(environment);
    second = await start(environment);
    admin = createApiClient(first.address, adminKey);
    packageId = (
      await admin.post('/api/admin/v1/packages', {
        name: 'Basic',
        limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
        prices: {
          reseller: { monthly: '10.00', quarterly: '27.00', yearly: '96.00' },
          distributor: { monthly: '8.00', quarterly: '21.00', yearly: '72.00' },
        },
      })
    ).body.package.id;
  });
  after(async () => {
    for (const service of [first, second].filter(({ child }) => !child.killed)) {
      service.child.kill('SIGTERM');
      assert.equal((await service.ended).code, 0);
    }
    assert.deepEqual((await command(url, 'verify')).problems, [], 'the books add up after the tests');
  });

  interface Account {
    readonly id: number;
    readonly path: string;
    readonly key: string;
    readonly here: ApiClient;
    readonly there: ApiClient;
  }

  async function createAccount(credit: string): Promise<Account> {
    accountCount += 1;
    const created = await admin.post('/api/admin/v1/accounts', {
      username: `account-${accountCount}`,
      group: 'reseller',
      rate_limit_per_minute: 1_000_000,
    });
    assert.equal(created.status, 201, created.text);
    const { account, api_key: key } = created.body;
    const path = `/api/admin/v1/accounts/${account.id}`;
    const credited = await admin.post(`${path}/credit`, { amount: credit });
    assert.equal(credited.status, 201, credited.text);
    const here = createApiClient(first.address, key);
    const there = createApiClient(second.address, key);
    // Both processes have cached the account now, so a change must invalidate both caches.
    for (const client of [here, there]) assert.equal((await client.get('/balance')).body.balance, credit);
    return { id: account.id, path, key, here, there };
  }

  function order(client: ApiClient, customer: string, key = customer): Promise<Answer> {
    return client.post('/orders', { package_id: packageId, customer }, { 'idempotency-key': key });
  }

  test('200 parallel orders, 100 to each, against a credit for 7 give exactly 7', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { id, here, there } = await createAccount('70.00');
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          order(index % 2 === 0 ? here : there, `seven-${id}-${index}`),
        ),
      );
      assert.deepEqual(
        countBy(answers, ({ status }) => status),
        { 201: 7, 402: 193 },
      );
      assert.equal((await there.get('/balance')).body.balance, '0.00');
      assert.equal((await here.get('/orders')).body.total, 7);
    }
  });

  test('one idempotency key sent to both in the same instant gives one order', async (context) => {
    const { id, here, there } = await createAccount('1000.00');
    let wonHere = 0;
    for (let round = 0; round < 20; round += 1) {
      const key = `twin-${id}-${round}`;
      const [one, other] = await Promise.all([order(here, key), order(there, key)]);
      assert.deepEqual([one.status, other.status], [201, 201], `${one.text} ${other.text}`);
      assert.deepEqual(one.body, other.body);
      const replayed = [one, other].map(({ headers }) => headers.get('idempotent-replayed'));
      assert.deepEqual(replayed.toSorted(), ['true', null].toSorted(), 'one is the replay of the other');
      if (replayed[0] === null) wonHere += 1;
    }
    context.diagnostic(`${wonHere} of 20 were placed by the first process`);
    assert.equal((await here.get('/balance')).body.balance, '800.00');
  });

  test('of two accounts that claim one new customer through two processes one wins', async () => {
    const [one, other] = [await createAccount('1000.00'), await createAccount('1000.00')];
    let placed = 0;
    for (let round = 0; round < 10; round += 1) {
      const references = Array.from({ length: 10 }, (_, index) => `claim-${round}-${index}`);
      const answers = await Promise.all([
        ...references.map((reference) => order(one.here, reference)),
        ...references.toReversed().map((reference) => order(other.there, reference)),
      ]);
      assert.deepEqual(
        countBy(answers, ({ status }) => status),
        { 201: 10, 409: 10 },
      );
      placed += 10;
    }
    const totals = [await one.there.get('/orders'), await other.here.get('/orders')];
    assert.equal(totals[0]?.body.total + totals[1]?.body.total, placed);
  });

  // The administrator's change through the first process, and how the second answers the very next order.
  const refusals: readonly (readonly [title: string, change: object, undo: object, code: string])[] = [
    ['blocked', { blocked: true }, { blocked: false }, 'account_blocked'],
    ['switched off for the API', { api_enabled: false }, { api_enabled: true }, 'api_disabled'],
    ['bound to other addresses', { allowed_ips: ['192.0.2.0/24'] }, { allowed_ips: [] }, 'ip_not_allowed'],
  ];
  for (const [title, change, undo, code] of refusals) {
    test(`an account that is ${title} through one places not one more order through the other`, async (context) => {
      const account = await createAccount('1000.00');
      let refusedLate = 0;
      for (let round = 0; round < rounds; round += 1) {
        await patched(account, change);
        const refused = await order(account.there, `refused-${account.id}-${round}`);
        assert.deepEqual([refused.status, refused.body.error?.code], [403, code], refused.text);
        await patched(account, undo);
        // After a right is restored, the other process may refuse until it learns of it, but never after that.
        for (;;) {
          const placed = await order(account.there, `placed-${account.id}-${round}`);
          if (placed.status === 201) break;
          assert.equal(placed.body.error.code, code);
          refusedLate += 1;
        }
      }
      context.diagnostic(`allowed again, but still refused: ${refusedLate} orders in ${rounds} rounds`);
      assert.equal((await account.here.get('/balance')).body.balance, `${1_000 - 10 * rounds}.00`);
    });
  }

  test('a key that is replaced through one is refused by the other, and the new one is taken', async () => {
    const account = await createAccount('1000.00');
    let { there } = account;
    for (let round = 0; round < rounds; round += 1) {
      const reset = await admin.post(`${account.path}/api-key`);
      assert.equal(reset.status, 201, reset.text);
      const [old, fresh] = [there, createApiClient(second.address, reset.body.api_key)];
      const refused = await order(old, `old-${account.id}-${round}`);
      assert.deepEqual([refused.status, refused.body.error?.code], [401, 'revoked_api_key'], refused.text);
      assert.equal((await order(fresh, `new-${account.id}-${round}`)).status, 201);
      there = fresh;
    }
    assert.equal((await there.get('/balance')).body.balance, `${1_000 - 10 * rounds}.00`);
  });

  test('a price and a group that are changed through one count for the very next order through the other', async () => {
    const { id, path, there } = await createAccount('10000.00');
    const price = async (expected: string, key: string) => {
      const { status, body, text } = await order(there, key);
      assert.equal(status, 201, text);
      assert.equal(body.order.price, expected);
    };
    for (let round = 0; round < rounds; round += 1) {
      const monthly = `${11 + round}.00`;
      const changed = await admin.patch(`/api/admin/v1/packages/${packageId}`, {
        prices: { reseller: { monthly } },
      });
      assert.equal(changed.status, 200, changed.text);
      await price(monthly, `priced-${id}-${round}`);
      await patched({ path }, { group: 'distributor' });
      await price('8.00', `grouped-${id}-${round}`);
      await patched({ path }, { group: 'reseller' });
      await price(monthly, `back-${id}-${round}`);
    }
    await admin.patch(`/api/admin/v1/packages/${packageId}`, { prices: { reseller: { monthly: '10.00' } } });
    await price('10.00', `restored-${id}`);
  });

  test('all of that also while the other misses notices of changes, and does not know it', async () => {
    const proxy = await startTcpProxy(url);
    const unaware = await start({ DATABASE_URL: proxy.url(new URL(url).pathname.slice(1)) });
    try {
      const [refused, rekeyed, grouped, priced] = [
        await Promise.all(refusals.map(() => createAccount('100.00'))),
        await createAccount('100.00'),
        await createAccount('100.00'),
        await createAccount('100.00'),
      ];
      const through = ({ key }: Account) => createApiClient(unaware.address, key);
      for (const one of [...refused, rekeyed, grouped, priced]) await through(one).get('/balance');
      // From its next heartbeat on, its LISTEN connection is silent. The process notices that after seconds.
      await proxy.breakAt(/^select 1$/, 'freeze before');
      const deafSince = performance.now();

      for (const [index, [, change, , code]] of refusals.entries()) {
        const account = refused[index];
        assert.ok(account !== undefined);
        await patched(account, change);
        // Only an answer from the cache may be outdated, for two seconds, until the process notices that it misses notices.
        const isStale = (await through(account).get('/packages')).status === 200;
        const deafMilliseconds = performance.now() - deafSince;
        assert.ok(isStale || deafMilliseconds > 1_000, 'it has not noticed');
        const answer = await order(through(account), `deaf-${account.id}`);
        assert.deepEqual([answer.status, answer.body.error?.code], [403, code], answer.text);
        const balance = await through(account).get('/balance');
        assert.deepEqual([balance.status, balance.body.error?.code], [403, code], balance.text);
      }
      await admin.post(`${rekeyed.path}/api-key`);
      const old = await order(through(rekeyed), `deaf-${rekeyed.id}`);
      assert.equal(old.body.error?.code, 'revoked_api_key', old.text);
      await patched(grouped, { group: 'distributor' });
      const placed = await order(through(grouped), `deaf-${grouped.id}`);
      assert.equal(placed.body.order?.price, '8.00', placed.text);
      const path = `/api/admin/v1/packages/${packageId}`;
      await admin.patch(path, { prices: { reseller: { monthly: '12.34' } } });
      const dearer = await order(through(priced), `deaf-${priced.id}`);
      await admin.patch(path, { prices: { reseller: { monthly: '10.00' } } });
      assert.equal(dearer.body.order?.price, '12.34', dearer.text);
    } finally {
      unaware.child.kill('SIGKILL');
      await unaware.ended;
      await proxy.close();
    }
  });

  test('a package that is retired through one cannot be ordered through the other', async () => {
    const { id, there } = await createAccount('1000.00');
    const path = `/api/admin/v1/packages/${packageId}`;
    for (let round = 0; round < rounds; round += 1) {
      assert.equal((await admin.patch(path, { retired: true })).status, 200);
      const refused = await order(there, `retired-${id}-${round}`);
      assert.equal(refused.body.error?.code, 'package_unavailable', refused.text);
      assert.equal((await admin.patch(path, { retired: false })).status, 200);
      assert.equal((await order(there, `sold-${id}-${round}`)).status, 201);
    }
  });

  test('a read through the other process sees the change at once, whether or not it was notified', async () => {
    const account = await createAccount('1.00');
    for (let round = 0; round < 30; round += 1) {
      const blocked = round % 2 === 0;
      await patched(account, { blocked });
      assert.equal((await account.there.get('/balance')).status, blocked ? 403 : 200, `round ${round}`);
    }
  });

  test('one that stalls in the middle of its work holds the other up for seconds only, and wakes to the truth @nightly', async (context) => {
    const third = await start({ DATABASE_URL: url });
    const account = await createAccount('100000.00');
    const stalled = createApiClient(third.address, account.key);
    const keys: string[] = [];
    let isOver = false;
    let acknowledged = 0;
    let unavailable = 0;
    /** Does what the documents advise: after a 503, repeats with the same key. */
    const persist = async (client: ApiClient, key: string): Promise<void> => {
      keys.push(key);
      for (;;) {
        const answer = await order(client, key);
        if (answer.status === 201) return;
        assert.equal(answer.status, 503, answer.text);
        unavailable += 1;
        await pause(50); // the client's back-off
      }
    };
    let onAcknowledged: () => void = () => undefined;
    const streams = Array.from({ length: 12 }, async (_, client) => {
      for (let index = 0; !isOver; index += 1) {
        await persist(stalled, `stalled-${account.id}-${client}-${index}`);
        acknowledged += 1;
        onAcknowledged();
      }
    });
    const watcher = new pg.Client(url);
    await watcher.connect();
    const held = `select from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`;
    // Stop the process again and again, until it stops between its locks and its COMMIT.
    for (;;) {
      await new Promise<void>((resolve) => {
        onAcknowledged = resolve;
      });
      third.child.kill('SIGSTOP');
      if ((await watcher.query(held)).rowCount === 1) break;
      third.child.kill('SIGCONT');
    }
    await watcher.end();
    const beside = Array.from({ length: 10 }, (_, index) => `beside-${account.id}-${index}`);
    await Promise.all(beside.map((key) => persist(account.there, key)));
    third.child.kill('SIGCONT');
    isOver = true;
    await Promise.all(streams);
    context.diagnostic(`${acknowledged} acknowledged, ${unavailable} answers of 503`);
    third.child.kill('SIGTERM');
    assert.equal((await third.ended).code, 0);
    assert.equal((await account.there.get('/orders')).body.total, keys.length);
    assert.equal((await account.here.get('/balance')).body.balance, `${100_000 - 10 * keys.length}.00`);
  });

  // It ends the second process, so it is the last one here.
  test('when one is killed in the middle, its clients find or place their orders at the other', async (context) => {
    const { id, here, there: doomed } = await createAccount('100000.00');
    let acknowledged = 0;
    let moved = 0;
    const keys: string[] = [];
    const stream = async (client: number) => {
      for (let index = 0; ; index += 1) {
        const key = `killed-${id}-${client}-${index}`;
        keys.push(key);
        try {
          assert.equal((await order(doomed, key)).status, 201);
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
          moved += 1;
          assert.equal((await order(here, key)).status, 201, 'nothing stays locked');
          return;
        }
        acknowledged += 1;
        if (acknowledged === 200) second.child.kill('SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, client) => stream(client)));
    context.diagnostic(`${acknowledged} acknowledged, ${moved} asked the other process`);
    assert.equal((await here.get('/orders')).body.total, keys.length);
    assert.equal((await here.get('/balance')).body.balance, `${100_000 - 10 * keys.length}.00`);
  });

  async function patched({ path }: { path: string }, change: object): Promise<void> {
    const { status, text } = await admin.patch(path, change);
    assert.equal(status, 200, text);
  }
});

describe('processes that start in the same instant on an empty database', () => {
  test('run the migrations once, make one administrator and one demo, and all serve', async () => {
    const url = await newDatabase({ isEmpty: true });
    const services = await Promise.all([1, 2].map(() => start({ DATABASE_URL: url }, ['--demo'])));
    const logs = await isSetUpOnce(url, services);
    const migrated = logs.flatMap((log) => log.match(/"migrated":\[[^\]]*\]/g) ?? []).join();
    for (const { name } of readMigrations()) {
      assert.equal(migrated.split(name).length - 1, 1, `${name} ran once`);
    }
  });

  test('make one administrator and one demo also when both find neither of them @nightly', async () => {
    for (;;) {
      const url = await newDatabase();
      await command(url, 'migrate');
      const services = await startHeld(url);
      if (services !== null) {
        await isSetUpOnce(url, services);
        break;
      }
    }
  });

  /** Holds two requests at their first read. Returns null if one timed out first on a slow machine. */
  async function startHeld(url: string): Promise<readonly ServiceProcess[] | null> {
    const [holder, watcher] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([holder.connect(), watcher.connect()]);
    await holder.query('begin; lock table accounts in access exclusive mode');
    let isOver = false;
    const starting = Promise.allSettled([1, 2].map(() => start({ DATABASE_URL: url }, ['--demo']))).finally(
      () => {
        isOver = true;
      },
    );
    const heldSessions = `select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    while (!isOver && (await watcher.query(heldSessions)).rowCount !== 2) await pause(5);
    await holder.query('commit');
    await Promise.all([holder.end(), watcher.end()]);
    const started = await starting;
    const failures = started.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const failure of failures)
      assert.match(String(failure), /No answer from the database for|statement timeout/);
    const services = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (failures.length === 0) return services;
    for (const { child } of services) child.kill('SIGKILL');
    return null;
  }

  async function isSetUpOnce(url: string, services: readonly ServiceProcess[]): Promise<string[]> {
    const made = services.filter(({ said }) => said.includes('The first administrator was created'));
    assert.equal(made.length, 1, 'one of them made the administrator, and shows it');
    const key = keptKey(/The first administrator[\s\S]*?API key +(\S+)/.exec(made[0]?.said ?? '')?.[1]);
    for (const { address } of services) {
      const accounts = await createApiClient(address, key).get('/api/admin/v1/accounts');
      assert.deepEqual(
        accounts.body.data
          .map(({ username, balance }: Record<string, string>) => `${username} ${balance}`)
          .sort(),
        ['admin 0.00', 'demo 500.00'],
      );
      const packages = await createApiClient(address, key).get('/api/admin/v1/packages');
      assert.deepEqual(
        packages.body.data.map(({ name }: { name: string }) => name),
        ['Starter', 'Business', 'Agency', 'Free trial'],
        'the demo packages are there once',
      );
      const limits = await createApiClient(address, key).get('/api/admin/v1/limits');
      assert.deepEqual(
        limits.body.data.map(({ key }: { key: string }) => key),
        ['seats', 'storage_gb', 'sso'],
        'and its limits are in place of the first three',
      );
    }
    const demoFiles = services.map(({ said }) => /The demo reseller[\s\S]*?API key +(\S+)/.exec(said)?.[1]);
    const demoKeys = demoFiles.flatMap((file) => (file === undefined ? [] : [keptKey(file)]));
    const [demoKey] = demoKeys;
    assert.ok(demoKey !== undefined, 'the demo is shown');
    for (const one of demoKeys) assert.equal(one, demoKey);
    const orders = await Promise.all(
      services.map(({ address }, index) =>
        createApiClient(address, demoKey).post('/orders', { package_id: 1, customer: `demo-${index}` }),
      ),
    );
    assert.deepEqual(
      countBy(orders, ({ status }) => status),
      { 201: services.length },
    );

    for (const { child } of services) child.kill('SIGTERM');
    const ended = await Promise.all(services.map((service) => service.ended));
    for (const { code } of ended) assert.equal(code, 0);
    const report = await command(url, 'verify');
    assert.deepEqual(report, { ok: true, accounts: 2, entries: 1 + services.length, problems: [] });
    return ended.map(({ log }) => log);
  }
});

function keptKey(file: string | undefined): string {
  assert.ok(file !== undefined);
  return /^API key +(\S+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
}

async function newDatabase(options?: { isEmpty: boolean }): Promise<string> {
  const database = await createPostgresDatabase(options);
  databases.push(database);
  return database.url;
}

function command(url: string, name: 'migrate' | 'verify'): Promise<Answer['body']> {
  return runForJson([name], { cwd: folder, environment: { ...settings, DATABASE_URL: url } });
}

function countBy<Item>(items: readonly Item[], key: (item: Item) => number): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
}
