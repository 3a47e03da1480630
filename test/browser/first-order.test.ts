// The path of a new account, from its creation in the console to its first order in the ledger.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { testPassword } from '../harness/panel-client.ts';
import { credit } from '../harness/shop.ts';
import {
  balance,
  choosePassword,
  confirmWithPassword,
  dialog,
  goTo,
  heading,
  loseFirstAnswer,
  prepareOrder,
  row,
  shownSecret,
  typeSignIn,
} from './panel-actions.ts';
import { untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('a new account gets from its first sign-in to its key, its first order and the ledger entry of it', async () => {
  const console = await panel.openAs(panel.service.admin, '/panel/admin/accounts');
  await console.getByRole('button', { name: 'Create account' }).click();
  const creating = dialog(console, 'Create account');
  await creating.getByLabel('Username').fill('north.shop');
  await creating.getByRole('textbox', { name: 'Name', exact: true }).fill('North Shop Ltd');
  await creating.getByRole('button', { name: 'Create account' }).click();
  const ready = dialog(console, 'Account created');
  const password = await ready.locator('code').first().innerText();
  const key = await shownSecret(ready, /^sk_live_/);
  await ready.getByRole('link', { name: 'Open account' }).click();
  await heading(console, 'north.shop').waitFor();
  await console.getByRole('button', { name: 'Credit', exact: true }).click();
  const crediting = dialog(console, 'Credit north.shop');
  await crediting.getByLabel('Amount in USD').fill('100');
  await crediting.getByLabel('Memo').fill('Invoice 1');
  await crediting.getByRole('button', { name: 'Review' }).click();
  await crediting.getByRole('button', { name: 'Credit $100.00' }).click();
  await row(console, 'Invoice 1').getByText('+$100.00').waitFor();

  const page = await panel.open('/panel/');
  await typeSignIn(page, 'north.shop', password);
  await choosePassword(page, testPassword);
  await page.getByText('1 of 4 done').waitFor();
  await page.getByRole('link', { name: 'Go to Connect' }).click();
  await page.getByRole('button', { name: 'Show key' }).click();
  await confirmWithPassword(dialog(page, 'Show key'), testPassword, 'Show key');
  await page.getByRole('region', { name: 'Live order' }).getByText(key).waitFor();
  await goTo(page, 'Overview');
  await page.getByText('2 of 4 done').waitFor();

  const confirm = await prepareOrder(page, 'ada@example.com', 'Basic');
  await dialog(page, 'Place an order').getByText('$90.00').waitFor();
  await confirm.filter({ hasText: 'for $10.00' }).waitFor();
  await confirm.click();
  const done = dialog(page, 'Order placed');
  await done.getByText('$90.00').waitFor();
  await done.getByRole('button', { name: 'Done' }).click();
  await page.getByText('3 of 4 done').waitFor();
  await balance(page).getByText('$90.00').waitFor();

  await goTo(page, 'Orders');
  await row(page, 'ada@example.com').getByText('$10.00').waitFor();
  await goTo(page, 'Ledger');
  const charge = row(page, 'ada@example.com');
  await charge.getByText('−$10.00').waitFor();
  await charge.getByText('$90.00', { exact: true }).waitFor();
  await row(page, 'Invoice 1').getByText('+$100.00').waitFor();
  await charge.getByRole('link', { name: /^Charge for order/ }).click();
  const entry = page.getByRole('dialog');
  await entry.getByText('−$10.00').waitFor();
  await entry.getByRole('link', { name: /^\d+$/ }).click();
  await heading(page, /^Order \d/).waitFor();
  await row(page, 'Charge').getByText('−$10.00').waitFor();

  const listed = await createApiClient(panel.service.address, key).get('/orders');
  assert.equal(listed.body.total, 1);
  assert.equal(listed.body.data[0].customer.reference, 'ada@example.com');
});

test('the statement of the month adds up, and its CSV holds every movement of the ledger', async () => {
  const reseller = await panel.service.createReseller({ credit: '80.00' });
  for (const customer of ['one', 'two']) {
    const placed = await reseller.post('/orders', { package_id: panel.service.packages.basic, customer });
    assert.equal(placed.status, 201, placed.text);
  }
  const page = await panel.openAs(reseller, '/panel/statements');
  const january = row(page, 'January 2026');
  for (const amount of ['$80.00', '$20.00', '$60.00']) await january.getByText(amount).first().waitFor();
  await goTo(page, 'Ledger');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split(/\r?\n/);
  assert.equal(lines.length, 4, lines.join('\n'));
  assert.match(lines.join('\n'), /-10\.00/);
});

test('a top-up is seen at once on the open page of the reseller, and can be spent @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '5.00' });
  const page = await panel.openAs(reseller, '/panel/ledger');
  await balance(page).getByText('$5.00').waitFor();
  await credit(panel.service, reseller, '45.00');
  await balance(page).getByText('$50.00').waitFor();
  await row(page, '+$45.00').getByText('$50.00').waitFor();
  await goTo(page, 'Orders');
  await (await prepareOrder(page, 'after-the-top-up', 'Basic')).click();
  await dialog(page, 'Order placed').getByText('$40.00').waitFor();
});

test('a double click on the button that orders places one order and charges once', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  const sent: string[] = [];
  // Answers are held back until both clicks, so the first order is still pending at the second one.
  const release = Promise.withResolvers<void>();
  await page.route('**/panel/api/v1/orders', async (route) => {
    sent.push(route.request().headers()['idempotency-key'] ?? '');
    await release.promise;
    await route.continue();
  });
  const button = await prepareOrder(page, 'clicked-twice', 'Basic');
  await button.dblclick();
  await button.dispatchEvent('click');
  release.resolve();
  await dialog(page, 'Order placed').getByText('$90.00').waitFor();
  assert.equal(sent.length, 1, 'one request');
  const orders = await reseller.get('/orders');
  assert.equal(orders.body.total, 1);
});

test('an order whose answer was lost is sent again from the same dialog and charged once', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await loseFirstAnswer(page, '**/panel/api/v1/orders');
  const button = await prepareOrder(page, 'answer-lost', 'Basic');
  await button.click();
  await page.getByText('the order may already be placed').waitFor();
  await page
    .getByRole('dialog', { name: 'Place an order' })
    .getByRole('button', { name: /^Place order/ })
    .click();
  await dialog(page, 'Order placed').getByText('$90.00').waitFor();
  assert.deepEqual(
    panel.takeProblems().filter((problem) => !problem.includes('ERR_FAILED')),
    [],
  );
  assert.equal((await reseller.get('/orders')).body.total, 1);
  assert.equal((await reseller.get('/balance')).body.balance, '90.00');
});

test('too little credit is said before anything is sent, with what is missing', async () => {
  const reseller = await panel.service.createReseller({ credit: '9.99' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await page.getByRole('button', { name: 'Place an order' }).first().click();
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').fill('too-poor');
  await box.getByText('The balance of $9.99 is too low: $10.00 is needed. Nothing was charged.').waitFor();
  await untilDisabled(box.getByRole('button', { name: /^Place order/ }));
  assert.equal((await reseller.get('/orders')).body.total, 0);
});
