// Prices of one account and prices that stay, on the pages: what the operator types is what an order costs, to the cent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { expectStatus } from '../harness/refusals.ts';
import { createPackage } from '../harness/shop.ts';
import { expectAccessible } from './accessibility.ts';
import { confirmWithPassword, dialog, heading, row } from './panel-actions.ts';
import { said, untilDisabled, untilValue, usePanelBrowser } from './panel-browser.ts';

let studio: number;
const panel = usePanelBrowser(async (service) => {
  studio = await createPackage(service, 'Studio', ['10.00', '27.00', '96.00']);
});

const pricesPage = ({ id }: TestAccount) => `/panel/admin/accounts/${id}?tab=prices`;
const listsOf = async ({ id }: Pick<TestAccount, 'id'>) =>
  expectStatus(await panel.service.admin.get(`/api/admin/v1/accounts/${id}/prices`), 200).data;

async function place(page: Page, customer: string, period: string, button: string): Promise<void> {
  await page.goto('/panel/orders');
  await page.getByRole('button', { name: 'Place an order' }).first().click();
  const box = dialog(page, 'Place an order');
  await box.getByLabel('Customer').fill(customer);
  await box.getByRole('radio', { name: 'Studio' }).check({ force: true });
  await box.getByRole('radio', { name: period }).check({ force: true });
  await box.getByRole('button', { name: button }).click();
  await dialog(page, 'Order placed').getByRole('link', { name: 'View order' }).click();
  await heading(page, /^Order \d/).waitFor();
}

test('an operator sets an account’s prices, the account orders at them, and every page says which rule set the price @nightly', async () => {
  const { service } = panel;
  const discounted = await service.createReseller({ credit: '100.00' });
  const username = await usernameOf(service, discounted);
  const page = await panel.openAs(service.admin, pricesPage(discounted));
  const paid = page.getByRole('table', { name: 'What the account pays now' });
  await paid
    .getByRole('row', { name: /Studio/ })
    .getByText('Group price')
    .filter({ visible: true })
    .first()
    .waitFor();
  await page.getByText('The account pays the prices of its group.').waitFor();

  await page.getByRole('button', { name: 'Set prices' }).click();
  const form = dialog(page, `Set prices for ${username}`);
  await form.getByRole('button', { name: 'Return to group prices' }).waitFor();
  await form.getByLabel('Percent off').fill('120');
  await form.getByText('Enter a percentage from 0 to 100, such as 12.5.').waitFor();
  await form.getByLabel('Percent off').fill('12.5');
  const ofStudio = form.getByRole('group', { name: 'Studio' });
  await ofStudio.getByText('Pays $23.63 (−12.5%)').waitFor();
  await ofStudio.getByText('Group $27.00').waitFor();
  await ofStudio.getByLabel('Studio, monthly').fill('4.99');
  await form.getByText('Studio, monthly: $4.99 is less than half of the group’s $10.00 (−50.1%).').waitFor();
  await ofStudio.getByLabel('Studio, yearly').fill('0');
  await form.getByText('Studio, yearly: free. The group pays $96.00.').waitFor();
  await form.getByRole('button', { name: 'Set anyway' }).waitFor();
  await expectAccessible(page, 'prices of an account that are odd');
  await ofStudio.getByLabel('Studio, monthly').fill('8.99');
  await ofStudio.getByLabel('Studio, yearly').fill('');
  await form.getByText('Double-check these prices').waitFor({ state: 'detached' });
  await form.getByLabel('Memo').fill('Contract 2026');
  await untilDisabled(form.getByRole('button', { name: 'Set prices' }), 'the password is missing');
  await confirmWithPassword(form, testPassword, 'Set prices');
  await said(page, 'Prices set. They apply from the next order on.');
  await paid.getByText('Own price · group $10.00 (−10.1%)').filter({ visible: true }).waitFor();
  await paid
    .getByRole('row', { name: /Studio/ })
    .getByText('$84.00')
    .filter({ visible: true })
    .waitFor();
  const lists = page.getByRole('table', { name: 'Price lists, to come and past' });
  await lists.getByText('In effect').waitFor();
  await lists.getByText('Contract 2026').waitFor();
  await expectAccessible(page, 'the prices of an account');
  assert.partialDeepStrictEqual(await listsOf(discounted), [
    { percent_off: '12.50', prices: [{ package_id: studio, monthly: '8.99' }], until: null },
  ]);

  const own = await panel.openAs(discounted);
  await place(own, 'ada', 'Quarterly', 'Place order for $23.63');
  const rule = /^Account price of \d+\s\w+\s2026 \(12\.5% off\)$/;
  await own.getByText(rule).waitFor();
  const number = new URL(own.url()).pathname.split('/').at(-1) ?? '';
  assert.partialDeepStrictEqual((await discounted.get(`/orders/${number}`)).body.order, {
    price: '23.63',
    price_rule: 'account',
    percent_off: '12.50',
  });
  assert.equal((await discounted.get('/balance')).body.balance, '76.37');
  await place(own, 'bert', 'Monthly', 'Place order for $8.99');
  await own.getByText(/^Account price of \d+\s\w+\s2026$/).waitFor();
  await own.goto('/panel/ledger');
  await row(own, `Charge for order ${number}`).getByRole('link').first().click();
  await dialog(own, /^Charge/)
    .getByText(rule)
    .waitFor();
  await page.goto(`/panel/admin/orders/${number}`);
  await page.getByText(rule).waitFor();

  await page.goto(`/panel/admin/packages/${studio}`);
  const others = page.getByRole('table', { name: 'Accounts with other prices' });
  await others.getByText('$8.99').filter({ visible: true }).waitFor();
  await expectAccessible(page, 'the page of a package that an account pays less for');
  await others.getByRole('link', { name: username }).click();
  await page.getByRole('table', { name: 'Price lists, to come and past' }).waitFor();
});

