import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { expectAccessible } from './accessibility.ts';
import { goTo, heading, row } from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

const drawer = (page: Page) => page.getByRole('dialog');

test('a refused request is read down to its body in three clicks, once the account keeps bodies, and gone when it does not', async () => {
  const reseller = await panel.service.createReseller({ credit: '10.00' });
  const page = await panel.openAs(reseller, '/panel/requests');
  const name = 'Log request and response bodies for 7 days';
  const keeping = page.getByRole('switch', { name });
  await page.getByRole('button', { name: 'Bodies: off' }).click();
  await keeping.click();
  // The switch moves before the service has answered; the button does not.
  await page.getByRole('button', { name: 'Bodies: on' }).waitFor();
  const body = { package_id: panel.service.packages.basic, customer: 'ada@example.com' };
  assert.equal((await reseller.post('/orders', body, { 'idempotency-key': 'first-1' })).status, 201);
  const changed = { ...body, customer: 'bob@example.com', password: 'hunter2' };
  assert.equal((await reseller.post('/orders', changed, { 'idempotency-key': 'first-1' })).status, 409);

  await page.goto('/panel/');
  await goTo(page, 'Requests');
  await page.getByRole('radio', { name: 'Refused' }).check({ force: true });
  await page.getByRole('link', { name: 'POST /api/v1/orders' }).first().click();
  const open = drawer(page);
  await open.getByText('This idempotency key was already used for another order.').waitFor();
  const sent = open.getByRole('region', { name: 'Request body' });
  await sent.getByText('"customer": "bob@example.com"').waitFor();
  assert.doesNotMatch(await open.innerText(), /hunter2/);
  await open.getByRole('region', { name: 'Response body' }).getByText('idempotency_conflict').waitFor();
  await open.getByRole('link', { name: 'ada@example.com' }).waitFor();
  await expectAccessible(page, 'the drawer of a request');
  const orders = await reseller.get('/orders');
  await open.getByRole('link', { name: String(orders.body.data[0].id) }).click();
  await heading(page, /Order/).waitFor();

  await page.goBack();
  await drawer(page).waitFor();
  await page.goBack();
  await drawer(page).waitFor({ state: 'detached' });

  await page.getByLabel('Error code').selectOption('idempotency_conflict');
  await page.waitForURL(/code=idempotency_conflict/);
  await row(page, 'idempotency_conflict').waitFor();

  await page.getByRole('button', { name: 'Bodies: on' }).click();
  await keeping.click();
  await page.getByRole('button', { name: 'Bodies: off' }).click();
  await page.getByRole('link', { name: 'POST /api/v1/orders' }).first().click();
  await drawer(page).getByText('Bodies aren’t being logged.').waitFor();
});

test('the page of the API says when programs are given another address than the browser uses @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/api-access');
  await heading(page, 'API access').waitFor();
  assert.equal(await page.getByText(/^Programs use /).count(), 0);
  await page.route('**/panel/api/me', async (route) => {
    const response = await route.fetch();
    await route.fulfill({
      response,
      json: { ...(await response.json()), api_url: 'http://127.0.0.1:1/api/v1' },
    });
  });
  await page.reload();
  await page.getByText(/^Programs use /).waitFor();
  await page.getByText('PUBLIC_URL').waitFor();
  await expectAccessible(page, 'API access with a notice');
});

test('the ledger is filtered by kind with the totals of its time, and a row opens its entry beside the list @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '50.00' });
  const body = { package_id: panel.service.packages.basic, customer: 'cleo@example.com' };
  assert.equal((await reseller.post('/orders', body)).status, 201);
  const page = await panel.openAs(reseller, '/panel/ledger');
  const totals = page.getByLabel('Totals');
  await totals.getByText('+$50.00').waitFor();
  await page.getByLabel('Type').selectOption('charge');
  await page.waitForURL(/kind=charge/);
  await row(page, 'Credit').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: /^Charge for order/ }).click();
  await drawer(page).getByRole('link', { name: 'cleo@example.com' }).waitFor();
  await page.goBack();
  await drawer(page).waitFor({ state: 'detached' });
});
