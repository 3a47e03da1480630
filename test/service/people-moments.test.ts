// A person is removed or given another role at the worst moment of a request.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createAccount } from '../../src/features/accounts/account-store.ts';
import { signIn, testPassword } from '../harness/panel-client.ts';
import { addPerson, ownPassword, peoplePath, type TestPerson } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { createWorstMoments } from '../harness/worst-moment.ts';

const { wrapDatabase, sent } = createWorstMoments();

let service: TestService;
let account: TestAccount;
let owner: TestPerson;
before(async () => {
  service = await startTestService({ wrapDatabase });
});
after(() => service.close());
beforeEach(async () => {
  account = await service.createReseller({ credit: '100.00' });
  owner = await addPerson(service, account, 'owner');
});

const pathOf = ({ id }: TestPerson) => `${peoplePath(account)}/${id}`;
const removal = async () => expectStatus(await service.admin.send('DELETE', pathOf(owner)), 200);
const demotion = async () => expectStatus(await service.admin.patch(pathOf(owner), { role: 'viewer' }), 200);

test('an order of someone who is removed or demoted after the guard let it in is not carried out', async () => {
  for (const [happens, expected] of [
    [demotion, '403 insufficient_scope'],
    [removal, '401 not_signed_in'],
  ] as const) {
    const order = { package_id: service.packages.basic, customer: 'too-late' };
    const answer = await sent('find_session', happens, () => owner.panel.post('/v1/orders', order));
    expectRefusal(answer, expected);
    assert.equal((await account.get('/balance')).body.balance, '100.00');
    if (happens === demotion) {
      expectStatus(await service.admin.patch(pathOf(owner), { role: 'owner' }), 200);
    }
  }
});

test('a sensitive action of someone who is removed while the password is looked at is not done', async () => {
  const key = account.key;
  const reset = () => owner.panel.post('/api-key/reset', { password: ownPassword });
  expectRefusal(await sent('find_password_hash', removal, reset), '401 not_signed_in');
  assert.equal((await account.get('/balance')).status, 200, `${key.slice(-4)} is still the key`);
});

test('nor is a new password set, which would not restore the person', async () => {
  const own = { id: account.id };
  const change = { current_password: ownPassword, new_password: 'of someone who is gone' };
  const password = () => owner.panel.post('/password', change);
  expectRefusal(await sent('confirm_session', removal, password), '401 not_signed_in');
  const people = (await service.admin.get(peoplePath(account))).body.data;
  assert.deepEqual(
    people.map(({ id }: { id: number }) => id),
    [own.id],
  );
});

