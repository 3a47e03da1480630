// Events and feeds: numbered without gaps, readable from any position and never missed.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { extendStream, readStream, streamEnd } from '../../src/features/events/event-stream.ts';
import { sqlOfAll } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { changeAccount, credit, placeOrder, schedulePrices } from '../harness/shop.ts';

const day = 86_400;
let service: TestService;
before(async () => {
  service = await startTestService({ environment: { CANCEL_REFUND: 'unused' } });
});
after(() => service.close());

const sql = (text: string) => service.database.query({ name: '', text });

async function feedOf(account: TestAccount, query = '') {
  return expectStatus(await account.get(`/events?limit=100${query}`), 200);
}

const typesOf = ({ data }: { data: readonly { type: string }[] }) => data.map(({ type }) => type);

/** Makes an account without a listener. Every second account has one from the start. */
async function silentReseller(): Promise<TestAccount> {
  const account = await service.createReseller({ credit: '500.00' });
  const [row] = await sql(`select event_count from accounts where id = ${account.id}`);
  return row?.['event_count'] === null ? account : silentReseller();
}

const notePlanEnds = () => runPlanEnds(service);

test('the first key that someone makes begins the events of its account, a test key those of the test', async () => {
  const account = await silentReseller();
  await placeOrder(service, account, { customer: 'no-events@example.com' });
  const makeKey = async (body: object) =>
    expectStatus(await service.admin.post(`/api/admin/v1/accounts/${account.id}/keys`, body), 201).api_key;
  const inTests = createApiClient(service.address, await makeKey({ name: 'Tests', test: true }));
  const [silent] = await sql(`select event_count from accounts where id = ${account.id}`);
  assert.equal(silent?.['event_count'], null, 'a test key begins nothing for the real account');
  expectStatus(await inTests.post('/orders', { package_id: service.packages.basic, customer: 'tried' }), 201);
  assert.deepEqual(typesOf(expectStatus(await inTests.get('/events'), 200)), [
    'customer.created',
    'order.completed',
    'plan.activated',
  ]);
  await makeKey({ name: 'Shop' });
  await placeOrder(service, account, { customer: 'with-events@example.com' });
  assert.deepEqual(typesOf(await feedOf(account)), [
    'key.created',
    'customer.created',
    'order.completed',
    'plan.activated',
  ]);
});

test('of an account that no one listens to nothing is written, and from the first question on everything is', async () => {
  const account = await silentReseller();
  await placeOrder(service, account, { customer: 'before@example.com' });
  assert.equal((await sql(`select from events where account_id = ${account.id}`)).length, 0);

  assert.deepEqual(await feedOf(account), { data: [], next_after: null, has_more: false, last_id: null });
  const { order, balance } = await placeOrder(service, account, { customer: 'ada@example.com' });
  const feed = await feedOf(account);
  assert.deepEqual(typesOf(feed), ['customer.created', 'order.completed', 'plan.activated']);
  const first = account.id * 1_000_000_000 + 1;
  assert.deepEqual(
    feed.data.map(({ id }: { id: number }) => id),
    [first, first + 1, first + 2],
  );
  const [, completed, activated] = feed.data;
  assert.deepEqual(completed.data, { order, balance });
  assert.deepEqual(completed.created_at, order.created_at);
  assert.equal(completed.account_id, account.id);
  const { customer } = expectStatus(await account.get(`/customers/${order.customer.id}`), 200);
  assert.deepEqual(activated.data, { customer, order_id: order.id });
  assert.deepEqual(expectStatus(await account.get(`/events/${first + 1}`), 200), { event: completed });
  assert.deepEqual([feed.next_after, feed.has_more, feed.last_id], [first + 2, false, first + 2]);
});

