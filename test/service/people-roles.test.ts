// What each role may do, and that no role can extend it. roles-and-routes.test.ts tries every route.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { scopesOfRole } from '../../src/shared/scopes.ts';
import { ownPages, type PanelClient, signIn, signInAnswer, testPassword } from '../harness/panel-client.ts';
import {
  addPerson,
  choosePassword,
  enableCodes,
  enter,
  ownPassword,
  peoplePath,
  type TestPerson,
  tokenOf,
} from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';

const many = 1_000_000;
const current = { current_password: ownPassword };
const own = { password: ownPassword };
let service: TestService;
let reseller: TestAccount;
let milliseconds = 0;
before(async () => {
  service = await startTestService({
    limits: {
      rates: { failuresPerMinute: many, sessionRequestsPerMinute: many, accessChangesPerHour: many },
    },
  });
  service.clock.monotonic = () => milliseconds;
  reseller = await service.createReseller({ credit: '100.00' });
});
beforeEach(() => {
  milliseconds += 24 * 3_600_000;
});
after(() => service.close());

test('a role has the scopes that it is said to have', () => {
  const scopesOf = (isAdmin: boolean, role: Parameters<typeof scopesOfRole>[1]) =>
    [...scopesOfRole({ isAdmin }, role)].sort();
  const reads = [
    'balance:read',
    'customers:read',
    'events:read',
    'ledger:read',
    'orders:read',
    'packages:read',
    'topups:read',
  ];
  const writes = ['customers:write', 'orders:write', 'topups:write'];
  assert.deepEqual(scopesOf(false, 'viewer'), reads);
  assert.deepEqual(scopesOf(false, 'staff'), [...reads, ...writes].sort());
  assert.deepEqual(scopesOf(true, 'viewer'), [...reads, 'admin:read'].sort());
  assert.deepEqual(scopesOf(true, 'finance'), [...reads, 'admin:read', 'admin:credit'].sort());
  assert.deepEqual(scopesOf(true, 'support'), [...reads, 'admin:read', 'admin:accounts'].sort());
  assert.deepEqual(scopesOf(false, 'finance'), [], 'no role of this kind of account');
  assert.deepEqual(scopesOf(true, 'staff'), []);
});

test('support helps accounts, and moves no money and no prices', async () => {
  const { panel } = await addPerson(service, service.admin, 'support');
  const account = await service.createReseller();
  const path = `/admin/v1/accounts/${account.id}`;
  expectStatus(await panel.patch(path, { display_name: 'Helped' }), 200);
  expectStatus(await panel.post(`${path}/api-key`, current), 201);
  const credit = { amount: '1.00', ...current };
  expectRefusal(await panel.post(`${path}/credit`, credit), '403 insufficient_scope', {
    scope: 'admin:credit',
  });
  // The group determines the account's prices, so changing it needs another scope.
  expectStatus(await panel.patch(path, { group: 'reseller' }), 200);
  expectRefusal(await panel.patch(path, { group: 'distributor' }), '403 insufficient_scope', {
    scope: 'admin:packages',
  });
  const made = (username: string, group: string) => panel.post('/admin/v1/accounts', { username, group });
  expectStatus(await made('helped.by.support', 'reseller'), 201);
  expectRefusal(await made('cheap.friend', 'distributor'), '403 insufficient_scope', {
    scope: 'admin:packages',
  });
  const basic = `/admin/v1/packages/${service.packages.basic}`;
  const prices = { prices: { reseller: { monthly: '0.01' } } };
  expectRefusal(await panel.patch(basic, prices), '403 insufficient_scope', { scope: 'admin:packages' });
  expectRefusal(
    await panel.post(`${basic}/prices`, { from: '2027-01-01T00:00:00Z', ...prices }),
    '403 insufficient_scope',
    { scope: 'admin:packages' },
  );
  const order = { package_id: service.packages.basic, customer: 'of-support' };
  expectRefusal(await panel.post('/v1/orders', order), '403 insufficient_scope', { scope: 'orders:write' });
});

