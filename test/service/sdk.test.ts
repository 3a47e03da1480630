import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { isSellthroughError, type Retry, Sellthrough } from '../../sdk/src/index.ts';
import { type CuttingProxy, startCuttingProxy } from '../harness/cutting-proxy.ts';

let service: TestService;
let proxy: CuttingProxy;
let administrator: Sellthrough;
before(async () => {
  service = await startTestService();
  // Even behind a proxy, this cuts the service's own connections; test/proxies/ cuts the proxy's.
  proxy = await startCuttingProxy(service.directAddress);
  administrator = new Sellthrough({ baseUrl: service.address, apiKey: service.admin.key });
});
after(async () => {
  await proxy.close();
  await service.close();
});

async function createReseller(credit: string, rateLimitPerMinute = 1_000_000) {
  const { id, key } = await service.createReseller({ credit, rateLimitPerMinute });
  const options = { baseUrl: service.address, apiKey: key, backoffMs: 1 };
  return {
    id,
    key,
    client: new Sellthrough(options),
    cut: new Sellthrough({ ...options, baseUrl: proxy.address }),
  };
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('the call succeeded'),
    (error: unknown) => error,
  );
}

test('the road of an order, through the client', async () => {
  const { id, client } = await createReseller('100.00');
  const { data: packages, group } = await client.listPackages();
  assert.equal(group, 'reseller');
  const basic = packages.find(({ name }) => name === 'Basic');
  assert.ok(basic);

  const key = { idempotencyKey: 'road-1' };
  const wish = { package_id: basic.id, customer: 'ada@example.com', return_login: true };
  const placed = await client.placeOrder(wish, key);
  assert.deepEqual([placed.order.price, placed.balance, placed.replayed], ['10.00', '90.00', false]);
  assert.match(placed.login_url ?? '', /\/login\/\S{43}$/);
  const again = await client.placeOrder({ ...wish, return_login: false }, key);
  assert.deepEqual([again.order, again.balance, again.replayed], [placed.order, '90.00', true]);

  const renewed = await client.renewOrder(placed.order.id, { months: 3 });
  assert.deepEqual([renewed.order.kind, renewed.order.price, renewed.balance], ['renew', '27.00', '63.00']);
  assert.deepEqual(await client.getOrder(renewed.order.id), renewed.order);
  assert.equal((await client.getBalance()).balance, '63.00');

  const customer = await client.getCustomer(placed.order.customer.id);
  assert.deepEqual([customer.plan.package, customer.plan.expires_at], ['Basic', renewed.order.expires_at]);
  assert.deepEqual(await client.listCustomers(), { data: [customer], page: 1, per_page: 25, total: 1 });

  const entries = await allOf(administrator.admin.eachAccountLedgerEntry(id));
  assert.deepEqual(
    entries.map(({ amount }) => amount),
    ['-27.00', '-10.00', '100.00'],
  );
});

describe('a connection that is cut after COMMIT', () => {
  for (const where of ['before', 'middle'] as const) {
    test(`${where === 'before' ? 'before' : 'in the middle of'} the answer gives one order, charged once`, async () => {
      const { client, cut } = await createReseller('100.00');
      const cutsBefore = proxy.cuts();
      proxy.cutAnswers(3, where);
      const placed = await cut.placeOrder({ package_id: service.packages.basic, customer: `cut-${where}` });
      assert.equal(proxy.cuts() - cutsBefore, 3);
      assert.deepEqual([placed.replayed, placed.balance], [true, '90.00']);

      proxy.cutAnswers(1, where);
      const renewed = await cut.renewOrder(placed.order.id);
      assert.deepEqual([renewed.replayed, renewed.balance], [true, '80.00']);
      assert.deepEqual((await client.listOrders()).total, 2);
      assert.equal((await client.getBalance()).balance, '80.00');
    });
  }

  test('and that no retry may follow: the error has the key, and the key has the order', async () => {
    const { client, cut } = await createReseller('100.00');
    proxy.cutAnswers(1, 'before');
    const wish = { package_id: service.packages.basic, customer: 'cut-off' };
    const error = await rejectionOf(cut.placeOrder(wish, { retries: 0 }));
    assert.ok(isSellthroughError(error, 'connection_lost'));
    assert.deepEqual([error.mayHaveHappened, error.retryable], [true, true]);
    assert.ok(error.idempotencyKey);
    const placed = await client.placeOrder(wish, { idempotencyKey: error.idempotencyKey });
    assert.deepEqual([placed.replayed, placed.balance], [true, '90.00']);
    const logged = service.logLines.some((line) => JSON.stringify(line).includes(error.requestId));
    assert.ok(logged, 'the service’s log has the id of a request whose answer was lost');
  });

  test('a credit is counted once', async () => {
    const { id } = await createReseller('1.00');
    const cut = new Sellthrough({ baseUrl: proxy.address, apiKey: service.admin.key, backoffMs: 1 });
    proxy.cutAnswers(2, 'before');
    const credited = await cut.admin.creditAccount(id, { amount: '5.00' });
    assert.deepEqual([credited.replayed, credited.balance], [true, '6.00']);
  });

  test('an account is not created twice: the client does not try', async () => {
    const cut = new Sellthrough({ baseUrl: proxy.address, apiKey: service.admin.key, backoffMs: 1 });
    proxy.cutAnswers(1, 'before');
    const error = await rejectionOf(cut.admin.createAccount({ username: 'cut-account', group: 'reseller' }));
    assert.ok(isSellthroughError(error, 'connection_lost'));
    assert.deepEqual([error.attempts, error.mayHaveHappened, error.retryable], [1, true, false]);
    assert.equal((await administrator.admin.listAccounts({ q: 'cut-account' })).total, 1);
  });
});

