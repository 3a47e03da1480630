// The people of an account: invited by links that work once, changed and removed by owners and administrators.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { signIn, signInAnswer, testPassword, usernameOf } from '../harness/panel-client.ts';
import {
  addPerson,
  choosePassword,
  enableCodes,
  enter,
  ownPassword,
  peoplePath,
  tokenOf,
} from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changeAccount } from '../harness/shop.ts';

const api = '/api/admin/v1';
const password = { password: testPassword };
let service: TestService;
before(async () => {
  service = await startTestService({ limits: { peoplePerAccountMax: 6 } });
});
after(() => service.close());

const statusesOf = (answers: readonly Answer[]) =>
  answers.map(({ status, body }) => `${status} ${body?.error?.code ?? ''}`.trim()).sort();
const list = async (account: Pick<TestAccount, 'id'>) =>
  expectStatus(await service.admin.get(peoplePath(account)), 200).data;
const audit = async (): Promise<Record<string, unknown>[]> =>
  (await service.admin.get(`${api}/audit?limit=50`)).body.data;

test('an account is made with its owner, who has its name and its id', async () => {
  const made = expectStatus(
    await service.admin.post(`${api}/accounts`, {
      username: 'contoso',
      group: 'reseller',
      email: 'c@example.com',
    }),
    201,
  );
  assert.deepEqual(await list(made.account), [
    {
      id: made.account.id,
      username: 'contoso',
      email: 'c@example.com',
      role: 'owner',
      status: 'active',
      totp_enabled: false,
      last_sign_in_at: null,
      created_at: '2026-01-15T12:00:00Z',
    },
  ]);
  expectRefusal(await service.admin.get(peoplePath({ id: 999_999 })), '404 account_not_found');
});

test('an owner invites a colleague, who chooses a password by the link and signs in as himself', async () => {
  const account = await service.createReseller();
  const owner = await signIn(service, account);
  const invited = await owner.post('/people', {
    username: 'grace.hopper',
    email: 'grace@example.com',
    role: 'staff',
    ...password,
  });
  const { person, invitation } = expectStatus(invited, 201);
  assert.ok(person.id > 10_000_000, 'no account can have this id');
  assert.deepEqual(person, {
    id: person.id,
    username: 'grace.hopper',
    email: 'grace@example.com',
    role: 'staff',
    status: 'invited',
    totp_enabled: false,
    last_sign_in_at: null,
    created_at: '2026-01-15T12:00:00Z',
  });
  assert.equal(invitation.expires_at, '2026-01-22T12:00:00Z');
  const early = { username: 'grace.hopper', password: ownPassword };
  expectRefusal(await signInAnswer(service.address, early), '401 invalid_credentials');

  expectStatus(await choosePassword(service, tokenOf(invited)), 204);
  service.clock.seconds += 60;
  const panel = await enter(service, 'grace.hopper');
  const me = expectStatus(await panel.get('/me'), 200);
  assert.equal(me.account.id, account.id);
  const { person: seen, scopes } = expectStatus(await panel.get('/person'), 200);
  assert.deepEqual(
    [seen.id, seen.status, seen.last_sign_in_at],
    [person.id, 'active', new Date(service.clock.seconds * 1000).toISOString().replace('.000', '')],
  );
  assert.ok(
    scopes.includes('orders:write') && !scopes.includes('people:write') && !scopes.includes('keys:read'),
  );
  expectRefusal(await panel.get('/people'), '403 insufficient_scope', { scope: 'people:read' });
  expectRefusal(await panel.post('/api-key/reveal', password), '403 insufficient_scope', {
    scope: 'keys:write',
  });
  assert.deepEqual(
    (await owner.get('/people')).body.data.map(({ username }: { username: string }) => username),
    [await usernameOf(service, account), 'grace.hopper'],
  );
  assert.equal((await panel.get('/sessions')).body.data.length, 1);
  expectStatus(await panel.delete('/sessions'), 204);
  assert.equal((await owner.get('/me')).status, 200);
});

