// An administrator views a reseller's panel: what is shown, to which roles, for how long, and what is forbidden.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { listAudit } from '../../src/features/audit/read-audit-log.ts';
import { createAccountViews } from '../../src/features/auth/account-views.ts';
import { viewScopes } from '../../src/shared/scopes.ts';
import { makeAdministrator } from '../harness/logged-by-hand.ts';
import { createPanelClient, type PanelClient, signIn } from '../harness/panel-client.ts';
import { addPerson } from '../harness/people.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount } from '../harness/shop.ts';

const many = 1_000_000;
let service: TestService;
let reseller: TestAccount;
let other: TestAccount;
let owner: PanelClient;
let admin: PanelClient;
let customerId: number;
let orderId: number;
before(async () => {
  service = await startTestService({
    limits: { rates: { failuresPerMinute: many, sessionRequestsPerMinute: many } },
  });
  reseller = await service.createReseller({ credit: '100.00' });
  other = await service.createReseller({ credit: '7.00' });
  owner = await signIn(service, reseller);
  admin = await signIn(service, service.admin);
  const placed = await reseller.post('/orders', { package_id: service.packages.basic, customer: 'seen' });
  customerId = placed.body.order.customer.id;
  orderId = placed.body.order.id;
});
after(() => service.close());

const looking = (account: Pick<TestAccount, 'id'> = reseller) => ({ 'x-view-account': String(account.id) });

async function begin(panel: PanelClient, account: Pick<TestAccount, 'id'> = reseller): Promise<Answer> {
  const begun = await panel.post(`/admin/accounts/${account.id}/view`);
  assert.equal(begun.status, 201, begun.text);
  return begun;
}

test('who looks sees what the owner sees, to the byte, and it is in the audit log before that', async () => {
  expectRefusal(await admin.get('/v1/orders', looking()), '403 view_ended');
  const begun = await begin(admin);
  assert.equal(begun.body.until, '2026-01-15T13:00:00Z');
  const [entry] = (await listAudit(service.database, { page: 1, limit: 1 })).entries;
  assert.deepEqual(
    [entry?.action, entry?.subject, entry?.by],
    ['account.view', `account ${reseller.id}`, { type: 'person', id: service.admin.id }],
  );
  for (const path of [
    '/v1/orders?cursor=',
    `/orders/${orderId}`,
    '/v1/customers?words=see',
    `/customers/${customerId}`,
    '/v1/ledger?cursor=',
    '/v1/ledger?format=csv',
    '/v1/statements',
    '/overview',
    '/requests',
    '/people',
    '/keys',
    '/api-key',
    '/v1/packages',
    '/v1/alerts',
    '/v1/webhooks',
    '/v1/forecast',
    '/v1/orders?format=csv',
  ]) {
    const [seen, own] = [await admin.get(path, looking()), await owner.get(path)];
    assert.equal(own.status, 200, `${path} ${own.text}`);
    assert.equal(seen.text, own.text, path);
  }
  const me = (await admin.get('/me', looking())).body;
  assert.deepEqual(me.account, (await owner.get('/me')).body.account);
  const { scopes, person } = (await admin.get('/person', looking())).body;
  assert.deepEqual(scopes, [...viewScopes]);
  assert.equal(person.id, service.admin.id, 'who looks stays who they are');
  assert.equal((await admin.get('/me')).body.account.id, service.admin.id, 'a tab that does not look');
});

test('of every route behind the guard only reads of the account are shown, and nothing is changed', async () => {
  await begin(admin);
  const shownWithoutScope = ['getMe', 'getPerson', 'followChanges'];
  const notShown = ['readEvents'];
  let shown = 0;
  for (const { method, path, operationId, scopes, guard } of service.service.app.declaredRoutes) {
    if (guard !== 'session') continue;
    const id = path.includes('/orders/') ? orderId : customerId;
    const asked = path.replace('/panel/api', '').replace('{id}', String(id)).replace('{month}', '2026-01');
    const send = createSender(method, asked);
    const answer = await send();
    const isRead =
      method === 'GET' &&
      !notShown.includes(operationId) &&
      (shownWithoutScope.includes(operationId) ||
        (scopes.length > 0 && scopes.every((scope) => viewScopes.has(scope))));
    if (!isRead) expectRefusal(answer, '403 view_read_only', undefined, `${method} ${path}`);
    else if (operationId === 'getTestClock') expectRefusal(answer, '403 test_mode_only');
    else assert.ok([200, 404].includes(answer.status), `${method} ${path} ${answer.text}`);
    if (isRead) shown += 1;
  }
  assert.ok(shown > 20, String(shown));
  function createSender(method: string, path: string): () => Promise<Answer> {
    const client = createPanelClient(service.address, admin.cookie);
    if (method === 'GET') return () => client.get(path, looking());
    return () => sendWith(method, path);
  }
});

