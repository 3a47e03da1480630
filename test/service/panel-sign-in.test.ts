import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createSessionStore } from '../../src/features/auth/session-store.ts';
import { replacePasswordHash } from '../../src/features/identity/people-rows.ts';
import { DatabaseUnavailable } from '../../src/platform/database/database.ts';
import { hashPassword } from '../../src/platform/secrets/password-hash.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { sqlOf, sqlOfAll } from '../harness/group-sql.ts';
import { makeAdministrator } from '../harness/logged-by-hand.ts';
import {
  createPanelClient,
  ownPages,
  setCookieOf,
  setTestPassword,
  signIn,
  signInAnswer,
  testPassword,
  usernameOf,
} from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount } from '../harness/shop.ts';

const minute = 60;
const hour = 3_600;
const day = 86_400;

let service: TestService;
let milliseconds = 0;
let refusedStatement: string | null = null;
before(async () => {
  service = await startTestService({
    environment: { TRUST_PROXY: '127.0.0.1' },
    wrapDatabase: (database) => ({
      ...database,
      query: (statement, values, rank) =>
        statement.name === refusedStatement
          ? Promise.reject(new DatabaseUnavailable('away'))
          : database.query(statement, values, rank),
    }),
  });
  service.clock.monotonic = () => milliseconds;
});
beforeEach(() => {
  // Move the time, so that failures of earlier tests cause no waits.
  milliseconds += 24 * hour * 1000;
});
after(() => service.close());

const from = (address: string) => ({ 'x-forwarded-for': address });

const renewedBy = (answer: Answer) => createPanelClient(service.address, setCookieOf(answer));

async function withPassword(): Promise<TestAccount & { username: string }> {
  const account = await service.createReseller({ credit: '100.00' });
  await setTestPassword(service, account);
  return { ...account, username: await usernameOf(service, account) };
}

test('the right password begins a session: a cookie that scripts cannot read and other sites cannot send', async () => {
  const { id, username } = await withPassword();
  const answer = await signInAnswer(service.address, { username, password: testPassword });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.account.id, id);
  assert.equal(answer.body.account.halted, undefined);
  const [cookie = ''] = answer.headers.getSetCookie();
  assert.match(
    cookie,
    new RegExp(`^sellthrough=${id}\\.[A-Za-z0-9_-]{43}; Max-Age=1209600; Path=/; HttpOnly; SameSite=Strict$`),
  );
  const client = createPanelClient(service.address, setCookieOf(answer));
  const me = await client.get('/me');
  assert.equal(me.status, 200, me.text);
  assert.equal(me.headers.get('cache-control'), 'no-store');
  const { account, session, ...rest } = me.body;
  assert.equal(account.username, username);
  assert.deepEqual(rest, {
    api_url: 'http://127.0.0.1/api/v1',
    address: '127.0.0.1',
    address_allowed: true,
    totp_enabled: false,
    language: null,
    clock: null,
    mail: false,
    must_change_password: false,
    receivable: '0.00',
    topups: { methods: [], minimum: '10.00', maximum: '10000.00' },
    kept: { request_log_days: 7, event_days: 90 },
    checklist: { key_viewed: false, first_order: false, allow_list: false },
  });
  assert.deepEqual(session, { created_at: '2026-01-15T12:00:00Z', expires_at: '2026-01-16T00:00:00Z' });
  const [row] = await service.database.query(
    { name: '', text: 'select token_hash from sessions where person_id = $1::int' },
    [id],
  );
  assert.ok(!client.cookie.includes(String(row?.['token_hash'])), 'only a hash is kept');
});