test('support changes nothing of who gets into the operator’s account: neither people, nor keys, nor the owner', async () => {
  const support = await addPerson(service, service.admin, 'support');
  const colleague = await addPerson(service, service.admin, 'viewer');
  const invited = await service.admin.post(peoplePath(service.admin), { username: 'not-yet', role: 'owner' });
  const pending: number = expectStatus(invited, 201).person.id;
  const account = `/admin/v1/accounts/${service.admin.id}`;
  const people = `${account}/people`;
  const { panel } = support;
  const actions: readonly (readonly [string, () => Promise<Answer>])[] = [
    ['promote oneself', () => panel.patch(`${people}/${support.id}`, { role: 'owner', ...current })],
    ['invite an owner', () => panel.post(people, { username: 'my-friend', role: 'owner', ...current })],
    ['invite a viewer', () => panel.post(people, { username: 'my-friend', role: 'viewer', ...current })],
    ['take an invitation', () => panel.post(`${people}/${pending}/invitation`, current)],
    [
      'change an address',
      () => panel.patch(`${people}/${colleague.id}`, { email: 'a@b.example', ...current }),
    ],
    ['remove a colleague', () => remove(panel, `${people}/${colleague.id}`)],
    ['remove the owner', () => remove(panel, `${people}/${service.admin.id}`)],
    ['set the password', () => panel.patch(account, { password: 'support knows it now', ...current })],
    ['set the address', () => panel.patch(account, { email: 'support@b.example', ...current })],
    ['block', () => panel.patch(account, { blocked: true })],
    ['switch the API off', () => panel.patch(account, { api_enabled: false })],
    ['set the allow-list', () => panel.patch(account, { allowed_ips: ['10.0.0.0/8'] })],
    ['take the key', () => panel.post(`${account}/api-key`, current)],
    ['end sessions', () => panel.post(`${account}/end-sessions`)],
    ['switch codes off', () => panel.post(`/admin/accounts/${service.admin.id}/totp/disable`, current)],
  ];
  for (const [name, action] of actions) {
    expectRefusal(await action(), '403 insufficient_scope', { scope: 'admin:credit' }, name);
  }
  for (const [name, action] of [
    ['the own people', () => panel.post('/people', { username: 'my-friend', role: 'owner', ...own })],
    ['the own key', () => panel.post('/api-key/reveal', own)],
    ['the own key', () => panel.post('/api-key/reset', own)],
  ] as const) {
    expectRefusal(await action(), '403 insufficient_scope', undefined, name);
  }
  assert.equal((await panel.get('/person')).body.person.role, 'support');
});

function remove({ cookie }: PanelClient, path: string): Promise<Answer> {
  const client = createApiClient(service.address, null);
  return client.send('DELETE', `/panel/api${path}`, current, { ...ownPages, cookie });
}

test('finance moves money and nothing else', async () => {
  const { panel } = await addPerson(service, service.admin, 'finance');
  const path = `/admin/v1/accounts/${reseller.id}`;
  expectStatus(await panel.post(`${path}/credit`, { amount: '5.00' }), 201);
  for (const answer of [
    await panel.patch(path, { display_name: 'Renamed' }),
    await panel.post('/admin/v1/accounts', { username: 'another', group: 'reseller' }),
    await panel.post(`${path}/people`, { username: 'friend', role: 'owner', ...current }),
    await panel.get(`${path}/people`),
    await panel.post(`${path}/api-key`, current),
  ]) {
    expectRefusal(answer, '403 insufficient_scope', { scope: 'admin:accounts' });
  }
});

test('staff and viewers of an account reach no one of it, and nothing of another one', async () => {
  const other = await service.createReseller();
  const outsider = await addPerson(service, other, 'owner');
  for (const role of ['staff', 'viewer'] as const) {
    const { id, panel } = await addPerson(service, reseller, role);
    const promotion = { role: 'owner', ...own };
    expectRefusal(await panel.patch(`/people/${id}`, promotion), '403 insufficient_scope');
    expectRefusal(
      await panel.post('/people', { username: 'x-friend', ...promotion }),
      '403 insufficient_scope',
    );
    expectRefusal(await panel.get('/people'), '403 insufficient_scope', { scope: 'people:read' });
    expectRefusal(
      await panel.patch(`/admin/v1/accounts/${reseller.id}/people/${id}`, promotion),
      '403 forbidden',
    );
  }
  // Owners cannot find people of other accounts.
  const owner = await addPerson(service, reseller, 'owner');
  for (const id of [outsider.id, other.id, service.admin.id]) {
    expectRefusal(
      await owner.panel.patch(`/people/${id}`, { role: 'viewer', ...own }),
      '404 person_not_found',
    );
    expectRefusal(await owner.panel.delete(`/people/${id}`), '404 person_not_found');
    expectRefusal(await owner.panel.post(`/people/${id}/invitation`, own), '404 person_not_found');
  }
  expectRefusal(
    await service.admin.patch(`${peoplePath(reseller)}/${outsider.id}`, { role: 'viewer' }),
    '404 person_not_found',
  );
});

