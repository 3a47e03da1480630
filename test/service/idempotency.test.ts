// A key that is used again: the same data replays the first order, other data is a conflict.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { openPage, pathOfLink } from '../harness/browser-request.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount, changePackage, createPackage, credit, resetKey } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const keyed = (key: string) => ({ 'idempotency-key': key });

async function place(account: TestAccount, key: string, body: object = {}): Promise<Answer> {
  const common = { package_id: service.packages.basic, customer: `idem-${account.id}` };
  return account.post('/orders', { ...common, ...body }, keyed(key));
}

function expectReplay(replay: Answer, first: Answer, why = ''): void {
  assert.equal(first.status, 201, first.text);
  assert.equal(replay.status, 201, `${why} ${replay.text}`);
  assert.deepEqual(replay.body, first.body, why);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true', why);
}

test('a replay shows the original order and the balance of its moment, long after other orders', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const first = await place(reseller, 'first');
  await place(reseller, 'second', { months: 3 });
  await credit(service, reseller, '500.00');
  service.clock.seconds += 400 * 86_400;
  const before = await booksOf(service, reseller);
  const replay = await place(reseller, 'first');
  expectReplay(replay, first);
  assert.equal(replay.body.balance, '90.00');
  assert.deepEqual(await booksOf(service, reseller), before);
});

test('a key counts the same from the header, from the body and from both', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const first = await place(reseller, 'one-key');
  const body = {
    package_id: service.packages.basic,
    customer: `idem-${reseller.id}`,
    idempotency_key: 'one-key',
  };
  expectReplay(await reseller.post('/orders', body), first, 'body');
  expectReplay(await reseller.post('/orders', body, keyed('one-key')), first, 'both');
  expectRefusal(await reseller.post('/orders', body, keyed('One-key')), '422 invalid_idempotency_key');
  const other = await place(reseller, 'One-key');
  assert.equal(other.headers.get('idempotent-replayed'), null, 'keys are case-sensitive');
});

test('spelling is not data: absent months, 1 and monthly are the same, and so are a customer’s spellings', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const same: [object, object[]][] = [
    [{}, [{ months: 1 }, { period: 'monthly' }, { months: 1, period: 'monthly' }]],
    [{ months: 3 }, [{ period: 'quarterly' }, { months: 3, period: 'quarterly' }]],
    [{ period: 'yearly' }, [{ months: 12 }]],
    [{ customer: 'Ada@Example.COM' }, [{ customer: ' ada@example.com\n' }, { customer: 'ADA@EXAMPLE.COM' }]],
    [{ customer_name: 'Ada' }, [{ customer_name: '  Ada ' }]],
    [{ return_login: false }, [{}, { unknown: 'field' }, { price: '0.00' }]],
  ];
  for (const [index, [sent, spellings]] of same.entries()) {
    const key = `spelling-${index}`;
    const first = await place(reseller, key, sent);
    for (const spelling of spellings) {
      expectReplay(await place(reseller, key, spelling), first, JSON.stringify(spelling));
    }
  }
});

test('a key with other data is a conflict: package, customer, months, customer_name, and the operation', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const first = await place(reseller, 'conflict', { customer_name: 'Ada' });
  const another = await place(reseller, 'another');
  const before = await booksOf(service, reseller);
  const ada = { customer_name: 'Ada' };
  const others: Answer[] = [
    await place(reseller, 'conflict', { ...ada, package_id: service.packages.plus }),
    await place(reseller, 'conflict', { ...ada, customer: 'someone-else' }),
    await place(reseller, 'conflict', { ...ada, months: 3 }),
    await place(reseller, 'conflict', { customer_name: 'Eve' }),
    await place(reseller, 'conflict', { customer_name: 'ada' }),
    await place(reseller, 'conflict'),
    await reseller.post(`/orders/${first.body.order.id}/renew`, {}, keyed('conflict')),
    await reseller.post(`/orders/${another.body.order.id}/renew`, {}, keyed('conflict')),
  ];
  for (const answer of others) expectRefusal(answer, '409 idempotency_conflict', {});
  assert.deepEqual(await booksOf(service, reseller), before);
  expectReplay(await place(reseller, 'conflict', ada), first, 'the key still belongs to its order');
});