test('everything that happens to a plan, a balance, a key and a price is one event of the right type', async () => {
  const account = await silentReseller();
  await feedOf(account);
  const { order } = await placeOrder(service, account, { customer: 'grace' });
  const path = `/customers/${order.customer.id}`;
  let seen = (await feedOf(account)).next_after;
  const emitted = async () => {
    const feed = await feedOf(account, `&after=${seen}`);
    seen = feed.next_after;
    return typesOf(feed);
  };
  const steps: readonly (readonly [what: string, act: () => Promise<unknown>, types: readonly string[]])[] = [
    ['a renewal', () => account.post(`/orders/${order.id}/renew`, {}), ['order.completed', 'plan.renewed']],
    ['its replay', () => account.post('/orders', orderBody('k1')), ['order.completed', 'plan.renewed']],
    ['the same key again', () => account.post('/orders', orderBody('k1')), []],
    [
      'another package',
      () => account.post('/orders', { ...orderBody('k2'), package_id: service.packages.plus }),
      ['order.completed', 'plan.changed'],
    ],
    ['a hold', () => account.post(`${path}/suspend`, { reason: 'unpaid' }), ['plan.suspended']],
    ['the same hold again', () => account.post(`${path}/suspend`, {}), []],
    ['the hold lifted', () => account.post(`${path}/resume`, {}), ['plan.resumed']],
    ['a name', () => account.patch(path, { name: 'Grace Hopper' }), ['customer.updated']],
    ['the same name', () => account.patch(path, { name: 'Grace Hopper' }), []],
    ['a cancel', () => account.post(`${path}/cancel`, { at: 'now' }), ['plan.cancelled']],
    ['a top-up', () => credit(service, account, '5.00'), ['balance.credited']],
    ['a correction', () => credit(service, account, '-5.00'), ['balance.debited']],
    ['a refused order', () => account.post('/orders', { ...orderBody('k3'), max_charge: '0.01' }), []],
    [
      'a free trial',
      () =>
        service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, {
          package_id: service.packages.trial,
          customer: 'grace',
        }),
      ['plan.activated'],
    ],
    [
      'a price for its group',
      () =>
        schedulePrices(service, service.packages.plus, '2027-01-01T00:00:00Z', {
          reseller: { monthly: '26.00' },
        }),
      ['price.scheduled'],
    ],
    [
      'a price for the other group',
      () =>
        schedulePrices(service, service.packages.plus, '2027-02-01T00:00:00Z', {
          distributor: { monthly: '26.00' },
        }),
      [],
    ],
    [
      'a block',
      () =>
        changeAccount(service, account, { blocked: true }).then(() =>
          changeAccount(service, account, { blocked: false }),
        ),
      [],
    ],
  ];
  for (const [what, act, types] of steps) {
    await act();
    assert.deepEqual(await emitted(), types, what);
  }
  const reset = await service.admin.post(`/api/admin/v1/accounts/${account.id}/api-key`);
  assert.equal(reset.status, 201, reset.text);
  const events = await sql(
    `select type, data from events where account_id = ${account.id} order by number desc limit 2`,
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['key.created', 'key.revoked'],
  );
  assert.ok(String(events[0]?.['data']).includes(reset.body.api_key.slice(-4)));
  assert.ok(!String(events[0]?.['data']).includes(reset.body.api_key));

  function orderBody(key: string) {
    return { package_id: service.packages.basic, customer: 'grace', idempotency_key: key };
  }
});

test('a feed goes on behind the last event, page by page and by type, and misses nothing while orders come in', async () => {
  const account = await silentReseller();
  await feedOf(account);
  const placing = Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      placeOrder(service, account, { customer: `c${index}`, idempotency_key: `o${index}` }),
    ),
  );
  const seen: number[] = [];
  const completed: number[] = [];
  let isDone = false;
  placing.finally(() => {
    isDone = true;
  });
  for (let after = ''; ; ) {
    const wasDone = isDone;
    const page = expectStatus(await account.get(`/events?limit=7${after}`), 200);
    seen.push(...page.data.map(({ id }: { id: number }) => id));
    if (page.next_after !== null) after = `&after=${page.next_after}`;
    if (wasDone && page.data.length === 0) break;
  }
  await placing;
  assert.deepEqual(
    seen,
    Array.from({ length: 60 }, (_, index) => account.id * 1_000_000_000 + index + 1),
  );
  for (let after = ''; ; ) {
    const page = expectStatus(await account.get(`/events?limit=7&type=order.completed${after}`), 200);
    completed.push(...page.data.map(({ data }: { data: { order: { id: number } } }) => data.order.id));
    after = `&after=${page.next_after}`;
    if (!page.has_more) break;
  }
  assert.equal(new Set(completed).size, 20);
});

