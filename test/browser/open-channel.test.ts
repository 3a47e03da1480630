// The operator's first page: from an empty service to the first order of a reseller, which the product accepts. Counts the
// clicks and keys, and what they take at a person's pace.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../scripts/chromium-for-tests.ts';
import { Hand } from '../../scripts/demo/daily-steps.ts';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { copyEmbeddedTemplate } from '../../scripts/throwaway/test-database.ts';
import { type DemoProcess, startDemo } from '../harness/demo-process.ts';
import { expectAccessible } from './accessibility.ts';
import { dialog, heading } from './panel-actions.ts';
import { untilTrue } from './panel-browser.ts';
import { patientContext } from './visitors.ts';

const folder = mkdtempSync(join(tmpdir(), 'sellthrough-channel-'));
const dataDir = join(folder, 'data');
const ownPassword = 'a long password of my own';
let browser: Browser;
let service: DemoProcess;

/** A person at a page: seconds for each click and key, with the time to read and decide. */
const pace = { click: 8, key: 0.3 };
const clicksMax = 40;
const secondsMax = 600;

let product: Server;
let productUrl: string;
const calls: string[] = [];

before(async () => {
  copyEmbeddedTemplate(dataDir);
  browser = await launchChromium(process.env['HEADED'] === '1');
  service = await startDemo(dataDir, { args: [], environment: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
  product = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      calls.push(JSON.parse(body).type);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  await new Promise<void>((ready) => product.listen(0, '127.0.0.1', ready));
  productUrl = `http://127.0.0.1:${(product.address() as AddressInfo).port}/sellthrough`;
});
after(async () => {
  await browser?.close();
  await service?.stop();
  product.close();
  rmSync(folder, { recursive: true, force: true });
});

function generated(name: string): string {
  const text = readFileSync(join(dataDir, 'first-administrator.txt'), 'utf8');
  const found = new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(text)?.[1];
  assert.ok(found !== undefined, text);
  return found;
}

async function open(path: string): Promise<Page> {
  const context = await patientContext(browser, { baseURL: service.address, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(path);
  return page;
}

const stepNamed = (page: Page, title: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('button', { name: title }) });

test('an operator opens a channel without a page of the documentation, and the first order reaches the product', async () => {
  const hand = new Hand();
  const visited: string[] = [];
  const page = await open('/panel/');
  page.on('framenavigated', (frame) => visited.push(new URL(frame.url()).pathname));
  await hand.click(page.getByLabel('Username'));
  await hand.type(page, 'admin');
  await hand.press(page, 'Tab');
  await hand.type(page, generated('password'));
  await hand.press(page, 'Enter');
  await heading(page, 'Choose your password').waitFor();
  await hand.click(page.getByLabel('New password', { exact: true }));
  await hand.type(page, ownPassword);
  await hand.press(page, 'Tab');
  await hand.press(page, 'Tab');
  await hand.type(page, ownPassword);
  await hand.press(page, 'Enter');
  await heading(page, 'Open your channel').waitFor();
  await expectAccessible(page, 'Open your channel');

  // The name and the payments are skipped; address, email and backup are too.
  for (const title of ['Name and logo', 'How resellers pay', 'Public address', 'Email'])
    await hand.click(page.getByRole('button', { name: `Skip: ${title}`, exact: true }));
  await hand.click(page.getByRole('button', { name: 'We back up elsewhere', exact: true }));

  await stepNamed(page, 'Limits').getByRole('button', { name: 'Add a limit' }).first().waitFor();
  await hand.click(stepNamed(page, 'Limits').getByRole('button', { name: 'Add a limit' }).first());
  await dialog(page, 'New limit').getByLabel('Name', { exact: true }).waitFor();
  await hand.type(page, 'Rooms');
  await hand.press(page, 'Tab');
  await hand.press(page, 'Tab');
  await hand.type(page, 'rooms');
  await hand.click(dialog(page, 'New limit').getByRole('button', { name: 'Add limit' }));
  await dialog(page, 'New limit').waitFor({ state: 'detached' });

  await hand.click(stepNamed(page, 'Packages').getByRole('button', { name: 'Import CSV' }));
  const file = dialog(page, 'Import packages');
  await hand.click(file.getByLabel('CSV'));
  await file
    .getByLabel('CSV')
    .fill('name,rooms,reseller_monthly,distributor_monthly\nInn,12,19.00,15.00\nHotel,80,79.00,65.00\n');
  hand.keys += 90;
  await hand.type(page, '');
  const password = file.getByLabel(/password/i);
  await hand.click(password);
  await hand.type(page, ownPassword);
  await hand.click(file.getByRole('button', { name: 'Create 2 packages' }));
  await file.waitFor({ state: 'detached' });
  await stepNamed(page, 'Prices').getByText('Done', { exact: true }).waitFor();

  const connecting = stepNamed(page, 'Connect your product');
  const handler = connecting.getByRole('region', { name: 'Handler' });
  await handler.waitFor();
  assert.match(await handler.innerText(), /whsec_[A-Za-z0-9+/]{43}=/, 'the secret is filled in');
  await hand.click(connecting.getByLabel('2. Where it listens'));
  await hand.type(page, productUrl);
  await hand.click(connecting.getByRole('button', { name: 'Connect', exact: true }));
  await connecting.getByText('Done', { exact: true }).waitFor();
  if (!(await connecting.getByRole('button', { name: 'Send a test call' }).isVisible()))
    await hand.click(connecting.getByRole('button', { name: /^5\. Connect your product/ }));
  await hand.click(connecting.getByRole('button', { name: 'Send a test call' }));
  await connecting.getByText(/^200$/).waitFor();
  await connecting.getByRole('region', { name: 'Response' }).getByText('"ok"').waitFor();
  assert.deepEqual(calls, ['plan.expire']);

  await hand.click(page.getByRole('button', { name: /^7\. Invite your first reseller/ }));
  await hand.click(page.getByRole('button', { name: 'Invite a reseller' }));
  await dialog(page, 'Create account').getByLabel('Username').waitFor();
  await hand.press(page, 'Tab');
  await hand.type(page, 'rooms.shop');
  await hand.click(dialog(page, 'Create account').getByRole('button', { name: 'Create account' }));
  const made = page.getByRole('dialog', { name: 'Account created' });
  const link = await made
    .locator('code, input')
    .filter({ hasText: /token=/ })
    .first()
    .innerText();
  assert.match(link, /\/panel\/reset-password#token=/);
  await hand.click(made.getByRole('link', { name: 'Open account' }));
  await page
    .getByRole('button', { name: /^Credit/ })
    .first()
    .waitFor();
  await hand.click(page.getByRole('button', { name: /^Credit/ }).first());
  const credit = page.getByRole('dialog');
  await hand.click(credit.getByLabel(/^Amount/));
  await hand.type(page, '100');
  await hand.click(credit.getByRole('button', { name: 'Review' }));
  await hand.click(credit.getByRole('button', { name: /^Credit \$100/ }));
  await page.getByText('The balance of rooms.shop is now $100.00.').waitFor();

  const guest = await open(new URL(link).pathname + new URL(link).hash);
  const choose = guest.getByLabel('New password', { exact: true });
  await choose.waitFor();
  await guest.getByText('The operator invited you to').waitFor();
  assert.equal(await guest.getByLabel('Your username').inputValue(), 'rooms.shop');

  const seconds = hand.clicks * pace.click + hand.keys * pace.key;
  console.log(`${hand.clicks} clicks, ${hand.keys} keys, ${Math.round(seconds)} s at a person's pace`);
  assert.ok(hand.clicks <= clicksMax, `${hand.clicks} clicks`);
  assert.ok(seconds <= secondsMax, `${seconds} s`);
  assert.deepEqual(
    visited.filter((path) => path.startsWith('/docs')),
    [],
  );

  const admin = createApiClient(service.address, generated('API key'));
  const { body } = await admin.get('/api/admin/v1/accounts?q=rooms.shop');
  const reset = await admin.post(`/api/admin/v1/accounts/${body.data[0].id}/api-key`);
  const shop = createApiClient(service.address, reset.body.api_key);
  const placed = await shop.post('/orders', { package_id: 1, customer: 'guest@example.com' });
  assert.equal(placed.status, 201, placed.text);
  const status = async () => (await shop.get(`/orders/${placed.body.order.id}`)).body.order.status;
  // Asking for the order takes from the account's 60 requests a minute, so first wait for the product.
  await untilTrue(async () => calls.includes('plan.activate'), 'an order that reached the product');
  await untilTrue(async () => (await status()) !== 'pending', 'an order that is decided');
  assert.equal(await status(), 'completed');
  assert.deepEqual(calls, ['plan.expire', 'plan.activate']);
});
