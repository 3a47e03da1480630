// The pages' lists of customers and orders, for the own account and, for the operator, for any.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { formatTime } from '../../src/shared/times.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';

const day = 86_400;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

async function place(account: Pick<TestAccount, 'post'>, customer: string, more: object = {}) {
  const answer = await account.post('/orders', { package_id: service.packages.basic, customer, ...more });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.order as { id: number; customer: { id: number }; idempotency_key: string };
}

async function page(panel: PanelClient, path: string): Promise<Answer['body']> {
  const answer = await panel.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

async function referencesOf(panel: PanelClient, list: string, query: Record<string, string | number>) {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const filters = Object.entries(query).filter(([, value]) => value !== '');
    const sent = new URLSearchParams(filters.map(([name, value]) => [name, String(value)]));
    sent.set('cursor', cursor);
    const { data, next_cursor } = await page(panel, `${list}?${sent}`);
    for (const row of data) found.push(row.reference ?? row.customer.reference);
    cursor = next_cursor;
  }
  return found;
}

test('customers and their orders are found by fragments of names in any order, without accents, and by ids and keys', async () => {
  const account = await service.createReseller({ credit: '900.00' });
  const panel = await signIn(service, account);
  const console = await signIn(service, service.admin);
  const orders: Record<string, Awaited<ReturnType<typeof place>>> = {};
  for (const [reference, name] of [
    ['chidi@example.com', 'Chidi Ọkàfọr'],
    ['bjorn', 'Bjørn Müller-Łukasz'],
    ['sure_one', '100% Plain Name'],
    ['user.four', 'Ṣadé Straße'],
  ] as const) {
    orders[reference] = await place(account, reference, { customer_name: name });
  }
  const outsider = await service.createReseller({ credit: '50.00' });
  const foreign = await place(outsider, 'okafor-elsewhere');
  const { chidi, bjorn } = { chidi: orders['chidi@example.com'], bjorn: orders['bjorn'] };
  assert.ok(chidi !== undefined && bjorn !== undefined);
  await account.send('PATCH', `/customers/${bjorn.customer.id}`, { external_ref: 'CRM-77' });
  // Place a second order, so that the numbers of customer and order differ.
  const again = await place(account, 'chidi@example.com');

  for (const [typed, references] of [
    ['okafor', ['chidi@example.com']],
    ['OKÀFỌR', ['chidi@example.com']],
    ['kafor chid', ['chidi@example.com']],
    ['example.com ọkafor', ['chidi@example.com']],
    ['muller', ['bjorn']],
    ['müller', ['bjorn']],
    ['bjørn', ['bjorn']],
    ['lukasz BJORN', ['bjorn']],
    ['crm-77', ['bjorn']],
    ['muller okafor', []],
    ['%', ['sure_one']],
    ['_', ['sure_one']],
    ['\\', []],
    // A search of accents only must not become empty, which would match everything.
    ['\u0301', []],
    ['\u0308 \u0301', []],
    ['\u00b4', []],
    ['kafor \u0301', ['chidi@example.com']],
    ['strasse', ['user.four']],
    ['sade', ['user.four']],
    ['  ', ['user.four', 'sure_one', 'bjorn', 'chidi@example.com']],
    [String(chidi.customer.id), ['chidi@example.com']],
    [String(again.id), ['chidi@example.com']],
    [String(foreign.id), []],
  ] as const) {
    const words = { words: typed.trim() };
    assert.deepEqual(await referencesOf(panel, '/v1/customers', words), references, `customers: ${typed}`);
    const of = `/admin/v1/accounts/${account.id}`;
    assert.deepEqual(await referencesOf(console, `${of}/customers`, words), references, `operator: ${typed}`);
    if (/^\d+$/.test(typed)) continue;
    const found = new Set(await referencesOf(panel, '/v1/orders', words));
    assert.deepEqual([...found].sort(), [...references].sort(), `orders: ${typed}`);
    assert.deepEqual(
      new Set(await referencesOf(console, `${of}/orders`, words)),
      found,
      `operator: ${typed}`,
    );
  }
  const idsOf = async (q: string) =>
    (await page(panel, `/v1/orders?words=${encodeURIComponent(q)}`)).data.map(({ id }: { id: number }) => id);
  assert.deepEqual(await idsOf('okaf'), [again.id, chidi.id]);
  assert.deepEqual(await idsOf(String(again.id)), [again.id]);
  assert.deepEqual(await idsOf(chidi.idempotency_key), [chidi.id]);
  // The first customer and the first order have the same id.
  assert.deepEqual(await idsOf(String(chidi.customer.id)), [again.id, chidi.id]);
  assert.deepEqual(await idsOf(String(foreign.id)), []);
  const everywhere = await page(console, '/admin/customers?words=KAFOR');
  assert.deepEqual(
    everywhere.data.map(({ reference }: { reference: string }) => reference),
    ['okafor-elsewhere', 'chidi@example.com'],
  );
  const [named] = (await page(console, `/admin/customers?words=${foreign.id}`)).data;
  assert.equal(named.reference, 'okafor-elsewhere');
  expectRefusal(await panel.get(`/v1/customers?words=${'x'.repeat(301)}`), '422 invalid_filter');
  expectRefusal(await console.get('/admin/v1/accounts/999999/customers'), '404 account_not_found');
  expectRefusal(await panel.get(`/admin/v1/accounts/${account.id}/orders`), '403 forbidden');
});

