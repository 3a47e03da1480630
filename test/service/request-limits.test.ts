// The limit of requests per account, by a clock that the test sets, and of failed authentications per address.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Answer, createApiClient } from '../../scripts/throwaway/api-client.ts';
import type { WholeAnswer } from '../../scripts/throwaway/send-request.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createApiKeyCache } from '../../src/features/auth/api-key-cache.ts';
import { mintApiKey } from '../../src/features/identity/api-key.ts';
import { accountChanged } from '../../src/platform/database/change-notices.ts';
import { cookieOf, openPage, pathOfLink } from '../harness/browser-request.ts';
import { ownPages, signIn } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changeAccount, resetKey } from '../harness/shop.ts';
import { type Watcher, watched } from '../harness/watched-transaction.ts';

const failuresPerMinute = 5;
const refusalsPerMinute = 4;
const visitsPerMinute = 30;

let service: TestService;
let now = 1_000_000;
let keysLookedUp = 0;
/** Statements that find or end a session, a customer's session or a login link. */
let tokensLookedUp = 0;
const received: string[] = [];
const tokenStatements = /^(find|spend|delete)_(account_of_)?(session|customer_session|login_link)$/;
before(async () => {
  service = await startTestService({
    limits: { rates: { failuresPerMinute, refusalsPerMinute, sessionRequestsPerMinute: visitsPerMinute } },
    wrapDatabase: (database) => ({
      ...database,
      query(statement, values, rank) {
        if (statement.name === 'find_accounts_by_key') keysLookedUp += String(values?.[0]).split(',').length;
        if (tokenStatements.test(statement.name)) tokensLookedUp += 1;
        return database.query(statement, values, rank);
      },
      listen: (channel, listener) =>
        database.listen(channel, {
          ...listener,
          onMessage(payload) {
            listener.onMessage(payload);
            received.push(payload);
          },
        }),
      transaction: (work, transactionOptions) =>
        database.transaction((transaction) => {
          const watcher: Watcher = (send, { name }) => {
            if (tokenStatements.test(name)) tokensLookedUp += 1;
            return send();
          };
          return work(watched(transaction, watcher));
        }, transactionOptions),
    }),
  });
  service.clock.monotonic = () => now;
});
after(() => service.close());
beforeEach(() => {
  now += 120_000;
});

/** Such as "200 r=2 t=60", with the seconds of Retry-After if there are any. */
function seen({ status, headers }: Answer): string {
  const remaining = /^"default";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '');
  const retryAfter = headers.get('retry-after');
  const counted = remaining === null ? '-' : `r=${remaining[1]} t=${remaining[2]}`;
  return `${status} ${counted}${retryAfter === null ? '' : ` retry-after=${retryAfter}`}`;
}

test('an account has its limit in any 60 seconds, exactly, and Retry-After is when the next one passes', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 3 });
  const start = now;
  const table = `
         0  200 r=2 t=60
     10000  200 r=1 t=50
     10000  200 r=0 t=50
     20000  429 r=0 t=40 retry-after=40
     59001  429 r=0 t=1 retry-after=1
     59999  429 r=0 t=1 retry-after=1
     60000  200 r=0 t=10
     60000  429 r=0 t=10 retry-after=10
     69999  429 r=0 t=1 retry-after=1
     70000  200 r=1 t=50
     70000  200 r=0 t=50
     70000  429 r=0 t=50 retry-after=50
    500000  200 r=2 t=60`;
  for (const line of table.trim().split('\n')) {
    const [, milliseconds, expected] = /^ *(\d+) +(.*)$/.exec(line) ?? [];
    now = start + Number(milliseconds);
    const answer = await reseller.get('/balance');
    assert.equal(seen(answer), expected, `at ${milliseconds}`);
    assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=3;w=60');
  }
});

test('rate_limited has the limit, the window and the seconds of Retry-After', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 1 });
  await reseller.get('/balance');
  now += 15_500;
  const answer = await reseller.get('/balance');
  expectRefusal(answer, '429 rate_limited', { limit: 1, window_seconds: 60, retry_after: 45 });
  assert.equal(answer.headers.get('retry-after'), '45');
  now += 45_000;
  assert.equal((await reseller.get('/balance')).status, 200, 'after Retry-After a request passes');
});

