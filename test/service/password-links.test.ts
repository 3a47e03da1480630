// Mails that people get, received by a real SMTP server: invitations, password links, and sign-ins from new addresses.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { linkIn, type MailServer, type ReceivedMail, startMailServer } from '../harness/mail-server.ts';
import {
  createPanelClient,
  type PanelClient,
  setCookieOf,
  signIn,
  signInAnswer,
  testPassword,
  usernameOf,
} from '../harness/panel-client.ts';
import { addPerson, ownPassword } from '../harness/people.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { onlyJobs } from '../harness/run-job.ts';
import { changeAccount } from '../harness/shop.ts';

const api = '/api/admin/v1';
const chosen = 'quite another battery staple';
const { resetValidSeconds, invitationValidSeconds, restSeconds } = defaultLimits.passwordLinks;
const day = 86_400;
let mailServer: MailServer;
let service: TestService;
let anonymous: PanelClient;
let places = 0;
before(async () => {
  mailServer = await startMailServer();
  service = await startTestService({
    environment: {
      SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
      MAIL_FROM: 'billing@example.com',
      TRUST_PROXY: '127.0.0.1',
    },
    limits: { rates: { failuresPerMinute: 30 }, scheduledJobs: onlyJobs('mail') },
  });
});
after(async () => {
  await service?.close();
  await mailServer?.close();
});
beforeEach(async () => {
  await arrived();
  // Each test comes from another address, so that waits do not add up.
  places += 1;
  anonymous = createPanelClient(service.address, '');
});

const from = (place: string) => ({ 'x-forwarded-for': place });
const here = () => from(`203.0.113.${places}`);
const sql = (text: string, values: readonly unknown[] = []) =>
  service.database.query({ name: '', text }, values);

async function arrived(): Promise<readonly ReceivedMail[]> {
  await service.service.passwordLinks.settled();
  service.clock.seconds += defaultLimits.scheduledJobs.mail.everySeconds;
  for (let look = 0; look < 4; look += 1) {
    await service.service.jobs.look();
    await service.service.jobs.idle();
  }
  return mailServer.take();
}

const tokenIn = (mail: ReceivedMail | undefined): string => {
  assert.ok(mail, 'a mail came');
  return linkIn(mail, 'http://127.0.0.1/panel/reset-password#token=').split('=')[1] ?? '';
};

async function createAccount(email: string): Promise<{ id: number; username: string }> {
  const { id } = await service.createReseller();
  await changeAccount(service, { id }, { email });
  return { id, username: await usernameOf(service, { id }) };
}

const ask = (account: string, headers = here()) => anonymous.post('/password-reset', { account }, headers);
const complete = (token: string, new_password = chosen): Promise<Answer> =>
  anonymous.post('/password-reset/complete', { token, new_password }, here());

async function tokenFor(account: string): Promise<string> {
  expectStatus(await ask(account), 202);
  const mails = await arrived();
  assert.equal(mails.length, 1);
  return tokenIn(mails[0]);
}

/** Moves the clock, so that a link of an earlier test delays no later one. */
const rest = () => {
  service.clock.seconds += restSeconds;
};

