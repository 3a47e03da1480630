// Endpoints from end to end, with real servers and the published library. Clocks are moved; nothing waits for real time.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook as PublishedLibrary } from 'standardwebhooks';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createDeliverer } from '../../src/features/webhooks/deliverer.ts';
import { LeaseLost } from '../../src/features/webhooks/delivery-progress.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { signIn } from '../harness/panel-client.ts';
import { readMetrics } from '../harness/read-metrics.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import {
  type Received,
  type ReceivedAt,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../harness/webhook-receiver.ts';

const hour = 3_600;
const day = 86_400;

let service: TestService;
let receiver: WebhookReceiver;
before(async () => {
  receiver = await startWebhookReceiver();
  service = await startTestService({
    environment: { OUTBOUND_ALLOW: '127.0.0.0/8, ::1' },
    limits: {
      // A call that hangs must outlast its test.
      outbound: { callMilliseconds: 60_000 },
      deliveries: { pollMilliseconds: 20, writeMilliseconds: 5 },
    },
  });
});
after(async () => {
  await service.close();
  await receiver.close();
});
beforeEach(() => {
  // The library checks signatures against the real clock, so set it.
  service.clock.seconds = Math.floor(Date.now() / 1_000);
});

const sql = (text: string) => service.database.query({ name: '', text });

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await isSo())) {
    assert.ok(performance.now() < end, what);
    await pause(10);
  }
}

async function deliver(): Promise<void> {
  await service.service.jobs.hasten('deliveries');
  await service.service.jobs.look();
}

interface Made {
  readonly id: number;
  readonly secret: string;
  readonly path: string;
  readonly at: ReceivedAt;
}

let made = 0;

async function createEndpoint(account: TestAccount, body: object = {}): Promise<Made> {
  made += 1;
  const at = receiver.at(`/endpoint-${made}`);
  const answer = await account.post('/webhooks', { url: at.url, ...body });
  assert.equal(answer.status, 201, answer.text);
  const { webhook, secret } = answer.body;
  await deliver();
  return { id: webhook.id, secret, path: `/webhooks/${webhook.id}`, at };
}

async function emit(account: TestAccount, count = 1): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const answer = await service.admin.post(`/api/admin/v1/accounts/${account.id}/credit`, {
      amount: '1.00',
    });
    assert.equal(answer.status, 201, answer.text);
  }
}

const feedOf = async (account: TestAccount): Promise<{ id: number; type: string }[]> =>
  (await account.get('/events?limit=100')).body.data;

async function webhookOf(account: TestAccount, { path }: Made) {
  return (await account.get(path)).body.webhook;
}

const attemptsOf = async (account: TestAccount, { path }: Made, query = '') =>
  (await account.get(`${path}/deliveries?limit=100${query}`)).body.data;

async function moveToNextAttempt({ id, at }: Made): Promise<void> {
  const before = at.received.length;
  const hasCome = () => at.received.length > before;
  await until('it is written when the next attempt is due', async () => {
    const [row] = await sql(
      `select extract(epoch from due_at)::bigint as due, enabled from webhooks where id = ${id}`,
    );
    // The due time that is stored by now may be that of the attempt after it.
    if (hasCome() || row?.['enabled'] === false) return true;
    if (row?.['due'] != null) service.clock.seconds = Math.max(service.clock.seconds, Number(row['due']));
    return false;
  });
}

