// Customer and order lists: bulk renewals even if answers are lost, search, and no offer that would be refused.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { expectAccessible } from './accessibility.ts';
import { dialog, heading, loseFirstAnswer, row } from './panel-actions.ts';
import { untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

const daySeconds = 86_400;

test('46 plans that end this week are renewed in three clicks, each once, although an answer was lost', async () => {
  const reseller = await panel.service.createReseller({ credit: '2000.00' });
  await placeMany(reseller, 46, 'week');
  panel.service.clock.seconds += 26 * daySeconds;
  await place(reseller, 'later.on');
  const before = (await reseller.get('/balance')).body.balance;
  const page = await panel.openAs(reseller, '/panel/customers?ending=7&sort=expires_at');
  await page.getByText('46 customers').waitFor();
  assert.equal(await row(page, 'later.on').count(), 0);

  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  const bar = page.getByRole('region', { name: 'Selected customers' });
  await bar.getByText('46 selected').waitFor();
  await bar.getByRole('button', { name: 'Renew 46 for $460.00' }).waitFor();
  await expectAccessible(page, 'the list with a selection');
  await loseFirstAnswer(page, '**/orders/bulk');
  await bar.getByRole('button', { name: 'Renew 46 for $460.00' }).click();
  const renewing = dialog(page, 'Renew 46 plans');
  await renewing.getByText('$1,070.00').waitFor();
  await renewing.getByRole('button', { name: 'Renew 46 for $460.00' }).click();

  const results = dialog(page, 'Renewals');
  await results.getByText('26 plans renewed · 20 not renewed').waitFor();
  await results.getByText('The service did not answer').first().waitFor();
  await expectAccessible(page, 'the results');
  // Opened again, the dialog repeats the same renewals instead of starting the next ones.
  await results.getByRole('button', { name: 'Close' }).last().click();
  await bar.getByText('20 selected').waitFor();
  await bar.getByRole('button', { name: 'Renew 20 for $200.00' }).click();
  await dialog(page, 'Renew 20 plans').getByRole('button', { name: 'Renew 20 for $200.00' }).click();
  await results.getByText('20 plans renewed').waitFor();
  await results.getByRole('button', { name: 'Close' }).last().click();
  await bar.waitFor({ state: 'detached' });
  await page.getByText('No matching customers').waitFor();
  assert.equal(before, '1530.00');
  assert.equal((await reseller.get('/balance')).body.balance, '1070.00');
  assert.ok(panel.takeProblems().every((problem) => /Failed to load|ERR_FAILED|bulk/.test(problem)));
});

test('all that match are selected beyond the page, and who cannot be renewed is left out before', async () => {
  const reseller = await panel.service.createReseller({ credit: '2000.00' });
  await placeMany(reseller, 60, 'many');
  const trial = { package_id: panel.service.packages.trial, customer: 'many.on.trial' };
  const granted = await panel.service.admin.post(`/api/admin/v1/accounts/${reseller.id}/trials`, trial);
  assert.equal(granted.status, 201, granted.text);
  const page = await panel.openAs(reseller, '/panel/customers?q=many');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  const bar = page.getByRole('region', { name: 'Selected customers' });
  await bar.getByText('50 selected').waitFor();
  await bar.getByRole('button', { name: 'Select all matches' }).click();
  await bar.getByText('61 selected · 1 cannot be renewed').waitFor();
  await bar.getByRole('button', { name: 'Renew 60 for $600.00' }).click();
  const renewing = dialog(page, 'Renew 60 plans');
  await renewing.getByText('Not included: This is a free trial. Order a package instead.').waitFor();
  await renewing.getByRole('button', { name: 'Cancel' }).click();
});

test('orders and customers are found by what people type: fragments, any order of words, no accents, ids @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const id = await place(reseller, 'chidi@example.com', 'Chidi Ọkàfọr');
  await place(reseller, 'jo', 'Jürgen Müller');
  const page = await panel.openAs(reseller, '/panel/orders');
  await row(page, 'jo').waitFor();
  for (const [typed, found, other] of [
    ['kafor chid', 'chidi@example.com', 'jo'],
    ['muller', 'jo', 'chidi@example.com'],
    [String(id), 'chidi@example.com', 'jo'],
  ] as const) {
    await search(page, typed);
    await row(page, other).waitFor({ state: 'detached' });
    await row(page, found).waitFor();
  }
  await page.goto(`${panel.service.address}/panel/customers`);
  await row(page, 'Jürgen').waitFor();
  await search(page, 'OKAFOR chidi');
  await row(page, 'Jürgen').waitFor({ state: 'detached' });
  await row(page, 'Chidi').getByRole('link').click();
  const drawer = dialog(page, 'Chidi Ọkàfọr');
  await drawer.getByText('Recent orders').waitFor();
  await drawer.getByRole('button', { name: 'Renew' }).waitFor();
  await page.goBack();
  await drawer.waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).pathname, '/panel/customers');
});

