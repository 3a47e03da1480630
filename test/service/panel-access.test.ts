// Key, allow-list, sessions and second factor, as the account's owner manages them in the panel.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import {
  createPanelClient,
  ownPages,
  type PanelClient,
  setCookieOf,
  signIn,
  signInAnswer,
  testPassword,
  usernameOf,
} from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';

let service: TestService;
let milliseconds = 0;
before(async () => {
  service = await startTestService();
  service.clock.monotonic = () => milliseconds;
});
beforeEach(() => {
  milliseconds += 24 * 3_600_000;
});
after(() => service.close());

const minute = 60;
const password = { password: testPassword };
const wrongPassword = { password: 'not the password' };

async function auditOf({ id }: Pick<TestAccount, 'id'>): Promise<string[]> {
  const { data } = (await service.admin.get('/api/admin/v1/audit?limit=100')).body;
  const own = data.filter((entry: { subject: string }) => entry.subject === `account ${id}`);
  return own.map((entry: { actor: { id: number }; action: string }) => `${entry.actor.id} ${entry.action}`);
}

test('the key is shown for the password only, and the audit log notes it', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  expectRefusal(await panel.post('/api-key/reveal', wrongPassword), '403 wrong_password', {});
  expectRefusal(await panel.post('/api-key/reveal', {}), '422 validation_failed');
  assert.equal((await panel.get('/me')).body.checklist.key_viewed, false);
  const shown = await panel.post('/api-key/reveal', password);
  assert.deepEqual([shown.status, shown.body], [200, { api_key: account.key }]);
  assert.equal(shown.headers.get('cache-control'), 'no-store');
  assert.equal((await panel.get('/me')).body.checklist.key_viewed, true);
  assert.equal((await auditOf(account))[0], `${account.id} account.reveal_api_key`);
  const audit = await service.admin.get('/api/admin/v1/audit?limit=100');
  assert.ok(!audit.text.includes(account.key.slice(8, 30)));
});

test('a reset key is shown, the old one is refused at once, and the new one works', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  expectRefusal(await panel.post('/api-key/reset', wrongPassword), '403 wrong_password');
  assert.equal((await account.get('/balance')).status, 200);
  const reset = await panel.post('/api-key/reset', password);
  assert.equal(reset.status, 201, reset.text);
  expectRefusal(await account.get('/balance'), '401 revoked_api_key');
  const renewed = createApiClient(service.address, reset.body.api_key);
  assert.equal((await renewed.get('/balance')).status, 200);
  assert.equal((await panel.get('/me')).body.checklist.key_viewed, true);
  assert.equal((await panel.get('/api-key')).body.last_four, reset.body.api_key.slice(-4));
  assert.equal((await auditOf(account))[0], `${account.id} account.reset_api_key`);
});

test('anyone who has seen the first key and rotates it has seen the new secret too', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const isViewed = async () => (await panel.get('/me')).body.checklist.key_viewed;
  const [first] = (await panel.get('/keys')).body.data;
  assert.equal(await isViewed(), false);
  const rotated = await panel.post(`/keys/${first.id}/rotate`, password);
  assert.equal(rotated.status, 200, rotated.text);
  assert.equal(await isViewed(), true);
  const byOperator = await service.admin.post(`/api/admin/v1/accounts/${account.id}/keys/${first.id}/rotate`);
  assert.equal(byOperator.status, 200, byOperator.text);
  assert.equal(await isViewed(), false, 'that one the operator was shown');
});

test('guessing the password of a borrowed session is slowed down', async () => {
  const panel = await signIn(service, await service.createReseller());
  for (let count = 0; count < 5; count += 1) {
    expectRefusal(await panel.post('/api-key/reveal', wrongPassword), '403 wrong_password');
  }
  const held = await panel.post('/api-key/reveal', password);
  expectRefusal(held, '429 rate_limited');
  assert.equal(held.headers.get('retry-after'), '1');
  const elsewhere = { current_password: testPassword, new_password: testPassword };
  assert.equal((await panel.post('/password', elsewhere)).status, 429);
  milliseconds += 1_000;
  assert.equal((await panel.post('/api-key/reveal', password)).status, 200);
});

