// The figures of the overviews and of the forecast, and their links to the rows behind them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { testPassword } from '../harness/panel-client.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { goInPlace, goTo, heading, typeSignIn } from './panel-actions.ts';
import { untilCount, untilTrue, usePanelBrowser } from './panel-browser.ts';

let reseller: TestAccount;
const panel = usePanelBrowser(async (service) => {
  service.clock.seconds = secondsOf('2026-01-20T09:00:00Z');
  reseller = await service.createReseller({ credit: '80.00' });
  const { plus } = service.packages;
  // One order before the default 30 days, one within them, and one today.
  await placeOrder(service, reseller, { customer: 'old' });
  service.clock.seconds = secondsOf('2026-03-10T09:00:00Z');
  await placeOrder(service, reseller, { customer: 'mid' });
  service.clock.seconds = secondsOf('2026-03-12T09:00:00Z');
  await placeOrder(service, reseller, { customer: 'new', package_id: plus });
  await placeOrder(service, reseller, { customer: 'mid' });
  service.clock.seconds = secondsOf('2026-03-12T10:00:00Z');
});

interface Written {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly width: number;
}

async function openNoting(width: number): Promise<Page> {
  const page = await panel.openAs(reseller, '/icon.svg', { viewport: { width, height: 900 } });
  await page.addInitScript(() => {
    const written: unknown[] = [];
    Object.assign(window, { written });
    const { fillText } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function note(text, x, y, ...rest) {
      const { a, e } = this.getTransform();
      const size = this.measureText(text).width;
      const left = x - (this.textAlign === 'center' ? size / 2 : this.textAlign === 'right' ? size : 0);
      written.push({ text, start: a * left + e, end: a * (left + size) + e, width: this.canvas.width });
      fillText.call(this, text, x, y, ...rest);
    };
  });
  return page;
}

const writtenOn = (page: Page) =>
  page.evaluate(() => (window as unknown as { written?: readonly Written[] }).written ?? []);

for (const [width, tag] of [
  [390, ''],
  [768, ' @nightly'],
  [1280, ' @nightly'],
] as const) {
  test(`at ${width} pixels the last month and the last day of a chart are named, and no name is cut off${tag}`, async () => {
    const page = await openNoting(width);
    for (const [path, last] of [
      ['/panel/?span=months', 'Mar 26'],
      ['/panel/', '12\u00a0Mar'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('img', { name: /^Orders: / }).waitFor();
      await untilTrue(async () => (await writtenOn(page)).length > 0, 'a chart is drawn');
      const written = await writtenOn(page);
      assert.ok(
        written.some(({ text }) => text === last),
        `${last} among ${written.map(({ text }) => text).join(', ')}`,
      );
      for (const { text, start, end, width: room } of written)
        assert.ok(start >= 0 && end <= room, `${text} from ${start} to ${end} of ${room}`);
    }
  });
}

test('spending by package stands on the overview beside the time before, and each package opens its orders @nightly', async () => {
  const page = await panel.openAs(reseller);
  const table = page.getByRole('table', { name: 'Spending by package' });
  const basic = table.getByRole('row').filter({ hasText: 'Basic' });
  const amounts = /Basic\s+New \$10\.00 · Renewal \$10\.00\s+2\s+\$20\.00\s+\$10\.00\s+\+\$10\.00 \(\+100%\)/;
  await untilTrue(async () => amounts.test(await basic.innerText()), 'the sums of both times');
  await page.getByText('$10.00 in the 30 days before: +$35.00 (+350%).').waitFor();
  await table.getByRole('link', { name: 'Plus' }).click();
  await heading(page, 'Orders').waitFor();
  const { searchParams } = new URL(page.url());
  assert.deepEqual(Object.fromEntries(searchParams), {
    package_id: String(panel.service.packages.plus),
    from: '2026-02-11T00:00:00Z',
    to: '2026-03-12T23:59:59Z',
  });
  await page.goBack();
  await page.getByRole('radio', { name: 'Type' }).press('Space');
  const kinds = page.getByRole('table', { name: 'Spending by order type' });
  await kinds.getByRole('link', { name: 'Renewal' }).click();
  await heading(page, 'Orders').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('kind'), 'renew');
});

test('a day of the chart opens its rows by exact times, from the bar and from the table, and the last one is said to run @nightly', async () => {
  const page = await panel.openAs(reseller);
  await page.getByText('In progress: Thu, 12 Mar 2026').first().waitFor();
  const chart = page.getByRole('img', { name: /^Spending: / });
  const box = await chart.boundingBox();
  assert.ok(box);
  await chart.click({ position: { x: box.width - 28, y: box.height / 2 } });
  await heading(page, 'Ledger').waitFor();
  const today = { from: '2026-03-12T00:00:00Z', to: '2026-03-12T23:59:59Z' };
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), today);
  await page.goBack();
  await page.getByRole('radio', { name: 'Table' }).press('Space');
  await page.getByRole('link', { name: 'Thu, 12 Mar 2026, in progress' }).click();
  await heading(page, 'Orders').waitFor();
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), today);
});

