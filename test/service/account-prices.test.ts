// Prices of one account, and plans that keep their price when the group's price changes.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { formatTime } from '../../src/shared/times.ts';
import { falsify, verify } from '../harness/falsified-books.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import { changeAccount, changePackage, createPackage, secondsOf } from '../harness/shop.ts';
import { advance, testModeOf } from '../harness/test-mode.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const day = 86_400;
const api = '/api/admin/v1';

const inSeconds = (seconds: number) => formatTime(service.clock.seconds + seconds);
const pricesOf = ({ id }: Pick<TestAccount, 'id'>) => `${api}/accounts/${id}/prices`;
const put = (account: Pick<TestAccount, 'id'>, body: object) =>
  service.admin.send('PUT', pricesOf(account), body);
const set = async (account: Pick<TestAccount, 'id'>, body: object) =>
  expectStatus(await put(account, body), 200).price_list;
const remove = (account: Pick<TestAccount, 'id'>, list: number) =>
  service.admin.send('DELETE', `${pricesOf(account)}/${list}`);
const newPackage = (name: string, monthly = '10.00') =>
  createPackage(service, name, [monthly, '27.00', '96.00']);
const newReseller = () => service.createReseller({ credit: '5000.00' });

interface Ordered {
  readonly price: string;
  readonly price_rule: string;
  readonly percent_off?: string;
  readonly price_from?: string;
}

async function order(account: TestAccount, body: object): Promise<Ordered> {
  return expectStatus(await account.post('/orders', body), 201).order;
}

async function buy(account: TestAccount, id: number, customer: string, months = 1): Promise<string> {
  const { price, price_rule: rule } = await order(account, { package_id: id, customer, months });
  return `${price} ${rule}`;
}

async function previewed(account: TestAccount, id: number, customer: string, months = 1): Promise<string> {
  const answer = await account.post('/orders/preview', { package_id: id, customer, months });
  const { price, price_rule: rule } = expectStatus(answer, 200).preview;
  return `${price} ${rule}`;
}

/** Such as "10.00 group, 27.00 group, 96.00 group". */
async function shown(account: TestAccount, id: number): Promise<string> {
  const { data } = expectStatus(await account.get('/packages'), 200);
  const one = data.find((each: { id: number }) => each.id === id);
  return one.prices.map(({ price, price_rule: rule }: Ordered) => `${price} ${rule}`).join(', ');
}

/** Schedules prices that running plans do not follow. */
async function hold(id: number, from: string, prices: object): Promise<void> {
  const body = { from, prices: { reseller: prices, distributor: prices }, existing_plans: 'held' };
  expectStatus(await service.admin.post(`${api}/packages/${id}/prices`, body), 201);
}

async function inOrder(): Promise<void> {
  assert.deepEqual(await verify(service), { ok: true, problems: [] });
}

const written = () =>
  service.database.query({ name: '', text: 'select packages_version, audit_count from service_state' });

test('an account pays a price of its own, and its percentage for what the list does not name', async () => {
  const [account, other] = [await newReseller(), await newReseller()];
  const id = await newPackage('Own', '29.99');
  await set(account, {
    prices: [{ package_id: id, yearly: '80.00' }],
    percent_off: '12.50',
    memo: 'Contract',
  });
  // 29.99 × 0.875 = 26.24125. 27.00 × 0.875 = 23.625, which is rounded up.
  assert.equal(await shown(account, id), '26.24 account, 23.63 account, 80.00 account');
  assert.equal(await shown(other, id), '29.99 group, 27.00 group, 96.00 group');
  assert.equal(await previewed(account, id, 'own', 3), '23.63 account');
  assert.equal(await buy(account, id, 'own', 3), '23.63 account');
  assert.equal(await buy(account, id, 'own', 12), '80.00 account');
  assert.equal(await buy(other, id, 'others', 12), '96.00 group');
  const named = await order(account, { package_id: id, customer: 'named', months: 12 });
  assert.deepEqual([named.percent_off, named.price_from], [undefined, formatTime(service.clock.seconds)]);
  const percent = await order(account, { package_id: id, customer: 'percent' });
  assert.deepEqual([percent.percent_off, percent.price_from], ['12.50', formatTime(service.clock.seconds)]);
  const bulk = await account.post('/orders/bulk', {
    orders: [{ package_id: id, customer: 'in-bulk', months: 12, idempotency_key: 'own-bulk' }],
  });
  const [item] = expectStatus(bulk, 200).results;
  assert.deepEqual([item.order.price, item.order.price_rule], ['80.00', 'account']);
  await inOrder();
});