test('a page filled by the customer of an id goes on with the customer whose name holds the id', async () => {
  const account = await service.createReseller({ credit: '900.00' });
  const panel = await signIn(service, account);
  const { customer } = await place(account, 'first');
  await place(account, `about-${customer.id}`);
  for (const sort of ['', 'expires_at', '-expires_at']) {
    const found = await referencesOf(panel, '/v1/customers', { words: customer.id, limit: 1, sort });
    assert.deepEqual(found, ['first', `about-${customer.id}`], sort);
  }
});

test('customers are listed by state, package and the end of their plan, in the order of ends, with a total', async () => {
  const account = await service.createReseller({ credit: '9000.00' });
  const began = service.clock.seconds;
  const ids: Record<string, number> = {};
  for (let index = 0; index < 6; index += 1) {
    service.clock.seconds = began + index * day;
    const package_id = index % 2 === 0 ? service.packages.basic : service.packages.plus;
    const order = await place(account, `ends-${index}`, { package_id, months: index === 0 ? 3 : 1 });
    ids[`ends-${index}`] = order.customer.id;
  }
  const panel = await signIn(service, account);
  assert.equal((await account.post(`/customers/${ids['ends-4']}/suspend`, {})).status, 200);
  assert.equal((await account.post(`/customers/${ids['ends-5']}/cancel`, { at: 'now' })).status, 200);
  const endOf = async (reference: string) =>
    Date.parse((await page(panel, `/customers/${ids[reference]}`)).customer.plan.expires_at) / 1000;
  const [first, third] = [await endOf('ends-1'), await endOf('ends-3')];
  // The plans of the first two have just ended.
  service.clock.seconds = first;
  const fresh = await signIn(service, account, { setPassword: false });
  const list = (query: Record<string, string | number>) => referencesOf(fresh, '/v1/customers', query);

  assert.deepEqual(await list({ plan_status: 'expired' }), ['ends-1']);
  assert.deepEqual(await list({ plan_status: 'active' }), ['ends-3', 'ends-2', 'ends-0']);
  assert.deepEqual(await list({ plan_status: 'suspended' }), ['ends-4']);
  assert.deepEqual(await list({ plan_status: 'cancelled' }), ['ends-5']);
  const { basic, plus } = service.packages;
  assert.deepEqual(await list({ package_id: plus }), ['ends-5', 'ends-3', 'ends-1']);
  assert.deepEqual(await list({ package_id: basic, plan_status: 'active' }), ['ends-2', 'ends-0']);
  assert.deepEqual(await list({ package_id: 99_999_999_999 }), []);
  const byEnd = ['ends-1', 'ends-2', 'ends-3', 'ends-4', 'ends-0'];
  assert.deepEqual(
    (await list({ sort: 'expires_at' })).filter((reference) => reference !== 'ends-5'),
    byEnd,
  );
  assert.deepEqual(await list({ sort: 'expires_at', limit: 1, plan_status: 'active' }), [
    'ends-2',
    'ends-3',
    'ends-0',
  ]);
  const down = (await list({ sort: '-expires_at', limit: 1 })).filter((reference) => reference !== 'ends-5');
  assert.deepEqual(down, byEnd.toReversed());
  const window = { expires_from: formatTime(first + 1), expires_to: formatTime(third) };
  assert.deepEqual(await list({ ...window, sort: 'expires_at' }), ['ends-2', 'ends-3']);
  assert.deepEqual(await list({ ...window, sort: '-expires_at' }), ['ends-3', 'ends-2']);
  assert.deepEqual(await list(window), ['ends-3', 'ends-2']);
  assert.deepEqual(await list({ ...window, words: '2' }), ['ends-2']);

  assert.deepEqual(await list({ ends_within: 2, sort: 'expires_at' }), ['ends-2', 'ends-3']);
  assert.deepEqual(await list({ ends_within: 1, package_id: basic }), ['ends-2']);
  const totalOf = async (query: string) => (await page(fresh, `/v1/customers?cursor=&${query}`)).total;
  assert.equal(await totalOf(''), 6);
  assert.equal(await totalOf(`${new URLSearchParams(window)}`), 2);
  assert.equal(await totalOf(`${new URLSearchParams({ ...window, package_id: String(plus) })}`), 1);
  assert.equal(await totalOf('plan_status=active'), 3);
  assert.equal(await totalOf('ends_within=2'), 2);
  assert.equal(await totalOf('words=ends'), null, 'names are not counted');
  assert.equal((await page(fresh, '/v1/orders?cursor=')).total, 6);
  assert.equal((await page(fresh, '/v1/orders?kind=activate&status=completed')).total, 6);
  assert.equal((await page(fresh, `/v1/orders?package_id=${plus}&limit=1`)).total, 3);
  assert.equal((await page(fresh, '/v1/orders?words=ends')).total, null, 'searches are not counted');
  for (const odd of ['plan_status=gone', 'sort=name', 'ends_within=0', 'words=', 'expires_from=soon']) {
    const refused = await fresh.get(`/v1/customers?${odd}`);
    expectRefusal(refused, '422 invalid_filter');
    assert.ok(odd.includes(`${refused.body.error.details.field}=`), odd);
  }
});

