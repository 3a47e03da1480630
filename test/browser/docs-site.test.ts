// The documents at /docs in a real browser, under the service's content policy.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { pageAddress, pageSources, sidebars } from '../../docs/.vitepress/page-list.ts';
import { pngFile } from '../harness/logo-files.ts';
import { expectAccessible } from './accessibility.ts';
import { heading } from './panel-actions.ts';
import { untilTrue, usePanelBrowser } from './panel-browser.ts';

const site = usePanelBrowser();
const operation = '/docs/reference/reseller-api/place-order';
const isWhole = process.env['PROOF_PAGES'] === 'all';

test('a page of each part of the documents and of the reference comes to life under the policy of the service @nightly', async () => {
  const page = await site.open('/docs');
  await isAlive(page);
  const groups = Object.values(sidebars()).flat();
  const parts = groups.flatMap(({ items }) => [items[0], ...items.map((part) => part.items?.[0])]);
  const references = pageSources
    .map((source) => pageAddress(source) ?? '')
    // Only `npm run proof` opens each operation.
    .filter((link) => (isWhole ? /^\/reference/ : /^\/reference\/[^/]+$/).test(link));
  for (const link of new Set([...parts.flatMap((part) => part?.link ?? []), ...references])) {
    await page.goto(`/docs${link}`);
    await isAlive(page);
    assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1, link);
  }
});

test('links between pages and the next page change the page in place; the panel is a page of its own @nightly', async () => {
  const page = await site.open('/docs/');
  await isAlive(page);
  await page.evaluate('document.body.dataset.kept = "yes"');
  await page.getByRole('main').getByRole('link', { name: 'For resellers' }).click();
  await heading(page, 'For resellers').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Rate limits' }).click();
  await heading(page, 'Rate limits').waitFor();
  await page.getByRole('link', { name: /Next page/ }).click();
  await heading(page, 'Finding things').waitFor();
  assert.equal(new URL(page.url()).pathname, '/docs/finding-things');
  assert.equal(await page.evaluate('document.body.dataset.kept'), 'yes');
  await page.getByRole('link', { name: 'Panel', exact: true }).click();
  await page.waitForURL('**/panel/**');
});

