// While the browser is offline or the service restarts, the page stays, says so, and continues once the service answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectAccessible } from './accessibility.ts';
import { dialog, heading } from './panel-actions.ts';
import { untilTrue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('offline a page whose code is not there yet is opened once there is a connection again, and the pages stay until then', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  // Without preloading, because preloads would share code with the page, and Chromium remembers aborted loads as failed.
  const page = await panel.openAs(reseller, '/panel/orders', { fetchesEarly: false });
  await heading(page, 'Orders').waitFor();
  await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }));
  const nothing = page.getByText('No connection to the service.');
  assert.equal(await nothing.count(), 0);
  await page.context().setOffline(true);
  await untilTrue(() => page.evaluate(() => !navigator.onLine), 'the page knows that it is offline');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'API access' }).click();
  await nothing.waitFor();
  await page.getByRole('main').getByRole('button', { name: 'Place an order' }).waitFor();
  await expectAccessible(page, 'a page without a connection');
  await page.context().setOffline(false);
  await heading(page, 'API access').waitFor();
  await nothing.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate('globalThis.isSameDocument'), true, 'the document was never loaded again');
  panel.takeProblems();
});

test('while the service restarts a dialog keeps what was typed, and the order is placed once it is back', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await page.keyboard.press('n');
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').fill('restart');
  const button = box.getByRole('button', { name: 'Place order for $10.00' });
  await button.waitFor();
  let isDown = true;
  // Acts like a proxy whose service is away.
  await page.route('**/panel/api/**', (route) =>
    isDown ? route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }) : route.continue(),
  );
  await button.click();
  await box.getByText('No response arrived').waitFor();
  await page.getByText('No connection to the service.').waitFor();
  isDown = false;
  await page.getByText('No connection to the service.').waitFor({ state: 'detached' });
  await box.getByRole('button', { name: /^Place order/ }).click();
  await dialog(page, 'Order placed').waitFor();
  assert.equal((await reseller.get('/orders')).body.total, 1);
  assert.ok(panel.takeProblems().every((problem) => problem.includes('502')));
});

test('a page that is opened just as the service goes away opens once it is back, and the browser’s own error page is never seen @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '100.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  let isDown = true;
  await page.route(/\/panel\/(api|assets)\//, (route) => (isDown ? route.abort() : route.continue()));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Statements' }).click();
  await page.getByText('No connection to the service.').waitFor();
  await heading(page, 'Orders').waitFor();
  isDown = false;
  await heading(page, 'Statements').waitFor();
  await page.getByText('No connection to the service.').waitFor({ state: 'detached' });
  panel.takeProblems();
});
