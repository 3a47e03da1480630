// Test mode in the panel: switching, orders and moves of the clock, without traces in live data.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { addPerson } from '../harness/people.ts';
import { expectStatus } from '../harness/refusals.ts';
import { testModeOf } from '../harness/test-mode.ts';
import {
  balance,
  confirmWithPassword,
  dialog,
  goTo,
  heading,
  prepareOrder,
  row,
  signOut,
  typeSignIn,
} from './panel-actions.ts';
import { said, untilCount, untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

const pagesOfTests = [
  'Overview',
  'Orders',
  'Customers',
  'Ledger',
  'Top-ups',
  'Statements',
  'Requests',
  'Webhooks',
  'Events',
];
const pagesOfReality = ['API access', 'Team', 'Security'];

test('an order in test mode costs nothing real, its plan ends when the clock is moved, and the real lists know nothing of it', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller);
  await balance(page).getByText('$100.00').waitFor();
  await switchOn(page);
  await testBalance(page).getByText('$1,000.00').waitFor();

  const place = await prepareOrder(page, 'ada@example.com', 'Basic');
  await dialog(page, 'Place an order (test)').waitFor();
  await place.click();
  await dialog(page, 'Order placed (test)').waitFor();
  await page.keyboard.press('Escape');
  await testBalance(page).getByText('$990.00').waitFor();

  const before = await clockShown(page);
  await band(page).getByRole('button', { name: 'Move clock' }).click();
  const form = dialog(page, 'Move clock');
  await form.getByRole('radio', { name: '1 month' }).check({ force: true });
  await form.getByRole('button', { name: 'Move clock' }).click();
  const moved = dialog(page, 'Clock moved');
  await fact(page, 'Plans ended', '1');
  await fact(page, 'Plans renewed', '0');
  await moved.getByRole('button', { name: 'Done' }).click();
  await moved.waitFor({ state: 'detached' });
  await untilClock(page, plusMonth(before));
  await goTo(page, 'Customers');
  await row(page, 'ada@example.com').getByText('Expired').waitFor();

  await band(page).getByRole('button', { name: 'Leave test mode' }).click();
  await heading(page, 'Customers').waitFor();
  await band(page).waitFor({ state: 'detached' });
  await page.getByText('No customers yet').waitFor();
  await balance(page).getByText('$100.00').waitFor();
  await goTo(page, 'Orders');
  await page.getByText('No orders yet').waitFor();
  assert.equal((await reseller.get('/orders')).body.total, 0);
});

test('a plan that renews itself is renewed by each month of the clock, which can be moved to a date as well @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const tests = await testModeOf(panel.service, reseller);
  const { order } = expectStatus(
    await tests.post('/orders', { package_id: panel.service.packages.basic, customer: 'ada' }),
    201,
  );
  expectStatus(await tests.send('PUT', `/customers/${order.customer.id}/auto-renew`, { months: 1 }), 200);
  const page = await panel.openAs(reseller);
  await switchOn(page);
  await band(page).getByRole('button', { name: 'Move clock' }).click();
  const form = dialog(page, 'Move clock');
  await form.getByRole('radio', { name: '1 year' }).check({ force: true });
  await form.getByRole('button', { name: 'Move clock' }).click();
  await fact(page, 'Plans renewed', '12');
  await fact(page, 'Plans ended', '0');
  await dialog(page, 'Clock moved').getByRole('button', { name: 'Move again' }).click();
  await form.getByRole('radio', { name: 'Specific date' }).check({ force: true });
  await form.getByRole('textbox', { name: 'Date' }).fill('2027-06-01');
  await form.getByRole('button', { name: 'Move clock' }).click();
  await fact(page, 'Plans renewed', '4');
  await dialog(page, 'Clock moved').getByRole('button', { name: 'Done' }).click();
  // "Day" means a day in the page's time zone.
  await untilClock(page, '2027-05-31T22:00:00Z');
  // A move by an API key shows here too.
  expectStatus(await tests.post('/test/clock', { advance: 'P1D' }), 200);
  await band(page).locator('time[datetime="2027-06-01T22:00:00Z"]').waitFor();

  await band(page).getByRole('button', { name: 'Move clock' }).click();
  await form.getByRole('radio', { name: 'Specific date' }).check({ force: true });
  await form.getByRole('textbox', { name: 'Date' }).fill('2027-05-01');
  await form.getByRole('button', { name: 'Move clock' }).click();
  await form.getByRole('alert').first().waitFor();
});