test('a reseller’s key manages no people', async () => {
  for (const path of [`/people`, `/api/admin/v1/accounts/${reseller.id}/people`]) {
    const answer = await reseller.get(path);
    assert.ok(answer.status === 404 || answer.status === 403, answer.text);
  }
});

async function ownerOf(account: TestAccount): Promise<TestPerson> {
  return addPerson(service, account, 'owner');
}

test('a right password is good for sensitive actions of this session for five minutes, and not a second longer', async () => {
  const account = await service.createReseller();
  const { panel, username } = await ownerOf(account);
  const invite = (name: string, sent: object = {}) =>
    panel.post('/people', { username: name, role: 'viewer', ...sent });
  const missing = await invite('sudo-first');
  expectRefusal(missing, '422 validation_failed');
  assert.equal(missing.body.error.details.field, 'password', 'a sign-in confirms nothing');
  expectRefusal(await invite('sudo-first', { password: 'a guess' }), '403 wrong_password');
  expectRefusal(await invite('sudo-first'), '422 validation_failed', undefined, 'nor does a wrong one');
  assert.equal((await panel.get('/person')).body.reauthenticated_until, null);

  const first = expectStatus(await invite('sudo-first', own), 201);
  assert.notEqual((await panel.get('/person')).body.reauthenticated_until, null);
  service.clock.seconds += 299;
  expectStatus(await panel.post('/api-key/reveal', {}), 200);
  expectStatus(await panel.delete(`/people/${first.person.id}`), 200);
  expectRefusal(await invite('sudo-second', { password: 'a guess' }), '403 wrong_password', {});
  expectStatus(await invite('sudo-second'), 201);
  const elsewhere = await enter(service, username);
  expectRefusal(
    await elsewhere.post('/api-key/reveal', {}),
    '422 validation_failed',
    undefined,
    'another session of the same person',
  );
  service.clock.seconds += 1;
  expectRefusal(await invite('sudo-third'), '422 validation_failed');
  expectRefusal(await panel.post('/api-key/reveal', {}), '422 validation_failed');
  assert.equal((await panel.get('/person')).body.reauthenticated_until, null);
  // Actions do not prolong the confirmation; entering the password again does.
  expectStatus(await panel.post('/api-key/reveal', own), 200);
  service.clock.seconds -= 3_600;
  expectRefusal(await invite('sudo-third'), '422 validation_failed', undefined, 'a clock that was set back');
});

