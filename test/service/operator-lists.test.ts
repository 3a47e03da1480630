// Searches in the console: the audit log, accounts by state, one customer of any account.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { createPanelClient, type PanelClient, signIn, usernameOf } from '../harness/panel-client.ts';
import { addPerson, type TestPerson } from '../harness/people.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount } from '../harness/shop.ts';

const api = '/api/admin/v1';
let service: TestService;
let console: PanelClient;
let acme: TestAccount;
let borg: TestAccount;
let names: { acme: string; borg: string; admin: string };
let support: TestPerson;
let customer: { id: number; reference: string };
before(async () => {
  service = await startTestService();
  acme = await service.createReseller({ credit: '100.00' });
  borg = await service.createReseller({ group: 'distributor', credit: '5.00' });
  console = await signIn(service, service.admin);
  names = {
    acme: await usernameOf(service, acme),
    borg: await usernameOf(service, borg),
    admin: await usernameOf(service, service.admin),
  };
  support = await addPerson(service, service.admin, 'support');
  const placed = await acme.post('/orders', { package_id: service.packages.basic, customer: 'jane' });
  customer = placed.body.order.customer;
});
after(() => service.close());

async function audit(query: string): Promise<Answer['body']['data']> {
  const answer = await console.get(`/admin/audit${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const actionsOf = async (query: string): Promise<string[]> =>
  (await audit(query)).map(({ entry }: { entry: { action: string } }) => entry.action);

test('the audit log is found by who acted, whose it was, what was done and to what, and names what it is about', async () => {
  const { packages, admin } = service;
  const trial = { package_id: packages.trial, customer: 'trying' };
  const given = await admin.post(`${api}/accounts/${acme.id}/trials`, trial);
  assert.equal(given.status, 201, given.text);
  await admin.patch(`${api}/packages/${packages.plus}`, { duration_days: 33 });
  const made = await admin.post(`${api}/accounts/${borg.id}/keys`, { name: 'shop', scopes: ['orders:read'] });
  assert.equal(made.status, 201, made.text);
  const suspend = await support.panel.patch(`/admin/v1/customers/${customer.id}`, { status: 'suspended' });
  assert.equal(suspend.status, 200, suspend.text);

  const [byPerson] = await audit(`?actor=${support.username}&action=customer`);
  assert.deepEqual(byPerson.entry.by, { type: 'person', id: support.id, name: support.username });
  assert.deepEqual(byPerson.target, {
    type: 'customer',
    id: customer.id,
    name: 'jane',
    account: { id: acme.id, username: names.acme },
  });
  assert.deepEqual(await actionsOf(`?actor=person:${support.id}&action=customer.update`), [
    'customer.update',
  ]);
  assert.deepEqual(await actionsOf(`?actor=account:${service.admin.id}&action=customer.update`), [
    'customer.update',
  ]);

  // A trial's entry names its customer by reference.
  const [byTarget] = await audit(`?target=customer:${given.body.customer.id}`);
  assert.equal(byTarget.entry.action, 'customer.grant_trial');
  assert.deepEqual([byTarget.target.id, byTarget.target.name], [given.body.customer.id, 'trying']);
  assert.deepEqual(await actionsOf(`?target=customer:${customer.id}`), ['customer.update']);

  const [ofPackage] = await audit(`?target=package:${packages.plus}&action=package.update`);
  assert.equal(ofPackage.target.type, 'package');
  assert.equal(
    ofPackage.target.name,
    (await admin.get(`${api}/packages/${packages.plus}`)).body.package.name,
  );

  const [ofKey] = await audit(`?account=${names.borg}&action=account.create_key`);
  assert.equal(ofKey.target.name, 'shop');
  assert.deepEqual(ofKey.target.account, { id: borg.id, username: names.borg });
  assert.equal(ofKey.entry.actor.username, names.admin);

  const ofAcme = await actionsOf(`?account=${acme.id}`);
  for (const action of ['account.create', 'account.credit', 'customer.grant_trial', 'customer.update']) {
    assert.ok(ofAcme.includes(action), `${action} is among ${ofAcme}`);
  }
  assert.ok(!ofAcme.includes('account.create_key'), 'what is of another account is not');
  assert.deepEqual(await actionsOf(`?account=${names.acme}&target=package:${packages.plus}`), []);
});

test('a time narrows the audit log to the second, also where clocks disagree by minutes', async () => {
  const noted = async (days: number) => {
    await service.admin.patch(`${api}/packages/${service.packages.plus}`, { duration_days: days });
  };
  const start = service.clock.seconds;
  const at = (seconds: number) => new Date((start + seconds) * 1000).toISOString().replace('.000', '');
  service.clock.seconds = start + 10_000;
  await noted(40);
  // These entries come from a process whose clock is behind.
  service.clock.seconds = start + 9_700;
  await noted(41);
  service.clock.seconds = start + 20_000;
  await noted(42);
  const daysOf = async (query: string) =>
    (await audit(`?action=package.update${query}`)).map(
      ({ entry }: { entry: { after: { duration_days: number } } }) => entry.after.duration_days,
    );
  assert.deepEqual(await daysOf(`&from=${at(9_700)}&to=${at(9_700)}`), [41]);
  assert.deepEqual(await daysOf(`&from=${at(10_000)}&to=${at(19_999)}`), [40]);
  assert.deepEqual(await daysOf(`&from=${at(9_700)}`), [42, 41, 40]);
  assert.deepEqual(await daysOf(`&from=${at(20_001)}`), []);
});

test('pages of the audit log follow each other to the end, and together are the whole', async () => {
  const { body } = await service.admin.get(`${api}/audit?limit=1`);
  for (let days = 50; days < 65; days += 1) {
    await service.admin.patch(`${api}/packages/${service.packages.basic}`, { duration_days: days });
  }
  for (const [query, total] of [
    ['?', body.total + 15],
    [`?target=package:${service.packages.basic}&`, null],
    [`?account=${service.admin.id}&action=package&`, null],
  ] as const) {
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Answer = await console.get(`/admin/audit${query}limit=10&cursor=${cursor}`);
      assert.equal(page.status, 200, page.text);
      seen.push(...page.body.data.map(({ entry }: { entry: { number: number } }) => entry.number));
      cursor = page.body.next_cursor;
    }
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((one, other) => other - one),
      query,
    );
    assert.ok(seen.length >= 15 && (total === null || seen.length === total), `${query}: ${seen.length}`);
  }
});

test('the audit log is also CSV, with all entries that match', async () => {
  const found = await audit('?action=account');
  const file = await console.get('/admin/audit?action=account&format=csv');
  const [header, first, ...others] = file.text.trim().split('\n');
  assert.equal(header, 'number,at,action,subject,target,account,actor,by_type,by_name,before,after');
  const [{ entry }] = found;
  assert.ok(first?.startsWith(`${entry.number},${entry.at},${entry.action},`), first);
  assert.equal(others.length, found.length - 1);
});

test('a filter of the audit log that cannot be read, and a name that no one has, are refused with the field', async () => {
  for (const [query, field] of [
    ['?actor=no-such-at-all', 'actor'],
    ['?account=no-such-at-all', 'account'],
    ['?target=12', 'target'],
    ['?from=yesterday', 'from'],
  ] as const) {
    const answer = await console.get(`/admin/audit${query}`);
    expectRefusal(answer, field === 'from' ? '422 invalid_filter' : '422 validation_failed');
    assert.equal(answer.body.error.details.field, field);
  }
});

interface Listed {
  readonly id: number;
  readonly username: string;
  readonly balance: string;
  readonly customer_count: number;
  readonly last_order_at: string | null;
  readonly outlook: { readonly mrr: string } | null;
}

test('accounts are found by name, group, state and balance, in each order', async () => {
  const found = async (query: string): Promise<string[]> => {
    const answer = await console.get(`/admin/accounts${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.map(({ username }: { username: string }) => username);
  };
  assert.deepEqual(await found('?group=distributor&balance_below=5.01'), [names.borg, names.admin]);
  assert.deepEqual(await found('?balance_below=5.00&group=distributor'), [names.admin]);
  await changeAccount(service, borg, { blocked: true });
  assert.deepEqual(await found('?state=blocked'), [names.borg]);
  await changeAccount(service, borg, { blocked: false, api_enabled: false });
  assert.deepEqual(await found('?state=api_off'), [names.borg]);
  await sqlOf(service, acme, `update accounts set halted_at = now() where id = ${acme.id}`);
  assert.deepEqual(await found('?state=halted'), [names.acme]);
  assert.deepEqual(await found('?state=active'), [names.admin]);
  await sqlOf(service, acme, `update accounts set halted_at = null where id = ${acme.id}`);
  assert.deepEqual(
    await found('?q=RESELLER'),
    [names.borg, names.acme].filter((name) => /reseller/.test(name)),
  );
  for (let count = 0; count < 55; count += 1) {
    const username = `shop-${(count * 7) % 55}`.replace('-', count % 2 === 0 ? '-' : '_');
    assert.equal((await service.admin.post(`${api}/accounts`, { username, group: 'reseller' })).status, 201);
  }
  const highest = {
    customers: ({ customer_count }: Listed) => customer_count,
    last_order: ({ last_order_at: at }: Listed) => (at === null ? 0 : Date.parse(at)),
    mrr: ({ outlook }: Listed) => Number(outlook?.mrr ?? 0),
  };
  for (const sort of ['newest', 'name', 'balance', 'customers', 'last_order', 'mrr'] as const) {
    const all: Listed[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: Answer = await console.get(`/admin/accounts?sort=${sort}&limit=50&cursor=${cursor}`);
      all.push(...body.data);
      assert.equal(body.total, 58, sort);
      cursor = body.next_cursor;
    }
    assert.equal(all.length, 58, sort);
    const sorted = all.toSorted((one, other) => {
      if (sort === 'name') return one.username < other.username ? -1 : 1;
      if (sort === 'customers' || sort === 'last_order' || sort === 'mrr') {
        const compared = highest[sort];
        return compared(other) - compared(one) || other.id - one.id;
      }
      return sort === 'newest'
        ? other.id - one.id
        : Number(one.balance) - Number(other.balance) || one.id - other.id;
    });
    assert.deepEqual(all, sorted, sort);
  }
  const { text } = await console.get('/admin/accounts?sort=mrr&format=csv');
  assert.equal(text.trim().split('\n').length, 59);
  assert.equal((await console.get('/admin/accounts?q=shop&limit=5')).body.total, 55);
  expectRefusal(await console.get('/admin/accounts?state=lost'), '422 invalid_filter');
  expectRefusal(await console.get('/admin/accounts?balance_below=much'), '422 validation_failed');
  expectRefusal(await console.get('/admin/accounts?cursor=a'), '422 invalid_cursor');
});

