// Where the keyboard focus is: after the palette, in dialogs, beside drawers, between steps.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { usernameOf } from '../harness/panel-client.ts';
import { dialog, heading, row } from './panel-actions.ts';
import { said, untilTrue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('what the palette finds leaves the focus in the page that it opens, also on a page just loaded @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await order(reseller, 'ada@example.com');
  const page = await panel.openAs(reseller, '/panel/orders');
  await row(page, 'ada@example.com').waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ada@');
  await page.getByRole('option', { name: /ada@example\.com/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'ada@example.com').waitFor();
  await dialog(page, 'Search and commands').waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'content');

  // The focus moves to the page even if it was on the navigation's button, which still exists.
  await page
    .getByRole('button', { name: /^Search/ })
    .first()
    .click();
  await page.keyboard.type('ledger');
  await page.getByRole('option', { name: /^Ledger/, selected: true }).waitFor();
  await page.keyboard.press('Enter');
  await heading(page, 'Ledger').waitFor();
  await dialog(page, 'Search and commands').waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'content');
});

test('a dialog closed on a page just loaded leaves the focus in the content, not on the skip link @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.keyboard.press('n');
  await dialog(page, 'Place an order').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page, 'Place an order').waitFor({ state: 'detached' });
  assert.equal(await focused(page), 'content');
});

test('a dialog opens with the focus on what it asks for, never on its cross', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const placed = await order(reseller, 'bob@example.com');
  const page = await panel.openAs(reseller, `/panel/customers/${placed}`);
  await page.getByRole('button', { name: 'Change package' }).click();
  await dialog(page, 'Change package')
    .getByRole('radio', { name: 'Monthly' })
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  const placing = dialog(page, 'Place an order');
  await placing.getByLabel('Customer').fill('half typed');
  await page.keyboard.press('Escape');
  await dialog(page, 'Discard what you entered?')
    .getByRole('button', { name: 'Keep editing' })
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.press('Enter');
  await placing.getByLabel('Customer').and(page.locator(':focus')).waitFor();
  await placing.getByLabel('Customer').fill('');
  await page.keyboard.press('Escape');
  await placing.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await dialog(page, 'Keyboard shortcuts').waitFor();
  await untilTrue(
    async () => (await focused(page)) !== 'Close' && (await focused(page)) !== '',
    'not on the cross',
  );
});

test('Tab at the end of a drawer goes on at its row, and Escape from there closes it @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  await order(reseller, 'carl@example.com');
  await order(reseller, 'dora@example.com');
  const page = await panel.openAs(reseller, '/panel/customers');
  const link = row(page, 'carl@example.com').getByRole('link');
  await link.focus();
  await page.keyboard.press('Enter');
  const drawer = dialog(page, 'carl@example.com');
  await drawer.getByRole('button', { name: 'Renew' }).focus();
  await page.keyboard.press('Tab');
  await link.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await link.and(page.locator(':focus')).waitFor();

  await page.keyboard.press('Enter');
  await drawer.waitFor();
  await drawer.getByRole('button', { name: 'Close' }).focus();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await link.and(page.locator(':focus')).waitFor();
});

test('an account is credited by keyboard alone: the amount, Enter, Enter @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '10.00' });
  const page = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}`);
  await page.getByRole('button', { name: 'Credit', exact: true }).focus();
  await page.keyboard.press('Enter');
  await dialog(page, /^Credit /)
    .getByLabel('Amount in USD')
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.type('5');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Credit $5.00' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await said(page, `The balance of ${await usernameOf(panel.service, reseller)} is now $15.00`);
});

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const { activeElement: element } = document;
    if (element === null || element === document.body) return '';
    return element.id || element.getAttribute('aria-label') || element.textContent || element.tagName;
  });
}

async function order(reseller: TestAccount, customer: string): Promise<number> {
  const placed = await reseller.post('/orders', { package_id: panel.service.packages.basic, customer });
  assert.equal(placed.status, 201, placed.text);
  return placed.body.order.customer.id;
}
