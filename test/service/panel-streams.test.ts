// The panel's event stream: names of what changed for this session's account, nothing else, and only while the session may
// read it.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createPanelStreams } from '../../src/features/overview/panel-streams.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { openPanelStream, type StreamReader, streamHeaders } from '../harness/panel-stream.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changeAccount, credit, placeOrder } from '../harness/shop.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const limits = {
  panelStreams: {
    ofSessionMax: 3,
    ofAccountMax: 4,
    max: 6,
    watchMilliseconds: 20,
    checkMilliseconds: 20,
    topicMilliseconds: 0,
    heartbeatMilliseconds: 30,
    openMilliseconds: 900_000,
    unreadBytesMax: 16_384,
  },
  requestLog: { flushMilliseconds: 20 },
};
let service: TestService;
let receiver: WebhookReceiver;
let open: StreamReader[] = [];
let markReads = 0;
before(async () => {
  receiver = await startWebhookReceiver();
  service = await startTestService({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8' },
    limits,
    wrapDatabase: (database) => ({
      ...database,
      query(statement, values, rank) {
        if (statement.name === 'find_account_marks') markReads += 1;
        return database.query(statement, values, rank);
      },
    }),
  });
});
after(async () => {
  await service.close();
  await receiver.close();
});

async function follow(panel: PanelClient, headers: Record<string, string> = {}): Promise<StreamReader> {
  const stream = await openPanelStream(service.address, panel, headers);
  open.push(stream);
  return stream;
}

/** Leaves all streams and waits until the service knows. */
async function leaveAll(): Promise<void> {
  for (const stream of open) stream.leave();
  open = [];
  while ((await readMetrics(service)).get('sellthrough_panel_streams') !== 0);
}

async function newShop(): Promise<{ account: TestAccount; panel: PanelClient }> {
  const account = await service.createReseller({ credit: '500.00' });
  return { account, panel: await signIn(service, account) };
}

test('an order of a program is named in the stream of its account, without data, and in no other', async () => {
  const [one, other] = [await newShop(), await newShop()];
  assert.equal(markReads, 0, 'without a stream, nothing is read');
  const [stream, foreign] = [await follow(one.panel), await follow(other.panel)];
  assert.deepEqual(stream.topics, ['account', 'person', 'orders', 'requests', 'deliveries', 'topups']);
  assert.equal(stream.headers.get('content-type'), 'text/event-stream');
  assert.equal(stream.headers.get('cache-control'), 'no-store');
  assert.equal(stream.headers.get('x-accel-buffering'), 'no');
  assert.equal(stream.headers.get('content-encoding'), null);
  const quiet = foreign.text();
  await placeOrder(service, one.account, { customer: 'ada@example.com' });
  await stream.until('orders');
  await stream.until('requests');
  assert.match(stream.text(), /^event: open\ndata: [a-z ]+\n\n(?:event: changed\ndata: [a-z]+\n\n|:\n\n)+$/);

  await credit(service, other.account, '5.00');
  const before = await foreign.until('account');
  await placeOrder(service, other.account, { customer: 'bob@example.com' });
  await foreign.until('orders');
  assert.ok(!before.includes('orders'), 'only its own order is named');
  assert.match(foreign.text().slice(quiet.length), /^(?::\n\n)*event: changed/);
  await leaveAll();
});

test('credits, top-ups, deliveries, profile changes and requests of the test account are named', async () => {
  const { account, panel } = await newShop();
  const stream = await follow(panel);
  await credit(service, account, '5.00');
  await stream.until('account');

  // The test account does not exist yet when the stream opens.
  const made = expectStatus(await panel.post('/connect/test-key', {}), 201);
  await fetch(`${service.address}/api/v1/balance`, { headers: { authorization: `Bearer ${made.api_key}` } });
  await stream.until('requests');

  expectStatus(await account.post('/webhooks', { url: receiver.at('/').url }), 201);
  await stream.until('deliveries');

  expectStatus(
    await panel.post(
      '/v1/topups',
      { amount: '20.00', method: 'card', outcome: 'fail' },
      {
        'sellthrough-mode': 'test',
        'idempotency-key': 'streamed-topup',
      },
    ),
    201,
  );
  await stream.until('topups');
  expectStatus(await panel.put('/language', { language: 'de' }), 200);
  await stream.until('person');
  await leaveAll();
});

test('an operator also follows calls and payment problems; one who views a panel follows that account only', async () => {
  const operator = await signIn(service, service.admin);
  const stream = await follow(operator);
  assert.deepEqual(stream.topics.slice(-2), ['calls', 'payment_problems']);
  const { account } = await newShop();
  await service.database.query({
    name: '',
    text: `insert into payment_problems (object_ref, account_id, topup_number, reason, amount_cents, currency, created_at)
      values ('stripe:pi_streamed', ${account.id}, 1, 'unknown_topup', 100, 'USD', now())`,
  });
  await stream.until('payment_problems');
  await service.database.query({ name: '', text: `delete from payment_problems` });

  expectStatus(await operator.post(`/admin/accounts/${account.id}/view`, {}), 201);
  const viewed = await follow(operator, { 'x-view-account': `${account.id}` });
  assert.deepEqual(viewed.topics, ['account', 'person', 'orders', 'requests', 'deliveries', 'topups']);
  await placeOrder(service, account, { customer: 'viewed@example.com' });
  await viewed.until('orders');
  await operator.delete(`/admin/accounts/${account.id}/view`);
  await viewed.untilEnd();
  await leaveAll();
});

