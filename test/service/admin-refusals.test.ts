// Refusals of the administrator's API. validation_failed must name every field with every wrong value.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { reachesService } from '../../scripts/throwaway/front-proxy.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { expectRefusal } from '../harness/refusals.ts';

const api = '/api/admin/v1';
let service: TestService;
let reseller: TestAccount;
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '10.00' });
});
after(() => service.close());

const auditTotal = async () => (await service.admin.get(`${api}/audit?limit=1`)).body.total;

// roles-and-routes.test.ts sends every route as every kind of caller.
test('every route that changes something is forbidden to resellers, also on their own account, with any body', async () => {
  const outsider = createApiClient(service.address, null);
  const { paths } = (await outsider.get('/openapi.json')).body;
  const routes = Object.entries<object>(paths)
    .filter(([path]) => path.startsWith(api))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
    );
  const named = routes.map(({ method, path }) => `${method} ${path.slice(api.length)}`);
  for (const route of [
    'POST /accounts',
    'GET /accounts',
    'GET /accounts/{id}',
    'PATCH /accounts/{id}',
    'POST /accounts/{id}/credit',
    'POST /accounts/{id}/api-key',
    'POST /accounts/{id}/trials',
    'GET /accounts/{id}/ledger',
    'GET /accounts/{id}/orders',
    'GET /accounts/{id}/customers',
    'GET /packages',
    'POST /packages',
    'GET /packages/{id}',
    'PATCH /packages/{id}',
    'PATCH /customers/{id}',
    'GET /audit',
    'GET /verify',
  ]) {
    assert.ok(named.includes(route), `${route} is documented`);
  }
  const before = await auditTotal();
  for (const { path, method } of routes) {
    const own = path.replace('{id}', String(reseller.id));
    if (method === 'GET') continue;
    for (const body of [{}, 'x'.repeat(70_000)])
      expectRefusal(await reseller.send(method, own, body), '403 forbidden', {}, `${method} ${path}`);
  }
  assert.equal(await auditTotal(), before, 'nothing was done');
  const { body } = await reseller.get('/balance');
  assert.equal(body.balance, '10.00');
});

test('accounts, packages and customers that are not there are 404, by any spelling of an id', async () => {
  const { admin } = service;
  for (const id of [
    '999999',
    '0',
    '-1',
    '+1',
    '01',
    'x',
    '1e0',
    '%00',
    '2147483648',
    '9'.repeat(30),
    '9'.repeat(600),
  ].filter(reachesService)) {
    for (const list of ['', '/ledger', '/orders', '/customers']) {
      expectRefusal(await admin.get(`${api}/accounts/${id}${list}`), '404 account_not_found', {}, id);
    }
    expectRefusal(
      await admin.patch(`${api}/accounts/${id}`, { blocked: true }),
      '404 account_not_found',
      {},
      id,
    );
    expectRefusal(
      await admin.post(`${api}/accounts/${id}/credit`, { amount: '1' }),
      '404 account_not_found',
      {},
      id,
    );
    expectRefusal(await admin.post(`${api}/accounts/${id}/api-key`), '404 account_not_found', {}, id);
    expectRefusal(await admin.get(`${api}/packages/${id}`), '404 package_not_found', {}, id);
    expectRefusal(await admin.patch(`${api}/packages/${id}`, { name: 'x' }), '404 package_not_found', {}, id);
  }
});

const junk = [null, true, 1, 1.5, 'x\u0000', '', [], {}, [null], { a: 1 }, '\ud800', '[object Object]'];
const prices = { monthly: '1.00', quarterly: '2.00', yearly: '3.00' };
const newPackage = {
  name: 'P',
  limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
  prices: { reseller: prices, distributor: prices },
};