test('plans that end soon open the customers of that time @nightly', async () => {
  const page = await panel.openAs(reseller);
  await page.getByText('No plans ending in the next 14 days').waitFor();
  assert.equal(await page.getByRole('link', { name: /^View (?:customer|all)/ }).count(), 0);
  panel.service.clock.seconds = secondsOf('2026-04-01T10:00:00Z');
  const later = await panel.openAs(reseller);
  await later.getByRole('link', { name: 'View customer' }).click();
  await heading(later, 'Customers').waitFor();
  const { searchParams } = new URL(later.url());
  assert.deepEqual(
    [searchParams.get('from'), searchParams.get('to')],
    ['2026-04-01T10:00:01Z', '2026-04-15T10:00:00Z'],
  );
  panel.service.clock.seconds = secondsOf('2026-03-12T10:00:00Z');
});

test('the forecast names the day on which the balance ends, and each day opens its customers @nightly', async () => {
  const page = await panel.openAs(reseller);
  await goTo(page, 'Forecast and alerts');
  await page.getByRole('radio', { name: '90 days' }).press('Space');
  await page.getByText('The balance of $25.00 runs out on Sun, 10 May 2026.').waitFor();
  await page.getByRole('link', { name: 'Sun, 12 Apr 2026' }).click();
  await heading(page, 'Customers').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('from'), '2026-04-12T00:00:00Z');
});

test('alerts are set on a page, what is wrong is said, and they are those of the API @nightly', async () => {
  const page = await panel.openAs(reseller, '/panel/forecast');
  await page.getByRole('button', { name: 'Set up alerts' }).click();
  const below = page.getByLabel(/^Alert when the balance falls below/);
  await below.fill('0');
  await page.getByText('Enter an amount above zero').waitFor();
  await below.fill('15');
  await page.getByLabel('Alert this many days before a plan ends').fill('3');
  await page.getByLabel('Email addresses').fill('ops@example.com, money@example.com');
  await page.getByRole('switch', { name: 'Weekly email about your business' }).check();
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await page.getByText('Alerts saved.').waitFor();
  assert.deepEqual((await reseller.get('/alerts')).body.alerts, {
    balance_below: '15.00',
    plans_ending_days: 3,
    emails: ['ops@example.com', 'money@example.com'],
    weekly_summary: true,
  });
});

test('an operator who signs in lands on Business, a reseller on the overview, and a link that was opened is followed @nightly', async () => {
  const { service } = panel;
  const names = new Map([
    [service.admin, 'Business'],
    [reseller, 'Overview'],
  ]);
  for (const [account, title] of names) {
    await panel.openAs(account);
    const { username } = (await service.admin.get(`/api/admin/v1/accounts/${account.id}`)).body.account;
    const page = await panel.open('/panel/');
    await typeSignIn(page, username, testPassword);
    await heading(page, title).waitFor();
  }
  const page = await panel.open('/panel/ledger');
  await typeSignIn(page, 'admin', testPassword);
  await heading(page, 'Ledger').waitFor();
});

