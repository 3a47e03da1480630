// The product's entitlements: those of one customer, and the changes of all for a copy. Also notices to accounts.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { changePackage, credit, placeOrder } from '../harness/shop.ts';

const product = '/api/product/v1';
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface Entitlement {
  readonly reference: string;
  readonly active: boolean;
  readonly status: string;
}

function createCopy() {
  const copy = new Map<string, Entitlement>();
  let place = '';
  return {
    copy,
    async catchUp(limit = 2): Promise<number> {
      let pages = 0;
      for (let hasMore = true; hasMore; pages += 1) {
        const query = place === '' ? '' : `&after=${place}`;
        const page = expectStatus(
          await service.admin.get(`${product}/entitlements?limit=${limit}${query}`),
          200,
        );
        for (const one of page.data) copy.set(one.reference, one);
        place = page.next_after;
        hasMore = page.has_more;
      }
      return pages;
    },
    place: () => place,
  };
}

async function entitlementOf(reference: string): Promise<Entitlement> {
  return expectStatus(await service.admin.get(`${product}/entitlements/${reference}`), 200);
}

async function expectSame(copy: ReadonlyMap<string, Entitlement>): Promise<void> {
  for (const [reference, held] of copy) assert.deepEqual(held, await entitlementOf(reference), reference);
}

test('a copy begun at any time holds every customer, and follows every change of a plan', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const customers = new Map<string, number>();
  const order = async (customer: string, more: object = {}) => {
    const { order: placed } = await placeOrder(service, reseller, { customer, ...more });
    customers.set(customer, placed.customer.id);
  };
  for (const customer of ['ada@example.com', 'grace', 'alan', 'edsger', 'barbara']) await order(customer);
  const { copy, catchUp } = createCopy();
  assert.ok((await catchUp()) >= 3, 'page by page');
  assert.deepEqual([...copy.keys()].sort(), [...customers.keys()].sort());
  await expectSame(copy);

  const path = (customer: string) => `/customers/${customers.get(customer)}`;
  const steps: readonly (readonly [reference: string, act: () => Promise<unknown>, status: string])[] = [
    ['new@example.com', () => order('new@example.com'), 'active'],
    ['grace', () => order('grace', { package_id: service.packages.plus }), 'active'],
    ['alan', () => reseller.post(`${path('alan')}/suspend`, {}), 'suspended'],
    ['edsger', () => reseller.post(`${path('edsger')}/cancel`, { at: 'now' }), 'cancelled'],
    [
      'barbara',
      () => service.admin.patch(`/api/admin/v1${path('barbara')}`, { status: 'suspended' }),
      'suspended',
    ],
    ['alan', () => reseller.post(`${path('alan')}/resume`, {}), 'active'],
  ];
  for (const [reference, act, status] of steps) {
    await act();
    await catchUp();
    assert.equal(copy.get(reference)?.status, status, reference);
    assert.equal(copy.get(reference)?.active, status === 'active', reference);
  }
  await expectSame(copy);

  await runPlanEnds(service);
  service.clock.seconds += 40 * 86_400;
  await runPlanEnds(service);
  await catchUp(1_000);
  assert.equal(copy.get('ada@example.com')?.status, 'expired');
  await expectSame(copy);
});

test('an entitlement has all that the product needs, and an ETag that stays while nothing changes', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const { order } = await placeOrder(service, reseller, { customer: 'etag@example.com' });
  const path = `${product}/entitlements/Etag@example.com`;
  const answer = await service.admin.get(path);
  assert.deepEqual(answer.body, {
    reference: 'etag@example.com',
    customer_id: order.customer.id,
    active: true,
    status: 'active',
    package: { id: service.packages.basic, name: 'Basic' },
    limits: { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 },
    features: ['One', 'Two'],
    starts_at: order.created_at,
    expires_at: order.expires_at,
    account: { id: reseller.id, name: `account-${reseller.id - 1}` },
  });
  const etag = answer.headers.get('etag') ?? '';
  assert.match(etag, /^"[\w-]{27}"$/);
  const asked = (known: string) => service.admin.send('GET', path, undefined, { 'if-none-match': known });
  assert.equal((await asked(etag)).status, 304);
  assert.equal((await asked(`"other", ${etag}`)).status, 304);
  // A proxy that compresses the answer marks its ETag as weak.
  assert.equal((await asked(`W/${etag}`)).status, 304);
  assert.equal((await asked('"other"')).status, 200);
  await reseller.post(`/customers/${order.customer.id}/suspend`, {});
  const changed = await asked(etag);
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get('etag'), etag);
});

