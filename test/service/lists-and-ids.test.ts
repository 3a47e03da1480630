// Lists adjust page and limit instead of refusing them, and a 404 reveals nothing.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { reachesService } from '../../scripts/throwaway/front-proxy.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { expectRefusal } from '../harness/refusals.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('page and limit are clamped, never refused, in both lists', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  for (let count = 0; count < 30; count += 1) {
    const body = { package_id: service.packages.basic, customer: `paged-${count}` };
    assert.equal((await reseller.post('/orders', body)).status, 201);
  }
  const table = `
    query                                    page  per_page  count
    -                                           1        25     25
    page=1                                      1        25     25
    page=2                                      2        25      5
    page=3                                      3        25      0
    page=1000000000000000        1000000000000000        25      0
    page=0                                      1        25     25
    page=-1                                     1        25     25
    page=-1000000000000000000000                1        25     25
    page=                                       1        25     25
    page=two                                    1        25     25
    page=2;drop                                 1        25     25
    page=%00                                    1        25     25
    page=NaN&limit=Infinity                     1        25     25
    page[]=2                                    1        25     25
    page=2&page=3                               1        25     25
    limit=1                                     1         1      1
    limit=30                                    1        30     30
    limit=100                                   1       100     30
    limit=101                                   1       100     30
    limit=1000000000000000                      1       100     30
    limit=0                                     1        25     25
    limit=-5                                    1        25     25
    limit=ten                                   1        25     25
    limit=                                      1        25     25
    limit=7&page=5                              5         7      2
    limit=100&page=9007199254740991  9007199254740991   100      0
    unknown=1&__proto__=2                       1        25     25`;
  for (const line of table.trim().split('\n').slice(1)) {
    const [query = '', page, perPage, count] = line.trim().split(/ +/);
    for (const list of ['/orders', '/customers']) {
      const { status, body, text } = await reseller.get(`${list}?${query === '-' ? '' : query}`);
      assert.equal(status, 200, `${query} ${text}`);
      const { data, ...rest } = body;
      assert.deepEqual(
        rest,
        { page: Number(page), per_page: Number(perPage), total: 30 },
        `${list} ${query}`,
      );
      assert.equal(data.length, Number(count), `${list} ${query}`);
    }
  }
});

test('a page number of any length is past the end, a limit of any length is 100', async () => {
  const reseller = await service.createReseller({ credit: '10.00' });
  await reseller.post('/orders', { package_id: service.packages.basic, customer: 'long-numbers' });
  const long = '9'.repeat(60);
  for (const list of ['/orders', '/customers']) {
    const far = await reseller.get(`${list}?page=${long}`);
    assert.deepEqual([far.status, far.body.data, far.body.total], [200, [], 1]);
    assert.equal((await reseller.get(`${list}?limit=${long}`)).body.per_page, 100);
  }
});

test('the pages of a list hold every order once, newest first', async () => {
  const reseller = await service.createReseller({ credit: '110.00' });
  const placed = await Promise.all(
    Array.from({ length: 11 }, (_, count) =>
      reseller.post('/orders', { package_id: service.packages.basic, customer: `once-${count}` }),
    ),
  );
  const seen: number[] = [];
  for (const page of [1, 2, 3]) {
    const { data, total } = (await reseller.get(`/orders?limit=4&page=${page}`)).body;
    assert.equal(total, 11);
    seen.push(...data.map(({ id }: { id: number }) => id));
  }
  const newestFirst = (a: number, b: number) => b - a;
  assert.deepEqual(seen, placed.map(({ body }) => body.order.id).sort(newestFirst));
  const customers = (await reseller.get('/customers?limit=100')).body.data.map(
    ({ id }: { id: number }) => id,
  );
  assert.deepEqual(customers, placed.map(({ body }) => body.order.customer.id).sort(newestFirst));
});

test('an order or customer that is foreign, malformed or too large is byte for byte a missing one', async () => {
  const owner = await service.createReseller({ credit: '10.00' });
  const { order } = (await owner.post('/orders', { package_id: service.packages.basic, customer: 'mine' }))
    .body;
  const other = await service.createReseller({ credit: '10.00' });
  const own = (await other.post('/orders', { package_id: service.packages.basic, customer: 'theirs' })).body
    .order;
  const routes = [
    {
      code: 'order_not_found',
      foreign: order.id,
      own: own.id,
      call: (id: string) => other.get(`/orders/${id}`),
    },
    {
      code: 'order_not_found',
      foreign: order.id,
      own: own.id,
      call: (id: string) => other.post(`/orders/${id}/renew`),
    },
    {
      code: 'customer_not_found',
      foreign: order.customer.id,
      own: own.customer.id,
      call: (id: string) => other.get(`/customers/${id}`),
    },
  ];
  const spellings = (id: number) =>
    `0${id} +${id} -${id} ${id}.0 ${id}e0 %20${id} ${id}%20 ${id}%0A ${id}%00 0x${id.toString(16)} ${id}n ${id},1`;
  const garbage = `0 -1 abc null undefined NaN __proto__ %F0%9F%A6%8A 1 2147483648 9007199254740991 9007199254740993
    ${'9'.repeat(16)} ${'9'.repeat(17)} ${'9'.repeat(40)} ${'9'.repeat(400)} ${'9'.repeat(600)} ${'x'.repeat(5_000)}`;
  for (const { code, foreign, own: ownId, call } of routes) {
    const missing = await call(String(ownId + 1));
    expectRefusal(missing, `404 ${code}`, {});
    for (const id of `${foreign} ${spellings(ownId)} ${spellings(foreign)} ${garbage}`
      .split(/\s+/)
      .filter(reachesService)) {
      const answer = await call(id);
      assert.deepEqual([answer.status, answer.text], [missing.status, missing.text], id);
    }
  }
  const both = await owner.get(`/orders/${order.id}`);
  assert.equal(both.status, 200, 'the owner sees it');
  assert.equal((await other.get('/balance')).body.balance, '0.00', 'no renewal was carried out');
  expectRefusal(await service.admin.get(`/orders/${order.id}`), '404 order_not_found');
});