test('when the key was last used is shown to the minute, and use in the panel does not count', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  await panel.get('/v1/balance');
  const { last_four, ...times } = (await panel.get('/api-key')).body;
  assert.equal(last_four, account.key.slice(-4));
  assert.deepEqual(times, { created_at: '2026-01-15T12:00:00Z', last_used_at: null });
  service.clock.seconds += 95;
  await account.get('/balance');
  assert.equal((await panel.get('/api-key')).body.last_used_at, '2026-01-15T12:01:00Z');
  service.clock.seconds += 60;
  await account.get('/nowhere');
  assert.equal((await panel.get('/api-key')).body.last_used_at, '2026-01-15T12:02:00Z');
});

test('an allow-list that leaves out the own address is set only when that is confirmed', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const out = { allowed_ips: ['203.0.113.0/24'] };
  expectRefusal(await panel.put('/allow-list', out), '422 address_locked_out', { address: '127.0.0.1' });
  assert.equal((await account.get('/balance')).status, 200, 'nothing was set');
  const set = await panel.put('/allow-list', { ...out, confirm: true });
  assert.deepEqual(set.body, { ...out, address: '127.0.0.1', address_allowed: false });
  expectRefusal(await account.get('/balance'), '403 ip_not_allowed');
  assert.equal((await panel.get('/me')).body.address_allowed, false);
  assert.equal((await panel.get('/me')).body.checklist.allow_list, true);
  const inside = { allowed_ips: ['127.0.0.0/8', '::1'] };
  assert.deepEqual((await panel.put('/allow-list', inside)).body, {
    ...inside,
    address: '127.0.0.1',
    address_allowed: true,
  });
  assert.equal((await account.get('/balance')).status, 200);
  const odd = await panel.put('/allow-list', { allowed_ips: ['127.0.0.1', '10.0.0.1/8'] });
  expectRefusal(odd, '422 validation_failed');
  assert.equal(odd.body.error.details.field, 'allowed_ips.1');
  assert.equal((await panel.put('/allow-list', { allowed_ips: [] })).status, 200);
  assert.equal((await auditOf(account))[0], `${account.id} account.update`);
});

test('settings that stay as they are are no change: nothing is noted, and no request is authenticated again', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const kept = { allowed_ips: ['127.0.0.0/8', '::1'] };
  assert.equal((await panel.put('/allow-list', kept)).status, 200);
  const versionOf = async () => {
    const [row] = await service.database.query(
      { name: '', text: 'select access_version from accounts where id = $1::int' },
      [account.id],
    );
    return Number(row?.['access_version']);
  };
  const before = [await versionOf(), (await auditOf(account)).length];
  const again = await panel.put('/allow-list', kept);
  assert.deepEqual([again.status, again.body.allowed_ips], [200, kept.allowed_ips]);
  const path = `/api/admin/v1/accounts/${account.id}`;
  const { account: shown } = (await service.admin.get(path)).body;
  const { group, display_name, blocked, api_enabled, rate_limit_per_minute, allowed_ips } = shown;
  const same = { group, display_name, blocked, api_enabled, rate_limit_per_minute, allowed_ips };
  for (const body of [{}, { blocked }, same]) {
    const answer = await service.admin.patch(path, body);
    assert.deepEqual([answer.status, answer.body.account], [200, shown]);
  }
  assert.deepEqual([await versionOf(), (await auditOf(account)).length], before);
  const named = await service.admin.patch(path, { ...same, display_name: 'Another name' });
  assert.equal(named.body.account.display_name, 'Another name');
  const [version = 0, entries = 0] = before;
  assert.deepEqual([await versionOf(), (await auditOf(account)).length], [version, entries + 1]);
  await service.admin.patch(path, { ...same, allowed_ips: ['::1', '127.0.0.0/8'] });
  assert.equal(await versionOf(), version + 1);
});

