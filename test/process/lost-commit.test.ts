// The connection is cut or frozen around COMMIT. Every order gets a true answer and is charged once.
// Invariant: an unhandled rejection fails the test, because it would end the process.

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import type { Database, Transaction } from '../../src/platform/database/database.ts';
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts';
import { isMigrated, migrate, readMigrations } from '../../src/platform/database/schema/migrate.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { askServer } from '../harness/one-question.ts';
import { createPostgresDatabase, type PostgresDatabase } from '../harness/postgres-database.ts';
import { type Breakage, startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';

const commit = /^commit$/i;

const databases: PostgresDatabase[] = [];
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => void unhandled.push(reason);
before(() => {
  process.on('unhandledRejection', onUnhandled);
});
after(async () => {
  for (const database of databases) await database.remove();
  process.off('unhandledRejection', onUnhandled);
});
afterEach(() => assert.deepEqual(unhandled, [], 'no promise was left alone'));

describe('a connection that breaks around COMMIT', () => {
  let proxy: TcpProxy;
  let service: TestService;
  before(async () => {
    proxy = await startTcpProxy(await newDatabase());
    service = await startTestService({
      // A silent connection times out soon, on the server too, but not before a busy machine answers.
      environment: { DATABASE_URL: proxy.url() },
      limits: { database: { answerMilliseconds: 1_500, connectMilliseconds: 1_500 } },
    });
  });
  after(async () => {
    await service.close();
    await proxy.close();
  });

  const breakages: readonly Breakage[] = [
    'cut before',
    'cut behind',
    'cut before receipt',
    'cut during receipt',
    'freeze before',
    'freeze unheard',
  ];
  for (const how of breakages) {
    for (const sentKey of ['the-key', null]) {
      const title = sentKey === null ? 'without a key' : 'with a key';
      test(`${how}: an order ${title} is answered 201 once and charged once`, async () => {
        const reseller = await service.createReseller({ credit: '100.00' });
        const broken = proxy.breakAt(commit, how);
        const first = await order(service, reseller, `ada-${reseller.id}`, sentKey);
        await broken;
        assert.equal(first.status, 201, first.text);
        assert.equal(first.headers.get('idempotent-replayed'), null, 'it is the first answer');
        assert.equal(first.body.balance, '90.00');
        await standsOnce(service, reseller, 1);

        const again = await order(service, reseller, `ada-${reseller.id}`, first.body.order.idempotency_key);
        assert.equal(again.headers.get('idempotent-replayed'), 'true');
        assert.deepEqual(again.body, first.body);
        await standsOnce(service, reseller, 1);
      });
    }

    test(`${how}: a whole batch is answered, each order once, a test account as a replay`, async () => {
      const reseller = await service.createReseller({ credit: '300.00' });
      const broken = proxy.breakAt(commit, how);
      const keys = Array.from({ length: 20 }, (_, index) => `batch-${index}`);
      const [answers, testAccounts] = await Promise.all([
        Promise.all(keys.map((key) => order(service, reseller, `${key}-of-${reseller.id}`, key))),
        Promise.all(keys.map((key) => order(service, reseller, `${key}-of-${reseller.id}`, key))),
        broken,
      ]);
      for (const [index, answer] of answers.entries()) {
        const testAccount = testAccounts[index];
        assert.deepEqual([answer.status, testAccount?.status], [201, 201], answer.text);
        assert.deepEqual(testAccount?.body.order, answer.body.order);
        const replays = [answer, testAccount].filter(
          (one) => one?.headers.get('idempotent-replayed') === 'true',
        );
        assert.equal(replays.length, 1, 'of two requests one is the replay');
      }
      await standsOnce(service, reseller, 20);
    });
  }

  test('a login link that was handed out after a lost COMMIT opens', async () => {
    const reseller = await service.createReseller({ credit: '100.00' });
    const broken = proxy.breakAt(commit, 'cut before receipt');
    const answer = await reseller.post('/orders', {
      package_id: service.packages.basic,
      customer: `linked-${reseller.id}`,
      return_login: true,
    });
    await broken;
    assert.equal(answer.status, 201, answer.text);
    const { pathname } = new URL(answer.body.login_url);
    const page = await fetch(`${service.address}${pathname}`, { method: 'POST', redirect: 'manual' });
    assert.equal(page.status, 303);
  });

  for (const how of ['cut before', 'cut before receipt'] as const) {
    test(`${how}: a top-up counts once`, async () => {
      const reseller = await service.createReseller({ credit: '1.00' });
      const broken = proxy.breakAt(commit, how);
      const path = `/api/admin/v1/accounts/${reseller.id}/credit`;
      const answer = await service.admin.post(path, { amount: '5.00' });
      await broken;
      assert.equal(answer.status, 201, answer.text);
      assert.equal(answer.headers.get('idempotent-replayed'), null);
      assert.equal(answer.body.balance, '6.00');
      assert.equal((await reseller.get('/balance')).body.balance, '6.00');
    });

    test(`${how}: a trial is granted once`, async () => {
      const reseller = await service.createReseller();
      const broken = proxy.breakAt(commit, how);
      const path = `/api/admin/v1/accounts/${reseller.id}/trials`;
      const customer = `trial-of-${reseller.id}`;
      const answer = await service.admin.post(path, { package_id: service.packages.trial, customer });
      await broken;
      assert.equal(answer.status, 201, answer.text);
      const audit = await service.admin.get('/api/admin/v1/audit?limit=10');
      const grants = audit.body.data.filter(({ subject }: { subject: string }) => subject.includes(customer));
      assert.equal(grants.length, 1, 'the audit log has one entry');
    });
  }
});

describe('a database that stays away', () => {
  let url: string;
  let proxy: TcpProxy;
  let service: TestService;
  before(async () => {
    url = await newDatabase();
    proxy = await startTcpProxy(url);
    service = await startTestService({
      environment: { DATABASE_URL: proxy.url() },
      limits: {
        engine: { waitMilliseconds: 2_000 },
        database: { answerMilliseconds: 1_500, connectMilliseconds: 1_500 },
      },
    });
  });
  after(async () => {
    // The books are read by a connection that may have been cut: end only once the database is back.
    await untilReady();
    await service.close();
    await proxy.close();
  });
  afterEach(() => proxy.become('open'));

  async function untilReady(): Promise<void> {
    while ((await fetch(`${service.address}/readyz`)).status !== 200) await pause(50);
  }

  // Much longer than all timeouts together, and much shorter than the test's own limit.
  const bounded = { timeout: 90_000 };

  for (const [how, away, stands] of [
    ['cut before', 'refusing', false],
    ['cut before receipt', 'refusing', true],
    ['cut before', 'frozen', false],
    ['freeze unheard', 'frozen', true],
  ] as const) {
    test(
      `${how}, then ${away}: 503 with Retry-After, and the retry finds or makes the one order`,
      bounded,
      async () => {
        const reseller = await service.createReseller({ credit: '100.00' });
        assert.equal((await reseller.get('/balance')).status, 200);
        const broken = proxy.breakAt(commit, how, away);
        const customer = `away-${reseller.id}`;
        const first = await order(service, reseller, customer, 'kept');
        await broken;
        isUnavailable(first);
        const [ready, ...others] = await Promise.all([
          fetch(`${service.address}/readyz`),
          order(service, reseller, customer, 'kept'),
          ...['/balance', '/orders', '/customers'].map((path) => reseller.get(path)),
        ]);
        for (const other of others) isUnavailable(other);
        assert.equal(ready.status, 503);
        assert.match(await ready.text(), /database/);
        assert.equal((await fetch(`${service.address}/healthz`)).status, 200, 'the process lives');

        proxy.become('open');
        const retry = await untilTaken(() => order(service, reseller, customer, 'kept'));
        assert.equal(retry.status, 201, `it takes orders again: ${retry.text}`);
        // An attempt that was still running when its client got a 503 may have placed the order since.
        if (stands) assert.equal(retry.headers.get('idempotent-replayed'), 'true');
        await standsOnce(service, reseller, 1);
        await untilReady();
      },
    );
  }

  test('orders that wait in the queue behind the lost batch are answered too', bounded, async () => {
    const reseller = await service.createReseller({ credit: '1000.00' });
    const keys = Array.from({ length: 60 }, (_, index) => `queued-${index}`);
    const broken = proxy.breakAt(commit, 'cut before', 'refusing');
    const answers = await Promise.all(keys.map((key) => order(service, reseller, `${key}-x`, key)));
    await broken;
    for (const answer of answers) isUnavailable(answer);
    // A running batch continues even though its clients got a 503.
    while (service.service.engine.queueDepth() > 0) await pause(10);
    proxy.become('open');
    const retries = await Promise.all(
      keys.map((key) => untilTaken(() => order(service, reseller, `${key}-x`, key))),
    );
    assert.ok(retries.every(({ status }) => status === 201));
    await standsOnce(service, reseller, 60);
  });

  test(
    'an order that arrives while the database is away for a moment waits and succeeds',
    bounded,
    async () => {
      const patient = await startTestService({
        environment: { DATABASE_URL: proxy.url(new URL(await newDatabase()).pathname.slice(1)) },
      });
      try {
        const reseller = await patient.createReseller({ credit: '100.00' });
        const broken = proxy.breakAt(commit, 'cut before', 'refusing');
        const answer = order(patient, reseller, 'patient', 'patient');
        await broken;
        proxy.become('open');
        assert.equal((await answer).status, 201);
        await standsOnce(patient, reseller, 1);
      } finally {
        await patient.close();
      }
    },
  );

  test(
    'a change made while no process listened counts as soon as the database is back',
    bounded,
    async () => {
      const reseller = await service.createReseller({ credit: '100.00' });
      assert.equal((await reseller.get('/balance')).status, 200, 'the account is known');
      proxy.become('refusing');
      isUnavailable(await reseller.get('/balance'));
      await askServer(
        url,
        `update accounts set blocked = true, access_version = 2 where id = ${reseller.id}`,
      );
      proxy.become('open');
      const balance = await untilTaken(() => reseller.get('/balance'));
      assert.equal(balance.body.error?.code, 'account_blocked');
      assert.equal((await order(service, reseller, 'blocked', 'blocked')).body.error.code, 'account_blocked');
    },
  );

  for (const state of ['frozen', 'refusing'] as const) {
    test(`a service whose database is ${state} shuts down`, bounded, async () => {
      const other = await service.startAnother();
      proxy.become(state);
      await other.close();
    });
  }
});

test('a process that pauses while it migrates is not taken for dead', async () => {
  const idleInTransactionMilliseconds = 100;
  const database = openPostgres({
    ...defaultLimits.database,
    connectionString: await newDatabase({ isEmpty: true }),
    idleInTransactionMilliseconds,
  });
  const slow: Database = {
    ...database,
    transaction: (work, options) =>
      database.transaction((transaction) => {
        const query: Transaction['query'] = async (statement, values) => {
          const rows = await transaction.query(statement, values);
          await pause(2 * idleInTransactionMilliseconds);
          return rows;
        };
        return work({ ...transaction, query });
      }, options),
  };
  try {
    // One of them is enough: every migration's transaction has the same settings.
    const migrations = readMigrations().slice(0, 1);
    assert.deepEqual(
      await migrate(slow, { migrations }),
      migrations.map(({ name }) => name),
    );
    assert.ok(await isMigrated(database, migrations));
  } finally {
    await database.close();
  }
});

test('a database that falls silent and then refuses connections is asked again a few times a second', {
  timeout: 60_000,
}, async () => {
  const proxy = await startTcpProxy(await newDatabase());
  const database = openPostgres({
    ...defaultLimits.database,
    connectionString: proxy.url(),
    listenAnswerMilliseconds: 2_500,
  });
  let lost = 0;
  let onLost: () => void = () => undefined;
  const silent = new Promise<void>((resolve) => {
    onLost = resolve;
  });
  try {
    await database.listen('changes', {
      onMessage: () => undefined,
      onRestored: () => undefined,
      onLost() {
        lost += 1;
        onLost();
      },
    });
    proxy.become('frozen');
    await silent;
    proxy.become('refusing');
    const [before, cpu] = [lost, process.cpuUsage()];
    await pause(watchedMilliseconds);
    const { user, system } = process.cpuUsage(cpu);
    assert.ok(lost - before <= 5 * (watchedMilliseconds / 1_000), `${lost - before} attempts`);
    assert.ok((user + system) / 1_000 <= watchedMilliseconds / 2, `${(user + system) / 1_000} ms of CPU`);
    const restored = lost;
    while (lost === restored) await pause(10);
  } finally {
    await database.close();
    await proxy.close();
  }
});

const watchedMilliseconds = 2_000;

/** On a busy machine the connections may take longer than a request waits. */
async function untilTaken(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.status !== 503) return answer;
    await pause(50);
  }
}

async function newDatabase(options?: { isEmpty: boolean }): Promise<string> {
  const database = await createPostgresDatabase(options);
  databases.push(database);
  return database.url;
}

function order(
  { packages }: TestService,
  account: TestAccount,
  customer: string,
  key: string | null,
): Promise<Answer> {
  const headers = key === null ? {} : { 'idempotency-key': key };
  return account.post('/orders', { package_id: packages.basic, customer }, headers);
}

function isUnavailable(answer: Answer): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.body.error.code, 'service_unavailable');
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
}

async function standsOnce({ admin }: TestService, { id }: TestAccount, orders: number): Promise<void> {
  const path = `/api/admin/v1/accounts/${id}`;
  const { body } = await admin.get(path);
  const ledger = await admin.get(`${path}/ledger?limit=1`);
  const credit = (await admin.get(`${path}/ledger?page=${ledger.body.total}&limit=1`)).body.data[0].amount;
  assert.deepEqual(
    { orders: body.account.order_count, entries: ledger.body.total, balance: body.account.balance },
    { orders, entries: orders + 1, balance: `${Number.parseInt(credit, 10) - 10 * orders}.00` },
  );
}