test('what decides who may sign in asks for the password each time, and a new password ends what was confirmed', async () => {
  const account = await service.createReseller();
  const { id, panel } = await ownerOf(account);
  expectStatus(await panel.post('/api-key/reveal', own), 200);
  expectRefusal(await panel.put('/email', { email: 'a@example.com' }), '422 validation_failed');
  const other = await addPerson(service, account, 'viewer');
  const theirs = `/people/${other.id}`;
  expectStatus(await panel.patch(theirs, { role: 'staff' }), 200);
  expectRefusal(await panel.patch(theirs, { email: 'a@example.com' }), '422 validation_failed');
  expectRefusal(await panel.patch(`/people/${account.id}`, { email: '' }), '422 validation_failed');
  expectStatus(await panel.patch(`/people/${id}`, { email: 'a@example.com', ...own }), 200);
  expectRefusal(
    await panel.post('/password', { new_password: 'of the thief’s choice' }),
    '422 validation_failed',
  );
  const invited = await panel.post('/people', { username: 'an-owner-to-be', role: 'owner', ...own });
  const pending: number = expectStatus(invited, 201).person.id;
  const code = await enableCodes(service, other.panel);
  for (const [name, action] of [
    ['invite an owner', () => panel.post('/people', { username: 'a-thief', role: 'owner' })],
    ['make one of a viewer', () => panel.patch(theirs, { role: 'owner' })],
    ['take the link of one', () => panel.post(`/people/${pending}/invitation`, {})],
    ['begin a second factor of the thief’s', () => panel.post('/totp', {})],
    ['switch one off', () => other.panel.post('/totp/disable', { code: code() })],
  ] as const) {
    const answer = await action();
    expectRefusal(answer, '422 validation_failed', undefined, name);
    assert.equal(answer.body.error.details.field, 'password', name);
  }
  expectStatus(await panel.post('/people', { username: 'a-viewer', role: 'viewer' }), 201);
  const changed = await panel.post('/password', { ...current, new_password: 'a fourth battery staple' });
  expectStatus(changed, 204);
  const [cookie = ''] = (changed.headers.getSetCookie()[0] ?? '').split(';');
  const client = createApiClient(service.address, null);
  const after = await client.send('POST', '/panel/api/api-key/reveal', {}, { ...ownPages, cookie });
  expectRefusal(after, '422 validation_failed');

  const admin = await addPerson(service, service.admin, 'owner');
  const path = `/admin/v1/accounts/${account.id}`;
  expectStatus(await admin.panel.post(`${path}/api-key`, current), 201);
  expectStatus(await admin.panel.post(`${path}/api-key`, {}), 201);
  expectRefusal(await admin.panel.patch(path, { password: 'handed over by phone' }), '422 validation_failed');
  expectRefusal(await admin.panel.patch(path, { email: 'a@example.com' }), '422 validation_failed');
  expectStatus(await admin.panel.patch(`${path}${theirs}`, { role: 'viewer' }), 200);
  expectRefusal(await admin.panel.patch(`${path}${theirs}`, { email: '' }), '422 validation_failed');
  expectRefusal(await admin.panel.patch(`${path}${theirs}`, { role: 'owner' }), '422 validation_failed');
  const codesOff = `/admin/accounts/${account.id}/totp/disable`;
  expectRefusal(await admin.panel.post(codesOff, {}), '422 validation_failed');
});

test('a credit above the operator’s limit takes the password, one up to it and a debit do not', async () => {
  const { panel } = await addPerson(service, service.admin, 'finance');
  const path = `/admin/v1/accounts/${reseller.id}/credit`;
  expectStatus(await panel.post(path, { amount: '1000.00' }), 201);
  const asked = await panel.post(path, { amount: '1000.01' });
  expectRefusal(asked, '422 validation_failed');
  assert.equal(asked.body.error.details.field, 'current_password');
  expectRefusal(
    await panel.post(path, { amount: '1000.01', current_password: 'a guess' }),
    '403 wrong_password',
  );
  expectStatus(await panel.post(path, { amount: '1000.01', ...current }), 201);
  expectStatus(await panel.post(path, { amount: '2000' }), 201);
  expectStatus(await panel.post(path, { amount: '-4000.01' }), 201);
  expectRefusal(await panel.post('/admin/v1/accounts/%00/credit', { amount: '1' }), '404 account_not_found');
  expectRefusal(
    await panel.post(path, { amount: '1', idempotency_key: 'a\u0000b' }),
    '422 invalid_idempotency_key',
  );
  const key = `/api/admin/v1/accounts/${reseller.id}/credit`;
  expectStatus(await service.admin.post(key, { amount: '5000.00' }), 201);
});

test('the password of a sensitive action is the person’s own, and guessed no faster than at sign-in', async () => {
  const account = await service.createReseller();
  await signIn(service, account);
  const { panel, username } = await ownerOf(account);
  expectRefusal(
    await panel.post('/api-key/reveal', { password: testPassword }),
    '403 wrong_password',
    {},
    'that of the account’s own login',
  );
  for (let count = 0; count < 4; count += 1)
    expectRefusal(await panel.post('/api-key/reveal', { password: 'a guess' }), '403 wrong_password');
  expectRefusal(await panel.post('/api-key/reveal', own), '429 rate_limited');
  const { data } = (await service.admin.get('/api/admin/v1/audit?limit=20')).body;
  const entries = data.filter(
    ({ action, by }: { action: string; by: { name: string } | null }) =>
      action === 'deed.refuse' && by?.name === username,
  );
  assert.deepEqual(
    entries.map(({ after }: { after: Record<string, unknown> }) => [after['deed'], after['within_the_hour']]),
    [5, 4, 3, 2, 1].map((count) => ['revealApiKey', count]),
  );
  assert.equal(entries[0].subject, `sign-in of account ${account.id}`);
  expectRefusal(await signInAnswer(service.address, { username, password: ownPassword }), '429 rate_limited');
  const colleague = await signIn(service, account, { setPassword: false });
  expectStatus(await colleague.post('/api-key/reveal', { password: testPassword }), 200);
});