test('with https the cookie is bound to the host and to https, and so is every later request of the browser', async () => {
  const secure = await startTestService({ environment: { PUBLIC_URL: 'https://shop.example' } });
  try {
    const account = await secure.createReseller();
    await changeAccount(secure, account, { password: testPassword });
    const body = { username: await usernameOf(secure, account), password: testPassword };
    const answer = await signInAnswer(secure.address, body);
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(
      cookie,
      /^__Host-sellthrough=\d+\.\S{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const client = createPanelClient(secure.address, setCookieOf(answer));
    assert.equal((await client.get('/me')).status, 200);
    const bare = createPanelClient(secure.address, setCookieOf(answer).replace('__Host-', ''));
    expectRefusal(await bare.get('/me'), '401 not_signed_in');
    const api = createApiClient(secure.address, null);
    for (const path of [
      '/balance',
      '/api/admin/v1/accounts',
      '/panel/api/me',
      '/api/v1/openapi.json',
      '/panel/x',
    ]) {
      const of = async (client: typeof api) =>
        (await client.get(path)).headers.get('strict-transport-security');
      assert.equal(await of(api), 'max-age=31536000', `${path} is asked for by https alone from then on`);
      assert.equal(await of(createApiClient(service.address, null)), null, `${path} without https`);
      const policy = (await api.get(path)).headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/, path);
    }
    // Without Sec-Fetch-Site, the Origin must be PUBLIC_URL.
    const out = (origin: string) => api.post('/panel/api/sign-out', {}, { origin });
    expectRefusal(await out(secure.address), '403 forbidden_origin');
    expectRefusal(await out('http://shop.example'), '403 forbidden_origin');
    assert.equal((await out('https://shop.example')).status, 204);
  } finally {
    await secure.close();
  }
});

test('a wrong password, an unknown name and an account without a password are answered alike', async () => {
  const { username } = await withPassword();
  const without = await service.createReseller();
  const answers = [];
  for (const body of [
    { username, password: 'not the password' },
    { username: 'nobody-has-this', password: testPassword },
    { username: '', password: '' },
    { username: 'ü\u2028x', password: testPassword },
    { username: await usernameOf(service, without), password: 'none' },
    // Fields of a refusal do not make a valid body.
    { username, password: 'not the password', code: 'not_found', details: {} },
  ]) {
    const answer = await signInAnswer(service.address, body);
    expectRefusal(answer, '401 invalid_credentials', {});
    assert.deepEqual(answer.headers.getSetCookie(), []);
    answers.push(answer.text);
  }
  assert.equal(new Set(answers).size, 1);
  for (const body of [
    {},
    { username },
    { username, password: 7 },
    { username: 'a', password: 'x'.repeat(300) },
  ]) {
    expectRefusal(
      await createPanelClient(service.address, '').post('/sign-in', body),
      '422 validation_failed',
    );
  }
});

test('an unknown name costs as much computing as a wrong password', async () => {
  const { id, username } = await withPassword();
  // A hash that costs as much as a real account's.
  const hash = await hashPassword(testPassword);
  const text = 'update people set password_hash = $2 where id = $1::int';
  await service.database.query({ name: '', text }, [id, hash]);
  const secondsOf = async (name: string): Promise<number> => {
    milliseconds += 24 * hour * 1000;
    const before = process.cpuUsage();
    for (let count = 0; count < 3; count += 1) {
      const guess = { username: name, password: 'wrong' };
      expectRefusal(await signInAnswer(service.address, guess), '401 invalid_credentials');
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  // Compilation and garbage collection also take time, so the cheapest of several requests counts.
  const known: number[] = [];
  const unknown: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    known.push(await secondsOf(username));
    unknown.push(await secondsOf('nobody-has-that'));
  }
  // A request that does not run argon2id takes a hundredth of this time.
  const seconds = `${unknown} s for an unknown name, ${known} s for a known one`;
  assert.ok(Math.min(...unknown) > Math.min(...known) / 3, seconds);
});

test('a name is found however it is capitalized', async () => {
  const { username } = await withPassword();
  const body = { username: ` ${username.toUpperCase()} `, password: testPassword };
  assert.equal((await signInAnswer(service.address, body)).status, 200);
});

test('a password whose hash has become cheap to guess at is hashed again by the sign-in that shows it right', async () => {
  const { id, username } = await withPassword();
  const hash = async (): Promise<string> => {
    const [row] = await service.database.query(
      { name: '', text: 'select password_hash from people where id = $1::int' },
      [id],
    );
    return String(row?.['password_hash']);
  };
  const cheap = await hash();
  assert.match(cheap, /\$m=8,t=1,/);
  expectRefusal(
    await signInAnswer(service.address, { username, password: 'wrong' }),
    '401 invalid_credentials',
  );
  assert.equal(await hash(), cheap, 'a guess changes nothing');

  const body = { username, password: testPassword };
  const client = createPanelClient(service.address, setCookieOf(await signInAnswer(service.address, body)));
  const renewed = await hash();
  assert.match(renewed, /\$m=16,t=1,/);
  assert.equal((await signInAnswer(service.address, body)).status, 200, 'it is the same password');
  assert.equal(await hash(), renewed, 'once');
  assert.equal((await client.get('/me')).status, 200, 'no session has ended');
  await replacePasswordHash(service.database, id, {
    stored: cheap,
    rehashed: 'of a sign-in that came too late',
  });
  assert.equal(await hash(), renewed, 'what was set meanwhile stays');
});

test('after five wrong passwords the next try waits, longer each time, and a right one ends the waiting', async () => {
  const { username } = await withPassword();
  const wrong = () => signInAnswer(service.address, { username, password: 'wrong' }, from('192.0.2.1'));
  const right = () => signInAnswer(service.address, { username, password: testPassword }, from('192.0.2.1'));
  for (let count = 0; count < 5; count += 1) expectRefusal(await wrong(), '401 invalid_credentials');
  for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
    const held = await right();
    expectRefusal(held, '429 rate_limited', { limit: 5, window_seconds: 3_600, retry_after: wait });
    assert.equal(held.headers.get('retry-after'), String(wait));
    milliseconds += wait * 1_000 - 1;
    assert.equal((await right()).status, 429, 'not a moment earlier');
    milliseconds += 1;
    expectRefusal(await wrong(), '401 invalid_credentials');
  }
  milliseconds += 60_000;
  assert.equal((await right()).status, 200);
  for (let count = 0; count < 4; count += 1) expectRefusal(await wrong(), '401 invalid_credentials');
  assert.equal((await right()).status, 200, 'counted again');
});

test('a hundred guesses at once are as few as one after another', async () => {
  const { username } = await withPassword();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      signInAnswer(service.address, { username, password: 'wrong' }, from('192.0.2.2')),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 401).length, 5);
  assert.equal(answers.filter(({ status }) => status === 429).length, 35);
});