test('a day of a filter is the day that the rows say: the reader’s own @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  // 23:30 UTC is already the next day in Berlin.
  const { clock } = panel.service;
  clock.seconds = Math.ceil(clock.seconds / daySeconds) * daySeconds + 23.5 * 3_600;
  await place(reseller, 'past.midnight');
  const dayOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  const [utcDay, ownDay] = [dayOf(clock.seconds), dayOf(clock.seconds + 3_600)];
  const page = await panel.openAs(reseller, `/panel/orders?from=${ownDay}&to=${ownDay}`);
  const said = new Date(ownDay).toLocaleDateString('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  const placed = row(page, 'past.midnight').getByText(`${said}, 00:30`);
  await placed.filter({ visible: true }).waitFor();
  await page.goto(`${panel.service.address}/panel/orders?from=${utcDay}&to=${utcDay}`);
  await page.getByText('No matching orders').waitFor();
});

test('with nine hours to go the pages say nine hours, and not a day @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const id = await place(reseller, 'nearly.over');
  const { customer } = (await reseller.get(`/customers/${id}`)).body;
  panel.service.clock.seconds = Date.parse(customer.plan.expires_at) / 1000 - 9 * 3_600 - 60;
  const page = await panel.openAs(reseller, '/panel/customers');
  await row(page, 'nearly.over').getByText('9 hours', { exact: true }).waitFor();
  await page.goto(`${panel.service.address}/panel/customers/${id}`);
  await page.getByText('9 hours left', { exact: true }).waitFor();
  assert.equal(await page.getByText(/1 day/).count(), 0);
});

test('a plan whose order waits for the product says so before there is anything to renew @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  const setProduct = async (mode: string) =>
    assert.equal(
      (await panel.service.admin.send('PUT', '/api/admin/v1/product', { ...product, mode })).status,
      200,
    );
  await setProduct('confirm');
  const id = await place(reseller, 'is.waiting');
  await setProduct('none');
  const page = await panel.openAs(reseller, `/panel/customers/${id}`);
  await page.getByText('An order for this customer is still waiting for the product.').waitFor();
  await untilDisabled(page.getByRole('button', { name: 'Renew' }));
  await page.getByRole('table').getByRole('link').first().click();
  await heading(page, /^Order/).waitFor();
  await page.getByText('An order for this customer is still waiting for the product.').waitFor();
  await untilDisabled(page.getByRole('button', { name: 'Renew' }));
});

test('on a telephone an order keeps its kind and day, a customer the end of the plan @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await place(reseller, 'by.thumb');
  const page = await panel.openAs(reseller, '/panel/orders', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await row(page, 'by.thumb')
    .getByText(/New · \d+\s\w+\s\d{4}/)
    .waitFor();
  await page.goto(`${panel.service.address}/panel/customers`);
  await row(page, 'by.thumb')
    .getByText(/Ends \d+\s\w+\s\d{4}/)
    .waitFor();
  await row(page, 'by.thumb').getByRole('link').tap();
  await dialog(page, 'by.thumb').getByText('Runs until').waitFor();
});