test('orders are listed from a moment to a moment, and by status', async () => {
  const account = await service.createReseller({ credit: '900.00' });
  const began = service.clock.seconds;
  for (let index = 0; index < 4; index += 1) {
    service.clock.seconds = began + index * 3_600;
    await place(account, `hour-${index}`);
  }
  const panel = await signIn(service, account);
  const created_from = formatTime(began + 3_600);
  assert.deepEqual(await referencesOf(panel, '/v1/orders', { created_from }), ['hour-3', 'hour-2', 'hour-1']);
  const created_to = formatTime(began + 2 * 3_600 - 1);
  assert.deepEqual(await referencesOf(panel, '/v1/orders', { created_from, created_to }), ['hour-1']);
  assert.deepEqual(await referencesOf(panel, '/v1/orders', { words: 'our', created_from, created_to }), [
    'hour-1',
  ]);
  assert.equal((await referencesOf(panel, '/v1/orders', { status: 'completed' })).length, 4);
  assert.deepEqual(await referencesOf(panel, '/v1/orders', { status: 'failed', words: 'hour' }), []);
});

test('orders of more customers than are looked up are found among the newest, without gap or double', async () => {
  const account = await service.createReseller({ credit: '99999.00' });
  const orders = Array.from({ length: 620 }, async (_, index) => {
    // Every third name has letters that only the program can check.
    const name = index % 3 === 0 ? `Zoë crowd ${index}` : `Zoe crowd ${index}`;
    const outcome = await service.service.engine.submit({
      type: 'place',
      accountId: account.id,
      accessVersion: 1,
      idempotencyKey: `crowd-${index}`,
      keyIsMinted: false,
      packageId: service.packages.basic,
      customerReference: `c-${index}`,
      customerName: index % 5 === 4 ? 'someone else' : name,
      months: 1,
      maxChargeCents: null,
      loginLink: null,
    });
    assert.equal(outcome.type, 'ordered');
    return `c-${index}`;
  });
  const expected = (await Promise.all(orders)).reverse();
  const panel = await signIn(service, account);
  assert.deepEqual(await referencesOf(panel, '/v1/orders', { words: 'c-' }), expected);
  const crowd = expected.filter((_, index) => (619 - index) % 5 !== 4);
  assert.ok(crowd.length < 500);
  assert.deepEqual(await referencesOf(panel, '/v1/orders', { words: 'ZOE crowd' }), crowd);
});

