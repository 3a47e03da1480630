// The administrator's console. Changes apply to a reseller's next request.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { testPassword } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changePackage, createPackage } from '../harness/shop.ts';
import { chooseMore, confirmWithPassword, dialog, goTo, heading, row } from './panel-actions.ts';
import { said, untilDisabled, untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('an administrator who leaves himself out of his own allow-list is asked again before it is saved @nightly', async () => {
  const { admin } = panel.service;
  const page = await panel.openAs(admin, `/panel/admin/accounts/${admin.id}`);
  // Reads are delayed. A form that is opened again right after saving must show the saved values.
  await page.route(`**/panel/api/admin/v1/accounts/${admin.id}`, async (route) => {
    if (route.request().method() === 'GET') await setTimeout(300);
    await route.fallback();
  });
  await page.getByRole('button', { name: 'Change settings' }).click();
  const settings = dialog(page, /^Settings of/);
  const list = settings.getByLabel('IP allow-list');
  await list.fill('203.0.113.0/24');
  await settings.getByRole('button', { name: 'Save', exact: true }).click();
  await settings.getByRole('alert').getByText('does not include your address, 127.0.0.1').waitFor();
  assert.equal((await admin.get('/balance')).status, 200);
  await list.fill('203.0.113.0/25');
  await settings.getByRole('button', { name: 'Save', exact: true }).click();
  await settings.getByRole('button', { name: 'Save anyway' }).click();
  await settings.waitFor({ state: 'hidden' });
  expectRefusal(await admin.get('/balance'), '403 ip_not_allowed');
  await page.getByRole('button', { name: 'Change settings' }).click();
  await untilValue(list, '203.0.113.0/25');
  await list.fill('');
  await settings.getByRole('button', { name: 'Save', exact: true }).click();
  await settings.waitFor({ state: 'hidden' });
  assert.equal((await admin.get('/balance')).status, 200);
});

test('a package made and edited in the console is seen in GET /packages: prices, savings, order of features, retired', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '500.00' });
  const distributor = await service.createReseller({ credit: '500.00', group: 'distributor' });
  const found = async (account: typeof reseller) =>
    (await account.get('/packages')).body.data.find(({ name }: { name: string }) =>
      name.startsWith('Studio'),
    );

  const page = await panel.openAs(service.admin, '/panel/admin/packages');
  await page.getByRole('link', { name: 'Create package' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Studio');
  await page.getByRole('textbox', { name: 'Accounts' }).fill('5');
  await page.getByRole('textbox', { name: 'Posts per day' }).fill('50');
  await page.getByRole('textbox', { name: 'AI images per month' }).fill('500');
  for (const [index, feature] of ['First', 'Second', 'Third'].entries()) {
    await page.getByRole('button', { name: 'Add feature' }).click();
    await page.getByLabel(`Feature ${index + 1}`, { exact: true }).fill(feature);
  }
  const prices = {
    'Reseller, monthly': '20',
    'Reseller, quarterly': '54',
    'Reseller, yearly': '180.50',
    'Distributor, monthly': '15.00',
    'Distributor, quarterly': '45',
    'Distributor, yearly': '144',
  };
  for (const [label, price] of Object.entries(prices)) await page.getByLabel(label).fill(price);
  await page.getByText('saves 10%').waitFor();
  await page.getByText('no saving').waitFor();
  await page.getByRole('button', { name: 'Create package' }).click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Create package');
  await heading(page, 'Packages').waitFor();
  await row(page, 'Studio').getByText('$180.50').filter({ visible: true }).waitFor();

  const forReseller = await found(reseller);
  assert.equal(forReseller.price, '20.00');
  assert.deepEqual(
    forReseller.prices.map(({ price, saving_percent }: Record<string, unknown>) => [price, saving_percent]),
    [
      ['20.00', 0],
      ['54.00', 10],
      ['180.50', 24],
    ],
  );
  assert.deepEqual(forReseller.features, ['First', 'Second', 'Third']);
  assert.deepEqual(forReseller.limits, { accounts: 5, posts_per_day: 50, ai_images_per_month: 500 });
  assert.equal((await found(distributor)).price, '15.00');

  await row(page, 'Studio').getByRole('link', { name: 'Studio' }).click();
  await heading(page, 'Studio').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Studio Plus');
  await page.getByLabel('Reseller, monthly').fill('22.75');
  await page.getByRole('button', { name: 'Move feature 3 up' }).click();
  await page.getByRole('button', { name: 'Remove feature 1' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Packages').waitFor();
  const changed = await found(reseller);
  assert.equal(changed.name, 'Studio Plus');
  assert.equal(changed.price, '22.75');
  assert.deepEqual(changed.features, ['Third', 'Second']);

  await row(page, 'Studio Plus').getByRole('link', { name: 'Studio Plus' }).click();
  await chooseMore(page, 'Duplicate package');
  await heading(page, 'New package').waitFor();
  await untilValue(page.getByRole('textbox', { name: 'Name' }), 'Studio Plus (copy)');
  await untilValue(page.getByLabel('Reseller, monthly'), '22.75');
  await page.getByRole('textbox', { name: 'Name' }).fill('Bureau');
  await page.getByRole('button', { name: 'Create package' }).click();
  await row(page, 'Bureau').waitFor();

  await row(page, 'Studio Plus').getByRole('link', { name: 'Studio Plus' }).click();
  await page.getByRole('switch', { name: 'Retired' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await row(page, 'Studio Plus').getByText('Retired').filter({ visible: true }).waitFor();
  assert.equal(await found(reseller), undefined);
  expectRefusal(
    await reseller.post('/orders', { package_id: changed.id, customer: 'late' }),
    '422 package_unavailable',
  );
});

test('prices are scheduled and deleted on the package’s page, and what has begun meanwhile is not taken back by saving @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '500.00' });
  const id = await createPackage(service, 'Atelier', ['10.00', '27.00', '96.00']);
  const found = async () =>
    (await reseller.get('/packages')).body.data.find((one: { id: number }) => one.id === id);
  const page = await panel.openAs(service.admin, `/panel/admin/packages/${id}`);
  await page.getByText('No scheduled prices').waitFor();

  await page.getByRole('button', { name: 'Schedule prices' }).click();
  const form = dialog(page, 'Schedule prices for Atelier');
  const submit = form.getByRole('button', { name: 'Schedule prices' });
  await form.getByLabel('Day', { exact: true }).fill('2026-01-15');
  await untilDisabled(submit, 'there is no price yet');
  await form.getByLabel('Reseller, monthly').fill('12');
  await form.getByLabel('Distributor, yearly').fill('80.5');
  await untilDisabled(submit, 'the password is missing');
  await form.getByLabel('Your password').fill(testPassword);
  await submit.click();
  // The time is in the reader's zone, where noon of this day has passed.
  await form.getByRole('alert').getByText('From: Must be in the future.').waitFor();
  await form.getByLabel('Day', { exact: true }).fill('2026-02-01');
  await form.getByLabel('Time (Europe/Berlin)').fill('06:30');
  await submit.click();
  await said(page, 'Prices scheduled for 1 Feb 2026, 06:30 (Europe/Berlin)');
  await form.waitFor({ state: 'hidden' });
  const schedule = page.getByRole('table', { name: 'Scheduled prices' });
  await schedule.getByText('Upcoming').waitFor();
  const [upcoming] = (await found()).upcoming;
  assert.deepEqual([upcoming.from, upcoming.prices[0].price], ['2026-02-01T05:30:00Z', '12.00']);

  // Another price changes while the page is open. Only typed prices are saved.
  await changePackage(service, id, { prices: { reseller: { quarterly: '30.00' } } });
  await page.getByRole('textbox', { name: 'Reseller, yearly' }).fill('99');
  await page.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Packages').waitFor();
  assert.deepEqual(
    (await found()).prices.map(({ price }: { price: string }) => price),
    ['10.00', '30.00', '99.00'],
  );

  await page.goto(`/panel/admin/packages/${id}`);
  await page
    .getByRole('button', { name: 'Delete the prices from 1 Feb 2026, 06:30 (Europe/Berlin)' })
    .click();
  await dialog(page, 'Delete these prices?').getByRole('button', { name: 'Delete prices' }).click();
  await page.getByText('No scheduled prices').waitFor();
  assert.deepEqual((await found()).upcoming, []);
  await page.goto('/panel/admin/audit');
  await page.getByText('Scheduled prices deleted').first().waitFor();
});

test('a free trial is made in the console, given to a customer, charges nothing and is seen by the reseller @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '10.00' });
  const page = await panel.openAs(service.admin, '/panel/admin/packages/new');
  await page.getByRole('switch', { name: 'Free trial' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Taster');
  for (const limit of ['Accounts', 'Posts per day', 'AI images per month'])
    await page.getByRole('textbox', { name: limit }).fill('1');
  await page.getByLabel('Days of the trial').fill('7');
  await page.getByRole('button', { name: 'Create package' }).click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Create package');
  await row(page, 'Taster').getByText('Free trial').filter({ visible: true }).waitFor();

  await page.goto(`/panel/admin/accounts/${reseller.id}`);
  await page.getByRole('button', { name: 'Give free trial' }).click();
  const giving = dialog(page, 'Give free trial');
  await giving.getByRole('radio', { name: /Taster/ }).check({ force: true });
  await giving.getByLabel('Customer').fill('curious@example.com');
  await giving.getByRole('button', { name: 'Give trial' }).click();
  await said(page, 'has Taster for 7 days');

  const { body } = await reseller.get('/customers');
  assert.equal(body.data[0].plan.package, 'Taster');
  assert.equal((await reseller.get('/balance')).body.balance, '10.00');
  const panelPage = await panel.openAs(reseller, '/panel/customers');
  await row(panelPage, 'curious@example.com').getByText('7 days', { exact: true }).waitFor();
  await panelPage.getByRole('link', { name: 'curious@example.com' }).click();
  const drawer = dialog(panelPage, 'curious@example.com');
  await drawer.getByText('This is a free trial. Order a package instead.').waitFor();
  await drawer.getByRole('link', { name: 'Open page' }).click();
  await panelPage.getByText('Free trial given').filter({ visible: true }).first().waitFor();

  // After the trial has ended, it is given again only if the operator says so.
  const id = body.data[0].id;
  expectStatus(await reseller.post(`/customers/${id}/cancel`, { at: 'now' }), 200);
  await page.goto(`/panel/admin/customers/${id}`);
  await chooseMore(page, 'Give free trial');
  await giving.getByRole('radio', { name: /Taster/ }).check({ force: true });
  await giving.getByRole('button', { name: 'Give trial', exact: true }).click();
  await giving.getByText('This customer has already had this free trial.').waitFor();
  await giving.getByRole('button', { name: 'Give trial again' }).click();
  await said(page, 'has Taster for 7 days');
});

test('settings count from the next request on: API off, rate limit, group, allow-list', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(service.admin, `/panel/admin/accounts/${reseller.id}`);
  const open = async () => {
    await page.getByRole('button', { name: 'Change settings' }).click();
    return dialog(page, /^Settings of/);
  };
  const save = async (box: ReturnType<typeof dialog>) => {
    await box.getByRole('button', { name: 'Save' }).click();
    await box.waitFor({ state: 'hidden' });
  };
  let settings = await open();
  await untilDisabled(settings.getByRole('button', { name: 'Save' }), 'nothing is changed yet');
  await settings.getByRole('switch', { name: 'API access' }).click();
  await save(settings);
  await page.getByText('API off').waitFor();
  expectRefusal(await reseller.get('/balance'), '403 api_disabled');

  settings = await open();
  await settings.getByRole('switch', { name: 'API access' }).click();
  await settings.getByLabel('Requests per minute').fill('7');
  await settings.getByRole('radio', { name: 'Distributor' }).check({ force: true });
  const reads: Route[] = [];
  let isHeld = true;
  await page.route(
    (url) => url.pathname.endsWith(`/accounts/${reseller.id}`),
    (route) => (isHeld && route.request().method() === 'GET' ? void reads.push(route) : route.continue()),
  );
  await save(settings);
  const balance = await reseller.get('/balance');
  assert.equal(balance.body.group, 'distributor');
  assert.match(
    balance.headers.get('ratelimit-policy') ?? balance.headers.get('ratelimit-limit') ?? '',
    /\b7\b/,
  );

  settings = await open();
  isHeld = false;
  await Promise.all(reads.map((route) => route.continue()));
  await page.getByText('API off').waitFor({ state: 'detached' });
  await settings.getByLabel('IP allow-list').fill('203.0.113.0/24');
  await save(settings);
  expectRefusal(await reseller.get('/balance'), '403 ip_not_allowed');
  await goTo(page, 'Audit log');
  await row(page, '203.0.113.0/24').waitFor();
});

test('credit and debit ask twice, cannot go below zero, and stand in the account’s ledger with their memo', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '20.00' });
  const page = await panel.openAs(service.admin, `/panel/admin/accounts/${reseller.id}`);
  await page.getByRole('button', { name: 'Debit' }).click();
  const debiting = dialog(page, /^Debit/);
  await debiting.getByLabel('Amount in USD').fill('20.01');
  await debiting.getByText('The balance is $20.00.').waitFor();
  await untilDisabled(debiting.getByRole('button', { name: 'Review' }));
  await debiting.getByLabel('Amount in USD').fill('12.50');
  await debiting.getByLabel('Memo').fill('Returned by bank');
  await debiting.getByRole('button', { name: 'Review' }).click();
  await debiting.getByText('$7.50').waitFor();
  assert.equal((await reseller.get('/balance')).body.balance, '20.00', 'looking moves nothing');
  await debiting.getByRole('button', { name: 'Debit $12.50' }).click();
  await row(page, 'Returned by bank').getByText('−$12.50').waitFor();
  assert.equal((await reseller.get('/balance')).body.balance, '7.50');
  const panelPage = await panel.openAs(reseller, '/panel/ledger');
  await row(panelPage, 'Returned by bank').getByText('$7.50', { exact: true }).waitFor();
});

