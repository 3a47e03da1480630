// Every route of the router, with every kind of caller. Routes without a declaration have a line here, or the test fails.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpenapiDocument } from '../../scripts/docs/openapi-document.ts';
import { storyOf } from '../../scripts/docs/story-requests.ts';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import { sendRequest } from '../../scripts/throwaway/send-request.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { documentedCodes } from '../../src/platform/http/openapi-errors.ts';
import type { DeclaredRoute } from '../../src/platform/http/route-declarations.ts';
import type { Outbound } from '../../src/platform/outbound/outbound.ts';
import { type ErrorCode, errorCatalog } from '../../src/shared/error-catalog.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import {
  accountRoles,
  accountScopes,
  isAdministratorScope,
  keyScopes,
  operatorRoles,
  type Scope,
  scopesOfRole,
} from '../../src/shared/scopes.ts';
import { cookieOf, openPage, pathOfLink } from '../harness/browser-request.ts';
import { makeAdministrator } from '../harness/logged-by-hand.ts';
import { ownPages, type PanelClient, signIn } from '../harness/panel-client.ts';
import { addPerson, peoplePath } from '../harness/people.ts';
import { expectPrivate, expectRefusal } from '../harness/refusals.ts';
import { everyRoute, type Route } from '../harness/route-list.ts';
import { changeAccount, resetKey } from '../harness/shop.ts';

interface Caller {
  readonly name: string;
  readonly key?: string;
  readonly cookie?: string;
  /** How every route behind this guard refuses the caller. null: the caller is admitted, within their role. */
  readonly byKey: string | null;
  readonly bySession: string | null;
  readonly isAdministrator: boolean;
  /** The scopes of a restricted key. If absent, the key has all. */
  readonly scopes?: readonly Scope[];
}

const otherServers: Outbound = {
  send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 1 }),
  problemOf: async () => null,
  close: async () => undefined,
};

const isGate = process.env['TEST_GATE'] === '1';

let service: TestService;
let reseller: TestAccount;
let distributor: TestAccount;
let panel: PanelClient;
let callers: readonly Caller[];
let customerCookie: string;
let routes: readonly DeclaredRoute[];
before(async () => {
  const many = 1_000_000;
  service = await startTestService({
    outbound: otherServers,
    limits: { rates: { failuresPerMinute: many, sessionRequestsPerMinute: many } },
  });
  reseller = await service.createReseller({ credit: '100.00' });
  distributor = await service.createReseller({ group: 'distributor', credit: '100.00' });
  panel = await signIn(service, reseller);
  routes = service.service.app.declaredRoutes;
  customerCookie = await logInCustomer();
  callers = await allCallers();
  const ofRoles = accountRoles.length + operatorRoles.length + 2;
  const ofTests = 2;
  assert.equal(
    callers.length,
    5 + 3 * 3 * 2 + accountScopes.length + keyScopes.length + 2 + ofRoles + ofTests,
  );
  // Databases differ only in statements, so callers who are admitted are enough there.
  const isEmbedded = service.testDatabase.config.kind === 'embedded';
  if (isEmbedded) callers = callers.filter(({ name }) => / in order,|^a customer$/.test(name));
});
after(() => service.close());

async function logInCustomer(): Promise<string> {
  const account = await service.createReseller({ credit: '10.00' });
  const order = { package_id: service.packages.basic, customer: 'a-customer', return_login: true };
  const { login_url: link } = (await account.post('/orders', order)).body;
  const cookie = cookieOf(await openPage(service.address, 'POST', pathOfLink(link)));
  assert.equal((await openPage(service.address, 'GET', '/customer', { cookie })).status, 200);
  return cookie;
}

async function createAdministrator(): Promise<TestAccount> {
  const account = await service.createReseller();
  await makeAdministrator(service, account);
  return account;
}

