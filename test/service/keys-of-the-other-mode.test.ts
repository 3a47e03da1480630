// Calls every declared route in one mode for rows of the other. New routes are included automatically.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operationsOf } from '../../scripts/docs/openapi-document.ts';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { isOfTestMode } from '../../src/features/identity/principal.ts';
import type { DeclaredRoute } from '../../src/platform/http/route-declarations.ts';
import { publicId, realAccountIdMax } from '../../src/shared/identifiers.ts';
import { openPage, pathOfLink } from '../harness/browser-request.ts';
import { ownPages, type PanelClient, signIn, testPassword } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { testModeOf } from '../harness/test-mode.ts';

type Mode = 'live' | 'test';

interface Rows {
  readonly mode: Mode;
  readonly accountId: number;
  readonly reference: string;
  readonly code: string;
  readonly webhookId: number;
  /** A text in all of these rows, except in those fields by which requests name them. */
  readonly marker: string;
}

interface Caller {
  readonly name: string;
  readonly mode: Mode;
  readonly guard: 'key' | 'session';
  readonly key?: string;
  readonly cookie?: string;
}

let service: TestService;
let callers: readonly Caller[];
let rows: readonly Rows[];
let operator: TestAccount;
let operatorTests: TestAccount;
before(async () => {
  const quiet = 1_000_000;
  service = await startTestService({
    environment: { PRODUCT_URL: 'https://product.example/enter' },
    limits: { rates: { failuresPerMinute: quiet, sessionRequestsPerMinute: quiet } },
    outbound: {
      send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 1 }),
      problemOf: async () => null,
      close: async () => undefined,
    },
  });
  operator = service.admin;
  const reseller = await service.createReseller({ credit: '100.00' });
  expectStatus(
    await operator.post(`/api/admin/v1/accounts/${operator.id}/credit`, { amount: '100.00' }),
    201,
  );
  operatorTests = await testModeOf(service, operator);
  const resellerTests = await testModeOf(service, reseller);
  rows = [
    await makeRows('live', reseller),
    await makeRows('live', operator),
    await makeRows('test', resellerTests),
    await makeRows('test', operatorTests),
  ];
  const sessionOf = async (name: string, account: TestAccount): Promise<readonly Caller[]> => {
    const { cookie }: PanelClient = await signIn(service, account);
    return (['live', 'test'] as const).map((mode) => ({
      name: `${name}’s session, ${mode}`,
      mode,
      guard: 'session',
      cookie,
    }));
  };
  callers = [
    { name: 'reseller’s live key', mode: 'live', guard: 'key', key: reseller.key },
    { name: 'operator’s live key', mode: 'live', guard: 'key', key: operator.key },
    { name: 'reseller’s test key', mode: 'test', guard: 'key', key: resellerTests.key },
    { name: 'operator’s test key', mode: 'test', guard: 'key', key: operatorTests.key },
    ...(await sessionOf('reseller', reseller)),
    ...(await sessionOf('operator', operator)),
  ];
});
after(() => service.close());

let made = 0;
async function makeRows(mode: Mode, account: TestAccount): Promise<Rows> {
  const marker = `${mode}-only-${account.id}`;
  made += 1;
  const reference = `named-${mode}-${made}`;
  expectStatus(await account.get('/events'), 200);
  const hook = await account.post('/webhooks', {
    url: `https://${marker}.example.com/`,
    description: marker,
  });
  expectStatus(
    await account.send('PUT', '/alerts', { balance_below: '1.00', emails: [`${marker}@example.com`] }),
    200,
  );
  const order = { package_id: service.packages.basic, customer: reference, return_login: true };
  const placed = expectStatus(await account.post('/orders', { ...order, customer_name: marker }), 201);
  const customerPath = `/customers/${placed.order.customer.id}`;
  expectStatus(await account.patch(customerPath, { external_ref: marker }), 200);
  expectStatus(await account.send('PUT', `${customerPath}/auto-renew`, { months: 1 }), 200);
  const opened = await openPage(service.address, 'POST', pathOfLink(placed.login_url));
  const code = new URL(opened.headers.get('location') ?? '').searchParams.get('code');
  assert.ok(code, 'the login link leads to the product with a code');
  return {
    mode,
    accountId: account.id,
    reference,
    code,
    webhookId: expectStatus(hook, 201).webhook.id,
    marker,
  };
}

/** A field or parameter of this name means the same kind of row in every route. */
const namedBy = (name: string, { accountId, reference, code, webhookId }: Rows): unknown => {
  const first = publicId(accountId, 1);
  const values: Readonly<Record<string, unknown>> = {
    customer: reference,
    customer_id: first,
    reference,
    code,
    order_id: first,
    renew: first,
    event_id: first,
    after: String(first),
    account_id: accountId,
    webhook_id: webhookId,
    actor_id: accountId,
    q: reference,
    external_ref: reference,
  };
  return values[name];
};

function idOf(collection: string, { accountId, webhookId }: Rows): number {
  if (collection === 'accounts') return accountId;
  return collection === 'webhooks' ? webhookId : publicId(accountId, 1);
}

/** The schema's example, with names of rows replaced. */
function renamed(value: unknown, target: Rows): unknown {
  if (Array.isArray(value)) return value.map((each) => renamed(each, target));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'idempotency_key');
  return Object.fromEntries(
    fields.map(([name, inner]) => [name, namedBy(name, target) ?? renamed(inner, target)]),
  );
}

let documented: ReturnType<typeof operationsOf>;

/** The cursor before all accounts' first customer, as in next_after. */
const firstOfAll = 'a.0.0.0';

interface Asked {
  readonly path: string;
  readonly body?: unknown;
}