test('anyone who is invited chooses the first password by a link that works once', async () => {
  const { admin } = service;
  const body = { username: 'invited', group: 'reseller', email: 'Invited@Example.com', invite: true };
  for (const [change, field] of [
    [{ password: chosen }, 'password'],
    [{ email: 'no-such' }, 'email'],
    [{ email: 'a@example.com\r\nBcc: b@example.com' }, 'email'],
  ] as const) {
    expectRefusal(
      await admin.post(`${api}/accounts`, { ...body, ...change }),
      '422 validation_failed',
      undefined,
      field,
    );
  }
  const made = expectStatus(await admin.post(`${api}/accounts`, body), 201);
  assert.deepEqual(Object.keys(made).sort(), ['account', 'api_key', 'invitation'], 'no password');
  assert.equal(made.account.email, 'Invited@Example.com');
  const [mail, ...others] = await arrived();
  assert.equal(others.length, 0);
  assert.equal(mail?.to, 'invited@example.com');
  assert.ok(!mail?.raw.includes('List-Unsubscribe'));
  const token = tokenIn(mail);
  expectRefusal(
    await signInAnswer(service.address, { username: 'invited', password: chosen }, here()),
    '401 invalid_credentials',
  );
  expectRefusal(await complete(token, 'too short'), '422 validation_failed');
  expectRefusal(await complete(token, 'password1234'), '422 validation_failed');
  expectStatus(await complete(token), 204);
  const answer = await signInAnswer(service.address, { username: 'invited', password: chosen }, here());
  expectStatus(answer, 200);
  const panel = createPanelClient(service.address, setCookieOf(answer));
  assert.equal((await panel.get('/me')).body.must_change_password, false, 'it is a password of one’s own');
  expectRefusal(await complete(token), '404 link_not_found');

  expectStatus(await admin.post(`${api}/accounts`, { ...body, username: 'too-late' }), 201);
  const late = tokenIn((await arrived())[0]);
  service.clock.seconds += invitationValidSeconds;
  expectRefusal(await complete(late), '404 link_not_found');
});

test('a forgotten password is replaced by its holder: the link works once, all sessions end, codes are asked for', async () => {
  const { id, username } = await createAccount('Forgetful@Example.com');
  const panel = await signIn(service, { id });
  const { secret } = expectStatus(await panel.post('/totp', { password: testPassword }), 201);
  const code = () =>
    TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: service.clock.seconds * 1000 });
  expectStatus(await panel.post('/totp/confirm', { code: code() }), 201);
  const token = await tokenFor(` ${username.toUpperCase()} `);
  const [row] = await sql('select * from password_links where person_id = $1::int', [id]);
  assert.ok(!JSON.stringify(row).includes(token), 'only a hash is kept');
  expectStatus(await complete(token), 204);
  expectRefusal(await panel.get('/me'), '401 not_signed_in');
  expectRefusal(await complete(token), '404 link_not_found');
  expectRefusal(
    await signInAnswer(service.address, { username, password: testPassword }, here()),
    '401 invalid_credentials',
  );
  const body = { username, password: chosen };
  expectRefusal(await signInAnswer(service.address, body, here()), '401 code_required');
  service.clock.seconds += 30;
  expectStatus(await signInAnswer(service.address, { ...body, code: code() }, here()), 200);
  const { data } = expectStatus(await service.admin.get(`${api}/audit?limit=10`), 200);
  const entries = data.filter(({ subject }: { subject: string }) => subject === `account ${id}`);
  const [changed, mailed] = entries;
  assert.deepEqual(
    [changed.action, changed.after.password, changed.after.by_link],
    ['account.update', 'changed', 'password_reset'],
  );
  assert.deepEqual(
    [mailed.action, mailed.actor.id, mailed.after],
    ['account.mail_password_link', id, { address: `203.0.113.${places}` }],
  );
  assert.ok(!JSON.stringify(entries).includes(token));
});

test('a link is worth nothing after an hour, after another password, and after a block', async () => {
  const { id, username } = await createAccount('several@example.com');
  const old = await tokenFor(username);
  service.clock.seconds += resetValidSeconds;
  expectRefusal(await complete(old), '404 link_not_found');

  const first = await tokenFor(username);
  rest();
  const second = await tokenFor(username);
  expectStatus(await complete(second), 204);
  expectRefusal(await complete(first, 'and yet another staple'), '404 link_not_found');

  rest();
  const third = await tokenFor(username);
  await changeAccount(service, { id }, { password: 'set by the administrator' });
  expectRefusal(await complete(third), '404 link_not_found');

  rest();
  const fourth = await tokenFor(username);
  await changeAccount(service, { id }, { blocked: true });
  expectRefusal(await complete(fourth), '404 link_not_found');
  rest();
  expectStatus(await ask(username, from('198.51.100.9')), 202);
  assert.deepEqual(await arrived(), [], 'who is blocked gets no link');
  await changeAccount(service, { id }, { blocked: false });
  expectRefusal(await complete(fourth), '404 link_not_found');

  for (const made of ['', 'x', 'A'.repeat(43), `${fourth}A`])
    expectRefusal(await complete(made), '404 link_not_found', undefined, made);
});

