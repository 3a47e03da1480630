import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { testPassword } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { confirmWithPassword, dialog, goTo, heading, row, shownSecret } from './panel-actions.ts';
import { said, untilCount, untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('the key is shown after the password is given again; replaced, the old one is refused at once', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/api-access');
  await page.getByRole('button', { name: 'Show key' }).click();
  const asked = dialog(page, 'Show key');
  await confirmWithPassword(asked, 'a wrong password', 'Show key');
  await asked.getByRole('alert').waitFor();
  assert.equal(await page.getByText(reseller.key).count(), 0);
  await confirmWithPassword(asked, testPassword, 'Show key');
  await page.getByText(reseller.key, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Hide' }).click();
  await page.getByRole('button', { name: 'Show key' }).waitFor();
  assert.equal(await page.getByText(reseller.key).count(), 0);

  await page.getByRole('button', { name: 'New secret for First key' }).click();
  const replacing = dialog(page, 'New secret for First key');
  await replacing.getByText('Ends now').click();
  await replacing.getByText('refused immediately').waitFor();
  assert.equal((await reseller.get('/balance')).status, 200, 'asking replaces nothing');
  await confirmWithPassword(replacing, testPassword, 'Create new secret');
  const newKey = await shownSecret(dialog(page, 'New secret for First key'), /^sk_live_/);
  assert.notEqual(newKey, reseller.key);
  expectRefusal(await reseller.get('/balance'), '401 revoked_api_key');
  assert.equal((await createApiClient(panel.service.address, newKey).get('/balance')).status, 200);
});

test('a key of its own for a program: made with few scopes, given a new secret with an overlap, narrowed and revoked', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/api-access');
  const { address } = panel.service;
  const using = (key: string) => createApiClient(address, key);
  const shownKey = async (title: string | RegExp) => {
    const shown = dialog(page, title);
    const key = await shown.locator('code').innerText();
    await shown.getByRole('button', { name: 'Done' }).click();
    return key;
  };

  await page.getByRole('button', { name: 'New key' }).click();
  const form = dialog(page, 'New key');
  await form.getByLabel('Name').fill('Shop');
  await form.getByText('Selected scopes only').click();
  await form.getByLabel('Read the balance').check();
  await form.getByLabel('Requests per minute').fill('30');
  await untilDisabled(form.getByRole('button', { name: 'Create key' }), 'without the password');
  await confirmWithPassword(form, testPassword, 'Create key');
  const first = await shownKey('Key created');
  assert.equal((await using(first).get('/balance')).headers.get('ratelimit-policy'), '"default";q=30;w=60');
  expectRefusal(await using(first).get('/orders'), '403 insufficient_scope');
  await row(page, 'Shop').getByText('Read the balance').last().waitFor();

  await row(page, 'Shop').getByRole('button', { name: 'New secret for Shop' }).click();
  await confirmWithPassword(dialog(page, 'New secret for Shop'), testPassword, 'Create new secret');
  const second = await shownKey('New secret for Shop');
  for (const key of [first, second]) assert.equal((await using(key).get('/balance')).status, 200);
  await row(page, 'Shop').getByText('works until').waitFor();

  await row(page, 'Shop').getByRole('button', { name: 'Change Shop' }).click();
  const change = dialog(page, 'Change Shop');
  // Only the fields changed here are sent, so concurrent changes of other fields stay.
  const keys = `/api/admin/v1/accounts/${reseller.id}/keys`;
  const shop = async () =>
    (await panel.service.admin.get(keys)).body.data.find(({ name }: { name: string }) => name === 'Shop');
  const narrowed = { rate_limit_per_minute: 20 };
  assert.equal(
    (await panel.service.admin.send('PATCH', `${keys}/${(await shop()).id}`, narrowed)).status,
    200,
  );
  await change.getByLabel('Addresses').fill('192.0.2.1');
  await confirmWithPassword(change, testPassword, 'Save key');
  await change.waitFor({ state: 'detached' });
  assert.equal((await shop()).rate_limit_per_minute, 20);
  for (const key of [first, second]) {
    expectRefusal(await using(key).get('/balance'), '403 ip_not_allowed');
  }

  await row(page, 'Shop').getByRole('button', { name: 'Revoke Shop' }).click();
  const revoking = dialog(page, 'Revoke Shop?');
  await confirmWithPassword(revoking, testPassword, 'Revoke key');
  await revoking.waitFor({ state: 'detached' });
  await row(page, 'Shop').waitFor({ state: 'detached' });
  expectRefusal(await using(second).get('/balance'), '401 revoked_api_key');

  const console = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}?tab=access`);
  await console.getByRole('button', { name: 'New key' }).click();
  const theirs = dialog(console, 'New key');
  await theirs.getByLabel('Name').fill('Made for them');
  await confirmWithPassword(theirs, testPassword, 'Create key');
  const made = await dialog(console, 'Key created').locator('code').innerText();
  assert.equal((await using(made).get('/orders')).status, 200);
});

test('a key that an administrator replaces is shown to him once, and the old one is refused @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const console = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}`);
  await console.getByRole('link', { name: 'Keys and team' }).click();
  await console.getByRole('button', { name: 'Replace First key now' }).click();
  const asked = dialog(console, /^Replace .*’s key/);
  await untilDisabled(asked.getByRole('button', { name: 'Replace key' }));
  await confirmWithPassword(asked, testPassword, 'Replace key');
  const shown = dialog(console, 'Key replaced').locator('code');
  const newKey = await shown.innerText();
  expectRefusal(await reseller.get('/balance'), '401 revoked_api_key');
  assert.equal((await createApiClient(panel.service.address, newKey).get('/balance')).status, 200);
  // An accidental key press or click must not close the dialog, because the key is shown only once.
  await console.keyboard.press('Escape');
  await shown.waitFor();
  await dialog(console, 'Key replaced').getByRole('button', { name: 'Done' }).click();
  await shown.waitFor({ state: 'hidden' });
});

