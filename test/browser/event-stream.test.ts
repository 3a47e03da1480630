// Pages that follow something: the event stream brings news without polling, and polling does where there is no stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import { signIn } from '../harness/panel-client.ts';
import { credit, placeOrder } from '../harness/shop.ts';
import { balance, goTo, heading, row } from './panel-actions.ts';
import { untilTrue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

/** Intervals of a second or more never fire, so the page cannot poll. */
function stopIntervals(): void {
  const setEvery = globalThis.setInterval;
  globalThis.setInterval = ((handler: () => void, milliseconds = 0) =>
    setEvery(milliseconds < 1_000 ? handler : () => undefined, milliseconds)) as typeof setInterval;
}

async function openWithoutPolling(page: Page, path: string): Promise<void> {
  await page.addInitScript(stopIntervals);
  const opened = page.waitForResponse('**/panel/api/stream');
  await page.goto(path);
  assert.equal((await opened).status(), 200);
}

async function testKeyOf(page: Page): Promise<string> {
  const sample = page.getByRole('region', { name: 'Test order', exact: true });
  let key: string | undefined;
  await untilTrue(async () => {
    key = /sk_test_[A-Za-z0-9]{20,}/.exec(await sample.innerText())?.[0];
    return key !== undefined;
  }, 'a test key in the sample');
  return key ?? '';
}

test('on Connect a request with the test key appears though the page cannot poll @nightly', async () => {
  const account = await panel.service.createReseller();
  const page = await panel.openAs(account, '/icon.svg');
  await openWithoutPolling(page, '/panel/connect');
  const api = createApiClient(panel.service.address, await testKeyOf(page));
  const arrivals = page.getByRole('region', { name: 'Test requests' });
  await arrivals.getByText('Waiting for your request.').waitFor();
  assert.equal((await api.get('/balance')).status, 200);
  await arrivals.getByText('GET /api/v1/balance').waitFor();
});

test('where the stream is refused, the page polls @nightly', async () => {
  const account = await panel.service.createReseller();
  const page = await panel.openAs(account, '/icon.svg');
  let refused = 0;
  await page.route('**/panel/api/stream', (route) => {
    refused += 1;
    return route.fulfill({ status: 429, json: { error: { code: 'rate_limited', message: 'Too many.' } } });
  });
  await page.goto('/panel/connect');
  const api = createApiClient(panel.service.address, await testKeyOf(page));
  const arrivals = page.getByRole('region', { name: 'Test requests' });
  await arrivals.getByText('Waiting for your request.').waitFor();
  await untilTrue(async () => refused > 0, 'a refused stream');
  assert.equal((await api.get('/balance')).status, 200);
  await arrivals.getByText('GET /api/v1/balance').waitFor();
});

test('orders and credits of others appear on open pages, and the end of the session does', async () => {
  const account = await panel.service.createReseller({ credit: '40.00' });
  const page = await panel.openAs(account, '/icon.svg');
  await openWithoutPolling(page, '/panel/orders');
  await heading(page, 'Orders').waitFor();
  await placeOrder(panel.service, account, { customer: 'streamed@example.com' });
  await page.getByRole('main').getByText('streamed@example.com').first().waitFor();
  await balance(page).getByText('$30.00').waitFor();
  await goTo(page, 'Ledger');
  await row(page, '−$10.00').waitFor();
  await credit(panel.service, account, '7.00');
  await row(page, '+$7.00').getByText('$37.00').waitFor();
  await balance(page).getByText('$37.00').waitFor();
  const elsewhere = await signIn(panel.service, account, { setPassword: false });
  assert.equal((await elsewhere.delete('/sessions')).status, 204);
  await page.getByRole('dialog').getByLabel('Password').waitFor();
});

test('a hidden tab has no stream, and shown again it reads what it may have missed @nightly', async () => {
  const account = await panel.service.createReseller();
  const page = await panel.openAs(account, '/icon.svg');
  await openWithoutPolling(page, '/panel/connect');
  const api = createApiClient(panel.service.address, await testKeyOf(page));
  const arrivals = page.getByRole('region', { name: 'Test requests' });
  await arrivals.getByText('Waiting for your request.').waitFor();
  const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/panel/api/stream'));
  await page.evaluate(hide, true);
  await closed;
  assert.equal((await api.get('/balance')).status, 200);
  const again = page.waitForResponse('**/panel/api/stream');
  await page.evaluate(hide, false);
  assert.equal((await again).status(), 200);
  await arrivals.getByText('GET /api/v1/balance').waitFor();
});

test('with a stream, no query polls more often than once a minute', async () => {
  const account = await panel.service.createReseller();
  const page = await panel.openAs(account, '/icon.svg');
  await page.addInitScript(hasten, 20);
  await page.goto('/panel/connect');
  await page.getByRole('region', { name: 'Live requests' }).waitFor();
  const intervals = () =>
    page.evaluate(() => (globalThis as unknown as { intervals(): number[] }).intervals());
  await untilTrue(async () => {
    const running = await intervals();
    return running.length > 0 && running.every((milliseconds) => milliseconds >= 60_000);
  }, 'only slow intervals');
});

function hide(isHidden: boolean): void {
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

/** Intervals, and the time that the page measures, run faster. */
function hasten(times: number): void {
  const [setEvery, clear] = [globalThis.setInterval, globalThis.clearInterval];
  const now = performance.now.bind(performance);
  performance.now = () => now() * times;
  const running = new Map<number, number>();
  globalThis.setInterval = ((handler: () => void, milliseconds = 0) => {
    const id = Number(setEvery(handler, milliseconds / times));
    if (milliseconds >= 1_000) running.set(id, milliseconds);
    return id;
  }) as unknown as typeof setInterval;
  globalThis.clearInterval = ((id?: number) => {
    running.delete(Number(id));
    clear(id);
  }) as typeof clearInterval;
  Object.assign(globalThis, { intervals: () => [...running.values()] });
}