test('a renewal is replayed by its key, and the name space is one for both endpoints', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const { order } = (await place(reseller, 'placed', { months: 3 })).body;
  const renew = (id: number, key: string, body: object = {}) =>
    reseller.post(`/orders/${id}/renew`, body, keyed(key));
  const first = await renew(order.id, 'renewed');
  expectReplay(await renew(order.id, 'renewed'), first);
  expectReplay(
    await renew(order.id, 'renewed', { months: 3 }),
    first,
    'the months of the order, spelled out',
  );
  expectReplay(await renew(order.id, 'renewed', { period: 'quarterly' }), first);
  expectReplay(await reseller.post(`/orders/${order.id}/renew`, { idempotency_key: 'renewed' }), first);
  const before = await booksOf(service, reseller);
  expectRefusal(await renew(order.id, 'renewed', { months: 1 }), '409 idempotency_conflict');
  expectRefusal(await renew(first.body.order.id, 'renewed'), '409 idempotency_conflict', {}, 'another order');
  expectRefusal(await renew(order.id, 'placed'), '409 idempotency_conflict', {}, 'the key of an order');
  expectRefusal(await place(reseller, 'renewed', { months: 3 }), '409 idempotency_conflict');
  assert.deepEqual(await booksOf(service, reseller), before);
});

test('two accounts may use the same key for orders of their own', async () => {
  for (let count = 0; count < 2; count += 1) {
    const reseller = await service.createReseller({ credit: '10.00' });
    const placed = await place(reseller, 'shared-key');
    assert.deepEqual([placed.status, placed.headers.get('idempotent-replayed')], [201, null]);
  }
});

test('without a key the service mints one, shows it, and it replays like any other', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const body = { package_id: service.packages.basic, customer: `idem-${reseller.id}` };
  const first = await reseller.post('/orders', body);
  const second = await reseller.post('/orders', body);
  const renewed = await reseller.post(`/orders/${first.body.order.id}/renew`);
  const keys = [first, second, renewed].map((answer) => answer.body.order.idempotency_key);
  assert.equal(new Set(keys).size, 3, 'each has its own');
  for (const key of keys) assert.match(key, /^auto_[\x21-\x7e]{10,75}$/);
  expectReplay(await reseller.post('/orders', body, keyed(keys[1])), second);
  expectReplay(await reseller.post(`/orders/${first.body.order.id}/renew`, {}, keyed(keys[2])), renewed);
  expectRefusal(
    await reseller.post('/orders', { ...body, months: 3 }, keyed(keys[0])),
    '409 idempotency_conflict',
  );
});

test('a refusal binds nothing: after a top-up the same key succeeds, and other data may have it', async () => {
  const reseller = await service.createReseller({ credit: '9.99' });
  expectRefusal(await place(reseller, 'after-top-up'), '402 insufficient_credit');
  expectRefusal(await place(reseller, 'after-top-up', { months: 5 }), '422 invalid_months');
  expectRefusal(
    await place(reseller, 'after-top-up', { package_id: service.packages.trial }),
    '422 package_unavailable',
  );
  await credit(service, reseller, '0.01');
  const first = await place(reseller, 'after-top-up');
  assert.deepEqual([first.status, first.body.balance], [201, '0.00'], first.text);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const renew = () => reseller.post(`/orders/${first.body.order.id}/renew`, {}, keyed('renew-later'));
  expectRefusal(await renew(), '402 insufficient_credit');
  await credit(service, reseller, '10.00');
  const renewed = await renew();
  assert.equal(renewed.status, 201);
  expectReplay(await renew(), renewed);
  expectReplay(await place(reseller, 'after-top-up'), first, 'a replay needs no credit');
});

test('of 50 parallel repeats one is charged and 49 are replays of the same order', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const repeats = await Promise.all(Array.from({ length: 50 }, () => place(reseller, 'repeated')));
  expectTwins(repeats);
  assert.deepEqual((await booksOf(service, reseller)).entries, [
    'charge -10.00 990.00',
    'credit 1000.00 1000.00',
  ]);

  const path = `/orders/${repeats[0]?.body.order.id}/renew`;
  expectTwins(
    await Promise.all(Array.from({ length: 50 }, () => reseller.post(path, {}, keyed('renewed-twins')))),
  );
  const { balance, orders, customers } = await booksOf(service, reseller);
  assert.deepEqual({ balance, orders, customers }, { balance: '980.00', orders: 2, customers: 1 });
});

function expectTwins(repeats: readonly Answer[]): void {
  const [one] = repeats;
  for (const repeat of repeats) assert.deepEqual([repeat.status, repeat.body], [201, one?.body], repeat.text);
  const replays = repeats.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
  assert.equal(replays.length, repeats.length - 1);
}