test('every endpoint counts, refusals too, and every answer to a known key carries the headers', async () => {
  const reseller = await service.createReseller({ credit: '100.00', rateLimitPerMinute: 20 });
  let remaining = 20;
  const answers: [string, () => Promise<Answer>][] = [
    ['200', () => reseller.get('/balance')],
    ['200', () => reseller.get('/packages')],
    ['200', () => reseller.get('/orders')],
    ['200', () => reseller.get('/customers')],
    ['404', () => reseller.get('/orders/1')],
    ['404', () => reseller.get('/customers/1')],
    ['404', () => reseller.get('/nowhere')],
    ['405', () => reseller.send('DELETE', '/balance')],
    ['400', () => reseller.post('/orders', '{')],
    ['413', () => reseller.post('/orders', 'x'.repeat(70_000))],
    ['422', () => reseller.post('/orders', {})],
    ['201', () => reseller.post('/orders', { package_id: service.packages.basic, customer: 'of-headers' })],
    ['404', () => reseller.post('/orders/1/renew')],
    ['403', () => reseller.get('/api/admin/v1/audit')],
  ];
  for (const [status, send] of answers) {
    const answer = await send();
    remaining -= 1;
    assert.equal(seen(answer), `${status} r=${remaining} t=60`);
    assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=20;w=60');
  }
});

test('a request that is refused before it counts shows the headers and takes nothing', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 10 });
  await reseller.get('/balance');
  for (const [change, back] of [
    [{ blocked: true }, { blocked: false }],
    [{ api_enabled: false }, { api_enabled: true }],
    [{ allowed_ips: ['192.0.2.1'] }, { allowed_ips: [] }],
  ]) {
    await changeAccount(service, reseller, change ?? {});
    assert.equal(seen(await reseller.get('/balance')), '403 r=9 t=60');
    await changeAccount(service, reseller, back ?? {});
  }
  const key = await resetKey(service, reseller);
  assert.equal(seen(await reseller.get('/balance')), '401 r=9 t=60');
  assert.equal(seen(await createApiClient(service.address, key).get('/balance')), '200 r=8 t=60');
});

test('requests that are refused before they count have a limit of their own, and beyond it ask no database', async () => {
  for (const [change, back, refusal] of [
    [{ blocked: true }, { blocked: false }, '403 account_blocked'],
    [{ api_enabled: false }, { api_enabled: true }, '403 api_disabled'],
    [{ allowed_ips: ['192.0.2.1'] }, { allowed_ips: [] }, '403 ip_not_allowed'],
  ] as const) {
    now += 60_000;
    const reseller = await service.createReseller({ rateLimitPerMinute: 10 });
    await reseller.get('/balance');
    await changeAccount(service, reseller, change);
    // Wait for the notice: if it came later, it would cost another lookup.
    while (!received.includes(accountChanged(reseller.id))) await nextTurn();
    for (let refused = 0; refused < refusalsPerMinute; refused += 1) {
      expectRefusal(await reseller.get('/balance'), refusal, {});
    }
    now += 20_000;
    const before = keysLookedUp;
    const limited = await Promise.all(Array.from({ length: 20 }, () => reseller.get('/nowhere')));
    for (const answer of limited) {
      const details = { limit: refusalsPerMinute, window_seconds: 60, retry_after: 40 };
      expectRefusal(answer, '429 rate_limited', details, refusal);
      assert.equal(seen(answer), '429 r=9 t=40 retry-after=40');
    }
    const order = { package_id: service.packages.basic, customer: 'of-a-refused-one' };
    expectRefusal(await reseller.post('/orders', order), '429 rate_limited');
    assert.equal(keysLookedUp, before, refusal);
    await changeAccount(service, reseller, back);
    assert.equal(seen(await reseller.get('/balance')), '200 r=8 t=40', 'what is lifted is lifted at once');
    await changeAccount(service, reseller, change);
    expectRefusal(await reseller.get('/balance'), '429 rate_limited');
    now += 40_000;
    expectRefusal(await reseller.get('/balance'), refusal, {}, 'after Retry-After the reason is given again');
  }
});

test('requests beyond an account’s limit ask no database, in the administrator’s API neither', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 2 });
  for (const path of ['/balance', '/api/admin/v1/audit']) await reseller.get(path);
  const before = keysLookedUp;
  for (const path of ['/balance', '/api/admin/v1/audit', '/api/admin/v1/nowhere']) {
    expectRefusal(await reseller.get(path), '429 rate_limited', undefined, path);
  }
  assert.equal(keysLookedUp, before);
});