test('of twenty who use one link at once, one sets the password', async () => {
  const { username } = await createAccount('at-once@example.com');
  const token = await tokenFor(username);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => complete(token, `${chosen} ${index}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 204).length, 1);
  assert.equal(answers.filter(({ status }) => status === 404).length, 19);
});

test('an address finds all of its accounts, and asking often mails once', async () => {
  const names = [await createAccount('Shared@example.com'), await createAccount('shared@Example.com')];
  expectStatus(await ask('SHARED@example.com'), 202);
  expectStatus(await ask('shared@example.com'), 202);
  const mails = await arrived();
  assert.deepEqual(
    mails.map(({ parsed }) => /Username: (\S+)/.exec(parsed.text ?? '')?.[1]).sort(),
    names.map(({ username }) => username).sort(),
  );
});

test('asking is answered alike whether there is an account or not, and slowed down', async () => {
  const { username } = await createAccount('known@example.com');
  const withoutMail = await usernameOf(service, await service.createReseller());
  const answers = await Promise.all(
    [username, withoutMail, 'no-such', 'no-such@example.com', 'known@example.com'].map((name) => ask(name)),
  );
  const shown = ({ status, text, headers }: Answer) => [status, text, [...headers.keys()].sort()];
  for (const answer of answers) assert.deepEqual(shown(answer), shown(answers[0] ?? answer));
  assert.equal(answers[0]?.status, 202);
  assert.equal((await arrived()).length, 1);

  for (const name of [username, 'no-such']) {
    const answersOf = [];
    for (let time = 0; time < 6; time += 1) answersOf.push((await ask(name, from('198.51.100.1'))).status);
    assert.deepEqual(answersOf, [202, 202, 202, 202, 202, 429], name);
  }
  const { body } = await anonymous.post('/password-reset', { account: '' }, here());
  assert.equal(body.error.code, 'validation_failed');
  expectRefusal(
    await signInAnswer(service.address, { username, password: 'wrong' }, from('198.51.100.1')),
    '401 invalid_credentials',
  );
});

test('people of another account who name an address take no link from its owner', async () => {
  const attacker = await createAccount('x@example.com');
  const victim = await createAccount('');
  for (const one of [1, 2, 3, 4, 5]) {
    await sql(
      `insert into people (account_id, username, email, role, password_hash, created_at)
        values (${attacker.id}, 'squatter-${one}', 'v@example.com', 'viewer', 'x', now())`,
    );
  }
  const owner = `insert into people (account_id, username, email, role, password_hash, created_at)
    values (${victim.id}, 'the-victim', 'V@example.com', 'viewer', 'x', now())`;
  await sql(owner);
  expectStatus(await ask('v@example.com'), 202);
  const names = (mails: readonly ReceivedMail[]) =>
    mails.map(({ parsed }) => /Username: (\S+)/.exec(parsed.text ?? '')?.[1]);
  const first = await arrived();
  assert.deepEqual(names(first).toSorted(), ['squatter-1', 'squatter-2', 'the-victim']);
  const victims = first.find(({ parsed }) => parsed.text?.includes('the-victim'));
  // Using a link confirms its address, which then comes first.
  expectStatus(await complete(tokenIn(victims)), 204);
  rest();
  expectStatus(await ask('v@example.com'), 202);
  assert.equal(names(await arrived())[0], 'the-victim');
  // Everyone gets the same answer, even an unknown address.
  rest();
  const unknown = await ask('no-such@example.com');
  assert.deepEqual([unknown.status, unknown.text], [202, (await ask('v@example.com')).text]);
});

test('a sign-in from a new address is mailed, never the first one, and not again within ninety days', async () => {
  const { id } = await createAccount('watched@example.com');
  await signIn(service, { id });
  const username = await usernameOf(service, { id });
  const signInFrom = async (address: string) =>
    expectStatus(
      await signInAnswer(
        service.address,
        { username, password: testPassword },
        { ...from(address), 'user-agent': 'Browser <b>9</b>' },
      ),
      200,
    );
  assert.deepEqual(await arrived(), [], 'the first one');
  await signInFrom('127.0.0.1');
  assert.deepEqual(await arrived(), []);
  await signInFrom('192.0.2.7');
  const [mail, ...others] = await arrived();
  assert.equal(others.length, 0);
  assert.match(mail?.parsed.text ?? '', /Address: 192\.0\.2\.7\nBrowser: Browser <b>9<\/b>/);
  assert.ok(!(mail?.parsed.html || '').includes('<b>9'));
  await signInFrom('192.0.2.7');
  await signInFrom('2001:db8::1');
  assert.equal((await arrived()).length, 1);
  await signInFrom('2001:db8::2');
  assert.deepEqual(await arrived(), [], 'another address of the same /64');
  service.clock.seconds += 89 * day;
  await signInFrom('192.0.2.7');
  assert.deepEqual(await arrived(), []);
  service.clock.seconds += 91 * day;
  await signInFrom('192.0.2.7');
  assert.equal((await arrived()).length, 1, 'it was forgotten, and is no first one');

  const quiet = await service.createReseller();
  await signIn(service, quiet);
  const answer = await signInAnswer(
    service.address,
    { username: await usernameOf(service, quiet), password: testPassword },
    from('192.0.2.8'),
  );
  expectStatus(answer, 200);
  assert.deepEqual(await arrived(), [], 'there is no address to write to');
});

test('an address for mail is changed with the password, and removed again', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const email = 'own@example.com';
  expectRefusal(await panel.put('/email', { email }), '422 validation_failed');
  expectRefusal(await panel.put('/email', { email, password: 'wrong' }), '403 wrong_password');
  expectRefusal(
    await panel.put('/email', { email: 'no-such', password: testPassword }),
    '422 validation_failed',
  );
  assert.deepEqual(expectStatus(await panel.put('/email', { email, password: testPassword }), 200), {
    email,
  });
  const me = (await panel.get('/me')).body;
  assert.deepEqual([me.account.email, me.mail], [email, true]);
  assert.deepEqual(expectStatus(await panel.put('/email', { email: '', password: testPassword }), 200), {
    email: '',
  });
  assert.ok(!('email' in (await panel.get('/me')).body.account));

  const console = await signIn(service, service.admin);
  const path = `/admin/v1/accounts/${account.id}`;
  expectRefusal(
    await console.patch(path, { email }),
    '422 validation_failed',
    undefined,
    'a sensitive action',
  );
  expectStatus(await console.patch(path, { email, current_password: testPassword }), 200);
  assert.equal((await service.admin.get(`${api}/accounts/${account.id}`)).body.account.email, email);
});

test('people of an account are written to at addresses of their own, two with one address each by themselves', async () => {
  const { id } = await createAccount('boss@example.com');
  const invite = async (username: string) =>
    expectStatus(
      await service.admin.post(`${api}/accounts/${id}/people`, {
        username,
        email: 'Team@Example.com',
        role: 'staff',
      }),
      201,
    );
  const invited = [await invite('mailed.first'), await invite('mailed.second')];
  const mails = await arrived();
  assert.deepEqual(
    mails.map(({ to }) => to),
    ['team@example.com', 'team@example.com'],
  );
  for (const [index, { invitation, person }] of invited.entries()) {
    const mail = mails.find(({ parsed }) => parsed.text?.includes(person.username));
    assert.ok(invitation.url.endsWith(`#token=${tokenIn(mail)}`), 'the link of the answer');
    expectStatus(await complete(tokenIn(mail), `the choice of number ${index}`), 204);
  }

  // A username finds one of the two, the address finds both, and neither finds the account's own login.
  expectStatus(await ask('mailed.first'), 202);
  assert.deepEqual(
    (await arrived()).map(({ to, parsed }) => [to, parsed.text?.includes('mailed.first')]),
    [['team@example.com', true]],
  );
  rest();
  expectStatus(await ask('team@example.com'), 202);
  const resets = await arrived();
  assert.equal(resets.length, 2);
  const second = resets.find(({ parsed }) => parsed.text?.includes('mailed.second'));
  expectStatus(await complete(tokenIn(second)), 204);
  const enter = (username: string, password: string, place = here()) =>
    signInAnswer(service.address, { username, password }, place);
  expectStatus(await enter('mailed.second', chosen), 200);
  expectStatus(await enter('mailed.first', 'the choice of number 0'), 200);

  // A sign-in from an address that is new for one of them is reported to that person only.
  expectStatus(await enter('mailed.second', chosen, from('198.51.100.77')), 200);
  const [news, ...others] = await arrived();
  assert.deepEqual([news?.to, others.length], ['team@example.com', 0]);
  assert.ok(news?.parsed.text?.includes('mailed.second'));

  const gone = `${api}/accounts/${id}/people/${invited[0]?.person.id}`;
  expectStatus(await service.admin.send('DELETE', gone), 200);
  rest();
  expectStatus(await ask('mailed.first'), 202);
  assert.equal((await arrived()).length, 0);
});