test('an account changes its allow-list thirty times an hour, over all its sessions, and keeps that from no action of its owner', async () => {
  const account = await service.createReseller();
  let panel = await signIn(service, account);
  const other = await signIn(service, account, { setPassword: false });
  const listOf = (bits: number) => ({ allowed_ips: ['127.0.0.1', `2001:db8::/${bits}`] });
  for (let change = 0; change < 30; change += 1) {
    assert.equal(
      (await (change % 2 === 0 ? panel : other).put('/allow-list', listOf(64 + change))).status,
      200,
    );
    milliseconds += 1_000;
  }
  const held = await panel.put('/allow-list', { allowed_ips: [] });
  expectRefusal(held, '429 rate_limited', { limit: 30, window_seconds: 3_600, retry_after: 3_570 });
  assert.equal(held.headers.get('retry-after'), '3570');
  assert.equal((await panel.put('/allow-list', listOf(93))).status, 200, 'no change');
  const changed = await service.admin.patch(`/api/admin/v1/accounts/${account.id}`, { allowed_ips: [] });
  assert.equal(changed.status, 200, 'administrators go on');

  assert.equal((await panel.post('/api-key/reset', password)).status, 201);
  assert.equal((await panel.post('/totp', password)).status, 201);
  const next = { password: 'another long password' };
  const newPassword = { current_password: testPassword, new_password: next.password };
  const renewed = await panel.post('/password', newPassword);
  assert.equal(renewed.status, 204);
  panel = createPanelClient(service.address, setCookieOf(renewed));
  for (let count = 3; count < 30; count += 1) {
    assert.equal((await panel.post('/api-key/reveal', next)).status, 200);
  }
  const details = { limit: 30, window_seconds: 3_600, retry_after: 3_600 };
  for (const [path, body] of [
    ['/api-key/reset', next],
    ['/api-key/reveal', next],
    ['/totp', next],
    ['/password', { current_password: next.password, new_password: testPassword }],
  ] as const) {
    expectRefusal(await panel.post(path, body), '429 rate_limited', details, path);
  }
  milliseconds += 3_600_000;
  assert.equal((await panel.put('/allow-list', listOf(64))).status, 200);
  assert.equal((await panel.post('/api-key/reveal', next)).status, 200);
});

test('an administrator confirms a list that leaves the own address out, through either guard of the API', async () => {
  const { admin } = service;
  const console = await signIn(service, admin);
  const other = await service.createReseller();
  const out = { allowed_ips: ['203.0.113.0/24'] };
  const path = (id: number) => `/admin/v1/accounts/${id}`;
  const guards = [
    (id: number, body: object) => admin.patch(`/api${path(id)}`, body),
    (id: number, body: object) => console.patch(path(id), body),
  ];
  for (const patch of guards) {
    const refused = await patch(admin.id, { ...out, display_name: 'Locked out' });
    expectRefusal(refused, '422 address_locked_out', { address: '127.0.0.1' });
    for (const confirm of [false, undefined])
      expectRefusal(await patch(admin.id, { ...out, confirm }), '422 address_locked_out');
    assert.equal((await patch(admin.id, { allowed_ips: ['127.0.0.0/8'] })).status, 200);
    assert.equal((await admin.get('/balance')).status, 200, 'nothing was set');
    assert.notEqual((await console.get('/me')).body.account.display_name, 'Locked out');
    // The list of another account concerns the addresses of that account's users.
    assert.equal((await patch(other.id, out)).status, 200);

    const set = await patch(admin.id, { ...out, confirm: true });
    assert.deepEqual([set.status, set.body.account?.allowed_ips], [200, out.allowed_ips], set.text);
    expectRefusal(await admin.get('/balance'), '403 ip_not_allowed');
    assert.equal((await console.patch(path(admin.id), { allowed_ips: [] })).status, 200);
  }
});

function codeAt(secret: string, seconds = service.clock.seconds): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: seconds * 1000 });
}

async function enrolled(): Promise<{
  account: TestAccount;
  username: string;
  panel: PanelClient;
  secret: string;
  recovery: string[];
}> {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const begun = await panel.post('/totp', password);
  assert.equal(begun.status, 201, begun.text);
  const { secret, uri } = begun.body;
  const username = await usernameOf(service, account);
  assert.match(uri, new RegExp(`^otpauth://totp/Sellthrough:${username}\\?.*secret=${secret}`));
  const confirmed = await panel.post('/totp/confirm', { code: codeAt(secret) });
  assert.equal(confirmed.status, 201, confirmed.text);
  service.clock.seconds += 60;
  return { account, username, panel, secret, recovery: confirmed.body.recovery_codes };
}

const signInWith = (username: string, code?: string) =>
  signInAnswer(service.address, { username, ...password, ...(code === undefined ? {} : { code }) });