describe('what is sent', () => {
  test('every event that occurs after the endpoint was made, in order, signed as the published library expects', async () => {
    const account = await service.createReseller({ credit: '100.00' });
    await emit(account);
    const earlier = await feedOf(account);
    const made = await createEndpoint(account);
    const order = await account.post('/orders', { package_id: service.packages.basic, customer: 'first' });
    assert.equal(order.status, 201);
    await emit(account, 3);
    const feed = (await feedOf(account)).slice(earlier.length);
    assert.ok(feed.length >= 6);
    const received = await made.at.gets(feed.length);
    assert.deepEqual(
      received.map(({ event }) => event),
      feed,
      'the body is the event of the feed',
    );
    const library = new PublishedLibrary(made.secret);
    for (const { text, headers } of received) {
      const sent = headers as Record<string, string>;
      assert.deepEqual(library.verify(text, sent), JSON.parse(text));
      assert.throws(() => library.verify(`${text} `, sent));
      assert.equal(headers['content-type'], 'application/json');
    }
    assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, feed.length);
    await until(
      'all of it is in the log',
      async () => (await attemptsOf(account, made)).length === feed.length,
    );
    const [newest] = await attemptsOf(account, made);
    assert.deepEqual(
      [newest.event_id, newest.status, newest.http_status, newest.reason, newest.answer, newest.attempt],
      [feed.at(-1)?.id, 'delivered', 200, null, 'answer 200', 1],
    );
  });

  test('of the types that are asked for, and only while it is enabled; events from meanwhile follow', async () => {
    const account = await service.createReseller({ credit: '100.00' });
    const made = await createEndpoint(account, { types: ['customer.created', 'balance.debited'] });
    await emit(account, 2);
    const order = { package_id: service.packages.basic, customer: 'typed' };
    assert.equal((await account.post('/orders', order)).status, 201);
    await made.at.gets(1);
    // Deliveries that are not recorded before the endpoint is disabled would be repeated.
    await until('it is in the log', async () => (await attemptsOf(account, made)).length === 1);
    assert.equal((await account.patch(made.path, { enabled: false })).body.webhook.enabled, false);
    assert.equal((await account.post('/orders', { ...order, customer: 'while-off' })).status, 201);
    await account.patch(made.path, { enabled: true });
    await deliver();
    const received = await made.at.gets(2);
    // What was under way when the endpoint changed may come again.
    const events = new Map(received.map(({ event }) => [event.id, event]));
    assert.deepEqual(
      [...events.values()].map(({ type, data }) => [type, data.customer.reference]),
      [
        ['customer.created', 'typed'],
        ['customer.created', 'while-off'],
      ],
    );
  });

  test('the operator is sent the events of all accounts, those of each in their order', async () => {
    const accounts = [await service.createReseller(), await service.createReseller()];
    const at = receiver.at('/all');
    const answer = await service.admin.post('/api/admin/v1/webhooks', { url: at.url });
    assert.equal(answer.status, 201, answer.text);
    await deliver();
    for (const account of [...accounts, ...accounts]) await emit(account);
    const ofThem = () =>
      accounts.map(({ id }) =>
        at.received.flatMap(({ event }) =>
          event.account_id === id && event.type === 'balance.credited' ? event.id : [],
        ),
      );
    await until('both events of both have come', async () => ofThem().every(({ length }) => length === 2));
    for (const ids of ofThem())
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
      );
    const { id } = answer.body.webhook;
    for (const account of accounts) {
      expectRefusal(await account.get(`/webhooks/${id}`), '404 webhook_not_found', {});
    }
    expectRefusal(await service.admin.get(`/webhooks/${id}`), '404 webhook_not_found', {});
    assert.equal((await service.admin.send('DELETE', `/api/admin/v1/webhooks/${id}`)).status, 200);
  });

  test('during the overlap of two secrets both sign, and after it the new one alone', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    const rotated = await account.post(`${made.path}/secret`, { overlap_hours: 1 });
    assert.match(rotated.body.secret, /^whsec_/);
    const isSignedTwice = ({ headers }: Received) =>
      String(headers['webhook-signature']).split(' ').length === 2;
    // Until the deliverer knows the new secret, deliveries are signed with the first one only.
    await until('the deliverer knows of it', async () => {
      await emit(account);
      return (await made.at.gets(made.at.received.length + 1)).some(isSignedTwice);
    });
    const first = made.at.received.find(isSignedTwice);
    for (const secret of [made.secret, rotated.body.secret]) {
      new PublishedLibrary(secret).verify(first?.text ?? '', first?.headers as Record<string, string>);
    }
    service.clock.seconds += hour;
    const sent = made.at.received.length;
    await emit(account);
    const [second] = (await made.at.gets(sent + 1)).slice(sent);
    assert.equal(String(second?.headers['webhook-signature']).split(' ').length, 1);
    const again = await account.post(`${made.path}/secret`, { overlap_hours: 0 });
    assert.equal(again.body.webhook.previous_secret_until, null);
  });

  test('a test event is sent at once and once, and the answer says what came back', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    made.at.answer = () => 418;
    const { status, body } = await account.post(`${made.path}/test`);
    assert.equal(status, 200);
    assert.deepEqual(
      { ...body, milliseconds: 0 },
      { delivered: false, status: 418, reason: null, milliseconds: 0, answer: 'answer 418' },
    );
    const [sent] = made.at.received;
    assert.equal(sent?.event.type, 'webhook.test');
    const id = sent?.event.id;
    assert.ok(Number.isInteger(id) && id > 0 && id < 1_000_000_000, `${id} is an id, and no other event’s`);
    new PublishedLibrary(made.secret).verify(sent?.text ?? '', sent?.headers as Record<string, string>);
    assert.deepEqual(await attemptsOf(account, made), []);
    assert.equal(made.at.received.length, 1);
  });
});