test('a block that another process lifts is lifted here too, beyond the limit of refusals', async (context) => {
  if (service.database.kind === 'embedded') return context.skip('one process only');
  const another = await service.startAnother();
  try {
    const reseller = await service.createReseller();
    const there = createApiClient(another.address, service.admin.key);
    const path = `/api/admin/v1/accounts/${reseller.id}`;
    assert.equal((await there.patch(path, { blocked: true })).status, 200);
    for (let refused = 0; refused < refusalsPerMinute; refused += 1) {
      assert.equal((await reseller.get('/balance')).status, 403);
    }
    let answer = await reseller.get('/balance');
    expectRefusal(answer, '429 rate_limited');
    assert.equal((await there.patch(path, { blocked: false })).status, 200);
    // This process waits for the notice. The clock stands still, so nothing else can admit the request.
    while (answer.status !== 200) answer = await reseller.get('/balance');
  } finally {
    await another.close();
  }
});

test('the limit belongs to the account, not to its key, and to no other account', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 2 });
  const neighbor = await service.createReseller({ rateLimitPerMinute: 2 });
  await reseller.get('/balance');
  const renewed = createApiClient(service.address, await resetKey(service, reseller));
  assert.equal(seen(await renewed.get('/balance')), '200 r=0 t=60');
  assert.equal((await renewed.get('/balance')).status, 429);
  assert.equal(seen(await neighbor.get('/balance')), '200 r=1 t=60');
});

test('a new limit holds from the next request on, higher or lower, and the default is 60', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 2 });
  await reseller.get('/balance');
  await reseller.get('/balance');
  assert.equal((await reseller.get('/balance')).status, 429);
  await changeAccount(service, reseller, { rate_limit_per_minute: 4 });
  assert.equal(seen(await reseller.get('/balance')), '200 r=1 t=60');
  await changeAccount(service, reseller, { rate_limit_per_minute: 1 });
  now += 10_000;
  const limited = await reseller.get('/balance');
  assert.equal(seen(limited), '429 r=0 t=50 retry-after=50');
  now += 50_000;
  assert.equal((await reseller.get('/balance')).status, 200, 'after Retry-After a request passes');

  const made = await service.admin.post('/api/admin/v1/accounts', {
    username: 'with-default',
    group: 'reseller',
  });
  const fresh = createApiClient(service.address, made.body.api_key);
  const first = await fresh.get('/balance');
  assert.equal(first.headers.get('ratelimit-policy'), '"default";q=60;w=60');
  const rest = await Promise.all(Array.from({ length: 60 }, () => fresh.get('/balance')));
  assert.equal(rest.filter(({ status }) => status === 200).length, 59, '60 with the first');
  assert.equal(rest.filter(({ status }) => status === 429).length, 1);
});

