// The operator's working pages: an account's lists, figures with the rows behind them, price changes, and the product.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { createPackage, placeOrder, schedulePrices, secondsOf } from '../harness/shop.ts';
import { expectAccessible } from './accessibility.ts';
import { chooseMore, confirmWithPassword, dialog, goTo, heading, row } from './panel-actions.ts';
import { said, untilCount, untilDisabled, untilTrue, untilValue, usePanelBrowser } from './panel-browser.ts';

let reseller: TestAccount;
let username = '';
const panel = usePanelBrowser(async (service) => {
  service.clock.seconds = secondsOf('2026-03-10T09:00:00Z');
  reseller = await service.createReseller({ credit: '80.00' });
  username = await usernameOf(service, reseller);
  await placeOrder(service, reseller, { customer: 'ada' });
  service.clock.seconds = secondsOf('2026-03-12T09:00:00Z');
  await placeOrder(service, reseller, { customer: 'bert', package_id: service.packages.plus });
  await placeOrder(service, reseller, { customer: 'ada' });
  service.clock.seconds = secondsOf('2026-03-12T10:00:00Z');
});

const accountPage = () => `/panel/admin/accounts/${reseller.id}`;

test('on an account’s page its orders are filtered by the address, and a drawer goes from one to the next @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, accountPage());
  const parts = page.getByRole('navigation', { name: 'Parts of the account' });
  await parts.getByRole('link', { name: 'Orders' }).click();
  const orders = page.getByRole('table', { name: 'Orders' });
  await orders.getByRole('link', { name: 'bert' }).waitFor();
  await untilCount(orders.getByRole('row'), 4);
  await page.getByRole('combobox', { name: 'Type' }).selectOption('renew');
  await orders.getByRole('link', { name: 'bert' }).waitFor({ state: 'detached' });
  const search = () => Object.fromEntries(new URL(page.url()).searchParams);
  assert.deepEqual(search(), { tab: 'orders', kind: 'renew' });
  const csv = await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href');
  assert.equal(csv, `/panel/api/admin/v1/accounts/${reseller.id}/orders?kind=renew&format=csv`);
  await page.getByRole('button', { name: 'Clear' }).click();
  await orders.getByRole('link', { name: 'bert' }).waitFor();
  assert.deepEqual(search(), { tab: 'orders' });

  await orders.getByRole('link', { name: 'ada' }).first().click();
  const drawer = dialog(page, /^Order /);
  await drawer.getByText('Ledger entries').waitFor();
  await drawer.getByRole('button', { name: 'Older' }).click();
  await drawer.getByRole('link', { name: 'bert' }).waitFor();
  await drawer.getByText('−$25.00').waitFor();
  await drawer.getByRole('link', { name: 'Open page' }).click();
  await page.getByRole('link', { name: username }).first().waitFor();
  assert.match(new URL(page.url()).pathname, /^\/panel\/admin\/orders\//);
});

test('a customer in an account’s list is suspended from their drawer, and the ledger is of the month that is chosen @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, `${accountPage()}?tab=customers&q=bert`);
  await page.getByRole('table', { name: 'Customers' }).getByRole('link', { name: 'bert' }).click();
  const drawer = dialog(page, 'bert');
  await drawer.getByRole('button', { name: 'Suspend' }).click();
  await dialog(page, 'Suspend bert?').getByRole('button', { name: 'Suspend' }).click();
  await said(page, 'bert suspended.');
  await drawer.getByRole('button', { name: 'Resume' }).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  await page
    .getByRole('navigation', { name: 'Parts of the account' })
    .getByRole('link', { name: 'Ledger' })
    .click();
  const ledger = page.getByRole('table', { name: 'Ledger entries' });
  await ledger.getByRole('link', { name: 'Credit' }).waitFor();
  await page.getByRole('definition').filter({ hasText: '−$45.00' }).waitFor();
  await page.goto(`${accountPage()}?month=2026-02`);
  await page.getByText('No matching entries').waitFor();
});

test('on a phone an account’s lists say when and what kind @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, `${accountPage()}?tab=orders`, {
    viewport: { width: 390, height: 800 },
  });
  const bert = row(page, 'bert');
  await bert
    .getByText(/^New · .*12\sMar/)
    .filter({ visible: true })
    .waitFor();
  await expectAccessible(page, 'an account’s orders on a phone');
});