test('anyone who waits is answered when something happens, and not before', async () => {
  const account = await silentReseller();
  await feedOf(account);
  const waiting = account.get('/events?wait=60');
  await placeOrder(service, account, { customer: 'later@example.com' });
  const { data } = expectStatus(await waiting, 200);
  assert.equal(data[0].type, 'customer.created');
});

describe('a feed that cannot be read', () => {
  test('names the parameter', async () => {
    const account = await service.createReseller({ credit: '100.00' });
    const other = await service.createReseller({ credit: '100.00' });
    await feedOf(account);
    await feedOf(other);
    await placeOrder(service, other, { customer: 'someone@example.com' });
    const foreign = (await feedOf(other)).next_after;
    const refusals: readonly (readonly [query: string, field: string])[] = [
      [`after=${foreign}`, 'after'],
      [`after=${account.id * 1_000_000_000 + 900}`, 'after'],
      ['after=0', 'after'],
      ['after=abc', 'after'],
      ['after=1&after=2', 'after'],
      ['type=order.exploded', 'type'],
      ['wait=soon', 'wait'],
      ['limit=x', 'limit'],
    ];
    for (const [query, field] of refusals) {
      const answer = await account.get(`/events?${query}`);
      expectRefusal(answer, '422 invalid_filter', undefined, query);
      assert.equal(answer.body.error.details.field, field, query);
    }
    expectRefusal(await account.get(`/events/${foreign}`), '404 event_not_found');
  });

  test('says so when the events behind the cursor have expired', async () => {
    const account = await silentReseller();
    await feedOf(account);
    await placeOrder(service, account, { customer: 'old@example.com' });
    const { data } = await feedOf(account);
    const [oldest] = data;
    await extendStream(service.database);
    service.clock.seconds += 91 * day;
    await placeOrder(service, account, { customer: 'new@example.com' });
    await sql(
      "update jobs set next_run_at = to_timestamp(0) where kind = 'old_events' and leased_by is null",
    );
    // A moved clock makes other jobs due too, and only a few run at once, so look several times.
    for (let looks = 0; looks < 6; looks += 1) {
      await service.service.jobs.look();
      await service.service.jobs.idle();
    }
    expectRefusal(await account.get(`/events?after=${oldest.id}`), '410 events_gone');
    const left = await feedOf(account, `&after=${data.at(-1).id}`);
    assert.deepEqual(
      typesOf(left).filter((type) => type !== 'plan.expired'),
      ['customer.created', 'order.completed', 'plan.activated'],
    );
    assert.equal(
      (await feedOf(account)).data[0].id,
      left.data[0].id,
      'without after: from the oldest that is kept',
    );
    // After this, the events are no longer complete, so the check on close must leave these accounts out.
    await sqlOfAll(
      service,
      'delete from events where account_id in (select id from accounts where id % 2 = 0) and number = 1',
    );
  });
});