/** Session guards ignore keys, and key guards ignore sessions. */
async function allCallers(): Promise<readonly Caller[]> {
  const noKey = '401 missing_api_key';
  const noSession = '401 not_signed_in';
  const anonymous = { byKey: noKey, bySession: noSession, isAdministrator: false };
  const replaced = await service.createReseller();
  await resetKey(service, replaced);
  const all: Caller[] = [
    { ...anonymous, name: 'anonymous' },
    { ...anonymous, name: 'a made-up key', key: 'sk_live_nobody', byKey: '401 invalid_api_key' },
    { ...anonymous, name: 'a made-up cookie', cookie: `sellthrough=1.${'A'.repeat(43)}` },
    { ...anonymous, name: 'a replaced key', key: replaced.key, byKey: '401 revoked_api_key' },
    { ...anonymous, name: 'a customer', cookie: customerCookie },
  ];
  const roles = [
    { role: 'reseller', create: () => service.createReseller(), isAdministrator: false },
    {
      role: 'distributor',
      create: () => service.createReseller({ group: 'distributor' }),
      isAdministrator: false,
    },
    { role: 'administrator', create: createAdministrator, isAdministrator: true },
  ];
  const states = [
    { state: 'in order', change: {}, byKey: null, bySession: null },
    {
      state: 'blocked',
      change: { blocked: true },
      byKey: '403 account_blocked',
      bySession: '403 account_blocked',
    },
    { state: 'API off', change: { api_enabled: false }, byKey: '403 api_disabled', bySession: null },
  ];
  for (const { role, create, isAdministrator } of roles) {
    for (const { state, change, byKey, bySession } of states) {
      const account = await create();
      const { cookie } = await signIn(service, account);
      await changeAccount(service, account, change);
      const name = `${role}, ${state}`;
      all.push({ ...anonymous, isAdministrator, name: `${name}, by key`, key: account.key, byKey });
      all.push({ ...anonymous, isAdministrator, name: `${name}, by session`, cookie, bySession });
    }
  }
  const keyOf = async (account: TestAccount, name: string, settings: object): Promise<string> => {
    const made = await service.admin.post(`/api/admin/v1/accounts/${account.id}/keys`, { name, ...settings });
    assert.equal(made.status, 201, made.text);
    return made.body.api_key;
  };
  for (const { create, isAdministrator, each } of [
    { create: () => service.createReseller(), isAdministrator: false, each: accountScopes },
    { create: createAdministrator, isAdministrator: true, each: keyScopes },
  ]) {
    const account = await create();
    for (const scope of each) {
      const name = `${isAdministrator ? 'administrator' : 'reseller'}’s key with ${scope}`;
      const key = await keyOf(account, scope, { scopes: [scope] });
      all.push({ ...anonymous, isAdministrator, name, key, byKey: null, scopes: [scope] });
    }
    const soon = { expires_at: '2026-01-15T12:00:01Z' };
    const ended = await keyOf(account, 'ended', soon);
    all.push({ ...anonymous, isAdministrator, name: 'an expired key', key: ended, byKey: expired });
  }
  for (const { create, isAdministrator, roles: ofAccount } of [
    { create: () => service.createReseller(), isAdministrator: false, roles: accountRoles },
    { create: createAdministrator, isAdministrator: true, roles: operatorRoles },
  ]) {
    const account = await create();
    for (const role of ofAccount) {
      const { cookie } = (await addPerson(service, account, role)).panel;
      const scopes = [...scopesOfRole({ isAdmin: isAdministrator }, role)];
      const name = `${isAdministrator ? 'operator' : 'account'}’s ${role}`;
      all.push({ ...anonymous, isAdministrator, name, cookie, bySession: null, scopes });
    }
    const removed = await addPerson(service, account, 'viewer');
    const gone = await service.admin.send('DELETE', `${peoplePath(account)}/${removed.id}`);
    assert.equal(gone.status, 200, gone.text);
    all.push({ ...anonymous, name: 'someone removed', cookie: removed.panel.cookie });
  }
  // Test mode has no administrators, so what is missing is a scope instead of the account's role.
  for (const [name, account, scopes] of [
    ['reseller’s test key', await service.createReseller(), accountScopes],
    ['administrator’s test key', await createAdministrator(), [...accountScopes, 'product']],
  ] as const) {
    const key = await keyOf(account, 'tests', { test: true });
    all.push({ ...anonymous, isAdministrator: true, name, key, byKey: null, scopes });
  }
  service.clock.seconds += 1;
  return all;
}

