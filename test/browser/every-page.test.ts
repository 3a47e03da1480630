// On every page axe finds nothing and nothing scrolls sideways. Each page is checked in one theme and width, in turn. With
// PROOF_PAGES=all (`npm run proof`) it is loaded freshly in all of them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { brotliCompressSync } from 'node:zlib';
import type { Page, Response, Route } from 'playwright-core';
import {
  consoleDialogs,
  type DialogPage,
  openDialog,
  type PageDialog,
  panelDialogs,
} from '../../scripts/demo/page-dialogs.ts';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { pathOfLink } from '../harness/browser-request.ts';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { bank } from '../harness/payment-scene.ts';
import { expectStatus } from '../harness/refusals.ts';
import { changeAccount, schedulePrices } from '../harness/shop.ts';
import { expectAccessible } from './accessibility.ts';
import {
  confirmWithPassword,
  dialog,
  goInPlace,
  goTo,
  heading,
  prepareOrder,
  typeSignIn,
} from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

interface PageToSee {
  readonly path: string;
  readonly title: string | RegExp;
}

const daySeconds = 86_400;

let reseller: TestAccount;
let panelPages: Readonly<Record<string, PageToSee>>;
let consolePages: Readonly<Record<string, PageToSee>>;
let customerLink: string;