test('each figure of the operator’s overview opens its rows, down to the orders of an account', async () => {
  const { service } = panel;
  const page = await panel.openAs(service.admin, '/panel/admin?tab=revenue');
  const search = () => Object.fromEntries(new URL(page.url()).searchParams);
  const span = { from: '2026-02-11T00:00:00Z', to: '2026-03-12T23:59:59Z' };
  await page.getByRole('table', { name: 'Spending by package' }).getByRole('link', { name: 'Plus' }).click();
  await heading(page, 'Revenue by account').waitFor();
  const plus = { ...span, package_id: String(service.packages.plus) };
  assert.deepEqual(search(), plus);
  await page.getByRole('definition').filter({ hasText: '$25.00' }).first().waitFor();
  await page.getByRole('table', { name: 'Revenue by account' }).getByRole('link').click();
  await page.getByRole('table', { name: 'Orders' }).getByRole('link', { name: 'new' }).waitFor();
  assert.deepEqual(search(), { ...plus, tab: 'orders' });
  await untilCount(page.getByRole('table', { name: 'Orders' }).getByRole('row'), 2);

  await goInPlace(page, '/panel/admin?tab=revenue');
  await heading(page, 'Business').waitFor();
  await page.getByRole('radio', { name: 'Type' }).press('Space');
  await page.getByRole('link', { name: 'Renewal' }).click();
  await heading(page, 'Revenue by account').waitFor();
  assert.deepEqual(search(), { ...span, kind: 'renew' });

  await goInPlace(page, '/panel/admin?tab=revenue');
  await heading(page, 'Business').waitFor();
  await page.getByRole('definition').getByRole('link', { name: '$45.00' }).click();
  const accounts = page.getByRole('table', { name: 'Revenue by account' });
  await accounts.getByRole('link', { name: '$45.00' }).last().click();
  await page.getByRole('table', { name: 'Ledger entries' }).waitFor();
  assert.deepEqual(search(), { ...span, tab: 'ledger' });
  await page.goBack();
  await page.getByRole('button', { name: 'Orders' }).click();
  await page.waitForURL('**/revenue?*sort=orders*');
  await page.getByRole('combobox', { name: 'Time (UTC)' }).selectOption({ label: 'January 2026' });
  await page.getByRole('definition').filter({ hasText: '$10.00' }).first().waitFor();

  await goInPlace(page, '/panel/admin?tab=revenue');
  await heading(page, 'Business').waitFor();
  await page
    .locator('dl > div')
    .filter({ hasText: 'Expiring soon' })
    .getByRole('link', { name: '0' })
    .click();
  await heading(page, 'All customers').waitFor();
  assert.deepEqual(search(), { from: '2026-03-12T10:00:01Z', to: '2026-03-26T10:00:00Z' });
  await page.getByText('No matching customers').waitFor();

  await goInPlace(page, '/panel/admin?view=table');
  await heading(page, 'Business').waitFor();
  await page.getByRole('link', { name: 'Thu, 12 Mar 2026, in progress' }).click();
  await page.getByRole('definition').filter({ hasText: '$35.00' }).first().waitFor();
  assert.deepEqual(search(), { from: '2026-03-12T00:00:00Z', to: '2026-03-12T23:59:59Z' });
});

test('a refusal leads from its code to the requests, and for the operator to the accounts @nightly', async () => {
  const { admin, clock } = panel.service;
  clock.seconds = secondsOf('2026-03-12T11:00:00Z');
  const refused = await reseller.post('/orders', { package_id: 0, customer: 'no-such' });
  assert.equal(refused.body.error.code, 'invalid_package');
  const page = await panel.openAs(reseller);
  await page
    .getByRole('table', { name: 'Refusals by code' })
    .getByRole('link', { name: 'invalid_package' })
    .click();
  await heading(page, 'Requests').waitFor();
  assert.equal(new URL(page.url()).searchParams.get('code'), 'invalid_package');
  const console = await panel.openAs(admin, '/panel/admin?tab=accounts');
  await console.getByRole('link', { name: 'invalid_package' }).click();
  const accounts = console.getByRole('table', { name: 'Accounts refused with invalid_package' });
  await accounts.getByRole('link').click();
  await console.waitForURL(`**/panel/admin/accounts/${reseller.id}?*`);
  assert.equal(new URL(console.url()).searchParams.get('code'), 'invalid_package');
});
