// The operator's brand: set on its page, previewed, and then used on every page and in window titles.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pngFile } from '../harness/logo-files.ts';
import { testPassword } from '../harness/panel-client.ts';
import { expectAccessible } from './accessibility.ts';
import { confirmWithPassword, dialog, heading } from './panel-actions.ts';
import { untilCount, untilTrue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('the operator’s name, color and logo are set on a page that shows them first, and greet every visitor', async () => {
  const page = await panel.openAs(panel.service.admin, '/panel/admin/brand');
  await heading(page, 'Brand').waitFor();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Contoso <b>Hosting</b>');
  await page.getByRole('textbox', { name: 'Color', exact: true }).fill('#ffe14d');
  await page.getByText('Too light for light mode').waitFor();
  await untilCount(page.getByRole('figure').filter({ hasText: 'Contoso <b>Hosting</b>' }), 2);
  const dark = page.getByRole('figure', { name: 'Dark' });
  for (const part of ['Panel', 'Customer’s page', 'Email'])
    await dark.getByText(part, { exact: true }).waitFor();
  await untilCount(dark.getByText('Contoso <b>Hosting</b>'), 4);
  await expectAccessible(page, 'the brand before it is saved');
  await page.getByRole('button', { name: 'Save' }).click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Save');
  await page.getByRole('heading', { name: 'Saved.', exact: true }).waitFor();
  const title = async () => (await page.title()) === 'Brand · Contoso <b>Hosting</b>';
  await untilTrue(title, 'the window has the new name');
  const buffer = pngFile();
  await page.getByLabel('Choose file').setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer });
  await page.getByRole('img', { name: 'Current logo' }).waitFor();
  for (const width of [768, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    const mark = page.locator('header, aside').locator('img[src^="/brand/logo"]').filter({ visible: true });
    assert.equal((await mark.boundingBox())?.height, 24, `the logo on a page ${width} pixels wide`);
  }

  // No other name may be shown, even before the pages are loaded.
  const visitor = await panel.open('/icon.svg');
  await visitor.addInitScript(watchTitles);
  await visitor.goto('/panel/');
  await visitor.getByText('Contoso <b>Hosting</b>').waitFor();
  await visitor.getByRole('button', { name: 'Sign in' }).waitFor();
  const accent = "getComputedStyle(document.documentElement).getPropertyValue('--accent').trim()";
  await untilTrue(async () => (await visitor.evaluate(accent)) === '#7a6c25', 'the operator’s color');
  await untilCount(visitor.locator('img[src^="/brand/logo"]'), 1);
  const seen = await visitor.evaluate<string[]>('[...globalThis.namesSeen]');
  assert.deepEqual(seen, ['Contoso <b>Hosting</b>', 'Sign in · Contoso <b>Hosting</b>']);
  assert.doesNotMatch(await visitor.content(), /Sellthrough/);

  // Requests carry the page's language instead of the browser's, because mails and documents are written in it.
  const asked = visitor.waitForRequest(
    (request) =>
      request.url().endsWith('/panel/api/sign-in') && request.headers()['accept-language'] === 'de',
  );
  await visitor.getByRole('combobox', { name: 'Language' }).selectOption('de');
  await asked;
});

const watchTitles = `globalThis.namesSeen = new Set();
new MutationObserver(() => document.title && namesSeen.add(document.title))
  .observe(document, { subtree: true, childList: true, characterData: true });`;
