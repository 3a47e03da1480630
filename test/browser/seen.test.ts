// States, choices in forced colors and the operator's logo are visible at every width. Texts meant for programs are not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { pngFile } from '../harness/logo-files.ts';
import { changePackage } from '../harness/shop.ts';
import { dialog, heading, row } from './panel-actions.ts';
import { untilCount, untilDisabled, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();

test('the order dialog says before the button that an order waits, that the customer is suspended, that the package is retired', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '200.00' });
  const order = async (customer: string, packageId: number): Promise<number> => {
    const placed = await reseller.post('/orders', { package_id: packageId, customer });
    assert.equal(placed.status, 201, placed.text);
    return placed.body.order.customer.id;
  };
  const { basic, plus } = service.packages;
  const held = await order('is.suspended', basic);
  assert.equal((await reseller.post(`/customers/${held}/suspend`, {})).status, 200);
  await order('is.retired', plus);
  const product = { mode: 'confirm', url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  const setProduct = async (mode: string) =>
    assert.equal(
      (await service.admin.send('PUT', '/api/admin/v1/product', { ...product, mode })).status,
      200,
    );
  await setProduct('confirm');
  await order('is.waiting', basic);
  await setProduct('none');
  await changePackage(service, plus, { retired: true });
  try {
    const page = await panel.openAs(reseller, '/panel/orders');
    await page.getByRole('main').getByRole('button', { name: 'Place an order' }).first().click();
    const box = dialog(page, 'Place an order');
    for (const [customer, said] of [
      ['is.waiting', /is still waiting for the operator’s product/],
      ['is.suspended', /^This customer is suspended\./],
      ['is.retired', /^Plus is no longer available\./],
    ] as const) {
      await box.getByRole('combobox', { name: 'Customer' }).fill(customer);
      await box.getByText(said).waitFor();
    }
    // Only the customer can choose another package instead of a retired one.
    await box
      .getByRole('radio', { name: /^Basic/ })
      .and(page.locator(':not(:checked)'))
      .waitFor();
    await untilDisabled(box.getByRole('button', { name: /^Place order/ }));
  } finally {
    await changePackage(service, plus, { retired: false });
  }
});

test('the product’s mark and the operator’s logo, however wide, are seen on phones, tablets and wide screens @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(reseller, '/panel/');
  const look = async (selector: string, shape = 1) => {
    await page.reload();
    await heading(page, 'Overview').waitFor();
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      const logo = page.locator(`:is(header, aside) ${selector}:visible`).first();
      await logo.waitFor();
      const box = await logo.boundingBox();
      assert.ok(box !== null && box.height >= 20 && box.width >= 20, `${width}: ${JSON.stringify(box)}`);
      // Pictures are drawn within their box, so a wide one is lower than the box.
      assert.ok(box.width * shape >= 16, `${width}: ${box.width * shape} pixels high`);
    }
  };
  await look('svg[viewBox="0 0 32 32"]');
  for (const size of [
    { width: 40, height: 20 },
    { width: 120, height: 24 },
    { width: 400, height: 50 },
  ]) {
    const data = pngFile(size).toString('base64');
    assert.equal((await service.admin.send('PUT', '/api/admin/v1/brand/logo', { data })).status, 200);
    await look('img[src*="/brand/logo"]', size.height / size.width);
  }
  assert.equal((await service.admin.send('DELETE', '/api/admin/v1/brand/logo')).status, 200);
});

test('in forced colors the current page and tab, the selected and the open row stand out @nightly', async () => {
  const { service } = panel;
  const { admin } = service;
  const reseller = await service.createReseller({ credit: '50.00' });
  for (const customer of ['first.one', 'second.one', 'third.one']) {
    await reseller.post('/orders', { package_id: service.packages.basic, customer: `${customer}.of` });
  }
  const page = await panel.openAs(reseller, '/panel/customers', { forcedColors: 'active' });
  const [first, second, third] = ['third.one', 'second.one', 'first.one'].map((name) => row(page, name));
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  await first.waitFor();
  const menu = page.getByRole('navigation', { name: 'Main' });
  await expectSeen(menu.getByRole('link', { name: 'Customers' }), menu.getByRole('link', { name: 'Orders' }));

  await first.getByRole('checkbox').click();
  await page.getByRole('region', { name: 'Selected customers' }).waitFor();
  await expectSeen(first, second);
  await second.getByRole('link').click();
  await dialog(page, /second\.one/).waitFor();
  await expectSeen(second, third);

  const console = await panel.openAs(admin, `/panel/admin/accounts/${reseller.id}?tab=orders`, {
    forcedColors: 'active',
  });
  const tabs = console.getByRole('navigation', { name: 'Parts of the account' });
  await tabs.getByRole('link', { name: 'Orders' }).and(console.locator('[aria-current=page]')).waitFor();
  await expectSeen(tabs.getByRole('link', { name: 'Orders' }), tabs.getByRole('link', { name: 'Customers' }));
});

test('what is not there offers no second try, on pages, in lists and beside them; and no refusal speaks to programs @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '50.00' });
  const page = await panel.openAs(reseller, '/panel/orders/1');
  await heading(page, 'Order not found').waitFor();
  await page.getByText('Your account has no order 1.').waitFor();
  await untilCount(page.getByRole('button', { name: 'Try again' }), 0);
  await page.getByRole('link', { name: 'All orders' }).click();
  await heading(page, 'Orders').waitFor();
  await page.goto('/panel/orders?open=999');
  await expectNoRetry(page, 'Order not found.');
  await page.goto('/panel/customers?open=999');
  await expectNoRetry(page, 'Customer not found.');
  const console = await panel.openAs(service.admin, '/panel/admin/accounts/999?tab=requests');
  await expectNoRetry(console, 'Account not found.');

  let refusal: object | null = null;
  await page.route(/\/panel\/api\/v1\/customers(?:\?|$)/, (route) => {
    if (refusal === null) return route.continue();
    const body = JSON.stringify({ error: refusal });
    refusal = null;
    return route.fulfill({ status: 422, contentType: 'application/json', body });
  });
  for (const [code, details, said] of [
    ['invalid_filter', {}, 'A filter is invalid. Remove it and try again.'],
    ['validation_failed', { field: 'expires_at', reason: 'for programs' }, 'Last day: Invalid value.'],
    ['of_a_newer_service', {}, 'The service refused this. Reload the page and try again.'],
  ] as const) {
    refusal = { code, message: 'For programs.', details };
    await page.goto('/panel/customers');
    await page.getByRole('alert').getByText(said, { exact: true }).waitFor();
    assert.equal(await page.getByText(/for programs/i).count(), 0, code);
  }
});

async function expectNoRetry(page: Page, said: string): Promise<void> {
  const alert = page.getByRole('alert').filter({ hasText: said });
  await alert.waitFor();
  assert.equal(await alert.getByRole('button', { name: 'Try again' }).count(), 0, said);
}

/** Compares outlines and edges, because forced colors remove backgrounds. */
async function expectSeen(chosen: Locator, other: Locator): Promise<void> {
  const [one, two] = await Promise.all(
    [chosen, other].map((element) =>
      element.evaluate((node) => {
        const { outlineStyle, outlineWidth, outlineColor, borderColor, borderWidth } = getComputedStyle(node);
        const outline = outlineStyle === 'none' ? 'none' : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
        return `${outline}, ${borderWidth} ${borderColor}`;
      }),
    ),
  );
  assert.notEqual(one, two);
}
