// Orders cannot go wrong by accident. Dialogs and forms never lose input, and nothing leaves them without a question.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { setTestPassword, testPassword, usernameOf } from '../harness/panel-client.ts';
import { expectAccessible } from './accessibility.ts';
import { balance, dialog, goTo, heading, openUserMenu, typeSignIn } from './panel-actions.ts';
import { untilCount, untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('a known customer is completed, keeps their plan, and is not downgraded without being asked', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await order(reseller, 'okafor@example.com', panel.service.packages.plus);
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).click();
  const box = dialog(page, 'Place an order');
  const field = box.getByRole('combobox', { name: 'Customer' });
  await field.fill('oka');
  await page.getByRole('option', { name: /okafor@example\.com/ }).waitFor();
  await expectAccessible(page, 'customers that are suggested');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await untilValue(field, 'okafor@example.com');
  await box.getByText(/^Has Plus until/).waitFor();
  await box.getByText(/^Renews Plus, now until/).waitFor();
  await box.getByRole('button', { name: 'Renew for $25.00' }).waitFor();

  await box.getByRole('radio', { name: /^Basic/ }).check({ force: true });
  await box.getByText('Downgrade from Plus to Basic, $15.00 refunded').waitFor();
  await box.getByRole('button', { name: 'Change, $15.00 refunded' }).click();
  const asked = dialog(page, 'Downgrade this customer?');
  await asked.waitFor();
  // Back closes the question first, then the dialog. The page stays.
  await page.goBack();
  await asked.waitFor({ state: 'hidden' });
  await box.waitFor();
  assert.equal((await reseller.get('/balance')).body.balance, '75.00');
  await box.getByRole('button', { name: 'Change, $15.00 refunded' }).click();
  await asked.getByRole('button', { name: 'Change, $15.00 refunded' }).click();
  await dialog(page, 'Order placed').waitFor();
  assert.equal((await reseller.get('/balance')).body.balance, '90.00');
});

test('an order for someone known, with nothing chosen, leaves them the plan that they have @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await order(reseller, 'ade@example.com', panel.service.packages.plus);
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).click();
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').fill('ade@example.com');
  await page.keyboard.press('Tab');
  await box.getByRole('button', { name: /^(?:Place order|Renew)/ }).click();
  await box.waitFor({ state: 'hidden' });
  const [{ plan }] = (await reseller.get('/customers')).body.data;
  assert.equal(plan.package, 'Plus');
});

test('a customer who is new is said to be new, and asked about when someone known is much like them @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await order(reseller, 'okoro@example.com', panel.service.packages.basic);
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).click();
  const box = dialog(page, 'Place an order');
  const asked = dialog(page, 'Order for a new customer?');
  for (const typed of ['okoor@example.com', 'okoro']) {
    await box.getByLabel('Customer').fill(typed);
    await page.keyboard.press('Tab');
    await box.getByRole('button', { name: 'Place order for $10.00' }).click();
    await asked.or(dialog(page, 'Order placed')).waitFor();
    assert.equal((await reseller.get('/customers')).body.total, 1, `${typed} is no customer yet`);
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await asked.waitFor({ state: 'hidden' });
    await box.getByText(`New customer: ${typed}`).waitFor();
    await box.getByRole('button', { name: /^okoro@example\.com/ }).waitFor();
  }
  await box.getByRole('button', { name: /^okoro@example\.com/ }).click();
  await box.getByRole('button', { name: 'Renew for $10.00' }).waitFor();
});

test('an order whose price rose meanwhile is refused, and the new one is shown @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await page.route('**/panel/api/v1/orders', (route) =>
    route.continue({
      postData: JSON.stringify({ ...route.request().postDataJSON(), max_charge: '9.00' }),
    }),
  );
  let sent = '';
  page.on('request', (request) => {
    if (request.url().endsWith('/panel/api/v1/orders')) sent = String(request.postDataJSON().max_charge);
  });
  await heading(page, 'Orders').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).click();
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').fill('guarded');
  await box.getByRole('button', { name: 'Place order for $10.00' }).click();
  await box
    .getByRole('alert')
    .filter({ hasText: /^The price is now \$10\.00 instead of \$9\.00/ })
    .waitFor();
  assert.equal(sent, '10.00');
  assert.equal((await reseller.get('/balance')).body.balance, '100.00');
});

for (const [height, tag] of [
  [900, ' @nightly'],
  [768, ''],
] as const) {
  test(`at ${height} px of height a refused order says so between what it does and the buttons, all of it in view${tag}`, async () => {
    const reseller = await panel.service.createReseller({ credit: '100.00' });
    const page = await panel.openAs(reseller, '/panel/orders', { viewport: { width: 1280, height } });
    await page.route('**/panel/api/v1/orders', (route) =>
      route.continue({
        postData: JSON.stringify({ ...route.request().postDataJSON(), max_charge: '9.00' }),
      }),
    );
    await heading(page, 'Orders').waitFor();
    await page.keyboard.press('n');
    const box = dialog(page, 'Place an order');
    await box.getByLabel('Customer').fill('seen');
    const button = box.getByRole('button', { name: 'Place order for $10.00' });
    await button.click();
    const alert = box.getByRole('alert');
    await alert.waitFor();
    const summary = box.getByRole('region', { name: 'Preview' });
    await summary.waitFor();
    const [said, action, preview] = await Promise.all([seen(alert), seen(button), seen(summary)]);
    assert.ok(said.share > 0.99, `${said.share} of the refusal is seen`);
    assert.ok(action.share > 0.99, `${action.share} of the button is seen`);
    assert.ok(preview.share > 0.99, `${preview.share} of what the order does is seen`);
    assert.ok(preview.bottom <= said.top && said.bottom <= action.top, 'preview, refusal, button');
  });
}