const bodies: Record<string, { good: Record<string, unknown>; wrong: Record<string, readonly unknown[]> }> = {
  'POST /accounts': {
    good: { username: 'never-made', group: 'reseller' },
    wrong: {
      username: [
        ...junk,
        'ab',
        '-abc',
        'abc-',
        'Abc',
        'a b c',
        'é-long-name',
        'x'.repeat(65),
        'a@b.co',
        undefined,
      ],
      group: [...junk, 'admin', 'Reseller', undefined],
      display_name: [null, 1, [], {}, 'a\u0000b', 'a\nb', '\ud800', 'x'.repeat(121)],
      password: [null, 1, [], '', 'short', 'x'.repeat(201), 'Password2026!', 'only never-made by me'],
      rate_limit_per_minute: [null, 0, -1, 1.5, '60', 1_000_001, Infinity, []],
      allowed_ips: [null, '10.0.0.1', {}, 1],
    },
  },
  'PATCH /accounts/:account': {
    good: {},
    wrong: {
      group: [...junk, 'admin'],
      display_name: [null, 1, [], {}, 'a\u001bb', 'x'.repeat(121)],
      blocked: [null, 0, 1, 'true', [], {}],
      api_enabled: [null, 0, 1, 'false', [], {}],
      rate_limit_per_minute: [null, 0, -5, 0.5, '1', 1_000_001],
      allowed_ips: [null, '10.0.0.1', {}, 1],
      password: [null, 1, '', 'short', 'x'.repeat(201), 'Password2026!'],
    },
  },
  'POST /accounts/:account/credit': {
    good: { amount: '1.00' },
    wrong: {
      amount: [
        ...junk,
        '0',
        '0.00',
        '-0',
        '1.234',
        '1,00',
        '1e3',
        '+1',
        ' 1',
        '1.',
        '.5',
        '0x10',
        '1'.repeat(13),
        100,
        undefined,
      ],
      memo: [null, 1, [], {}, 'a\u0000b', 'x'.repeat(501)],
    },
  },
  'POST /accounts/:account/trials': {
    good: { package_id: 4, customer: 'never-given' },
    wrong: {
      package_id: [null, '4', 1.5, [], {}, true, undefined],
      customer: [null, 1, [], {}, undefined],
      again: [null, 'true', 1, [], {}],
    },
  },
  'POST /packages': {
    good: newPackage,
    wrong: {
      name: [null, 1, '', [], {}, 'a\u0000b', 'x'.repeat(121), undefined],
      features: [null, 'one', {}, 1],
      limits: [null, 1, 'x', [], undefined],
      description: [1, '', ' ', {}, [], 'a\nb', 'x'.repeat(501)],
      periods: [null, 1, 'monthly', {}, [], ['yearly', 'yearly']],
      duration_days: [null, 0, -1, 1.5, '30', 3651],
      trial: [null, 0, 'no', []],
      retired: [null, 1, 'yes', []],
      prices: [null, 1, 'x', [], undefined],
    },
  },
  'PATCH /packages/:package': {
    good: {},
    wrong: {
      name: [null, 1, '', []],
      features: [null, 'one', {}],
      limits: [null, 1, []],
      description: [1, '', ' ', [], 'x'.repeat(501)],
      periods: [null, 'monthly', [], ['monthly', 'yearly', 'monthly']],
      duration_days: [null, 0, '30'],
      trial: [null, true, 'no'],
      retired: [null, 1],
      prices: [null, 1, []],
    },
  },
  'PATCH /customers/:customer': { good: {}, wrong: { status: [...junk, 'Active', 'deleted', undefined] } },
};

for (const [route, { good, wrong }] of Object.entries(bodies)) {
  test(`${route}: every wrong value is validation_failed with its field, and changes nothing`, async () => {
    const order = { package_id: service.packages.basic, customer: 'of-refusals' };
    const placed = await reseller.post('/orders', order, { 'idempotency-key': 'of-refusals' });
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern
      .replace(':account', String(reseller.id))
      .replace(':package', String(service.packages.basic))
      .replace(':customer', String(placed.body.order.customer.id));
    const before = await auditTotal();
    for (const [field, values] of Object.entries(wrong)) {
      for (const value of values) {
        // 1e400 becomes Infinity when parsed, so JSON cannot write it. Insert it as text.
        const text = JSON.stringify({ ...good, [field]: value === Infinity ? '@' : value }).replace(
          '"@"',
          '1e400',
        );
        const answer = await service.admin.send(method, api + path, text);
        const why = `${field}: ${text.slice(0, 100)}`;
        expectRefusal(answer, '422 validation_failed', undefined, why);
        const { field: named, reason } = answer.body.error.details;
        assert.ok(named === field || named.startsWith(`${field}.`), `${why} names ${named}`);
        assert.match(reason, value === null ? /null.* leave it out$/ : /\S/);
      }
    }
    for (const body of ['[]', 'null', '1', '"x"', '{']) {
      const answer = await service.admin.send(method, api + path, body);
      expectRefusal(answer, '400 invalid_json', undefined, body);
    }
    assert.equal(await auditTotal(), before, 'nothing was changed');
  });
}

test('a request without a body is invalid_json wherever the document requires one, and changes nothing', async () => {
  const order = { package_id: service.packages.basic, customer: 'of-refusals' };
  const placed = await reseller.post('/orders', order, { 'idempotency-key': 'of-refusals' });
  const ids: Record<string, number> = {
    accounts: reseller.id,
    orders: placed.body.order.id,
    customers: placed.body.order.customer.id,
    packages: service.packages.basic,
  };
  const { paths } = (await service.admin.get('/openapi.json')).body;
  const before = await auditTotal();
  const required: string[] = [];
  for (const [path, methods] of Object.entries<Record<string, { requestBody?: { required: boolean } }>>(
    paths,
  )) {
    for (const [method, { requestBody }] of Object.entries(methods)) {
      if (requestBody?.required !== true) continue;
      required.push(`${method} ${path}`);
      const own = path.replace(
        /(\w+)\/\{id\}/,
        (_, collection: string) => `${collection}/${ids[collection]}`,
      );
      const client = /^\/api\/(?:admin|product)\//.test(path) ? service.admin : reseller;
      for (const body of [undefined, ''])
        expectRefusal(await client.send(method.toUpperCase(), own, body), '400 invalid_json', {}, path);
    }
  }
  assert.ok(required.includes(`patch ${api}/accounts/{id}`) && required.includes('post /api/v1/orders'));
  assert.equal(await auditTotal(), before);
});

