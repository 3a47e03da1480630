// The operator's support work: finding out what happened, viewing a reseller's panel, settling pending orders.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { placeOrder } from '../harness/shop.ts';
import { expectAccessible } from './accessibility.ts';
import { chooseMore, dialog, heading, openUserMenu, row } from './panel-actions.ts';
import { said, untilCount, untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();
let acme: TestAccount;
let username = '';
async function prepare(): Promise<void> {
  if (username !== '') return;
  const { service } = panel;
  acme = await service.createReseller({ credit: '100.00' });
  username = await usernameOf(service, acme);
  const ordered = await acme.post('/orders', {
    package_id: service.packages.basic,
    customer: 'jane.okafor',
    customer_name: 'Jane Okafor',
  });
  assert.equal(ordered.status, 201, ordered.text);
  const suspended = await service.admin.patch(`/api/admin/v1/customers/${ordered.body.order.customer.id}`, {
    status: 'suspended',
  });
  assert.equal(suspended.status, 200, suspended.text);
}

test('the palette of the operator finds customers of every account, and leads to the customer @nightly', async () => {
  await prepare();
  const page = await panel.openAs(panel.service.admin, '/panel/admin');
  await heading(page, 'Business').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill('okafor');
  await page.getByRole('option', { name: /Jane Okafor/ }).click();
  await heading(page, 'Jane Okafor').waitFor();
  await page.getByRole('link', { name: username }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Audit log' }).click();
  await heading(page, 'Audit log').waitFor();
  await row(page, 'Customer changed').getByRole('link', { name: 'jane.okafor' }).waitFor();
  await untilCount(page.getByRole('row'), 2);
});

test('the audit log names what was changed, and its filters stand in the address @nightly', async () => {
  await prepare();
  const page = await panel.openAs(panel.service.admin, `/panel/admin/audit?account=${username}`);
  await row(page, 'Account created').getByRole('link', { name: username }).waitFor();
  await page.getByLabel('Action').selectOption('account.credit');
  await row(page, 'Balance credited').waitFor();
  await row(page, 'Account created').waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).searchParams.get('action'), 'account.credit');
  await page.goBack();
});

test('on a phone the packages say what is retired, and what distributors pay @nightly', async () => {
  await prepare();
  const page = await panel.openAs(panel.service.admin, '/panel/admin/packages');
  await page.setViewportSize({ width: 390, height: 800 });
  await heading(page, 'Packages').waitFor();
  const listed = page.getByRole('table', { name: 'Packages' });
  await listed.getByText('Retired').filter({ visible: true }).first().waitFor();
  await listed.getByText('$72.00').filter({ visible: true }).first().waitFor();
});