test('a try that ended in 503 does not count: no one waits because the database was away', async () => {
  const { username } = await withPassword();
  const at = from('192.0.2.5');
  const tries = (password: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () => signInAnswer(service.address, { username, password }, at)),
    );
  refusedStatement = 'find_credentials';
  try {
    for (const times of [1, 1, 5, 5]) {
      for (const answer of await tries('wrong', times)) expectRefusal(answer, '503 service_unavailable');
    }
  } finally {
    refusedStatement = null;
  }
  for (let count = 0; count < 5; count += 1) {
    for (const answer of await tries('wrong', 1)) expectRefusal(answer, '401 invalid_credentials');
  }
  const [held] = await tries('wrong', 1);
  assert.equal(held?.status, 429, 'what was wrong counts as ever');
  milliseconds += 1_000;
  refusedStatement = 'find_credentials';
  const [cut] = await tries(testPassword, 1);
  refusedStatement = null;
  assert.equal(cut?.status, 503);
  const [right] = await tries(testPassword, 1);
  assert.equal(right?.status, 200, 'no longer wait than before');
});

test('anyone who has a /48 has the guesses of four addresses, not of 65,536', async () => {
  const { username } = await withPassword();
  const guess = (network: number, password = 'wrong') =>
    signInAnswer(service.address, { username, password }, from(`2001:db8:77:${network}::1`));
  for (let network = 0; network < 20; network += 1) {
    expectRefusal(await guess(network), '401 invalid_credentials');
  }
  const held = await guess(21, testPassword);
  expectRefusal(held, '429 rate_limited', { limit: 20, window_seconds: 3_600, retry_after: 1 });
  const elsewhere = { username, password: testPassword };
  assert.equal((await signInAnswer(service.address, elsewhere, from('2001:db8:78::1'))).status, 200);
});

