// The list of the orders of all accounts: complete, in order of time, filtered, page by page and as CSV, and behind the orders.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createOrderTimes } from '../../src/features/orders/order-times.ts';
import { sqlOf, sqlOfAll } from '../harness/group-sql.ts';
import { signIn, usernameOf } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';
import { testModeOf } from '../harness/test-mode.ts';

type Order = Answer['body'];

const path = '/api/admin/v1/orders';
let service: TestService;
/** So many that each account group has one. */
let accounts: TestAccount[];
/** As the accounts see them. */
let placed: Order[];
let names: ReadonlyMap<number, string>;
before(async () => {
  service = await startTestService();
  accounts = [];
  for (let made = 0; made < 4; made += 1) accounts.push(await service.createReseller({ credit: '1000.00' }));
  names = new Map(
    await Promise.all(accounts.map(async (each) => [each.id, await usernameOf(service, each)] as const)),
  );
  placed = [];
  for (let round = 0; round < 4; round += 1) {
    for (const account of accounts) {
      const packageId = round === 2 ? service.packages.plus : service.packages.basic;
      // Two of each round in the same second.
      if (account.id % 2 === 0) service.clock.seconds += 40_000;
      const order = { package_id: packageId, customer: `c-${round % 2}-${account.id}` };
      placed.push({ ...(await placeOrder(service, account, order)).order, owner: account.id });
    }
  }
  await settleSome();
  for (const [index, order] of placed.entries()) {
    const owner = accounts.find(({ id }) => id === order.owner);
    const found = expectStatus(await (owner ?? never()).get(`/orders/${order.id}`), 200).order;
    const { id } = owner ?? never();
    placed[index] = { ...found, account: { id, username: names.get(id) } };
  }
  placed = placed.toSorted(
    (one, other) =>
      Date.parse(other.created_at) - Date.parse(one.created_at) ||
      other.account.id - one.account.id ||
      other.id - one.id,
  );
});
after(() => service.close());

function never(): never {
  throw new Error('Each order has its account.');
}

/** One order is pending and one has failed, of different accounts. */
async function settleSome(): Promise<void> {
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', product), 200);
  const [first, second] = accounts;
  for (const account of [first ?? never(), second ?? never()]) {
    service.clock.seconds += 10;
    const body = { package_id: service.packages.basic, customer: `waiting-${account.id}` };
    placed.push({ ...expectStatus(await account.post('/orders', body), 201).order, owner: account.id });
  }
  expectStatus(await service.admin.post(`${path}/${placed.at(-1)?.id}/fail`, { reason: 'No room' }), 200);
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', { ...product, mode: 'none' }), 200);
}

async function walk(query: string, limit: number): Promise<Order[]> {
  const found: Order[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer: Answer = await service.admin.get(`${path}?${query}&limit=${limit}&cursor=${cursor}`);
    expectStatus(answer, 200);
    assert.ok(answer.body.data.length <= limit);
    found.push(...answer.body.data);
    cursor = answer.body.next_cursor;
  }
  return found;
}

test('all orders are listed newest first with their accounts, page by page, without those of tests', async () => {
  const tests = await testModeOf(service, accounts[0] ?? never());
  expectStatus(await tests.post('/orders', { package_id: service.packages.basic, customer: 'tester' }), 201);
  for (const limit of [1, 3, 100]) assert.deepEqual(await walk('', limit), placed, `pages of ${limit}`);
  // An order that was just placed is on the next first page.
  const { order } = await placeOrder(service, accounts[3] ?? never(), { customer: 'just-now' });
  const [first] = expectStatus(await service.admin.get(`${path}?limit=1`), 200).data;
  assert.equal(first.id, order.id);
  placed.unshift(first);
});

test('each filter, alone and with the others, finds what it names and nothing else', async () => {
  const { plus } = service.packages;
  const [account] = accounts;
  const middle = placed[8] ?? never();
  const day = middle.created_at.slice(0, 10);
  const timeOf = (text: string) => Date.parse(text);
  const terms: readonly [string, (order: Order) => boolean][] = [
    [`account_id=${account?.id}`, (order) => order.account.id === account?.id],
    ['account_id=2000000', () => false],
    ['account_id=5000001', () => false],
    ['kind=activate', ({ kind }) => kind === 'activate'],
    ['kind=renew', ({ kind }) => kind === 'renew'],
    ['status=pending', ({ status }) => status === 'pending'],
    ['status=failed', ({ status }) => status === 'failed'],
    ['status=completed', ({ status }) => status === 'completed'],
    [`package_id=${plus}`, (order) => order.package.id === plus],
    ['package_id=9007199254740991', () => false],
    [`created_from=${middle.created_at}`, ({ created_at: at }) => timeOf(at) >= timeOf(middle.created_at)],
    [`created_to=${middle.created_at}`, ({ created_at: at }) => timeOf(at) <= timeOf(middle.created_at)],
    [`created_from=${day}&created_to=${day}`, ({ created_at: at }) => at.startsWith(day)],
  ];
  for (const [index, [one, holds]] of terms.entries()) {
    const wanted = placed.filter(holds);
    assert.ok(wanted.length < placed.length, one);
    assert.deepEqual(await walk(one, 2), wanted, one);
    for (const [other, holdsToo] of terms.slice(index + 1)) {
      const names = [...`${one}&${other}`.matchAll(/(\w+)=/g)].map(([, name]) => name);
      const isTwice = new Set(names).size < names.length;
      if (isTwice) continue;
      assert.deepEqual(await walk(`${one}&${other}`, 2), wanted.filter(holdsToo), `${one}&${other}`);
    }
  }
  assert.equal(placed.filter(({ status }) => status !== 'completed').length, 2);
});

