// The panel accepts only requests of its own pages with a session. roles-and-routes.test.ts tests roles.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import {
  createPanelClient,
  ownPages,
  type PanelClient,
  signIn,
  testPassword,
} from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { panelRoutes, type Route } from '../harness/route-list.ts';

let service: TestService;
let reseller: TestAccount;
let panel: PanelClient;
let console: PanelClient;
let routes: readonly Route[];
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '1000.00' });
  panel = await signIn(service, reseller);
  console = await signIn(service, service.admin);
  routes = await panelRoutes(service.address);
});
after(() => service.close());

const send = (
  { method, path }: Route,
  headers: Record<string, string>,
  client = createApiClient(service.address, null),
): Promise<Answer> => client.send(method, path, method === 'GET' ? undefined : {}, headers);

test('every route that changes something is refused without, or with a foreign, Origin and Sec-Fetch-Site', async () => {
  const unsafe = routes.filter(({ method }) => method !== 'GET');
  assert.ok(unsafe.length > 20, `${unsafe.length} routes`);
  const own = new URL(service.address);
  const foreign: readonly Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: service.address },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `https://${own.host}` },
    { origin: `http://${own.hostname}:1` },
    { origin: `${service.address}.evil.example` },
    { origin: `${service.address}/` },
  ];
  for (const route of unsafe) {
    for (const headers of foreign) {
      for (const { cookie } of [panel, console]) {
        const why = `${route.method} ${route.path} ${JSON.stringify(headers)}`;
        expectRefusal(await send(route, { ...headers, cookie }), '403 forbidden_origin', {}, why);
      }
    }
  }
  assert.equal((await panel.get('/me')).status, 200, 'no one was signed out');
  for (const headers of [{ origin: service.address }, { origin: 'http://127.0.0.1' }, ownPages]) {
    const answer = await send(
      { method: 'POST', path: '/panel/api/v1/orders/preview' },
      { ...headers, cookie: panel.cookie },
    );
    expectRefusal(answer, '422 invalid_package', undefined, JSON.stringify(headers));
  }
});

test('a session is nothing to the API: it asks for a key', async () => {
  for (const { cookie } of [panel, console]) {
    const client = createApiClient(service.address, null);
    for (const path of ['/api/v1/balance', '/api/v1/orders', '/api/admin/v1/accounts', '/api/v1/nowhere']) {
      expectRefusal(await client.get(path, { cookie, ...ownPages }), '401 missing_api_key', {}, path);
    }
    const order = { package_id: service.packages.basic, customer: 'by-cookie' };
    expectRefusal(await client.post('/orders', order, { cookie, ...ownPages }), '401 missing_api_key');
  }
});

test('unknown paths and methods below the guard are 404 and 405, for the signed-in person', async () => {
  const anonymous = createPanelClient(service.address, '');
  for (const path of [
    '/nowhere',
    '/v1/nowhere',
    '/admin/v1/nowhere',
    '/admin/nowhere',
    '/sessions/a/b',
    '',
  ]) {
    expectRefusal(await console.get(path), '404 not_found', {}, path);
    expectRefusal(await anonymous.get(path), '401 not_signed_in', {}, path);
  }
  const wrong = await console.put('/password', {});
  expectRefusal(wrong, '405 method_not_allowed');
  assert.equal(wrong.headers.get('allow'), 'POST');
  const sessions = await console.post('/sessions', {});
  assert.equal(sessions.headers.get('allow'), 'GET, DELETE');
});

test('bodies are held to the API’s rules: JSON objects of at most 64 KiB', async () => {
  const paths = ['/sign-in', '/password', '/totp', '/api-key/reveal', '/v1/orders/preview'];
  for (const path of paths) {
    for (const text of ['{', '[]', '"x"', '\u0000']) {
      expectRefusal(await panel.post(path, text), '400 invalid_json', undefined, path);
    }
    expectRefusal(await panel.post(path, `{"a":"${'x'.repeat(65_536)}"}`), '413 payload_too_large');
  }
});