test('an administrator sees a reseller’s panel under a band, changes nothing there, and leaves it', async () => {
  await prepare();
  const page = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${acme.id}`);
  await page.getByRole('button', { name: 'View as reseller' }).click();
  await heading(page, 'Overview').waitFor();
  const band = page.getByRole('region', { name: 'Viewing another account' });
  await band.getByText(`Viewing as ${username} (read-only)`).waitFor();
  await page.getByRole('complementary', { name: 'Menu' }).getByText(`Viewing ${username}`).waitFor();
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await heading(page, 'Orders').waitFor();
  await page.getByText('jane.okafor').filter({ visible: true }).first().waitFor();
  // The export contains the displayed account's list instead of the operator's own.
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as CSV' }).click(),
  ]);
  assert.match(await readFile(await file.path(), 'utf8'), /jane\.okafor/);
  assert.equal(await page.getByRole('button', { name: 'Place an order' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0);
  assert.equal(await page.getByRole('link', { name: 'Security' }).count(), 0);
  await band.getByRole('button', { name: 'Leave' }).click();
  await heading(page, username).waitFor();
  await untilCount(band, 0);
  await page.getByRole('link', { name: 'Audit log' }).first().waitFor();
  const views = { name: '', text: 'select account_id from account_views' };
  assert.deepEqual(await panel.service.database.query(views), [], 'the session may look no longer');
});

test('on a customer’s page the operator changes the package, makes a login link and cancels, each previewed first', async () => {
  await prepare();
  const { service } = panel;
  const { order } = await placeOrder(service, acme, { customer: 'tom.baker' });
  const page = await panel.openAs(service.admin, `/panel/admin/customers/${order.customer.id}`);
  const history = page.getByRole('table', { name: 'History of this customer' });

  await page.getByRole('button', { name: 'Change package' }).click();
  const changing = dialog(page, 'Change package for tom.baker');
  await changing.getByRole('radio', { name: 'Plus' }).check({ force: true });
  await untilCount(changing.getByRole('radio', { name: 'Basic' }), 0, 'that is the present one');
  const change = changing.getByRole('button', { name: 'Change for $15.00' });
  await change.waitFor();
  await untilDisabled(change, 'the password is missing');
  await changing.getByLabel('Your password').fill(testPassword);
  await expectAccessible(page, 'the operator’s change of package');
  await change.click();
  await said(page, 'tom.baker now has Plus.');
  await history
    .getByRole('row')
    .filter({ hasText: 'Package changed' })
    .getByText('An administrator')
    .waitFor();

  await page.getByRole('button', { name: 'Create login link' }).click();
  const linking = dialog(page, 'Create a login link?');
  await linking.getByLabel('Your password').fill(testPassword);
  await linking.getByRole('button', { name: 'Create link' }).click();
  const shown = dialog(page, 'Login link');
  await shown.getByText(/^Logs tom\.baker in once, until/).waitFor();
  await shown.getByRole('button', { name: 'Copy' }).waitFor();
  await shown.getByRole('button', { name: 'Done' }).click();
  const links = page.getByRole('table', { name: 'Login links of this customer' });
  await links
    .getByRole('row')
    .filter({ hasText: 'admin (administrator)' })
    .getByText('Not used yet')
    .waitFor();

  await chooseMore(page, 'Cancel plan');
  const cancelling = dialog(page, 'Cancel tom.baker’s plan?');
  await cancelling.getByRole('radio', { name: 'Now' }).check({ force: true });
  // The password was confirmed within five minutes, so it may stay empty.
  await cancelling.getByRole('button', { name: 'End now, $25.00 refunded' }).click();
  await said(page, 'Plan canceled. $25.00 was refunded to the account.');
  await page.getByRole('button', { name: 'Change package' }).waitFor({ state: 'detached' });
});

test('an unanswered order is failed by hand, and the dialog first says what that means', async () => {
  await prepare();
  const { service } = panel;
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  const ordered = await acme.post('/orders', { package_id: service.packages.basic, customer: 'waiting' });
  assert.equal(ordered.body.order.status, 'pending', ordered.text);
  assert.equal((await service.admin.send('DELETE', '/api/admin/v1/product')).status, 200);
  await service.database.query({
    name: '',
    text: `update product_calls set status = 'attention' where account_id = ${acme.id}`,
  });
  const page = await panel.openAs(service.admin, '/panel/admin');
  await page.getByRole('link', { name: '1 call needs your attention' }).click();
  const counted = page.getByRole('link', { name: 'Needs attention 1' });
  await counted.waitFor();
  await row(page, 'waiting').getByRole('button', { name: 'Fail' }).click();
  const asked = dialog(page, 'Fail this order?');
  await asked.getByText(`${username} is refunded the price of`).waitFor();
  await asked.getByLabel('Reason (shown to the account)').fill('Not served');
  await asked.getByRole('button', { name: 'Fail order' }).click();
  await said(page, `Order failed. ${username} was refunded.`);
  await page.getByText('No product calls need attention').waitFor();
  await counted.waitFor({ state: 'detached' });
  assert.equal((await acme.get(`/orders/${ordered.body.order.id}`)).body.order.status, 'failed');
});

test('several unanswered orders are accepted at once, with the result of each @nightly', async () => {
  await prepare();
  const { service } = panel;
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  const orders = await Promise.all(
    ['one-of-two', 'two-of-two'].map(async (customer) => {
      const placed = await acme.post('/orders', { package_id: service.packages.basic, customer });
      assert.equal(placed.body.order.status, 'pending', placed.text);
      return placed.body.order;
    }),
  );
  assert.equal((await service.admin.send('DELETE', '/api/admin/v1/product')).status, 200);
  await service.database.query({
    name: '',
    text: `update product_calls set status = 'attention' where account_id = ${acme.id} and status = 'waiting'`,
  });
  const page = await panel.openAs(service.admin, '/panel/admin/attention');
  const total = `$${(2 * Number(orders[0].price)).toFixed(2)}`;
  await page.getByText('Held by pending orders').waitFor();
  await page.getByText(total, { exact: true }).first().waitFor();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('button', { name: 'Accept orders' }).click();
  const asked = dialog(page, 'Accept 2 orders?');
  await asked.getByText(`The accounts stay charged ${total} in all.`).waitFor();
  // One is settled elsewhere meanwhile: its own row says so, and the other one is accepted all the same.
  const settled = await service.admin.post(`/api/admin/v1/orders/${orders[0].id}/fail`, {
    reason: 'Elsewhere',
  });
  assert.equal(settled.status, 200, settled.text);
  await asked.getByRole('button', { name: 'Accept orders' }).click();
  await asked.getByText('1 order accepted · 1 could not be settled').waitFor();
  await asked.getByRole('listitem').filter({ hasText: 'two-of-two' }).getByText('Accepted').waitFor();
  await asked.getByRole('button', { name: 'Close' }).first().click();
  await page.getByText('No product calls need attention').waitFor();
  assert.equal((await acme.get(`/orders/${orders[1].id}`)).body.order.status, 'completed');
});

test('calls that the product does not take are seen at once, sent again, closed by hand, and decided on the order @nightly', async () => {
  await prepare();
  const { service } = panel;
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  const place = async (customer: string) => {
    const placed = await acme.post('/orders', { package_id: service.packages.basic, customer });
    assert.equal(placed.status, 201, placed.text);
    return placed.body.order;
  };
  const held = [await place('held'), await place('held-too')];
  assert.equal((await service.admin.send('PUT', '/api/admin/v1/product', product)).status, 200);
  for (const { customer } of held) {
    assert.equal((await acme.post(`/customers/${customer.id}/suspend`, {})).status, 200);
  }
  const { id } = await place('slow');
  await service.database.query({
    name: '',
    text: `update product_calls set attempts = 10, last_status = 503, first_attempt_at = to_timestamp(1767600000),
        last_attempt_at = to_timestamp(1767870000), status = case when confirms then 'waiting' else 'attention' end,
        attempt_log = '[{"at":1767866400,"status":null,"error":"timeout","milliseconds":10000,"answer":null},
          {"at":1767870000,"status":503,"error":null,"milliseconds":41,"answer":"Down for maintenance"}]'
      where account_id = ${acme.id} and status = 'waiting'`,
  });
  const page = await panel.openAs(service.admin, '/panel/admin');
  await page.getByRole('link', { name: '2 calls need your attention' }).waitFor();
  await page.getByRole('link', { name: 'The product hasn’t accepted 1 call' }).click();
  const counted = page.getByRole('link', { name: 'Needs attention 3' });
  await counted.waitFor();
  await row(page, 'held-too').getByRole('button', { name: 'Mark as done' }).click();
  await dialog(page, 'Mark as done?').getByRole('button', { name: 'Mark as done' }).click();
  await said(page, 'Call marked as done.');
  await page.getByRole('button', { name: 'Send all again' }).click();
  await dialog(page, 'Send all calls again?').getByRole('button', { name: 'Send all again' }).click();
  await said(page, 'Sending 1 call again.');
  await page.getByText('No product calls need attention').waitFor();
  // A pending order can be settled long before the product's 72 hours are over.
  await row(page, 'slow')
    .getByRole('link', { name: String(id) })
    .click();
  await heading(page, `Order ${id}`).waitFor();
  const attempts = page.getByRole('table', { name: 'Product call attempts' });
  await attempts.getByText('Down for maintenance').waitFor();
  const shown = await attempts.getByRole('row').allInnerTexts();
  assert.deepEqual(
    shown.slice(1).map((text) => /503|timeout/.exec(text)?.[0]),
    ['503', 'timeout'],
    'newest first',
  );
  await expectAccessible(page, 'the attempts of a call, on its order');
  await page.getByText('You can decide for it at any time.').waitFor();
  await page.getByRole('button', { name: 'Fail', exact: true }).click();
  const asked = dialog(page, 'Fail this order?');
  await asked.getByLabel('Reason (shown to the account)').fill('No seats left');
  await asked.getByRole('button', { name: 'Fail order' }).click();
  await said(page, `Order failed. ${username} was refunded.`);
  await page.getByText('No seats left', { exact: true }).waitFor();
  await page.getByText(/10\.00 charged and refunded$/).waitFor();
  await page.goto(`${panel.service.address}/panel/admin/product`);
  await row(page, 'held').getByRole('link', { name: 'held', exact: true }).waitFor();
});

test('the operator reads a reseller’s last refused request in four clicks @nightly', async () => {
  await prepare();
  const refused = await acme.post('/orders', { package_id: 999, customer: 'no-such' });
  assert.equal(refused.body.error.code, 'invalid_package');
  const page = await panel.openAs(panel.service.admin, '/panel/admin/accounts');
  await row(page, username).getByRole('link', { name: username }).click();
  await page
    .getByRole('navigation', { name: 'Parts of the account' })
    .getByRole('link', { name: 'Requests' })
    .click();
  await page.getByText('Refused', { exact: true }).first().click();
  await row(page, 'invalid_package')
    .getByRole('link', { name: /orders/ })
    .click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('invalid_package').first().waitFor();
  await expectAccessible(page, 'a request of an account, in the console');
});

test('an operator’s navigation begins with the console, leaves out ordering until asked, and keeps the way out in view @nightly', async () => {
  const { service } = panel;
  const page = await panel.openAs(service.admin, '/panel/admin', { viewport: { width: 1280, height: 800 } });
  const menu = page.getByRole('navigation', { name: 'Main' });
  const side = page.getByRole('complementary', { name: 'Menu' });
  await menu.getByRole('link', { name: 'Business' }).waitFor();
  const offered = await menu.getByRole('link').allInnerTexts();
  assert.equal(offered[0], 'Business');
  for (const title of ['Overview', 'Orders', 'Customers', 'Ledger', 'Statements'])
    assert.ok(!offered.includes(title), title);
  for (const title of ['API access', 'Team', 'Security']) assert.ok(offered.includes(title), title);
  const user = side.getByRole('button', { name: 'Settings and sign-out' });
  const isInView = async (control: Locator) => {
    const box = await control.boundingBox();
    return box !== null && box.y >= 0 && box.y + box.height <= 800;
  };
  assert.ok(await isInView(user), 'the person’s menu is seen without scrolling');
  const settings = await openUserMenu(page);
  for (const name of ['Language', 'Theme', 'Time zone'])
    assert.ok(await isInView(settings.getByRole('combobox', { name })), name);
  assert.ok(await isInView(settings.getByRole('button', { name: 'Sign out' })), 'the way out');
  await expectAccessible(page, 'the person’s menu');
  await page.keyboard.press('Escape');
  await settings.waitFor({ state: 'hidden' });
  await menu.getByRole('button', { name: 'Show ordering pages' }).click();
  await menu.getByRole('link', { name: 'Orders', exact: true }).click();
  await heading(page, 'Orders').waitFor();
  await page.reload();
  await menu.getByRole('link', { name: 'Statements' }).waitFor();
  assert.ok(await isInView(user), 'the way out stays in view');
  await page.goto('/panel/security');
  const open = menu.locator('[aria-current=page]');
  await open.filter({ hasText: 'Security' }).waitFor();
  const [box, list] = [await open.boundingBox(), await menu.boundingBox()];
  assert.ok(
    box !== null && list !== null && box.y + box.height <= list.y + list.height,
    'the open page is in view',
  );
});