test('auto-renewal is switched for everyone who is selected, with a result for each; the list is sorted by the end both ways @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '200.00' });
  const ids = [await place(reseller, 'renews.one'), await place(reseller, 'renews.two')];
  const gone = await place(reseller, 'renews.not');
  assert.equal((await reseller.post(`/customers/${gone}/cancel`, { at: 'now' })).status, 200);
  const termsOf = async (id: number | undefined) =>
    (await reseller.get(`/customers/${id}`)).body.customer.plan.auto_renew;
  const page = await panel.openAs(reseller, '/panel/customers?q=renews');
  const bar = page.getByRole('region', { name: 'Selected customers' });
  const open = async () => {
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    await bar.getByText('3 selected').waitFor();
    await bar.getByRole('button', { name: 'Auto-renew' }).click();
    return dialog(page, 'Auto-renew for selected customers');
  };
  const terms = await open();
  await terms.getByLabel('Highest price, in USD').fill('15');
  await expectAccessible(page, 'auto-renewal of many');
  await loseFirstAnswer(page, `**/customers/${ids[0]}/auto-renew`);
  await terms.getByRole('button', { name: 'Auto-renew 3 plans for at most $15.00 each time' }).click();
  const results = dialog(page, 'Auto-renewals');
  await results.getByText('1 plan changed · 2 not changed').waitFor();
  await results.getByText('The plan is no longer running.').waitFor();
  await expectAccessible(page, 'what became of each');
  await results.getByRole('button', { name: 'Try again' }).click();
  await results.getByText('2 plans changed · 1 not changed').waitFor();
  for (const id of ids) {
    const { months, max_charge: most } = await termsOf(id);
    assert.deepEqual([months, most], [1, '15.00']);
  }
  const history = (await reseller.get(`/customers/${ids[0]}/history`)).body.data;
  assert.equal(history.filter(({ type }: { type: string }) => type === 'auto_renew_set').length, 1);
  await page.keyboard.press('Escape');
  await results.waitFor({ state: 'hidden' });
  await bar.getByText('1 selected').waitFor();

  await page.reload();
  const off = await open();
  await off.getByRole('radio', { name: 'No' }).check({ force: true });
  await off.getByText('Not included: auto-renew is off').waitFor();
  await off.getByRole('button', { name: 'Turn off auto-renew for 2 plans' }).click();
  await results.getByText('2 plans changed').waitFor();
  assert.equal(await termsOf(ids[1]), null);
  await results.getByRole('button', { name: 'Close' }).last().click();

  await page.goto('/panel/customers');
  const ends = page.getByRole('columnheader', { name: 'Ends' });
  for (const [sort, said] of [
    ['expires_at', 'ascending'],
    ['-expires_at', 'descending'],
    [null, 'none'],
  ] as const) {
    await ends.getByRole('button').click();
    await page.locator(`th[aria-sort=${said}]`).filter({ hasText: 'Ends' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('sort'), sort);
  }
  assert.ok(panel.takeProblems().every((problem) => /Failed to load|ERR_FAILED/.test(problem)));
});

async function search(page: Page, typed: string): Promise<void> {
  await page.getByRole('searchbox').fill(typed);
}

async function place(reseller: TestAccount, customer: string, name?: string): Promise<number> {
  const placed = await reseller.post('/orders', {
    package_id: panel.service.packages.basic,
    customer,
    ...(name !== undefined && { customer_name: name }),
  });
  assert.equal(placed.status, 201, placed.text);
  return placed.body.order.customer.id;
}

async function placeMany(reseller: TestAccount, count: number, name: string): Promise<void> {
  const orders = Array.from({ length: count }, (_, place) => ({
    package_id: panel.service.packages.basic,
    customer: `${name}.${place}`,
    idempotency_key: `${name}-${place}`,
  }));
  const placed = await reseller.post('/orders/bulk', { orders });
  assert.ok(
    placed.body.results.every(({ status }: { status: number }) => status === 201),
    placed.text,
  );
}

test('what was topped up has a receipt as PDF in its drawer, a month its statement @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '40.00' });
  const page = await panel.openAs(reseller, '/panel/ledger');
  await page.getByRole('link', { name: 'Credit', exact: true }).click();
  await expectPdf(page, 'Receipt as PDF', /^receipt-[\d-]+\.pdf$/);
  await page.goto('/panel/statements');
  await expectPdf(page, /^Statement for .* as PDF$/, /^statement-.*\.pdf$/);
});

async function expectPdf(page: Page, link: string | RegExp, name: RegExp): Promise<void> {
  const address = await page.getByRole('link', { name: link }).getAttribute('href');
  assert.equal(new URL(address ?? '', page.url()).searchParams.get('language'), 'en');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: link }).click(),
  ]);
  assert.match(file.suggestedFilename(), name);
  assert.equal((await readFile(await file.path())).subarray(0, 5).toString(), '%PDF-');
}