test('a list holds from its second to its end, and the one it replaced does not come back', async () => {
  const account = await newReseller();
  const id = await newPackage('Dated');
  await set(account, { prices: [{ package_id: id, monthly: '9.00' }] });
  const list = await set(account, {
    from: inSeconds(100),
    until: inSeconds(200),
    prices: [{ package_id: id, monthly: '8.00' }],
  });
  assert.equal(list.begun, false);
  const seen: string[] = [];
  for (const seconds of [99, 100, 199, 200]) {
    service.clock.seconds = secondsOf(list.from) - 100 + seconds;
    seen.push(await buy(account, id, `dated-${seconds}`));
    assert.equal(await previewed(account, id, `dated-${seconds}-again`), seen.at(-1));
  }
  assert.deepEqual(seen, ['9.00 account', '8.00 account', '8.00 account', '10.00 group']);
  await inOrder();
});

test('an empty list returns the account to the prices of its group; percent 0, 100 and a price of zero hold', async () => {
  const account = await newReseller();
  const id = await newPackage('Emptied');
  await set(account, { prices: [{ package_id: id, monthly: '0.00' }], percent_off: '100' });
  assert.equal(await shown(account, id), '0.00 account, 0.00 account, 0.00 account');
  service.clock.seconds += 1;
  await set(account, { prices: [], percent_off: '0' });
  assert.equal(await shown(account, id), '10.00 account, 27.00 account, 96.00 account');
  service.clock.seconds += 1;
  await set(account, { prices: [] });
  assert.equal(await shown(account, id), '10.00 group, 27.00 group, 96.00 group');
});

test('of two lists for the same second the later one counts, and what it replaced stays in the history', async () => {
  const account = await newReseller();
  const id = await newPackage('Twice');
  await set(account, { prices: [{ package_id: id, monthly: '9.00' }] });
  assert.equal(await buy(account, id, 'twice-1'), '9.00 account');
  await set(account, { prices: [{ package_id: id, monthly: '7.00' }] });
  assert.equal(await buy(account, id, 'twice-2'), '7.00 account');
  const { data } = expectStatus(await service.admin.get(pricesOf(account)), 200);
  assert.deepEqual(
    data.map(({ prices }: { prices: unknown }) => prices),
    [[{ package_id: id, monthly: '7.00' }], [{ package_id: id, monthly: '9.00' }]],
  );
  await inOrder();
});