test('of 50 parallel requests with one key and different data one is charged, the others are conflicts', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      place(reseller, 'rivals', { customer: `rival-${reseller.id}-${index}` }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, '409 idempotency_conflict');
  const { balance, orders, customers } = await booksOf(service, reseller);
  assert.deepEqual({ balance, orders, customers }, { balance: '990.00', orders: 1, customers: 1 });
});

test('a replay holds after a price change, a retirement, a change of plan, of group and of key, and expiry', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const leaving = await createPackage(service, 'Leaving', ['10.00', '30.00', '90.00']);
  const first = await place(reseller, 'lasting', { package_id: leaving });
  const renewPath = `/orders/${first.body.order.id}/renew`;
  const renewed = await reseller.post(renewPath, {}, keyed('lasting-renewal'));
  const expectBoth = async (why: string, account: TestAccount = reseller) => {
    expectReplay(await place(account, 'lasting', { package_id: leaving }), first, why);
    expectReplay(await account.post(renewPath, {}, keyed('lasting-renewal')), renewed, why);
  };
  await changePackage(service, leaving, { prices: { reseller: { monthly: '77.00' } } });
  await expectBoth('a price change');
  await changePackage(service, leaving, { retired: true });
  await expectBoth('a retirement');
  assert.equal(
    (await place(reseller, 'other-plan', { package_id: service.packages.plus })).body.order.kind,
    'change',
  );
  await expectBoth('a change of plan: plan_changed is for new renewals');
  await changeAccount(service, reseller, { group: 'distributor' });
  await expectBoth('a change of group');
  await changeAccount(service, reseller, { blocked: true });
  expectRefusal(await place(reseller, 'lasting', { package_id: leaving }), '403 account_blocked');
  await changeAccount(service, reseller, { blocked: false });
  await expectBoth('a block that was lifted');
  const key = await resetKey(service, reseller);
  const headers = { authorization: `Bearer ${key}`, ...keyed('lasting') };
  const body = { package_id: leaving, customer: `idem-${reseller.id}` };
  expectReplay(await reseller.post('/orders', body, headers), first, 'a new API key');
});

test('a renamed package is shown by its new name in an order, but the order is the same one', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const named = await createPackage(service, 'Old name', ['10.00', '30.00', '90.00']);
  const first = await place(reseller, 'renamed', { package_id: named });
  await changePackage(service, named, { name: 'New name' });
  const replay = await place(reseller, 'renamed', { package_id: named });
  assert.equal(replay.body.order.id, first.body.order.id);
  const shown = (await reseller.get(`/orders/${first.body.order.id}`)).body.order;
  assert.deepEqual(shown, replay.body.order, 'a replay and a look agree');
});

test('login_url is fresh on a replay, and the earlier unused link of that order is dead', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const get = async (answer: Answer) =>
    (await openPage(service.address, 'GET', pathOfLink(answer.body.login_url))).status;
  const first = await place(reseller, 'login', { return_login: true });
  const other = await place(reseller, 'other-login', { return_login: true });
  assert.equal(await get(first), 200);
  const silent = await place(reseller, 'login');
  assert.ok(!('login_url' in silent.body), 'none where none is asked for');
  assert.equal(await get(first), 200, 'and such a replay kills none');

  const replay = await place(reseller, 'login', { return_login: true });
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.notEqual(replay.body.login_url, first.body.login_url);
  assert.deepEqual(replay.body.order, first.body.order);
  assert.deepEqual([await get(first), await get(replay), await get(other)], [410, 200, 200]);
  const fromSilent = await place(reseller, 'silent');
  assert.ok(!('login_url' in fromSilent.body));
  const asked = await place(reseller, 'silent', { return_login: true });
  assert.equal(await get(asked), 200, 'a replay may ask for the first link');
  assert.equal((await booksOf(service, reseller)).balance, '70.00');
});

test('of parallel replays that ask for a link one link lives', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const body = { return_login: true };
  const repeats = await Promise.all(Array.from({ length: 10 }, () => place(reseller, 'link-twins', body)));
  const links = repeats.map((repeat) => pathOfLink(repeat.body.login_url));
  assert.equal(new Set(links).size, 10);
  const open = await Promise.all(
    links.map(async (link) => (await openPage(service.address, 'GET', link)).status),
  );
  assert.deepEqual(open.toSorted(), [200, ...new Array<number>(9).fill(410)]);
});
