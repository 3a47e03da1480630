// The documented order of checks: a request that is wrong in two ways gets the code of the earlier check.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { sqlOf, sqlOfAll } from '../harness/group-sql.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount, credit, resetKey } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(async () => {
  // Repair the counts, which this test breaks on purpose, before verification at the end.
  await sqlOfAll(service, mendCounts);
  await service.close();
});

interface Attempt {
  readonly account: TestAccount;
  readonly customer: string;
  key: string;
  method: string;
  path: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  garble: (text: string) => Uint8Array<ArrayBuffer>;
}

type Fault = (attempt: Attempt) => unknown;

const unknownKey = `sk_live_${'0'.repeat(46)}`;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const inBody = (fields: object) => (attempt: Attempt) => Object.assign(attempt.body, fields);
const change = (settings: object) => (attempt: Attempt) => changeAccount(service, attempt.account, settings);

async function placed(account: TestAccount, body: object, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await account.post('/orders', { package_id: service.packages.basic, ...body }, headers);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.order;
}

const faults: Record<string, Fault> = {
  no_key: (attempt) => Object.assign(attempt, { key: '' }),
  unknown_key: (attempt) => Object.assign(attempt, { key: unknownKey }),
  revoked: ({ account }) => resetKey(service, account),
  blocked: change({ blocked: true }),
  api_off: change({ api_enabled: false }),
  elsewhere: change({ allowed_ips: ['192.0.2.1'] }),
  too_often: async ({ account }) => {
    await account.get('/balance');
    await changeAccount(service, account, { rate_limit_per_minute: 1 });
  },
  wrong_path: (attempt) => Object.assign(attempt, { path: '/nowhere' }),
  wrong_method: (attempt) => Object.assign(attempt, { method: 'PUT' }),
  too_large: inBody({ padding: 'x'.repeat(65_536) }),
  compressed: ({ headers }) => Object.assign(headers, { 'content-encoding': 'gzip' }),
  not_json: (attempt) => Object.assign(attempt, { garble: (text: string) => bytesOf(`${text}}`) }),
  not_utf8: (attempt) => {
    const invalid = (text: string) => [...bytesOf(`${text.slice(0, -1)}, "x": "`), 0xff, ...bytesOf('"}')];
    Object.assign(attempt, { garble: (text: string) => Uint8Array.from(invalid(text)) });
  },
  name_type: inBody({ customer_name: 1 }),
  login_type: inBody({ return_login: 'yes' }),
  bad_key: ({ headers }) => Object.assign(headers, { 'idempotency-key': 'has a space' }),
  two_keys: inBody({ idempotency_key: 'another' }),
  no_package: inBody({ package_id: undefined }),
  no_customer: inBody({ customer: undefined }),
  bad_name: inBody({ customer_name: 'a\u0000b' }),
  bad_months: inBody({ months: 2 }),
  disagreement: inBody({ months: 1, period: 'yearly' }),
  bound: ({ account, headers }) =>
    placed(account, { customer: `bound-${account.id}` }, headers['idempotency-key']),
  no_such_package: inBody({ package_id: 2_000_000_000 }),
  retired: (attempt) => inBody({ package_id: service.packages.retired })(attempt),
  trial: (attempt) => inBody({ package_id: service.packages.trial })(attempt),
  missing_order: (attempt) => Object.assign(attempt, { path: '/orders/999999/renew' }),
  foreign: async ({ customer }) => placed(await service.createReseller({ credit: '10.00' }), { customer }),
  too_long: async ({ account, customer }) => {
    for (let years = 1; years <= 9; years += 1) await placed(account, { customer, months: 12 });
    const body = { package_id: service.packages.basic, customer };
    for (let months = 1; months <= 12; months += 1) await account.post('/orders', body);
  },
  plan_changed: ({ account, customer }) => placed(account, { customer, package_id: service.packages.plus }),
  halted: ({ account }) =>
    sqlOf(service, account, 'update accounts set halted_at = now() where id = $1::int', [account.id]),
  full: ({ account }) => setCount(account, 'plan_change_count', 900_000_000),
  poor: async ({ account }) => credit(service, account, `-${(await booksOf(service, account)).balance}`),
};

const mendCounts = `update accounts a set
    order_count = (select count(*) from orders where account_id = a.id),
    customer_count = (select count(*) from customers where account_id = a.id),
    entry_count = (select count(*) from ledger_entries where account_id = a.id),
    plan_change_count = (select count(*) from plan_changes where account_id = a.id)
  where greatest(order_count, customer_count, entry_count, plan_change_count) >= 900000000`;