const expired = '401 revoked_api_key';

const behind = (guard: DeclaredRoute['guard']) => routes.filter((route) => route.guard === guard);
const isForAdministrators = ({ scopes }: DeclaredRoute) => scopes.some(isAdministratorScope);

/** Routes that change something get a body that is not JSON, so callers who are admitted get a 400 without any effect. */
function send({ method, path }: Route, { key = '', cookie = '' }: Partial<Caller>): Promise<Answer> {
  const headers = { ...ownPages, ...(cookie === '' ? {} : { cookie }) };
  const client = createApiClient(service.address, key === '' ? null : key);
  return client.send(method, path.replace('{id}', '1'), method === 'GET' ? undefined : '{', headers);
}

function expectLetIn(route: DeclaredRoute, answer: Answer, who: string): void {
  const why = `${who}: ${route.method} ${route.path} ${answer.text}`;
  expectPrivate(answer, why);
  if (route.method !== 'GET') expectRefusal(answer, '400 invalid_json', undefined, why);
  else if (route.operationId === 'getTestClock' && !who.includes('test key'))
    expectRefusal(answer, '403 test_mode_only', {}, why);
  else
    assert.ok(answer.status === 200 || (answer.status === 404 && route.codes.includes(codeOf(answer))), why);
}

const codeOf = (answer: Answer): ErrorCode => answer.body?.error?.code;

test('every operation of both documents is declared, and the API’s behind both guards alike', async () => {
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
        assert.deepEqual(
          [...new Set(route.codes)].sort(),
          [...documentedCodes(operation, body)].sort(),
          pattern,
        );
        documented += 1;
      }
    }
  }
  // People never call the product's routes.
  const isOfProduct = ({ path }: DeclaredRoute) => path.startsWith('/api/product/');
  const keyed = behind('key').filter((route) => !isOfProduct(route));
  const ofProduct = behind('key').filter(isOfProduct).length;
  assert.equal(documented, behind('session').length + behind('open').length + ofProduct);
  for (const route of keyed) {
    const path = route.path.replace('/api/', '/panel/api/');
    const ofSession = routes.find((each) => each.path === path && each.method === route.method);
    assert.ok(ofSession, path);
    assert.deepEqual(
      [ofSession.guard, ofSession.scopes, ofSession.operationId],
      ['session', route.scopes, route.operationId],
    );
  }
});

