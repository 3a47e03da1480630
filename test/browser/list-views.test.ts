// The operator's list of all orders, spans of days, saved views of lists, and actions of the palette.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { usernameOf } from '../harness/panel-client.ts';
import { placeOrder } from '../harness/shop.ts';
import { expectAccessible } from './accessibility.ts';
import { dialog, heading, row } from './panel-actions.ts';
import { untilCount, untilTrue, usePanelBrowser } from './panel-browser.ts';

let north: TestAccount;
let south: TestAccount;
const panel = usePanelBrowser(async (service) => {
  north = await service.createReseller({ credit: '100.00' });
  south = await service.createReseller({ credit: '100.00' });
  await placeOrder(service, north, { customer: 'ada' });
  service.clock.seconds += 60;
  await placeOrder(service, south, { customer: 'bert', package_id: service.packages.plus });
});

const search = (page: Page): Readonly<Record<string, string>> =>
  Object.fromEntries(new URL(page.url()).searchParams);

async function untilSearch(page: Page, wanted: Readonly<Record<string, string>>): Promise<void> {
  const isThere = async () => isDeepStrictEqual(search(page), wanted);
  await untilTrue(isThere, `an address with ${JSON.stringify(wanted)}`);
}

test('the operator finds an order among those of all accounts, and who placed it @nightly', async () => {
  const { service } = panel;
  const names = { north: await usernameOf(service, north), south: await usernameOf(service, south) };
  const page = await panel.openAs(service.admin, '/panel/admin/orders');
  await row(page, 'ada').getByRole('link', { name: names.north }).waitFor();
  await row(page, 'bert').getByRole('link', { name: names.south }).waitFor();
  await expectAccessible(page, 'all orders');
  await page.getByRole('combobox', { name: 'Package' }).selectOption('Plus');
  await row(page, 'ada').waitFor({ state: 'detached' });
  const csv = await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href');
  assert.equal(csv, `/panel/api/admin/v1/orders?package_id=${service.packages.plus}&format=csv`);
  await page.getByRole('link', { name: 'bert' }).click();
  const drawer = dialog(page, /^Order /);
  await drawer.getByRole('link', { name: names.south }).waitFor();
  await drawer.getByText('Ledger entries').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'All accounts' }).click();
  const choosing = dialog(page, 'Orders of one account');
  await choosing.getByLabel('Account', { exact: true }).fill(names.north);
  await choosing.getByText(names.north).click();
  await choosing.getByRole('button', { name: 'Show' }).click();
  await row(page, 'bert').waitFor({ state: 'detached' });
  await row(page, 'ada').getByRole('link', { name: names.north }).click();
  await heading(page, names.north).waitFor();
});

test('a span of days is chosen by name, or between two days @nightly', async () => {
  const page = await panel.openAs(north, '/panel/orders');
  await row(page, 'ada').waitFor();
  const span = page.getByRole('combobox', { name: 'Ordered' });
  assert.equal(await page.getByLabel('From', { exact: true }).count(), 0);
  await span.selectOption('Last month');
  await page.getByText('No matching orders').waitFor();
  await span.selectOption('Last 7 days');
  await untilTrue(async () => {
    const { from = '', to = '' } = search(page);
    return Date.parse(to) - Date.parse(from) === 6 * 86_400_000;
  }, 'an address with seven days');
  await span.selectOption('Between …');
  await page.getByLabel('From', { exact: true }).fill('2026-01-01');
  await page.getByLabel('to', { exact: true }).fill('2026-12-31');
  await row(page, 'ada').waitFor();
  await span.selectOption('Any time');
  await page.getByLabel('From', { exact: true }).waitFor({ state: 'detached' });
  await untilSearch(page, {});
});