test('prices that are to begin stand beside the present ones, and what is odd about them is said before they are saved @nightly', async () => {
  const { service } = panel;
  const id = await createPackage(service, 'Priced', ['10.00', '27.00', '96.00']);
  await schedulePrices(service, id, '2026-04-01T00:00:00Z', { reseller: { monthly: '11.00' } });
  const page = await panel.openAs(service.admin, `/panel/admin/packages/${id}`);
  const schedule = page.getByRole('table', { name: 'Scheduled prices' });
  await schedule.getByText('+10%').filter({ visible: true }).waitFor();
  await page.getByRole('button', { name: 'Schedule prices' }).click();
  const form = dialog(page, 'Schedule prices for Priced');
  await form.getByLabel('Day', { exact: true }).fill('2026-05-01');
  await form.getByLabel('Reseller, monthly').fill('110');
  await form.getByText('Double-check these prices').waitFor();
  await form.getByText('Reseller, monthly: more than 50% higher than the current price (+900%).').waitFor();
  await form.getByRole('button', { name: 'Schedule anyway' }).waitFor();
  await expectAccessible(page, 'odd prices');
  await form.getByLabel('Reseller, monthly').fill('12.10');
  await form.getByText('Double-check these prices').waitFor({ state: 'detached' });
  // Compares with the price at that time instead of the current one.
  await form.getByRole('list', { name: 'What changes' }).getByText('+10%').waitFor();
  await confirmWithPassword(form, testPassword, 'Schedule prices');
  await form.waitFor({ state: 'hidden' });
  await schedule.getByText('+10%').filter({ visible: true }).nth(1).waitFor();
  await page.getByRole('textbox', { name: 'Reseller, yearly' }).fill('960');
  await page
    .getByText('Reseller, yearly: $960.00 is more than the same months paid monthly ($120.00).')
    .waitFor();
});

test('an operator’s panel begins with the business, and the overview is one click away @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/');
  await heading(page, 'Business').waitFor();
  assert.equal(new URL(page.url()).pathname, '/panel/admin');
  await page.getByRole('button', { name: 'Show ordering pages' }).click();
  await goTo(page, 'Overview');
  await page.reload();
  await heading(page, 'Overview').waitFor();
  const own = await panel.openAs(reseller, '/panel/');
  await heading(own, 'Overview').waitFor();
});

test('the palette finds a customer of any account by their id, whose page says what happened to their plan and gives trials', async () => {
  const { service } = panel;
  const dora = await placeOrder(service, reseller, { customer: 'dora' });
  const page = await panel.openAs(service.admin, '/panel/admin');
  await heading(page, 'Business').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(String(dora.order.customer.id));
  await page.getByRole('option', { name: new RegExp(`^dora.*${username}`) }).click();
  await heading(page, 'dora').waitFor();
  const history = page.getByRole('table', { name: 'History of this customer' });
  await history.getByText('The account').waitFor();
  const cancelled = await reseller.post(`/customers/${dora.order.customer.id}/cancel`, { at: 'now' });
  assert.equal(cancelled.status, 200, cancelled.text);
  await page.reload();
  await heading(page, 'dora').waitFor();
  await chooseMore(page, 'Give free trial');
  const giving = dialog(page, 'Give free trial');
  await giving.getByText(`To dora of ${username}.`).waitFor();
  await giving.getByRole('button', { name: 'Give trial' }).click();
  await said(page, 'dora has Trial for');
  await history.getByText('Free trial given').waitFor();
  await history.getByRole('link', { name: 'Plan started' }).click();
  await heading(page, `Order ${dora.order.id}`).waitFor();
});

test('the product that orders are handed to is named on a page, with a secret that no one shows again, and what waits for it is listed @nightly', async () => {
  const { service } = panel;
  const page = await panel.openAs(service.admin, '/panel/admin/product');
  await heading(page, 'Product').waitFor();
  await page.getByRole('radio', { name: /^Wait for confirmation/ }).check({ force: true });
  await page.getByLabel('Product URL').fill('http://127.0.0.1:9/');
  const save = page.getByRole('button', { name: 'Save' });
  await untilDisabled(save, 'without a secret nothing is signed');
  await page.getByRole('button', { name: 'Generate' }).click();
  const secret = page.getByRole('textbox', { name: 'Secret' });
  await untilTrue(
    async () => /^whsec_[A-Za-z0-9+/]{43}=$/.test(await secret.inputValue()),
    'a generated secret',
  );
  await save.click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Save');
  await said(page, 'Saved. Applies to new orders.');
  const { product } = (await service.admin.get('/api/admin/v1/product')).body;
  assert.deepEqual(product, { mode: 'confirm', url: 'http://127.0.0.1:9/', has_secret: true });
  await page.getByText('No pending calls').waitFor();
  await page.getByRole('button', { name: 'Send a test call' }).waitFor();
  await page.getByText('A secret is set. Leave blank to keep it').waitFor();
  await untilValue(secret, '');

  const { order } = await placeOrder(service, reseller, { customer: 'handed-over' });
  await page.reload();
  const waiting = page.getByRole('table', { name: 'Pending product calls' });
  const call = waiting.getByRole('row').filter({ hasText: 'Plan start' });
  await call.getByRole('link', { name: 'handed-over' }).waitFor();
  await call.getByRole('link', { name: String(order.id) }).waitFor();
  await waiting.getByRole('link', { name: username }).waitFor();
  await expectAccessible(page, 'the product');

  await page.getByRole('button', { name: 'Disconnect product' }).click();
  const asked = dialog(page, 'Disconnect product?');
  await expectAccessible(page, 'the product forgotten');
  await asked.getByRole('button', { name: 'Disconnect product' }).click();
  await said(page, 'Product disconnected.');
  assert.equal((await service.admin.get('/api/admin/v1/product')).body.product.url, null);
  const accepted = await service.admin.post(`/api/admin/v1/orders/${order.id}/accept`, {});
  assert.equal(accepted.status, 200, accepted.text);
});
