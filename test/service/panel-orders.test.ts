import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { openPage, pathOfLink } from '../harness/browser-request.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { credit, secondsOf } from '../harness/shop.ts';

const day = 86_400;

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface Listed {
  readonly id: number;
}

async function readAll(panel: PanelClient, path: string): Promise<Listed[]> {
  const rows: Listed[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const joint: string = path.includes('?') ? '&' : '?';
    const answer: Answer = await panel.get(`${path}${joint}limit=50&cursor=${cursor}`);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.body.data.length <= 50);
    rows.push(...answer.body.data);
    cursor = answer.body.next_cursor;
  }
  return rows;
}

async function place(account: Pick<TestAccount, 'post'>, body: object): Promise<Answer['body']> {
  const answer = await account.post('/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

test('orders are found by customer, kind, package and days, and pages of them join without gap or double', async () => {
  const account = await service.createReseller({ credit: '99999.00' });
  const panel = await signIn(service, account);
  const { basic, plus } = service.packages;
  const began = service.clock.seconds;
  const all: {
    id: number;
    kind: string;
    package: { id: number };
    customer: { id: number };
    created_at: string;
  }[] = [];
  for (let index = 0; index < 130; index += 1) {
    service.clock.seconds = began + Math.floor(index / 20) * day;
    const customer = index % 10 === 0 ? 'regular' : `once-${index}`;
    const { order } = await place(account, { package_id: index % 20 === 0 ? plus : basic, customer });
    all.push(order);
  }
  all.reverse();
  const fresh = await signIn(service, account, { setPassword: false });
  expectRefusal(await panel.get('/v1/orders'), '401 not_signed_in');
  const idsOf = (rows: readonly Listed[]) => rows.map(({ id }) => id);
  const expectOrders = async (query: string, fits: (order: (typeof all)[number]) => boolean) => {
    const expected = all.filter(fits);
    assert.deepEqual(idsOf(await readAll(fresh, `/v1/orders${query}`)), idsOf(expected), query);
    return expected.length;
  };
  assert.equal(await expectOrders('', () => true), 130);
  const regular = all.at(-1)?.customer.id;
  assert.equal(await expectOrders('?customer=%20Regular', ({ customer }) => customer.id === regular), 13);
  await expectOrders(`?customer=${regular}`, ({ customer }) => customer.id === regular);
  await expectOrders('?customer=no-such', () => false);
  await expectOrders('?customer=999', () => false);
  assert.ok((await expectOrders('?kind=change', ({ kind }) => kind === 'change')) > 0);
  await expectOrders('?kind=renew', ({ kind }) => kind === 'renew');
  assert.equal(await expectOrders(`?package_id=${plus}`, (order) => order.package.id === plus), 7);
  await expectOrders('?package_id=99999999999', () => false);
  const dayOf = (index: number) => new Date((began + index * day) * 1000).toISOString().slice(0, 10);
  const within = (from: number, to: number) => (order: { created_at: string }) =>
    order.created_at.slice(0, 10) >= dayOf(from) && order.created_at.slice(0, 10) <= dayOf(to);
  assert.equal(await expectOrders(`?created_from=${dayOf(1)}&created_to=${dayOf(1)}`, within(1, 1)), 20);
  await expectOrders(`?created_from=${dayOf(2)}`, within(2, 99));
  await expectOrders(
    `?created_to=${dayOf(3)}&kind=activate`,
    (order) => within(-1, 3)(order) && order.kind === 'activate',
  );
  await expectOrders('?created_from=2030-01-01', () => false);
  await expectOrders(
    `?customer=regular&package_id=${plus}&created_from=${dayOf(1)}`,
    (order) => order.customer.id === regular && order.package.id === plus && within(1, 99)(order),
  );
  for (const odd of [
    'kind=trial',
    'package_id=0',
    'package_id=x',
    'created_from=2026-02-30',
    'created_from=yesterday',
    'created_to=0000-01-01',
    'words=',
    'customer=a&customer=b',
    'customer=%00',
  ]) {
    const refused = await fresh.get(`/v1/orders?${odd}`);
    expectRefusal(refused, '422 invalid_filter');
    assert.equal(refused.body.error.details.field, odd.split('=')[0]);
  }
});

test('an order is shown with the ledger entries it made, however many lie around them', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const panel = await signIn(service, account);
  const { basic, plus } = service.packages;
  const placed: { order: { id: number; refund: string; price: string; customer: object } }[] = [];
  for (let index = 0; index < 12; index += 1) {
    for (let credits = 0; credits < index % 4; credits += 1) await credit(service, account, '1.00');
    placed.push(await place(account, { package_id: index % 2 === 0 ? basic : plus, customer: 'entries' }));
    await credit(service, account, '-0.50');
    service.clock.seconds += 60;
  }
  const ledger = (await service.admin.get(`/api/admin/v1/accounts/${account.id}/ledger?limit=100`)).body.data;
  for (const { order } of placed) {
    const shown = await panel.get(`/orders/${order.id}`);
    assert.equal(shown.status, 200, shown.text);
    const customer = { ...order.customer, name: 'entries' };
    assert.deepEqual(shown.body.order, { ...order, customer });
    const expected = ledger.filter((entry: { order_id: number }) => entry.order_id === order.id).reverse();
    assert.deepEqual(shown.body.entries, expected);
    assert.equal(expected.length, order.refund === '0.00' ? 1 : 2);
  }
  assert.ok(placed.some(({ order }) => order.refund !== '0.00'));
  for (const odd of ['1', '0', 'x', '99999999999999999999', `${placed[0]?.order.id}0`]) {
    expectRefusal(await panel.get(`/orders/${odd}`), '404 order_not_found');
  }
});

test('customers are found by part of a reference or name in any alphabet, with what they are ordered by', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const panel = await signIn(service, account);
  for (const [customer, customer_name] of [
    ['ada@example.com', 'Ada Lovelace'],
    ['user.two', 'ГРИГОРИЙ'],
    ['user-three', 'Zoë 🦊 100%'],
    ['plain', undefined],
  ]) {
    await place(account, {
      package_id: service.packages.basic,
      customer,
      ...(customer_name && { customer_name }),
    });
  }
  const find = async (words: string) => {
    const query = words === '' ? '' : `?words=${encodeURIComponent(words)}`;
    const rows = await readAll(panel, `/v1/customers${query}`);
    return rows.map((row) => (row as unknown as { reference: string }).reference);
  };
  assert.deepEqual(await find(''), ['plain', 'user-three', 'user.two', 'ada@example.com']);
  assert.deepEqual(await find('USER'), ['user-three', 'user.two']);
  assert.deepEqual(await find('lovelace'), ['ada@example.com']);
  assert.deepEqual(await find('григ'), ['user.two']);
  assert.deepEqual(await find('ZOË'), ['user-three']);
  assert.deepEqual(await find('🦊'), ['user-three']);
  assert.deepEqual(await find('0%'), ['user-three']);
  assert.deepEqual(await find('_'), [], 'no wildcard');
  const [newest] = (await panel.get('/v1/customers?cursor=')).body.data;
  const byApi = (await account.get('/customers')).body.data[0];
  const { days_left, expires_at } = byApi.plan;
  const seconds_left = secondsOf(expires_at) - service.clock.seconds;
  assert.deepEqual(newest, {
    ...byApi,
    reference: 'plain',
    days_left,
    seconds_left,
    order_pending: false,
  });
  expectRefusal(await panel.get('/v1/customers?words=a&words=b'), '422 invalid_filter');
});