test('members of lists and objects are named by their place', async () => {
  const cases: [string, string, object, string][] = [
    ['POST', '/packages', { ...newPackage, features: ['a', 1] }, 'features.1'],
    ['POST', '/packages', { ...newPackage, features: [''] }, 'features.0'],
    [
      'POST',
      '/packages',
      { ...newPackage, limits: { ...newPackage.limits, accounts: -1 } },
      'limits.accounts',
    ],
    [
      'POST',
      '/packages',
      { ...newPackage, limits: { accounts: 1, posts_per_day: 1 } },
      'limits.ai_images_per_month',
    ],
    ['POST', '/packages', { ...newPackage, prices: { reseller: prices } }, 'prices.distributor'],
    [
      'POST',
      '/packages',
      { ...newPackage, prices: { reseller: prices, distributor: { ...prices, yearly: '-1.00' } } },
      'prices.distributor.yearly',
    ],
    ['POST', '/packages', { ...newPackage, trial: true }, 'prices'],
    ['PATCH', `/packages/${service.packages.trial}`, { prices: { reseller: { monthly: '1.00' } } }, 'prices'],
    [
      'PATCH',
      `/packages/${service.packages.basic}`,
      { prices: { reseller: { monthly: 1 } } },
      'prices.reseller.monthly',
    ],
  ];
  for (const [method, path, body, field] of cases) {
    const answer = await service.admin.send(method, api + path, body);
    expectRefusal(answer, '422 validation_failed', undefined, field);
    assert.equal(answer.body.error.details.field, field);
  }
});

test('bad spellings of addresses are refused, each by its place in the list', async () => {
  const entries = `10.0.0.1/8 999.1.1.1 fe80::1%eth0 fe80::1%1/64 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/08 10.0.0.0/ 10.0.0.0/8/8
    10.0.0 010.0.0.1 10.0.0.256 0x0a.0.0.1 167772160 ::/129 ::1/64 2001:db8::1/32 2001:db8:::1 :: ::g localhost example.com
    * 10.0.0.* 10.0.0.1-10.0.0.9 [::1] 127.0.0.1:80 10.0.0.0/255.0.0.0 ::ffff:10.0.0.1/8 ::ffff:999.0.0.1 10.0.0.1,10.0.0.2`;
  const path = `${api}/accounts/${reseller.id}`;
  for (const entry of [...entries.split(/\s+/), '', ' ', ' 10.0.0.1', '10.0.0.1 ', '10.0.0.1\n', 1, null]) {
    if (entry === '::') continue;
    for (const [place, allowed_ips] of [[entry], ['10.0.0.0/8', entry]].entries()) {
      const answer = await service.admin.patch(path, { allowed_ips });
      expectRefusal(answer, '422 validation_failed', undefined, `"${entry}"`);
      assert.equal(answer.body.error.details.field, `allowed_ips.${place}`, `"${entry}"`);
    }
  }
  const many = Array.from({ length: 101 }, (_, index) => `10.0.0.${index}`);
  expectRefusal(await service.admin.patch(path, { allowed_ips: many }), '422 validation_failed');
  assert.deepEqual((await service.admin.get(path)).body.account.allowed_ips, []);
  const fine = [
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8',
    '192.0.2.1/32',
    '2001:db8::/32',
    '::1/128',
    '::',
    '::ffff:10.0.0.1',
  ];
  assert.deepEqual((await service.admin.patch(path, { allowed_ips: fine })).body.account.allowed_ips, fine);
  await service.admin.patch(path, { allowed_ips: [] });
});

test('unknown fields are ignored, no matter what they hold and however deep', async () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const value of ['1', '"a\\u0000b"', '"\\ud800"', '{"__proto__": null}', deep]) {
    const answer = await service.admin.patch(`${api}/accounts/${reseller.id}`, `{"unknown": ${value}}`);
    assert.equal(answer.status, 200, `${value.slice(0, 30)} ${answer.text}`);
  }
});

test('of parallel requests for one username one gets it, the others are username_taken', async () => {
  const body = { username: 'taken-name', group: 'reseller' };
  const testAccounts = await Promise.all(
    Array.from({ length: 5 }, () => service.admin.post(`${api}/accounts`, body)),
  );
  assert.equal(testAccounts.filter(({ status }) => status === 201).length, 1);
  for (const testAccount of testAccounts)
    if (testAccount.status !== 201) expectRefusal(testAccount, '409 username_taken', {});
});