test('a stream ends with its session, with a block of its account and with a changed role', async () => {
  const { account, panel } = await newShop();
  const stream = await follow(panel);
  expectStatus(await panel.post('/sign-out', {}), 204);
  await stream.untilEnd();
  assert.match(stream.text(), /data: account\n\nevent: changed\ndata: person\n\n$/, 'the page asks at once');

  const again = await signIn(service, account);
  const blocked = await follow(again);
  await changeAccount(service, account, { blocked: true });
  await blocked.untilEnd();
  await changeAccount(service, account, { blocked: false });

  const demoted = await follow(await signIn(service, account));
  await service.database.query({
    name: '',
    text: `update people set role = 'viewer' where account_id = ${account.id}`,
  });
  await demoted.untilEnd();
  await leaveAll();
});

test('without a session, from a view that ended, and beyond the limits no stream opens', async () => {
  const client = (cookie: string) => ({
    get: (headers: Record<string, string> = {}) =>
      fetch(`${service.address}/panel/api/stream`, { headers: { ...streamHeaders, cookie, ...headers } }),
  });
  assert.equal((await client('').get()).status, 401);
  const { account, panel } = await newShop();
  assert.equal((await client(panel.cookie).get({ 'x-view-account': '1' })).status, 403);

  for (let count = 0; count < limits.panelStreams.ofSessionMax; count += 1) await follow(panel);
  const refused = await panel.get('/stream', { accept: 'text/event-stream' });
  expectRefusal(refused, '429 rate_limited', { at_once: limits.panelStreams.ofSessionMax, retry_after: 60 });
  const second = await signIn(service, account, { setPassword: false });
  await follow(second);
  expectRefusal(await second.get('/stream', { accept: 'text/event-stream' }), '429 rate_limited', {
    at_once: limits.panelStreams.ofAccountMax,
    retry_after: 60,
  });
  const [third, fourth, fifth] = [await newShop(), await newShop(), await newShop()];
  await follow(third.panel);
  await follow(fourth.panel);
  const full = await fifth.panel.get('/stream', { accept: 'text/event-stream' });
  expectRefusal(full, '503 service_unavailable');
  await leaveAll();
  const opened = await follow(fifth.panel);
  assert.ok(opened.topics.length > 0, 'there is room again');
  assert.deepEqual(expectStatus(await fifth.panel.get('/stream'), 200), { topics: opened.topics });
  await leaveAll();
});

test('a stream whose reader leaves ends at once, not with its next event', { timeout: 60_000 }, async () => {
  const quiet = { ...limits.panelStreams, heartbeatMilliseconds: 3_600_000, watchMilliseconds: 3_600_000 };
  const another = await startTestService({ limits: { panelStreams: quiet } });
  try {
    const panel = await signIn(another, await another.createReseller());
    (await openPanelStream(another.address, panel)).leave();
    while ((await readMetrics(another)).get('sellthrough_panel_streams') !== 0);
  } finally {
    await another.close();
  }
});

test('an open stream counts as answered when it opens', async () => {
  const name = 'sellthrough_http_request_seconds_count{route="/panel/api/stream"}';
  const earlier = (await readMetrics(service)).get(name) ?? 0;
  const { panel } = await newShop();
  await follow(panel);
  const metrics = await readMetrics(service);
  assert.equal(metrics.get(name), earlier + 1);
  assert.equal(metrics.get('sellthrough_panel_streams'), 1);
  await leaveAll();
  assert.equal((await readMetrics(service)).get(name), earlier + 1);
});

test('a process reports what another process wrote, and ends its streams when it stops', async (context) => {
  if (service.database.kind === 'embedded') return context.skip('one process');
  const { account, panel } = await newShop();
  const another = await service.startAnother();
  const stream = await openPanelStream(another.address, panel);
  await placeOrder(service, account, { customer: 'elsewhere@example.com' });
  await stream.until('orders');
  const closing = another.close();
  await stream.untilEnd();
  await closing;
});

test('a stream that is not read is cut off, and a stream that is open for long ends', async () => {
  const account = await service.createReseller();
  const openWith = async (more: Partial<typeof limits.panelStreams>) => {
    const streams = createPanelStreams({
      database: service.database,
      limits: { ...limits.panelStreams, ...more },
      countPaymentProblems: async () => ({}),
      monotonicNow: () => performance.now(),
    });
    const opened = await streams.open({
      accountId: account.id,
      sessionId: 'one',
      topics: ['orders'],
      check: async () => [],
    });
    assert.ok(opened instanceof Readable);
    return { streams, opened };
  };
  const unread = await openWith({ heartbeatMilliseconds: 0, unreadBytesMax: 64 });
  await once(unread.opened, 'close');
  assert.equal(unread.streams.count(), 0);
  const old = await openWith({ openMilliseconds: 0 });
  const text = await new Response(Readable.toWeb(old.opened) as ReadableStream).text();
  assert.equal(text, 'event: open\ndata: orders\n\n');
  assert.equal(old.streams.count(), 0);
});