test('in German a comma is a comma; a refusal stands at its field; prices to come are listed and deleted @nightly', async () => {
  const { service } = panel;
  const account = await service.createReseller();
  const username = await usernameOf(service, account);
  const present = { percent_off: '5.00', prices: [{ package_id: studio, monthly: '8.99' }] };
  const put = await service.admin.send('PUT', `/api/admin/v1/accounts/${account.id}/prices`, present);
  assert.equal(put.status, 200, put.text);
  const page = await panel.openAs(service.admin, pricesPage(account), {
    locale: 'de-DE',
    viewport: { width: 390, height: 800 },
  });
  await page.getByRole('button', { name: 'Preise festlegen' }).click();
  const form = dialog(page, `Preise für ${username} festlegen`);
  await untilValue(form.getByLabel('Studio, monatlich'), '8,99');
  await form.getByLabel('Nachlass in Prozent').fill('7,5');
  await form.getByLabel('Studio, monatlich').fill('12,5');
  await form.getByText('Zahlt 12,50\u00a0$ (+25\u00a0%)').waitFor();
  await form.getByLabel('Studio, jährlich').fill('1.234');
  await form.getByText(/^Studio, jährlich: 1\.234,00/).waitFor();
  await form.getByLabel('Studio, jährlich').fill('');
  await form.getByRole('radio', { name: 'Zu einem Termin' }).check({ force: true });
  await form.getByLabel('Tag', { exact: true }).fill('2025-12-31');
  await form.getByLabel('Ihr Passwort').fill(testPassword);
  await form.getByRole('button', { name: 'Preise festlegen' }).click();
  await form.getByRole('alert').getByText('Darf nicht in der Vergangenheit liegen.').waitFor();
  assert.equal(await form.getByLabel('Tag', { exact: true }).getAttribute('aria-invalid'), 'true');
  await expectAccessible(page, 'a refused price list on a phone, in German');
  await form.getByLabel('Tag', { exact: true }).fill('2026-06-01');
  await form.getByLabel('Bis (optional)').fill('2026-05-01');
  await form.getByRole('button', { name: 'Preise festlegen' }).click();
  await form.getByRole('alert').getByText('Das Ende liegt vor dem Anfang.').waitFor();
  await form.getByLabel('Bis (optional)').fill('2026-07-01');
  await form.getByRole('button', { name: 'Preise festlegen' }).click();
  await form.waitFor({ state: 'hidden' });
  assert.partialDeepStrictEqual((await listsOf(account))[0], {
    from: '2026-05-31T22:00:00Z',
    until: '2026-06-30T22:00:00Z',
    percent_off: '7.50',
    prices: [{ package_id: studio, monthly: '12.50' }],
    begun: false,
  });
  await expectAccessible(page, 'the prices of an account on a phone, in German');
  await page.getByRole('button', { name: /^Die Preise ab 1\. Juni 2026.* löschen$/ }).click();
  await dialog(page, 'Diese Preise löschen?').getByRole('button', { name: 'Preise löschen' }).click();
  await page.getByText('Geplant', { exact: true }).waitFor({ state: 'detached' });
  assert.equal((await listsOf(account)).length, 1);
});