test('both lists are files with the filters of the page, safe to open in a spreadsheet', async () => {
  const account = await service.createReseller({ credit: '900.00' });
  const panel = await signIn(service, account);
  const console = await signIn(service, service.admin);
  await place(account, 'kept@example.com', { customer_name: '=1+1' });
  await place(account, 'other@example.com');
  const lines = (answer: Answer) => answer.text.trim().split('\n');
  for (const [client, path] of [
    [panel, '/v1/customers'],
    [panel, '/v1/orders'],
    [console, `/admin/v1/accounts/${account.id}/customers`],
    [console, `/admin/v1/accounts/${account.id}/orders`],
  ] as const) {
    const whole = await client.get(`${path}?format=csv`);
    assert.equal(whole.status, 200, whole.text);
    assert.match(
      String(whole.headers.get('content-disposition')),
      /attachment; filename="(customers|orders)-/,
    );
    assert.equal(lines(whole).length, 3, whole.text);
    const some = lines(await client.get(`${path}?format=csv&words=kept`));
    assert.deepEqual([some.length, some[1]?.includes('kept@example.com')], [2, true]);
    if (path.includes('customers')) assert.match(String(some[1]), /'=1\+1/);
    expectRefusal(await client.get(`${path}?package_id=x`), '422 invalid_filter');
  }
});

test('what renewals of many customers cost together is what the bulk then charges, and who cannot be renewed is said before', async () => {
  const account = await service.createReseller({ credit: '900.00', group: 'distributor' });
  const panel = await signIn(service, account);
  const { basic, plus, trial } = service.packages;
  const renewed = [
    await place(account, 'one', { package_id: basic, months: 3 }),
    await place(account, 'two', { package_id: plus }),
  ];
  const moved = await place(account, 'moved', { package_id: basic });
  await place(account, 'moved', { package_id: plus });
  const granted = await service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, {
    package_id: trial,
    customer: 'on-trial',
  });
  const customers = [...renewed, moved].map(({ customer }) => customer.id);
  const onTrial = granted.body.customer.id;
  const preview = async (ids: readonly number[]) => {
    const answer = await panel.post('/customers/renewals', { customers: ids });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const before = await preview([...customers, onTrial, 999]);
  assert.equal(before.count, 3);
  assert.deepEqual(
    before.data.map(({ refusal }: { refusal: { code: string; reason: string | null } | null }) =>
      refusal === null ? null : `${refusal.code} ${refusal.reason}`,
    ),
    [null, null, null, 'package_unavailable free_trial', 'customer_not_found null'],
  );
  const orders = before.data
    .slice(0, 3)
    .map(({ order_id, charge }: { order_id: number; charge: string }, index: number) => ({
      renew: order_id,
      max_charge: charge,
      idempotency_key: `selected-${index}`,
    }));
  const bulk = await panel.post('/v1/orders/bulk', { orders });
  assert.deepEqual(
    bulk.body.results.map(({ status }: { status: number }) => status),
    [201, 201, 201],
  );
  const cents = (amount: string) => Math.round(Number(amount) * 100);
  assert.equal(cents(before.total), cents(before.balance) - cents(bulk.body.balance));
  assert.equal(bulk.body.results[0].order.expires_at, before.data[0].expires_at);
  assert.equal(bulk.body.results[2].order.package.id, plus, 'the order that the plan came from');

  // A pending order cannot be renewed. A low balance is not a reason to refuse here.
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  await place(account, 'two', { package_id: plus });
  const poor = await service.createReseller({ credit: '10.00' });
  assert.equal(
    (await service.admin.send('PUT', '/api/admin/v1/product', { ...product, mode: 'none' })).status,
    200,
  );
  const spent = await place(poor, 'last-cent');
  const [pending] = (await preview(customers.slice(1, 2))).data;
  assert.deepEqual(pending.refusal && [pending.refusal.code, pending.refusal.reason], [
    'order_failed',
    'order_pending',
  ]);
  const poorPanel = await signIn(service, poor);
  const short = await poorPanel.post('/customers/renewals', { customers: [spent.customer.id] });
  assert.deepEqual([short.body.count, short.body.total, short.body.covered], [1, '10.00', false]);
  for (const odd of [{}, { customers: [] }, { customers: ['1'] }, { customers: [1, 1] }]) {
    expectRefusal(await panel.post('/customers/renewals', odd), '422 validation_failed');
  }
});

interface OrderEvent {
  readonly data: { readonly order: { readonly customer: { readonly reference: string } } };
}

test('events are found by type, time and what is in them, page by page', async () => {
  const owner = await service.createReseller({ credit: '100.00' });
  await owner.get('/events');
  const began = service.clock.seconds;
  for (const customer of ['first.event@example.com', 'other.event@example.com', 'plan.event@example.com']) {
    const placed = await owner.post('/orders', { package_id: service.packages.basic, customer });
    assert.equal(placed.status, 201, placed.text);
    service.clock.seconds += 86_400;
  }
  const pages = await signIn(service, owner);
  const found = async (query: string) => {
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await pages.get(`/events?limit=1&type=order.completed&${query}&cursor=${cursor}`);
      names.push(...body.data.map(({ data }: OrderEvent) => data.order.customer.reference));
      cursor = body.next_cursor;
    }
    return names;
  };
  const [first, second, third] = [
    'first.event@example.com',
    'other.event@example.com',
    'plan.event@example.com',
  ];
  assert.deepEqual(await found(''), [third, second, first]);
  assert.deepEqual(await found('words=OTHER'), [second]);
  assert.deepEqual(await found('words=first'), [first]);
  assert.deepEqual(await found('words=idempotency_key'), [], 'names of fields do not count');
  const dayOf = (days: number) => new Date((began + days * 86_400) * 1000).toISOString().slice(0, 10);
  assert.deepEqual(await found(`from=${dayOf(1)}&to=${dayOf(1)}`), [second]);
  assert.deepEqual(await found(`from=${dayOf(1)}`), [third, second]);
  assert.deepEqual(await found(`words=example&to=${dayOf(1)}`), [second, first]);
});