/** A request with the schema's example, and one for each filter that can name a row. */
async function requestsOf(route: DeclaredRoute, target: Rows): Promise<readonly Asked[]> {
  if (documented === undefined) {
    const client = createApiClient(service.address, null);
    const paths = ['/api/v1/openapi.json', '/panel/api/openapi.json'];
    const documents = await Promise.all(paths.map(async (path) => (await client.get(path)).body));
    documented = documents.flatMap((document) => operationsOf(document));
  }
  const place = documented.find(({ operation }) => operation.operationId === route.operationId);
  assert.ok(place, `${route.operationId} is documented`);
  const { parameters = [], requestBody } = place.operation;
  const path = route.path
    .replace(/\/([a-z-]+)\/\{id\}/, (_, collection) => `/${collection}/${idOf(collection, target)}`)
    .replace(/\{(\w+)\}/g, (_, name) =>
      String(namedBy(name, target) ?? (name === 'month' ? '2026-01' : '1')),
    );
  if (route.method === 'GET') {
    const isCopy = route.operationId === 'readEntitlements';
    const filters = parameters.flatMap(({ in: where, name }) => {
      const named = isCopy && name === 'after' ? firstOfAll : namedBy(name, target);
      const value = where === 'query' ? named : undefined;
      return value === undefined ? [] : [{ path: `${path}?${name}=${encodeURIComponent(String(value))}` }];
    });
    return [{ path }, ...filters];
  }
  const { example = {}, schema } = requestBody?.content['application/json'] ?? {};
  const named = Object.keys(schema?.properties ?? {}).flatMap((name) => {
    const value = namedBy(name, target);
    return value === undefined || name in example ? [] : [[name, value]];
  });
  const password =
    route.sensitiveAction === null ? {} : { [route.sensitiveAction.passwordField]: testPassword };
  const whole = { ...Object(renamed(example, target)), ...password };
  const alone = named.map(([name, value]) => ({ path, body: { [String(name)]: value, ...password } }));
  return [{ path, body: whole }, ...alone];
}

async function ask(route: DeclaredRoute, caller: Caller, { path, body }: Asked): Promise<Answer> {
  const client = createApiClient(service.address, caller.key ?? null);
  return client.send(route.method, path, body, {
    ...ownPages,
    ...(caller.cookie === undefined ? {} : { cookie: caller.cookie }),
    ...(caller.guard === 'session' && caller.mode === 'test' ? { 'sellthrough-mode': 'test' } : {}),
  });
}

/** Tables that any use of a key or session changes. Reading a feed moves events from the inbox to the stream. */
const changedByAsking = new Set([
  'event_inbox',
  'event_stream',
  'api_requests',
  'api_request_bodies',
  'api_request_counts',
  'api_keys',
  'sessions',
  'keyed_changes',
  'refusal_account_days',
  'known_addresses',
]);

async function rowsOfMode(mode: Mode): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const tables = await service.database.query({
    name: '',
    text: `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and (column_name = 'account_id' or (table_name = 'accounts' and column_name = 'id'))
        and table_name in (select tablename from pg_tables where schemaname = 'public')`,
  });
  for (const table of tables) {
    const name = String(table['table_name']);
    if (changedByAsking.has(name)) continue;
    const whose = `${table['column_name']} ${mode === 'live' ? '<=' : '>'} ${realAccountIdMax}`;
    const text = `select t::text as line from ${name} t where ${whose} order by 1`;
    found.set(
      name,
      (await service.database.query({ name: '', text })).map((row) => String(row['line'])),
    );
  }
  return found;
}

/** Only session routes with test mode are called. The others show live data and say so. */
function isAsked(route: DeclaredRoute, caller: Caller): boolean {
  if (route.guard !== caller.guard || route.scopes.length === 0) return false;
  return caller.guard === 'key' || isOfTestMode(route.scopes);
}

for (const mode of ['live', 'test'] as const) {
  const other = mode === 'live' ? 'test' : 'live';
  test(`no ${mode} caller reads or changes a ${other} row, by any declared route${mode === 'live' ? ' @nightly' : ''}`, async () => {
    const targets = rows.filter((each) => each.mode === other);
    const before = await rowsOfMode(other);
    assert.ok([...before.values()].flat().join().includes('named-'), 'there are rows to reach');
    let asked = 0;
    for (const route of service.service.app.declaredRoutes) {
      const askedBefore = asked;
      for (const caller of callers.filter((each) => each.mode === mode && isAsked(route, each))) {
        for (const target of targets)
          for (const request of await requestsOf(route, target)) {
            const answer = await ask(route, caller, request);
            const why = `${caller.name}: ${route.method} ${request.path}: ${answer.text.slice(0, 500)}`;
            assert.notEqual(answer.status, 401, why);
            assert.ok(!answer.text.includes(target.marker), `shows a ${other} row to ${why}`);
            assert.ok(answer.status < 500, why);
            asked += 1;
          }
      }
      if (asked === askedBefore) continue;
      const now = await rowsOfMode(other);
      assert.deepEqual(now, before, `${route.method} ${route.path} changes a ${other} row`);
    }
    assert.ok(asked > 200, `${asked} requests`);
  });
}

test('a code opens for the product of its own mode, after the other one has tried it', async () => {
  for (const mode of ['live', 'test'] as const) {
    const [own, foreign] = mode === 'live' ? [operator, operatorTests] : [operatorTests, operator];
    for (const path of ['/api/admin/v1/login-codes/exchange', '/api/product/v1/login-codes/exchange']) {
      const { code, marker } = await makeRows(mode, own);
      expectRefusal(await foreign.post(path, { code }), '404 customer_not_found', {}, `${mode} ${path}`);
      const { customer } = expectStatus(await own.post(path, { code }), 200);
      assert.equal(customer.name, marker);
    }
  }
});