test('requests beyond the limit place no orders', async () => {
  const reseller = await service.createReseller({ credit: '1000.00', rateLimitPerMinute: 7 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      reseller.post('/orders', { package_id: service.packages.basic, customer: `limited-${index}` }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 7);
  const shown = await service.admin.get(`/api/admin/v1/accounts/${reseller.id}`);
  assert.deepEqual([shown.body.account.order_count, shown.body.account.balance], [7, '930.00']);
});

test('failed authentications are limited per address, and no account pays for them', async () => {
  const reseller = await service.createReseller({ rateLimitPerMinute: 10 });
  const outsider = createApiClient(service.address, null);
  const guesser = createApiClient(service.address, `sk_live_${'0'.repeat(46)}`);
  for (let failures = 0; failures < failuresPerMinute; failures += 1) {
    const answer = await (failures % 2 === 0 ? outsider : guesser).get('/balance');
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('ratelimit'), null, 'no account, no limit to show');
  }
  now += 20_000;
  for (const client of [outsider, guesser]) {
    const answer = await client.get('/nowhere');
    const details = { limit: failuresPerMinute, window_seconds: 60, retry_after: 40 };
    expectRefusal(answer, '429 rate_limited', details);
    assert.equal(answer.headers.get('retry-after'), '40');
  }
  assert.equal(
    seen(await reseller.get('/balance')),
    '200 r=9 t=60',
    'a right key passes from the same address',
  );
  assert.equal((await outsider.get('/openapi.json')).status, 200);
  now += 40_000;
  assert.equal(
    (await guesser.get('/balance')).status,
    401,
    'after Retry-After the answer is what is wrong again',
  );
});

test('keys that no one holds are looked up within the limit of their address only, and keys that were seen always', async () => {
  const customers = [await service.createReseller(), await service.createReseller()] as const;
  for (const customer of customers) assert.equal((await customer.get('/balance')).status, 200);
  const guess = () => createApiClient(service.address, mintApiKey('live')).get('/balance');
  const before = keysLookedUp;
  const answers = await Promise.all(Array.from({ length: 30 }, guess));
  assert.equal(answers.filter(({ status }) => status === 401).length, failuresPerMinute);
  for (const answer of answers) if (answer.status !== 401) expectRefusal(answer, '429 rate_limited');
  now += 20_000;
  for (let guesses = 0; guesses < 10; guesses += 1) {
    const answer = await guess();
    const details = { limit: failuresPerMinute, window_seconds: 60, retry_after: 40 };
    expectRefusal(answer, '429 rate_limited', details);
    assert.equal(answer.headers.get('retry-after'), '40');
  }
  assert.equal(keysLookedUp, before + failuresPerMinute);

  const [remembered, changed] = customers;
  assert.equal((await remembered.get('/balance')).status, 200);
  await changeAccount(service, changed, { display_name: 'Looked up again' });
  assert.equal((await changed.get('/balance')).status, 200);
  const unseen = await service.createReseller();
  // Until this process is notified. The clock stands still, so nothing else can admit the request.
  while ((await unseen.get('/balance')).status !== 200) assert.equal((await guess()).status, 429);
  now += 40_000;
  for (let count = 0; count < 2 * failuresPerMinute; count += 1) {
    const fresh = await service.createReseller();
    assert.equal((await fresh.get('/balance')).status, 200, 'what is found takes nothing');
  }
});

const madeUp = () => randomBytes(32).toString('base64url');
const customerCookie = () => ({ cookie: `sellthrough_customer=${madeUp()}` });
const sessionCookie = () => ({ cookie: `sellthrough=1.${madeUp()}`, ...ownPages });

const requests: Readonly<Record<string, () => Promise<WholeAnswer>>> = {
  'GET /login': () => openPage(service.address, 'GET', `/login/${madeUp()}`),
  'POST /login': () => openPage(service.address, 'POST', `/login/${madeUp()}`),
  'GET /customer': () => openPage(service.address, 'GET', '/customer', customerCookie()),
  'POST /customer/logout': () => openPage(service.address, 'POST', '/customer/logout', customerCookie()),
  'GET /panel/api': () => openPage(service.address, 'GET', '/panel/api/me', sessionCookie()),
  'GET /panel/api/v1': () => openPage(service.address, 'GET', '/panel/api/v1/balance', sessionCookie()),
  'POST /panel/api/sign-out': () => openPage(service.address, 'POST', '/panel/api/sign-out', sessionCookie()),
};

for (const [name, send] of Object.entries(requests)) {
  test(`tokens that were made up ask the database within the limit of their address only: ${name}`, async () => {
    const before = tokensLookedUp;
    const first = await Promise.all(Array.from({ length: 20 }, send));
    assert.equal(first.filter(({ status }) => status !== 429).length, failuresPerMinute);
    const asked = tokensLookedUp - before;
    // A link is read once more, to find out why it could not be used.
    assert.equal(asked, failuresPerMinute * (name === 'POST /login' ? 2 : 1));
    now += 20_000;
    const refused = await send();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '40']);
    assert.equal(refused.headers.get('cache-control'), 'no-store');
    assert.deepEqual(refused.headers.getSetCookie(), [], 'what could not be ended is not forgotten');
    if (name.includes('/panel/')) assert.equal(JSON.parse(refused.text).error.code, 'rate_limited');
    else assert.match(refused.text, /<h1>Try again in a minute<\/h1>/);
    assert.equal(tokensLookedUp, before + asked);
    now += 40_000;
    assert.notEqual((await send()).status, 429, 'after Retry-After the answer is what is wrong again');
  });
}

async function newLink(reseller: TestAccount): Promise<string> {
  const customer = `visitor-${madeUp()}`;
  const order = { package_id: service.packages.basic, customer, return_login: true };
  return pathOfLink((await reseller.post('/orders', order)).body.login_url);
}