test('a move that one request has no time for goes on with the same key when it is asked to @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller);
  await switchOn(page);
  const keys: (string | undefined)[] = [];
  await page.route('**/panel/api/v1/test/clock', async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    keys.push(route.request().headers()['idempotency-key']);
    const response = await route.fetch();
    const answer = await response.json();
    return route.fulfill({ response, json: { ...answer, reached: keys.length > 1 } });
  });
  await band(page).getByRole('button', { name: 'Move clock' }).click();
  await dialog(page, 'Move clock').getByRole('button', { name: 'Move clock' }).click();
  const onItsWay = dialog(page, 'Moving the clock');
  await onItsWay.getByText('Too much happened to process at once').waitFor();
  await onItsWay.getByRole('button', { name: 'Continue' }).click();
  await dialog(page, 'Clock moved').getByRole('button', { name: 'Done' }).click();
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
});

test('a test gets credit, and begins again when its owner has read what goes', async () => {
  const reseller = await panel.service.createReseller();
  const tests = await testModeOf(panel.service, reseller);
  const body = { package_id: panel.service.packages.basic, customer: 'bert' };
  const { order } = expectStatus(await tests.post('/orders', body), 201);
  const page = await panel.openAs(reseller);
  await switchOn(page);
  await band(page).getByRole('button', { name: 'Add credit' }).click();
  const credit = dialog(page, 'Add test credit');
  const add = credit.getByRole('button', { name: 'Add credit' });
  await credit.getByLabel('Amount in USD').fill('1000000.01');
  await untilDisabled(add, 'more than the service takes');
  await credit.getByLabel('Amount in USD').fill('250.5');
  await add.click();
  await testBalance(page).getByText('$1,240.50').waitFor();

  await goTo(page, 'Orders');
  await row(page, 'bert').getByRole('link').first().click();
  await dialog(page, /^Order \d/)
    .getByRole('link', { name: 'Open page' })
    .click();
  await heading(page, /^Order \d/).waitFor();
  await band(page).getByRole('button', { name: 'Reset test' }).click();
  const reset = dialog(page, 'Reset test data?');
  await reset.getByText('Deletes all test customers').waitFor();
  await reset.getByRole('button', { name: 'Reset test' }).click();
  await said(page, 'Test data reset.');
  await heading(page, 'Overview').waitFor();
  await testBalance(page).getByText('$1,000.00').waitFor();
  assert.equal((await tests.get(`/orders/${order.id}`)).status, 404);
  assert.equal((await tests.get('/balance')).body.balance, '1000.00', 'the test key stays');
});

test('every page says whether it shows the test or what is real, to eyes, titles and screen readers @nightly', async () => {
  const page = await panel.openAs(panel.service.admin);
  await page.getByRole('button', { name: 'Show ordering pages' }).click();
  await switchOn(page);
  for (const title of pagesOfTests) {
    await goTo(page, title);
    await band(page).getByText('Nothing here is real.').waitFor();
    assert.equal(await page.title(), `Test · ${title} · Sellthrough`);
  }
  for (const title of [...pagesOfReality, 'Accounts', 'Health']) {
    await goTo(page, title);
    await band(page).getByText('This page has no test mode.').waitFor();
    assert.equal(await page.title(), `${title} · Sellthrough`);
  }
});

test('test mode is of one tab: it stays when the page is loaded again, and ends with the sign-in @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/orders');
  await switchOn(page);
  await heading(page, 'Orders').waitFor();
  await page.reload();
  await band(page).waitFor();
  const other = await page.context().newPage();
  await other.goto('/panel/orders');
  await heading(other, 'Orders').waitFor();
  assert.equal(await band(other).count(), 0);
  await other.close();

  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, await usernameOf(panel.service, reseller), testPassword);
  await heading(page, 'Overview').waitFor();
  await untilCount(band(page), 0);
});