test('an invitation works once, for one of many who open it at once, and not after a newer one or a week', async () => {
  const account = await service.createReseller();
  const invite = (username: string) => service.admin.post(peoplePath(account), { username, role: 'viewer' });
  const first = tokenOf(await invite('opened.by.many'));
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => choosePassword(service, first, `the choice of number ${index}`)),
  );
  assert.deepEqual(statusesOf(answers), ['204', ...Array.from({ length: 7 }, () => '404 link_not_found')]);
  expectRefusal(await choosePassword(service, first), '404 link_not_found');

  const invited = await invite('invited.twice');
  const { id } = invited.body.person;
  const again = await service.admin.post(`${peoplePath(account)}/${id}/invitation`);
  expectRefusal(await choosePassword(service, tokenOf(invited)), '404 link_not_found');
  expectStatus(await choosePassword(service, tokenOf(again)), 204);
  const used = await service.admin.post(`${peoplePath(account)}/${id}/invitation`);
  expectRefusal(used, '409 invitation_used');

  const late = tokenOf(await invite('invited.late'));
  service.clock.seconds += 7 * 86_400;
  expectRefusal(await choosePassword(service, late), '404 link_not_found');
  const elsewhere = await service.createReseller();
  expectRefusal(
    await service.admin.post(`${peoplePath(elsewhere)}/${id}/invitation`),
    '404 person_not_found',
    {},
    'of another account',
  );
});