test('an impossible reference has no entitlement', async () => {
  await placeOrder(service, await service.createReseller({ credit: '100.00' }), { customer: 'kim' });
  for (const odd of [
    '%00',
    'a%00b',
    '%FF',
    '%ED%A0%80',
    '%20',
    '%E2%84%AAim',
    'x'.repeat(400),
    '__proto__',
  ]) {
    const answer = await service.admin.get(`${product}/entitlements/${odd}`);
    assert.ok(
      ['customer_not_found', 'not_found'].includes(answer.body?.error?.code) && answer.status === 404,
      `${odd} ${answer.text}`,
    );
  }
});

test('that a package was changed is seen by its version', async () => {
  const read = async () =>
    expectStatus(await service.admin.get(`${product}/entitlements?limit=1`), 200).packages_version;
  const version = await read();
  await changePackage(service, service.packages.plus, { features: ['Other'] });
  assert.ok((await read()) > version);
});

test('what cannot be read, or is not there, is refused', async () => {
  for (const after of ['s.', 's.x', 'a.1.2', 'a.99999999999.1.1', 'b.1', 's.1.2', '17']) {
    const answer = await service.admin.get(`${product}/entitlements?after=${after}`);
    expectRefusal(answer, '422 invalid_filter', undefined, after);
    assert.equal(answer.body.error.details.field, 'after');
  }
  expectRefusal(await service.admin.get(`${product}/entitlements?after=s.999999`), '410 events_gone');
  expectRefusal(
    await service.admin.get(`${product}/entitlements/no-such@example.com`),
    '404 customer_not_found',
  );
  const reseller = await service.createReseller();
  expectRefusal(
    await reseller.get(`${service.address}${product}/entitlements`.replace(service.address, '')),
    '403 forbidden',
  );
});

async function emitted(account: TestAccount, type: string): Promise<{ data: Record<string, string> }[]> {
  return expectStatus(await account.get(`/events?type=${type}&limit=100`), 200).data;
}

test('a low balance is announced once each time that it falls below the threshold', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  assert.deepEqual(expectStatus(await reseller.get('/alerts'), 200).alerts, {
    balance_below: null,
    plans_ending_days: null,
    emails: [],
    weekly_summary: false,
  });
  const wanted = { balance_below: '75.00', emails: ['ops@example.com', 'ops@example.com'] };
  const set = expectStatus(await reseller.send('PUT', '/alerts', wanted), 200);
  assert.deepEqual(set.alerts, {
    balance_below: '75.00',
    plans_ending_days: null,
    emails: ['ops@example.com'],
    weekly_summary: false,
  });
  assert.deepEqual(expectStatus(await reseller.get('/alerts'), 200), set);

  const balances: string[] = [];
  const count = async () => {
    const events = await emitted(reseller, 'balance.low');
    balances.splice(0, balances.length, ...events.map(({ data }) => String(data['balance'])));
    return events.length;
  };
  await placeOrder(service, reseller, { customer: 'a', idempotency_key: '1' });
  assert.equal(await count(), 0, 'at 90.00');
  // Several orders of one batch cross the threshold only once.
  await Promise.all(
    ['2', '3', '4'].map((key) =>
      placeOrder(service, reseller, { customer: `low-${key}`, idempotency_key: key }),
    ),
  );
  assert.equal(await count(), 1, 'at 60.00');
  await placeOrder(service, reseller, { customer: 'b', idempotency_key: '5' });
  assert.equal(await count(), 1, 'it stays below');
  await credit(service, reseller, '25.00');
  assert.equal(await count(), 1, 'exactly at it is not below');
  await credit(service, reseller, '-0.01');
  assert.equal(await count(), 2);
  assert.deepEqual(balances, ['70.00', '74.99']);
  expectStatus(await reseller.send('PUT', '/alerts', {}), 200);
  await credit(service, reseller, '25.00');
  await credit(service, reseller, '-25.00');
  assert.equal(await count(), 2, 'no alert is set any longer');
});

test('ending plans are announced as many days before as an account asks for, beside 7 days and 1 day', async () => {
  const [asking, other] = [
    await service.createReseller({ credit: '50.00' }),
    await service.createReseller({ credit: '50.00' }),
  ];
  for (const account of [asking, other]) await account.get('/events');
  expectStatus(await asking.send('PUT', '/alerts', { plans_ending_days: 3 }), 200);
  await runPlanEnds(service);
  const { order } = await placeOrder(service, asking, { customer: 'three@example.com' });
  await placeOrder(service, other, { customer: 'seven@example.com' });
  const end = Date.parse(order.expires_at) / 1_000;
  for (const days of [8, 7, 4, 3, 2, 1]) {
    service.clock.seconds = end - days * 86_400;
    await runPlanEnds(service);
  }
  const days = async (account: TestAccount) =>
    (await emitted(account, 'plan.ending')).map(({ data }) => data['days']);
  assert.deepEqual(await days(asking), [7, 3, 1]);
  assert.deepEqual(await days(other), [7, 1]);
});