test('the end of a plan is announced 7 days before, 1 day before and when it comes, once each, also after days of downtime', async () => {
  await notePlanEnds();
  const account = await silentReseller();
  await feedOf(account);
  const plans = new Map<string, number>();
  for (const customer of ['warned', 'renewed', 'cancelled', 'missed']) {
    const { order } = await placeOrder(service, account, { customer });
    plans.set(customer, order.customer.id);
  }
  const [{ expires_at }] = (await feedOf(account)).data.flatMap(
    ({ data }: { data: { customer?: { plan: { expires_at: string } } } }) => data.customer?.plan ?? [],
  );
  const end = Date.parse(expires_at) / 1_000;
  let seen = (await feedOf(account)).next_after;
  const toldAt = async (seconds: number) => {
    service.clock.seconds = seconds;
    await notePlanEnds();
    await notePlanEnds();
    const { data, next_after } = await feedOf(account, `&after=${seen}`);
    seen = next_after;
    return data
      .filter(({ type }: { type: string }) => /ending|expired/.test(type))
      .map(
        ({
          type,
          data: { customer, days },
        }: {
          type: string;
          data: { customer: { reference: string }; days?: number };
        }) => [type, customer.reference, days ?? 0].join(' '),
      )
      .sort();
  };
  assert.deepEqual(await toldAt(end - 7 * day - 1), []);
  assert.deepEqual(await toldAt(end - 7 * day), [
    'plan.ending cancelled 7',
    'plan.ending missed 7',
    'plan.ending renewed 7',
    'plan.ending warned 7',
  ]);
  expectStatus(await account.post(`/customers/${plans.get('cancelled')}/cancel`, { at: 'now' }), 200);
  await placeOrder(service, account, { customer: 'renewed', idempotency_key: 'again' });
  assert.deepEqual(await toldAt(end - day), ['plan.ending missed 1', 'plan.ending warned 1']);
  assert.deepEqual(await toldAt(end - 1), []);
  assert.deepEqual(await toldAt(end), ['plan.expired missed 0', 'plan.expired warned 0']);
  // The service was off for two months. The last plan ended meanwhile, so the notice that it ends soon is obsolete.
  assert.deepEqual(await toldAt(end + 61 * day), ['plan.expired renewed 0']);
});

test('a notice whose day passed while the service was off is sent late, once, while the plan runs', async () => {
  await notePlanEnds();
  const account = await silentReseller();
  await feedOf(account);
  const { order } = await placeOrder(service, account, { customer: 'late' });
  const end = Date.parse(order.expires_at) / 1_000;
  let seen = (await feedOf(account)).next_after;
  const sentAt = async (seconds: number) => {
    service.clock.seconds = seconds;
    await notePlanEnds();
    const { data, next_after } = await feedOf(account, `&after=${seen}`);
    seen = next_after ?? seen;
    const ending = data.filter(({ type }: { type: string }) => type === 'plan.ending');
    return ending.map((event: { data: { days: number } }) => event.data.days);
  };
  assert.deepEqual(await sentAt(end - 8 * day), []);
  assert.deepEqual(await sentAt(end - 3 * day), [7]);
  assert.deepEqual(await sentAt(end - 2 * day), []);
  assert.deepEqual(await sentAt(end - 1), [1]);
});

test('the first look for ends finds the plans whose 7 days have begun already', async () => {
  const account = await silentReseller();
  await feedOf(account);
  const { order } = await placeOrder(service, account, { customer: 'first-look' });
  service.clock.seconds = Date.parse(order.expires_at) / 1_000 - 3 * day;
  await sql('delete from plan_end_marks');
  for (let runs = 0; runs < 2; runs += 1) await notePlanEnds();
  const ending = (await feedOf(account)).data.filter(({ type }: { type: string }) => type === 'plan.ending');
  assert.deepEqual(
    ending.map((event: { data: { days: number } }) => event.data.days),
    [7],
  );
});

test('a clock that was ahead by a year, and is set right, does not keep any end from being announced', async () => {
  const year = 365 * day;
  service.clock.seconds += year;
  await notePlanEnds();
  service.clock.seconds -= year;
  await notePlanEnds();
  const account = await silentReseller();
  await feedOf(account);
  const { order } = await placeOrder(service, account, { customer: 'in-time' });
  const end = Date.parse(order.expires_at) / 1_000;
  for (const seconds of [end - 7 * day, end - day, end]) {
    service.clock.seconds = seconds;
    await notePlanEnds();
  }
  const emitted = (await feedOf(account)).data.map(({ type }: { type: string }) => type);
  assert.deepEqual(
    emitted.filter((type: string) => /ending|expired/.test(type)),
    ['plan.ending', 'plan.ending', 'plan.expired'],
  );
});

