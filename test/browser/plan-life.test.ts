// Plan actions besides orders: the effect on money is shown first, repeats are safe, and only possible actions are offered.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addPerson, ownPassword } from '../harness/people.ts';
import { expectAccessible } from './accessibility.ts';
import { chooseMore, dialog, heading, loseFirstAnswer, row, typeSignIn } from './panel-actions.ts';
import { said, untilCount, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser();
const daySeconds = 86_400;

test('a plan is renamed, set to renew itself, suspended, resumed, and cancelled for the refund that was shown, once', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '100.00' });
  const { id } = (
    await reseller.post('/orders', { package_id: service.packages.basic, customer: 'ada@example.com' })
  ).body.order.customer;
  // 21 of 31 days are unused: 10.00 × 21 ÷ 31 = 6.774…
  service.clock.seconds += 10 * daySeconds;
  const planNow = async () => (await reseller.get(`/customers/${id}`)).body.customer;
  const page = await panel.openAs(reseller, `/panel/customers/${id}`);

  await chooseMore(page, 'Edit');
  const editing = dialog(page, 'Edit customer');
  await editing.getByLabel('Name', { exact: true }).fill('Ada King');
  await editing.getByLabel('Email or username').fill('ada.king@example.com');
  await editing.getByLabel('External ID').fill('crm-7');
  await editing.getByRole('button', { name: 'Save' }).click();
  await heading(page, 'Ada King').waitFor();
  assert.partialDeepStrictEqual(await planNow(), {
    external_ref: 'crm-7',
    reference: 'ada.king@example.com',
  });

  await chooseMore(page, 'Auto-renew');
  const renewal = dialog(page, 'Auto-renew for Ada King');
  await renewal.getByLabel('Highest price, in USD').fill('12.50');
  await renewal.getByLabel('Hours before the end').fill('48');
  await expectAccessible(page, 'the dialog of auto-renewal');
  await renewal.getByRole('button', { name: 'Renew for at most $12.50 each time' }).click();
  await row(page, 'Auto-renew turned on').getByText('Monthly, for at most $12.50').waitFor();
  assert.partialDeepStrictEqual((await planNow()).plan.auto_renew, { max_charge: '12.50', hours_before: 48 });

  await chooseMore(page, 'Suspend');
  const suspending = dialog(page, 'Suspend Ada King?');
  await suspending.getByLabel('Reason').fill('Invoice 7 is unpaid');
  await suspending.getByRole('button', { name: 'Suspend, no refund' }).click();
  await row(page, 'Invoice 7 is unpaid').waitFor();
  assert.equal((await planNow()).plan.active, false);
  await chooseMore(page, 'Resume');
  await dialog(page, 'Resume Ada King?').getByRole('button', { name: 'Resume, free of charge' }).click();
  await row(page, 'Resumed').waitFor();
  await page.getByText('Active', { exact: true }).first().waitFor();

  await chooseMore(page, 'Cancel plan');
  const cancelling = dialog(page, 'Cancel Ada King’s plan?');
  await cancelling.getByRole('radio', { name: 'Now' }).check({ force: true });
  const end = cancelling.getByRole('button', { name: 'End now, $6.77 refunded' });
  await end.waitFor();
  await cancelling.getByText('$96.77').waitFor();
  await expectAccessible(page, 'the dialog of a cancel');
  // The repeated request must be paid only once.
  await loseFirstAnswer(page, /\/v1\/customers\/\d+\/cancel$/);
  await end.click();
  await cancelling.getByText('No response arrived').waitFor();
  await cancelling.getByRole('button', { name: /^End now/ }).click();
  await said(page, 'Plan canceled. $6.77 was refunded.');
  await row(page, 'Canceled').getByText('$6.77 refunded').waitFor();
  assert.equal((await reseller.get('/balance')).body.balance, '96.77');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Erase' }).waitFor();
  await untilCount(page.getByRole('menuitem', { name: /Cancel plan|Auto-renew/ }), 0);
  await page.keyboard.press('Escape');
  panel.takeProblems();

  await chooseMore(page, 'Erase');
  const erasing = dialog(page, 'Erase Ada King?');
  const erase = erasing.getByRole('button', { name: 'Erase customer' });
  await expectAccessible(page, 'the dialog of erasing');
  await erasing.getByLabel('Email or username').fill('ada@example.com');
  assert.equal(await erase.isDisabled(), true, 'the former reference does not confirm it');
  await erasing.getByLabel('Email or username').fill('ada.king@example.com');
  await erase.click();
  await heading(page, `erased-${id}`).waitFor();
  // Messages of earlier steps name the customer.
  await page.reload();
  await heading(page, `erased-${id}`).waitFor();
  await row(page, 'Plan started').waitFor();
  await untilCount(page.getByRole('button', { name: /^(?:Renew|Login link)$/ }), 0);
  assert.deepEqual(await page.getByText(/\bada\b|crm-7/i).allTextContents(), []);
});

test('a cancel at the period’s end is marked and can be undone; anyone who only looks is offered nothing of it @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '100.00' });
  const { id } = (await reseller.post('/orders', { package_id: service.packages.basic, customer: 'bert' }))
    .body.order.customer;
  const page = await panel.openAs(reseller, `/panel/customers/${id}`);
  await chooseMore(page, 'Cancel plan');
  await dialog(page, 'Cancel bert’s plan?').getByRole('button', { name: 'Cancel at period end' }).click();
  await page.getByText('Ends with the current period', { exact: true }).waitFor();
  await chooseMore(page, 'Undo cancellation');
  await dialog(page, 'Undo the cancellation?').getByRole('button', { name: 'Undo, no charge' }).click();
  await page.getByText('Ends with the current period', { exact: true }).waitFor({ state: 'detached' });
  assert.equal((await reseller.get(`/customers/${id}`)).body.customer.plan.ends_at_period_end, false);

  const viewer = await addPerson(service, reseller, 'viewer');
  const looking = await panel.open('/panel/sign-in');
  await typeSignIn(looking, viewer.username, ownPassword);
  await heading(looking, 'Overview').waitFor();
  await looking.goto(`/panel/customers/${id}`);
  await row(looking, 'Plan started').waitFor();
  await looking.getByRole('button', { name: 'More', exact: true }).click();
  await looking.getByRole('menuitem', { name: 'Export data' }).waitFor();
  assert.equal(await looking.getByRole('menuitem').count(), 1);
});