test('a credit above the operator’s limit asks for the operator’s password', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(service.admin, `/panel/admin/accounts/${reseller.id}`);
  await page.getByRole('button', { name: 'Credit' }).click();
  const crediting = dialog(page, /^Credit/);
  await crediting.getByLabel('Amount in USD').fill('1000.01');
  await crediting.getByRole('button', { name: 'Review' }).click();
  await crediting.getByRole('button', { name: 'Credit $1,000.01' }).click();
  await crediting.getByLabel('Your password').fill(testPassword);
  assert.equal((await reseller.get('/balance')).body.balance, '0.00');
  await crediting.getByRole('button', { name: 'Credit $1,000.01' }).click();
  await crediting.waitFor({ state: 'detached' });
  assert.equal((await reseller.get('/balance')).body.balance, '1000.01');
});

test('the console finds accounts, counts the business, and adds every ledger up again', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '50.00' });
  await reseller.post('/orders', { package_id: service.packages.basic, customer: 'counted-in' });
  const { username } = (await service.admin.get(`/api/admin/v1/accounts/${reseller.id}`)).body.account;
  const page = await panel.openAs(service.admin, '/panel/admin');
  await page.getByRole('table', { name: 'Accounts by spending' }).getByText(username).waitFor();
  await goTo(page, 'Accounts');
  const search = page.getByRole('searchbox', { name: 'Name, email or end of a key' });
  // Only the end of a pasted key may appear in the URL.
  await search.fill(reseller.key);
  const end = reseller.key.slice(-4);
  await page.waitForURL((url) => url.searchParams.get('q') === end);
  await row(page, username).waitFor();
  await row(page, 'admin').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(`…${end}`);
  await page.getByRole('option', { name: `First key API key of ${username}` }).click();
  await page.waitForURL((url) => url.pathname.endsWith(`/accounts/${reseller.id}`));
  assert.equal(new URL(page.url()).searchParams.get('tab'), 'keys');
  await goTo(page, 'Accounts');
  await search.fill(username);
  await page.waitForURL((url) => url.searchParams.get('q') === username);
  await row(page, username).getByText('$40.00').waitFor();
  await row(page, 'admin').waitFor({ state: 'detached' });
  await goTo(page, 'Health');
  await page.getByText('Reachable').waitFor();
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.getByText(/^Everything balances/).waitFor();
});

