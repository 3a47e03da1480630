import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { balance, dialog, goTo, heading, row } from './panel-actions.ts';
import { untilCount, untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('a renewal and a change of package do what their preview said, the refund included', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const customerId = await order(reseller, 'ada@example.com');
  const page = await panel.openAs(reseller, `/panel/customers/${customerId}`);
  // The time is in the reader's zone; the tooltip has the exact UTC time.
  await page.getByTitle('2026-02-15 12:00:00 UTC').getByText('15 Feb 2026, 13:00').first().waitFor();
  await page.getByRole('button', { name: 'Renew', exact: true }).click();
  const renewing = dialog(page, 'Renew Basic');
  await renewing.getByRole('radio', { name: 'Quarterly' }).check({ force: true });
  const renew = renewing.getByRole('button', { name: 'Renew for $27.00' });
  await renew.waitFor();
  const preview = renewing.getByRole('region', { name: 'Preview' });
  await preview.getByText('$63.00').waitFor();
  await preview.getByTitle('2026-05-15 12:00:00 UTC').waitFor();
  await renew.click();
  await dialog(page, 'Renewed').getByText('$63.00').waitFor();
  await dialog(page, 'Renewed').getByRole('button', { name: 'Done' }).click();
  await page.getByTitle('2026-05-15 12:00:00 UTC').first().waitFor();

  await page.getByRole('button', { name: 'Change package' }).click();
  const changing = dialog(page, 'Change package');
  await changing.getByText('Choose a package to see the price and when the plan ends.').waitFor();
  await untilDisabled(changing.getByRole('button', { name: 'Change package' }));
  // Once the dialog has read the last order, its period is the plan's unless the user changes it.
  await changing.getByRole('radio', { name: 'Quarterly' }).and(page.locator(':checked')).waitFor();
  await changing.getByRole('radio', { name: /Basic/ }).and(page.locator(':not(:checked)')).waitFor();
  await changing.getByRole('radio', { name: 'Monthly' }).check({ force: true });
  await changing.getByRole('radio', { name: /Plus/ }).check({ force: true });
  const before = changing.getByRole('region', { name: 'Preview' });
  await changing.getByText('Upgrade from Basic to Plus, $12.00 refunded').waitFor();
  // Nothing was used yet, so both payments come back.
  await before.getByText('+$37.00').waitFor();
  await before.getByText('$75.00').waitFor();
  await changing.getByRole('button', { name: 'Change, $12.00 refunded' }).click();
  await dialog(page, 'Order placed').getByText('$75.00').waitFor();
  await page.keyboard.press('Escape');
  await balance(page).getByText('$75.00').waitFor();
  assert.equal((await reseller.get('/balance')).body.balance, '75.00');
});

test('a customer’s page says how the plan stands: renewing itself, ending, suspended, cancelled @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const id = await order(reseller, 'life.of.a.plan');
  const act = async (method: string, what: string, body: object) => {
    const { status, text } = await reseller.send(method, `/customers/${id}/${what}`, body);
    assert.equal(status, 200, text);
  };
  await act('PUT', 'auto-renew', { months: 3, max_charge: '27.00' });
  const page = await panel.openAs(reseller, `/panel/customers/${id}`);
  await page.getByText('Quarterly, for at most 27.00').waitFor();
  await page.getByTitle('2026-02-14 12:00:00 UTC').first().waitFor();
  await act('POST', 'cancel', { at: 'period_end' });
  await act('POST', 'suspend', {});
  await page.reload();
  await page.getByText('Suspended', { exact: true }).first().waitFor();
  await page.getByText('Off: the plan ends with its period').waitFor();
  // The plan's time runs on while it is suspended, so another package is a change.
  await page.getByRole('button', { name: 'Change package' }).waitFor();
  await act('POST', 'resume', {});
  await act('POST', 'cancel', { at: 'now' });
  await page.reload();
  await page.getByText('Canceled', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Order a package' }).waitFor();
  await goTo(page, 'Customers');
  await row(page, 'life.of.a.plan').getByText('Canceled').waitFor();
});

test('filters of the orders stand in the address: a reload and the Back button keep them @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  for (const customer of ['filter.one', 'filter.two', 'filter.two']) await order(reseller, customer);
  const page = await panel.openAs(reseller, '/panel/orders');
  const rows = page.getByRole('row');
  await rows.nth(3).waitFor();
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Renewal');
  await page.waitForURL(/kind=renew/);
  await rows.nth(2).waitFor({ state: 'detached' });
  await row(page, 'filter.two').waitFor();
  await page.reload();
  await row(page, 'filter.two').waitFor();
  await untilCount(rows, 2);
  await row(page, 'filter.two').getByRole('link').click();
  await dialog(page, /^Order \d/)
    .getByRole('link', { name: 'Open page' })
    .click();
  await heading(page, /^Order \d/).waitFor();
  await page.goBack();
  await dialog(page, /^Order \d/).waitFor();
  await page.goBack();
  await dialog(page, /^Order \d/).waitFor({ state: 'detached' });
  await row(page, 'filter.two').waitFor();
  assert.match(page.url(), /kind=renew/);
  await page.getByRole('searchbox').fill('filter.one');
  await page.waitForURL(/q=filter\.one/);
  await page.getByText('No matching orders').waitFor();
  await page.getByRole('link', { name: 'Show all orders' }).click();
  await rows.nth(3).waitFor();
});

test('what fails says so in place, with the id of the request, and can be tried again @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await order(reseller, 'is.there');
  const page = await panel.openAs(reseller, '/panel/');
  await heading(page, 'Overview').waitFor();
  let isFailing = true;
  await page.route(/\/panel\/api\/v1\/orders(\?|$)/, (route) =>
    isFailing
      ? route.fulfill({
          status: 500,
          headers: { 'x-request-id': 'request-of-the-test' },
          json: { error: { code: 'internal_error', message: 'Internal error.', details: {} } },
        })
      : route.continue(),
  );
  await goTo(page, 'Orders');
  const alert = page.getByRole('alert');
  await alert.getByText('request-of-the-test').waitFor();
  isFailing = false;
  await alert.getByRole('button', { name: 'Try again' }).click();
  await row(page, 'is.there').waitFor();
  assert.ok(panel.takeProblems().every((problem) => /\b500\b/.test(problem)));
});

test('on a telephone the pages are in a drawer, and an order can be placed', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByRole('button', { name: 'Menu' }).tap();
  await dialog(page, 'Menu').getByRole('link', { name: 'Customers' }).tap();
  await heading(page, 'Customers').waitFor();
  await dialog(page, 'Menu').waitFor({ state: 'detached' });
  await page.getByRole('banner').getByRole('button', { name: 'Place an order' }).tap();
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').fill('by.thumb');
  await box.getByRole('button', { name: 'Place order for $10.00' }).tap();
  await dialog(page, 'Order placed').getByRole('button', { name: 'Done' }).tap();
  await row(page, 'by.thumb').waitFor();
});

async function order(reseller: TestAccount, customer: string): Promise<number> {
  const placed = await reseller.post('/orders', { package_id: panel.service.packages.basic, customer });
  assert.equal(placed.status, 201, placed.text);
  return placed.body.order.customer.id;
}