async function sendWith(method: string, path: string): Promise<Answer> {
  const response = await fetch(`${service.address}/panel/api${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: admin.cookie,
      ...looking(),
    },
    body: '{}',
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? null : JSON.parse(text),
  };
}

test('an hour later, and after leaving, nothing is seen; another account never was', async () => {
  await begin(admin);
  expectRefusal(await admin.get('/v1/orders', looking(other)), '403 view_ended');
  await begin(admin, other);
  assert.equal((await admin.get('/me', looking(other))).body.account.balance, '7.00', 'each tab its account');
  assert.equal((await admin.get('/v1/orders', looking())).body.data.length, 1);
  assert.equal((await admin.delete(`/admin/accounts/${other.id}/view`)).status, 204);
  expectRefusal(await admin.get('/v1/orders', looking(other)), '403 view_ended');
  service.clock.seconds += 3_599;
  assert.equal((await admin.get('/v1/orders', looking())).status, 200);
  service.clock.seconds += 1;
  expectRefusal(await admin.get('/v1/orders', looking()), '403 view_ended');
  for (const account of ['0', 'x', '1e3', '9007198', ' 2', '2,3']) {
    expectRefusal(
      await admin.get('/v1/orders', { 'x-view-account': account }),
      '403 view_ended',
      undefined,
      account,
    );
  }
});

test('a view is of the session that began it, and of administrators alone', async () => {
  await begin(admin);
  const secondSession = await signIn(service, service.admin, { setPassword: false });
  expectRefusal(await secondSession.get('/v1/orders', looking()), '403 view_ended');
  for (const panel of [await signIn(service, other), owner]) {
    expectRefusal(await panel.post(`/admin/accounts/${reseller.id}/view`), '403 forbidden');
    expectRefusal(await panel.get('/v1/orders', looking()), '403 view_ended');
  }
  // This row alone grants nothing, because the session's rights are checked each time.
  await service.database.query({
    name: '',
    text: `insert into account_views select token_hash, ${reseller.id}, now() + interval '100 years' from sessions
      where person_id = ${other.id}`,
  });
  expectRefusal(await (await signIn(service, other)).get('/v1/orders', looking()), '403 view_ended');
  for (const role of ['viewer', 'support', 'finance'] as const) {
    const { panel } = await addPerson(service, service.admin, role);
    await begin(panel);
    assert.equal((await panel.get('/v1/orders', looking())).body.data.length, 1, role);
  }
  const anonymous = createPanelClient(service.address, '');
  expectRefusal(await anonymous.get('/v1/orders', looking()), '401 not_signed_in');
  expectRefusal(
    await service.admin.post(`/panel/api/admin/accounts/${reseller.id}/view`),
    '403 forbidden_origin',
  );
});

test('no administrator’s account is looked at, a blocked one is, tests are not', async () => {
  const colleague = await service.createReseller();
  await begin(admin, colleague);
  await makeAdministrator(service, colleague);
  expectRefusal(await admin.get('/v1/orders', looking(colleague)), '403 view_ended');
  for (const id of [colleague.id, service.admin.id, 4_000_000, 6_000_000]) {
    expectRefusal(await admin.post(`/admin/accounts/${id}/view`), '404 account_not_found');
  }
  await begin(admin);
  const tests = { ...looking(), 'sellthrough-mode': 'test' };
  expectRefusal(await admin.get('/v1/orders', tests), '403 view_read_only');
  await changeAccount(service, reseller, { blocked: true });
  assert.equal((await admin.get('/v1/orders', looking())).body.data.length, 1);
  expectRefusal(await owner.get('/v1/orders'), '403 account_blocked');
  await changeAccount(service, reseller, { blocked: false });
});

test('who looks spends their own limits, and the log of requests names them', async () => {
  await begin(admin);
  // Time stands still, so that no earlier request leaves the minute between the two looks.
  const stopped = performance.now();
  service.clock.monotonic = () => stopped;
  const before = (await admin.get('/usage', looking())).body.used;
  for (let time = 0; time < 5; time += 1) await admin.get('/v1/orders', looking());
  assert.equal((await admin.get('/usage', looking())).body.used, before);
  service.clock.monotonic = null;
  const line = service.logLines.findLast(({ route }) => route === '/panel/api/v1/orders');
  assert.deepEqual([line?.['account'], line?.['viewed_account']], [service.admin.id, reseller.id]);
  const sessions = (await (await signIn(service, reseller)).get('/sessions')).body.data;
  assert.equal(sessions.length, 1, 'the owner’s own');
});

test('what has ended is deleted, and nothing else', async () => {
  await begin(admin, other);
  service.clock.seconds += 3_599;
  await begin(admin);
  service.clock.seconds += 2;
  const { signal } = new AbortController();
  await createAccountViews(service.database, 3_600).deleteEnded(service.clock.seconds, signal);
  const rows = await service.database.query({
    name: '',
    text: `select account_id from account_views where until < now() + interval '50 years'`,
  });
  assert.deepEqual(
    rows.map((row) => row['account_id']),
    [reseller.id],
  );
});