test('an invitation is worth nothing once its person is removed or the account blocked', async () => {
  const account = await service.createReseller();
  const invited = await service.admin.post(peoplePath(account), { username: 'soon.gone', role: 'owner' });
  const blocked = await service.admin.post(peoplePath(account), { username: 'soon.blocked', role: 'owner' });
  expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${invited.body.person.id}`), 200);
  expectRefusal(await choosePassword(service, tokenOf(invited)), '404 link_not_found');
  await changeAccount(service, account, { blocked: true });
  await changeAccount(service, account, { blocked: false });
  expectRefusal(await choosePassword(service, tokenOf(blocked)), '404 link_not_found');
});

test('a name is one person’s or one account’s, until the person is removed', async () => {
  const account = await service.createReseller();
  const invite = (username: string) => service.admin.post(peoplePath(account), { username, role: 'viewer' });
  const newAccount = (username: string) =>
    service.admin.post(`${api}/accounts`, { username, group: 'reseller' });
  const { person } = expectStatus(await invite('only.one'), 201);
  expectRefusal(await invite('only.one'), '409 username_taken');
  expectRefusal(await newAccount('only.one'), '409 username_taken');
  expectRefusal(await invite(await usernameOf(service, account)), '409 username_taken');
  const racing = await Promise.all([
    invite('wanted.by.all'),
    newAccount('wanted.by.all'),
    invite('wanted.by.all'),
  ]);
  assert.deepEqual(statusesOf(racing), ['201', '409 username_taken', '409 username_taken']);
  expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${person.id}`), 200);
  const next = expectStatus(await invite('only.one'), 201);
  assert.notEqual(next.person.id, person.id);

  // The account's own login keeps its name, in case it is restored.
  await addPerson(service, account, 'owner');
  expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${account.id}`), 200);
  const name = await usernameOf(service, account);
  expectRefusal(await invite(name), '409 username_taken');
  expectRefusal(await newAccount(name), '409 username_taken');
});

test('an account has a limited number of people, however many are invited at once', async () => {
  const account = await service.createReseller();
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, index) =>
      service.admin.post(peoplePath(account), { username: `one-of-many-${index}`, role: 'viewer' }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 5);
  const refused = answers.find(({ status }) => status !== 201);
  assert.ok(refused);
  expectRefusal(refused, '409 too_many_people', { limit: 6 });
  assert.equal((await list(account)).length, 6);
});

test('the role has to be one of the account’s kind, and bodies are checked', async () => {
  const account = await service.createReseller();
  const cases: readonly (readonly [{ id: number }, object, string])[] = [
    [account, { username: 'a.person', role: 'finance' }, 'role'],
    [account, { username: 'a.person', role: 'admin' }, 'role'],
    [service.admin, { username: 'a.person', role: 'staff' }, 'role'],
    [account, { username: 'a.person' }, 'role'],
    [account, { username: 'A Person', role: 'staff' }, 'username'],
    [account, { username: 'a.person', role: 'staff', email: 'nowhere' }, 'email'],
  ];
  for (const [of, body, field] of cases) {
    const answer = await service.admin.post(peoplePath(of), body);
    expectRefusal(answer, '422 validation_failed', undefined, JSON.stringify(body));
    assert.equal(answer.body.error.details.field, field);
  }
  const { id } = account;
  expectRefusal(
    await service.admin.patch(`${peoplePath(account)}/${id}`, { role: 'support' }),
    '422 validation_failed',
  );
  for (const unknown of ['0', '-1', 'me', '99999999999', String(service.admin.id)]) {
    expectRefusal(
      await service.admin.patch(`${peoplePath(account)}/${unknown}`, { role: 'owner' }),
      '404 person_not_found',
    );
  }
});

test('the last owner who can sign in is neither removed nor made something else', async () => {
  const account = await service.createReseller();
  const own = `${peoplePath(account)}/${account.id}`;
  const remove = (id: number) => service.admin.send('DELETE', `${peoplePath(account)}/${id}`);
  expectRefusal(await remove(account.id), '409 last_owner');
  expectRefusal(await service.admin.patch(own, { role: 'viewer' }), '409 last_owner');
  const invited = await service.admin.post(peoplePath(account), { username: 'never.came', role: 'owner' });
  expectStatus(invited, 201);
  expectRefusal(
    await remove(account.id),
    '409 last_owner',
    {},
    'an invited person does not count as an owner',
  );
  expectStatus(await choosePassword(service, tokenOf(invited)), 204);
  expectStatus(await service.admin.patch(own, { role: 'viewer' }), 200);
  expectRefusal(await remove(invited.body.person.id), '409 last_owner');
  expectStatus(await service.admin.patch(own, { role: 'owner' }), 200);
  expectStatus(await remove(invited.body.person.id), 200);
  expectRefusal(await remove(invited.body.person.id), '404 person_not_found');
});

test('of two owners who remove each other at the same moment, one stays, and no more than one is removed', async () => {
  for (const action of ['remove', 'demote', 'by a key'] as const) {
    const account = await service.createReseller();
    const first = await addPerson(service, account, 'owner');
    const second = await addPerson(service, account, 'owner');
    const removed = await service.admin.send('DELETE', `${peoplePath(account)}/${account.id}`);
    expectStatus(removed, 200);
    const confirmed = { password: ownPassword };
    for (const { panel } of [first, second]) {
      // Sensitive actions need no password for a while now, so both requests reach the account at once.
      expectStatus(await panel.post('/api-key/reveal', confirmed), 200);
    }
    const answers = await Promise.all(
      [
        [first, second],
        [second, first],
      ].map(([who, whom]) => {
        const path = `/people/${whom?.id}`;
        if (action === 'remove') return who?.panel.delete(path);
        if (action === 'demote') return who?.panel.patch(path, { role: 'viewer' });
        return service.admin.send('DELETE', `${peoplePath(account)}/${whom?.id}`);
      }),
    );
    const done = answers.filter((answer) => answer?.status === 200);
    assert.equal(done.length, 1, `${action}: ${answers.map((answer) => answer?.text).join(' ')}`);
    const refused = answers.find((answer) => answer?.status !== 200);
    assert.match(refused?.text ?? '', /last_owner|not_signed_in|insufficient_scope/);
    const owners = (await list(account)).filter(({ role }: { role: string }) => role === 'owner');
    assert.equal(owners.length, 1, action);
  }
});

test('anyone who is removed is out with the next request, in every process, and does not come back', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const person = await addPerson(service, account, 'staff');
  const elsewhere =
    service.database.kind === 'postgres'
      ? await service.startAnother()
      : { ...service, close: async () => {} };
  try {
    const there = await enter(elsewhere, person.username);
    assert.equal((await there.get('/v1/balance')).status, 200);
    const link = await service.admin.send('DELETE', `${peoplePath(account)}/${person.id}`);
    assert.deepEqual(expectStatus(link, 200), { removed: true });
    for (const panel of [person.panel, there]) {
      expectRefusal(await panel.get('/v1/balance'), '401 not_signed_in');
      const order = { package_id: service.packages.basic, customer: 'of-someone-removed' };
      expectRefusal(await panel.post('/v1/orders', order), '401 not_signed_in');
    }
    const sent = { username: person.username, password: ownPassword };
    expectRefusal(await signInAnswer(elsewhere.address, sent), '401 invalid_credentials');
    assert.equal((await list(account)).length, 1);
  } finally {
    await elsewhere.close();
  }
});

test('an order of someone who is removed while it is under way is not carried out', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const person = await addPerson(service, account, 'staff');
  const orders = Array.from({ length: 12 }, (_, index) =>
    person.panel.post('/v1/orders', { package_id: service.packages.trial, customer: `racing-${index}` }),
  );
  const removed = service.admin.send('DELETE', `${peoplePath(account)}/${person.id}`);
  const answers = await Promise.all(orders);
  expectStatus(await removed, 200);
  for (const answer of answers) {
    if (answer.status !== 201 && answer.status !== 422) expectRefusal(answer, '401 not_signed_in');
  }
  expectRefusal(await person.panel.get('/v1/balance'), '401 not_signed_in');
});

test('another role counts with the next request, and sessions go on', async () => {
  const account = await service.createReseller({ credit: '100.00' });
  const person = await addPerson(service, account, 'viewer');
  const order = { package_id: service.packages.basic, customer: 'with-another-role' };
  expectRefusal(await person.panel.post('/v1/orders', order), '403 insufficient_scope', {
    scope: 'orders:write',
  });
  const path = `${peoplePath(account)}/${person.id}`;
  const changed = expectStatus(await service.admin.patch(path, { role: 'staff' }), 200);
  assert.equal(changed.person.role, 'staff');
  expectStatus(await person.panel.post('/v1/orders', order), 201);
  expectStatus(await service.admin.patch(path, { role: 'viewer' }), 200);
  expectRefusal(await person.panel.post('/v1/orders', order), '403 insufficient_scope');
  const entries = (await audit()).filter(({ subject }) => subject === `person ${person.id}`);
  expectStatus(await service.admin.patch(path, { role: 'viewer' }), 200);
  assert.equal(
    (await audit()).filter(({ subject }) => subject === `person ${person.id}`).length,
    entries.length,
    'what stays as it is is no change',
  );
});

test('a password that an administrator sets is that of the account’s own login, and brings it back as an owner', async () => {
  const account = await service.createReseller();
  const name = await usernameOf(service, account);
  const owner = await addPerson(service, account, 'owner');
  const own = await signIn(service, account);
  expectStatus(await owner.panel.post('/api-key/reveal', { password: ownPassword }), 200);
  expectStatus(await owner.panel.delete(`/people/${account.id}`), 200);
  expectRefusal(await own.get('/me'), '401 not_signed_in');
  expectRefusal(
    await signInAnswer(service.address, { username: name, password: testPassword }),
    '401 invalid_credentials',
  );
  await changeAccount(service, account, { display_name: 'Another name' });
  assert.equal((await list(account)).length, 1, 'other changes do not restore a person');

  await changeAccount(service, account, { password: 'handed over by phone' });
  assert.deepEqual(
    (await list(account)).map(({ id, role }: { id: number; role: string }) => [id, role]),
    [
      [account.id, 'owner'],
      [owner.id, 'owner'],
    ],
  );
  const back = await enter(service, name, 'handed over by phone');
  expectRefusal(await back.get('/v1/balance'), '403 password_change_required');

  expectStatus(await service.admin.patch(`${peoplePath(account)}/${account.id}`, { role: 'viewer' }), 200);
  await changeAccount(service, account, { password: 'handed over once more' });
  assert.equal((await list(account))[0].role, 'owner', 'anyone who was demoted, too');
  assert.equal((await owner.panel.get('/me')).status, 200, 'others go on');
});

test('an account’s block and the end of its sessions are everybody’s', async () => {
  const account = await service.createReseller();
  const person = await addPerson(service, account, 'staff');
  const owner = await signIn(service, account);
  await changeAccount(service, account, { blocked: true });
  for (const panel of [person.panel, owner]) expectRefusal(await panel.get('/me'), '403 account_blocked');
  expectRefusal(
    await signInAnswer(service.address, { username: person.username, password: ownPassword }),
    '403 account_blocked',
  );
  await changeAccount(service, account, { blocked: false });
  for (const panel of [person.panel, owner]) expectRefusal(await panel.get('/me'), '401 not_signed_in');
  const renewed = [
    await enter(service, person.username),
    await signIn(service, account, { setPassword: false }),
  ];
  const ended = await service.admin.post(`${api}/accounts/${account.id}/end-sessions`);
  assert.deepEqual(expectStatus(ended, 200), { ended: 2 });
  for (const panel of renewed) expectRefusal(await panel.get('/me'), '401 not_signed_in');
});

test('a person chooses a language, and everybody else keeps theirs', async () => {
  const account = await service.createReseller();
  const person = await addPerson(service, account, 'viewer');
  const owner = await signIn(service, account);
  assert.equal((await person.panel.get('/me')).body.language, null, 'that of the browser');
  const chosen = await person.panel.put('/language', { language: 'de' });
  assert.deepEqual(expectStatus(chosen, 200), { language: 'de' });
  assert.equal((await person.panel.get('/me')).body.language, 'de');
  assert.equal((await owner.get('/me')).body.language, null);
  for (const language of ['fr', '', 'DE', 1]) {
    const refused = await person.panel.put('/language', { language });
    expectRefusal(refused, '422 validation_failed');
    assert.equal(refused.body.error.details.field, 'language');
  }
  expectStatus(await person.panel.put('/language', { language: null }), 200);
  assert.equal((await person.panel.get('/me')).body.language, null);
});

test('a person chooses the clock of the panel, and everybody else keeps theirs', async () => {
  const account = await service.createReseller();
  const person = await addPerson(service, account, 'viewer');
  const owner = await signIn(service, account);
  assert.equal((await person.panel.get('/me')).body.clock, null, 'the zone of the browser');
  assert.deepEqual(expectStatus(await person.panel.put('/clock', { clock: 'utc' }), 200), { clock: 'utc' });
  assert.equal((await person.panel.get('/me')).body.clock, 'utc');
  assert.equal((await owner.get('/me')).body.clock, null);
  for (const clock of ['UTC', 'Europe/Berlin', '', 1]) {
    const refused = await person.panel.put('/clock', { clock });
    expectRefusal(refused, '422 validation_failed');
    assert.equal(refused.body.error.details.field, 'clock');
  }
  expectStatus(await person.panel.put('/clock', { clock: null }), 200);
  assert.equal((await person.panel.get('/me')).body.clock, null);
});

test('a person changes their own password and address, and ends no one else’s sessions', async () => {
  const account = await service.createReseller();
  const person = await addPerson(service, account, 'viewer');
  const owner = await signIn(service, account);
  const next = { current_password: ownPassword, new_password: 'a third battery staple' };
  expectStatus(await person.panel.post('/password', next), 204);
  assert.equal((await owner.get('/me')).status, 200);
  const panel = await enter(service, person.username, next.new_password);
  const email = { email: 'viewer@example.com', password: next.new_password };
  assert.deepEqual(expectStatus(await panel.put('/email', email), 200), { email: 'viewer@example.com' });
  assert.equal((await owner.get('/me')).body.account.email, undefined, 'the account’s is another one');
  assert.equal((await panel.get('/person')).body.person.email, 'viewer@example.com');
  // Only owners may change the account's address.
  await addPerson(service, account, 'owner');
  expectStatus(await service.admin.patch(`${peoplePath(account)}/${account.id}`, { role: 'viewer' }), 200);
  expectRefusal(
    await owner.put('/email', { email: 'a@example.com', ...password }),
    '403 insufficient_scope',
    {
      scope: 'people:write',
    },
  );
  const own = `${peoplePath(account)}/${account.id}`;
  const written = await service.admin.patch(own, { email: 'billing@example.com' });
  assert.equal(expectStatus(written, 200).person.email, 'billing@example.com');
  assert.equal(
    (await service.admin.get(`${api}/accounts/${account.id}`)).body.account.email,
    'billing@example.com',
  );
});

test('people of an account cannot change the mail address of a colleague who has a password', async () => {
  const account = await service.createReseller();
  const owner = await addPerson(service, account, 'owner');
  const staff = await addPerson(service, account, 'staff');
  const own = { password: ownPassword };
  const moved = { email: 'mine@example.com' };
  for (const id of [staff.id, account.id]) {
    expectRefusal(await owner.panel.patch(`/people/${id}`, { ...moved, ...own }), '403 forbidden');
  }
  expectStatus(await owner.panel.patch(`/people/${staff.id}`, { role: 'viewer', email: '', ...own }), 200);
  expectStatus(await owner.panel.patch(`/people/${owner.id}`, { ...moved, ...own }), 200);
  const invited = await owner.panel.post('/people', { username: 'not.yet', role: 'viewer', ...own });
  const { id } = expectStatus(invited, 201).person;
  expectStatus(await owner.panel.patch(`/people/${id}`, { ...moved, ...own }), 200);
  const helped = await service.admin.patch(`${peoplePath(account)}/${staff.id}`, {
    email: 'new@example.com',
  });
  assert.equal(expectStatus(helped, 200).person.email, 'new@example.com');
  assert.equal((await audit())[0]?.['subject'], `person ${staff.id}`);

  const colleague = await addPerson(service, service.admin, 'viewer');
  const ofOperator = `${peoplePath(service.admin)}/${colleague.id}`;
  expectRefusal(
    await service.admin.patch(ofOperator, moved),
    '403 forbidden',
    {},
    'nor a key of their account',
  );
});

test('anyone who is removed takes codes at sign-in along, and the next of that name has none', async () => {
  const account = await service.createReseller();
  const person = await addPerson(service, account, 'staff');
  await enableCodes(service, person.panel);
  assert.equal((await list(account))[1]?.totp_enabled, true);
  assert.equal((await list(account))[0]?.totp_enabled, false, 'a second factor is a person’s own');
  expectStatus(await service.admin.send('DELETE', `${peoplePath(account)}/${person.id}`), 200);
  const rows = await service.database.query(
    { name: '', text: 'select 1 from totp_secrets where person_id = $1::int' },
    [person.id],
  );
  assert.equal(rows.length, 0);
});

test('the audit log names the person who acted beside the account, and what was done to whom', async () => {
  const account = await service.createReseller();
  const owner = await addPerson(service, account, 'owner');
  const path = '/people';
  const invited = await owner.panel.post(path, { username: 'noted', role: 'staff', password: ownPassword });
  const { id } = expectStatus(invited, 201).person;
  expectStatus(await owner.panel.patch(`${path}/${id}`, { role: 'viewer' }), 200);
  expectStatus(await owner.panel.delete(`${path}/${id}`), 200);
  const view = { account_id: account.id, username: 'noted' };
  const entries = (await audit()).filter(({ subject }) => subject === `person ${id}`);
  const by = { type: 'person', id: owner.id, name: owner.username };
  assert.deepEqual(
    entries.map(({ action, before, after }) => [action, before, after]),
    [
      ['person.remove', { ...view, role: 'viewer' }, null],
      ['person.update', { ...view, role: 'staff' }, { ...view, role: 'viewer' }],
      ['person.invite', null, { ...view, role: 'staff' }],
    ],
  );
  for (const entry of entries) {
    assert.deepEqual(entry['actor'], { id: account.id, username: await usernameOf(service, account) });
    assert.deepEqual(entry['by'], by);
  }
  assert.ok(!JSON.stringify(entries).includes('token'), 'no link stands in the log');
});

test('a request about people that is sent again with its key is done once, and shows no link again', async () => {
  const account = await service.createReseller();
  const path = `/api/admin/v1/accounts/${account.id}/people`;
  const send = (method: string, where: string, body: object | undefined, key: string) =>
    service.admin.send(method, where, body, { 'idempotency-key': key });
  const wanted = { username: `once-${account.id}`, role: 'staff' };
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => send('POST', path, wanted, 'invite-once')),
  );
  const bodies = answers.map((answer) => expectStatus(answer, 201));
  assert.equal(new Set(bodies.map(({ person }) => person.id)).size, 1);
  assert.equal(bodies.filter(({ invitation }) => invitation !== null).length, 1);
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 3);
  expectRefusal(
    await send('POST', path, { ...wanted, role: 'viewer' }, 'invite-once'),
    '409 idempotency_conflict',
  );
  const one = `${path}/${bodies[0]?.person.id}`;
  for (const replayed of [null, 'true']) {
    const changed = await send('PATCH', one, { role: 'viewer' }, 'look-only');
    assert.equal(expectStatus(changed, 200).person.role, 'viewer');
    assert.equal(changed.headers.get('idempotent-replayed'), replayed);
  }
  for (const replayed of [null, 'true']) {
    const removed = await send('DELETE', one, undefined, 'remove-once');
    assert.deepEqual(expectStatus(removed, 200), { removed: true });
    assert.equal(removed.headers.get('idempotent-replayed'), replayed);
  }
});