test('of a plan with fewer days left than the alerts ask for, the notice comes at once', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const days = async () =>
    (await emitted(reseller, 'plan.ending')).map(({ data }) => [
      (data['customer'] as unknown as { reference: string }).reference,
      data['days'],
    ]);
  await reseller.get('/events');
  await placeOrder(service, reseller, { customer: 'before@example.com', idempotency_key: '1' });
  await runPlanEnds(service);
  assert.deepEqual(await days(), []);
  expectStatus(await reseller.send('PUT', '/alerts', { plans_ending_days: 45 }), 200);
  for (let runs = 0; runs < 2; runs += 1) await runPlanEnds(service);
  assert.deepEqual(await days(), [['before@example.com', 45]], 'the job finds the plans that run already');
  await placeOrder(service, reseller, { customer: 'after@example.com', idempotency_key: '2' });
  assert.deepEqual((await days()).at(-1), ['after@example.com', 45], 'the order sends it');
  expectStatus(await reseller.send('PUT', '/alerts', { plans_ending_days: 45, balance_below: '1.00' }), 200);
  await runPlanEnds(service);
  assert.equal((await days()).length, 2);
  // A renewal sets another end. The rest of two months is more than 45 days, until later.
  const { order } = await placeOrder(service, reseller, {
    customer: 'after@example.com',
    idempotency_key: '3',
  });
  await runPlanEnds(service);
  assert.equal((await days()).length, 2);
  service.clock.seconds = Date.parse(order.expires_at) / 1_000 - 45 * 86_400;
  await runPlanEnds(service);
  assert.deepEqual((await days()).slice(2), [['after@example.com', 45]]);
});

test('alerts that make no sense are refused, and nothing is changed', async () => {
  const reseller = await service.createReseller();
  const refused: readonly (readonly [body: object, field: string])[] = [
    [{ balance_below: '0' }, 'balance_below'],
    [{ balance_below: '-5.00' }, 'balance_below'],
    [{ balance_below: 5 }, 'balance_below'],
    [{ plans_ending_days: 0 }, 'plans_ending_days'],
    [{ plans_ending_days: 61 }, 'plans_ending_days'],
    [{ plans_ending_days: 1.5 }, 'plans_ending_days'],
    [{ emails: ['no-such'] }, 'emails.0'],
    [{ emails: ['a@example.com\r\nbcc: b@example.com'] }, 'emails.0'],
    [{ emails: Array.from({ length: 11 }, (_, index) => `a${index}@example.com`) }, 'emails'],
    [{ emails: null }, 'emails'],
  ];
  for (const [body, field] of refused) {
    const answer = await reseller.send('PUT', '/alerts', body);
    expectRefusal(answer, '422 validation_failed', undefined, JSON.stringify(body));
    assert.equal(answer.body.error.details.field, field, JSON.stringify(body));
  }
  assert.deepEqual(expectStatus(await reseller.get('/alerts'), 200).alerts.emails, []);
});

test('has_more is false only when everything that was answered before is in the answer, however much waits', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  await placeOrder(service, reseller, { customer: 'before-many' });
  const { catchUp, copy, place } = createCopy();
  await catchUp(1_000);
  const lastId = expectStatus(await service.admin.get('/api/admin/v1/events?limit=1'), 200).last_id;
  // Each answer is a batch of its own, so the stream takes more than one transaction.
  const path = `/api/admin/v1/accounts/${reseller.id}/credit`;
  for (let count = 0; count <= 500; count += 1)
    expectStatus(await service.admin.post(path, { amount: '0.01' }), 201);
  await placeOrder(service, reseller, { customer: 'behind-many' });
  const query = `after=${lastId}&type=order.completed&limit=100`;
  const page = expectStatus(
    await service.admin.get(`${product}/entitlements?limit=1000&after=${place()}`),
    200,
  );
  assert.deepEqual(page.has_more || page.data.map(({ reference }: Entitlement) => reference), [
    'behind-many',
  ]);
  assert.equal(copy.has('behind-many'), false);
  const feed = expectStatus(await service.admin.get(`/api/admin/v1/events?${query}`), 200);
  assert.deepEqual(feed.has_more || feed.data.map(({ type }: { type: string }) => type), ['order.completed']);
});