test('another address ends the links that were mailed to the one before, anyone who changes it', async () => {
  const account = await createAccount('own-before@example.com');
  const owner = await signIn(service, account);
  const people = `${api}/accounts/${account.id}/people`;
  const invite = async (username: string, email: string) =>
    expectStatus(await service.admin.post(people, { username, email, role: 'staff' }), 201).person.id;
  const own = { password: testPassword };

  const typo = await invite('typed.wrongly', 'wrong@example.com');
  const misled = tokenIn((await arrived())[0]);
  expectStatus(await owner.patch(`/people/${typo}`, { email: 'right@example.com', ...own }), 200);
  expectRefusal(await complete(misled), '404 link_not_found', {}, 'an invitation');
  const again = expectStatus(await owner.post(`/people/${typo}/invitation`, own), 201).invitation;
  assert.ok(
    again.url.endsWith(`#token=${tokenIn((await arrived()).find(({ to }) => to === 'right@example.com'))}`),
  );

  const staff = await invite('lost.the.box', 'lost-box@example.com');
  expectStatus(await complete(tokenIn((await arrived())[0])), 204);
  const reset = await tokenFor('lost.the.box');
  expectStatus(await service.admin.patch(`${people}/${staff}`, { email: 'new-box@example.com' }), 200);
  expectRefusal(
    await complete(reset, 'by the owner of the mailbox'),
    '404 link_not_found',
    {},
    'by the operator',
  );
  rest();
  const theirs = await signInAnswer(service.address, { username: 'lost.the.box', password: chosen }, here());
  const panel = createPanelClient(service.address, setCookieOf(theirs));
  await arrived();
  const second = await tokenFor('lost.the.box');
  expectStatus(await panel.put('/email', { email: 'third-box@example.com', password: chosen }), 200);
  expectRefusal(
    await complete(second, 'by the owner of the mailbox'),
    '404 link_not_found',
    {},
    'by themselves',
  );

  const mine = await tokenFor(account.username);
  expectStatus(await owner.put('/email', { email: 'own-after@example.com', ...own }), 200);
  expectRefusal(
    await complete(mine, 'by the owner of the mailbox'),
    '404 link_not_found',
    {},
    'the account’s own',
  );
});