describe('an endpoint that fails', () => {
  test('a failed event is tried again after five seconds, and nothing passes it', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    made.at.answer = () => 500;
    await emit(account, 3);
    await made.at.gets(1);
    const begun = service.clock.seconds;
    await moveToNextAttempt(made);
    assert.equal(service.clock.seconds - begun, 5);
    const [first, second] = await made.at.gets(2);
    assert.equal(first?.event.id, second?.event.id);
    assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'], 'its id never changes');
    await account.send('DELETE', made.path);
  });

  test('one that fails now and then is tried again in a moment: it does not stop for five seconds each time', async () => {
    const hasty = await startTestService({
      environment: { OUTBOUND_ALLOW: '127.0.0.0/8, ::1' },
      limits: { deliveries: { pollMilliseconds: 20, writeMilliseconds: 5, shortRetryMilliseconds: [2, 10] } },
    });
    const account = await hasty.createReseller();
    const at = receiver.at('/now-and-then');
    const failedOnce = new Set<number>();
    at.answer = ({ event }) => {
      if (event.id % 5 !== 0 || failedOnce.has(event.id)) return 200;
      failedOnce.add(event.id);
      return 500;
    };
    expectStatus(await account.post('/webhooks', { url: at.url }), 201);
    await hasty.service.jobs.hasten('deliveries');
    await hasty.service.jobs.look();
    for (let index = 0; index < 20; index += 1) {
      const path = `/api/admin/v1/accounts/${account.id}/credit`;
      expectStatus(await hasty.admin.post(path, { amount: '1.00' }), 201);
    }
    const emitted = (await feedOf(account)).map(({ id }) => id).slice(-20);
    // The clock stands still, so only short retries can deliver the rest.
    await at.gets(20 + emitted.filter((id) => id % 5 === 0).length);
    const delivered = at.received.filter(({ event }, index) => at.received[index + 1]?.event.id !== event.id);
    assert.deepEqual(
      delivered.map(({ event }) => event.id),
      emitted,
      'in order, each once',
    );
    assert.equal(failedOnce.size, 4);
    await hasty.close();
  });

  test('an event that its endpoint always refuses is set aside, and tried again beside the others', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    await emit(account);
    await made.at.gets(1);
    const [first = 0] = made.at.ids();
    const poisoned = first + 1;
    made.at.answer = ({ event }) => (event.id === poisoned ? 500 : 200);
    await emit(account, 4);
    await made.at.gets(2);
    await moveToNextAttempt(made);
    await made.at.gets(6);
    const others = made.at.ids().filter((id) => id !== poisoned);
    assert.deepEqual(
      others,
      [0, 2, 3, 4].map((index) => first + index),
      'the others arrive in their order',
    );
    made.at.answer = () => 200;
    await until('it is noted when it is due', async () => {
      const [row] = await sql(
        `select extract(epoch from due_at)::bigint as due from webhook_retries where webhook_id = ${made.id}`,
      );
      if (row === undefined) return false;
      service.clock.seconds = Number(row['due']);
      return true;
    });
    await made.at.gets(7);
    assert.equal(made.at.ids().at(-1), poisoned);
    await until('nothing is set aside any more', async () => {
      return (await sql(`select from webhook_retries where webhook_id = ${made.id}`)).length === 0;
    });
    assert.equal((await webhookOf(account, made)).failing_since, null);
  });

  test('an endpoint that is down is tried with the first event alone, and then gets everything in order', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    made.at.answer = () => 503;
    await emit(account, 5);
    await made.at.gets(1);
    const [head = 0] = made.at.ids();
    while (made.at.ids().filter((id) => id === head).length < 4) await moveToNextAttempt(made);
    // After an event's second failure, a later event is attempted too.
    await made.at.gets(4 + 3);
    await until('all of it is noted', async () => (await attemptsOf(account, made)).length === 7);
    assert.ok((await webhookOf(account, made)).failing_since !== null);
    const failed = await attemptsOf(account, made, '&status=failed');
    assert.ok(
      failed.length >= 4 &&
        failed.every(({ http_status: status }: { http_status: number }) => status === 503),
    );
    made.at.answer = () => 200;
    await moveToNextAttempt(made);
    const expected = [0, 1, 2, 3, 4].map((index) => head + index);
    await until(
      'all five have come in order',
      async () => made.at.ids().slice(-5).join() === expected.join(),
    );
  });

  test('410 switches it off at once: with an event, an entry in the audit log and a notice on the panel', async () => {
    const account = await service.createReseller();
    const gone = await createEndpoint(account);
    const other = await createEndpoint(account, { types: ['webhook.disabled'] });
    gone.at.answer = () => 410;
    await emit(account, 2);
    const [emitted] = await other.at.gets(1);
    assert.deepEqual(
      [emitted?.event.type, emitted?.event.data],
      ['webhook.disabled', { webhook: { id: gone.id, url: gone.at.url }, reason: 'gone' }],
    );
    const webhook = await webhookOf(account, gone);
    assert.deepEqual([webhook.enabled, webhook.disabled_reason], [false, 'gone']);
    const { data } = (await service.admin.get('/api/admin/v1/audit')).body;
    const entries = data.map(({ action, subject }: Record<string, string>) => `${action} ${subject}`);
    assert.ok(entries.slice(0, 2).includes(`webhook.disable webhook ${gone.id}`), entries.join(', '));
    const panel = await signIn(service, account);
    const { notices } = (await panel.get('/overview')).body;
    assert.deepEqual(
      notices.map((notice: { type: string; webhook: { id: number } }) => [notice.type, notice.webhook.id]),
      [['webhook_disabled', gone.id]],
    );
    assert.equal(gone.at.received.length, 1);
  });

  test('five days of nothing but failures switch it off; mended and switched on, it is sent everything it missed', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    made.at.answer = () => 500;
    await emit(account, 2);
    await made.at.gets(1);
    const [first = 0] = made.at.ids();
    const begun = service.clock.seconds;
    for (let attempts = 0; attempts < 40 && (await webhookOf(account, made)).enabled; attempts += 1) {
      await moveToNextAttempt(made);
    }
    const webhook = await webhookOf(account, made);
    assert.deepEqual([webhook.enabled, webhook.disabled_reason], [false, 'failing']);
    assert.ok(service.clock.seconds - begun >= 5 * day);
    assert.equal((await feedOf(account)).at(-1)?.type, 'webhook.disabled');
    const givenUp = await attemptsOf(account, made, '&status=given_up');
    assert.deepEqual(
      givenUp.map(({ event_id: id, attempt }: { event_id: number; attempt: number }) => [id, attempt]),
      [[first, 10]],
    );
    await emit(account, 2);

    made.at.answer = () => 200;
    const since = await account.post(`${made.path}/redeliver`, { from: first });
    assert.equal(since.status, 200, since.text);
    assert.equal((await account.patch(made.path, { enabled: true })).body.webhook.disabled_at, null);
    await deliver();
    const missed = (await feedOf(account)).map(({ id }) => id).filter((id) => id >= first);
    assert.equal(missed.length, 5);
    await until('everything has arrived, in order', async () => made.at.ids().join().endsWith(missed.join()));
  });

  test('one that hangs delays no one else', async () => {
    const account = await service.createReseller();
    const hung = await createEndpoint(account);
    const prompt = await createEndpoint(account);
    hung.at.answer = () => null;
    const delivered = 'sellthrough_webhook_attempts_total{outcome="delivered"}';
    const earlier = (await readMetrics(service)).get(delivered) ?? 0;
    await emit(account, 5);
    await Promise.all([prompt.at.gets(5), hung.at.gets(1)]);
    service.clock.seconds += 60;
    await until('all of it is counted', async () => {
      const metrics = await readMetrics(service);
      const figure = (name: string) => metrics.get(`sellthrough_webhook_${name}`) ?? 0;
      const waiting = [figure('in_flight'), figure('backlog'), Math.min(figure('oldest_seconds'), 60)];
      return waiting.join() === '1,5,60' && metrics.get(delivered) === earlier + 5;
    });
    assert.equal(hung.at.received.length, 1);
    await account.send('DELETE', hung.path);
  });
});

