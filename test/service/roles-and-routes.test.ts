// Every route and every role, from the routes' own declarations: who is let in, who is refused with what, and that
// the declarations are all there and true. A route that is added is in here.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import type { ErrorCode } from '../../src/contract/error-catalogue.ts';
import { isAdministratorScope } from '../../src/contract/scopes.ts';
import type { DeclaredRoute } from '../../src/http/declared-routes.ts';
import { documentedCodes } from '../../src/http/openapi.ts';
import { ownPages, type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { resetKey } from '../harness/shop.ts';

let service: TestService;
let reseller: TestAccount;
let distributor: TestAccount;
let panel: PanelClient;
let adminPanel: PanelClient;
let routes: readonly DeclaredRoute[];
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '100.00' });
  distributor = await service.createReseller({ group: 'distributor' });
  panel = await signIn(service, reseller);
  adminPanel = await signIn(service, service.admin);
  routes = service.service.app.declaredRoutes;
});
after(() => service.close());

const behind = (door: DeclaredRoute['door']) => routes.filter((route) => route.door === door);
const isForAdministrators = ({ scopes }: DeclaredRoute) => scopes.some(isAdministratorScope);

/** What changes something gets a body that is no JSON: who is let in is told so, and nothing is done. */
function send(
  { method, path }: DeclaredRoute,
  key: string | null,
  headers: Record<string, string> = {},
  id = 1,
): Promise<Answer> {
  const body = method === 'GET' ? undefined : '{';
  return createApiClient(service.address, key).send(method, path.replace('{id}', String(id)), body, headers);
}

function expectLetIn(route: DeclaredRoute, answer: Answer): void {
  const why = `${route.method} ${route.path} ${answer.text}`;
  if (route.method !== 'GET') expectRefusal(answer, '400 invalid_json', undefined, why);
  else
    assert.ok(answer.status === 200 || (answer.status === 404 && route.codes.includes(codeOf(answer))), why);
}

const codeOf = (answer: Answer): ErrorCode => answer.body?.error?.code;

test('every operation of both documents is declared, and the API’s behind both doors alike', async () => {
  const client = createApiClient(service.address, null);
  let documented = 0;
  for (const path of ['/api/v1/openapi.json', '/panel/api/openapi.json']) {
    const { paths } = (await client.get(path)).body;
    for (const [pattern, operations] of Object.entries<Record<string, never>>(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        const route = routes.find((each) => each.path === pattern && each.method === method.toUpperCase());
        assert.ok(route, `${method} ${pattern} is declared`);
        assert.deepEqual([...new Set(route.codes)].sort(), [...documentedCodes(operation)].sort(), pattern);
        documented += 1;
      }
    }
  }
  const keyed = behind('key');
  // The twins of the API's routes are among the session's.
  assert.equal(documented, behind('session').length + behind('open').length);
  for (const route of keyed) {
    const path = route.path.replace('/api/', '/panel/api/');
    const twin = routes.find((each) => each.path === path && each.method === route.method);
    assert.ok(twin, path);
    assert.deepEqual(
      [twin.door, twin.scopes, twin.operationId],
      ['session', route.scopes, route.operationId],
    );
  }
});

test('keys: each role reaches the routes whose scopes it has, and is forbidden the others', async () => {
  assert.ok(behind('key').filter(isForAdministrators).length > 15);
  for (const route of behind('key')) {
    const name = `${route.method} ${route.path}`;
    assert.equal(isForAdministrators(route), route.path.startsWith('/api/admin/'), name);
    expectRefusal(await send(route, null), '401 missing_api_key', {}, name);
    expectRefusal(await send(route, 'sk_live_nobody'), '401 invalid_api_key', {}, name);
    for (const { cookie } of [panel, adminPanel])
      expectRefusal(await send(route, null, { cookie, ...ownPages }), '401 missing_api_key', {}, name);
    for (const { key } of [reseller, distributor]) {
      const answer = await send(route, key);
      if (isForAdministrators(route)) expectRefusal(answer, '403 forbidden', {}, name);
      else expectLetIn(route, answer);
    }
    expectLetIn(route, await send(route, service.admin.key));
  }
});

test('keys that were replaced, blocked or switched off reach nothing, an administrator’s neither', async () => {
  const old = await service.createReseller();
  await resetKey(service, old);
  const blocked = await service.createReseller();
  const off = await service.createReseller();
  for (const [{ id }, change] of [
    [blocked, { blocked: true }],
    [off, { api_enabled: false }],
  ] as const)
    assert.equal((await service.admin.patch(`/api/admin/v1/accounts/${id}`, change)).status, 200);
  for (const route of behind('key')) {
    const name = `${route.method} ${route.path}`;
    expectRefusal(await send(route, old.key), '401 revoked_api_key', {}, name);
    expectRefusal(await send(route, blocked.key), '403 account_blocked', {}, name);
    expectRefusal(await send(route, off.key), '403 api_disabled', {}, name);
  }
});

test('sessions: each role reaches the routes whose scopes it has, and is forbidden the others', async () => {
  assert.ok(behind('session').length > behind('key').length + 20);
  for (const route of behind('session')) {
    const name = `${route.method} ${route.path}`;
    for (const key of [null, reseller.key, service.admin.key])
      expectRefusal(await send(route, key, ownPages), '401 not_signed_in', {}, name);
    const answer = await send(route, null, { cookie: panel.cookie, ...ownPages });
    if (isForAdministrators(route)) expectRefusal(answer, '403 forbidden', {}, name);
    else expectLetIn(route, answer);
    expectLetIn(route, await send(route, null, { cookie: adminPanel.cookie, ...ownPages }));
  }
  for (const route of behind('open')) expectLetIn(route, await send(route, null, ownPages));
});

test('what belongs to another account is answered like what does not exist, by its declared code', async () => {
  const order = { package_id: service.packages.basic, customer: 'of-the-reseller' };
  const placed = (await reseller.post('/orders', order)).body.order;
  const stranger = await signIn(service, distributor);
  const ofOthers = routes.filter((route) => route.path.includes('{id}') && !isForAdministrators(route));
  const names: string[] = [];
  for (const route of ofOthers) {
    // A session's id is a text of its own: panel-access.test.ts.
    if (route.operationId === 'endSession') continue;
    const isCustomer = route.path.includes('/customers/');
    const id = isCustomer ? placed.customer.id : placed.id;
    const code = isCustomer ? 'customer_not_found' : 'order_not_found';
    const path = route.path.replace('{id}', String(id));
    const body = route.method === 'GET' ? undefined : {};
    const [key, headers] =
      route.door === 'key' ? [distributor.key, {}] : [null, { cookie: stranger.cookie, ...ownPages }];
    const answer = await createApiClient(service.address, key).send(route.method, path, body, headers);
    expectRefusal(answer, `404 ${code}`, {}, `${route.method} ${path}`);
    assert.ok(route.codes.includes(code), route.operationId);
    names.push(route.operationId);
  }
  assert.deepEqual([...new Set(names)].sort(), [
    'createLoginLink',
    'getCustomer',
    'getCustomerWithOrders',
    'getOrder',
    'getOrderWithEntries',
    'renewOrder',
  ]);
});
