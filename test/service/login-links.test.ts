// Login links as a customer’s browser and a mail scanner use them: opening uses nothing up, the button works once.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { reachesService } from '../../scripts/throwaway/front-proxy.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createLoginLink, deleteExpiredLogins } from '../../src/features/customer-portal/login-links.ts';
import { cookieOf, openPage, type Page, pathOfLink } from '../harness/browser-request.ts';
import { type PanelClient, signIn, usernameOf } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { changePackage, createPackage, secondsOf } from '../harness/shop.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const get = (path: string, headers?: Record<string, string>) =>
  openPage(service.address, 'GET', path, headers);
const post = (path: string, headers?: Record<string, string>) =>
  openPage(service.address, 'POST', path, headers);

let customers = 0;

async function orderWithLink(body: object = {}, reseller?: TestAccount) {
  const account = reseller ?? (await service.createReseller({ credit: '100.00' }));
  customers += 1;
  const order = {
    package_id: service.packages.basic,
    customer: `visitor-${customers}`,
    return_login: true,
    ...body,
  };
  const answer = await account.post('/orders', order, { 'idempotency-key': `link-${customers}` });
  assert.equal(answer.status, 201, answer.text);
  assert.match(answer.body.login_url, /^http:\/\/127\.0\.0\.1\/login\/[A-Za-z0-9_-]{43}$/);
  const again = () =>
    account.post('/orders', order, { 'idempotency-key': answer.body.order.idempotency_key });
  return { account, again, order: answer.body.order, path: pathOfLink(answer.body.login_url) };
}

async function logIn(path: string): Promise<string> {
  const spent = await post(path);
  assert.equal(spent.status, 303, spent.text);
  return cookieOf(spent);
}

async function loggedOut(): Promise<string> {
  const cookie = await logIn((await orderWithLink()).path);
  return loggedOutCookieOf(await post('/customer/logout', { cookie })).split(';')[0] ?? '';
}

const loggedOutCookieOf = ({ headers }: Page): string =>
  headers.getSetCookie().find((cookie) => cookie.startsWith('sellthrough_logged_out=')) ?? '';

const wordsOf = ({ text }: Page) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

function expectSafeHeaders({ headers }: Page, why: string): void {
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/, why);
  assert.match(policy, /frame-ancestors 'none'/, why);
  assert.match(policy, /base-uri 'none'/, why);
  assert.match(policy, /form-action 'self'(;|$)/, why);
  assert.doesNotMatch(policy, /unsafe|\*|data:|https?:/, why);
  assert.equal(headers.get('cache-control'), 'no-store', why);
  assert.equal(headers.get('referrer-policy'), 'same-origin', why);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', why);
}