test('an honest user on another address signs in at once while one address guesses', async () => {
  const { username } = await withPassword();
  const guess = () => signInAnswer(service.address, { username, password: 'wrong' }, from('2001:db8:0:1::1'));
  for (let count = 0; count < 6; count += 1) await guess();
  assert.equal((await guess()).status, 429);
  const neighbor = await signInAnswer(
    service.address,
    { username, password: testPassword },
    from('2001:db8:0:1:ffff::2'),
  );
  assert.equal(neighbor.status, 429, 'the /64 of the guesser is one address');
  const honest = await signInAnswer(
    service.address,
    { username, password: testPassword },
    from('2001:db8:0:2::1'),
  );
  assert.equal(honest.status, 200, honest.text);
});

test('an address that fails with many names waits, whichever name it tries next', async () => {
  const { username } = await withPassword();
  const at = from('192.0.2.3');
  // An unknown name costs a hash at full strength, so most of these are known.
  const names = ['unknown-name'];
  while (names.length < 10) names.push((await withPassword()).username);
  for (let count = 0; count < 50; count += 1) {
    const guess = { username: names[count % names.length] ?? '', password: 'wrong' };
    expectRefusal(await signInAnswer(service.address, guess, at), '401 invalid_credentials');
    milliseconds += 1_000;
  }
  const body = { username, password: testPassword };
  const held = await signInAnswer(service.address, body, at);
  expectRefusal(held, '429 rate_limited', { limit: 50, window_seconds: 600, retry_after: 550 });
  assert.equal((await signInAnswer(service.address, body, from('192.0.2.4'))).status, 200);
  milliseconds += 550_000;
  assert.equal((await signInAnswer(service.address, body, at)).status, 200);
});