test('the search is opened, used and followed by keyboard alone', async () => {
  const page = await site.open('/docs/errors');
  await isAlive(page);
  for (const shortcut of ['Control+k', '/']) {
    await page.keyboard.press(shortcut);
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').waitFor({ state: 'detached' });
  }
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('worked examples refund');
  await page
    .getByRole('option', { name: /Plans and refunds/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Display detailed list' }).press('Enter');
  await page.locator('.excerpt mark').first().waitFor();
  await page.getByRole('searchbox').press('Enter');
  await heading(page, 'Plans and refunds').waitFor();
});

test('an operation of the reference is found by its name @nightly', async () => {
  const page = await site.open('/docs/');
  await isAlive(page);
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('renew an order');
  await page.getByRole('option').first().waitFor();
  const [first] = await page.getByRole('option').allInnerTexts();
  assert.match(first?.replace(/\s+/g, ' ') ?? '', /^ ?#? ?Renew an order ?$/);
});

test('the first hit of a common question is its guide @nightly', async () => {
  const page = await site.open('/docs/resellers');
  await isAlive(page);
  await page.keyboard.press('/');
  const first = page.getByRole('option').first().locator('a');
  // Two in a row have different guides, because the hits of the words before may still be shown.
  for (const [words, guide] of [
    ['forgot password', 'signing-in'],
    ['tax', 'statements-and-tax'],
    ['refund', 'plans-and-refunds'],
    ['discount', 'prices'],
    ['webhook retry', 'webhooks'],
    ['price for one reseller', 'prices'],
    ['GDPR', 'personal-data'],
    ['first order', 'getting-started'],
    ['go live', 'go-live'],
    ['place an order', 'getting-started'],
    ['test mode', 'test-mode'],
  ] as const) {
    await page.getByRole('searchbox').fill(words);
    const wanted = new RegExp(`^/docs/${guide}(#|$)`);
    await untilTrue(async () => wanted.test((await first.getAttribute('href')) ?? ''), `${words}: ${guide}`);
  }
});

test('navigation and palette of the panel lead a reseller to the resellers’ start page, an operator to the operators’ @nightly', async () => {
  const account = await site.service.createReseller({ credit: '1.00' });
  for (const [visitor, path, name, start] of [
    [account, '/panel/orders', 'For resellers', '/docs/resellers'],
    [site.service.admin, '/panel/admin', 'For operators', '/docs/operators'],
  ] as const) {
    const page = await site.openAs(visitor, path);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Documentation' }).click();
    await page.waitForURL(`**${start}`);
    await heading(page, name).waitFor();
    await page.goBack();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search pages/ }).fill('docs');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${start}`);
    await heading(page, name).waitFor();
  }
});

test('the operator’s name and logo stand on every page from the start and after the script, for any name @nightly', async () => {
  const { admin } = site.service;
  const name = 'Müller <b>&amp; $& "Co"';
  const brand = { name, colour: null, letterhead: [], support_address: null, language: 'en' };
  const data = pngFile({ width: 80, height: 40 }).toString('base64');
  assert.equal((await admin.send('PUT', '/api/admin/v1/brand', brand)).status, 200);
  assert.equal((await admin.send('PUT', '/api/admin/v1/brand/logo', { data })).status, 200);
  const isBranded = async (page: Page, title: string) => {
    await page.getByRole('link', { name, exact: true }).waitFor();
    assert.equal(await page.locator('.site-name').innerText(), name);
    assert.equal(await page.title(), `${title} · ${name}`);
    const logo = page.locator('.site-logo');
    assert.match((await logo.getAttribute('src')) ?? '', /^\/brand\/logo\?v=\d+$/);
    assert.ok(await logo.evaluate((image: HTMLImageElement) => image.naturalWidth === 80));
  };
  await isBranded(await site.open('/docs/errors', { javaScriptEnabled: false }), 'Errors');
  const page = await site.open('/docs/errors');
  await isAlive(page);
  await isBranded(page, 'Errors');
  await page.getByRole('link', { name: 'Rate limits' }).first().click();
  await heading(page, 'Rate limits').waitFor();
  await isBranded(page, 'Rate limits');
  await page.goto('/docs/nowhere');
  await heading(page, 'There is no such page').waitFor();
  await isBranded(page, '404');
  for (const width of [360, 768, 960]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
  }
  assert.equal((await admin.send('DELETE', '/api/admin/v1/brand/logo')).status, 200);
  assert.equal((await admin.send('PUT', '/api/admin/v1/brand', { ...brand, name: null })).status, 200);
  await page.goto('/docs/errors');
  await page.getByRole('link', { name: 'Sellthrough docs' }).waitFor();
});

test('dark follows the system until the reader chooses, and the choice is remembered @nightly', async () => {
  const page = await site.open('/docs/', { colorScheme: 'dark' });
  await isAlive(page);
  assert.ok(await isDark(page));
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html:not(.dark)').waitFor();
  assert.ok(!(await isDark(page)));
  await page.getByRole('switch').first().click();
  await page.locator('html.dark').waitFor();
  await page.reload();
  assert.ok(await isDark(page));
});

test('a language chosen for one sample is chosen for all, on the next pages, too @nightly', async () => {
  const page = await site.open(operation);
  await isAlive(page);
  assert.deepEqual(await shownLanguages(page), ['sh']);
  const groups = page.locator('.vp-code-group');
  await groups.first().getByText('Python', { exact: true }).first().click();
  assert.deepEqual(await shownLanguages(page), ['python']);
  await page.getByRole('link', { name: 'Renew an order' }).first().click();
  await heading(page, 'Renew an order').waitFor();
  await groups.first().locator('div.language-python').waitFor();
  assert.deepEqual(await shownLanguages(page), ['python']);
  await groups.first().getByRole('radio').first().focus();
  await page.keyboard.press('ArrowRight');
  assert.deepEqual(await shownLanguages(page), ['ts']);
});

test('the copy button copies the sample that is shown @nightly', async () => {
  const page = await site.open(operation, { permissions: ['clipboard-read', 'clipboard-write'] });
  await isAlive(page);
  const sample = page.locator('.vp-code-group').first();
  await sample.getByText('PHP', { exact: true }).first().click();
  const shown = sample.locator('div.language-php');
  await shown.hover();
  await shown.getByRole('button', { name: 'Copy Code' }).click();
  await sample.locator('button.copied').waitFor();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  assert.equal(copied.trim(), (await shown.locator('code').innerText()).trim());
});

test('without JavaScript the text is whole and the samples can be chosen @nightly', async () => {
  const page = await site.open(operation, { javaScriptEnabled: false });
  await heading(page, 'Place an order').waitFor();
  await page.getByText('Display name for a new customer.').waitFor();
  const sample = page.locator('.vp-code-group').first();
  assert.ok(await sample.locator('div.language-sh').isVisible());
  await sample.getByText('Python', { exact: true }).first().click();
  assert.ok(await sample.locator('div.language-python').isVisible());
  assert.ok(!(await sample.locator('div.language-sh').isVisible()));
  await page.getByRole('link', { name: 'Renew an order' }).first().click();
  await heading(page, 'Renew an order').waitFor();
});

test('an address without a page says so, and leads on', async () => {
  const page = await site.open('/docs/nowhere');
  await heading(page, 'There is no such page').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'overview' }).click();
  await heading(page, 'Documentation').waitFor();
});

test('no rule of WCAG is broken and nothing scrolls sideways, light and dark, on screens wide and narrow @nightly', async () => {
  const page = await site.open('/docs/');
  const looks = [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 360 },
  ] as const;
  for (const [place, path] of [
    '/docs/',
    '/docs/plans-and-refunds',
    '/docs/reference/admin-records',
    '/docs/reference/admin-records/read-all-events',
    '/docs/reference/product-api/exchange-code-for-customer',
    '/docs/reference/objects/order',
    '/docs/nowhere',
  ].entries()) {
    await page.goto(path);
    await isAlive(page);
    for (const [index, { colorScheme, width }] of looks.entries()) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, path);
      // Checks each page in one look only. `npm run proof` checks all looks.
      if (!isWhole && index !== place % looks.length) continue;
      await page.locator(colorScheme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor();
      // Leave out VitePress's own button: its name is "Search", but its text includes the keys.
      await expectAccessible(page, `${path}, ${colorScheme}, ${width} wide`, '.DocSearch-Button');
    }
  }
});

async function isAlive(page: Page): Promise<void> {
  await untilTrue(
    () => page.evaluate('document.querySelector("#app")?.__vue_app__ !== undefined'),
    'the script has taken over',
  );
  await page.getByRole('heading', { level: 1 }).waitFor();
}

async function isDark(page: Page): Promise<boolean> {
  const color = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const [red = 255] = (color.match(/\d+/g) ?? []).map(Number);
  return red < 128;
}

async function shownLanguages(page: Page): Promise<readonly string[]> {
  const shown: Locator = page.locator('.vp-code-group .blocks > div:visible');
  const languages = await shown.evaluateAll((blocks) =>
    blocks.map((block) => /language-(\w+)/.exec(block.className)?.[1] ?? ''),
  );
  assert.equal(languages.length, await page.locator('.vp-code-group').count());
  return [...new Set(languages)];
}
