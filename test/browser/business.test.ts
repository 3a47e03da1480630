// The business figures on the pages: linked charts with a tooltip at the bar, definitions, and links to the rows.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { heading } from './panel-actions.ts';
import { untilTrue, usePanelBrowser } from './panel-browser.ts';

let reseller: TestAccount;
const panel = usePanelBrowser(async (service) => {
  service.clock.seconds = secondsOf('2025-02-03T09:00:00Z');
  reseller = await service.createReseller({ credit: '200.00' });
  await placeOrder(service, reseller, { customer: 'ada', months: 12 });
  await placeOrder(service, reseller, { customer: 'ben' });
  service.clock.seconds = secondsOf('2026-02-01T09:00:00Z');
  await placeOrder(service, reseller, { customer: 'cleo' });
  await placeOrder(service, reseller, { customer: 'dan', package_id: service.packages.plus });
  service.clock.seconds = secondsOf('2026-03-01T08:00:00Z');
  await placeOrder(service, reseller, { customer: 'dan', package_id: service.packages.plus });
  service.clock.seconds = secondsOf('2026-03-12T10:00:00Z');
});

const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);
const march = { from: '2026-03-01T00:00:00Z', to: '2026-03-31T23:59:59Z' };

test('all charts name the month under the pointer at its bar, with the month a year before @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin');
  const chart = page.getByRole('img', { name: /^MRR by month/ });
  const size = await chart.boundingBox();
  assert.ok(size);
  const tooltips = page.locator('[data-tooltip]');
  assert.equal(await tooltips.count(), 0);
  // The last bar is at the right edge.
  await chart.hover({ position: { x: size.width - 30, y: size.height / 2 } });
  await untilTrue(async () => (await tooltips.count()) === 4, 'four tooltips');
  const texts = await tooltips.allInnerTexts();
  for (const text of texts) assert.match(text, /^March 2026 · in progress/);
  assert.match(texts[0] ?? '', /\$25\.00[\s\S]*March 2025: \$8\.00 \(\+213%\)/);
  assert.match(texts[3] ?? '', /\n1 · \$10\.00/);
  const [box, place] = [await chart.boundingBox(), await tooltips.first().boundingBox()];
  assert.ok(box && place);
  assert.ok(place.x >= box.x && place.x + place.width <= box.x + box.width, 'it stays in the chart');
  await page.mouse.move(5, 5);
  await untilTrue(async () => (await tooltips.count()) === 0, 'no tooltip');
});

test('each figure has its definition one press away, with a link to the guide @nightly', async () => {
  const page = await panel.openAs(reseller, '/panel/business');
  await heading(page, 'Business').waitFor();
  await page.getByRole('button', { name: 'Definition of Churn' }).click();
  const note = page.getByRole('note').filter({ hasText: 'Lost plans as a share' });
  await note.waitFor();
  const guide = note.getByRole('link', { name: 'How it is computed' });
  assert.equal(await guide.getAttribute('href'), '/docs/business#churn');
  await page.keyboard.press('Escape');
  await note.waitFor({ state: 'hidden' });
});

test('each number of a reseller’s month opens its rows', async () => {
  const page = await panel.openAs(reseller, '/panel/business?view=table');
  const months = page.getByRole('table', { name: 'The business by month' });
  const row = months.getByRole('row').filter({ hasText: 'March 2026' });
  // What is below a part that is still loading is hidden, and a hidden row has no text.
  const figures = /^March 2026 in progress \$25\.00 1 0 0 1 0 1 /;
  await untilTrue(
    async () => figures.test((await row.innerText()).replace(/\s+/g, ' ')),
    'the figures of March',
  );
  await row.getByRole('link').nth(3).click();
  await heading(page, 'Orders').waitFor();
  assert.deepEqual(search(page), { ...march, kind: 'renew' });
  await page.getByRole('link', { name: 'dan' }).first().waitFor();
  await page.goBack();
  await row.getByRole('link').last().click();
  await heading(page, 'Customers').waitFor();
  assert.deepEqual(search(page), { ...march, state: 'expired' });
  await page.getByRole('link', { name: 'cleo' }).first().waitFor();
});

test('the operator’s figures open revenue and customers, and everything is there as CSV @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin');
  await page.getByRole('definition').getByRole('link', { name: '$25.00', exact: true }).first().click();
  await heading(page, 'All customers').waitFor();
  assert.deepEqual(search(page), { state: 'active' });
  await page.goBack();
  const filesOf = () =>
    page
      .getByRole('link', { name: /^Export .* as CSV$/ })
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  await page.getByRole('table', { name: 'Customers kept, by month of the first order' }).waitFor();
  assert.deepEqual(await filesOf(), [
    '/panel/api/admin/v1/business?months=12&format=csv',
    '/panel/api/admin/v1/business/cohorts?months=60&format=csv',
  ]);
  const parts = page.getByRole('navigation', { name: 'Parts of the business' });
  await parts.getByRole('link', { name: 'Revenue' }).click();
  await page.getByText('1 plan ends: $25.00 if all are renewed.').waitFor();
  assert.deepEqual(await filesOf(), ['/panel/api/admin/v1/business/forecast?format=csv']);
  // A link with a parameter of the accounts opens their tab.
  await page.goto('/panel/admin?accounts=mrr');
  const accounts = page.getByRole('table', { name: 'Accounts by MRR' });
  await accounts.getByRole('row').filter({ hasText: '$25.00' }).waitFor();
  assert.deepEqual(await filesOf(), ['/panel/api/admin/v1/business/accounts?sort=mrr&format=csv']);
});
