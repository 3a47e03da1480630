// The panel without a mouse: the palette, the `?` sheet and its keys, a whole order, and a focus that is always visible.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { balance, dialog, heading } from './panel-actions.ts';
import { untilCount, untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('Ctrl K opens the palette, which finds pages, customers, orders and actions, and Enter goes there', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const order = {
    package_id: panel.service.packages.basic,
    customer: 'zoe@example.com',
    customer_name: 'Zoe Ziegler',
  };
  const placed = await reseller.post('/orders', order);
  const page = await panel.openAs(reseller);
  await heading(page, 'Overview').waitFor();
  const box = page.getByRole('combobox', { name: 'Search pages, customers and orders' });
  const choose = async (text: string, option: RegExp) => {
    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type(text);
    await page.getByRole('option', { name: option, selected: true }).waitFor();
    await page.keyboard.press('Enter');
  };
  await choose('ledg', /^Ledger/);
  await heading(page, 'Ledger').waitFor();
  await choose('ziegler', /Zoe Ziegler/);
  await heading(page, 'Zoe Ziegler').waitFor();
  await choose(String(placed.body.order.id), /^Order \d+/);
  await heading(page, /^Order \d/).waitFor();
  const requestId = placed.headers.get('x-request-id') ?? '';
  await choose(requestId, /^Request /);
  await page.getByRole('link', { name: 'POST /api/v1/orders' }).waitFor();
  await untilValue(page.getByRole('searchbox', { name: 'Path or ID' }), requestId);
  await choose('place', /^Place an order/);
  await dialog(page, 'Place an order').waitFor();
  await page.keyboard.press('Escape');

  await page.keyboard.press('Control+k');
  await box.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option').nth(1).and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('option').nth(0).and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('Escape');
  await box.waitFor({ state: 'hidden' });
  await untilCount(page.getByRole('listbox', { name: 'Results' }), 0);
});

test('the sheet on ? lists keys, and every one of them goes where it says @nightly', async () => {
  const page = await panel.openAs(panel.service.admin);
  await heading(page, 'Business').waitFor();
  await page.keyboard.press('?');
  const sheet = dialog(page, 'Keyboard shortcuts');
  await sheet.waitFor();
  const titles = await sheet.getByRole('term').allInnerTexts();
  const keys = await sheet.getByRole('definition').all();
  const listed: (readonly [title: string, keys: readonly string[]])[] = [];
  for (const [index, title] of titles.entries()) {
    listed.push([title, (await keys[index]?.locator('kbd').allInnerTexts()) ?? []]);
  }
  const pages = listed.filter(([, [first = '', second]]) => second !== undefined && first.length === 1);
  assert.ok(pages.length >= 14, `${pages.length} pages have keys`);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  for (const [title, sequence] of pages) {
    await goByKeys(page, sequence, title);
  }
  for (const [title, sequence] of [
    ['Customers', 'gc'],
    ['Orders', 'go'],
  ] as const) {
    await goByKeys(page, [...sequence], title);
    await page.keyboard.press('/');
    await page.getByRole('searchbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('go?n');
    await untilValue(page.getByRole('searchbox'), 'go?n');
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.getByRole('heading', { level: 1 }).click();
  }
});

test('anyone who leaves a list before the search for what he typed begins is not called back, and the next list is not searched @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/customers');
  await heading(page, 'Customers').waitFor();
  // The search starts while the other page is still loading.
  const hold = Promise.withResolvers<void>();
  await page.route('**/assets/orders-page*.js', async (route) => {
    await hold.promise;
    await route.continue();
  });
  await page.getByRole('searchbox').fill('ada');
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  // A timer of the same length that starts later also fires later, so by then the search would have begun.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
  hold.resolve();
  await heading(page, 'Orders').waitFor();
  assert.equal(page.url(), `${panel.service.address}/panel/orders`);
});

test('single keys can be switched off for good, and Ctrl K works on @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller);
  await heading(page, 'Overview').waitFor();
  await page.keyboard.press('?');
  const sheet = dialog(page, 'Keyboard shortcuts');
  await sheet.getByRole('switch', { name: 'Single-key shortcuts' }).click();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'hidden' });
  await page.reload();
  await heading(page, 'Overview').waitFor();
  for (const key of ['?', 'n', 'g', 'o']) await page.keyboard.press(key);
  // Keys are handled in order, so once the palette is open, the earlier keys have been handled too.
  await page.keyboard.press('Control+k');
  await dialog(page, 'Search and commands').waitFor();
  await untilCount(page.getByRole('dialog'), 1);
  await page.keyboard.press('Escape');
  await heading(page, 'Overview').waitFor();
});

test('an order is placed with the keyboard alone, and the focus goes back to where it was @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  const opener = page.getByRole('main').getByRole('button', { name: 'Place an order' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('by-keyboard');
  await box.getByRole('button', { name: 'Place order for $10.00' }).waitFor();
  await box.getByRole('radio', { name: 'Monthly' }).focus();
  await page.keyboard.press('ArrowRight');
  await box.getByRole('radio', { name: 'Quarterly' }).and(page.locator(':checked')).waitFor();
  const button = box.getByRole('button', { name: 'Place order for $27.00' });
  await button.and(page.locator(':enabled')).waitFor();
  for (let presses = 0; presses < 20; presses += 1) {
    if ((await button.and(page.locator(':focus')).count()) === 1) break;
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await dialog(page, 'Order placed').waitFor();
  await page.keyboard.press('Escape');
  await balance(page).getByText('$73.00').waitFor();
  await opener.and(page.locator(':focus')).waitFor();
});

test('everything that the Tab key reaches shows its focus; the first stop skips to the content @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await reseller.post('/orders', { package_id: panel.service.packages.basic, customer: 'in-a-row' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.getByRole('link', { name: 'in-a-row' }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.reload();
    await page.getByRole('link', { name: 'in-a-row' }).waitFor();
    let stops = 0;
    for (; stops < 60; stops += 1) {
      await page.keyboard.press('Tab');
      const seen = await page.evaluate<{ name: string; isSeen: boolean } | null>(`(() => {
        const element = document.activeElement;
        if (element === null || element === document.body) return null;
        // The button within a date's field: the browser's own, with the browser's own ring.
        if (!element.matches(':focus')) return { name: 'within ' + element.id, isSeen: true };
        // Radio buttons stand behind their label, which shows the focus for them.
        const shows = [element, element.closest('label')].filter((one) => one !== null);
        const isSeen = shows.some((one) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(one);
          return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
        });
        return { name: element.outerHTML.slice(0, 120), isSeen };
      })()`);
      if (seen === null) break;
      assert.ok(seen.isSeen, `${seen.name} (${colorScheme})`);
    }
    assert.ok(stops > 15, `${stops} stops`);
  }
  await page.reload();
  await page.getByRole('link', { name: 'in-a-row' }).waitFor();
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Skip to content' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('main').and(page.locator(':focus')).waitFor();
});

async function goByKeys(page: Page, sequence: readonly string[], title: string): Promise<void> {
  let began: number;
  do {
    began = performance.now();
    for (const key of sequence) await page.keyboard.press(key);
  } while (performance.now() - began > 1_000);
  await heading(page, title).waitFor();
}