test('codes at sign-in are begun with the password and are on once a code was right', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const username = await usernameOf(service, account);
  expectRefusal(await panel.post('/totp/confirm', { code: '000000' }), '409 totp_not_enabled');
  expectRefusal(await panel.post('/totp', wrongPassword), '403 wrong_password');
  const first = (await panel.post('/totp', password)).body.secret;
  assert.equal((await signInWith(username)).status, 200, 'not on yet');
  const { secret } = (await panel.post('/totp', password)).body;
  assert.notEqual(secret, first);
  expectRefusal(await panel.post('/totp/confirm', { code: codeAt(first) }), '403 invalid_code');
  expectRefusal(await panel.post('/totp/confirm', { code: 'x' }), '403 invalid_code');
  const confirmed = await panel.post('/totp/confirm', { code: ` ${codeAt(secret).replace(/^.../, '$& ')} ` });
  assert.equal(confirmed.status, 201, confirmed.text);
  const { recovery_codes: codes } = confirmed.body;
  assert.equal(new Set(codes).size, 10);
  // Five bits per letter make 140. From 112 bits on, a plain hash cannot be guessed, even over many accounts.
  for (const code of codes) assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){6}$/);
  assert.equal((await panel.get('/me')).body.totp_enabled, true);
  expectRefusal(await panel.post('/totp', password), '409 totp_enabled');
  expectRefusal(await panel.post('/totp/confirm', { code: codeAt(secret) }), '409 totp_enabled');
  assert.equal((await auditOf(account))[0], `${account.id} account.enable_totp`);
  const rows = await service.database.query({
    name: '',
    text: 'select t::text as line from totp_secrets t union all select r::text from recovery_codes r',
  });
  for (const { line } of rows) {
    for (const text of [secret, ...codes]) assert.ok(!String(line).includes(text), 'sealed and hashed');
  }
});

test('guessing the first code of a new secret is slowed down like any other', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const { secret } = (await panel.post('/totp', password)).body;
  for (let count = 0; count < 10; count += 1) {
    expectRefusal(await panel.post('/totp/confirm', { code: '000000' }), '403 invalid_code');
  }
  const held = await panel.post('/totp/confirm', { code: codeAt(secret) });
  expectRefusal(held, '429 rate_limited', { limit: 10, window_seconds: 3_600, retry_after: 1 });
  assert.equal(held.headers.get('retry-after'), '1');
  milliseconds += 1_000;
  assert.equal((await panel.post('/totp/confirm', { code: codeAt(secret) })).status, 201);
});

test('asking to confirm what is on already does not make wrong codes forgotten', async () => {
  const { username, panel, secret } = await enrolled();
  for (let count = 0; count < 10; count += 1) {
    expectRefusal(await signInWith(username, '000000'), '403 invalid_code');
    expectRefusal(await panel.post('/totp/confirm', { code: codeAt(secret) }), '409 totp_enabled');
  }
  assert.equal((await signInWith(username, codeAt(secret))).status, 429);
});

test('a new secret that is not confirmed within fifteen minutes is dropped', async () => {
  const account = await service.createReseller();
  const panel = await signIn(service, account);
  const begin = async (): Promise<string> => (await panel.post('/totp', password)).body.secret;
  const late = await begin();
  service.clock.seconds += 15 * 60;
  expectRefusal(await panel.post('/totp/confirm', { code: codeAt(late) }), '409 totp_not_enabled');
  const inTime = await begin();
  service.clock.seconds += 15 * 60 - 1;
  assert.equal((await panel.post('/totp/confirm', { code: codeAt(inTime) })).status, 201);
});

test('with codes on, a password alone begins no session, and only the right password asks for a code', async () => {
  const { username, secret } = await enrolled();
  expectRefusal(await signInWith(username), '401 code_required');
  expectRefusal(await signInWith(username, ' '), '401 code_required');
  const wrong = { username, ...wrongPassword, code: codeAt(secret) };
  expectRefusal(await signInAnswer(service.address, wrong), '401 invalid_credentials');
  expectRefusal(await signInWith(username, '000000'), '403 invalid_code');
  const answer = await signInWith(username, codeAt(secret));
  assert.equal(answer.status, 200, 'the code of the refused try is still good');
  assert.equal((await createPanelClient(service.address, setCookieOf(answer)).get('/me')).status, 200);
});