test('as CSV it has every order that fits, with its account', async () => {
  const answer = await service.admin.get(`${path}?kind=renew&format=csv`);
  expectStatus(answer, 200);
  const [head = '', ...lines] = answer.text.trimEnd().split('\n');
  assert.match(head, /^"?id"?,.*,"?account_id"?,"?account"?$/);
  const renewals = placed.filter(({ kind }) => kind === 'renew');
  assert.deepEqual(
    lines.map((line) => Number(line.split(',')[0]?.replaceAll('"', ''))),
    renewals.map(({ id }) => id),
  );
  for (const [index, line] of lines.entries()) {
    const { id, username } = renewals[index]?.account ?? never();
    assert.ok(line.replaceAll('"', '').endsWith(`,${id},${username}`), line);
  }
});

test('cursors of other filters, filters that cannot be read and keys without the scope are refused', async () => {
  const { next_cursor: cursor } = expectStatus(await service.admin.get(`${path}?limit=1`), 200);
  expectRefusal(await service.admin.get(`${path}?kind=renew&cursor=${cursor}`), '422 invalid_cursor');
  expectRefusal(await service.admin.get(`${path}?status=lost`), '422 invalid_filter');
  expectRefusal(await service.admin.get(`${path}?account_id=x`), '422 invalid_filter');
  expectRefusal(await service.admin.get(`${path}?page=2`), '422 invalid_filter');
  expectRefusal(await (accounts[0] ?? never()).get(path), '403 forbidden');
});

test('where many pending orders are, pages go through all of them', async () => {
  const [account = never()] = accounts;
  const numbers = placed.filter((order) => order.account.id === account.id).length;
  // More than the list reads at once. Their rows have no order and are never shown.
  await sqlOf(
    service,
    account,
    `insert into order_handoffs (account_id, order_number, customer_number, status, settled_at)
    select ${account.id}, ${numbers} + 1000 + n, 1000 + n, 'failed', now() from generate_series(1, 2100) n`,
  );
  const failed = placed.filter(({ status }) => status === 'failed');
  assert.deepEqual(await walk('status=failed', 1), failed);
  await sqlOf(service, account, `delete from order_handoffs where order_number > ${numbers} + 1000`);
});

test('until the orders of before an upgrade are sorted, the list is unavailable, and then it is complete', async () => {
  const [account = never()] = accounts;
  await sqlOfAll(service, 'delete from order_times');
  await sqlOfAll(service, 'delete from order_time_marks');
  const [before] = await sqlOf(service, account, `select order_count from accounts where id = ${account.id}`);
  await sqlOf(service, account, `update accounts set order_count = 90000 where id = ${account.id}`);
  expectRefusal(await service.admin.get(path), '503 service_unavailable');
  expectRefusal(await service.admin.get(`${path}?format=csv`), '503 service_unavailable');
  await sqlOf(
    service,
    account,
    `update accounts set order_count = ${Number(before?.['order_count'])} where id = ${account.id}`,
  );
  const times = createOrderTimes(service.database);
  // Two at once, as in two processes, add each order once.
  assert.deepEqual(await Promise.all([times.bringAllUpToDate(), times.bringAllUpToDate()]), [0, 0]);
  assert.deepEqual(await walk('', 100), placed);
});

test('words find the orders of customers of every account, newest first, page by page', async () => {
  const console = await signIn(service, service.admin);
  const search = async (query: string, limit: number): Promise<number[]> => {
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: Answer = await console.get(`/admin/v1/orders?${query}&limit=${limit}&cursor=${cursor}`);
      const page = expectStatus(answer, 200);
      assert.equal(page.partial, false);
      found.push(...page.data.map(({ id }: Order) => id));
      cursor = page.next_cursor;
    }
    return found;
  };
  const idsOf = (holds: (order: Order) => boolean) => placed.filter(holds).map(({ id }) => id);
  const isFirst = ({ customer }: Order) => customer.reference.startsWith('c-0');
  assert.ok(idsOf(isFirst).length > accounts.length);
  for (const limit of [1, 3, 100]) assert.deepEqual(await search('words=C-0', limit), idsOf(isFirst));
  assert.deepEqual(
    await search('words=c-0&kind=renew', 2),
    idsOf((order) => isFirst(order) && order.kind === 'renew'),
  );
  const { created_at: since } = placed[8] ?? never();
  assert.deepEqual(
    await search(`words=c-0&created_from=${since}`, 2),
    idsOf((order) => isFirst(order) && Date.parse(order.created_at) >= Date.parse(since)),
  );
  assert.deepEqual(await search('words=no-such-customer', 2), []);
});

test('a search that more customers match than are looked up says so', async () => {
  const [account = never()] = accounts;
  await service.admin.post(`/api/admin/v1/accounts/${account.id}/credit`, { amount: '90000.00' });
  for (const part of [0, 1]) {
    const orders = Array.from({ length: 260 }, (_, index) => ({
      package_id: service.packages.basic,
      customer: `crowd-${part}-${index}`,
      idempotency_key: `crowd-${part}-${index}`,
    }));
    expectStatus(await account.post('/orders/bulk', { orders }), 200);
  }
  const console = await signIn(service, service.admin);
  const page = expectStatus(await console.get('/admin/v1/orders?words=crowd&limit=2&cursor='), 200);
  assert.deepEqual([page.data.length, page.partial], [2, true]);
  const csv = await console.get('/admin/v1/orders?words=crowd&format=csv');
  expectRefusal(csv, '422 invalid_filter', {
    field: 'words',
    reason: 'more customers match than are searched: narrow the words or choose an account',
  });
});
