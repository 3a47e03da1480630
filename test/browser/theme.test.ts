// Light or dark as the person chooses, before and after the sign-in: held by the browser, followed by charts and logos.

/// <reference lib="dom" />
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { pngFile } from '../harness/logo-files.ts';
import { expectStatus } from '../harness/refusals.ts';
import { goTo, heading, openUserMenu, signOut } from './panel-actions.ts';
import { untilTrue, usePanelBrowser } from './panel-browser.ts';

const page = { light: 'rgb(246, 247, 249)', dark: 'rgb(17, 18, 20)' } as const;
const ownColor = '#0f766e';

const panel = usePanelBrowser(async ({ admin }) => {
  const unset = { letterhead: [], support_address: null, language: 'en' };
  const brand = { ...unset, name: 'Northwind', colour: ownColor };
  expectStatus(await admin.send('PUT', '/api/admin/v1/brand', brand), 200);
  const data = pngFile({ width: 40, height: 40 }).toString('base64');
  expectStatus(await admin.send('PUT', '/api/admin/v1/brand/logo', { data }), 200);
});

test('a chosen theme holds over a reload, at the sign-in and in other tabs; charts, logo and brand follow it @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '50.00' });
  const order = { package_id: panel.service.packages.basic, customer: 'ada@example.com' };
  expectStatus(await reseller.post('/orders', order), 201);
  const shown = await panel.openAs(reseller);
  await shown.locator('canvas').first().waitFor();
  assert.equal(await behind(shown.locator('body')), page.light);
  const light = await chartPixels(shown);
  assert.equal(await accent(shown), ownColor);

  await theme(await openUserMenu(shown)).selectOption('Dark');
  await untilBehind(shown, page.dark);
  assert.notEqual(await accent(shown), ownColor);
  await untilTrue(async () => (await chartPixels(shown)) !== light, 'a chart in other colors');
  const logo = shown.getByRole('complementary', { name: 'Menu' }).locator('img');
  assert.equal(await behind(logo), 'rgb(255, 255, 255)');
  const other = await shown.context().newPage();
  await other.goto(`${panel.service.address}/panel/orders`);
  await heading(other, 'Orders').waitFor();
  assert.equal(await behind(other.locator('body')), page.dark);
  await theme(await openUserMenu(other)).selectOption('Light');
  await untilTrue(async () => (await behind(shown.locator('body'))) === page.light, 'the tab beside it');
  await other.close();
  await theme(shown).selectOption('Dark');

  // Nothing but the document has come, and it is dark already.
  await shown.route(/\/assets\//, (route) => route.abort());
  await shown.goto('/panel/', { waitUntil: 'commit' });
  await shown.locator('#shell').waitFor();
  assert.equal(await behind(shown.locator('#shell')), page.dark);
  await shown.unroute(/\/assets\//);
  panel.takeProblems();
  await shown.goto('/panel/');
  await heading(shown, 'Overview').waitFor();
  assert.equal(await behind(shown.locator('body')), page.dark);

  await signOut(shown);
  await heading(shown, 'Sign in').waitFor();
  await untilBehind(shown, page.dark);
  await theme(shown.locator('main')).selectOption('System');
  await untilBehind(shown, page.light);
});

test('without a choice the system’s theme counts, also when it changes; paper is light', async () => {
  const reseller = await panel.service.createReseller();
  const shown = await panel.openAs(reseller, '/panel/', { colorScheme: 'dark' });
  await heading(shown, 'Overview').waitFor();
  await untilBehind(shown, page.dark);
  await shown.emulateMedia({ colorScheme: 'light' });
  await untilBehind(shown, page.light);
  await theme(await openUserMenu(shown)).selectOption('Dark');
  await goTo(shown, 'Orders');
  await shown.emulateMedia({ media: 'print' });
  await untilBehind(shown, page.light);
});

function theme(within: Page | Locator): Locator {
  return within.getByRole('combobox', { name: 'Theme' });
}

function behind(element: Locator): Promise<string> {
  return element.evaluate((box) => getComputedStyle(box).backgroundColor);
}

/** A page takes a moment to follow a change of its media. */
function untilBehind(shown: Page, color: string): Promise<void> {
  return untilTrue(async () => (await behind(shown.locator('body'))) === color, `a page of ${color}`);
}

function accent(shown: Page): Promise<string> {
  return shown.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent').trim());
}

function chartPixels(shown: Page): Promise<string> {
  return shown
    .locator('canvas')
    .first()
    .evaluate((canvas) => (canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : ''));
}
