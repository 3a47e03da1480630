// Customers sign in by a link, created in the reseller's browser and opened once in the customer's, without scripts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { usernameOf } from '../harness/panel-client.ts';
import { dialog, heading, prepareOrder, row, shownSecret } from './panel-actions.ts';
import { untilCount, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();
const withoutScript = { javaScriptEnabled: false };

test('a login link made on the customer’s page lets its customer in once, in another browser without scripts', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const order = {
    package_id: panel.service.packages.basic,
    customer: 'ada@example.com',
    customer_name: 'Ada L.',
  };
  const placed = await reseller.post('/orders', order);
  const page = await panel.openAs(reseller, `/panel/customers/${placed.body.order.customer.id}`);
  await page.getByRole('button', { name: 'Login link' }).click();
  await dialog(page, 'Create a login link?').getByRole('button', { name: 'Create link' }).click();
  const link = await linkIn(dialog(page, 'Login link'));
  await page.reload();
  await heading(page, 'Ada L.').waitFor();
  assert.equal(await page.getByText(link).count(), 0, 'it is shown once');

  const customer = await panel.open(link, withoutScript);
  await heading(customer, 'Log in').waitFor();
  // Mail scanners open links too, so opening must not use them up.
  await customer.reload();
  await customer.getByRole('button', { name: 'Continue' }).click();
  await heading(customer, 'Basic').waitFor();
  await customer.getByText('Ada L.').waitFor();
  await customer.getByText('Active', { exact: true }).waitFor();
  for (const feature of ['One', 'Two'])
    await customer.getByRole('listitem').filter({ hasText: feature }).waitFor();
  assert.equal(new URL(customer.url()).pathname, '/customer');
  await page.reload();
  const links = page.getByRole('table', { name: 'Login links of this customer' });
  await links.getByText('Used', { exact: true }).last().waitFor();
  await untilCount(links.getByText('Not used yet'), 0);

  await customer.goto(link);
  await heading(customer, 'This link no longer works').waitFor();

  await customer.goto('/customer');
  await customer.getByRole('button', { name: 'Log out' }).click();
  await heading(customer, 'You are logged out').waitFor();
  const shop = await usernameOf(panel.service, reseller);
  await customer.getByText(new RegExp(`You can get one from \\S?${shop}`)).waitFor();
  await customer.getByRole('link', { name: 'Deutsch' }).click();
  await heading(customer, 'Sie sind abgemeldet').waitFor();
  await customer.goto('/customer');
  await customer.getByText(new RegExp(`Sie bekommen ihn von \\S?${shop}`)).waitFor();
});

test('an order can bring a login link along; a new link ends the one before it @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  const button = await prepareOrder(page, 'linked', 'Basic');
  await dialog(page, 'Place an order').getByRole('switch', { name: 'Create login link' }).click();
  await button.click();
  const done = dialog(page, 'Order placed');
  const first = await linkIn(done);
  // An accidental key press or click must not close the dialog, because the link is shown only once.
  await page.keyboard.press('Escape');
  assert.equal(await linkIn(done), first);
  await done.getByRole('button', { name: 'Done' }).click();
  await row(page, 'linked').getByRole('link', { name: 'linked' }).click();
  await dialog(page, /^Order \d/)
    .getByRole('link', { name: 'linked' })
    .click();
  await page.getByRole('button', { name: 'Login link' }).click();
  await dialog(page, 'Create a login link?').getByRole('button', { name: 'Create link' }).click();
  const second = await linkIn(dialog(page, 'Login link'));
  assert.notEqual(first, second);

  await heading(await panel.open(first, withoutScript), 'This link no longer works').waitFor();
  await heading(await panel.open(second, withoutScript), 'Log in').waitFor();
});

test('a customer whom the administrator suspends is shown out of the open page, and in again when it is lifted @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const order = { package_id: panel.service.packages.basic, customer: 'sus.pended', return_login: true };
  const placed = await reseller.post('/orders', order);
  const customer = await panel.open(placed.body.login_url, withoutScript);
  await customer.getByRole('button', { name: 'Continue' }).click();
  await heading(customer, 'Basic').waitFor();

  const console = await panel.openAs(panel.service.admin, '/panel/admin/customers?q=sus.pended');
  await row(console, 'sus.pended').getByRole('link', { name: 'sus.pended' }).click();
  const drawer = dialog(console, 'sus.pended');
  await drawer.getByRole('button', { name: 'Suspend' }).click();
  await dialog(console, 'Suspend sus.pended?').getByRole('button', { name: 'Suspend' }).click();
  await row(console, 'sus.pended').getByText('Suspended').waitFor();
  await customer.reload();
  await heading(customer, 'Your access is suspended').waitFor();
  const page = await panel.openAs(reseller, '/panel/customers');
  await row(page, 'sus.pended').getByText('Suspended').waitFor();

  await drawer.getByRole('button', { name: 'Resume' }).click();
  await dialog(console, 'Resume sus.pended?').getByRole('button', { name: 'Resume' }).click();
  await row(console, 'sus.pended').getByText('Active').waitFor();
  await customer.reload();
  await heading(customer, 'Basic').waitFor();
});

function linkIn(box: Locator): Promise<string> {
  return shownSecret(box, /^http\S+\/login\/\S+$/);
}