function setCount(account: TestAccount, counter: string, count: number) {
  const text = `update accounts set ${counter} = $2::int where id = $1::int`;
  return sqlOf(service, account, text, [account.id, count]);
}

const faultNames =
  'bound foreign too_long plan_changed poor halted full too_often elsewhere api_off blocked revoked';
const place = (name: string) => faultNames.split(' ').indexOf(name);

async function expectAnswer(route: string, names: readonly string[], answer: string, field: string) {
  const account = await service.createReseller({ credit: '2000.00' });
  const customer = `checks-${account.id}`;
  const headers = { 'idempotency-key': `key-${account.id}` };
  const common = { account, customer, key: account.key, method: 'POST', headers, garble: bytesOf };
  const attempt: Attempt =
    route === 'place'
      ? { ...common, path: '/orders', body: { package_id: service.packages.basic, customer } }
      : { ...common, path: `/orders/${(await placed(account, { customer })).id}/renew`, body: {} };
  for (const name of names.toSorted((a, b) => place(a) - place(b))) {
    const fault = faults[name];
    assert.ok(fault, `${name} is a fault`);
    await fault(attempt);
  }

  const before = await booksOf(service, account);
  const response = await fetch(`${service.address}/api/v1${attempt.path}`, {
    method: attempt.method,
    headers: {
      ...attempt.headers,
      ...(attempt.key === '' ? {} : { authorization: `Bearer ${attempt.key}` }),
    },
    body: attempt.garble(JSON.stringify(attempt.body)),
  });
  const text = await response.text();
  const refusal = { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  expectRefusal(refusal, answer);
  const { details } = refusal.body.error;
  if (field === '{}') assert.deepEqual(details, {});
  else if (field.includes(',')) assert.deepEqual(Object.keys(details).sort(), field.split(','));
  else if (field.includes('=')) assert.deepEqual(details, { reason: field.slice('reason='.length) });
  else if (field !== '-') {
    assert.deepEqual(Object.keys(details).sort(), ['field', 'reason']);
    assert.equal(details.field, field);
    assert.match(details.reason, /^\w.{1,80}$/);
  }
  assert.deepEqual(await booksOf(service, account), before, 'the books are as they were');
}

/** The number of the check, its fault, a later check's fault, the answer, its details. */
const placing = `
   1  no_key           wrong_path        401 missing_api_key          {}
   1  no_key           wrong_method      401 missing_api_key          {}
   1  no_key           too_large         401 missing_api_key          {}
   1  no_key           not_json          401 missing_api_key          {}
   2  unknown_key      wrong_path        401 invalid_api_key          {}
   2  unknown_key      too_large         401 invalid_api_key          {}
   2  unknown_key      not_json          401 invalid_api_key          {}
   3  revoked          blocked           401 revoked_api_key          {}
   3  revoked          wrong_path        401 revoked_api_key          {}
   4  blocked          api_off           403 account_blocked          {}
   4  blocked          elsewhere         403 account_blocked          {}
   5  api_off          elsewhere         403 api_disabled             {}
   6  elsewhere        too_often         403 ip_not_allowed           {}
   7  too_often        wrong_path        429 rate_limited             limit,retry_after,window_seconds
   7  too_often        wrong_method      429 rate_limited             limit,retry_after,window_seconds
   7  too_often        not_json          429 rate_limited             limit,retry_after,window_seconds
   8  wrong_path       too_large         404 not_found                {}
   8  wrong_path       not_json          404 not_found                {}
   8  wrong_path       compressed        404 not_found                {}
   8  wrong_method     too_large         405 method_not_allowed       {}
   8  wrong_method     not_json          405 method_not_allowed       {}
   8  wrong_method     compressed        405 method_not_allowed       {}
   9  too_large        not_json          413 payload_too_large        -
   9  too_large        compressed        413 payload_too_large        -
  10  not_json         bad_key           400 invalid_json             -
  10  not_utf8         bad_key           400 invalid_json             -
  10  compressed       bad_key           400 invalid_json             -
  10  name_type        bad_key           400 invalid_json             customer_name
  10  login_type       two_keys          400 invalid_json             return_login
  11  bad_key          no_package        422 invalid_idempotency_key  idempotency_key
  11  two_keys         no_package        422 invalid_idempotency_key  idempotency_key
  12  no_package       no_customer       422 invalid_package          package_id
  12  no_package       bad_name          422 invalid_package          package_id
  13  no_customer      bad_months        422 invalid_customer         customer
  13  bad_name         disagreement      422 invalid_customer         customer_name
  14  bad_months       bound             422 invalid_months           months
  14  disagreement     bound             422 invalid_months           months
  15  bound            no_such_package   409 idempotency_conflict     {}
  15  bound            retired           409 idempotency_conflict     {}
  15  bound            poor              409 idempotency_conflict     {}
  16  no_such_package  foreign           422 invalid_package          package_id
  16  retired          foreign           422 package_unavailable      package_id
  16  trial            foreign           422 package_unavailable      package_id
  17  foreign          halted            409 customer_not_yours       {}
  17  foreign          poor              409 customer_not_yours       {}
  18  too_long         poor              422 order_failed             reason=term_too_long
  18  halted           full              422 order_failed             reason=account_halted
  18  full             poor              422 order_failed             reason=account_full
  19  poor             poor              402 insufficient_credit      balance,currency,required`;

/** Whether the order exists belongs to check 16. */
const renewing = `
   8  wrong_method     too_large         405 method_not_allowed       {}
   9  too_large        not_json          413 payload_too_large        -
  10  not_json         bad_key           400 invalid_json             -
  11  bad_key          bad_months        422 invalid_idempotency_key  idempotency_key
  14  bad_months       bound             422 invalid_months           months
  14  bad_months       missing_order     422 invalid_months           months
  15  bound            plan_changed      409 idempotency_conflict     {}
  16  missing_order    poor              404 order_not_found          {}
  18  plan_changed     poor              422 order_failed             reason=plan_changed
  18  too_long         poor              422 order_failed             reason=term_too_long
  18  full             too_long          422 order_failed             reason=account_full
  19  poor             poor              402 insufficient_credit      balance,currency,required`;

for (const [route, table] of Object.entries({ place: placing, renew: renewing })) {
  for (const line of table.trim().split('\n')) {
    const [check, earlier = '', later = '', status, code, details = ''] = line.trim().split(/ +/);
    test(`${route}, check ${check}: ${earlier} and ${later} is ${status} ${code}, and nothing happens`, () =>
      expectAnswer(route, [...new Set([earlier, later])], `${status} ${code}`, details));
  }
}

test('an account is full long before its numbers would run into the ids of the next one', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const path = `/api/admin/v1/accounts/${account.id}`;
  const last = await placed(account, { customer: `full-${account.id}` });
  await setCount(account, 'order_count', 900_000_000);
  const full = '422 order_failed';
  const details = { reason: 'account_full' };
  expectRefusal(await account.post(`/orders/${last.id}/renew`), full, details);
  const trial = { package_id: service.packages.trial, customer: `trial-${account.id}` };
  expectRefusal(await service.admin.post(`${path}/trials`, trial), full, details);
  expectRefusal(await service.admin.post(`${path}/credit`, { amount: '1.00' }), full, details);
  assert.equal(
    (await service.admin.post(`${path}/credit`, { amount: '-90.00' })).status,
    201,
    'what is left goes back',
  );
  for (const counter of ['customer_count', 'entry_count']) {
    const other = await service.createReseller({ credit: '100.00' });
    await setCount(other, counter, 900_000_000);
    const body = { package_id: service.packages.basic, customer: `full-${other.id}` };
    expectRefusal(await other.post('/orders', body), full, details);
  }
});