test('accounts and people are found by e-mail, keys by their last four; a reseller finds its own alone', async () => {
  const { admin } = service;
  await admin.patch(`${api}/accounts/${acme.id}`, { email: 'Office@acme.example' });
  const invited = await admin.post(`${api}/accounts/${borg.id}/people`, {
    username: 'seven',
    role: 'owner',
    email: 'seven@borg.example',
  });
  assert.equal(invited.status, 201, invited.text);
  const made = await admin.post(`${api}/accounts/${borg.id}/keys`, { name: 'Tests', test: true });
  const testKey = made.body.api_key.slice(-4);
  const holders = async (panel: PanelClient, path: string, q: string) => {
    const answer = await panel.get(`${path}?q=${encodeURIComponent(q)}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.data.map((one: { kind: string; account: { id: number }; name: string }) => [
      one.kind,
      one.account.id,
      one.name,
    ]);
  };
  const owner = await signIn(service, borg);
  const ofAll = '/admin/holders';
  for (const [panel, path, q, expected] of [
    [console, ofAll, 'office@ACME.example', [['account', acme.id, names.acme]]],
    [console, ofAll, 'seven@borg.example', [['person', borg.id, 'seven']]],
    [console, ofAll, 'even@borg.example', []],
    [console, ofAll, acme.key.slice(-4), [['key', acme.id, 'First key']]],
    [console, ofAll, testKey, [['key', borg.id, 'Tests']]],
    [console, ofAll, '%@%', []],
    [console, ofAll, '', []],
    [owner, '/holders', 'seven@borg.example', [['person', borg.id, 'seven']]],
    [owner, '/holders', testKey, [['key', borg.id, 'Tests']]],
    [owner, '/holders', 'office@acme.example', []],
    [owner, '/holders', acme.key.slice(-4), []],
  ] as const) {
    assert.deepEqual(await holders(panel, path, q), expected, `${path} ${q}`);
  }
  expectRefusal(await owner.get(`${ofAll}?q=a@b.example`), '403 forbidden');
  const accountsOf = async (q: string) =>
    (await console.get(`/admin/accounts?q=${encodeURIComponent(q)}`)).body.data.map(
      ({ id }: { id: number }) => id,
    );
  assert.deepEqual(await accountsOf('seven@borg.example'), [borg.id]);
  assert.deepEqual(await accountsOf('office@acme.example'), [acme.id]);
  assert.deepEqual(await accountsOf(acme.key.slice(-4)), [acme.id]);
});

test('a customer of any account is shown with their orders and what happened to their plan', async () => {
  const shown = await console.get(`/admin/customers/${customer.id}`);
  assert.equal(shown.status, 200, shown.text);
  assert.deepEqual(shown.body.customer.account, { id: acme.id, username: names.acme });
  assert.equal(shown.body.orders.length, 1);
  const history = await console.get(`/admin/customers/${customer.id}/history`);
  assert.deepEqual(
    history.body.data.map(({ type }: { type: string }) => type),
    ['suspended', 'activated'],
  );
  expectRefusal(await console.get(`/admin/customers/${customer.id + 100}`), '404 customer_not_found');
  expectRefusal(await console.get('/admin/customers/1/history'), '404 customer_not_found');
  const outsider = createPanelClient(service.address, (await signIn(service, acme)).cookie);
  expectRefusal(await outsider.get(`/admin/customers/${customer.id}`), '403 forbidden');
});

interface Ending {
  readonly id: number;
  readonly plan: { readonly expires_at: string };
}

test('customers and orders of all accounts are counted, narrowed to one account, and files', async () => {
  const { basic, plus } = service.packages;
  const order = async (account: TestAccount, name: string, more: object = {}) => {
    const placed = await account.post('/orders', { package_id: basic, customer: name, ...more });
    assert.equal(placed.status, 201, placed.text);
    return placed.body.order;
  };
  const quarterly = await order(acme, 'quarterly', { months: 3 });
  await order(await service.createReseller({ credit: '100.00' }), 'between');
  const monthly = await order(acme, 'monthly', { package_id: plus });
  const found = async (path: string) => {
    const { status, text, body } = await console.get(path);
    assert.equal(status, 200, text);
    return [body.total, body.data.map((row: { id: number }) => row.id)];
  };
  const all = (await console.get('/admin/customers')).body;
  assert.equal(all.total, all.data.length);
  const [total, ids] = await found(`/admin/customers?account_id=${acme.id}`);
  assert.equal(total, ids.length);
  assert.deepEqual(await found(`/admin/customers?account_id=${borg.id}`), [0, []]);
  assert.deepEqual(await found('/admin/customers?account_id=4999999'), [0, []]);
  const bySort = async (sort: string) =>
    (await found(`/admin/customers?account_id=${acme.id}&plan_status=active&sort=${sort}`))[1];
  const soonest = await bySort('expires_at');
  assert.equal(soonest.at(-1), quarterly.customer.id, 'the plan that ends last');
  assert.deepEqual(await bySort('-expires_at'), soonest.toReversed());
  const ends = (rows: readonly Ending[]) =>
    rows.toSorted(
      (one, other) =>
        Date.parse(one.plan.expires_at) - Date.parse(other.plan.expires_at) || one.id - other.id,
    );
  for (const [sort, expected] of [
    ['expires_at', ends(all.data)],
    ['-expires_at', ends(all.data).toReversed()],
  ] as const) {
    const read: Ending[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body }: Answer = await console.get(`/admin/customers?sort=${sort}&limit=2&cursor=${cursor}`);
      read.push(...body.data);
      cursor = body.next_cursor;
    }
    assert.deepEqual(
      read.map(({ id }) => id),
      expected.map(({ id }) => id),
      sort,
    );
  }
  const priced = all.data.find(({ id }: Ending) => id === quarterly.customer.id);
  assert.deepEqual(priced.price, { amount: quarterly.price, months: 3 });
  assert.deepEqual(await found(`/admin/customers?account_id=${borg.id}&words=${monthly.customer.id}`), [
    null,
    [],
  ]);
  const customers = await console.get(`/admin/customers?account_id=${acme.id}&words=monthly&format=csv`);
  const [header = '', line = '', end] = customers.text.split('\n');
  assert.match(header, /,account_id,account$/);
  assert.ok(
    line.startsWith(String(monthly.customer.id)) && line.endsWith(`,${acme.id},"${names.acme}"`),
    line,
  );
  assert.equal(end, '');

  const orders = '/admin/v1/orders';
  const [ordered, everyOrder] = await found(orders);
  assert.equal(ordered, everyOrder.length);
  assert.deepEqual(await found(`${orders}?words=${quarterly.id}`), [null, [quarterly.id]]);
  assert.deepEqual(await found(`${orders}?words=${monthly.customer.id}`), [null, [monthly.id]]);
  assert.deepEqual(await found(`${orders}?words=quarterly`), [null, [quarterly.id]]);
  assert.deepEqual(await found(`${orders}?words=quarterly&account_id=${acme.id}`), [null, [quarterly.id]]);
  assert.deepEqual(await found(`${orders}?words=${quarterly.id}&account_id=${borg.id}`), [null, []]);
  assert.equal((await service.admin.get('/api/admin/v1/orders')).body.total, undefined, 'not in the API');
});

test('accounts are listed and shown with what they bring a month and when their balance runs out', async () => {
  const poor = await service.createReseller({ credit: '12.00' });
  const name = await usernameOf(service, poor);
  const listed = async () => (await console.get(`/admin/accounts?q=${name}`)).body.data[0];
  const nothing = { active_plans: 0, mrr: '0.00', due: '0.00', runs_out_on: null };
  assert.deepEqual([(await listed()).last_order_at, (await listed()).outlook], [null, nothing]);
  const placed = await poor.post('/orders', { package_id: service.packages.basic, customer: 'short' });
  assert.equal(placed.status, 201, placed.text);
  const { order } = placed.body;
  const outlook = {
    active_plans: 1,
    mrr: '10.00',
    due: '10.00',
    runs_out_on: order.expires_at.slice(0, 10),
  };
  const { last_order_at: last, outlook: seen } = await listed();
  assert.deepEqual([last, seen], [order.created_at, outlook]);
  assert.deepEqual((await console.get(`/admin/accounts/${poor.id}/outlook`)).body, { outlook });
  expectRefusal(await console.get('/admin/accounts/999999/outlook'), '404 account_not_found');
});