test('another address of the product takes the password, and what was typed stays until it is right @nightly', async () => {
  const { service } = panel;
  const page = await panel.openAs(service.admin, '/panel/admin/product');
  await page.getByRole('radio', { name: /then notify/ }).check({ force: true });
  const address = page.getByLabel('Product URL');
  await address.fill('https://127.0.0.1/product');
  await page.getByLabel('Secret', { exact: true }).fill(`whsec_${'A'.repeat(32)}`);
  const save = page.getByRole('button', { name: 'Save', exact: true });
  const asking = dialog(page, 'Confirm with your password');
  await save.click();
  await confirmWithPassword(asking, 'not the password', 'Save');
  await asking.getByRole('alert').getByText('The password is wrong.').waitFor();
  await asking.getByRole('button', { name: 'Cancel' }).click();
  await asking.waitFor({ state: 'hidden' });
  await untilValue(address, 'https://127.0.0.1/product');
  const product = async () => (await service.admin.get('/api/admin/v1/product')).body.product.url;
  assert.equal(await product(), null);
  await save.click();
  await confirmWithPassword(asking, testPassword, 'Save');
  await said(page, 'Saved.');
  assert.equal(await product(), 'https://127.0.0.1/product');
  // The password was confirmed within five minutes, so it may stay empty.
  await page.getByRole('button', { name: 'Disconnect product' }).click();
  await dialog(page, 'Disconnect product?').getByRole('button', { name: 'Disconnect product' }).click();
  await said(page, 'Product disconnected.');
  assert.equal(await product(), null);
});