test('orders with one key at the same time are one order', async () => {
  const { client } = await createReseller('100.00');
  const placed = await Promise.all(
    Array.from({ length: 20 }, () =>
      client.placeOrder(
        { package_id: service.packages.basic, customer: 'repeated' },
        { idempotencyKey: 'repeated' },
      ),
    ),
  );
  assert.equal(placed.filter(({ replayed }) => !replayed).length, 1);
  assert.equal((await client.getBalance()).balance, '90.00');
});

test('walking a list goes through all pages, and orders that arrive meanwhile disturb nothing', async () => {
  const { client, id } = await createReseller('10000.00');
  const place = (number: number) =>
    client.placeOrder({ package_id: service.packages.basic, customer: `walk-${number}` });
  const placed = await Promise.all(Array.from({ length: 230 }, (_, number) => place(number)));
  const walked: number[] = [];
  for await (const order of client.eachOrder()) {
    walked.push(order.id);
    if (walked.length % 50 === 0) await place(1_000 + walked.length);
  }
  const expected = placed.map(({ order }) => order.id).sort((a, b) => b - a);
  assert.deepEqual(walked, expected);
  const customers = await allOf(client.eachCustomer());
  assert.equal(new Set(customers.map((customer) => customer.id)).size, 234);
  assert.equal((await allOf(administrator.admin.eachAccountCustomer(id))).length, 234);
  assert.equal((await allOf(administrator.admin.eachAccountOrder(id))).length, 234);
});

test('a walk that is aborted ends with the caller’s reason', async () => {
  const { client } = await createReseller('100.00');
  await client.placeOrder({ package_id: service.packages.basic, customer: 'walk-aborted' });
  const stop = new AbortController();
  const walk = client.eachOrder({ signal: stop.signal });
  stop.abort(new Error('enough'));
  const error = await rejectionOf(walk.next());
  assert.ok(isSellthroughError(error, 'aborted'));
  assert.equal((error.cause as Error).message, 'enough');
});

test('the rate limit is waited for as long as the service says', async () => {
  const { key } = await createReseller('100.00', 2);
  service.clock.monotonic = () => 1_000;
  try {
    const retries: Retry[] = [];
    const stop = new AbortController();
    const client = new Sellthrough({
      baseUrl: service.address,
      apiKey: key,
      onRetry(retry) {
        retries.push(retry);
        stop.abort();
      },
    });
    await client.getBalance();
    await client.getBalance();
    await rejectionOf(client.getBalance({ signal: stop.signal, totalTimeoutMs: 600_000 }));
    const [{ delayMs, error } = assert.fail('no retry')] = retries;
    assert.ok(isSellthroughError(error, 'rate_limited'));
    assert.equal(error.details.limit, 2);
    assert.equal(error.retryAfterSeconds, error.details.retry_after);
    assert.ok(delayMs >= error.details.retry_after * 1000);
  } finally {
    service.clock.monotonic = null;
  }
});