const ownAddresses = { OUTBOUND_ALLOW: '127.0.0.0/8' };
const panel = usePanelBrowser(async (service) => {
  reseller = await service.createReseller({ credit: '900.00' });
  const order = async (body: object) => {
    const answer = await reseller.post('/orders', body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const { basic, plus } = service.packages;
  await schedulePrices(service, basic, '2027-01-01T00:00:00Z', {
    reseller: { monthly: '11.00', quarterly: '30.00', yearly: '100.00' },
    distributor: { yearly: '80.00' },
  });
  const endpoint = { url: 'http://127.0.0.1:9/hooks', description: 'The shop', enabled: false };
  const { webhook } = expectStatus(await reseller.post('/webhooks', endpoint), 201);
  await order({ package_id: basic, customer: 'ada@example.com', customer_name: 'Ada' });
  service.clock.seconds += 20 * daySeconds;
  await order({ package_id: plus, customer: 'ada@example.com' });
  await order({ package_id: basic, customer: 'bert', months: 12 });
  await order({ package_id: basic, customer: 'cy.cling' });
  service.clock.seconds += 20 * daySeconds;
  const linked = await order({ package_id: basic, customer: 'links@example.com', return_login: true });
  await order({
    package_id: basic,
    customer: 'a-customer-of-a-name-that-is-long.and-has-no-space.in-it.at-all',
  });
  const payments = { methods: { bank_transfer: bank }, minimum: '1.00', maximum: '5000.00' };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/payments', payments), 200);
  const { topup } = expectStatus(
    await reseller.post('/topups', { amount: '50.00', method: 'bank_transfer' }),
    201,
  );
  await reseller.get('/orders/1');
  customerLink = pathOfLink(linked.login_url);
  const { id: orderId, customer } = linked.order;

  panelPages = {
    'overview-page': { path: '/panel/', title: 'Overview' },
    'orders-page': { path: '/panel/orders', title: 'Orders' },
    'order-page': { path: `/panel/orders/${orderId}`, title: /^Order \d/ },
    'customers-page': { path: '/panel/customers', title: 'Customers' },
    'customer-page': { path: `/panel/customers/${customer.id}`, title: 'links@example.com' },
    'ledger-page': { path: '/panel/ledger?month=2026-01', title: 'Ledger' },
    'topups-page': { path: '/panel/top-ups', title: 'Top-ups' },
    'topup-page': { path: `/panel/top-ups/${topup.id}`, title: /^Top-up \d/ },
    'forecast-page': { path: '/panel/forecast', title: 'Forecast and alerts' },
    'business-page': { path: '/panel/business', title: 'Business' },
    'statements-page': { path: '/panel/statements', title: 'Statements' },
    'requests-page': { path: '/panel/requests', title: 'Requests' },
    'connect-page': { path: '/panel/connect', title: 'Connect' },
    'api-access-page': { path: '/panel/api-access', title: 'API access' },
    'webhooks-page': { path: '/panel/webhooks', title: 'Webhooks' },
    'webhook-page': { path: `/panel/webhooks/${webhook.id}`, title: 'The shop' },
    'events-page': { path: '/panel/events', title: 'Events' },
    'people-page': { path: '/panel/people', title: 'Team' },
    'security-page': { path: '/panel/security', title: 'Security' },
  };
  consolePages = {
    'console-overview-page': { path: '/panel/admin', title: 'Business' },
    'accounts-page': { path: '/panel/admin/accounts', title: 'Accounts' },
    'account-page': { path: `/panel/admin/accounts/${reseller.id}`, title: /^account-/ },
    'account-order-page': { path: `/panel/admin/orders/${orderId}`, title: /^Order \d/ },
    'packages-page': { path: '/panel/admin/packages', title: 'Packages' },
    'package-page': { path: `/panel/admin/packages/${basic}`, title: 'Basic' },
    'revenue-page': { path: '/panel/admin/revenue', title: 'Revenue by account' },
    'all-orders-page': { path: '/panel/admin/orders', title: 'All orders' },
    'all-customers-page': { path: '/panel/admin/customers', title: 'All customers' },
    'any-customer-page': {
      path: `/panel/admin/customers/${Math.floor(orderId / 1e9) * 1e9 + 1}`,
      title: 'Ada',
    },
    'attention-page': { path: '/panel/admin/attention', title: 'Needs attention' },
    'payments-page': { path: '/panel/admin/payments', title: 'Payments' },
    'product-page': { path: '/panel/admin/product', title: 'Product' },
    'audit-page': { path: '/panel/admin/audit', title: 'Audit log' },
    'brand-page': { path: '/panel/admin/brand', title: 'Brand' },
    'retention-page': { path: '/panel/admin/retention', title: 'Retention' },
    'setup-page': { path: '/panel/admin/start', title: 'Open your channel' },
    'health-page': { path: '/panel/admin/health', title: 'Health' },
  };
}, ownAddresses);

test('every page of the router is among those looked at here', () => {
  const router = readFileSync(new URL('../../web/src/router.tsx', import.meta.url), 'utf8');
  const shown = [...router.matchAll(/import\('\.\/features\/[\w-]+\/([\w-]+)\.tsx'\)/g)].map(
    ([, file]) => file,
  );
  const seen = [...Object.keys(panelPages), ...Object.keys(consolePages)];
  assert.deepEqual(shown.sort(), seen.sort());
});

test('no page of the panel breaks a rule of WCAG, scrolls sideways or does anything odd', async () => {
  const page = await panel.openAs(reseller);
  for (const { path, title } of Object.values(panelPages)) await look(page, path, title);
});

test('nor do tables in place of charts, lists without a match, and addresses without a page @nightly', async () => {
  const page = await panel.openAs(reseller, '/panel/?span=months&view=table');
  await look(page, '/panel/?span=months&view=table', 'Overview');
  await look(page, '/panel/orders?customer=no-such', 'Orders');
  await look(page, '/panel/orders/1', 'Order');
  await look(page, '/panel/nowhere', 'Not found');
});

test('no page of the console does either, nor an account’s lists, a trial and a new package', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin');
  const { trial } = panel.service.packages;
  const lists = (tab: string) => look(page, `/panel/admin/accounts/${reseller.id}?tab=${tab}`, /^account-/);
  // Between two pages with the same title there is one with another, so that all are opened in place.
  await lists('customers');
  for (const { path, title } of Object.values(consolePages)) await look(page, path, title);
  await lists('orders');
  await look(page, `/panel/admin/packages/${trial}`, 'Trial');
  await lists('access');
  await look(page, '/panel/admin/packages/new', 'New package');
  await lists('business');
});

test('nor does a page of an account that is empty, blocked, or no one’s yet @nightly', async () => {
  const empty = await panel.service.createReseller();
  const page = await panel.openAs(empty);
  for (const file of [
    'overview',
    'orders',
    'customers',
    'ledger',
    'topups',
    'statements',
    'requests',
    'webhooks',
    'events',
  ]) {
    const { path = '', title = '' } = panelPages[`${file}-page`] ?? {};
    await look(page, path.replace(/\?.*/, ''), title);
  }
  await changeAccount(panel.service, empty, { blocked: true });
  await page.reload();
  await look(page, '/panel/orders', 'This account is blocked');
  const arriving = await panel.open('/panel/sign-in');
  await look(arriving, '/panel/sign-in', 'Sign in');
  await look(arriving, '/panel/reset-password', 'Forgot your password?');
  await look(arriving, '/panel/reset-password#token=of-a-mail', 'This link no longer works');
  await look(arriving, '/panel/sign-in', 'Sign in');
  const invited = await panel.service.createReseller();
  await changeAccount(panel.service, invited, { password: testPassword });
  await typeSignIn(arriving, await usernameOf(panel.service, invited), testPassword);
  await heading(arriving, 'Choose your password').waitFor();
  await check(arriving, 'a first password');
  await look(arriving, '/panel/', 'Choose your password');
});

test('nor does a page of the customer, from the login link to the used link', async () => {
  const page = await panel.open('/customer');
  await look(page, '/customer', 'You are not logged in');
  await look(page, customerLink, 'Log in');
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Basic').waitFor();
  await look(page, '/customer', 'Basic');
  await look(page, customerLink, 'This link no longer works');
});

test('nor does test mode, nor the dialog of its clock @nightly', async () => {
  const page = await panel.openAs(reseller);
  await page.getByRole('switch', { name: 'Test mode' }).click();
  const band = page.getByRole('region', { name: 'Test mode' });
  await band.waitFor();
  for (let time = 0; time < 2; time += 1) {
    await check(page, 'test mode');
    await band.getByRole('button', { name: 'Move clock' }).click();
    await dialog(page, 'Move clock').waitFor();
    await check(page, 'the clock');
    await page.keyboard.press('Escape');
    await dialog(page, 'Move clock').waitFor({ state: 'detached' });
  }
});

test('nor does a dialog', async () => {
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await prepareOrder(page, 'seen-in-a-dialog', 'Basic');
  await check(page, 'the order dialog');
  await dialog(page, 'Place an order').getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('?');
  await dialog(page, 'Keyboard shortcuts').waitFor();
  await check(page, 'the sheet of shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search pages, customers and orders' }).fill('ada');
  await page.getByRole('option', { name: /ada@example\.com/ }).waitFor();
  await check(page, 'the palette');
  await page.keyboard.press('Escape');
  await page.setViewportSize(wide);
  await goTo(page, 'API access');
  await page.getByRole('button', { name: 'Show key' }).click();
  const asked = dialog(page, 'Show key');
  await confirmWithPassword(asked, 'not the password', 'Show key');
  await asked.getByRole('alert').waitFor();
  await check(page, 'a dialog with a refusal');
  await page.keyboard.press('Escape');
  await goInPlace(page, '/panel/webhooks');
  await page.setViewportSize(wide);
  await page.getByRole('button', { name: 'New endpoint' }).click();
  const made = dialog(page, 'New endpoint');
  await made.getByRole('radio', { name: 'Only selected types' }).check({ force: true });
  await check(page, 'the form of an endpoint');
});

