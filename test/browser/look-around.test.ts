// The sign-in page of a demo: three buttons instead of a password.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium-for-tests.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { type DemoProcess, startDemo } from '../harness/demo-process.ts';
import { expectAccessible } from './accessibility.ts';
import { patientContext } from './visitors.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-look-'));
let browser: Browser;
let demo: DemoProcess;
before(async () => {
  const dataDir = join(folder, 'demo');
  copyEmbeddedTemplate(dataDir);
  browser = await launchChromium(process.env['HEADED'] === '1');
  demo = await startDemo(dataDir);
});
after(async () => {
  await browser?.close();
  await demo?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function signInPage(locale = 'en-US'): Promise<Page> {
  const context = await patientContext(browser, { locale, baseURL: demo.address });
  const page = await context.newPage();
  await page.goto('/panel/');
  return page;
}

test('the buttons appear while the year is made, work once it is, and pass axe', async () => {
  const page = await signInPage();
  const operator = page.getByRole('button', { name: /^Operator/ });
  await operator.waitFor();
  await page.getByText('A demo on this machine, with a year of orders. Nothing is real.').waitFor();
  await expectAccessible(page, 'sign-in page of a demo');
  await page.context().close();
});

test('one press enters as operator, as reseller and as customer', async () => {
  for (const [name, path, seen] of [
    ['Operator', /\/panel\/admin$/, 'Brightline Media'],
    ['Reseller', /\/panel\/$/, 'Customers'],
  ] as const) {
    const page = await signInPage();
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await page.waitForURL(path);
    await page.getByText(seen, { exact: true }).first().waitFor();
    await page.context().close();
  }
  const page = await signInPage();
  await page.getByRole('button', { name: /^Customer/ }).click();
  await page.waitForURL(/\/login\//);
  await page.getByRole('button').first().click();
  await page.waitForURL(/\/customer$/);
  const shown = await page.locator('main').innerText();
  assert.match(shown, /Starter|Business|Agency|Classic/);
  await page.context().close();
});

test('in German the buttons are German', async () => {
  const page = await signInPage('de-DE');
  await page.getByRole('heading', { name: 'Ohne Passwort umsehen' }).waitFor();
  await page.getByRole('button', { name: /^Betreiber/ }).waitFor();
  await page.context().close();
});