test('the allow-list warns before it leaves out its own editor, and does what it says when it is saved @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/api-access');
  await page.getByText('Leave blank to allow any address.').waitFor();
  await page.getByText('Your address is 127.0.0.1').waitFor();
  const warning = dialog(page, 'This list doesn’t include your address');

  await add(page, '203.0.113.7');
  await page.getByRole('button', { name: 'Save list' }).click();
  await warning.waitFor();
  await warning.getByRole('button', { name: 'Cancel' }).click();
  await warning.waitFor({ state: 'hidden' });
  assert.equal((await reseller.get('/balance')).status, 200, 'nothing was saved');

  await page.getByRole('button', { name: 'Add my address' }).click();
  await page.getByRole('button', { name: 'Save list' }).click();
  await said(page, 'Allow-list saved.');
  await page.getByText('Restricted', { exact: true }).waitFor();
  assert.equal((await reseller.get('/balance')).status, 200);

  await page.getByRole('button', { name: 'Remove 127.0.0.1' }).click();
  await page.getByRole('button', { name: 'Save list' }).click();
  await warning.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('The saved list doesn’t include your address').waitFor();
  expectRefusal(await reseller.get('/balance'), '403 ip_not_allowed');
  await goTo(page, 'Overview');
  await goTo(page, 'API access');

  await page.getByRole('button', { name: 'Remove 203.0.113.7' }).click();
  await page.getByRole('button', { name: 'Save list' }).click();
  await page.getByText('Leave blank to allow any address.').waitFor();
  assert.equal((await reseller.get('/balance')).status, 200);
});

test('an invalid address is marked in the list, and nothing is saved @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/api-access');
  await add(page, '127.0.0.1 300.1.1.1');
  await page.getByRole('button', { name: 'Save list' }).click();
  await page.getByRole('listitem').filter({ hasText: '300.1.1.1' }).getByText('Invalid').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Remove 127.0.0.1' }).waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('Leave blank to allow any address.').waitFor();
});

test('the first request in TypeScript runs as it stands and places an order; the others carry address and key @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '10.00' });
  const page = await panel.openAs(reseller, '/panel/connect');
  await page.getByRole('button', { name: 'Show key' }).click();
  await confirmWithPassword(dialog(page, 'Show key'), testPassword, 'Show key');
  const code = page.getByRole('region', { name: 'Live order' });
  for (const language of ['curl', 'PHP', 'Python', 'TypeScript']) {
    await page.getByRole('radio', { name: language }).check({ force: true });
    const parameter = language === 'curl' ? null : language.toLowerCase();
    await page.waitForURL((url) => url.searchParams.get('language') === parameter);
    await code
      .filter({ hasText: reseller.key })
      .filter({ hasText: `${panel.service.address}/api/v1/orders` })
      .waitFor();
  }
  const output = await runAsModule(await code.innerText());
  assert.match(output, /^\d+ 0\.00\n$/);
  assert.equal((await reseller.get('/orders')).body.data[0].customer.reference, 'ada@example.com');
});

test('the limit in use is shown as it is used, and every request of the key is in the log, refused ones by themselves @nightly', async () => {
  const reseller = await panel.service.createReseller({ rateLimitPerMinute: 30 });
  for (let sent = 0; sent < 4; sent += 1) await reseller.get('/balance');
  const missing = await reseller.get('/orders/4711');
  expectRefusal(missing, '404 order_not_found');
  const page = await panel.openAs(reseller, '/panel/api-access');
  await page.getByText('5 of 30 used in a minute').waitFor();
  await page.getByText('25 left.').waitFor();
  await goTo(page, 'Requests');
  const rows = page.getByRole('table', { name: /requests/i }).getByRole('row');
  // Wait for the last row, because earlier ones may be placeholders.
  await row(page, 'order_not_found').waitFor();
  await untilCount(rows, 6, 'the head and five requests');
  await page.getByRole('radio', { name: 'Refused' }).check({ force: true });
  await page.waitForURL(/status=4xx/);
  await row(page, 'order_not_found').waitFor();
  await rows.nth(2).waitFor({ state: 'detached' });
  await heading(page, 'Requests').waitFor();
});

async function add(page: Page, text: string): Promise<void> {
  await page.getByLabel('Address or range').fill(text);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}

async function runAsModule(source: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, output);
  return output;
}