test('the same list again changes nothing, and another one for a second to come is refused', async () => {
  const account = await newReseller();
  const id = await newPackage('Again');
  const body = { from: inSeconds(50), prices: [{ package_id: id, monthly: '9.00' }], percent_off: '5' };
  const first = await set(account, body);
  const before = await written();
  const again = await put(account, body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(expectStatus(again, 200).price_list, first);
  const details = { from: body.from };
  expectRefusal(await put(account, { ...body, percent_off: '6' }), '409 price_already_scheduled', details);
  assert.deepEqual(await written(), before);
  service.clock.seconds += 60;
  assert.equal((await put(account, body)).headers.get('idempotent-replayed'), 'true', 'it has begun');
  const { from: _from, ...now } = body;
  assert.equal((await put(account, now)).headers.get('idempotent-replayed'), 'true', 'it is in force');
  assert.deepEqual(await written(), before);
});

test('a list to come can be deleted, one that has begun cannot', async () => {
  const account = await newReseller();
  const id = await newPackage('Deleted');
  const list = await set(account, { from: inSeconds(10), prices: [{ package_id: id, monthly: '9.00' }] });
  assert.deepEqual(expectStatus(await remove(account, list.id), 200).price_list, list);
  expectRefusal(await remove(account, list.id), '404 price_not_found');
  service.clock.seconds += 10;
  assert.equal(await buy(account, id, 'deleted'), '10.00 group');
  const begun = await set(account, { prices: [{ package_id: id, monthly: '9.00' }] });
  expectRefusal(await remove(account, begun.id), '409 price_has_begun', { from: begun.from });
  const other = await newReseller();
  expectRefusal(await remove(other, begun.id), '404 price_not_found');
  await inOrder();
});

test('a list that cannot be is refused with its field, and nothing is written', async () => {
  const account = await newReseller();
  const id = await newPackage('Refused');
  const { retired, trial } = service.packages;
  const before = await written();
  const one = { package_id: id, monthly: '9.00' };
  const cases: readonly (readonly [field: string, body: object])[] = [
    ['from', { from: inSeconds(-1), prices: [one] }],
    ['from', { from: '2026-02-30T00:00:00Z', prices: [one] }],
    ['until', { from: inSeconds(5), until: inSeconds(5), prices: [one] }],
    ['until', { until: inSeconds(0), prices: [one] }],
    ['percent_off', { prices: [], percent_off: '100.01' }],
    ['percent_off', { prices: [], percent_off: '-1' }],
    ['percent_off', { prices: [], percent_off: 12.5 }],
    ['percent_off', { prices: [], percent_off: '12.505' }],
    ['prices.1.package_id', { prices: [one, one] }],
    ['prices.0.package_id', { prices: [{ ...one, package_id: retired }] }],
    ['prices.0.package_id', { prices: [{ ...one, package_id: trial }] }],
    ['prices.0.package_id', { prices: [{ ...one, package_id: 999_999 }] }],
    ['prices.0', { prices: [{ package_id: id }] }],
    ['prices.0.monthly', { prices: [{ package_id: id, monthly: '-1.00' }] }],
    ['prices.0.monthly', { prices: [{ package_id: id, monthly: '1.005' }] }],
    ['prices', { percent_off: '10' }],
    ['memo', { prices: [], memo: 'x'.repeat(501) }],
  ];
  for (const [field, body] of cases) {
    const answer = await put(account, body);
    assert.equal(answer.body.error?.details.field, field, JSON.stringify([body, answer.body]));
    expectRefusal(answer, '422 validation_failed');
  }
  expectRefusal(await put({ id: 999_999 }, { prices: [one] }), '404 account_not_found');
  assert.deepEqual(await written(), before);
  expectRefusal(await account.send('PUT', pricesOf(account), { prices: [one] }), '403 forbidden');
});

test('an account that changes its group is shown the percentage of its new group’s prices at once', async () => {
  const account = await newReseller();
  const id = await newPackage('Moved');
  await changePackage(service, id, { prices: { distributor: { monthly: '6.00' } } });
  await set(account, { prices: [], percent_off: '50' });
  assert.equal(await shown(account, id), '5.00 account, 13.50 account, 48.00 account');
  await changeAccount(service, account, { group: 'distributor' });
  assert.equal(await shown(account, id), '3.00 account, 13.50 account, 48.00 account');
  assert.equal(await buy(account, id, 'moved'), '3.00 account');
});

test('at most 50 lists are to come, and with 50 of them a list that begins now is taken', async () => {
  const account = await newReseller();
  for (let place = 1; place <= 50; place += 1)
    await set(account, { from: inSeconds(place * 100), prices: [], percent_off: '5' });
  const refused = await put(account, { from: inSeconds(51 * 100), prices: [], percent_off: '5' });
  expectRefusal(refused, '422 validation_failed');
  assert.equal(refused.body.error.details.field, 'from');
  assert.equal((await set(account, { prices: [], percent_off: '6' })).begun, true);
});

test('an event says each price that changes, and no other', async () => {
  const account = await newReseller();
  const [named, other] = [await newPackage('Announced'), await newPackage('Quiet')];
  expectStatus(await account.get('/events'), 200);
  const announced = async () => {
    const { data } = expectStatus(await account.get('/events?type=price.scheduled'), 200);
    return data
      .map((event: { data: { package: { id: number }; from: string; prices: Ordered[] } }) => event.data)
      .filter(({ package: one }: { package: { id: number } }) => [named, other].includes(one.id))
      .map(
        ({ package: one, from, prices }: { package: { id: number }; from: string; prices: Ordered[] }) =>
          `${one.id === named ? 'named' : 'other'} ${from} ${prices.map(({ price }) => price)}`,
      );
  };
  const [from, until] = [inSeconds(10), inSeconds(20)];
  await set(account, { from, until, prices: [{ package_id: named, monthly: '9.00', yearly: '96.00' }] });
  assert.deepEqual(await announced(), [`named ${from} 9.00`, `named ${until} 10.00`]);
  service.clock.seconds += 10;
  const later = inSeconds(5);
  const scheduled = (id: number, prices: object) =>
    service.admin.post(`${api}/packages/${id}/prices`, { from: later, prices: { reseller: prices } });
  expectStatus(await scheduled(named, { monthly: '11.00' }), 201);
  expectStatus(await scheduled(other, { monthly: '12.00' }), 201);
  assert.deepEqual((await announced()).slice(2), [`other ${later} 12.00`]);
});

test('plans that run keep their price, new ones pay the new one', async () => {
  const account = await newReseller();
  const id = await newPackage('Held');
  assert.equal(await buy(account, id, 'held-a'), '10.00 group');
  await hold(id, inSeconds(100), { monthly: '12.00', quarterly: '30.00' });
  service.clock.seconds += 100;
  assert.equal(await buy(account, id, 'held-new'), '12.00 group');
  assert.equal(await previewed(account, id, 'held-a'), '10.00 held');
  assert.equal(await buy(account, id, 'held-a'), '10.00 held');
  assert.equal(
    await buy(account, id, 'held-a', 3),
    '27.00 held',
    'the price before, for a period never bought',
  );
  assert.equal(await buy(account, id, 'held-a', 12), '96.00 group', 'the change does not name it');
  await changePackage(service, id, { prices: { reseller: { monthly: '14.00', quarterly: '40.00' } } });
  assert.equal(await buy(account, id, 'held-b'), '14.00 group');
  assert.equal(await buy(account, id, 'held-a'), '10.00 held', 'a later change does not end it');
  const late = await order(account, { package_id: id, customer: 'held-a', months: 3 });
  assert.deepEqual([late.price, late.price_rule], ['27.00', 'held']);
  await inOrder();
});

test('a price set at once does not lose the price before a hold', async () => {
  const account = await newReseller();
  const id = await newPackage('Before');
  await buy(account, id, 'before-a');
  await hold(id, inSeconds(10), { quarterly: '30.00' });
  service.clock.seconds += 20;
  await changePackage(service, id, { prices: { reseller: { quarterly: '50.00' } } });
  service.clock.seconds += 20;
  await changePackage(service, id, { prices: { reseller: { quarterly: '60.00' } } });
  assert.equal(await buy(account, id, 'before-a', 3), '27.00 held');
  assert.equal(await buy(account, id, 'before-b', 3), '60.00 group');
  await inOrder();
});

test('a change of package, a cancel and a gap give a held price up', async () => {
  const account = await newReseller();
  const [id, other] = [await newPackage('Given up'), await newPackage('Elsewhere')];
  for (const customer of ['changed', 'cancelled', 'ended']) await buy(account, id, customer);
  await hold(id, inSeconds(10), { monthly: '12.00' });
  service.clock.seconds += 10;
  assert.equal(await buy(account, other, 'changed'), '10.00 group');
  assert.equal(await buy(account, id, 'changed'), '12.00 group');
  const { data } = expectStatus(await account.get('/customers?q=cancelled'), 200);
  expectStatus(await account.post(`/customers/${data[0].id}/cancel`, { at: 'now' }), 200);
  assert.equal(await buy(account, id, 'cancelled'), '12.00 group');
  service.clock.seconds += 40 * day;
  assert.equal(await buy(account, id, 'ended'), '12.00 group');
  await inOrder();
});

test('a held price is what was last paid for the period, also by a list that has ended', async () => {
  const account = await newReseller();
  const id = await newPackage('Paid');
  await set(account, { prices: [{ package_id: id, monthly: '7.00' }], until: inSeconds(10) });
  assert.equal(await buy(account, id, 'paid'), '7.00 account');
  await hold(id, inSeconds(20), { monthly: '20.00', quarterly: '50.00' });
  service.clock.seconds += 20;
  assert.equal(await buy(account, id, 'paid'), '7.00 held');
  assert.equal(await previewed(account, id, 'paid', 3), '27.00 held');
  assert.equal(await buy(account, id, 'other'), '20.00 group');
  await inOrder();
});

test('a held price goes before the account’s own, and a plan renews by itself at it', async () => {
  const account = await newReseller();
  const id = await newPackage('By itself');
  const placed = expectStatus(await account.post('/orders', { package_id: id, customer: 'itself' }), 201);
  const customer = placed.order.customer.id;
  expectStatus(
    await account.send('PUT', `/customers/${customer}/auto-renew`, { months: 1, hours_before: 24 }),
    200,
  );
  await hold(id, inSeconds(10), { monthly: '12.00' });
  service.clock.seconds += 20;
  await set(account, { prices: [{ package_id: id, monthly: '5.00' }] });
  assert.equal(await buy(account, id, 'itself-new'), '5.00 account');
  service.clock.seconds = secondsOf(placed.order.expires_at) - day;
  await runRenewals(service);
  const { data } = expectStatus(await account.get(`/orders?customer=itself`), 200);
  assert.deepEqual([data[0].kind, data[0].price, data[0].price_rule], ['renew', '10.00', 'held']);
  await inOrder();
});

test('a test account pays by its account’s lists', async () => {
  const account = await newReseller();
  const id = await newPackage('In a test');
  await set(account, { prices: [{ package_id: id, monthly: '4.00' }] });
  const tests = await testModeOf(service, account);
  assert.equal(await shown(tests, id), '4.00 account, 27.00 group, 96.00 group');
  assert.equal(await buy(tests, id, 'in-a-test'), '4.00 account');
  await hold(id, inSeconds(50), { quarterly: '30.00', yearly: '99.00' });
  await advance(tests, 'P20D');
  assert.equal(await buy(tests, id, 'in-a-test', 12), '96.00 held');
  assert.equal(await buy(tests, id, 'in-a-test', 3), '27.00 held');
  assert.equal(await buy(tests, id, 'in-a-test', 12), '96.00 held');
});

test('forecasts and the renewals of the console use the price of each plan', async () => {
  const account = await newReseller();
  const id = await newPackage('Forecast');
  await buy(account, id, 'forecast-held');
  await hold(id, inSeconds(10), { monthly: '12.00' });
  service.clock.seconds += 10;
  await buy(account, id, 'forecast-new');
  const total = async () => expectStatus(await account.get('/forecast?days=40'), 200).total;
  assert.equal(await total(), '22.00');
  await set(account, { prices: [{ package_id: id, monthly: '6.00' }] });
  assert.equal(await total(), '16.00');
});

test('the operator sees who pays something else, what an account pays, and the plans that a price would meet', async () => {
  const account = await newReseller();
  const id = await newPackage('Overview');
  await buy(account, id, 'overview-a');
  await buy(account, id, 'overview-b', 12);
  await set(account, { prices: [{ package_id: id, monthly: '4.00' }] });
  const others = expectStatus(await service.admin.get(`${api}/packages/${id}/account-prices`), 200).data;
  assert.deepEqual(others.find((one: { account: { id: number } }) => one.account.id === account.id).prices, [
    { months: 1, period: 'monthly', price: '4.00', group_price: '10.00', price_rule: 'account' },
  ]);
  const { now } = expectStatus(await service.admin.get(pricesOf(account)), 200);
  const mine = now.find((one: { package: { id: number } }) => one.package.id === id);
  assert.deepEqual(
    mine.prices.map(({ price }: Ordered) => price),
    ['4.00', '27.00', '96.00'],
  );
  const plans = expectStatus(await service.admin.get(`${api}/packages/${id}/plans`), 200).data;
  assert.deepEqual(plans, [
    { group: 'reseller', months: 1, period: 'monthly', plans: 1, monthly_revenue: '10.00' },
    { group: 'reseller', months: 12, period: 'yearly', plans: 1, monthly_revenue: '8.00' },
  ]);
});

test('the audit finds an order of another price or rule, a hold passed over, and a list that the log has otherwise', async () => {
  const account = await newReseller();
  const id = await newPackage('Audited');
  await buy(account, id, 'audited-held');
  await hold(id, inSeconds(10), { monthly: '12.00' });
  service.clock.seconds += 400;
  await buy(account, id, 'audited-held');
  await set(account, { prices: [{ package_id: id, monthly: '4.00' }], percent_off: '50' });
  await buy(account, id, 'audited-new');
  await changeAccount(service, account, { group: 'distributor' });
  await buy(account, id, 'audited-new', 3);
  await inOrder();
  const { data } = expectStatus(await service.admin.get(pricesOf(account)), 200);
  const list = data[0].id;
  const [none, other] = ['its price was held', 'but "account, list'];
  const falsehoods: readonly (readonly [sql: string, problem: RegExp])[] = [
    ['update orders set price_rule = null where number = 2', new RegExp(none)],
    [`update orders set price_rule = 'held 5' where number = 2`, /but nothing held the price/],
    ['update orders set price_rule = null where number = 3', new RegExp(`${other} ${list}`)],
    [`update orders set price_rule = price_rule || ' 5000' where number = 3`, new RegExp(other)],
    [`update orders set price_rule = replace(price_rule, ' 5000', '') where number = 4`, new RegExp(other)],
  ];
  for (const [sql, problem] of falsehoods) {
    const where = ` and account_id = ${account.id}`;
    const before = await service.database.query({
      name: '',
      text: `select number, price_rule from orders where account_id = ${account.id} order by number`,
    });
    await falsify(service, account, sql + where);
    const { problems } = await verify(service);
    const found = problems.filter(({ problem: text }) => problem.test(text));
    assert.ok(found.length > 0, `${sql}: ${JSON.stringify(problems)}`);
    assert.ok(
      problems.some(({ problem: text }) => text.startsWith('its row and its hash do not fit')),
      'the row no longer fits its hash',
    );
    for (const { number, price_rule: rule } of before) {
      const value = rule === null ? 'null' : `'${String(rule)}'`;
      await falsify(
        service,
        account,
        `update orders set price_rule = ${value} where number = ${Number(number)}${where}`,
      );
    }
  }
  await falsify(service, account, `update accounts set halted_at = null where id = ${account.id}`);
  await inOrder();
});