test('refusals arrive as errors of their code with their details', async () => {
  const { client } = await createReseller('11.00');
  const { basic, plus, retired } = service.packages;
  const first = await client.placeOrder({ package_id: basic, customer: 'refused' });

  const poor = await rejectionOf(client.placeOrder({ package_id: plus, customer: 'refused-2' }));
  assert.ok(isSellthroughError(poor, 'insufficient_credit'));
  assert.deepEqual(poor.details, { balance: '1.00', required: '25.00', currency: 'USD' });
  assert.deepEqual([poor.status, poor.retryable, poor.mayHaveHappened], [402, false, false]);

  const expected: readonly (readonly [() => Promise<unknown>, string])[] = [
    [() => client.placeOrder({ package_id: 999, customer: 'a' }), '422 invalid_package'],
    [() => client.placeOrder({ package_id: retired, customer: 'a' }), '422 package_unavailable'],
    [() => client.placeOrder({ package_id: basic, customer: 'a b' }), '422 invalid_customer'],
    [
      () => client.placeOrder({ package_id: basic, customer: 'a' }, { idempotencyKey: 'x'.repeat(81) }),
      'null invalid_idempotency_key',
    ],
    [() => client.getOrder(first.order.id + 1), '404 order_not_found'],
    [() => client.getCustomer(1), '404 customer_not_found'],
    [() => client.admin.getAccount(1), '403 forbidden'],
    [
      () => new Sellthrough({ baseUrl: service.address, apiKey: 'sk_live_no' }).getBalance(),
      '401 invalid_api_key',
    ],
    [() => administrator.admin.getPackage(999), '404 package_not_found'],
    [() => administrator.admin.exchangeLoginCode({ code: 'none' }), '404 customer_not_found'],
    [() => administrator.admin.createAccount({ username: 'admin', group: 'reseller' }), '409 username_taken'],
  ];
  for (const [call, wanted] of expected) {
    const error = await rejectionOf(call());
    assert.ok(isSellthroughError(error), wanted);
    assert.equal(`${error.status} ${error.code}`, wanted);
  }
  const badMonths = await rejectionOf(
    client.placeOrder({ package_id: basic, customer: 'a', months: 3, period: 'yearly' }),
  );
  assert.ok(isSellthroughError(badMonths, 'invalid_months'));
  assert.deepEqual(Object.keys(badMonths.details).sort(), ['field', 'reason']);
});

test('the administrator’s calls do what they say', async () => {
  const { admin } = administrator;
  const created = await admin.createAccount({ username: 'by-client', group: 'reseller', allowed_ips: [] });
  const { id } = created.account;
  assert.ok(created.password);
  const client = new Sellthrough({ baseUrl: service.address, apiKey: created.api_key });
  assert.equal((await client.getBalance()).balance, '0.00');

  assert.equal((await admin.changeAccount(id, { display_name: 'By client' })).display_name, 'By client');
  assert.equal((await admin.getAccount(id)).display_name, 'By client');
  assert.equal((await allOf(admin.eachAccount({ q: 'by-client' }))).length, 1);
  await admin.creditAccount(id, { amount: '50.00', memo: 'hello' });
  assert.equal((await admin.listAccountLedger(id)).data[0]?.memo, 'hello');

  const trial = await admin.grantTrial(id, {
    package_id: service.packages.trial,
    customer: 'try@example.com',
  });
  assert.equal(trial.plan.package, 'Trial');
  assert.equal((await admin.changeCustomer(trial.id, { status: 'suspended' })).status, 'suspended');
  assert.equal((await admin.listAccountCustomers(id)).total, 1);
  assert.equal((await admin.listAccountOrders(id)).total, 0);

  const made = await admin.createPackage({
    name: 'Made by client',
    limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
    prices: {
      reseller: { monthly: '3.00', quarterly: '8.00', yearly: '30.00' },
      distributor: { monthly: '2.00', quarterly: '5.00', yearly: '20.00' },
    },
  });
  assert.equal((await admin.changePackage(made.id, { retired: true })).retired, true);
  assert.equal((await admin.getPackage(made.id)).retired, true);
  assert.ok((await admin.listAllPackages()).some((each) => each.id === made.id));

  const { api_key: newKey } = await admin.resetApiKey(id);
  const revoked = await rejectionOf(client.getBalance());
  assert.ok(isSellthroughError(revoked, 'revoked_api_key'));
  await new Sellthrough({ baseUrl: service.address, apiKey: newKey }).getBalance();

  const latest = (await admin.listAudit({ limit: 1 })).data[0];
  assert.equal(latest?.subject, `account ${id}`);
  const actions = new Set<string>();
  for await (const { action } of admin.eachAuditEntry()) actions.add(action);
  assert.ok(actions.size > 3);
  assert.deepEqual((await admin.verify()).problems, []);
});