test('an account’s own login that is removed while it changes its password stays removed', async () => {
  const login = await signIn(service, account);
  const change = { current_password: testPassword, new_password: 'of someone who is gone' };
  const removed = async () =>
    expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${account.id}`), 200);
  const answer = await sent('confirm_session', removed, () => login.post('/password', change));
  expectRefusal(answer, '401 not_signed_in');
  const people = (await service.admin.get(peoplePath(account))).body.data;
  assert.deepEqual(
    people.map(({ id }: { id: number }) => id),
    [owner.id],
  );
});

test('nor is a key shown, replaced or held to addresses by someone who is demoted meanwhile', async () => {
  const confirmed = { password: ownPassword };
  const lacking = { scope: 'keys:write' };
  const list = { allowed_ips: ['127.0.0.1'] };
  const actions: readonly (readonly [string, () => Promise<Answer>])[] = [
    ['confirm_session', () => owner.panel.post('/api-key/reveal', confirmed)],
    ['confirm_session', () => owner.panel.post('/api-key/reset', confirmed)],
    ['confirm_session', () => owner.panel.post('/keys', { name: 'Too late', ...confirmed })],
    ['find_session', () => owner.panel.put('/allow-list', list)],
  ];
  for (const [statement, action] of actions) {
    expectRefusal(await sent(statement, demotion, action), '403 insufficient_scope', lacking);
    expectStatus(await service.admin.patch(pathOf(owner), { role: 'owner' }), 200);
  }
  expectStatus(await account.get('/balance'), 200);
});

test('what the operator’s people ask for takes their role at the moment it is done', async () => {
  const chief = await addPerson(service, service.admin, 'owner');
  const path = `${peoplePath(service.admin)}/${chief.id}`;
  const become = (role: string) => async () => expectStatus(await service.admin.patch(path, { role }), 200);
  const confirmed = { current_password: ownPassword };
  const of = ({ id }: Pick<TestAccount, 'id'>) => `/admin/v1/accounts/${id}`;
  const own = of(service.admin);
  const { panel } = chief;
  const actions: readonly (readonly [string, string, string, () => Promise<Answer>])[] = [
    ['viewer', 'confirm_session', 'admin:accounts', () => panel.post(`${of(account)}/api-key`, confirmed)],
    [
      'finance',
      'confirm_session',
      'admin:accounts',
      () => panel.post(`${of(account)}/keys`, { name: 'Too late', ...confirmed }),
    ],
    [
      'support',
      'confirm_session',
      'admin:credit',
      () => panel.patch(own, { password: 'of someone who is support', ...confirmed }),
    ],
    ['support', 'confirm_session', 'admin:credit', () => panel.post(`${own}/api-key`, confirmed)],
    [
      'support',
      'confirm_session',
      'admin:credit',
      () => panel.post(`${own}/keys`, { name: 'x', ...confirmed }),
    ],
    ['support', 'find_session', 'admin:packages', () => panel.patch(of(account), { group: 'distributor' })],
    [
      'support',
      'find_session',
      'admin:credit',
      () => panel.post(`${of(account)}/credit`, { amount: '1.00' }),
    ],
    [
      'viewer',
      'confirm_session',
      'admin:credit',
      () => panel.post(`${of(account)}/credit`, { amount: '5000.00', ...confirmed }),
    ],
  ];
  for (const [role, statement, scope, action] of actions) {
    const answer = await sent(statement, become(role), action);
    expectRefusal(answer, '403 insufficient_scope', { scope }, `${role}, ${scope}`);
    await become('owner')();
  }
  const { account: after } = (await service.admin.get(`/api/admin/v1/accounts/${account.id}`)).body;
  assert.deepEqual([after.group, after.balance], ['reseller', '100.00']);
});

test('a person who was made support meanwhile lets no one into another administrator’s account', async () => {
  const chief = await addPerson(service, service.admin, 'owner');
  const path = `${peoplePath(service.admin)}/${chief.id}`;
  const demoted = async () => expectStatus(await service.admin.patch(path, { role: 'support' }), 200);
  const other = await createAccount(
    service.database,
    service.service.seal,
    {
      username: 'another-administrator',
      displayName: 'Another administrator',
      group: 'distributor',
      isAdmin: true,
      passwordHash: null,
      rateLimitPerMinute: 60,
      allowedIps: [],
    },
    { actorId: null, now: service.clock.seconds },
  );
  const invitation = { username: 'let.in.by.support', role: 'owner', current_password: ownPassword };
  const invite = () => chief.panel.post(`/admin/v1/accounts/${other?.account.id}/people`, invitation);
  expectRefusal(await sent('confirm_session', demoted, invite), '403 insufficient_scope', {
    scope: 'admin:credit',
  });
});

test('a person who is removed or demoted right before cannot invite, change or remove people', async () => {
  const colleague = await addPerson(service, account, 'viewer');
  const confirmed = { password: ownPassword };
  const actions: readonly (() => Promise<Answer>)[] = [
    () => owner.panel.post('/people', { username: 'too.late', role: 'owner', ...confirmed }),
    () => owner.panel.patch(`/people/${colleague.id}`, { role: 'owner', ...confirmed }),
    () => owner.panel.patch(`/people/${owner.id}`, { role: 'owner', ...confirmed }),
    () => owner.panel.put('/email', { email: 'too.late@example.com', ...confirmed }),
  ];
  for (const action of actions.slice(0, 3)) {
    expectRefusal(await sent('confirm_session', demotion, action), '403 insufficient_scope', {
      scope: 'people:write',
    });
    expectStatus(await service.admin.patch(pathOf(owner), { role: 'owner' }), 200);
  }
  for (const action of actions) {
    expectRefusal(await sent('confirm_session', removal, action), '401 not_signed_in');
    owner = await addPerson(service, account, 'owner');
  }
  const people = (await service.admin.get(peoplePath(account))).body.data;
  assert.deepEqual(
    people.map(({ role, email }: { role: string; email?: string }) => [role, email]),
    [
      ['owner', undefined],
      ['viewer', undefined],
      ['owner', undefined],
    ],
  );
});