test('an account’s own login that was removed and is brought back is not written to where it was', async () => {
  const account = await createAccount('left@example.com');
  const { panel } = await addPerson(service, account, 'owner');
  expectStatus(await panel.post('/api-key/reveal', { password: ownPassword }), 200);
  expectStatus(await panel.delete(`/people/${account.id}`), 200);
  const known = (await service.admin.get(`${api}/accounts/${account.id}`)).body.account;
  assert.ok(!('email' in known));
  await changeAccount(service, account, { password: 'handed over by phone' });
  await arrived();
  for (const name of ['left@example.com', account.username]) expectStatus(await ask(name), 202);
  assert.deepEqual(await arrived(), []);
});

const look = (token: string, headers = here()): Promise<Answer> =>
  anonymous.post('/password-reset/link', { token }, headers);

test('a link shows its holder whom it is for and who invites, and nothing once it has expired', async () => {
  const account = await createAccount('owner-of-the-link@example.com');
  const owner = await signIn(service, account);
  await changeAccount(service, account, { display_name: 'Linked & Co.' });
  const invited = expectStatus(
    await owner.post('/people', { username: 'linked-ola', role: 'staff', password: testPassword }),
    201,
  );
  const token = String(invited.invitation.url).split('#token=')[1] ?? '';
  const found = expectStatus(await look(token), 200);
  assert.deepEqual(found, {
    purpose: 'invitation',
    username: 'linked-ola',
    account: 'Linked & Co.',
    invited_by: account.username,
    expires_at: invited.invitation.expires_at,
  });
  // Other accounts do not see who the operator's people are.
  const byOperator = expectStatus(
    await service.admin.post(`${api}/accounts/${account.id}/people`, {
      username: 'linked-olga',
      role: 'viewer',
    }),
    201,
  );
  const other = String(byOperator.invitation.url).split('#token=')[1] ?? '';
  assert.equal(expectStatus(await look(other), 200).invited_by, null);

  // Looking at a link does not use it up; setting the password does.
  expectStatus(await look(token), 200);
  expectStatus(await complete(token), 204);
  expectRefusal(await look(token), '404 link_not_found');
  expectRefusal(await look('A'.repeat(43)), '404 link_not_found');
  expectRefusal(await look(''), '404 link_not_found');
  service.clock.seconds += invitationValidSeconds;
  expectRefusal(await look(other), '404 link_not_found');
});

