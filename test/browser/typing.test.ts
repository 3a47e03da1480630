// Input is never lost: not by Escape, a click outside, Back, leaving the page, a slow answer, or the end of a session.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { expectAccessible } from './accessibility.ts';
import { dialog, goTo, heading, row } from './panel-actions.ts';
import { untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

const question = 'Discard what you entered?';

test('a dialog that holds something typed asks before Escape, Back or a press beside it closes it; an empty one does not @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(service.admin, `/panel/admin/accounts/${reseller.id}?tab=access`);
  const pressEscape = () => page.keyboard.press('Escape');
  const ways = [pressEscape, () => page.mouse.click(4, 4), () => page.goBack()];
  const look = async (buttons: readonly (readonly [string, RegExp, string | RegExp, string])[]) => {
    for (const [place, [button, title, label, typed]] of buttons.entries()) {
      const open = () => page.getByRole('button', { name: button, exact: true }).first().click();
      const box = dialog(page, title);
      const field = box.getByLabel(label, { exact: true });
      await open();
      await field.waitFor();
      await pressEscape();
      await box.waitFor({ state: 'hidden' });
      await open();
      const before = await field.inputValue();
      await field.fill(typed);
      const leave = ways[place % ways.length] ?? pressEscape;
      await leave();
      await dialog(page, question).getByRole('button', { name: 'Keep editing' }).waitFor();
      if (place === 0) await expectAccessible(page, 'the question');
      // Escape closes only the question.
      await (place === 1
        ? pressEscape()
        : dialog(page, question).getByRole('button', { name: 'Keep editing' }).click());
      await dialog(page, question).waitFor({ state: 'hidden' });
      await box
        .locator(':focus')
        .or(box.and(page.locator(':focus')))
        .waitFor();
      await untilValue(field, typed, button);
      // Neither unchanged input nor Cancel leads to a question.
      if (place === 2) await field.fill(before);
      await (place === 2 ? pressEscape() : box.getByRole('button', { name: 'Cancel' }).click());
      await box.waitFor({ state: 'hidden' });
      assert.equal(await dialog(page, question).count(), 0);
    }
  };
  await look([
    ['Change settings', /^Settings of/, 'Name', 'Half a name'],
    ['Credit', /^Credit /, 'Memo', 'Invoice 17'],
    ['Invite member', /^Invite member/, 'Username', 'half.a.name'],
    ['New key', /^New key/, 'Name', 'Shop'],
  ]);
  await page.goto(`/panel/admin/packages/${service.packages.basic}`);
  await look([['Schedule prices', /^Schedule prices for/, 'Day', '2031-01-01']]);
  await page.getByRole('button', { name: 'Schedule prices' }).click();
  await dialog(page, /^Schedule prices for/)
    .getByLabel('Day')
    .fill('2031-01-01');
  await pressEscape();
  await dialog(page, question).getByRole('button', { name: 'Discard' }).click();
  await dialog(page, /^Schedule prices for/).waitFor({ state: 'hidden' });
  await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click();
  await heading(page, 'Audit log').waitFor();
});

test('no page with something typed and not saved is left without a word @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const look = async (page: Page, title: string, label: string, typed: string, away: string) => {
    await goTo(page, title);
    if (title === 'Forecast and alerts') await openAlerts(page);
    const field = page.getByRole('main').getByLabel(label, { exact: true });
    await field.fill(typed);
    const asked = dialog(page, 'Leave without saving?');
    for (const leave of [() => goToLink(page, away), () => page.goBack()]) {
      await leave();
      await asked.getByRole('button', { name: 'Stay here' }).click();
      await asked.waitFor({ state: 'hidden' });
      await untilValue(field, typed, title);
    }
    await goToLink(page, away);
    await asked.getByRole('button', { name: 'Leave without saving' }).click();
    await heading(page, away).waitFor();
  };
  const console = await panel.openAs(service.admin, '/panel/admin');
  await look(console, 'Brand', 'Letterhead', 'Half an address', 'Audit log');
  const page = await panel.openAs(reseller, '/panel/');
  await look(page, 'API access', 'Address or range', '203.0.113.7', 'Ledger');
  await look(page, 'Forecast and alerts', 'Email addresses', 'half@example.com', 'Ledger');
  assert.deepEqual((await reseller.get('/alerts')).body.alerts.emails, [], 'nothing was saved by leaving');
  await goTo(page, 'Forecast and alerts');
  await openAlerts(page);
  await page.getByLabel('Email addresses').fill('whole@example.com; two@example.com');
  await page.getByRole('button', { name: 'Save alerts' }).click();
  await page.getByRole('heading', { name: 'Alerts saved.' }).waitFor();
  await untilValue(page.getByLabel('Email addresses'), 'whole@example.com, two@example.com');
  await goTo(page, 'Ledger');
});

