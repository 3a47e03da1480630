// No page of the account shows a pending order as done, or the customer of a first order as expired.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectAccessible } from './accessibility.ts';
import { dialog, goTo, heading, row } from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser(async ({ admin }) => {
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  const { status, text } = await admin.send('PUT', '/api/admin/v1/product', product);
  assert.equal(status, 200, text);
});

test('a pending order is pending in the dialog, in the lists, in the drawers and on the customer’s page', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.keyboard.press('n');
  await dialog(page, 'Place an order').getByLabel('Customer').fill('pending@example.com');
  await dialog(page, 'Place an order').getByRole('button', { name: 'Place order for $10.00' }).click();
  const done = dialog(page, 'Order pending');
  await done.getByText('Pending: waiting for the operator’s product.').waitFor();
  assert.doesNotMatch(await done.innerText(), / has Basic until /);
  await expectAccessible(page, 'the end of an order that is pending');
  await done.getByRole('button', { name: 'Done' }).click();
  await row(page, 'pending@example.com').getByText('Pending', { exact: true }).waitFor();

  await row(page, 'pending@example.com').getByRole('link').click();
  const order = dialog(page, /^Order \d/);
  await order.getByText('Pending', { exact: true }).first().waitFor();
  await order.getByText(/, once confirmed$/).waitFor();
  await page.keyboard.press('Escape');

  await goTo(page, 'Customers');
  const listed = row(page, 'pending@example.com');
  await listed.getByText('Pending', { exact: true }).waitFor();
  assert.doesNotMatch(await listed.innerText(), /Expired|Ended/);
  await listed.getByRole('link').click();
  const drawer = dialog(page, 'pending@example.com');
  await drawer.getByText('Starts once the operator’s product confirms the order').waitFor();
  assert.doesNotMatch(await drawer.innerText(), /Expired|Ended/);
  await drawer.getByRole('link', { name: 'Open page' }).click();
  await heading(page, 'pending@example.com').waitFor();
  const main = page.getByRole('main');
  await main.getByText('Starts once the operator’s product confirms the order').waitFor();
  await row(page, 'Order sent to the product').getByText('Pending', { exact: true }).waitFor();
  assert.doesNotMatch(await main.innerText(), /Expired|Ended/);
});

test('a renewal that is pending leaves the customer active, and says that it is pending @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '100.00' });
  assert.equal((await service.admin.send('DELETE', '/api/admin/v1/product')).status, 200);
  const placed = await reseller.post('/orders', { package_id: service.packages.basic, customer: 'runs' });
  assert.equal(placed.body.order.status, 'completed', placed.text);
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  const page = await panel.openAs(reseller, `/panel/customers/${placed.body.order.customer.id}`);
  await page.getByRole('button', { name: 'Renew', exact: true }).click();
  await dialog(page, 'Renew Basic').getByRole('button', { name: 'Renew for $10.00' }).click();
  await dialog(page, 'Renewal pending').getByRole('button', { name: 'Done' }).click();
  const head = page.getByRole('main').getByRole('banner').or(page.getByRole('main'));
  await head.getByText('Active', { exact: true }).first().waitFor();
  await head.getByText('Pending', { exact: true }).first().waitFor();
  await page.getByTitle('2026-02-15 12:00:00 UTC').first().waitFor();
});
