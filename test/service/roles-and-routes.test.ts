// Every route and every role, from the routes' own declarations: who is let in, who is refused with what, and that
// the declarations are all there and true. A route that is added is in here.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { storyOf } from '../../scripts/docs/api-story.ts';
import type { OpenapiDocument } from '../../scripts/docs/openapi-document.ts';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type ErrorCode, errorCatalogue } from '../../src/contract/error-catalogue.ts';
import { publicId } from '../../src/contract/identifiers.ts';
import { isAdministratorScope } from '../../src/contract/scopes.ts';
import type { DeclaredRoute } from '../../src/http/declared-routes.ts';
import { documentedCodes } from '../../src/http/openapi.ts';
import { ownPages, type PanelClient, signIn } from '../harness/panel-client.ts';
import { expectPrivate, expectRefusal } from '../harness/refusals.ts';
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
  distributor = await service.createReseller({ group: 'distributor', credit: '100.00' });
  panel = await signIn(service, reseller);
  adminPanel = await signIn(service, service.admin);
  routes = service.service.app.declaredRoutes;
});
after(() => service.close());

const behind = (door: DeclaredRoute['door']) => routes.filter((route) => route.door === door);
const isForAdministrators = ({ scopes }: DeclaredRoute) => scopes.some(isAdministratorScope);

/** Routes that change something get a body that is not JSON: whoever is let in is told so, and nothing is done. */
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
  expectPrivate(answer, why);
  if (route.method !== 'GET') expectRefusal(answer, '400 invalid_json', undefined, why);
  else
    assert.ok(answer.status === 200 || (answer.status === 404 && route.codes.includes(codeOf(answer))), why);
}

const codeOf = (answer: Answer): ErrorCode => answer.body?.error?.code;

test('every operation of both documents is declared, and the API’s behind both doors alike', async () => {
  const client = createApiClient(service.address, null);
  let documented = 0;
  for (const path of ['/api/v1/openapi.json', '/panel/api/openapi.json']) {
    const { headers, body } = await client.get(path);
    assert.equal(headers.get('cache-control'), 'no-cache', 'the document is the same for everybody');
    const { paths } = body;
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
  const document: OpenapiDocument = (await createApiClient(service.address, null).get('/openapi.json')).body;
  const story = storyOf(document);
  // Both accounts make one of each thing that can be made, the first of its account: whoever mixed up the accounts of an
  // id would answer with the stranger's own. A customer belongs to one account.
  for (const { method, path, body, id, isAdmin } of story) {
    if (method !== 'POST' || isAdmin || id !== undefined) continue;
    for (const account of [reseller, distributor]) {
      const own = { ...body, customer: `customer-of-${account.id}` };
      const made = await createApiClient(service.address, account.key).send(method, path, own);
      assert.equal(made.status, 201, `${path} ${made.text}`);
    }
  }
  const id = publicId(reseller.id, 1);
  const stranger = await signIn(service, distributor);
  const ofOthers = routes.filter(
    (route) =>
      route.path.includes('{id}') &&
      !isForAdministrators(route) &&
      // A session's id is a text of its own: panel-access.test.ts.
      route.operationId !== 'endSession',
  );
  assert.ok(ofOthers.length > 6);
  for (const { method, path: pattern, operationId, door, codes } of ofOthers) {
    const path = pattern.replace('{id}', String(id));
    const name = `${method} ${path}`;
    const example = story.find((step) => step.operationId === operationId)?.body ?? {};
    const body = method === 'GET' ? undefined : example;
    const [notFound, ...others] = codes.filter((code) => errorCatalogue[code].status === 404);
    assert.deepEqual([notFound === undefined, others], [false, []], `${name} declares one code of 404`);
    const sendAs = (key: string, { cookie }: PanelClient) =>
      door === 'key'
        ? createApiClient(service.address, key).send(method, path, body)
        : createApiClient(service.address, null).send(method, path, body, { cookie, ...ownPages });
    expectRefusal(await sendAs(distributor.key, stranger), `404 ${notFound}`, {}, name);
    const own = await sendAs(reseller.key, panel);
    assert.notEqual(own.status, 404, `${name} exists for its own account: ${own.text}`);
  }
});

test('what moves money can be sent again with its idempotency key', () => {
  const moving = behind('key').filter(
    ({ method, scopes }) =>
      method === 'POST' && scopes.some((scope) => scope === 'orders:write' || scope === 'admin:credit'),
  );
  assert.ok(moving.length > 2);
  for (const { operationId, isReplayable } of moving) assert.ok(isReplayable, operationId);
});