describe('asked for again', () => {
  test('one event is sent again, as often as requested, and an event of another account is not', async () => {
    const [account, outsider] = [await service.createReseller(), await service.createReseller()];
    const made = await createEndpoint(account);
    await emit(account, 2);
    await made.at.gets(2);
    const [id = 0] = made.at.ids();
    const path = `${made.path}/deliveries/${id}/redeliver`;
    const key = { 'idempotency-key': 'again-1' };
    assert.equal((await account.post(path, {}, key)).status, 200);
    await made.at.gets(3);
    const replayed = await account.post(path, {}, key);
    assert.equal(replayed.headers.get('idempotent-replayed'), 'true');
    assert.equal((await account.post(path)).status, 200);
    await made.at.gets(4);
    assert.deepEqual(made.at.ids().slice(2), [id, id]);
    await emit(outsider);
    const theirs = (await feedOf(outsider)).at(-1)?.id;
    assert.ok(theirs);
    expectRefusal(
      await account.post(`${made.path}/deliveries/${theirs}/redeliver`),
      '404 event_not_found',
      {},
    );
    expectRefusal(await outsider.post(path), '404 webhook_not_found', {});
  });

  test('everything since an event, or a second, is sent again in order, and what comes then behind it', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    await emit(account, 2);
    service.clock.seconds += 60;
    await emit(account, 2);
    await made.at.gets(4);
    const ids = made.at.ids();
    await until('all of it is noted', async () => (await attemptsOf(account, made)).length === 4);
    assert.equal((await account.post(`${made.path}/redeliver`, { from: ids[1] })).status, 200);
    await made.at.gets(7);
    assert.deepEqual(made.at.ids().slice(4), ids.slice(1));
    await until('all of it is noted', async () => (await attemptsOf(account, made)).length === 7);
    const { created_at: since } = made.at.received[2]?.event ?? {};
    assert.equal((await account.post(`${made.path}/redeliver`, { from: since })).status, 200);
    await emit(account);
    const newest = (await feedOf(account)).at(-1)?.id;
    const [third, fourth] = ids.slice(2);
    // Until the deliverer knows of the change, events may arrive once more: at least once, and in order.
    await until('all of it arrives in order', async () => {
      return made.at.ids().slice(-3).join() === [third, fourth, newest].join();
    });
    assert.ok(made.at.ids().length <= 11);
    const path = `${made.path}/redeliver`;
    assert.equal((await account.post(path, { from: '2099-01-01T00:00:00Z' })).status, 200);
    expectRefusal(await account.post(path, { from: 'yesterday' }), '422 validation_failed');
    expectRefusal(await account.post(path, { from: 99_000_000_001 }), '404 event_not_found', {});
  });
});