test('a limit defined in the console is unlimited in a package, and the audit log says so @nightly', async () => {
  const { service } = panel;
  const id = await createPackage(service, 'Roomy', ['1.00', '2.00', '3.00']);
  const page = await panel.openAs(service.admin, '/panel/admin/packages');
  await page.getByRole('button', { name: 'Add a limit' }).click();
  const defining = dialog(page, 'New limit');
  await defining.getByLabel('Name', { exact: true }).fill('Parking');
  await defining.getByLabel('Key').fill('parking_spaces');
  await defining.getByRole('button', { name: 'Add limit' }).click();
  await said(page, 'Parking is saved.');
  const open = () => row(page, 'Roomy').getByRole('link', { name: 'Roomy' }).click();
  await open();
  await page.getByRole('textbox', { name: 'Parking' }).fill('5');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const limits = async () => (await service.admin.get(`/api/admin/v1/packages/${id}`)).body.package.limits;
  await heading(page, 'Packages').waitFor();
  assert.equal((await limits()).parking_spaces, 5);
  await open();
  await page.getByRole('switch', { name: 'Parking: unlimited' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await heading(page, 'Packages').waitFor();
  assert.equal((await limits()).parking_spaces, null);
  await page.goto('/panel/admin/audit');
  await page.getByText('Limits: parking spaces 5 → Unlimited').filter({ visible: true }).first().waitFor();
  await page.getByText('Kind Number').filter({ visible: true }).first().waitFor();
});