test('no person uses up the limit of a colleague, nor do invitations use up that of removals', async () => {
  const limited = await startTestService({ limits: { rates: { panelRequestsPerMinute: 40 } } });
  limited.clock.monotonic = () => 0;
  try {
    const account = await limited.createReseller();
    const viewer = await addPerson(limited, account, 'viewer');
    const key = await limited.admin.post(`/api/admin/v1/accounts/${account.id}/keys`, { name: 'Leaked' });
    for (let count = 0; count < 30; count += 1) expectStatus(await viewer.panel.post('/totp', own), 201);
    expectRefusal(
      await viewer.panel.post('/totp', own),
      '429 rate_limited',
      undefined,
      'a limit of their own',
    );
    while ((await viewer.panel.get('/sessions')).status === 200);
    const owner = await addPerson(limited, account, 'owner');
    const invite = (name: string) => owner.panel.post('/people', { username: name, role: 'viewer', ...own });
    for (let count = 0; count < 30; count += 1) expectStatus(await invite(`one-of-${count}`), 201);
    expectRefusal(await invite('one-too-many'), '429 rate_limited', {
      limit: 30,
      window_seconds: 3_600,
      retry_after: 3_600,
    });
    expectRefusal(await owner.panel.post('/keys', { name: 'x', ...own }), '429 rate_limited');
    expectStatus(await owner.panel.delete(`/keys/${expectStatus(key, 201).key.id}`), 200);
    expectStatus(await owner.panel.delete(`/people/${viewer.id}`), 200);
    expectStatus(await owner.panel.post('/api-key/reset', own), 201);
    expectStatus(await owner.panel.delete('/sessions'), 204);
  } finally {
    await limited.close();
  }
});

test('anyone who needs a second factor does nothing but set one up, and cannot switch it off', async () => {
  const strict = await startTestService({
    environment: { SECOND_FACTOR_ROLES: 'account:owner, operator:finance' },
  });
  try {
    const account = await strict.createReseller({ credit: '50.00' });
    const person = await addPerson(strict, account, 'owner');
    const routes = strict.service.app.declaredRoutes.filter(({ guard }) => guard === 'session');
    const open = ['getMe', 'getPerson', 'beginTotp', 'confirmTotp'];
    for (const { method, path, operationId } of routes) {
      if (open.includes(operationId)) continue;
      const headers = { ...ownPages, cookie: person.panel.cookie };
      const body = method === 'GET' ? undefined : {};
      const answer = await createApiClient(strict.address, null).send(method, path, body, headers);
      expectRefusal(answer, '403 second_factor_required', {}, `${method} ${path}`);
    }
    assert.equal((await person.panel.get('/me')).status, 200);
    assert.equal((await person.panel.get('/person')).body.second_factor_required, true);
    const code = await enableCodes(strict, person.panel);
    const order = { package_id: strict.packages.basic, customer: 'at-last' };
    expectStatus(await person.panel.post('/v1/orders', order), 201);
    const off = await person.panel.post('/totp/disable', { password: ownPassword, code: code() });
    expectRefusal(off, '403 second_factor_required');
    expectStatus(await person.panel.get('/v1/balance'), 200);

    // After an administrator turned it off, set-up starts again. Roles that do not require it are not asked.
    const staff = await addPerson(strict, account, 'staff');
    expectStatus(await staff.panel.get('/v1/balance'), 200);
    expectRefusal(
      await staff.panel.post('/totp/disable', { password: ownPassword, code: '000000' }),
      '409 totp_not_enabled',
    );
    const finance = await addPerson(strict, strict.admin, 'finance');
    expectRefusal(await finance.panel.get('/admin/v1/accounts'), '403 second_factor_required');
    const support = await addPerson(strict, strict.admin, 'support');
    expectStatus(await support.panel.get('/admin/v1/accounts'), 200);
    assert.equal((await account.get('/balance')).status, 200);
    // The new role requires a second factor from the next request on.
    const path = `${peoplePath(account)}/${staff.id}`;
    expectStatus(await strict.admin.patch(path, { role: 'owner' }), 200);
    expectRefusal(await staff.panel.get('/v1/balance'), '403 second_factor_required');
  } finally {
    await strict.close();
  }
});