describe('two that both believe to hold the lease', () => {
  test('the stale one stops, and notes nothing', async () => {
    const account = await service.createReseller();
    const made = await createEndpoint(account);
    const { jobs } = service.service;
    await jobs.cancel('deliveries');
    await jobs.idle();
    await sql(
      "update jobs set lease_number = lease_number + 10, leased_by = 'another', lease_until = now() + interval '1 day' where kind = 'deliveries'",
    );
    const [row] = await sql("select lease_number from jobs where kind = 'deliveries'");
    const number = Number(row?.['lease_number']);
    const outbound = createOutbound({ allow: ['127.0.0.0/8'], limits: defaultLimits.outbound });
    const runner = () =>
      createDeliverer({
        database: service.database,
        outbound,
        seal: service.service.seal,
        now: () => service.clock.seconds,
        monotonicNow: () => performance.now(),
        limits: { ...defaultLimits.deliveries, pollMilliseconds: 20, writeMilliseconds: 5 },
        onAttempt: () => undefined,
        onProblem: (error) => assert.fail(String(error)),
      });
    await emit(account, 3);
    const stale = runner().run({ signal: new AbortController().signal, leaseNumber: number - 1 });
    await assert.rejects(stale, LeaseLost);
    assert.deepEqual(await attemptsOf(account, made), [], 'nothing of it is noted');
    const fresh = new AbortController();
    const running = runner().run({ signal: fresh.signal, leaseNumber: number });
    await until(
      'the one that holds it notes all three',
      async () => (await attemptsOf(account, made)).length === 3,
    );
    fresh.abort();
    assert.deepEqual(await running, { backlog: 0 });
    await outbound.close();
    await sql("update jobs set leased_by = null, lease_until = null where kind = 'deliveries'");
    await account.send('DELETE', made.path);
  });
});