test('an order through the panel is an order through the API: the same row, the same replay', async () => {
  const body = {
    package_id: service.packages.basic,
    customer: 'Both.Guards@Example.com',
    return_login: true,
  };
  const key = { 'idempotency-key': 'both-doors' };
  const placed = await panel.post('/v1/orders', body, key);
  assert.equal(placed.status, 201, placed.text);
  const again = await reseller.post('/orders', body, key);
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
  assert.deepEqual(again.body.order, placed.body.order);
  const byPanel = await panel.post('/v1/orders', body, key);
  assert.equal(byPanel.headers.get('idempotent-replayed'), 'true');
  expectRefusal(await panel.post('/v1/orders', { ...body, months: 3 }, key), '409 idempotency_conflict');
  const renewed = await panel.post(`/v1/orders/${placed.body.order.id}/renew`, {});
  assert.equal(renewed.status, 201, renewed.text);
  expectRefusal(await panel.post('/v1/orders', { ...body, customer: 'a b' }), '422 invalid_customer');

  for (const path of [
    '/balance',
    '/packages',
    '/orders?limit=1',
    `/orders/${placed.body.order.id}`,
    '/customers',
    `/customers/${placed.body.order.customer.id}`,
  ]) {
    const [byKey, bySession] = [await reseller.get(path), await panel.get(`/v1${path}`)];
    assert.equal(byKey.status, 200, path);
    assert.deepEqual(bySession.body, byKey.body, path);
  }
  const foreign = await service.createReseller({ credit: '50.00' });
  const theirs = await foreign.post('/orders', { package_id: service.packages.basic, customer: 'theirs' });
  for (const path of ['/v1/orders/', '/orders/'])
    expectRefusal(await panel.get(path + theirs.body.order.id), '404 order_not_found');
  expectRefusal(await panel.get(`/customers/${theirs.body.order.customer.id}`), '404 customer_not_found');
  expectRefusal(
    await panel.post('/v1/orders', { package_id: service.packages.basic, customer: 'theirs' }),
    '409 customer_not_yours',
  );
});

test('the administrator’s API answers the same with a key and with a session', async () => {
  const api = '/admin/v1';
  for (const path of [
    '/accounts',
    `/accounts/${reseller.id}`,
    `/accounts/${reseller.id}/ledger`,
    `/accounts/${reseller.id}/orders`,
    '/packages',
    '/verify',
  ]) {
    const [byKey, bySession] = [await service.admin.get(`/api${api}${path}`), await console.get(api + path)];
    assert.equal(byKey.status, 200, path);
    assert.deepEqual(bySession.body, byKey.body, path);
  }
  const credited = await console.post(`${api}/accounts/${reseller.id}/credit`, { amount: '5' });
  assert.equal(credited.status, 201, credited.text);
  assert.equal(credited.body.entry.actor, 'admin');
  const below = await console.post(`${api}/accounts/${reseller.id}/credit`, {
    amount: '-999999',
    current_password: testPassword,
  });
  expectRefusal(below, '422 insufficient_credit');
});

test('an order that was under way while its account’s rights moved is placed once, and answered', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const client = await signIn(service, account);
  const orders = Array.from({ length: 10 }, (_, index) =>
    client.post('/v1/orders', { package_id: service.packages.basic, customer: `moved-${index}` }),
  );
  // After five changes of rights, an order would be answered 503.
  const changes = Array.from({ length: 4 }, () =>
    service.admin.patch(`/api/admin/v1/accounts/${account.id}`, { allowed_ips: [] }),
  );
  const answers = await Promise.all(orders);
  await Promise.all(changes);
  for (const answer of answers) assert.equal(answer.status, 201, answer.text);
  assert.equal((await client.get('/v1/balance')).body.balance, '0.00');
});