test('nor does a dialog or a drawer that a page of the panel opens @nightly', async () => {
  await openEach(await panel.openAs(reseller), panelDialogs);
});

test('nor does one of the console @nightly', async () => {
  const console = await panel.openAs(panel.service.admin);
  await openEach(console, consoleDialogs);
  await console.goto(`/panel/admin/packages/${panel.service.packages.basic}`);
  for (const [button, title] of [
    ['Schedule prices', /^Schedule prices for/],
    [/^Delete the prices/, 'Delete these prices?'],
  ] as const) {
    await console.getByRole('button', { name: button }).click();
    await dialog(console, title).waitFor();
    await check(console, `the dialog of “${button}”`);
    await console.keyboard.press('Escape');
    await dialog(console, title).waitFor({ state: 'hidden' });
  }
});

test('nothing in sight moves while a page’s answers arrive one after another @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, '/icon.svg');
  await page.setViewportSize({ width: 390, height: 800 });
  await page.addInitScript(() => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as unknown as { readonly value: number }[])
        document.documentElement.dataset['shift'] = String(
          Number(document.documentElement.dataset['shift'] ?? 0) + entry.value,
        );
    }).observe({ type: 'layout-shift', buffered: true });
  });
  let asked = 0;
  await page.route('/panel/api/**', async (route) => {
    asked += 1;
    await pause(40 * (asked % 5));
    await route.continue();
  });
  const { 'health-page': health, 'packages-page': packages, 'account-page': account } = consolePages;
  const table = page.locator('table[aria-busy="false"]').last();
  for (const [one, isThere] of [
    [health, page.getByText('All systems normal.')],
    [packages, table],
    [account, table],
  ] as const) {
    const { path, title } = one ?? assert.fail('a page');
    await page.goto(path);
    await heading(page, title).waitFor();
    await isThere.waitFor();
    await page.locator('[data-skeleton]').first().waitFor({ state: 'detached' });
    const shift = Number(await page.locator('html').getAttribute('data-shift'));
    assert.ok(shift <= 0.05, `${path} shifts by ${shift}`);
  }
});

