// Filters of lists: their results alone and combined, page by page while rows are inserted, and refusals.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { indexCustomerTerms } from '../../src/features/customers/customer-search-terms.ts';
import { indexFacets } from '../../src/features/ledger/facet-index.ts';
import { inEachGroup } from '../../src/platform/database/database.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { credit } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

type Item = Answer['body'];

/** Reads all pages of a filtered list. `between` runs after each page but the last. */
async function walk(
  account: Pick<TestAccount, 'get'>,
  path: string,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: string = `${path}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const answer: Answer = await account.get(page);
    assert.equal(answer.status, 200, `${page} ${answer.text}`);
    assert.deepEqual(Object.keys(answer.body), ['data', 'next_cursor'], page);
    assert.ok(answer.body.data.length <= limit);
    items.push(...answer.body.data);
    cursor = answer.body.next_cursor;
    if (cursor !== null) await between();
  }
  return items;
}

async function place(account: TestAccount, body: object): Promise<Item> {
  const answer = await account.post('/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.order;
}

async function everything(account: TestAccount, list: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let page = 1; ; page += 1) {
    const { body } = await account.get(`${list}?limit=100&page=${page}`);
    items.push(...body.data);
    if (items.length >= body.total) return items;
  }
}

/** About three hundred orders of 45 customers over several days, of every kind and two packages. */
async function shopping(): Promise<TestAccount> {
  const account = await service.createReseller({ credit: '1000000.00' });
  const { basic, plus } = service.packages;
  for (let round = 0; round < 7; round += 1) {
    service.clock.seconds += 86_400;
    await Promise.all(
      Array.from({ length: 45 }, (_, index) =>
        place(account, {
          package_id: (index + round * 7) % 23 === 0 ? plus : basic,
          customer: `shopper-${account.id}-${index}${index % 2 === 0 ? '@example.com' : ''}`,
          customer_name: index % 3 === 0 ? `Łukasz ${index}` : undefined,
          idempotency_key: `shop-${round}-${index}`,
        }),
      ),
    );
    if (round % 4 === 1) await credit(service, account, '5.00');
  }
  return account;
}

test('each filter of each list, alone and with the others, finds what it names and nothing else', async () => {
  const account = await shopping();
  const orders = await everything(account, '/orders');
  const customers = await everything(account, '/customers');
  const entries = await everything(account, '/ledger');
  assert.deepEqual([orders.length, customers.length], [315, 45]);
  const [middle] = orders.slice(150);
  const { basic, plus } = service.packages;
  const day = middle.created_at.slice(0, 10);
  const end = customers[20].plan.expires_at;
  const timeOf = (text: string) => Date.parse(text);
  const named = ({ id }: Item) => id;

  const orderTerms: [string, (order: Item) => boolean][] = [
    ['kind=change', ({ kind }) => kind === 'change'],
    ['kind=renew', ({ kind }) => kind === 'renew'],
    [`package_id=${plus}`, (order) => order.package.id === plus],
    [`package_id=${basic}`, (order) => order.package.id === basic],
    [`created_from=${middle.created_at}`, ({ created_at: at }) => timeOf(at) >= timeOf(middle.created_at)],
    [`created_to=${day}`, ({ created_at: at }) => at.slice(0, 10) <= day],
    [
      `customer=${middle.customer.reference.toUpperCase()}`,
      ({ customer }) => customer.id === middle.customer.id,
    ],
    [`customer=${middle.customer.id}`, ({ customer }) => customer.id === middle.customer.id],
    ['status=completed', () => true],
    [`idempotency_key=${middle.idempotency_key}`, ({ id }) => id === middle.id],
    ['package_id=999999', () => false],
    ['package_id=9007199254740991', () => false],
    ['customer=no-such', () => false],
  ];
  const customerTerms: [string, (customer: Item) => boolean][] = [
    [`q=SHOPPER-${account.id}-1`, ({ reference }) => reference.startsWith(`shopper-${account.id}-1`)],
    [`q=${encodeURIComponent('łUKASZ 3')}`, ({ name }) => name.startsWith('Łukasz 3')],
    ['status=active', () => true],
    ['status=suspended', () => false],
    ['active=true', ({ plan }) => plan.active],
    ['active=false', ({ plan }) => !plan.active],
    [`package_id=${plus}`, ({ plan }) => plan.package === 'Plus'],
    [`expires_from=${end}`, ({ plan }) => timeOf(plan.expires_at) >= timeOf(end)],
    [`expires_to=${end}`, ({ plan }) => timeOf(plan.expires_at) <= timeOf(end)],
    ['external_ref=none', () => false],
  ];
  const entryTerms: [string, (entry: Item) => boolean][] = [
    ['kind=charge', ({ kind }) => kind === 'charge'],
    ['kind=refund', ({ kind }) => kind === 'refund'],
    ['kind=credit', ({ kind }) => kind === 'credit'],
    ['kind=debit', () => false],
    [`order_id=${middle.id}`, (entry) => entry.order_id === middle.id],
    [`created_from=${day}`, ({ created_at: at }) => at.slice(0, 10) >= day],
    [`created_to=${middle.created_at}`, ({ created_at: at }) => timeOf(at) <= timeOf(middle.created_at)],
  ];
  const lists = [
    { list: '/orders', all: orders, terms: orderTerms },
    { list: '/customers', all: customers, terms: customerTerms },
    { list: '/ledger', all: entries, terms: entryTerms },
  ];
  const check = async (when: string) => {
    for (const { list, all, terms } of lists) {
      for (const [index, [text, fits]] of terms.entries()) {
        for (const [other, alsoFits] of [['', () => true] as const, ...terms.slice(index + 1)]) {
          const isSame = other.split('=')[0] === text.split('=')[0];
          // Filters without an index compare row by row, so any combination works alike.
          if (isSame || (other !== '' && when !== 'when it is indexed')) continue;
          const query = other === '' ? text : `${text}&${other}`;
          const expected = all.filter((item) => fits(item) && alsoFits(item)).map(named);
          const found = (await walk(account, `${list}?${query}`, 100)).map(named);
          const ascending = (a: number, b: number) => a - b;
          const isInOrder = !/(^|&)(q|external_ref)=/.test(query);
          assert.deepEqual(
            isInOrder ? found : found.toSorted(ascending),
            isInOrder ? expected : expected.toSorted(ascending),
            `${when}: ${list}?${query}`,
          );
        }
      }
    }
  };
  assert.ok(orders.some(({ kind }) => kind === 'change') && entries.some(({ kind }) => kind === 'refund'));
  await check('before anything is indexed');
  assert.equal(await indexFacets(service.database), 0);
  assert.equal(await indexCustomerTerms(service.database), 0);
  await check('when it is indexed');
});

test('two runs that make the index at once never take a partial range for a complete one: later orders are found', async () => {
  const { database } = service;
  const account = await service.createReseller({ credit: '5000.00' });
  const { basic, plus } = service.packages;
  const customers = Array.from({ length: 250 }, (_, index) => `stretch-${account.id}-${index + 1}`);
  await Promise.all(customers.map((customer) => place(account, { package_id: basic, customer })));
  // Another run does the same work between this run's check and its work.
  const overtaken = inEachGroup(database, (each) => ({
    ...each,
    async query(statement, values) {
      const rows = await each.query(statement, values);
      if (statement.name === 'list_accounts_behind_orders') await indexFacets(database);
      return rows;
    },
  }));
  await indexFacets(overtaken);
  await place(account, { package_id: plus, customer: `stretch-${account.id}-1` });
  assert.equal((await walk(account, '/orders?kind=change', 10)).length, 1);
});

test('a cursor goes on where its page ended, even if rows were added: nothing twice, nothing left out', async () => {
  const account = await shopping();
  let added = 0;
  const add = async () => {
    added += 1;
    await place(account, { package_id: service.packages.basic, customer: `added-${account.id}-${added}` });
    await credit(service, account, '1.00');
  };
  for (const indexed of [false, true]) {
    if (indexed) {
      await indexFacets(service.database);
      await indexCustomerTerms(service.database);
    }
    for (const [path, limit] of [
      ['/orders?kind=activate', 7],
      ['/orders?kind=renew', 60],
      [`/orders?package_id=${service.packages.plus}&cursor=`, 1],
      ['/orders?created_from=2026-01-01', 100],
      [`/customers?q=shopper-${account.id}-&active=true`, 7],
      ['/customers?status=active', 9],
      ['/customers?expires_from=2026-01-01', 8],
      ['/ledger?kind=refund', 5],
      ['/ledger?kind=charge', 90],
      ['/ledger?created_to=2100-01-01', 100],
    ] as const) {
      const clean = path.replace('&cursor=', '');
      const expected = (await walk(account, clean, 100)).map(({ id }) => id);
      const found = (await walk(account, clean, limit, add)).map(({ id }) => id);
      assert.equal(new Set(found).size, found.length, `${path}: nothing twice`);
      assert.ok(expected.length > limit, path);
      assert.deepEqual(
        expected.filter((id) => !found.includes(id)),
        [],
        `${path}: nothing left out`,
      );
    }
  }
});

test('active=true lists those whose plan.active is true, active=false all others, held by whom they may', async () => {
  const account = await service.createReseller({ credit: '500.00' });
  const ids = new Map<string, number>();
  for (const name of ['runs', 'held', 'held-by-operator', 'cancelled', 'ended']) {
    const body = { package_id: service.packages.basic, customer: `${name}-${account.id}` };
    if (name === 'ended') service.clock.seconds -= 40 * 86_400;
    const order = await place(account, body);
    if (name === 'ended') service.clock.seconds += 40 * 86_400;
    ids.set(name, order.customer.id);
  }
  const post = (name: string, what: string) => account.post(`/customers/${ids.get(name)}/${what}`);
  expectStatus(await post('held', 'suspend'), 200);
  expectStatus(await account.post(`/customers/${ids.get('cancelled')}/cancel`, { at: 'now' }), 200);
  const held = `/api/admin/v1/customers/${ids.get('held-by-operator')}`;
  expectStatus(await service.admin.patch(held, { status: 'suspended' }), 200);

  const all = expectStatus(await account.get('/customers?limit=100'), 200).data;
  for (const isActive of [true, false]) {
    const wanted = all.filter(({ plan }: Item) => plan.active === isActive).map(({ id }: Item) => id);
    assert.ok(wanted.length >= 2);
    for (const limit of [1, 100]) {
      for (const more of ['', `&q=held-${account.id}`, '&expires_from=2000-01-01', '&status=active']) {
        const found = (await walk(account, `/customers?active=${isActive}${more}`, limit)).map(
          ({ id }) => id,
        );
        const fitting = all.filter(
          ({ id, reference, status }: Item) =>
            wanted.includes(id) &&
            (!more.startsWith('&q') || reference === `held-${account.id}`) &&
            (!more.startsWith('&status') || status === 'active'),
        );
        assert.deepEqual(
          found.toSorted((a, b) => a - b),
          fitting.map(({ id }: Item) => id).toSorted((a: number, b: number) => a - b),
          `${isActive}${more} by ${limit}`,
        );
      }
    }
  }
});

test('every list can be walked by cursor, also without a filter', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  for (let index = 0; index < 5; index += 1) {
    await place(account, { package_id: service.packages.basic, customer: `walked-${account.id}-${index}` });
  }
  for (const list of ['/orders', '/customers', '/ledger']) {
    const all = (await everything(account, list)).map(({ id }) => id);
    const first = await account.get(`${list}?cursor=&limit=2`);
    assert.equal(first.body.data.length, 2);
    const rest = await walk(account, `${list}?`, 2).catch(() => null);
    assert.equal(rest, null, 'without a filter or a cursor a list is paged by number');
    const second = await account.get(`${list}?limit=100&cursor=${first.body.next_cursor}`);
    assert.deepEqual(
      [...first.body.data, ...second.body.data].map(({ id }) => id),
      all,
    );
    assert.equal(second.body.next_cursor, null);
  }
});

test('a filter that cannot be read is refused by its name, and so is a page number beside one', async () => {
  const account = await service.createReseller({ credit: '10.00' });
  const table = `
    /orders?kind=trial                             kind          must be activate, renew, change
    /orders?kind=                                  kind          must not be empty
    /orders?kind=renew&kind=change                 kind          was sent twice
    /orders?status=refunded                        status        must be pending, completed, failed
    /orders?package_id=two                         package_id    must be a whole number above 0
    /orders?package_id=0                           package_id    must be a whole number above 0
    /orders?customer=                              customer      must not be empty
    /orders?customer=%00                           customer      must be valid Unicode without control characters
    /orders?idempotency_key=                       idempotency_key must not be empty
    /orders?created_from=yesterday                 created_from  must look like 2026-01-31 or 2026-01-31T12:00:00Z
    /orders?created_from=2026-02-31                created_from  must look like 2026-01-31 or 2026-01-31T12:00:00Z
    /orders?created_from=2026-01-31T12:00:00       created_from  must look like 2026-01-31 or 2026-01-31T12:00:00Z
    /orders?created_from=2026-01-31T25:00:00Z      created_from  must look like 2026-01-31 or 2026-01-31T12:00:00Z
    /orders?created_from=2026-02-01&created_to=2026-01-31  created_to  must not be before created_from
    /orders?kind=renew&page=1                      page          is not taken with a filter or as CSV: send cursor
    /customers?active=yes                          active        must be true, false
    /customers?status=cancelled                    status        must be active, suspended
    /customers?q=                                  q             must not be empty
    /customers?external_ref=                       external_ref  must not be empty
    /customers?expires_to=2026-13-01               expires_to    must look like 2026-01-31 or 2026-01-31T12:00:00Z
    /ledger?kind=order                             kind          must be charge, refund, credit, debit, reversal, settlement, reinstatement
    /ledger?order_id=-1                            order_id      must be a whole number above 0
    /ledger?created_from=0000-01-01                created_from  must look like 2026-01-31 or 2026-01-31T12:00:00Z`;
  for (const line of table.trim().split('\n')) {
    const [, path = '', field, reason] = /^ *(\S+) +(\S+) +(.+)$/.exec(line) ?? [];
    expectRefusal(await account.get(path), '422 invalid_filter', { field, reason });
  }
  const unknown = await account.get('/orders?colour=red&page=2');
  assert.deepEqual([unknown.status, unknown.body.page, unknown.body.total], [200, 2, 0]);
});

test('a cursor serves its own list, account and filters, and no other', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const other = await service.createReseller({ credit: '100.00' });
  for (const one of [account, other]) {
    for (const index of [1, 2, 3]) {
      await place(one, { package_id: service.packages.basic, customer: `cursed-${one.id}-${index}` });
    }
  }
  const { next_cursor: cursor } = (await account.get('/orders?kind=activate&limit=1')).body;
  const { next_cursor: ledger } = (await account.get('/ledger?kind=charge&limit=1')).body;
  assert.match(cursor, /^[\w-]+\.[\w-]{22}$/);
  assert.equal((await account.get(`/orders?kind=activate&cursor=${cursor}`)).body.data.length, 2);
  assert.equal((await account.get(`/orders?cursor=${cursor}&limit=1&kind=activate`)).body.data.length, 1);
  const [position, signature] = cursor.split('.');
  const forged = Buffer.from('2').toString('base64url');
  for (const [by, path] of [
    [other, `/orders?kind=activate&cursor=${cursor}`],
    [account, `/orders?kind=renew&cursor=${cursor}`],
    [account, `/orders?cursor=${cursor}`],
    [account, `/orders?kind=activate&created_from=2026-01-01&cursor=${cursor}`],
    [account, `/customers?status=active&cursor=${cursor}`],
    [account, `/orders?kind=activate&cursor=${ledger}`],
    [account, `/orders?kind=activate&cursor=${forged}.${signature}`],
    [account, `/orders?kind=activate&cursor=${position}.${'A'.repeat(22)}`],
    [account, `/orders?kind=activate&cursor=${position}`],
    [account, '/orders?kind=activate&cursor=2'],
    [account, `/orders?kind=activate&cursor=${'x'.repeat(3_000)}`],
  ] as const) {
    expectRefusal(await by.get(path), '422 invalid_cursor', {});
  }
  expectRefusal(await account.get(`/orders?cursor=${cursor}&cursor=${cursor}`), '422 invalid_filter', {
    field: 'cursor',
    reason: 'was sent twice',
  });
});