test('insufficient_credit states the balance, what is required and the currency', async () => {
  const poor = await service.createReseller({ credit: '9.99' });
  const body = { package_id: service.packages.basic, customer: 'too-dear' };
  const details = { balance: '9.99', required: '10.00', currency: 'USD' };
  expectRefusal(await poor.post('/orders', body), '402 insufficient_credit', details);
  await credit(service, poor, '0.01');
  const { order, balance } = (await poor.post('/orders', body)).body;
  assert.equal(balance, '0.00', 'the last cent can be spent');
  const renewal = await poor.post(`/orders/${order.id}/renew`, { months: 12 });
  expectRefusal(renewal, '402 insufficient_credit', { balance: '0.00', required: '96.00', currency: 'USD' });
});

test('with a key that is bound, renewing a foreign, malformed or missing order is answered alike', async () => {
  const account = await service.createReseller({ credit: '10.00' });
  const own = await placed(account, { customer: `own-${account.id}` }, 'bound-key');
  const other = await service.createReseller({ credit: '10.00' });
  const foreign = await placed(other, { customer: `foreign-${account.id}` });
  const renew = (id: number | string) =>
    account.post(`/orders/${id}/renew`, {}, { 'idempotency-key': 'bound-key' });
  const missing = await renew(own.id + 1);
  for (const id of [foreign.id, `0${own.id}`, 'x', '9'.repeat(30)]) {
    const answer = await renew(id);
    assert.deepEqual([answer.status, answer.text], [missing.status, missing.text], `id ${id}`);
  }
});