interface FirstLoad {
  readonly path: string;
  readonly title: string;
  /** Script as served, in brotli. */
  readonly kilobytesMax: number;
  readonly requestsMax: number;
  readonly isThere: (page: Page) => Promise<void>;
}

const listIsThere = (page: Page) => page.locator('table[aria-busy="false"]').first().waitFor();
const firstLoads: readonly FirstLoad[] = [
  {
    ...{ path: '/panel/sign-in', title: 'Sign in', kilobytesMax: 60, requestsMax: 12 },
    isThere: (page) => page.getByLabel('Password').waitFor(),
  },
  {
    ...{ path: '/panel/', title: 'Overview', kilobytesMax: 150, requestsMax: 20 },
    async isThere(page) {
      await listIsThere(page);
      await page.locator('canvas').first().waitFor();
    },
  },
  { path: '/panel/orders', title: 'Orders', kilobytesMax: 148, requestsMax: 22, isThere: listIsThere },
];

for (const { path, title, kilobytesMax, requestsMax, isThere } of firstLoads) {
  test(`${path} takes at most ${kilobytesMax} kB of script and ${requestsMax} requests to be there`, async () => {
    // Do not count parts that are fetched after the list is shown (typing.test.ts).
    const page = await panel.openAs(reseller, '/icon.svg', { fetchesEarly: false });
    const scripts: Response[] = [];
    let requests = 0;
    page.on('request', () => {
      requests += 1;
    });
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response);
    });
    await page.goto(path);
    await heading(page, title).waitFor();
    await isThere(page);
    const [seen, made] = [[...scripts], requests];
    assert.ok(seen.length > 0);
    const sizes = await Promise.all(seen.map(async (script) => servedBytes(await script.body())));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(total <= kilobytesMax * 1_000, `${total} bytes in ${sizes.length} files`);
    assert.ok(made <= requestsMax, `${made} requests`);
  });
}

/** As web/build-plugins.ts compresses files. A cached answer has no size of its own. */
function servedBytes(body: Buffer): number {
  return body.length < 1_024 ? body.length : brotliCompressSync(body).length;
}

test('the shell is seen before the stylesheet and the script have come', async () => {
  const page = await panel.openAs(reseller, '/icon.svg');
  const held: Route[] = [];
  let isHeld = true;
  await page.route(/\/assets\/.*\.(?:js|css)$/, (route) =>
    isHeld ? void held.push(route) : route.continue(),
  );
  await page.goto('/panel/orders', { waitUntil: 'commit' });
  const shell = page.locator('#shell-page i').first();
  await shell.waitFor();
  const drawn = await shell.evaluate((box) => getComputedStyle(box).backgroundColor);
  assert.match(drawn, /^rgb\((?:230, 232, 236|42, 44, 49)\)$/);
  assert.ok(held.length > 0);
  isHeld = false;
  await Promise.all(held.map((route) => route.continue()));
  await heading(page, 'Orders').waitFor();
});

test('the watch sees what it looks for: a script error, a broken policy, a request to elsewhere', async () => {
  const page = await panel.open('/panel/sign-in');
  await heading(page, 'Sign in').waitFor();
  await page.evaluate('setTimeout(() => { throw new Error("made for the test"); })');
  await page.evaluate(
    'document.body.append(Object.assign(new Image(), { src: "http://127.0.0.1:9/x.png" }))',
  );
  await page.evaluate('document.body.insertAdjacentHTML("beforeend", "<b style=\\"color: red\\">x</b>")');
  await page.goto('http://127.0.0.1:9/').catch(() => undefined);
  await page.context().close();
  const seen = panel.takeProblems().join('\n');
  for (const expected of [
    'made for the test',
    /img-src/,
    /style-src/,
    /request to http:\/\/127\.0\.0\.1:9/,
  ]) {
    assert.match(seen, new RegExp(expected));
  }
  const bad = await panel.open('/panel/sign-in');
  await heading(bad, 'Sign in').waitFor();
  await bad.evaluate('document.querySelector("input").removeAttribute("id")');
  await assert.rejects(check(bad, 'a page that was broken for the test'), /label/);
});