test('a code works once, however many requests carry it, and an older one not after a newer', async () => {
  const { username, secret } = await enrolled();
  const code = codeAt(secret);
  const answers = await Promise.all(Array.from({ length: 6 }, () => signInWith(username, code)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  expectRefusal(await signInWith(username, code), '403 invalid_code');
  const earlier = codeAt(secret, service.clock.seconds - 30);
  expectRefusal(await signInWith(username, earlier), '403 invalid_code');
  service.clock.seconds += 30;
  assert.equal((await signInWith(username, codeAt(secret))).status, 200);
});

test('a code is good for one step of 30 seconds to either side', async () => {
  const { username, secret } = await enrolled();
  const now = service.clock.seconds;
  expectRefusal(await signInWith(username, codeAt(secret, now - 60)), '403 invalid_code');
  expectRefusal(await signInWith(username, codeAt(secret, now + 60)), '403 invalid_code');
  assert.equal((await signInWith(username, codeAt(secret, now - 30))).status, 200);
  assert.equal((await signInWith(username, codeAt(secret, now + 30))).status, 200);
});

test('each recovery code stands in for a code once', async () => {
  const { username, recovery } = await enrolled();
  const [first = '', second = ''] = recovery;
  const answers = await Promise.all(Array.from({ length: 5 }, () => signInWith(username, first)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal((await signInWith(username, second.toUpperCase().replaceAll('-', ' '))).status, 200);
  expectRefusal(await signInWith(username, second), '403 invalid_code');
});

test('shorter recovery codes of earlier versions, four and six groups long, go on working, once', async () => {
  for (const code of ['abcd-efgh-ijkl-mnop', 'abcd-efgh-ijkl-mnop-qrst-uvwx']) {
    const { account, username } = await enrolled();
    const hash = createHash('sha256').update(code.replaceAll('-', '')).digest('base64url');
    await service.database.query(
      { name: '', text: 'insert into recovery_codes (person_id, code_hash) values ($1::int, $2)' },
      [account.id, hash],
    );
    assert.equal((await signInWith(username, code.replace('abcd', 'ABCD'))).status, 200);
    expectRefusal(await signInWith(username, code), '403 invalid_code');
  }
});

test('wrong codes after a right password are slowed down, from wherever they come', async () => {
  const { username, secret } = await enrolled();
  for (let count = 0; count < 10; count += 1) {
    expectRefusal(await signInWith(username, '000000'), '403 invalid_code');
  }
  const held = await signInWith(username, codeAt(secret));
  expectRefusal(held, '429 rate_limited', { limit: 10, window_seconds: 3_600, retry_after: 1 });
  milliseconds += 1_000;
  assert.equal((await signInWith(username, codeAt(secret))).status, 200);
});

test('codes are switched off with the password and a code, or a recovery code', async () => {
  const { account, username, panel, recovery, secret } = await enrolled();
  const off = (body: object) => panel.post('/totp/disable', body);
  expectRefusal(await off({ ...wrongPassword, code: codeAt(secret) }), '403 wrong_password');
  expectRefusal(await off({ ...password, code: '000000' }), '403 invalid_code');
  expectRefusal(await off(password), '422 validation_failed');
  assert.equal((await off({ ...password, code: recovery[3] })).status, 204);
  assert.equal((await panel.get('/me')).body.totp_enabled, false);
  assert.equal((await signInWith(username)).status, 200);
  expectRefusal(await off({ ...password, code: recovery[4] }), '409 totp_not_enabled');
  assert.equal((await auditOf(account))[0], `${account.id} account.disable_totp`);
});

const ownPassword = { current_password: testPassword };

async function credentials(): Promise<string> {
  const text = `select string_agg(line, chr(10) order by line) as lines from (
    select 'key ' || id || ' ' || lookup_hash || ' ' || (revoked_at is null) as line from api_keys
    union all select 'password ' || id || ' ' || password_hash from people
    union all select 'factor ' || person_id || ' ' || sealed_secret || ' ' || (enabled_at is null) from totp_secrets
    union all select 'code ' || person_id || ' ' || code_hash || ' ' || (used_at is null) from recovery_codes) l`;
  return String((await service.database.query({ name: '', text }))[0]?.['lines']);
}

test('with an administrator’s cookie and no password, no request changes a key, a password or a second factor', async () => {
  const { account, secret } = await enrolled();
  const console = await signIn(service, service.admin);
  const before = await credentials();
  const client = createApiClient(service.address, null);
  // The first creates an account with its own key. The second would end this session.
  // A test key spends nothing, so "Connect" asks no password.
  const others = ['createAccount', 'endAccountSessions', 'createConnectTestKey'];
  const changing = service.service.app.declaredRoutes.filter(
    ({ guard, method, operationId }) =>
      guard === 'session' && method !== 'GET' && !others.includes(operationId),
  );
  assert.ok(changing.length > 20, `${changing.length} routes`);
  const guessed = 'anyone who has the cookie';
  // Everything that such a route may need besides the confirmation.
  const wanted = { new_password: guessed, code: codeAt(secret), allowed_ips: [], display_name: 'Taken over' };
  const keyOf = new Map<number, number>();
  for (const { id } of [account, service.admin])
    keyOf.set(id, (await service.admin.get(`/api/admin/v1/accounts/${id}/keys`)).body.data[0].id);
  const fillPath = (path: string, id: number) =>
    path
      .replace('{id}', String(id))
      .replace('{key_id}', String(keyOf.get(id)))
      .replace('{person_id}', String(id));
  for (const { method, path } of changing) {
    for (const id of path.includes('/accounts/{id}') ? [account.id, service.admin.id] : [service.admin.id]) {
      for (const passwords of [{}, { password: guessed }, { password: guessed, current_password: guessed }]) {
        milliseconds += 24 * 3_600_000;
        const headers = { cookie: console.cookie, ...ownPages };
        const answer = await client.send(method, fillPath(path, id), { ...wanted, ...passwords }, headers);
        assert.equal(await credentials(), before, `${method} ${path} ${answer.text}`);
        assert.ok(!/sk_live_/.test(answer.text), `${method} ${path} shows a key`);
      }
    }
  }
});

test('a sensitive action names the password it lacks, refuses a wrong one, and is done with the right one', async () => {
  const account = await service.createReseller();
  const console = await signIn(service, service.admin);
  const path = `/admin/v1/accounts/${account.id}`;
  const actions = [
    (sent: object) => console.post(`${path}/api-key`, sent),
    (sent: object) => console.patch(path, { password: 'handed over by phone', ...sent }),
  ];
  for (const action of actions) {
    const missing = await action({});
    expectRefusal(missing, '422 validation_failed');
    assert.equal(missing.body.error.details.field, 'current_password');
    expectRefusal(await action({ current_password: 'a guess' }), '403 wrong_password', {});
    const done = await action(ownPassword);
    assert.ok(done.status < 300, done.text);
  }
  // A change of the own password too, no matter what else is changed with it.
  const own = { password: 'the thief’s own choice', display_name: 'Mine' };
  expectRefusal(await console.patch(`/admin/v1/accounts/${service.admin.id}`, own), '422 validation_failed');
  assert.notEqual((await console.get('/me')).body.account.display_name, 'Mine');
  // Harmless changes need no confirmation.
  assert.equal((await console.patch(path, { display_name: 'Renamed' })).status, 200);
  assert.equal((await console.post(`${path}/credit`, { amount: '1' })).status, 201);
});

test('the password that a sensitive action asks for is guessed no faster than at sign-in, nor by another action', async () => {
  const account = await service.createReseller();
  const console = await signIn(service, service.admin);
  const reset = (current_password: string) =>
    console.post(`/admin/v1/accounts/${account.id}/api-key`, { current_password });
  for (let count = 0; count < 5; count += 1) expectRefusal(await reset('a guess'), '403 wrong_password');
  const held = await reset(testPassword);
  expectRefusal(held, '429 rate_limited');
  assert.equal(held.headers.get('retry-after'), '1');
  expectRefusal(await console.post('/api-key/reveal', password), '429 rate_limited');
  milliseconds += 1_000;
  assert.equal((await reset(testPassword)).status, 201);
});

test('a key is not asked for a password: it has none', async () => {
  const account = await service.createReseller();
  const path = `/api/admin/v1/accounts/${account.id}`;
  assert.equal((await service.admin.patch(path, { password: 'handed over by phone' })).status, 200);
  assert.equal((await service.admin.post(`${path}/api-key`)).status, 201);
});

test('an administrator switches codes off for someone who has lost everything', async () => {
  const { account, username } = await enrolled();
  const console = await signIn(service, service.admin);
  const disable = (id: number, body: object = ownPassword) =>
    console.post(`/admin/accounts/${id}/totp/disable`, body);
  expectRefusal(await disable(account.id, { current_password: 'a guess' }), '403 wrong_password');
  expectRefusal(await signInWith(username), '401 code_required');
  assert.equal((await disable(account.id)).status, 204);
  assert.equal((await signInWith(username)).status, 200);
  expectRefusal(await disable(account.id), '409 totp_not_enabled');
  expectRefusal(await disable(999_999), '404 account_not_found');
  assert.equal((await auditOf(account))[0], `${service.admin.id} account.disable_totp`);
});

test('sessions are listed with the current one, and each can be ended, or all others', async () => {
  const account = await service.createReseller();
  const first = await signIn(service, account);
  service.clock.seconds += minute;
  const second = await signIn(service, account, { setPassword: false });
  const third = await signIn(service, account, { setPassword: false });
  service.clock.seconds += minute;
  await first.get('/me');

  const { data } = (await first.get('/sessions')).body;
  assert.equal(data.length, 3);
  assert.deepEqual(
    data.map((session: { current: boolean }) => session.current),
    [true, false, false],
  );
  assert.deepEqual(Object.keys(data[0]), [
    'id',
    'created_at',
    'last_seen_at',
    'expires_at',
    'address',
    'user_agent',
    'current',
  ]);
  for (const { id } of data) assert.ok(!`${first.cookie}${second.cookie}${third.cookie}`.includes(id));
  const outsider = await signIn(service, await service.createReseller());
  expectRefusal(await outsider.delete(`/sessions/${data[0].id}`), '404 session_not_found');
  for (const odd of ['%25', 'x', data[0].id.slice(1), `${data[0].id}a`]) {
    expectRefusal(await first.delete(`/sessions/${odd}`), '404 session_not_found');
  }

  const ofSecond = (await second.get('/sessions')).body.data.find(
    (session: { current: boolean }) => session.current,
  );
  assert.equal((await first.delete(`/sessions/${ofSecond.id}`)).status, 204);
  expectRefusal(await second.get('/me'), '401 not_signed_in');
  assert.equal((await third.get('/me')).status, 200);
  assert.equal((await first.delete('/sessions')).status, 204);
  expectRefusal(await third.get('/me'), '401 not_signed_in');
  assert.equal((await first.get('/me')).status, 200);
});

test('a person sees their own sign-ins and changes of how they sign in, and of no other', async () => {
  const { account, username, panel, recovery } = await enrolled();
  expectRefusal(await panel.post('/api-key/reveal', wrongPassword), '403 wrong_password', {});
  assert.equal((await panel.post('/totp/disable', { ...password, code: recovery[3] })).status, 204);
  await service.admin.patch(`/api/admin/v1/accounts/${account.id}`, { display_name: 'Renamed' });
  assert.equal(
    (await service.admin.post(`/api/admin/v1/accounts/${account.id}/end-sessions`, {})).status,
    200,
  );
  const refused = await signInAnswer(service.address, { username, ...wrongPassword });
  expectRefusal(refused, '401 invalid_credentials');
  // A refusal is entered after its answer.
  const lastRefusal = '/api/admin/v1/audit?action=sign_in.refuse&limit=1';
  while ((await service.admin.get(lastRefusal)).body.data[0]?.after?.username !== username);
  const again = await signIn(service, account, { setPassword: false });
  const { data } = (await again.get('/security-events')).body;
  const lines = data.map(({ action, by }: { action: string; by: string }) => `${action} ${by}`);
  assert.deepEqual(lines, [
    'sign_in.accept self',
    'sign_in.refuse unknown',
    'person.end_sessions operator',
    'person.disable_totp self',
    'person.wrong_password self',
    'person.enable_totp self',
    'sign_in.accept self',
  ]);
  assert.equal(data[0].address, '127.0.0.1');
  const outsider = await signIn(service, await service.createReseller());
  assert.equal((await outsider.get('/security-events')).body.data.length, 1);
});

test('signing out ends the session on the server, and signing in again ends the one it replaces', async () => {
  const account = await service.createReseller();
  const client = await signIn(service, account);
  const out = await client.post('/sign-out');
  assert.equal(out.status, 204);
  assert.match(out.headers.getSetCookie()[0] ?? '', /^sellthrough=; Max-Age=0; Path=\/; /);
  expectRefusal(await client.get('/me'), '401 not_signed_in');
  assert.equal((await client.post('/sign-out')).status, 204, 'twice is harmless');

  const before = await signIn(service, account, { setPassword: false });
  const body = { username: await usernameOf(service, account), password: testPassword };
  assert.equal((await before.post('/sign-in', body)).status, 200);
  expectRefusal(await before.get('/me'), '401 not_signed_in');
});