test('who shares an address with a flood of made-up tokens goes on with a session or a link that was seen before', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const open = (method: 'GET' | 'POST', path: string, cookie = '') =>
    openPage(service.address, method, path, { cookie });
  const cookie = cookieOf(await open('POST', await newLink(reseller)));
  assert.equal((await open('GET', '/customer', cookie)).status, 200);
  const scanned = await newLink(reseller);
  assert.equal((await open('GET', scanned)).status, 200, 'by a mail scanner');
  const unseen = await newLink(reseller);
  const session = await signIn(service, reseller);
  assert.equal((await session.get('/me')).status, 200);
  const another = await signIn(service, await service.createReseller());
  const begun = cookieOf(await open('POST', await newLink(reseller)));
  await Promise.all(Object.values(requests).flatMap((send) => [send(), send()]));

  assert.equal((await another.get('/me')).status, 200, 'anyone who has just signed in');
  assert.equal((await open('GET', '/customer', begun)).status, 200, 'anyone who has just logged in');

  assert.equal((await open('GET', unseen)).status, 429);
  assert.equal((await open('POST', unseen)).status, 429);
  for (let time = 0; time < 2 * failuresPerMinute; time += 1) {
    assert.equal((await open('GET', '/customer', cookie)).status, 200);
    assert.equal((await open('GET', scanned)).status, 200);
    assert.equal((await session.get('/me')).status, 200);
  }
  assert.equal((await open('POST', scanned)).status, 303);
  assert.equal((await session.post('/sign-out')).status, 204);
  assert.equal((await open('POST', '/customer/logout', cookie)).status, 303);
  // A token that no longer works counts as a guess once it was refused.
  const spent = [await open('GET', scanned), await open('GET', scanned)];
  assert.deepEqual(
    spent.map(({ status }) => status),
    [410, 429],
  );
  now += 60_000;
  assert.equal((await open('POST', unseen)).status, 303, 'the refusals spent nothing');
});

test('links and sessions that open something take nothing from their address, and each has a limit of its own', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  for (let customer = 0; customer < 2 * failuresPerMinute; customer += 1) {
    const link = await newLink(reseller);
    assert.equal((await openPage(service.address, 'GET', link)).status, 200);
    const cookie = cookieOf(await openPage(service.address, 'POST', link));
    assert.equal((await openPage(service.address, 'GET', '/customer', { cookie })).status, 200);
  }
  const [link, other] = [await newLink(reseller), await newLink(reseller)];
  for (let visit = 0; visit <= visitsPerMinute; visit += 1) {
    assert.equal((await openPage(service.address, 'GET', link)).status, 200);
  }
  const before = tokensLookedUp;
  assert.equal((await openPage(service.address, 'GET', link)).status, 429);
  assert.equal(tokensLookedUp, before);
  assert.equal((await openPage(service.address, 'GET', other)).status, 200);
});

test('after a start keys are known as before, beside a flood and in any number at once', async (context) => {
  if (service.database.kind === 'embedded') return context.skip('one process only');
  const resellers: TestAccount[] = [];
  for (let count = 0; count < 4 * failuresPerMinute; count += 1)
    resellers.push(await service.createReseller());
  const another = await service.startAnother();
  try {
    const ask = async (key: string) => (await createApiClient(another.address, key).get('/balance')).status;
    const flood = Array.from({ length: 30 }, () => ask(mintApiKey('live')));
    const honest = await Promise.all(resellers.map(({ key }) => ask(key)));
    assert.deepEqual(new Set(honest), new Set([200]));
    assert.ok((await Promise.all(flood)).includes(429));
    // The first process makes the key after the second has read the list of keys.
    const made = await service.createReseller();
    const renewed = await resetKey(service, made);
    while ((await ask(renewed)) !== 200) assert.equal(await ask(mintApiKey('live')), 429);
  } finally {
    await another.close();
  }
});

test('keys made while notices did not arrive are learned once notices arrive again', async () => {
  const problems: unknown[] = [];
  const keys = createApiKeyCache(
    service.database,
    () => 0,
    (problem) => problems.push(problem),
  );
  const { key } = await service.createReseller();
  keys.setStale(true);
  assert.equal(await keys.isFamiliarAtLast(key), false, 'no process announced this one');
  keys.setStale(false);
  assert.equal(await keys.isFamiliarAtLast(key), true);
  assert.equal(await keys.isFamiliarAtLast(mintApiKey('live')), false);
  const later = await service.createReseller();
  keys.forgetAccount(later.id);
  assert.equal(await keys.isFamiliarAtLast(later.key), true);
  assert.deepEqual(problems, []);
  keys.close();
});

test('a revoked key counts as a failed authentication of its address', async () => {
  const reseller = await service.createReseller();
  await resetKey(service, reseller);
  for (let failures = 0; failures < failuresPerMinute; failures += 1) {
    expectRefusal(await reseller.get('/balance'), '401 revoked_api_key');
  }
  expectRefusal(await reseller.get('/balance'), '429 rate_limited');
});