test('no administrator switches the own second factor off in the console, which asks for no code', async () => {
  const strict = await startTestService({ environment: { SECOND_FACTOR_ROLES: 'operator:owner' } });
  try {
    const panel = await signIn(strict, strict.admin);
    await enableCodes(strict, panel, testPassword);
    const account = await strict.createReseller();
    const disable = (id: number) =>
      panel.post(`/admin/accounts/${id}/totp/disable`, { current_password: testPassword });
    const refused = await disable(strict.admin.id);
    expectRefusal(refused, '422 validation_failed');
    assert.equal(refused.body.error.details.field, 'id');
    assert.equal((await panel.get('/person')).body.person.totp_enabled, true);
    expectRefusal(await disable(account.id), '409 totp_not_enabled', {}, 'but those of others');
  } finally {
    await strict.close();
  }
});

test('a first password is chosen before a second factor is set up', async () => {
  const strict = await startTestService({ environment: { SECOND_FACTOR_ROLES: 'account:owner' } });
  try {
    const made = await strict.admin.post('/api/admin/v1/accounts', {
      username: 'first-time',
      group: 'reseller',
    });
    const { password } = expectStatus(made, 201);
    const panel = await enter(strict, 'first-time', password);
    expectRefusal(await panel.get('/v1/balance'), '403 password_change_required');
    expectRefusal(await panel.post('/totp', { password }), '403 password_change_required');
    expectStatus(
      await panel.post('/password', { current_password: password, new_password: ownPassword }),
      204,
    );
    const again = await enter(strict, 'first-time');
    expectRefusal(await again.get('/v1/balance'), '403 second_factor_required');
    await enableCodes(strict, again);
    expectStatus(await again.get('/v1/balance'), 200);
  } finally {
    await strict.close();
  }
});

test('an unknown name, one of someone removed or only invited, and a wrong password are answered alike', async () => {
  const account = await service.createReseller();
  const gone = await addPerson(service, account, 'viewer');
  expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${gone.id}`), 200);
  const invited = await service.admin.post(peoplePath(account), { username: 'only-invited', role: 'viewer' });
  expectStatus(invited, 201);
  const there = await addPerson(service, account, 'viewer');
  const answers = [];
  for (const username of ['nobody-at-all', gone.username, 'only-invited', there.username]) {
    const answer = await signInAnswer(service.address, { username, password: 'not the right password' });
    expectRefusal(answer, '401 invalid_credentials', {}, username);
    answers.push(answer.body.error);
  }
  for (const error of answers) assert.deepEqual(error, answers[0]);
});

test('wrong tries at the name of one person hold back no other of the account', async () => {
  const account = await service.createReseller();
  const tried = await addPerson(service, account, 'viewer');
  const other = await addPerson(service, account, 'viewer');
  for (let count = 0; count < 5; count += 1)
    await signInAnswer(service.address, { username: tried.username, password: 'a guess' });
  expectRefusal(
    await signInAnswer(service.address, { username: tried.username, password: ownPassword }),
    '429 rate_limited',
  );
  expectStatus(await signInAnswer(service.address, { username: other.username, password: ownPassword }), 200);
});

test('a link chooses the password of its own person alone, and no weak one', async () => {
  const account = await service.createReseller();
  const [first, second] = [
    await service.admin.post(peoplePath(account), { username: 'link-of-one', role: 'owner' }),
    await service.admin.post(peoplePath(account), { username: 'link-of-two', role: 'viewer' }),
  ];
  expectRefusal(
    await choosePassword(service, tokenOf(first), 'link-of-one is my name'),
    '422 validation_failed',
    undefined,
    'it holds the name of the person',
  );
  expectStatus(await choosePassword(service, tokenOf(second), 'the choice of number two'), 204);
  expectRefusal(
    await signInAnswer(service.address, { username: 'link-of-one', password: 'the choice of number two' }),
    '401 invalid_credentials',
  );
  const panel = await enter(service, 'link-of-two', 'the choice of number two');
  assert.equal((await panel.get('/person')).body.person.role, 'viewer');
});