test('who schedules a price says what running plans pay, sees what that means, and a held plan renews at its price', async () => {
  const { service } = panel;
  const ordinary = await service.createReseller({ credit: '100.00' });
  const id = await createPackage(service, 'Atelier', ['10.00', '27.00', '96.00']);
  const buy = (customer: string, months: number) =>
    ordinary.post('/orders', { package_id: id, customer, months });
  const { customer } = expectStatus(await buy('cleo', 1), 201).order;
  expectStatus(await buy('dora', 1), 201);
  expectStatus(await buy('eve', 3), 201);
  const page = await panel.openAs(service.admin, `/panel/admin/packages/${id}`);
  await page.getByRole('button', { name: 'Schedule prices' }).click();
  const form = dialog(page, 'Schedule prices for Atelier');
  await form.getByLabel('Day', { exact: true }).fill('2026-02-01');
  await form.getByLabel('Reseller, monthly').fill('11.25');
  const follow = form.getByRole('radio', { name: /^They pay the new price when they renew/ });
  const keep = form.getByRole('radio', { name: /^They keep their price/ });
  assert.equal(await follow.isChecked(), true);
  await form.getByText('2 plans, $22.50 a month instead of $20.00').waitFor();
  await form.getByText('2 plans, $20.00 a month as now').waitFor();
  await form.getByLabel('Reseller, quarterly').fill('30');
  await form.getByText('3 plans, $32.50 a month instead of $29.00').waitFor();
  await form.getByText('3 plans, $29.00 a month as now').waitFor();
  await form.getByLabel('Distributor, yearly').fill('90');
  await form.getByLabel('Reseller, quarterly').fill('');
  await keep.check({ force: true });
  await expectAccessible(page, 'the question about running plans');
  await confirmWithPassword(form, testPassword, 'Schedule prices');
  await form.waitFor({ state: 'hidden' });
  await page
    .getByRole('table', { name: 'Scheduled prices' })
    .getByText('Running plans keep their price')
    .waitFor();

  service.clock.seconds = Date.parse('2026-02-02T12:00:00Z') / 1000;
  const own = await panel.openAs(ordinary, `/panel/customers/${customer.id}`);
  await own.getByRole('button', { name: 'Renew', exact: true }).click();
  const renewing = dialog(own, 'Renew Atelier');
  await renewing.getByText('Held price (since 1 Feb 2026)').waitFor();
  await expectAccessible(own, 'the renewal of a held plan');
  await renewing.getByRole('button', { name: 'Renew for $10.00' }).click();
  await dialog(own, 'Renewed').getByRole('link', { name: 'View order' }).click();
  await own.getByText('Held price (since 1 Feb 2026)').waitFor();
  const number = new URL(own.url()).pathname.split('/').at(-1);
  assert.partialDeepStrictEqual((await ordinary.get(`/orders/${number}`)).body.order, {
    price: '10.00',
    price_rule: 'held',
  });
  assert.equal(expectStatus(await buy('finn', 1), 201).order.price, '11.25');
});