test('a browser that has served a test keeps nothing of it for the next one: first it is left untidy', async () => {
  const page = await panel.openAs(reseller, '/panel/orders', { colorScheme: 'dark', viewport: narrow });
  await heading(page, 'Orders').waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.addInitScript(() => Object.assign(globalThis, { isLeft: true }));
  await page.route('**/panel/api/**', (route) => route.abort());
  await page.context().addCookies([{ name: 'left', value: 'here', url: panel.service.address }]);
  await page.evaluate(() => {
    localStorage.setItem('left', 'here');
    sessionStorage.setItem('left', 'here');
  });
  await page.emulateMedia({ forcedColors: 'active', media: 'print' });
  await page.context().newPage();
  await page.context().setOffline(true);
  panel.takeProblems();
});

test('a browser that has served a test keeps nothing of it for the next one: then it is as new', async () => {
  const page = await panel.open('/panel/orders');
  await heading(page, 'Sign in').waitFor();
  const left = await page.evaluate(() => ({
    stored: [...Object.keys(localStorage), ...Object.keys(sessionStorage)],
    script: 'isLeft' in globalThis,
    looks: ['(prefers-color-scheme: light)', '(forced-colors: none)', '(width: 1280px)', 'screen'].map(
      (query) => matchMedia(query).matches,
    ),
  }));
  assert.deepEqual(left, { stored: [], script: false, looks: [true, true, true, true] });
  assert.deepEqual(await page.context().cookies(), []);
  assert.equal(page.context().pages().length, 1);
});

const wide = { width: 1280, height: 900 };
const narrow = { width: 360, height: 740 };
const looks = [
  { colorScheme: 'light', size: wide },
  { colorScheme: 'dark', size: narrow },
  { colorScheme: 'dark', size: wide },
  { colorScheme: 'light', size: narrow },
] as const;
const isWhole = process.env['PROOF_PAGES'] === 'all';
let checks = 0;

async function openEach(page: Page, dialogs: readonly PageDialog[]): Promise<void> {
  const account = `/panel/admin/accounts/${reseller.id}`;
  const paths: Readonly<Record<DialogPage, string>> = {
    customer: panelPages['customer-page']?.path ?? '',
    customers: '/panel/customers',
    orders: '/panel/orders',
    ledger: '/panel/ledger',
    'api-access': '/panel/api-access',
    webhooks: '/panel/webhooks',
    webhook: panelPages['webhook-page']?.path ?? '',
    events: '/panel/events',
    people: '/panel/people',
    security: '/panel/security',
    'console-account': account,
    'console-account-access': `${account}?tab=access`,
    'console-account-orders': `${account}?tab=orders`,
    'console-account-prices': `${account}?tab=prices`,
    'console-accounts': '/panel/admin/accounts',
    'console-customers': '/panel/admin/customers',
    'console-customer': consolePages['any-customer-page']?.path ?? '',
  };
  let on: DialogPage | null = null;
  for (const dialog of dialogs) {
    if (dialog.on !== on) await page.goto(paths[dialog.on]);
    on = dialog.on;
    await page.setViewportSize(wide);
    await openDialog(page, dialog);
    await check(page, dialog.name);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
}

async function look(page: Page, path: string, title: string | RegExp): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const isOpen = page.url() === panel.service.address + path;
  // If both pages have the same title, nothing shows when the next page is there, so do not navigate in place.
  const isAlike = (await heading(page, title).count()) > 0;
  const isInPanel = [path, new URL(page.url()).pathname].every((one) =>
    /^\/panel\/(?!sign-in|reset-)/.test(one),
  );
  if (!isInPanel || isWhole) await page.goto(path);
  else if (!isAlike) await goInPlace(page, path);
  else if (!isOpen) await page.goto(path);
  await heading(page, title).waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await check(page, path);
}

/** Always checks the narrowest width for overflow too. */
async function check(page: Page, what: string): Promise<void> {
  const place = checks % looks.length;
  checks += 1;
  for (const { colorScheme, size } of isWhole ? looks : looks.slice(place, place + 1)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await expectNoViolation(page, `${what}, ${colorScheme}, ${size.width} pixels wide`);
  }
  await page.setViewportSize(narrow);
  const overhang = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  assert.equal(overhang, 0, `${what} is ${overhang} pixels wider than a screen of ${narrow.width}`);
}

async function expectNoViolation(page: Page, what: string): Promise<void> {
  // Rows are pale while they are fetched again, so wait until they have arrived.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await expectAccessible(page, what);
}
