// A reseller's first minutes: from the invitation to a test order by the curl that the page shows.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Hand } from '../../scripts/demo/daily-steps.ts';
import { heading } from './panel-actions.ts';
import { usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();
const pace = { click: 8, key: 0.3 };
const secondsMax = 180;
const run = promisify(execFile);

test('an invitation leads to a test order by one pasted curl, which appears on the page', async () => {
  const made = await panel.service.admin.post('/api/admin/v1/accounts', {
    username: 'new.shop',
    display_name: 'New Shop',
    group: 'reseller',
    invite: true,
  });
  const link = new URL(made.body.invitation.url);
  const page = await panel.open(link.pathname + link.hash);
  const hand = new Hand();
  await heading(page, 'Join New Shop').waitFor();
  assert.equal(await page.getByLabel('Your username').inputValue(), 'new.shop');
  const password = 'a long password of the shop';
  await hand.type(page, password);
  // Past the button that shows the password.
  await hand.press(page, 'Tab');
  await hand.press(page, 'Tab');
  await hand.type(page, password);
  await hand.press(page, 'Enter');
  await heading(page, 'Connect').waitFor();
  const sample = page.getByRole('region', { name: 'Test order', exact: true });
  await sample.getByText('sk_test_').waitFor();
  await page.waitForFunction(() => !document.body.innerText.includes('sk_test_YOUR_KEY'));
  const command = await sample.innerText();
  await page.getByRole('region', { name: 'Test requests' }).getByText('Waiting for your request.').waitFor();
  hand.clicks += 2; // copy, paste
  const { stdout } = await run('bash', ['-c', command]);
  assert.match(stdout, /^HTTP\/1\.1 201 Created/);
  const arrived = page.getByRole('region', { name: 'Test requests' }).getByRole('listitem').first();
  await arrived.getByText('201').waitFor();
  assert.match(await arrived.innerText(), /POST \/api\/v1\/orders/);
  const seconds = hand.clicks * pace.click + hand.keys * pace.key;
  console.log(`${hand.clicks} clicks, ${hand.keys} keys, ${Math.round(seconds)} s at a person's pace`);
  assert.ok(seconds <= secondsMax, `${seconds} s`);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Collection for Bruno or Postman' }).click(),
  ]);
  const collection = JSON.parse(await readFile(await download.path(), 'utf8'));
  const place = collection.item.find(({ name }: { name: string }) => name === 'Place an order');
  assert.equal(place.request.url.raw, '{{base_url}}/orders');
  assert.match(place.request.body.raw, /"package_id": 1/);
});
