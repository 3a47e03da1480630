import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import {
  deleteExpiredLogins,
  exchangeCode,
  spendLoginLink,
} from '../../src/features/customer-portal/login-links.ts';
import { deliveriesKind } from '../../src/features/webhooks/delivery-progress.ts';
import { cookieOf, openPage, pathOfLink } from '../harness/browser-request.ts';
import { signIn } from '../harness/panel-client.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { advance, clockOf, createTestAccounts, testModeOf } from '../harness/test-mode.ts';
import { type ReceivedAt, startWebhookReceiver } from '../harness/webhook-receiver.ts';

const start = '2026-01-31T10:00:00Z';
const neverAborted = new AbortController().signal;
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf(start);
});

const admin = (path: string) => service.admin.get(`/api/admin/v1${path}`);

const testAccounts = () => createTestAccounts(service);

test('the operator’s feed, figures, lists and check of the books are as before', async () => {
  const { live, tests } = await testAccounts();
  expectStatus(await admin('/events'), 200);
  await placeOrder(service, live, { customer: 'real@example.com' });
  const panel = await signIn(service, service.admin);
  const look = async () => ({
    feed: expectStatus(await admin('/events?limit=100'), 200).data,
    overview: expectStatus(await panel.get('/admin/overview'), 200),
    customers: expectStatus(await panel.get('/admin/customers?q=example.com'), 200),
    accounts: expectStatus(await admin('/accounts?limit=100'), 200),
    audit: expectStatus(await admin('/audit?limit=100'), 200).total,
    verified: expectStatus(await admin('/verify'), 200),
    entitlements: expectStatus(await service.admin.get('/api/product/v1/entitlements'), 200).data,
  });
  const before = await look();
  expectStatus(await tests.get('/events'), 200);
  for (let count = 0; count < 5; count += 1) {
    const { order } = await placeOrder(service, tests, { customer: `test-${count}@example.com` });
    expectStatus(await tests.send('PUT', `/customers/${order.customer.id}/auto-renew`, { months: 1 }), 200);
  }
  expectStatus(await tests.post('/test/credit', { amount: '100.00' }), 201);
  assert.equal((await advance(tests, 'P3M')).happened.renewals, 15);
  const after = await look();
  assert.deepEqual(after, before);
  assert.ok(before.verified.test_accounts >= 1);
});

