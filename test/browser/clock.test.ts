// Times in the browser's zone or in UTC, as the person chooses. The zone is shown beside typed times and filters.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heading, openUserMenu, row } from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('anyone who chooses UTC reads every time in UTC, filters by UTC days, and does so in every browser @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '100.00' });
  // 23:30 UTC is already the next day in Berlin.
  service.clock.seconds = Date.parse('2026-03-12T23:30:00Z') / 1000;
  const order = { package_id: service.packages.basic, customer: 'late.evening' };
  assert.equal((await reseller.post('/orders', order)).status, 201);
  const page = await panel.openAs(reseller, '/panel/orders');
  await row(page, 'late.evening').getByText('13 Mar 2026, 00:30').filter({ visible: true }).waitFor();
  await page.getByRole('combobox', { name: 'Ordered' }).selectOption('Between …');
  await page.getByText('Europe/Berlin', { exact: true }).filter({ visible: true }).first().waitFor();
  await (await openUserMenu(page)).getByRole('combobox', { name: 'Time zone' }).selectOption('UTC');
  await row(page, 'late.evening').getByText('12 Mar 2026, 23:30').filter({ visible: true }).waitFor();

  await page.getByRole('combobox', { name: 'Ordered' }).selectOption('Between …');
  await page.getByLabel('From', { exact: true }).fill('2026-03-12');
  await page.getByLabel('to', { exact: true }).fill('2026-03-12');
  await page.getByText('12 Mar 2026 · UTC').waitFor();
  await row(page, 'late.evening').waitFor();
  await page.getByLabel('From', { exact: true }).fill('2026-03-13');
  await page.getByLabel('to', { exact: true }).fill('2026-03-13');
  await page.getByText('No matching orders').waitFor();

  const elsewhere = await panel.openAs(reseller, '/panel/orders');
  await row(elsewhere, 'late.evening').getByText('12 Mar 2026, 23:30').filter({ visible: true }).waitFor();
  const menu = await openUserMenu(elsewhere);
  await menu.getByRole('combobox', { name: 'Time zone' }).selectOption('Europe/Berlin');
  await row(elsewhere, 'late.evening').getByText('13 Mar 2026, 00:30').filter({ visible: true }).waitFor();
});

test('the day that a figure led to is said in words, with the zone of figures', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '100.00' });
  const day = new Date(service.clock.seconds * 1000).toISOString().slice(0, 10);
  const page = await panel.openAs(reseller, `/panel/orders?from=${day}T00:00:00Z&to=${day}T23:59:59Z`);
  await heading(page, 'Orders').waitFor();
  const words = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }).format(new Date(`${day}T00:00:00Z`));
  const filter = page.getByRole('button', { name: `Remove date filter: ${words} (UTC)` });
  await filter.click();
  await filter.waitFor({ state: 'detached' });
  assert.doesNotMatch(page.url(), /from=/);
});