test('made-up tokens of links are limited by address, and anyone who holds a link is not held up by them', async () => {
  const { id } = await service.createReseller();
  const invited = expectStatus(
    await service.admin.post(`${api}/accounts/${id}/people`, { username: 'in-a-flood', role: 'viewer' }),
    201,
  );
  const token = String(invited.invitation.url).split('#token=')[1] ?? '';
  expectStatus(await look(token), 200);
  const made = (count: number) => String(count).padStart(43, 'x');
  let answer = await look(made(0));
  for (let count = 1; answer.status === 404 && count < 100; count += 1) answer = await look(made(count));
  expectRefusal(answer, '429 rate_limited');
  expectStatus(await look(token), 200);
  expectStatus(await complete(token), 204);
});

test('an invitation can end in a session, a mailed reset cannot, and nothing of it passes a second factor', async () => {
  const account = await createAccount('second-step@example.com');
  const invited = expectStatus(
    await service.admin.post(`${api}/accounts/${account.id}/people`, {
      username: 'signs-in',
      role: 'staff',
      email: 'signs-in@example.com',
    }),
    201,
  );
  await arrived();
  const token = String(invited.invitation.url).split('#token=')[1] ?? '';
  const finish = (of: string, password = chosen) =>
    anonymous.post('/password-reset/complete', { token: of, new_password: password, sign_in: true }, here());
  const done = await finish(token);
  expectStatus(done, 204);
  const panel = createPanelClient(service.address, setCookieOf(done));
  const { person } = expectStatus(await panel.get('/person'), 200);
  assert.equal(person.username, 'signs-in');

  // A reset link only proves that the person reads the mail, so they sign in themselves, with a code if required.
  rest();
  const reset = await finish(await tokenFor('signs-in@example.com'), 'one more battery staple');
  expectStatus(reset, 204);
  assert.equal(reset.headers.get('set-cookie'), null);

  // If a second factor is enabled, even an invitation requires it.
  const guarded = expectStatus(
    await service.admin.post(`${api}/accounts/${account.id}/people`, {
      username: 'has-codes',
      role: 'staff',
    }),
    201,
  );
  await sql(
    `insert into totp_secrets (person_id, sealed_secret, created_at, enabled_at) values ($1::int, 'sealed', now(), now())`,
    [guarded.person.id],
  );
  const half = await finish(String(guarded.invitation.url).split('#token=')[1] ?? '');
  expectStatus(half, 204);
  assert.equal(half.headers.get('set-cookie'), null);
  expectRefusal(
    await signInAnswer(service.address, { username: 'has-codes', password: chosen }, here()),
    '401 code_required',
  );
});