test('a customer is shown with the last fifty orders, and a trial has none', async () => {
  const account = await service.createReseller({ credit: '9999.00' });
  const panel = await signIn(service, account);
  let last = { id: 0, customer: { id: 0 } };
  for (let index = 0; index < 55; index += 1) {
    service.clock.seconds += 1;
    const package_id = index % 2 === 0 ? service.packages.basic : service.packages.plus;
    last = (await place(account, { package_id, customer: 'many-orders' })).order;
  }
  const shown = await panel.get(`/customers/${last.customer.id}`);
  assert.equal(shown.status, 200, shown.text);
  assert.equal(shown.body.last_order_id, last.id);
  assert.equal(shown.body.customer.reference, 'many-orders');
  const byApi = (await account.get('/orders?limit=50')).body.data;
  assert.deepEqual(shown.body.orders, byApi);

  const granted = await service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, {
    package_id: service.packages.trial,
    customer: 'on-trial',
  });
  const trial = await panel.get(`/customers/${granted.body.customer.id}`);
  assert.deepEqual([trial.body.orders, trial.body.last_order_id], [[], null]);
  expectRefusal(await panel.get('/customers/1'), '404 customer_not_found');
});

test('a login link is made for a customer, logs in once, and kills the earlier one', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const panel = await signIn(service, account);
  const body = { package_id: service.packages.basic, customer: 'linked', return_login: true };
  const { order, login_url: ordered } = await place(account, body);
  const path = `/customers/${order.customer.id}/login-link`;
  const first = await panel.post(path);
  assert.equal(first.status, 201, first.text);
  assert.equal(secondsOf(first.body.expires_at), service.clock.seconds + 15 * 60);
  const second = (await panel.post(path)).body.login_url;
  const open = (url: string) => openPage(service.address, 'POST', pathOfLink(url));
  for (const dead of [ordered, first.body.login_url]) assert.equal((await open(dead)).status, 410);
  assert.equal((await open(second)).status, 303);
  assert.equal((await open(second)).status, 410);

  // A customer with a trial has no order. Each request makes a separate link.
  const onTrial = async (customer: string) => {
    const trial = { package_id: service.packages.trial, customer };
    const granted = await service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, trial);
    const made = await panel.post(`/customers/${granted.body.customer.id}/login-link`);
    assert.equal(made.status, 201, made.text);
    return { path: `/customers/${granted.body.customer.id}/login-link`, url: made.body.login_url };
  };
  const [one, other] = [await onTrial('trial-1'), await onTrial('trial-2')];
  const again = (await panel.post(other.path)).body.login_url;
  assert.equal((await open(other.url)).status, 410);
  for (const alive of [one.url, again]) assert.equal((await open(alive)).status, 303);

  const outsider = await signIn(service, await service.createReseller());
  expectRefusal(await outsider.post(path), '404 customer_not_found');
  expectRefusal(await panel.post('/customers/x/login-link'), '404 customer_not_found');
});

test('a cancel is shown as it then is, second for second, writes nothing, and is refused as it would be', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const panel = await signIn(service, account);
  const { order } = await place(account, { package_id: service.packages.basic, customer: 'to.be.cancelled' });
  const path = `/customers/${order.customer.id}`;
  for (const seconds of [0, 1, day / 4, day / 4]) {
    service.clock.seconds += seconds;
    const { body } = await panel.get(`${path}/cancel`);
    assert.equal(
      Number(body.balance_after).toFixed(2),
      (Number(body.balance) + Number(body.refund)).toFixed(2),
    );
    assert.equal((await account.get('/balance')).body.balance, body.balance);
  }
  const shown = (await panel.get(`${path}/cancel`)).body;
  const { refund, balance } = (await account.post(`${path}/cancel`, { at: 'now' })).body;
  assert.deepEqual([shown.refund, shown.balance_after], [refund, balance]);
  expectRefusal(await panel.get(`${path}/cancel`), '422 order_failed', { reason: 'plan_not_running' });
  const outsider = await signIn(service, await service.createReseller());
  expectRefusal(await outsider.get(`${path}/cancel`), '404 customer_not_found');
});