test('what is exported in test mode is the ledger of the test @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '77.00' });
  const page = await panel.openAs(reseller, '/panel/ledger');
  await switchOn(page);
  await heading(page, 'Ledger').waitFor();
  const loading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export as CSV' }).click();
  const file = await loading;
  assert.equal(file.suggestedFilename(), 'test-ledger-all.csv');
  const text = readFileSync(await file.path(), 'utf8');
  assert.match(text, /1000\.00/);
  assert.doesNotMatch(text, /77\.00/);
});

test('keys of both modes stand in one list, each saying which it is; the first request is written for either @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '50.00' });
  const page = await panel.openAs(reseller, '/panel/api-access');
  await makeKey(page, 'Shop', 'Real orders', /^sk_live_/);
  const key = await makeKey(page, 'Tests of the shop', 'Test mode', /^sk_test_/);
  await row(page, 'Tests of the shop').getByText('Test', { exact: true }).waitFor();
  await untilCount(page.getByText('Test', { exact: true }), 1, 'the others have none');
  const tests = createApiClient(panel.service.address, key);
  assert.equal((await tests.get('/balance')).body.balance, '1000.00');
  await page.getByRole('link', { name: 'Your first request' }).click();
  await page
    .locator('code')
    .filter({ hasText: /sk_test_\w+/ })
    .waitFor();
  await page.locator('code').filter({ hasText: 'sk_live_YOUR_KEY' }).waitFor();
  await switchOn(page);
  await goTo(page, 'Requests');
  await row(page, '/balance').waitFor();

  const console = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}?tab=access`);
  await makeKey(console, 'Made for their tests', 'Test mode', /^sk_test_/);
  await row(console, 'Made for their tests').getByText('Test', { exact: true }).waitFor();
});

test('a viewer sees test mode, and is offered nothing that changes it @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const viewer = await addPerson(panel.service, reseller, 'viewer');
  const page = await panel.openWith(viewer.panel.cookie, '/panel/');
  await switchOn(page);
  await band(page).getByText('Nothing here is real.').waitFor();
  await untilCount(band(page).getByRole('button'), 1, 'to leave it');
});

async function switchOn(page: Page): Promise<void> {
  const menu = page.getByRole('complementary', { name: 'Menu' });
  await menu.getByRole('switch', { name: 'Test mode' }).click();
  await band(page).waitFor();
}

function band(page: Page) {
  return page.getByRole('region', { name: 'Test mode' });
}

function testBalance(page: Page) {
  return page.getByRole('complementary', { name: 'Menu' }).getByRole('link', { name: /^Test balance/ });
}

async function untilClock(page: Page, time: string): Promise<void> {
  await band(page).locator(`time[datetime="${time}"]`).waitFor();
}

async function clockShown(page: Page): Promise<string> {
  return (await band(page).locator('time').getAttribute('datetime')) ?? '';
}

function plusMonth(time: string): string {
  const moment = new Date(time);
  moment.setUTCMonth(moment.getUTCMonth() + 1);
  return moment.toISOString().replace('.000Z', 'Z');
}

async function fact(page: Page, name: string, value: string): Promise<void> {
  await dialog(page, 'Clock moved')
    .locator('dl > div')
    .filter({ hasText: name })
    .getByText(value, { exact: true })
    .waitFor();
}

async function makeKey(page: Page, name: string, mode: string, pattern: RegExp): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click();
  const form = dialog(page, 'New key');
  await form.getByLabel('Name').fill(name);
  await form.getByRole('radio', { name: mode }).check({ force: true });
  await confirmWithPassword(form, testPassword, 'Create key');
  const shown = dialog(page, 'Key created');
  const key = await shown.locator('code').innerText();
  assert.match(key, pattern);
  await shown.getByRole('button', { name: 'Done' }).click();
  return key;
}