test('what the service does by itself leaves tests alone, no matter what the real time is', async () => {
  const { tests } = await testAccounts();
  expectStatus(await tests.get('/events'), 200);
  const { order } = await placeOrder(service, tests, { customer: 'still@example.com' });
  const path = `/customers/${order.customer.id}`;
  expectStatus(await tests.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  await runPlanEnds(service);
  service.clock.seconds += 400 * 86_400;
  await runRenewals(service);
  await runPlanEnds(service);
  const { customer } = expectStatus(await tests.get(path), 200);
  assert.deepEqual([customer.plan.status, customer.plan.expires_at], ['active', '2026-02-28T10:00:00Z']);
  assert.equal(await clockOf(tests), start);
  const emitted = expectStatus(await tests.get('/events'), 200).data.map(
    ({ type }: { type: string }) => type,
  );
  assert.deepEqual(emitted, ['customer.created', 'order.completed', 'plan.activated']);
});

test('a link to log in lives by the clock of the test, and leads to a page that says what it is', async () => {
  const { tests } = await testAccounts();
  const { login_url: link } = await placeOrder(service, tests, {
    customer: 'guest@example.com',
    return_login: true,
  });
  // By the real time, the link would have expired long ago.
  service.clock.seconds += 86_400;
  assert.equal((await openPage(service.address, 'GET', pathOfLink(link))).status, 200);
  const spent = await openPage(service.address, 'POST', pathOfLink(link));
  const page = await openPage(service.address, 'GET', '/customer', { cookie: cookieOf(spent) });
  assert.equal(page.status, 200);
  assert.match(page.text, /Test mode: nothing here is real/);
  assert.match(page.text, /<strong>28<\/strong> days left/);

  const other = await placeOrder(service, tests, { customer: 'late@example.com', return_login: true });
  service.clock.seconds += 60 * 86_400;
  while ((await deleteExpiredLogins(service.database, service.clock.seconds, 0, neverAborted)) > 0);
  assert.equal((await openPage(service.address, 'GET', pathOfLink(other.login_url))).status, 200);
  await advance(tests, 'PT16M');
  assert.equal((await openPage(service.address, 'GET', pathOfLink(other.login_url))).status, 410);
});

test('from the second of a reset on no link, code or session of the former test is good, and it is sent nothing', async () => {
  const receiver = await startWebhookReceiver();
  const [former, real] = [receiver.at('/former'), receiver.at('/real')];
  former.answer = () => 500;
  const { live, tests } = await testAccounts();
  expectStatus(await tests.post('/webhooks', { url: former.url }), 201);
  const { webhook } = expectStatus(await live.post('/webhooks', { url: real.url }), 201);
  const linkOf = async (customer: string): Promise<string> =>
    pathOfLink((await placeOrder(service, tests, { customer, return_login: true })).login_url);
  const [open, spent, coded] = [await linkOf('open'), await linkOf('spent'), await linkOf('coded')];
  const cookie = cookieOf(await openPage(service.address, 'POST', spent));
  const page = () => openPage(service.address, 'GET', '/customer', { cookie });
  assert.equal((await page()).status, 200);
  const { database, clock } = service;
  const token = coded.split('/').at(-1) ?? '';
  const use = { use: 'product', validSeconds: 60, earlier: null, now: clock.seconds } as const;
  const code = await spendLoginLink(database, token, use);
  assert.ok(code);
  const run = async (endpoint: ReceivedAt) => {
    while (endpoint.received.length === 0) await service.service.jobs.look();
  };
  const stop = async () => {
    await service.service.jobs.cancel(deliveriesKind);
    await service.service.jobs.idle();
  };
  await run(former);
  await stop();
  const sent = former.received.length;

  expectStatus(await tests.post('/test/reset'), 200);
  for (const method of ['GET', 'POST'] as const)
    assert.equal((await openPage(service.address, method, open)).status, 410);
  assert.notEqual((await page()).status, 200);
  assert.equal(await exchangeCode(database, code.token, 'test', clock.seconds), null);
  // The endpoint failed, so there would be other attempts.
  clock.seconds += 60;
  await placeOrder(service, live, { customer: 'listened@example.com' });
  await run(real);
  assert.equal(former.received.length, sent);
  expectStatus(await live.send('DELETE', `/webhooks/${webhook.id}`), 200);
  await stop();
  await receiver.close();
});

test('the product knows test customers with a test key of the operator’s, and with no other', async () => {
  const { live, tests } = await testAccounts();
  const product = await testModeOf(service, service.admin);
  const of = (account: TestAccount, reference: string) =>
    account.get(`/api/product/v1/entitlements/${reference}`);
  await placeOrder(service, tests, { customer: 'both@example.com' });
  expectRefusal(await of(service.admin, 'both@example.com'), '404 customer_not_found');
  const found = expectStatus(await of(product, 'both@example.com'), 200);
  assert.equal(found.active, true);
  await placeOrder(service, live, { customer: 'both@example.com', package_id: service.packages.plus });
  assert.equal(expectStatus(await of(service.admin, 'both@example.com'), 200).package.name, 'Plus');
  await advance(tests, 'P2M');
  assert.equal(expectStatus(await of(product, 'both@example.com'), 200).active, false);
  assert.equal(expectStatus(await of(service.admin, 'both@example.com'), 200).active, true);

  const read = async (after: string) =>
    expectStatus(await product.get(`/api/product/v1/entitlements?limit=100${after}`), 200);
  let page = await read('');
  const references = (data: { reference: string }[]) => data.map(({ reference }) => reference);
  assert.ok(references(page.data).includes('both@example.com'));
  while (page.has_more) page = await read(`&after=${page.next_after}`);
  await placeOrder(service, live, { customer: 'unseen@example.com' });
  await placeOrder(service, tests, { customer: 'seen@example.com' });
  page = await read(`&after=${page.next_after}`);
  assert.deepEqual(references(page.data), ['seen@example.com']);
});

test('endpoints of a test live by the real time: signatures, and for how long two secrets sign', async () => {
  const receiver = await startWebhookReceiver();
  const { url, received } = receiver.at('/hook');
  const { tests } = await testAccounts();
  // Once with the test's clock ahead and once with it behind.
  for (const move of [() => advance(tests, 'P5Y'), () => (service.clock.seconds += 10 * 365 * 86_400)]) {
    await move();
    const real = service.clock.seconds;
    const { webhook } = expectStatus(await tests.post('/webhooks', { url }), 201);
    const path = `/webhooks/${webhook.id}`;
    assert.equal(secondsOf(webhook.created_at), real);
    const rotated = expectStatus(await tests.post(`${path}/secret`, { overlap_hours: 24 }), 200);
    assert.equal(secondsOf(rotated.webhook.previous_secret_until), real + 86_400);
    const signatures = async () => {
      expectStatus(await tests.post(`${path}/test`), 200);
      const headers = received.at(-1)?.headers ?? {};
      assert.equal(Number(headers['webhook-timestamp']), service.clock.seconds);
      return String(headers['webhook-signature']).split(' ').length;
    };
    assert.equal(await signatures(), 2);
    service.clock.seconds += 86_400;
    assert.equal(await signatures(), 1);
    assert.equal(expectStatus(await tests.get(path), 200).webhook.previous_secret_until, null);
  }
  await receiver.close();
});

test('figures are of real business: no delivery and no refusal of a test is counted', async () => {
  const receiver = await startWebhookReceiver();
  const hung = receiver.at('/hung');
  hung.answer = () => (hung.received.length === 1 ? 200 : null);
  const { live, tests } = await testAccounts();
  const deliveries = async () =>
    [...(await readMetrics(service))].filter(([name]) => name.startsWith('sellthrough_webhook_'));
  const refusals = () =>
    service.database.query({ name: '', text: `select * from refusal_days where day > '${start}'` });
  const before = [await deliveries(), await refusals()];
  // By the test's clock, its events are a year old.
  service.clock.seconds += 365 * 86_400;
  expectStatus(await tests.post('/webhooks', { url: hung.url }), 201);
  for (const customer of ['one', 'two', 'three']) await placeOrder(service, tests, { customer });
  expectRefusal(await tests.get('/orders/1'), '404 order_not_found');
  while (hung.received.length < 2) await service.service.jobs.look();
  const shown = await deliveries();
  await service.service.jobs.cancel(deliveriesKind);
  await receiver.close();
  await service.service.jobs.idle();
  const panel = await signIn(service, live);
  const logged = async () =>
    expectStatus(await panel.get('/requests', { 'sellthrough-mode': 'test' }), 200).data.length;
  while ((await logged()) < 5);
  assert.deepEqual([shown, await refusals()], before);
});

test('the panel shows test mode where its pages ask for it, and what is the session’s own or the operator’s as ever', async () => {
  const live = await service.createReseller({ credit: '100.00' });
  const panel = await signIn(service, live);
  const tests = { 'sellthrough-mode': 'test' };
  assert.equal(expectStatus(await panel.get('/v1/balance', tests), 200).balance, '1000.00');
  assert.equal(expectStatus(await panel.get('/v1/balance'), 200).balance, '100.00');
  const body = { package_id: service.packages.basic, customer: `panel-${live.id}` };
  expectStatus(await panel.post('/v1/orders', body, tests), 201);
  assert.equal(expectStatus(await panel.get('/v1/orders'), 200).total, 0);
  assert.equal(expectStatus(await panel.get('/v1/orders', tests), 200).total, 1);
  expectStatus(await panel.post('/v1/test/clock', { advance: 'P1M' }, tests), 200);
  expectRefusal(await panel.post('/v1/test/clock', { advance: 'P1M' }), '403 test_mode_only');
  assert.equal(expectStatus(await panel.get('/v1/test/clock', tests), 200).clock.now, '2026-02-28T10:00:00Z');
  const sessions = expectStatus(await panel.get('/sessions', tests), 200).data;
  assert.equal(sessions.length, 1);
  expectRefusal(await panel.get('/admin/v1/accounts', tests), '403 forbidden');
  const key = await testModeOf(service, live);
  expectStatus(await key.get('/packages'), 200);
  assert.deepEqual(expectStatus(await panel.get('/requests'), 200).data, []);
  const [asked] = expectStatus(await panel.get('/requests', tests), 200).data;
  assert.deepEqual([asked.path, asked.status], ['/api/v1/packages', 200]);
});

test('endpoints of a test are sent its events, and the operator’s are not', async () => {
  const { live, tests } = await testAccounts();
  const { webhook } = expectStatus(await tests.post('/webhooks', { url: 'https://127.0.0.1/tests' }), 201);
  expectRefusal(await live.get(`/webhooks/${webhook.id}`), '404 webhook_not_found');
  assert.equal(expectStatus(await live.get('/webhooks'), 200).data.length, 0);
  const { order } = await placeOrder(service, tests, { customer: 'hooked@example.com' });
  const { data } = expectStatus(await tests.get('/events'), 200);
  const [first] = data;
  assert.equal(first.data.customer.id, order.customer.id);
  expectRefusal(await live.get(`/events/${first.id}`), '404 event_not_found');
  expectRefusal(await admin(`/events/${first.id}`), '404 event_not_found');
  const operators = await service.admin.post('/api/admin/v1/webhooks', { url: 'https://127.0.0.1/all' });
  const path = `/api/admin/v1/webhooks/${expectStatus(operators, 201).webhook.id}`;
  const again = await service.admin.post(`${path}/deliveries/${first.id}/redeliver`);
  expectRefusal(again, '404 event_not_found');
});