test('anyone who makes up sessions is slowed down, and a real session from there is not', async () => {
  const client = await signIn(service, await service.createReseller());
  const madeUp = createPanelClient(service.address, `sellthrough=1.${'A'.repeat(43)}`);
  const statuses = new Map<number, number>();
  for (let count = 0; count < 310; count += 1) {
    const { status } = await madeUp.get('/me');
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.deepEqual(
    [...statuses],
    [
      [401, 300],
      [429, 10],
    ],
  );
  assert.equal((await client.get('/me')).status, 200);
});

test('a session ends after twelve hours without use, and after fourteen days no matter what it does', async () => {
  const account = await service.createReseller();
  const began = service.clock.seconds;
  const idle = await signIn(service, account);
  service.clock.seconds = began + 12 * hour - 1;
  assert.equal((await idle.get('/me')).status, 200);
  service.clock.seconds += 12 * hour - 1;
  assert.equal((await idle.get('/me')).status, 200, 'it was used meanwhile');
  service.clock.seconds += 12 * hour;
  expectRefusal(await idle.get('/me'), '401 not_signed_in');

  const second = service.clock.seconds;
  const busy = await signIn(service, account, { setPassword: false });
  while (service.clock.seconds + 11 * hour < second + 14 * day) {
    service.clock.seconds += 11 * hour;
    assert.equal((await busy.get('/me')).status, 200);
  }
  service.clock.seconds = second + 14 * day - 1;
  const last = await busy.get('/me');
  assert.equal(last.status, 200);
  assert.equal(Date.parse(last.body.session.expires_at) / 1000, second + 14 * day);
  service.clock.seconds += 1;
  expectRefusal(await busy.get('/me'), '401 not_signed_in');
});

test('an account has at most fifty sessions: the one used the longest ago ends', async () => {
  const account = await service.createReseller();
  const oldest = await signIn(service, account);
  for (let count = 0; count < 50; count += 1) {
    service.clock.seconds += 1;
    await signIn(service, account, { setPassword: false });
  }
  expectRefusal(await oldest.get('/me'), '401 not_signed_in');
});

test('changing the password ends every other session; an administrator’s change ends all', async () => {
  const account = await service.createReseller();
  const mine = await signIn(service, account);
  const other = await signIn(service, account, { setPassword: false });
  const wrong = { current_password: 'not it', new_password: 'another long password' };
  expectRefusal(await mine.post('/password', wrong), '403 wrong_password');
  const short = { current_password: testPassword, new_password: 'short' };
  expectRefusal(await mine.post('/password', short), '422 validation_failed');
  const mineOwn = await usernameOf(service, account);
  for (const password of ['Password2026!', 'qwertyuiop12', `the ${mineOwn} shop`, testPassword]) {
    const weak = await mine.post('/password', { current_password: testPassword, new_password: password });
    expectRefusal(weak, '422 validation_failed', undefined, password);
    assert.equal(weak.body.error.details.field, 'new_password');
  }
  assert.equal((await other.get('/me')).status, 200);

  const change = { current_password: testPassword, new_password: 'another long password' };
  const changed = await mine.post('/password', change);
  assert.equal(changed.status, 204);
  const renewed = renewedBy(changed);
  assert.notEqual(renewed.cookie, mine.cookie);
  assert.match(
    changed.headers.getSetCookie()[0] ?? '',
    /; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  assert.equal((await renewed.get('/me')).status, 200);
  for (const ended of [mine, other]) expectRefusal(await ended.get('/me'), '401 not_signed_in');
  const [session, ...others] = (await renewed.get('/sessions')).body.data;
  assert.deepEqual([session.current, others], [true, []]);
  const username = await usernameOf(service, account);
  expectRefusal(
    await signInAnswer(service.address, { username, password: testPassword }),
    '401 invalid_credentials',
  );
  const signedIn = await signInAnswer(service.address, { username, password: 'another long password' });
  assert.equal(signedIn.status, 200);

  await changeAccount(service, account, { password: testPassword });
  expectRefusal(await renewed.get('/me'), '401 not_signed_in');
  const audit = (await service.admin.get('/api/admin/v1/audit')).body.data;
  const own = audit.find(
    ({ action, actor }: { action: string; actor: { id: number } }) =>
      action === 'account.update' && actor.id === account.id,
  );
  assert.equal(own.after.password, 'changed');
});

test('a changed password prolongs nothing: its session is as old as its sign-in', async () => {
  const client = await signIn(service, await service.createReseller());
  const began = service.clock.seconds;
  service.clock.seconds += 11 * hour;
  const change = { current_password: testPassword, new_password: 'another long password' };
  const renewed = renewedBy(await client.post('/password', change));
  const { session } = (await renewed.get('/me')).body;
  assert.equal(Date.parse(session.created_at) / 1000, began);
});

test('a password that was generated or set by someone else lets in to nothing but the choice of one', async () => {
  const made = await service.admin.post('/api/admin/v1/accounts', { username: 'invited', group: 'reseller' });
  assert.equal(made.status, 201, made.text);
  const { account, password: minted, api_key: key } = made.body;
  const enter = async (password: string) => {
    const answer = await signInAnswer(service.address, { username: 'invited', password });
    assert.equal(answer.status, 200, answer.text);
    return createPanelClient(service.address, setCookieOf(answer));
  };
  const client = await enter(minted);
  const open = ['getMe', 'changePassword'];
  for (const { method, path, guard, operationId } of service.service.app.declaredRoutes) {
    if (guard !== 'session' || open.includes(operationId)) continue;
    const headers = { ...ownPages, cookie: client.cookie };
    const body = method === 'GET' ? undefined : {};
    const answer = await createApiClient(service.address, null).send(method, path, body, headers);
    expectRefusal(answer, '403 password_change_required', {}, `${method} ${path}`);
  }
  expectRefusal(await client.get('/nowhere'), '403 password_change_required');
  assert.equal((await client.get('/me')).body.must_change_password, true);
  assert.equal((await createApiClient(service.address, key).get('/balance')).status, 200, 'keys go on');
  const choose = (next: string) => client.post('/password', { current_password: minted, new_password: next });
  expectRefusal(await choose(minted), '422 validation_failed');
  assert.equal((await client.post('/sign-out')).status, 204);
  expectRefusal(await client.get('/me'), '401 not_signed_in');

  const shown = await enter(minted);
  const own = { current_password: minted, new_password: 'one of my own choice' };
  const chosen = await shown.post('/password', own);
  assert.equal(chosen.status, 204);
  expectRefusal(await shown.get('/me'), '401 not_signed_in');
  const again = renewedBy(chosen);
  assert.equal((await again.get('/me')).body.must_change_password, false);
  assert.equal((await again.get('/v1/balance')).status, 200, 'the same session goes on');
  assert.equal((await (await enter(own.new_password)).get('/sessions')).status, 200);

  await changeAccount(service, { id: account.id }, { display_name: 'Invited and there' });
  assert.equal((await again.get('/v1/balance')).status, 200, 'other settings ask for nothing');
  await changeAccount(service, { id: account.id }, { password: testPassword });
  expectRefusal(await (await enter(testPassword)).get('/v1/balance'), '403 password_change_required');
});

test('a password that an administrator sets for himself is his own', async () => {
  await changeAccount(service, service.admin, { password: testPassword });
  const client = await signIn(service, service.admin, { setPassword: false });
  assert.equal((await client.get('/admin/v1/accounts')).status, 200);
});

test('a blocked account is refused everywhere while it is signed in, and signs in again when it is unblocked', async () => {
  const account = await withPassword();
  const client = await signIn(service, account, { setPassword: false });
  await changeAccount(service, account, { blocked: true });
  for (const path of [
    '/me',
    '/v1/balance',
    '/v1/packages',
    '/v1/orders',
    '/v1/ledger?format=csv',
    '/nowhere',
  ]) {
    expectRefusal(await client.get(path), '403 account_blocked', undefined, path);
  }
  const order = { package_id: service.packages.basic, customer: 'of-a-blocked-one' };
  expectRefusal(await client.post('/v1/orders', order), '403 account_blocked');
  const right = { username: account.username, password: testPassword };
  expectRefusal(await signInAnswer(service.address, right), '403 account_blocked');
  const wrong = { username: account.username, password: 'wrong' };
  expectRefusal(await signInAnswer(service.address, wrong), '401 invalid_credentials');
  await changeAccount(service, account, { blocked: false });
  expectRefusal(await client.get('/me'), '401 not_signed_in');
  const renewed = await signIn(service, account, { setPassword: false });
  assert.equal((await renewed.get('/me')).status, 200);
  await changeAccount(service, account, { blocked: false, display_name: 'Unblocked' });
  assert.equal((await renewed.get('/me')).status, 200);
});

test('a sign-in that is under way when its account is blocked, or its sessions are ended, begins none', async () => {
  const account = await withPassword();
  const ends = [
    () => changeAccount(service, account, { blocked: true }),
    () => changeAccount(service, account, { blocked: false }),
    () => service.admin.post(`/api/admin/v1/accounts/${account.id}/end-sessions`),
  ];
  for (const end of ends) {
    const [row] = await service.database.query(
      { name: '', text: 'select password_version from people where id = $1::int' },
      [account.id],
    );
    await end();
    const sessions = createSessionStore(service.database, defaultLimits.sessions);
    const from = { address: '127.0.0.1', userAgent: '' };
    const seen = { id: account.id, passwordVersion: Number(row?.['password_version']) };
    const token = await sessions.begin(seen, from, service.clock.seconds, null);
    const found = await sessions.find(token, service.clock.seconds);
    assert.ok(found === null || found.account.blocked, 'found only to answer that it is blocked');
  }
});

test('an administrator ends every session of an account; its password and key stay', async () => {
  const account = await withPassword();
  const panels = [];
  for (let count = 0; count < 3; count += 1)
    panels.push(await signIn(service, account, { setPassword: false }));
  const other = await signIn(service, await service.createReseller());
  const path = `/admin/v1/accounts/${account.id}/end-sessions`;
  const ended = await service.admin.post(`/api${path}`);
  assert.deepEqual([ended.status, ended.body], [200, { ended: 3 }], ended.text);
  for (const panel of panels) expectRefusal(await panel.get('/me'), '401 not_signed_in');
  assert.equal((await other.get('/me')).status, 200);
  assert.equal((await account.get('/balance')).status, 200);
  const renewed = await signIn(service, account, { setPassword: false });
  assert.deepEqual((await renewed.get('/sessions')).body.data.length, 1);
  const console = await signIn(service, service.admin);
  assert.deepEqual((await console.post(path)).body, { ended: 1 });
  assert.deepEqual((await console.post(path)).body, { ended: 0 });
  expectRefusal(
    await service.admin.post('/api/admin/v1/accounts/999999/end-sessions'),
    '404 account_not_found',
  );
  const [last] = (await service.admin.get('/api/admin/v1/audit?limit=1')).body.data;
  assert.deepEqual(
    [last.actor.id, last.action, last.subject, last.after],
    [service.admin.id, 'account.end_sessions', `account ${account.id}`, { ended: 0 }],
  );
  const own = `/admin/v1/accounts/${service.admin.id}/end-sessions`;
  assert.equal((await console.post(own)).status, 200);
  expectRefusal(await console.get('/me'), '401 not_signed_in');
});

async function signInEntries(limit = 100) {
  const { data } = (await service.admin.get(`/api/admin/v1/audit?limit=${limit}`)).body;
  return data.filter(({ action }: { action: string }) => action.startsWith('sign_in.'));
}

test('sign-ins, refused ones too, stand in the audit log with the name that was sent, and with no password', async () => {
  const account = await withPassword();
  const { username } = account;
  const address = '198.51.100.7';
  const tryIt = (body: { username: string; password: string }) =>
    signInAnswer(service.address, body, from(address));
  assert.equal((await tryIt({ username, password: testPassword })).status, 200);
  expectRefusal(
    await tryIt({ username: ` ${username.toUpperCase()}`, password: 'secret-a' }),
    '401 invalid_credentials',
  );
  expectRefusal(await tryIt({ username: 'no-such-name', password: 'secret-b' }), '401 invalid_credentials');
  expectRefusal(
    await tryIt({ username: 'My password, typed here', password: 'x' }),
    '401 invalid_credentials',
  );
  await changeAccount(service, account, { blocked: true });
  expectRefusal(await tryIt({ username, password: testPassword }), '403 account_blocked');

  const anonymous = { id: 0, username: '' };
  const subject = `sign-in of account ${account.id}`;
  const refused = (name: string, reason: string, within_the_hour: number) => ({
    username: name,
    address,
    reason,
    within_the_hour,
  });
  // A refusal is entered after its answer.
  const ofThese = async () =>
    (await signInEntries()).filter(({ after }: { after: { address: string } }) => after.address === address);
  let entries = await ofThese();
  while (entries.length < 5) entries = await ofThese();
  // Each subject's entries are in their order. Those of several subjects are written at the same time.
  const of = (wanted: string) =>
    entries
      .filter((entry: Record<string, unknown>) => entry['subject'] === wanted)
      .map((entry: Record<string, unknown>) => [entry['action'], entry['actor'], entry['after']]);
  assert.deepEqual(of(subject), [
    ['sign_in.refuse', anonymous, refused(username, 'account_blocked', 2)],
    ['sign_in.refuse', anonymous, refused(username, 'wrong_password', 1)],
    ['sign_in.accept', { id: account.id, username }, { username, address, within_the_hour: 1 }],
  ]);
  assert.deepEqual(of('sign-in'), [
    ['sign_in.refuse', anonymous, refused('(no account)', 'unknown_username', 2)],
    ['sign_in.refuse', anonymous, refused('(no account)', 'unknown_username', 1)],
  ]);
  assert.ok(!/secret-|typed here/i.test(JSON.stringify(entries)));
});

test('a flood of refused sign-ins is counted in the audit log, not written out', async () => {
  const account = await withPassword();
  const { username } = account;
  const knock = async (name: string, password: string, times: number) => {
    for (let count = 0; count < times; count += 1) {
      milliseconds += 2 * minute * 1000;
      await signInAnswer(service.address, { username: name, password });
    }
  };
  const countsOf = async (what: string) =>
    (await signInEntries())
      .filter((entry: { action: string; subject: string }) => `${entry.action} ${entry.subject}` === what)
      .map((entry: { after: { within_the_hour: number } }) => entry.after.within_the_hour)
      // They were written at the same time, so their order may vary.
      .sort((a: number, b: number) => b - a);
  milliseconds += hour * 1000;
  await knock(username, 'wrong', 29);
  const first = Array.from({ length: 20 }, (_, index) => 20 - index);
  const refusals = `sign_in.refuse sign-in of account ${account.id}`;
  while ((await countsOf(refusals)).length < first.length);
  assert.deepEqual(await countsOf(refusals), first);
  // After an hour, logging continues. It has lost neither entries without an account nor the owner's own.
  milliseconds += hour * 1000;
  await knock(username, 'wrong', 1);
  while ((await countsOf(refusals)).length < first.length + 1);
  assert.deepEqual(await countsOf(refusals), [...first, 1]);
  await knock(username, testPassword, 1);
  assert.deepEqual(await countsOf(`sign_in.accept sign-in of account ${account.id}`), [1]);
});

test('switching the API off, and an allow-list that leaves the browser out, do not touch the panel', async () => {
  const account = await withPassword();
  const client = await signIn(service, account, { setPassword: false });
  await changeAccount(service, account, { api_enabled: false, allowed_ips: ['203.0.113.7'] });
  expectRefusal(await account.get('/balance'), '403 api_disabled');
  assert.equal((await client.get('/v1/balance')).body.balance, '100.00');
  const placed = await client.post('/v1/orders', {
    package_id: service.packages.basic,
    customer: 'by-panel',
  });
  assert.equal(placed.status, 201, placed.text);
  assert.equal((await client.get('/me')).body.address_allowed, false);
});

test('a session has a rate limit of its own, and it is not the key’s', async () => {
  const account = await service.createReseller({ rateLimitPerMinute: 3 });
  const client = await signIn(service, account);
  const first = await client.get('/v1/balance');
  assert.equal(first.headers.get('ratelimit-policy'), '"default";q=600;w=60');
  for (let count = 1; count < 600; count += 1) assert.equal((await client.get('/usage')).status, 200);
  const held = await client.get('/me');
  expectRefusal(held, '429 rate_limited', { limit: 600, window_seconds: 60, retry_after: 60 });
  assert.equal((await account.get('/balance')).status, 200);
  const other = await signIn(service, account, { setPassword: false });
  assert.equal((await other.get('/me')).status, 200);
  assert.deepEqual((await other.get('/usage')).body, {
    limit: 3,
    used: 1,
    remaining: 2,
    window_seconds: 60,
    reset_seconds: 60,
  });
});

test('the last administrator who can act is neither blocked nor switched off', async () => {
  const { admin } = service;
  const panel = await signIn(service, admin);
  // The only administrator's API access is off, so no other caller could undo this.
  await sqlOfAll(service, 'update accounts set api_enabled = false where is_admin');
  const made = await panel.post('/admin/v1/accounts', { username: 'not-an-admin', group: 'reseller' });
  assert.equal(made.status, 201, made.text);
  const second = made.body.account.id;
  await makeAdministrator(service, { id: second });
  for (const change of [{ blocked: true }, { api_enabled: false }]) {
    expectRefusal(await panel.patch(`/admin/v1/accounts/${second}`, change), '409 last_administrator');
  }
  await sqlOf(service, admin, `update accounts set api_enabled = true where id = ${admin.id}`);
  assert.equal((await panel.patch(`/admin/v1/accounts/${second}`, { blocked: true })).status, 200);
});

test('a request without a cookie of ours is not signed in, no matter what it holds instead', async () => {
  const client = createApiClient(service.address, null);
  for (const cookie of ['', 'sellthrough=', 'sellthrough=1', 'other=1.x', 'sellthrough=99999999.x; a=b']) {
    expectRefusal(await client.get('/panel/api/me', { ...ownPages, cookie }), '401 not_signed_in');
  }
});

test('a service without a mail server offers no link to a new password, and shows invitations to the operator', async () => {
  const anonymous = createPanelClient(service.address, '');
  assert.deepEqual((await anonymous.get('/sign-in')).body, {
    ...{ password_reset: false, demo: 'off' },
    support_address: null,
  });
  expectRefusal(await anonymous.post('/password-reset', { account: 'admin' }), '409 mail_not_configured');
  const body = { username: 'without-mail', group: 'reseller', email: 'a@example.com', invite: true };
  const made = await service.admin.post('/api/admin/v1/accounts', body);
  assert.equal(made.body.account.email, 'a@example.com', made.text);
  assert.equal(made.body.password, undefined);
  const token = new URL(made.body.invitation.url).hash.replace('#token=', '');
  const link = await anonymous.post('/password-reset/link', { token });
  assert.equal(link.body.username, 'without-mail');
});