test('each caller reaches the routes whose scopes their role has, is forbidden the others, and passes no other guard', async () => {
  assert.ok(callers.length >= 7);
  assert.ok(behind('key').filter(isForAdministrators).length > 15);
  assert.ok(behind('session').length > behind('key').length + 20);
  for (const route of routes) {
    if (route.guard === 'key')
      assert.equal(isForAdministrators(route), /^\/api\/(?:admin|product)\//.test(route.path), route.path);
    const expectRight = async (caller: Caller) => {
      const refusedBy = { key: caller.byKey, session: caller.bySession, open: null }[route.guard];
      const why = `${caller.name}: ${route.method} ${route.path}`;
      const answer = await send(route, caller);
      if (refusedBy !== null) {
        const details =
          caller.name === 'an expired key' && route.guard === 'key' ? { reason: 'expired' } : {};
        return expectRefusal(answer, refusedBy, details, why);
      }
      const missing = route.scopes.find(
        (scope) =>
          !(caller.scopes?.includes(scope) ?? true) ||
          (isAdministratorScope(scope) && !caller.isAdministrator),
      );
      if (missing === undefined) expectLetIn(route, answer, caller.name);
      else if (isAdministratorScope(missing) && !caller.isAdministrator) {
        expectRefusal(answer, '403 forbidden', {}, why);
      } else expectRefusal(answer, '403 insufficient_scope', { scope: missing }, why);
    };
    await Promise.all(callers.filter((caller) => isTried(caller, route)).map(expectRight));
  }
});

/**
 * A session guard ignores keys, and a key guard ignores sessions, so in the gate only accounts in order try the other kind.
 * The gate also leaves out distributors that are not in order, because the group decides only prices, and repeats only one
 * scope of resellers' keys with administrators' keys. The night tries all callers.
 */
function isTried({ name, scopes, key, cookie }: Caller, { guard }: Pick<DeclaredRoute, 'guard'>): boolean {
  if (!isGate || (key === undefined && cookie === undefined)) return true;
  if (/^distributor, (?:blocked|API off)/.test(name)) return false;
  const repeated: readonly string[] = accountScopes
    .slice(1)
    .map((scope) => `administrator’s key with ${scope}`);
  if (repeated.includes(name)) return false;
  if (guard === 'open' || (guard === 'key') === (key !== undefined)) return true;
  return scopes === undefined && / in order,/.test(name);
}

/** Undocumented routes: the answer to any caller and, if it differs, to the customer. */
const hidden: Readonly<Record<string, { readonly anyone: number; readonly customer?: number }>> = {
  'GET /': { anyone: 302 },
  'GET /healthz': { anyone: 200 },
  'GET /readyz': { anyone: 200 },
  'GET /metrics': { anyone: 200 },
  'HEAD /healthz': { anyone: 200 },
  'HEAD /readyz': { anyone: 200 },
  'HEAD /metrics': { anyone: 200 },
  'GET /api/v1/openapi.json': { anyone: 200 },
  'GET /panel/api/openapi.json': { anyone: 200 },
  // This test runs without built documents.
  'GET /docs': { anyone: 503 },
  'HEAD /docs': { anyone: 503 },
  'GET /docs/': { anyone: 503 },
  'HEAD /docs/': { anyone: 503 },
  'GET /docs/*': { anyone: 503 },
  'HEAD /docs/*': { anyone: 503 },
  'GET /brand/brand.css': { anyone: 200 },
  'GET /brand/icon.svg': { anyone: 404 },
  'GET /brand/logo': { anyone: 404 },
  'GET /customer.css': { anyone: 200 },
  'GET /panel/confirm-address/{token}': { anyone: 410 },
  'POST /panel/confirm-address/{token}': { anyone: 410 },
  'POST /payments/stripe': { anyone: 400 },
  'GET /panel/unsubscribe/{token}': { anyone: 410 },
  'POST /panel/unsubscribe/{token}': { anyone: 410 },
  'POST /panel/unsubscribe/{token}/undo': { anyone: 410 },
  'GET /login/{token}': { anyone: 410 },
  'POST /login/{token}': { anyone: 410 },
  'GET /customer': { anyone: 401, customer: 200 },
  // This comes last, because it signs the customer out.
  'POST /customer/logout': { anyone: 303 },
};

test('every route of the router is declared, or has its line here', () => {
  const named = everyRoute(service.service.app).map(({ method, path }) => `${method} ${path}`);
  const declared = routes.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(named.toSorted(), [...declared, ...Object.keys(hidden)].toSorted());
});

test('routes that no document shows answer everybody alike, but a customer who asks for the own plan', async () => {
  const few = /^(?:anonymous|a customer|a made-up cookie|a replaced key|administrator, in order, by .*)$/;
  for (const [route, { anyone, customer = anyone }] of Object.entries(hidden)) {
    const [method = '', path = ''] = route.split(' ');
    for (const { name, key, cookie } of callers.filter((caller) => !isGate || few.test(caller.name))) {
      const answer = await sendRequest(service.address + path, {
        method,
        headers: {
          ...ownPages,
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(cookie === undefined ? {} : { cookie }),
        },
      });
      const expected = cookie === customerCookie ? customer : anyone;
      assert.equal(answer.status, expected, `${name}: ${route} ${answer.text.slice(0, 200)}`);
    }
  }
});

/** Previews create nothing. order-bulk.test.ts tests foreign ids in bulks. */
const makesNoThingOfItsOwn = new Set(['previewOrder', 'placeOrdersInBulk', 'setUpCard']);

test('what belongs to another account is answered like what does not exist, by its declared code', async () => {
  const document: OpenapiDocument = (await createApiClient(service.address, null).get('/openapi.json')).body;
  const story = storyOf(document);
  const holder = { enabled: true, holder: 'Example Ltd', iban: 'DE89370400440532013000' };
  const payments = { methods: { bank_transfer: holder }, minimum: '1.00', maximum: '500.00' };
  const taken = await service.admin.send('PUT', '/api/admin/v1/payments', payments);
  assert.equal(taken.status, 200, taken.text);
  // Both accounts create one of each thing, so a mixed-up id would return the caller's own.
  for (const { operationId, method, path, body, id, client } of story) {
    if (method !== 'POST' || client !== 'client' || id !== undefined || makesNoThingOfItsOwn.has(operationId))
      continue;
    const transfer = operationId === 'createTopup' ? { method: 'bank_transfer' } : {};
    for (const account of [reseller, distributor]) {
      const own = { ...body, customer: `customer-of-${account.id}`, ...transfer };
      const made = await createApiClient(service.address, account.key).send(method, path, own);
      assert.equal(made.status, 201, `${path} ${made.text}`);
    }
  }
  // Each guard deletes one endpoint. With endpoints, orders also make events.
  for (const host of ['second', 'third']) {
    const made = await reseller.post('/webhooks', { url: `https://${host}.example.com/` });
    assert.equal(made.status, 201, made.text);
  }
  await reseller.post('/orders', { package_id: service.packages.basic, customer: 'one-more' });
  const first = publicId(reseller.id, 1);
  const endpoint = async () => (await reseller.get('/webhooks')).body.data.at(-1)?.id;
  const outsider = await signIn(service, distributor);
  const ofOthers = routes.filter(
    (route) =>
      route.path.includes('{id}') &&
      !isForAdministrators(route) &&
      // Ids of sessions are texts; panel-access.test.ts tests them.
      route.operationId !== 'endSession',
  );
  assert.ok(ofOthers.length > 6);
  for (const { method, path: pattern, operationId, guard, codes } of ofOthers) {
    const isOfWebhook = pattern.includes('/webhooks/{id}');
    const id = String(isOfWebhook ? await endpoint() : first);
    const path = pattern.replace('{id}', id).replace('{event_id}', String(first));
    const name = `${method} ${path}`;
    const example = story.find((step) => step.operationId === operationId)?.body ?? {};
    const body = method === 'GET' ? undefined : example;
    const [notFound, ...others] = codes.filter(
      (code) => errorCatalog[code].status === 404 && !(isOfWebhook && code === 'event_not_found'),
    );
    assert.deepEqual([notFound === undefined, others], [false, []], `${name} declares one code of 404`);
    const sendAs = (key: string, { cookie }: PanelClient) =>
      guard === 'key'
        ? createApiClient(service.address, key).send(method, path, body)
        : createApiClient(service.address, null).send(method, path, body, { cookie, ...ownPages });
    expectRefusal(await sendAs(distributor.key, outsider), `404 ${notFound}`, {}, name);
    const own = await sendAs(reseller.key, panel);
    assert.notEqual(own.status, 404, `${name} exists for its own account: ${own.text}`);
  }
});

/** A line of a bank is booked once, by its own name. */
const ofBankLines = new Set(['importBankStatement', 'assignBankLine', 'ignoreBankLine']);

test('what moves money can be sent again with its idempotency key', () => {
  const moving = behind('key').filter(
    ({ operationId, method, scopes }) =>
      method === 'POST' &&
      !makesNoThingOfItsOwn.has(operationId) &&
      !ofBankLines.has(operationId) &&
      scopes.some((scope) => scope === 'orders:write' || scope === 'admin:credit'),
  );
  assert.ok(moving.length > 2);
  for (const { operationId, isReplayable } of moving) assert.ok(isReplayable, operationId);
});