test('Back closes a dialog and leaves the page where it is; the entries of dialogs are passed over @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await goTo(page, 'Customers');
  for (const [key, name] of [
    ['n', 'Place an order'],
    ['Control+k', 'Search and commands'],
  ] as const) {
    await page.keyboard.press(key);
    await dialog(page, name).waitFor();
    await page.goBack();
    await dialog(page, name).waitFor({ state: 'hidden' });
    assert.equal(new URL(page.url()).pathname, '/panel/customers', name);
    await heading(page, 'Customers').waitFor();
  }
  await page.keyboard.press('Control+k');
  await dialog(page, 'Search and commands').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page, 'Search and commands').waitFor({ state: 'hidden' });
  await page.goBack();
  await heading(page, 'Orders').waitFor();
});

test('a package that was changed and not saved is not left without a word @nightly', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin/packages');
  await page.getByRole('link', { name: 'Basic' }).click();
  await heading(page, 'Basic').waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('Basic and more');
  const asked = dialog(page, 'Leave without saving?');
  const log = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' });
  for (const leave of [() => log.click(), () => page.goBack()]) {
    await leave();
    await asked.or(heading(page, /^(?:Audit log|Packages)$/)).waitFor();
    await untilCount(asked, 1, 'the page was left without a word');
    await asked.getByRole('button', { name: 'Stay here' }).click();
    await asked.waitFor({ state: 'hidden' });
    await untilValue(page.getByRole('textbox', { name: 'Name' }), 'Basic and more');
  }
  await log.click();
  await asked.getByRole('button', { name: 'Leave without saving' }).click();
  await heading(page, 'Audit log').waitFor();
});

test('of the tabs of an account one is current @nightly', async () => {
  const { admin } = panel.service;
  const page = await panel.openAs(admin, `/panel/admin/accounts/${admin.id}?tab=orders`);
  const tabs = page.getByRole('navigation', { name: 'Parts of the account' });
  await tabs.getByRole('link', { name: 'Orders' }).and(page.locator('[aria-current=page]')).waitFor();
  await untilCount(tabs.locator('[aria-current=page]'), 1);
});

test('a page of what is not there says so, and offers no second try @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/customers/999999');
  await heading(page, 'Customer not found').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
});

test('in forced colors it is seen which package and which period are chosen @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders', { forcedColors: 'active' });
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).first().click();
  const box = dialog(page, 'Place an order');
  const rest = box.getByLabel('Customer');
  for (const [chosen, other] of [
    [/^Basic/, /^Plus/],
    ['Monthly', 'Yearly'],
  ] as const) {
    const one = box.getByRole('radio', { name: chosen });
    await one.and(page.locator(':checked')).waitFor();
    // Computed styles do not show forced colors, so compare pixels.
    const pictures: Buffer[] = [];
    for (const name of [chosen, other]) {
      await box.getByRole('radio', { name }).check({ force: true });
      // Move the focus away, so that its ring is not mistaken for the choice.
      await rest.click();
      pictures.push(await one.locator('xpath=..').screenshot());
    }
    const [first, second] = pictures;
    assert.ok(first && second && !first.equals(second), `${chosen}, chosen or not, looks alike`);
  }
});

test('a session that ended is begun again over the page: what was typed is still there; someone else starts again @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const other = await panel.service.createReseller({ credit: '7.00' });
  await setTestPassword(panel.service, other);
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).click();
  const box = dialog(page, 'Place an order');
  await box.getByRole('textbox', { name: 'Name' }).fill('Half a customer');
  const ended = dialog(page, 'Your session has ended');
  await page.context().clearCookies();
  await box.getByLabel('Customer').fill('half');
  await page.getByLabel('Username').waitFor();
  await typeSignIn(page, await usernameOf(panel.service, reseller), testPassword);
  await page.getByLabel('Username').waitFor({ state: 'hidden' });
  await page.getByText('Place an order').first().waitFor();
  await untilCount(box, 1, 'the form is still there');
  await untilValue(box.getByRole('textbox', { name: 'Name' }), 'Half a customer');

  await page.context().clearCookies();
  await box.getByLabel('Customer').fill('half.more');
  await ended.waitFor();
  await typeSignIn(page, await usernameOf(panel.service, other), testPassword);
  await heading(page, 'Overview').waitFor();
  await balance(page).getByText('$7.00').waitFor();
  await untilCount(page.getByRole('dialog'), 0);
});

test('the language is chosen on the pages, kept for the person, and can be that of the browser again @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await (await openUserMenu(page)).getByRole('combobox', { name: 'Language' }).selectOption('Deutsch');
  await heading(page, 'Bestellungen').waitFor();
  const elsewhere = await panel.openAs(reseller, '/panel/orders');
  await heading(elsewhere, 'Bestellungen').waitFor();
  const menu = await openUserMenu(elsewhere, 'Einstellungen und Abmelden');
  await menu.getByRole('combobox', { name: 'Sprache' }).selectOption('Wie im Browser');
  await heading(elsewhere, 'Orders').waitFor();
});

async function order(reseller: TestAccount, customer: string, packageId: number): Promise<void> {
  const placed = await reseller.post('/orders', { package_id: packageId, customer });
  assert.equal(placed.status, 201, placed.text);
}

async function seen(
  what: Locator,
): Promise<{ readonly share: number; readonly top: number; readonly bottom: number }> {
  return what.evaluate(async (element) => {
    const share = await new Promise<number>((resolve) => {
      new IntersectionObserver(([entry]) => resolve(entry?.intersectionRatio ?? 0)).observe(element);
    });
    const { top, bottom } = element.getBoundingClientRect();
    return { share, top, bottom };
  });
}
