// Packages that are sold for some periods only: the console's form, the order dialog and the dialogs of a running plan.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { testPassword } from '../harness/panel-client.ts';
import { changePackage, createPackage, placeOrder } from '../harness/shop.ts';
import { chooseMore, confirmWithPassword, dialog, heading, row } from './panel-actions.ts';
import { untilDisabled, untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

const offered = async (within: Locator) =>
  (await within.getByRole('group', { name: 'Period' }).locator('label').allInnerTexts()).map((text) =>
    text.trim(),
  );

test('a package with a description and two periods is made in the console, and the order dialog offers these @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '500.00' });
  const page = await panel.openAs(service.admin, '/panel/admin/packages/new');
  await page.getByRole('textbox', { name: 'Name' }).fill('License');
  await page.getByLabel('Description').fill('For one server,\nwith updates.');
  for (const group of ['Reseller', 'Distributor'])
    for (const [period, price] of [
      ['monthly', '20'],
      ['quarterly', '57'],
      ['yearly', '190'],
    ])
      await page.getByRole('textbox', { name: `${group}, ${period}` }).fill(price ?? '');
  const create = page.getByRole('button', { name: 'Create package' });
  const periods = page.getByRole('group', { name: 'Sold for' });
  for (const period of ['Monthly', 'Quarterly', 'Yearly']) await periods.getByLabel(period).uncheck();
  await page.getByText('Choose at least one period.').waitFor();
  await untilDisabled(create, 'no period is chosen');
  await periods.getByLabel('Yearly').check();
  await periods.getByLabel('Quarterly').check();
  await create.click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Create package');
  await heading(page, 'Packages').waitFor();
  const made = row(page, 'License');
  await made.getByText('For one server, with updates.').waitFor();
  assert.equal(await made.getByText('Monthly').filter({ visible: true }).count(), 0);

  const { data } = (await service.admin.get('/api/admin/v1/packages')).body;
  const { id, description, periods: sold } = data.find(({ name }: { name: string }) => name === 'License');
  assert.deepEqual([description, sold], ['For one server, with updates.', ['quarterly', 'yearly']]);

  const orders = await panel.openAs(reseller, '/panel/orders');
  await orders.getByRole('button', { name: 'Place an order' }).first().click();
  const ordering = dialog(orders, 'Place an order');
  await ordering.getByRole('combobox', { name: 'Customer' }).fill('of.periods');
  await ordering.getByText('For one server, with updates.').waitFor();
  assert.deepEqual(await offered(ordering), ['Monthly', 'Quarterly', 'Yearly']);
  // The package is not sold monthly, so its card shows the period that choosing it selects.
  const card = ordering.getByRole('radio', { name: /License.*Quarterly.*\$57\.00/ });
  await card.check({ force: true });
  await ordering
    .getByRole('radio', { name: 'Quarterly', exact: true })
    .and(orders.locator(':checked'))
    .waitFor();
  assert.deepEqual(await offered(ordering), ['Quarterly', 'Yearly']);
  await ordering.getByRole('button', { name: 'Place order for $57.00' }).click();
  await dialog(orders, 'Order placed').getByText('License').first().waitFor();

  await page.goto(`/panel/admin/packages/${id}`);
  await page.getByLabel('Description').fill('');
  await page.getByRole('group', { name: 'Sold for' }).getByLabel('Monthly').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Packages').waitFor();
  const changed = (await service.admin.get(`/api/admin/v1/packages/${id}`)).body.package;
  assert.deepEqual([changed.description, changed.periods], [null, ['monthly', 'quarterly', 'yearly']]);
});

test('renewals, auto-renewals and changes by the operator offer the periods that are sold now', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '500.00' });
  const id = await createPackage(service, 'Shrinking', ['10.00', '27.00', '96.00']);
  const { order } = await placeOrder(service, reseller, { package_id: id });
  await changePackage(service, id, { periods: ['quarterly', 'yearly'] });
  const page = await panel.openAs(reseller, `/panel/customers/${order.customer.id}`);
  await page.getByRole('button', { name: 'Renew', exact: true }).click();
  const renewing = dialog(page, 'Renew Shrinking');
  await renewing.getByRole('button', { name: 'Renew for $27.00' }).waitFor();
  assert.deepEqual(await offered(renewing), ['Quarterly', 'Yearly']);
  await page.keyboard.press('Escape');
  await chooseMore(page, 'Auto-renew');
  const setting = dialog(page, /^Auto-renew for/);
  const period = setting.getByRole('combobox', { name: 'Period' });
  await untilValue(period, '3');
  assert.deepEqual(await period.locator('option').allInnerTexts(), ['Quarterly', 'Yearly']);

  const only = await createPackage(service, 'Yearly only', ['10.00', '27.00', '96.00']);
  await changePackage(service, only, { periods: ['yearly'] });
  const support = await panel.openAs(service.admin, `/panel/admin/customers/${order.customer.id}`);
  await support.getByRole('button', { name: 'Change package' }).click();
  const changing = dialog(support, /^Change package for/);
  await changing.getByRole('radio', { name: 'Yearly only' }).check({ force: true });
  await changing.getByText('$96.00').first().waitFor();
  assert.deepEqual(await offered(changing), ['Yearly']);
});