test('opening a link shows one button and spends nothing; pressing it spends it and shows the plan', async () => {
  const { path, order } = await orderWithLink({ customer_name: 'Ada Lovelace' });
  for (const browser of ['a person', 'a mail scanner']) {
    const page = await get(path, { 'user-agent': browser });
    assert.equal(page.status, 200);
    assert.equal(page.text.match(/<button/g)?.length, 1);
    assert.match(page.text, /<form method="post">/);
    assert.equal(page.headers.get('set-cookie'), null);
    assert.match(wordsOf(page), /Continue to see your plan from /);
    assert.doesNotMatch(page.text, /Ada|Basic/, 'nothing of the customer before the button');
  }
  const spent = await post(path);
  assert.deepEqual([spent.status, spent.headers.get('location')], [303, '/customer']);
  const [cookie = ''] = spent.headers.getSetCookie();
  assert.match(
    cookie,
    /^sellthrough_customer=[A-Za-z0-9_-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.ok(!cookie.includes(path.slice('/login/'.length)), 'the session is not the link');

  const page = await get('/customer', { cookie: cookieOf(spent) });
  assert.equal(page.status, 200);
  const words = wordsOf(page);
  for (const shown of [
    'Ada Lovelace',
    'Basic',
    'Active',
    'One',
    'Two',
    'Accounts 1',
    'Posts per day 2',
    'AI images per month 3',
  ]) {
    assert.ok(words.includes(shown), `${shown} in ${words}`);
  }
  assert.match(words, /January 15, 2026/);
  assert.match(words, /February 15, 2026/);
  assert.match(words, /31 days left/);
  assert.ok(
    page.text.includes('2026-01-15T12:00:00Z') && page.text.includes(order.expires_at),
    'the exact moments',
  );
  assert.equal((await get(path)).status, 410);
  assert.equal((await post(path)).status, 410, 'a link works once');
});

test('of 20 parallel presses one gets the session', async () => {
  const { path } = await orderWithLink();
  const presses = await Promise.all(Array.from({ length: 20 }, () => post(path)));
  const winners = presses.filter(({ status }) => status === 303);
  assert.equal(winners.length, 1);
  for (const press of presses) {
    assert.equal(press.headers.getSetCookie().length, press.status === 303 ? 1 : 0);
    assert.ok([303, 410].includes(press.status));
  }
  const [winner] = winners;
  assert.ok(winner);
  assert.equal((await get('/customer', { cookie: cookieOf(winner) })).status, 200);
});

test('a link lives for 15 minutes of the clock and not a second longer', async () => {
  const start = service.clock.seconds;
  const first = await orderWithLink();
  const second = await orderWithLink();
  service.clock.seconds = start + 899;
  assert.equal((await get(first.path)).status, 200);
  assert.equal((await post(first.path)).status, 303);
  service.clock.seconds = start + 900;
  assert.equal((await get(second.path)).status, 410);
  assert.equal((await post(second.path)).status, 410);
  const replay = await second.again();
  assert.equal((await post(pathOfLink(replay.body.login_url))).status, 303, 'a replay gives a fresh one');
});

test('a replay replaces the unused link; a session that was begun goes on', async () => {
  const { path, again } = await orderWithLink();
  const fresh = pathOfLink((await again()).body.login_url);
  assert.deepEqual([(await get(path)).status, (await post(path)).status], [410, 410]);
  const cookie = await logIn(fresh);
  const newest = pathOfLink((await again()).body.login_url);
  assert.equal((await get('/customer', { cookie })).status, 200);
  assert.equal((await post(newest)).status, 303);
});

test('however often a link is asked for, one is kept, and the last one handed out is it', async () => {
  const { account, again } = await orderWithLink();
  const kept = async () => {
    const [row] = await service.database.query({
      name: '',
      text: `select count(*)::int as links from login_links where account_id = ${account.id}`,
    });
    return row?.['links'];
  };
  let last = '';
  for (let time = 0; time < 20; time += 1) last = pathOfLink((await again()).body.login_url);
  assert.equal(await kept(), 1);
  assert.equal((await get(last)).status, 200);

  const customer = { accountId: account.id, number: 1, customerNumber: 1 };
  const tokens = await Promise.all(
    Array.from({ length: 20 }, () =>
      createLoginLink(service.database, customer, 900, service.clock.seconds, {
        by: { type: 'person', id: account.id },
        isOperator: false,
      }),
    ),
  );
  assert.equal(await kept(), 1);
  const pages = await Promise.all(
    [last, ...tokens.map((token) => `/login/${token}`)].map((path) => get(path)),
  );
  assert.equal(pages.filter(({ status }) => status === 200).length, 1, 'of links made in parallel one lives');
  const { login_links: links } = (
    await (await signIn(service, account)).get(`/customers/${customerOf(account)}`)
  ).body;
  assert.deepEqual(
    links.map(({ state }: { state: string }) => state).toSorted(),
    ['open', ...Array.from({ length: 19 }, () => 'replaced')],
    'and the list says so',
  );
});

const customerOf = ({ id }: TestAccount) => id * 1_000_000_000 + 1;

test('a customer’s page says who made login links and what became of them, for 90 days', async () => {
  const { account, again, path } = await orderWithLink();
  const customer = `/customers/${customerOf(account)}`;
  const panel = await signIn(service, account);
  const console = await signIn(service, service.admin);
  const linksOf = async (client: PanelClient, page = customer) =>
    (await client.get(page)).body.login_links.map((link: Record<string, string | null>) => [
      link['state'],
      link['made_by'],
      link['maker'],
      link['used_at'],
    ]);
  const nowText = () => new Date(service.clock.seconds * 1_000).toISOString().replace('.000', '');
  assert.deepEqual(await linksOf(panel), [['open', 'order', '', null]]);
  service.clock.seconds += 60;
  const firstUse = nowText();
  await logIn(path);
  service.clock.seconds += 60;
  const byAccount = await panel.post(`${customer}/login-link`);
  assert.equal(byAccount.status, 201, byAccount.text);
  service.clock.seconds += 60;
  const byOperator = await service.admin.post(`/api/admin/v1${customer}/login-link`);
  assert.equal(byOperator.status, 201, byOperator.text);
  assert.equal((await get(pathOfLink(byAccount.body.login_url))).status, 410);
  const username = await usernameOf(service, account);
  const expected = (state: string, used: string | null, operator: string) => [
    [state, 'operator', operator, used],
    ['replaced', 'account', username, null],
    ['used', 'order', '', firstUse],
  ];
  assert.deepEqual(await linksOf(panel), expected('open', null, ''), 'not who of the operator’s people');
  assert.deepEqual(await linksOf(console, `/admin${customer}`), expected('open', null, 'First key'));
  service.clock.seconds += 60;
  const secondUse = nowText();
  await logIn(pathOfLink(byOperator.body.login_url));
  assert.deepEqual(await linksOf(panel), expected('used', secondUse, ''));
  // The unused link of a later order is shown too.
  assert.equal((await again()).status, 201);
  service.clock.seconds += 16 * 60;
  assert.deepEqual((await linksOf(panel))[0], ['expired', 'order', '', null]);

  const days = (count: number) => service.clock.seconds - count * 86_400;
  const never = new AbortController().signal;
  service.clock.seconds += 89 * 86_400;
  await deleteExpiredLogins(service.database, days(7), days(90), never);
  assert.equal(
    (await linksOf(await signIn(service, service.admin), `/admin${customer}`)).length,
    3,
    'what was logged is kept',
  );
  service.clock.seconds += 86_400 * 2;
  await deleteExpiredLogins(service.database, days(7), days(90), never);
  assert.deepEqual(await linksOf(await signIn(service, service.admin), `/admin${customer}`), []);
});

test('tokens that were never handed out are 410 and name no shop; a spent one says which shop to ask', async () => {
  const { account, path } = await orderWithLink();
  await logIn(path);
  const spent = await get(path);
  assert.equal(spent.status, 410);
  assert.match(wordsOf(spent), new RegExp(`Ask \\S?${await usernameOf(service, account)}\\S? for a new one`));
  const unknown = await get('/login/x');
  assert.match(wordsOf(unknown), /Ask for a new one where you bought your plan/);
  const token = path.slice('/login/'.length);
  const last = token.endsWith('A') ? 'Q' : 'A';
  for (const wrong of [
    'x',
    'A'.repeat(43),
    `${token.slice(0, -1)}${last}`,
    `${token}A`,
    token.slice(1),
    '%00',
    '%zz',
    "'--",
    'x'.repeat(600),
  ].filter(reachesService)) {
    for (const page of [await get(`/login/${wrong}`), await post(`/login/${wrong}`)]) {
      assert.deepEqual([page.status, page.text], [410, unknown.text], wrong.slice(0, 50));
    }
  }
});

test('hostile names and features are shown as text', async () => {
  const name = `<script>alert("1")</script>' onmouseover='x & \u202eevil\u2066`;
  const features = ['<img src=x onerror=alert(1)>', '"quoted" & \'single\'', '</ul><h1>out', '\u202ertl'];
  const hostile = await createPackage(service, '<b>Bold</b> &amp; "Co"', ['1.00', '3.00', '12.00']);
  await changePackage(service, hostile, { features });
  const { path } = await orderWithLink({ package_id: hostile, customer_name: name });
  const { text } = await get('/customer', { cookie: await logIn(path) });
  const escaped = (value: string) =>
    value.replace(
      /[&<>"']/g,
      (character) =>
        ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
    );
  assert.ok(text.includes(`<bdi>${escaped(name)}</bdi>`), 'a name cannot turn the text around it');
  assert.ok(text.includes(`<bdi>${escaped('<b>Bold</b> &amp; "Co"')}</bdi>`));
  for (const feature of features)
    assert.ok(text.includes(`<li dir="auto">${escaped(feature)}</li>`), feature);
  assert.doesNotMatch(text, /<script|<img|<b>|onmouseover='/);
});

test('every page forbids scripts, framing, caching and referrers, and loads nothing from elsewhere', async () => {
  const { path } = await orderWithLink();
  const cookie = await logIn((await orderWithLink()).path);
  const pages: Record<string, Page> = {
    button: await get(path),
    spent: await get('/login/x'),
    redirect: await post(path),
    customer: await get('/customer', { cookie }),
    'signed out': await get('/customer'),
    logout: await post('/customer/logout'),
    'logged out': await get('/customer', { cookie: await loggedOut() }),
  };
  for (const [why, page] of Object.entries(pages)) {
    expectSafeHeaders(page, why);
    assert.doesNotMatch(page.text, /<script|javascript:|\son\w+=|style="|https?:\/\//i, why);
  }
  const stylesheet = /<link rel="stylesheet" href="([^"]+)">/.exec(pages['button']?.text ?? '')?.[1] ?? '';
  const styles = await get(stylesheet);
  assert.deepEqual([styles.status, styles.headers.get('content-type')], [200, 'text/css; charset=utf-8']);
  assert.doesNotMatch(styles.text, /url\(|@import/);
});

test('a form on another site uses no link, and signs no customer in or out', async () => {
  const { path } = await orderWithLink();
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1.evil.example' },
  ];
  for (const headers of foreign) {
    const refused = await post(path, headers);
    assert.notEqual(refused.status, 303);
    assert.deepEqual(refused.headers.getSetCookie(), []);
    assert.equal(
      (await get(path, headers)).status,
      200,
      'a link may be opened from anywhere, and is unspent',
    );
  }
  const own = await post(path, { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' });
  const cookie = cookieOf(own);
  for (const headers of foreign) {
    const refused = await post('/customer/logout', { ...headers, cookie });
    assert.deepEqual(refused.headers.getSetCookie(), [], 'the browser keeps its cookie');
    assert.equal((await get('/customer', { cookie })).status, 200);
  }
});

test('logging out ends the session in the database, not only in the browser', async () => {
  const { path } = await orderWithLink();
  const cookie = await logIn(path);
  const out = await post('/customer/logout', { cookie });
  assert.equal(out.status, 303);
  assert.match(out.headers.getSetCookie()[1] ?? '', /^sellthrough_customer=; Max-Age=0; Path=\/;/);
  const page = await get('/customer', { cookie });
  assert.equal(page.status, 401);
  assert.match(page.text, /not logged in/);
});

test('after logout the page names the shop, in each language, for ten minutes', async () => {
  const { account, path, again } = await orderWithLink({ customer_name: 'Ada Lovelace' });
  const shop = await usernameOf(service, account);
  const out = await post('/customer/logout', { cookie: await logIn(path) });
  const kept = loggedOutCookieOf(out);
  assert.match(
    kept,
    /^sellthrough_logged_out=[\w-]{8}\.[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const cookie = kept.split(';')[0] ?? '';
  const page = await get('/customer', { cookie });
  assert.equal(page.status, 401);
  assert.match(page.text, /<h1>You are logged out<\/h1>/);
  assert.match(wordsOf(page), new RegExp(`You can get one from \\S?${shop}\\S?\\.`));
  assert.match(page.text, new RegExp(`role="banner">.*<bdi>${shop}</bdi>`));
  assert.doesNotMatch(page.text, /Ada|Basic/);
  const german = await get('/customer?language=de', { cookie });
  assert.match(wordsOf(german), new RegExp(`Sie sind abgemeldet .* Sie bekommen ihn von \\S?${shop}\\S?\\.`));

  const renewed = await post(pathOfLink((await again()).body.login_url), { cookie });
  assert.match(loggedOutCookieOf(renewed), /^sellthrough_logged_out=; Max-Age=0;/);
  service.clock.seconds += 600;
  assert.match((await get('/customer', { cookie })).text, /<h1>You are not logged in<\/h1>/);
});

test('only a cookie that this service sealed names a shop after logout', async () => {
  const { path } = await orderWithLink();
  const kept = loggedOutCookieOf(await post('/customer/logout', { cookie: await logIn(path) }));
  const sealed = /=([^;]*)/.exec(kept)?.[1] ?? '';
  const changed = sealed.replace(/\.(.)/, (_all, first) => `.${first === 'A' ? 'B' : 'A'}`);
  for (const forged of ['', '1', '1%209999999999', changed]) {
    const page = await get('/customer?shop=Evil', { cookie: `sellthrough_logged_out=${forged}` });
    assert.equal(page.status, 401);
    assert.match(page.text, /<h1>You are not logged in<\/h1>/);
    assert.doesNotMatch(page.text, /role="banner"|Evil/);
  }
  const unknown = await post('/customer/logout', { cookie: `sellthrough_customer=${'a'.repeat(43)}` });
  assert.equal(loggedOutCookieOf(unknown), '', 'no session was ended');
  const foreign = await post('/customer/logout', {
    cookie: await logIn((await orderWithLink()).path),
    'sec-fetch-site': 'cross-site',
  });
  assert.equal(loggedOutCookieOf(foreign), '');
});

test('another link ends the session that its browser had; sessions in other browsers go on', async () => {
  const { path, again } = await orderWithLink();
  const phone = await logIn(path);
  const laptop = await logIn(pathOfLink((await again()).body.login_url));
  const next = pathOfLink((await again()).body.login_url);
  assert.equal((await get(next, { cookie: laptop })).status, 200);
  assert.equal((await get('/customer', { cookie: laptop })).status, 200, 'opening it changes nothing');
  const renewed = cookieOf(await post(next, { cookie: laptop }));
  const statuses = async () => {
    const pages = [laptop, renewed, phone].map((cookie) => get('/customer', { cookie }));
    return (await Promise.all(pages)).map(({ status }) => status);
  };
  assert.deepEqual(await statuses(), [401, 200, 200]);
  const spent = await post(next, { cookie: renewed });
  assert.equal(spent.status, 410);
  assert.deepEqual(await statuses(), [401, 200, 200], 'a refused link ends no session');

  const somebodyElse = await orderWithLink();
  await post(somebodyElse.path, { cookie: renewed });
  assert.deepEqual(await statuses(), [401, 401, 200], 'anyone who shares a browser takes the other’s place');
});

test('a session ends by the clock, and a made-up cookie opens none', async () => {
  const { path } = await orderWithLink();
  const spent = await post(path);
  const seconds = Number(/Max-Age=(\d+)/.exec(spent.headers.getSetCookie()[0] ?? '')?.[1]);
  const cookie = cookieOf(spent);
  assert.equal((await get('/customer', { cookie: `a=b; ${cookie}; c` })).status, 200, 'among other cookies');
  for (const wrong of [
    'sellthrough_customer=',
    `sellthrough_customer=${'A'.repeat(43)}`,
    cookie.toUpperCase(),
    `x${cookie}`,
    `${cookie}x`,
  ]) {
    assert.equal((await get('/customer', { cookie: wrong })).status, 401, wrong);
  }
  const start = service.clock.seconds;
  service.clock.seconds = start + seconds - 1;
  assert.equal((await get('/customer', { cookie })).status, 200);
  service.clock.seconds = start + seconds;
  assert.equal((await get('/customer', { cookie })).status, 401);
});

test('a suspended customer sees no plan, until it is lifted', async () => {
  const { path, order } = await orderWithLink();
  const setStatus = (status: string) =>
    service.admin.patch(`/api/admin/v1/customers/${order.customer.id}`, { status });
  const cookie = await logIn(path);
  assert.equal((await setStatus('suspended')).status, 200);
  const page = await get('/customer', { cookie });
  assert.equal(page.status, 403);
  assert.doesNotMatch(page.text, /Basic/);
  await setStatus('active');
  assert.equal((await get('/customer', { cookie })).status, 200);
});

test('a suspended customer is not logged in: the link says so, starts no session, and works when it is lifted', async () => {
  const { path, order } = await orderWithLink();
  const setStatus = (status: string) =>
    service.admin.patch(`/api/admin/v1/customers/${order.customer.id}`, { status });
  assert.equal((await setStatus('suspended')).status, 200);
  for (const send of [get, post]) {
    const page = await send(path);
    assert.equal(page.status, 403);
    assert.match(page.text, /Your access is suspended/);
    assert.deepEqual(page.headers.getSetCookie(), []);
  }
  assert.equal((await setStatus('active')).status, 200);
  assert.equal((await get('/customer', { cookie: await logIn(path) })).status, 200);
});

test('the page follows the plan: renewed, expired, another package', async () => {
  service.clock.seconds = secondsOf('2026-03-31T23:00:00Z');
  const { path, order, account } = await orderWithLink();
  const cookie = await logIn(path);
  const words = async () => wordsOf(await get('/customer', { cookie }));
  assert.match(await words(), /30 days left Started March 31, 2026 .*Runs until April 30, 2026/);
  await account.post(`/orders/${order.id}/renew`);
  assert.match(await words(), /61 days left .*Runs until May 31, 2026/);
  await account.post('/orders', { package_id: service.packages.plus, customer: order.customer.reference });
  assert.match(await words(), /Plus Active/);
  const cancel = (at: string) => account.post(`/customers/${order.customer.id}/cancel`, { at });
  assert.equal((await cancel('period_end')).status, 200);
  assert.match(await words(), /Plus Active .*Ends April 30, 2026/);
  assert.equal((await cancel('now')).status, 200);
  assert.match(await words(), /Plus Canceled .*Ended March 31, 2026/);
  // A session is shorter than a plan, so this needs another link, after the plan's end.
  service.clock.seconds = secondsOf('2026-05-02T00:00:00Z');
  const late = { customer: order.customer.reference, package_id: service.packages.basic, return_login: true };
  const link = await account.post('/orders', late);
  assert.equal(link.status, 201, link.text);
  const session = await logIn(pathOfLink(link.body.login_url));
  service.clock.seconds += 3600;
  assert.match(wordsOf(await get('/customer', { cookie: session })), /Basic Active/);
});

test('only hashes of links and sessions are in the database, and none in the log', async () => {
  const { path } = await orderWithLink();
  const token = path.slice('/login/'.length);
  const session = (await logIn(path)).split('=')[1] ?? '';
  const text = `select 'link ' || l::text as line from login_links l union all select 'session ' || s::text from customer_sessions s
    union all select 'order ' || o::text from orders o union all select 'audit ' || a::text from audit_log a`;
  const rows = await service.database.query({ name: '', text });
  const lines = rows.map((row) => String(row['line'])).join('\n');
  const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url');
  assert.ok(lines.includes(hashOf(token)) && lines.includes(hashOf(session)), 'the hashes are there');
  const log = JSON.stringify(service.logLines);
  for (const secret of [token, session]) assert.ok(!lines.includes(secret) && !log.includes(secret));
});

test('a page is no API: its methods are its own, and a large form is the sender’s fault', async () => {
  const { path } = await orderWithLink();
  const large = await fetch(service.address + path, { method: 'POST', body: 'x'.repeat(10_000) });
  assert.ok(large.status >= 400 && large.status < 500, `${large.status}`);
  assert.equal((await get(path)).status, 200, 'nothing was spent');
  for (const [method, target] of [
    ['HEAD', path],
    ['PUT', path],
    ['DELETE', '/customer'],
    ['GET', '/customer/logout'],
  ]) {
    const response = await fetch(`${service.address}${target}`, { method: method ?? '' });
    assert.equal(response.status, 405, `${method} ${target}`);
    assert.notEqual(response.headers.get('allow'), null);
  }
  const body = await (await fetch(`${service.address}${path}`, { method: 'PUT' })).text();
  assert.match(body, /method_not_allowed/);
  expectRefusal(await service.admin.get(`/api/v1${path}`), '404 not_found');
});