test('a view keeps filters and columns under a name, with spans that move on, and built-in ones come first', async () => {
  const page = await panel.openAs(north, '/panel/customers');
  await row(page, 'ada').waitFor();
  const views = page.getByRole('button', { name: 'Views' });
  const menu = page.getByRole('group', { name: 'Views' });
  await views.click();
  await menu.getByRole('button', { name: 'Auto-renew off' }).click();
  await row(page, 'ada').waitFor();
  await untilSearch(page, { state: 'active', renewal: 'off' });
  await views.click();
  await menu.getByRole('button', { name: 'Expired' }).click();
  await page.getByText('No matching customers').waitFor();

  await page.goto('/panel/orders');
  await row(page, 'ada').waitFor();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('activate');
  await page.getByRole('combobox', { name: 'Ordered' }).selectOption('This year');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Plan ends' }).uncheck();
  await page.keyboard.press('Escape');
  await page.waitForURL(({ searchParams }) => searchParams.has('kind') && searchParams.has('from'));
  const shown = search(page);
  await views.click();
  await menu.getByLabel('Save this view as').fill('New ones');
  await menu.getByRole('button', { name: 'Save' }).click();
  await menu.getByRole('button', { name: 'New ones', exact: true }).waitFor();
  await expectAccessible(page, 'the menu of views');
  assert.match(await page.evaluate('JSON.stringify(localStorage)'), /this_year/);

  await page.goto('/panel/orders');
  await row(page, 'ada').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Plan ends' }).check();
  await page.getByRole('columnheader', { name: 'Plan ends' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Escape');
  await views.click();
  await menu.getByRole('button', { name: 'Rename New ones' }).click();
  await menu.getByLabel('New name').fill('First orders');
  await menu.getByRole('button', { name: 'Rename' }).click();
  await menu.getByRole('button', { name: 'First orders', exact: true }).click();
  await untilCount(page.getByRole('columnheader', { name: 'Plan ends' }), 0);
  await untilSearch(page, shown);
  await views.click();
  await menu.getByRole('button', { name: 'Delete First orders' }).click();
  await untilCount(menu.getByRole('button', { name: 'First orders', exact: true }), 0);
});

test('the palette begins actions on their pages, in groups, and only those that the role allows @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin/audit');
  await heading(page, 'Audit log').waitFor();
  const begin = async (typed: string, option: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('group', { name: 'Actions' }).waitFor();
    await page.keyboard.type(typed);
    await page.getByRole('option', { name: option, selected: true }).waitFor();
    await page.keyboard.press('Enter');
  };
  await page.keyboard.press('Control+k');
  await page.getByRole('group', { name: 'Go to' }).waitFor();
  await expectAccessible(page, 'the palette');
  await page.keyboard.press('Escape');
  await begin('invite', /^Invite team member/);
  await dialog(page, /^Invite/).waitFor();
  await page.keyboard.press('Escape');
  await begin('new api', /^New API key/);
  await dialog(page, /key/i).waitFor();
  await page.keyboard.press('Escape');
  await begin('new end', /^New endpoint/);
  await dialog(page, /endpoint/i).waitFor();
  await page.keyboard.press('Escape');
  // Already on the page, and again.
  await begin('new end', /^New endpoint/);
  await dialog(page, /endpoint/i).waitFor();
  await page.keyboard.press('Escape');
  await begin('create p', /^Create package/);
  await heading(page, /package/i).waitFor();
  const username = await usernameOf(panel.service, south);
  await page.keyboard.press('Control+k');
  await page.keyboard.type(username);
  await page
    .getByRole('group', { name: 'Accounts' })
    .getByRole('option', { name: /Credit/ })
    // Until the last letter is looked up, the accounts of the letters before it are listed.
    .filter({ hasText: new RegExp(`${username}(?!\\d)`) })
    .click();
  await dialog(page, /Credit/).waitFor();
  await page.keyboard.press('Escape');
  await heading(page, username).waitFor();
  const downloading = page.waitForEvent('download');
  await begin('export orders of', /^Export orders of all/);
  assert.equal((await downloading).suggestedFilename(), 'orders.csv');
  await begin('change lang', /^Change language to Deutsch/);
  await page.locator('html[lang=de]').waitFor();
});