describe('the feed of all accounts', () => {
  test('has every account’s events once and in their order, those of new accounts included', async () => {
    const admin = await service.admin.get('/api/admin/v1/events?limit=100');
    expectStatus(admin, 200);
    const fresh = await service.createReseller({ credit: '300.00' });
    const others = [await service.createReseller({ credit: '300.00' }), fresh];
    const placing = Promise.all(
      others.flatMap((account, which) =>
        Array.from({ length: 8 }, (_, index) =>
          placeOrder(service, account, { customer: `all-${which}-${index}`, idempotency_key: `a${index}` }),
        ),
      ),
    );
    const seen: { id: number; account_id: number; type: string }[] = [];
    let isDone = false;
    placing.finally(() => {
      isDone = true;
    });
    for (let after = ''; ; ) {
      const wasDone = isDone;
      const page = expectStatus(await service.admin.get(`/api/admin/v1/events?limit=50${after}`), 200);
      seen.push(...page.data);
      if (page.next_after !== null) after = `&after=${page.next_after}`;
      if (wasDone && !page.has_more) break;
    }
    await placing;
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length, 'nothing comes twice');
    for (const [accountId, own] of Map.groupBy(seen, (event) => event.account_id)) {
      const ids = own.map(({ id }) => id);
      assert.deepEqual(
        ids,
        ids.toSorted((a, b) => a - b),
        `those of account ${accountId} ascend`,
      );
      const [row] = await sql(`select count(*)::int as kept from events where account_id = ${accountId}`);
      assert.equal(ids.length, row?.['kept'], `all of account ${accountId}`);
    }
    assert.equal(seen.filter(({ account_id }) => account_id === fresh.id)[0]?.type, 'key.created');
    const last = seen.at(-1);
    const one = expectStatus(await service.admin.get(`/api/admin/v1/events/${last?.id}`), 200);
    assert.deepEqual(one.event, last);
  });

  test('goes on behind any event, however few are asked for at once', async () => {
    const account = await service.createReseller({ credit: '300.00' });
    await account.get('/events');
    await extendStream(service.database);
    const begin = await streamEnd(service.database);
    // Each makes one row of the stream, and one row has several events.
    for (const amount of ['1.00', '2.00', '3.00']) await credit(service, account, amount);
    await placeOrder(service, account, { customer: 'one-by-one' });
    await credit(service, account, '4.00');
    await extendStream(service.database);
    const end = await streamEnd(service.database);
    assert.ok(end - begin >= 7n);
    for (const limit of [1, 2, 3]) {
      const positions: bigint[] = [];
      for (;;) {
        const after = positions.at(-1) ?? begin;
        const events = await readStream(service.database, {
          after,
          accountId: null,
          limit,
          mode: 'live',
        });
        if (events.length === 0) break;
        assert.equal(events.length, Math.min(limit, Number(end - after)), 'as many as there are');
        positions.push(...events.map(({ position }) => position));
      }
      assert.deepEqual(
        positions,
        Array.from({ length: Number(end - begin) }, (_nothing, index) => begin + BigInt(index + 1)),
      );
    }
  });

  test('can be asked for one type, and refuses what is no event', async () => {
    const { data } = expectStatus(
      await service.admin.get('/api/admin/v1/events?type=balance.credited&limit=5'),
      200,
    );
    assert.ok(data.length > 0);
    assert.ok(data.every(({ type }: { type: string }) => type === 'balance.credited'));
    for (const after of ['1', `${service.admin.id * 1_000_000_000 + 77}`, 'x']) {
      expectRefusal(await service.admin.get(`/api/admin/v1/events?after=${after}`), '422 invalid_filter');
    }
  });
});