test('dialogs are fetched when the list is there and before they are opened: the first key opens them without a request @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/icon.svg', { fetchesEarly: true });
  const held: Route[] = [];
  await page.route(/\/panel\/api\/v1\/orders(?:\?|$)/, (route) => void held.push(route));
  const fetched: string[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') fetched.push(response.url());
  });
  const isFetched = (name: string) => fetched.some((url) => url.includes(`/assets/${name}`));
  await page.goto('/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.locator('table[aria-busy="true"]').waitFor();
  await page.evaluate(idleTwice);
  assert.ok(!isFetched('order-dialog'), 'nothing is in the way of the list');
  const palette = page.waitForResponse('**/assets/command-palette*.js');
  const sheet = page.waitForResponse('**/assets/sign-in-again*.js');
  for (const route of held.splice(0)) await route.continue();
  await (await palette).finished();
  await (await sheet).finished();
  assert.ok(isFetched('order-dialog'));
  await page.route('**/assets/*.js', () => undefined);
  await page.keyboard.type('nada');
  const field = dialog(page, 'Place an order').getByRole('combobox', { name: 'Customer' });
  await field.and(page.locator(':focus')).waitFor();
  await untilValue(field, 'ada');
});

test('what is typed while a dialog or a list is still on its way arrives, and does nothing else @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const placed = await reseller.post('/orders', {
    package_id: panel.service.packages.basic,
    customer: 'okafor@example.com',
  });
  const { id } = placed.body.order.customer;
  const page = await panel.openAs(reseller, '/icon.svg', { fetchesEarly: true });
  for (const [path, code, open, title] of [
    ['/panel/customers', 'order-dialog', () => page.keyboard.press('n'), 'Place an order'],
    ['/panel/customers', 'command-palette', () => page.keyboard.press('Control+k'), 'Search and commands'],
    [
      `/panel/customers/${id}`,
      'order-dialog',
      () => page.getByRole('button', { name: 'Renew', exact: true }).click(),
      'Renew Basic',
    ],
  ] as const) {
    const hold = Promise.withResolvers<void>();
    const pattern = `**/assets/${code}*.js`;
    await page.route(pattern, async (route) => {
      await hold.promise;
      await route.continue();
    });
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await open();
    await page.keyboard.type('go');
    hold.resolve();
    const box = dialog(page, title);
    await box.waitFor();
    if (title === 'Renew Basic') {
      await box.getByRole('button', { name: 'Renew for $10.00' }).waitFor();
    } else {
      const field = box.getByRole('combobox').first();
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.type('ne');
      await untilValue(field, 'gone');
    }
    assert.equal(new URL(page.url()).pathname, path);
    await page.unroute(pattern);
    // The browser itself asks before the document is left.
    if (title === 'Place an order') {
      await assert.rejects(page.goto('/panel/orders'));
      assert.equal(panel.takeProblems().length, 1);
      await box.getByRole('button', { name: 'Cancel' }).click();
    }
  }

  await page.goto('/panel/customers');
  await row(page, 'okafor').waitFor();
  const hold = Promise.withResolvers<void>();
  await page.route('**/panel/api/v1/customers?*words=*', async (route) => {
    await hold.promise;
    await route.continue();
  });
  const field = page.getByRole('searchbox');
  await page.keyboard.press('/');
  const asked = page.waitForRequest('**/panel/api/v1/customers?*words=kaf*');
  await page.keyboard.type('kaf');
  await asked;
  await page.keyboard.type('or none');
  await page.waitForRequest('**/panel/api/v1/customers?*words=kafor*none*');
  await page.keyboard.type('!');
  hold.resolve();
  await page.getByText('No matching customers', { exact: true }).waitFor();
  await untilValue(field, 'kafor none!');
});

test('the end of a session loses no form: neither Escape nor Back goes past the sign-in, and all is there after it', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '100.00' });
  const username = await usernameOf(service, reseller);
  const page = await panel.openAs(reseller, '/panel/');
  await goTo(page, 'Forecast and alerts');
  await openAlerts(page);
  const emails = page.getByLabel('Email addresses');
  await emails.fill('half@example.com');
  await emails.blur();
  await page.keyboard.press('n');
  const box = dialog(page, 'Place an order');
  await box.getByRole('textbox', { name: 'Name' }).fill('Half a name');
  // Meanwhile other alerts are saved elsewhere.
  const other = { balance_below: '12.00', plans_ending_days: 9, emails: ['other@example.com'] };
  assert.equal((await reseller.send('PUT', '/alerts', other)).status, 200);

  await page.context().clearCookies();
  const ended = dialog(page, 'Your session has ended');
  await ended.waitFor();
  await page.keyboard.press('Escape');
  await page.goBack();
  await ended.waitFor();
  await ended.getByLabel('Username').fill(username);
  await ended.getByLabel('Password').fill(testPassword);
  await ended.getByRole('button', { name: 'Sign in' }).click();
  await ended.waitFor({ state: 'hidden' });
  await untilValue(box.getByRole('textbox', { name: 'Name' }), 'Half a name');
  assert.equal(await dialog(page, question).count(), 0);
  await box.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('input[value="12.00"]').waitFor();
  await untilValue(emails, 'half@example.com');
});

function openAlerts(page: Page): Promise<void> {
  return page.getByRole('main').getByRole('button', { name: 'Set up alerts' }).click();
}

async function goToLink(page: Page, title: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: title, exact: true })
    .click();
}

const idleTwice = 'new Promise(requestIdleCallback).then(() => new Promise(requestIdleCallback))';
