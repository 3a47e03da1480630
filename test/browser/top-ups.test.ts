// Adding funds in a real browser, the whole way: the stand-in's hosted page, transfers, test mode and the settings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { rfReference } from '../../src/features/payments/bank/rf-reference.ts';
import { type StandInStripe, startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { testPassword } from '../harness/panel-client.ts';
import { bank, sessionOf, setPayments, topUp, webhookSecret } from '../harness/payment-scene.ts';
import { addPerson } from '../harness/people.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runJob } from '../harness/run-job.ts';
import { expectAccessible } from './accessibility.ts';
import { balance, confirmWithPassword, dialog, goTo, heading, row } from './panel-actions.ts';
import { untilCount, untilDisabled, untilTrue, untilValue, usePanelBrowser } from './panel-browser.ts';

let standIn: StandInStripe | undefined;
let seconds = () => 0;
const panel = usePanelBrowser(
  async (service) => {
    seconds = () => service.clock.seconds;
    provider().control.setEndpoints([
      { urls: [`${service.address}/payments/stripe`], secrets: [webhookSecret] },
    ]);
    await setPayments(service, {});
  },
  async () => {
    standIn = await startStandInStripe({ milliseconds: () => seconds() * 1000, retryMilliseconds: [] });
    return { CURRENCY: 'EUR', STRIPE_API_BASE: standIn.url };
  },
);
after(() => standIn?.stop());

function provider(): StandInStripe {
  assert.ok(standIn, 'the stand-in runs once the tests have begun');
  return standIn;
}

test('an order that the balance does not cover waits in its dialog, and is placed by one press once the card has paid', async () => {
  const reseller = await panel.service.createReseller({ credit: '4.00' });
  const page = await panel.openAs(reseller);
  const order = await shortOrder(page, 'ada@example.com');
  await order.getByRole('alert').getByText('€4.00').waitFor();
  await order.getByRole('button', { name: 'Add funds' }).click();
  const adding = dialog(page, 'Add funds');
  await untilValue(adding.getByLabel('Amount in EUR'), '6.00');
  await expectAccessible(page, 'the dialog above the order');
  const opened = page.context().waitForEvent('page');
  await adding.getByRole('button', { name: 'Continue to payment' }).click();
  const hosted = await opened;
  await hosted.getByText('€6.00').waitFor();
  await dialog(page, 'Payment of €6.00').getByText('Not paid yet').waitFor();
  await expectAccessible(page, 'the payment that is waited for');
  await untilCount(row(page, 'ada@example.com'), 0);

  await hosted.getByRole('button', { name: 'Pay', exact: true }).click();
  await heading(hosted, /^Top-up \d/).waitFor();
  await hosted.getByText('€6.00 was added to the balance').waitFor();
  await hosted.getByText('The balance is now €10.00.').waitFor();

  await order.getByText('€6.00 was added to the balance. You can place the order now.').waitFor();
  const place = order.getByRole('button', { name: 'Place order for €10.00' });
  await place.waitFor();
  const { data } = expectStatus(await reseller.get('/orders'), 200);
  assert.equal(data.length, 0, 'nothing is ordered before the press');
  await place.click();
  await dialog(page, 'Order placed').getByText('€0.00').waitFor();
});

test('an order waits for a transfer too, whose details stay at hand @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller);
  const order = await shortOrder(page, 'bert');
  await order.getByRole('button', { name: 'Add funds' }).click();
  const adding = dialog(page, 'Add funds');
  await adding.getByRole('radio', { name: /^Bank transfer/ }).check({ force: true });
  await adding.getByRole('button', { name: 'Show bank details' }).click();
  const waiting = dialog(page, 'Payment of €10.00');
  await waiting.getByText('DE89 3704 0044 0532 0130 00').waitFor();
  await expectAccessible(page, 'bank details above an order');
  await waiting.getByRole('button', { name: 'Back to the order' }).click();
  await order.getByText('Waiting for your payment of €10.00.').waitFor();
  await order.getByRole('button', { name: 'Show the payment' }).click();
  await waiting.getByRole('img', { name: 'QR code with the bank details' }).waitFor();
  await waiting.getByRole('button', { name: 'Back to the order' }).click();

  const credited = { amount: '10.00', memo: 'Transfer' };
  expectStatus(await panel.service.admin.post(`/api/admin/v1/accounts/${reseller.id}/credit`, credited), 201);
  await order.getByRole('button', { name: 'Place order for €10.00' }).waitFor();
});

test('a card top-up from the overview leads to the provider and back, and is credited only when the money has come', async () => {
  const reseller = await panel.service.createReseller({ credit: '1.00' });
  const page = await panel.openAs(reseller);
  await addFunds(page, '25', 'Continue to payment');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('Not paid yet. You can pay until').waitFor();
  await expectAccessible(page, 'a top-up that is not paid');
  await page.getByRole('link', { name: 'Continue to payment' }).click();

  provider().control.configureDeliveries({ mode: 'hold' });
  await page.getByRole('button', { name: 'Pay', exact: true }).click();
  await page.getByText('Your payment is being confirmed.').waitFor();
  await untilCount(page.getByText('was added to the balance'), 0);
  await balance(page).getByText('€1.00').waitFor();
  await provider().control.release();
  await page.getByText('€25.00 was added to the balance').waitFor();
  await page.getByText('The balance is now €26.00.').waitFor();
  await balance(page).getByText('€26.00').waitFor();
  await expectAccessible(page, 'a top-up that is credited');

  await goTo(page, 'Top-ups');
  await row(page, 'Card').getByRole('cell', { name: 'Credited' }).waitFor();
  await page.getByLabel('Status').selectOption('open');
  await page.getByText('No matching top-ups').waitFor();
  await page.getByLabel('Status').selectOption('paid');
  await row(page, 'Card').getByText('€25.00').waitFor();
  await page.getByLabel('Payment method').selectOption('bank_transfer');
  await page.getByText('No matching top-ups').waitFor();
});

test('a transfer shows where it goes, can be copied and scanned, and can be canceled @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/top-ups');
  await page.getByText('No top-ups yet').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Add funds' }).first().click();
  const adding = dialog(page, 'Add funds');
  const send = adding.getByRole('button', { name: /Continue to payment|Show bank details/ });
  await adding.getByLabel('Amount in EUR').fill('0.50');
  await adding.getByText('From €1.00 to €5,000.00.').waitFor();
  await untilDisabled(send);
  await adding.getByLabel('Amount in EUR').fill('1,250.5');
  await adding.getByRole('radio', { name: /^Bank transfer/ }).check({ force: true });
  await expectAccessible(page, 'the dialog');
  await send.click();

  await heading(page, /^Top-up \d/).waitFor();
  const details = page.getByRole('region', { name: 'Bank details' });
  for (const shown of ['Example Ltd', 'DE89 3704 0044 0532 0130 00', '€1,250.50'])
    await details.getByText(shown).waitFor();
  await details.getByText(/^RF\d\d( \d{1,4})+$/).waitFor();
  await details.getByRole('img', { name: 'QR code with the bank details' }).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const [button, copied] of [
    ['Copy IBAN', bank.iban],
    ['Copy amount', '1250.50'],
    ['Copy payment reference', /^RF\d{10}$/],
  ] as const) {
    await details.getByRole('button', { name: button }).click();
    await untilTrue(async () => {
      const text = String(await page.evaluate(() => navigator.clipboard.readText()));
      return typeof copied === 'string' ? text === copied : copied.test(text);
    }, `${button} copies ${copied}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  await expectAccessible(page, 'bank details on a phone');
  const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.equal(overhang, 0, 'bank details fit a phone');
  await page.getByRole('button', { name: 'Cancel top-up' }).click();
  await dialog(page, 'Cancel this top-up?').getByRole('button', { name: 'Cancel top-up' }).click();
  await page.getByText('This top-up was canceled.').waitFor();
  await untilCount(page.getByRole('region', { name: 'Bank details' }), 0);
});

test('a payment that is taken back after it was spent is said as what is owed @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const topup = await topUp(reseller, '12.00');
  provider().control.press(sessionOf(topup), 'pay_and_dispute');
  await provider().control.deliveriesSettled();
  const page = await panel.openAs(reseller, '/panel/top-ups');
  await row(page, 'Card').getByText('€12.00 disputed').waitFor();
  const spent = await panel.service.createReseller();
  await owe(spent);
  const owing = await panel.openAs(spent);
  await owing.getByText('You owe €10.00').waitFor();
  await goTo(owing, 'Top-ups');
  await owing.getByText('You owe €10.00').waitFor();
  await goTo(owing, 'Overview');
  const order = await shortOrder(owing, 'cy');
  await order.getByRole('button', { name: 'Add funds' }).click();
  // 10.00 for the order, and 10.00 that are paid first.
  await untilValue(dialog(owing, 'Add funds').getByLabel('Amount in EUR'), '20.00');

  const console = await panel.openAs(panel.service.admin, '/panel/admin/payments?tab=receivables');
  const { username } = expectStatus(
    await panel.service.admin.get(`/api/admin/v1/accounts/${spent.id}`),
    200,
  ).account;
  await row(console, username).getByText('€10.00').waitFor();
  await expectAccessible(console, 'accounts that owe money');
  await row(console, username).getByRole('button').click();
  const writing = dialog(console, `Write off what ${username} owes?`);
  await writing.getByLabel('Amount in EUR').fill('4');
  await writing.getByLabel('Reason').fill('Agreed by phone');
  await confirmWithPassword(writing, testPassword, 'Write off');
  await row(console, username).getByText('€6.00').waitFor();
  await owing.getByText('You owe €6.00').waitFor();
});

test('the operator refunds a top-up, and sees what the account will owe @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const topup = await topUp(reseller, '20.00');
  provider().control.press(sessionOf(topup), 'pay');
  await provider().control.deliveriesSettled();
  await spend(reseller, '15.00');
  const username = await usernameOf(reseller);
  const page = await panel.openAs(panel.service.admin, '/panel/admin/payments');
  await page.getByLabel('Status').selectOption('paid');
  await row(page, username).waitFor();
  await page.getByLabel('Status').selectOption('');
  await row(page, username).getByRole('link').click();
  const drawer = dialog(page, `Top-up ${topup.id}`);
  await drawer.getByText('€20.00').waitFor();
  await expectAccessible(page, 'a top-up of any account');
  await drawer.getByRole('button', { name: 'Refund' }).click();
  const refunding = dialog(page, `Refund ${username}?`);
  await untilValue(refunding.getByLabel('Amount in EUR'), '20.00');
  await refunding.getByText('The balance is €15.00 too small.').waitFor();
  await expectAccessible(page, 'the refund');
  await untilDisabled(refunding.getByRole('button', { name: 'Refund' }));
  await refunding.getByRole('switch', { name: 'Refund more than the balance' }).click();
  await refunding.getByLabel('Reason').fill('Ordered by mistake');
  await confirmWithPassword(refunding, testPassword, 'Refund');
  await page.getByText('€20.00 refunded.', { exact: true }).waitFor();
  await drawer.getByText('Sent back to the card').waitFor();
  await drawer.getByText('Ordered by mistake').waitFor();
  await expectAccessible(page, 'a refunded top-up');
  await drawer.getByRole('link', { name: 'Receipt as PDF' }).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await byKeyboard(page, page.getByRole('button', { name: 'All accounts' }));
  const choosing = dialog(page, 'Top-ups of one account');
  await choosing.getByLabel('Account', { exact: true }).pressSequentially(username);
  await choosing.getByText(username).first().waitFor();
  await byKeyboard(page, choosing.getByRole('radio').first(), 'Space');
  await byKeyboard(page, choosing.getByRole('button', { name: 'Show' }));
  await page.getByRole('button', { name: 'Show all accounts' }).waitFor();
  await untilCount(page.locator('tbody tr'), 1);
  await page.goto('/panel/admin/payments?tab=receivables');
  await row(page, username).getByText('€15.00').first().waitFor();
});

test('a payment that could not be credited is counted, explained, and leaves the list with a note @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const { control } = provider();
  const topup = await topUp(reseller, '8.00');
  control.falsify({ amount: 700, in: 'both' });
  control.press(sessionOf(topup), 'pay');
  await control.deliveriesSettled();
  control.falsify(null);
  const page = await panel.openAs(panel.service.admin, '/panel/admin');
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Payments/ });
  await link.getByText('1', { exact: true }).waitFor();
  await link.click();
  await page.getByRole('link', { name: 'Needs attention 1' }).click();
  const problem = row(page, 'Amount differs');
  await problem.getByText('€7.00 of €8.00 asked').waitFor();
  await expectAccessible(page, 'payments that need attention');
  await problem.getByRole('link', { name: `Top-up ${topup.id}` }).click();
  await dialog(page, `Top-up ${topup.id}`).getByText('Amount differs').waitFor();
  await page.goBack();
  await problem.getByRole('button', { name: 'Mark as resolved' }).click();
  const asked = dialog(page, 'Have you resolved it?');
  await asked.getByLabel('What you did').fill('Refunded at the provider');
  await asked.getByRole('button', { name: 'Remove from the list' }).click();
  await page.getByText('You’re all caught up').waitFor();
});

test('a bank statement is dropped or chosen, and lines without an account are decided by a press', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const username = await usernameOf(reseller);
  const csv = [
    'Buchungstag;Verwendungszweck;Betrag',
    `14.01.2026;${rfReference(reseller.id)};30,00`,
    '15.01.2026;Invoice, thank you;12,50',
    '15.01.2026;Lunch;7,00',
    `15.01.2026;${rfReference(reseller.id).replace(/^RF../, 'RF00')};2,00`,
    `16.01.2026;${rfReference(reseller.id)};-30,00`,
  ].join('\n');
  const page = await panel.openAs(service.admin, '/panel/admin/payments?tab=bank');
  await page.getByText('No line waits for a decision').waitFor();
  await drop(page, 'January.csv', csv);
  const columns = dialog(page, 'Which columns does the file have?');
  await untilValue(columns.getByLabel('Amount'), 'Betrag');
  await untilValue(columns.getByLabel('Text'), 'Verwendungszweck');
  await expectAccessible(page, 'the columns of a file');
  await columns.getByRole('button', { name: 'Import' }).click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Import');
  await page.getByText('5 new lines. 1 credited. 4 wait for your decision.').waitFor();
  await expectAccessible(page, 'lines of a bank');
  assert.equal(expectStatus(await reseller.get('/balance'), 200).balance, '30.00');

  await row(page, 'Invoice, thank you').getByRole('button', { name: 'Assign to an account' }).click();
  const assigning = dialog(page, 'Which account does it belong to?');
  await assigning.getByLabel('Account', { exact: true }).fill(username);
  await assigning.getByRole('radio', { name: username }).check({ force: true });
  await assigning.getByRole('button', { name: 'Credit' }).click();
  await page.getByText(`€12.50 credited to ${username}.`).waitFor();
  await row(page, 'Lunch').getByRole('button', { name: 'Ignore' }).click();
  const ignoring = dialog(page, 'Ignore €7.00?');
  await ignoring.getByLabel('Note').fill('Not ours');
  await expectAccessible(page, 'a line to ignore');
  await ignoring.getByRole('button', { name: 'Ignore' }).click();
  await untilCount(row(page, 'Lunch'), 0);
  await row(page, 'RF00')
    .getByRole('button', { name: `Assign to ${username}` })
    .click();
  await page.getByText(`€2.00 credited to ${username}.`).waitFor();
  await untilCount(row(page, 'RF00'), 0);
  await page.getByRole('button', { name: `Assign to ${username}` }).click();
  await page.getByText(`Taken back from ${username}.`).waitFor();
  await page.getByText('No line waits for a decision').waitFor();
  assert.equal(expectStatus(await reseller.get('/balance'), 200).balance, '14.50');

  const again = { name: 'again.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('Choose file').setInputFiles(again);
  await columns.getByRole('button', { name: 'Import' }).click();
  await page.getByText('0 new lines. 5 were known.').waitFor();
  const broken = {
    name: 'x.xml',
    mimeType: 'text/xml',
    buffer: Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a/>'),
  };
  await page.getByLabel('Choose file').setInputFiles(broken);
  await page.getByText('The file has XML that a bank statement doesn’t need').waitFor();
});

test('a card is saved at the provider, and charged automatically until it is turned off @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '60.00' });
  const page = await panel.openAs(reseller, '/panel/top-ups');
  const card = page.getByRole('region', { name: /^Automatic top-up/ });
  await card.getByText('No card is saved.').waitFor();
  await card.getByRole('button', { name: 'Save a card' }).click();
  await page.getByRole('button', { name: 'Save card', exact: true }).click();
  await heading(page, 'Top-ups').waitFor();
  await card.getByText('Visa •••• 4242').waitFor();
  await card.getByRole('button', { name: 'Turn on' }).click();
  const setting = dialog(page, 'Automatic top-up');
  await setting.getByLabel('When the balance is below (EUR)').fill('50');
  await setting.getByLabel('Amount added each time (EUR)').fill('100');
  await setting.getByLabel('At most in a month (EUR)').fill('90');
  await setting.getByText('Enter at least the amount of one top-up.').waitFor();
  await expectAccessible(page, 'the settings of automatic top-up');
  await setting.getByLabel('At most in a month (EUR)').fill('250');
  await setting.getByRole('button', { name: 'Turn on' }).click();
  await card.getByText('€0.00 of at most €250.00').waitFor();
  await spend(reseller, '20.00');
  await runJob(panel.service, 'auto_topups');
  await page.reload();
  await card.getByText('€100.00 of at most €250.00').waitFor();
  await balance(page).getByText('€140.00').waitFor();
  await card.getByRole('button', { name: 'Turn off' }).click();
  await dialog(page, 'Turn off automatic top-up?').getByRole('button', { name: 'Turn off' }).click();
  await card.getByText('Off', { exact: true }).waitFor();
});

test('a card whose bank asks for its holder pauses it, and the page leads to the payment @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '40.00' });
  const page = await panel.openAs(reseller, '/panel/top-ups');
  const card = page.getByRole('region', { name: /^Automatic top-up/ });
  await card.getByRole('button', { name: 'Save a card' }).click();
  await page.getByRole('button', { name: 'Save card that asks' }).click();
  await heading(page, 'Top-ups').waitFor();
  const wanted = { below: '50.00', amount: '100.00', monthly_maximum: '250.00' };
  expectStatus(await reseller.send('PUT', '/auto-topup', wanted), 200);
  await runJob(panel.service, 'auto_topups');
  await page.reload();
  await card.getByText('Paused').waitFor();
  await expectAccessible(page, 'an automatic top-up that paused');
  await card.getByRole('link', { name: 'Show open top-ups' }).click();
  await row(page, 'Waiting for payment').getByRole('link').click();
  await page.getByText('€100.00').first().waitFor();
});

test('in test mode the outcome of the payment is chosen, and nothing real moves @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '3.00' });
  const page = await panel.openAs(reseller);
  await page.getByRole('switch', { name: 'Test mode' }).click();
  await page.getByRole('region', { name: 'Test mode' }).waitFor();
  for (const [outcome, says] of [
    ['It is paid Credited at once.', '€20.00 was added to the balance'],
    ['It fails Nothing is credited.', 'The payment failed.'],
    ['It is paid later', 'The payment is on its way.'],
    ['It is paid, then taken back', '€20.00 of it was disputed and taken back.'],
  ] as const) {
    await goTo(page, 'Overview');
    await page.getByRole('main').getByRole('link', { name: 'Add funds' }).click();
    const adding = dialog(page, 'Add funds (test)');
    await adding.getByLabel('Amount in EUR').fill('20');
    await adding.getByRole('radio', { name: outcome }).check({ force: true });
    await adding.getByRole('button', { name: 'Add funds' }).click();
    await page.getByText(says).waitFor();
  }
  await expectAccessible(page, 'a top-up that was taken back');
  await goTo(page, 'Top-ups');
  await untilCount(page.locator('tbody tr'), 4);
  await page.getByRole('switch', { name: 'Test mode' }).click();
  await page.getByText('No top-ups yet').waitFor();
  await balance(page).getByText('€3.00').waitFor();
});

test('a viewer sees the top-ups and cannot add any @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const topup = await topUp(reseller, '5.00', { method: 'bank_transfer' });
  const viewer = await addPerson(panel.service, reseller, 'viewer');
  const page = await panel.openWith(viewer.panel.cookie, '/panel/top-ups');
  await row(page, 'Bank transfer').getByText('€5.00').waitFor();
  await untilCount(page.getByRole('link', { name: 'Add funds' }), 0);
  await row(page, 'Bank transfer').getByRole('link').click();
  await heading(page, `Top-up ${topup.id}`).waitFor();
  await page.getByRole('region', { name: 'Bank details' }).waitFor();
  await untilCount(page.getByRole('button', { name: 'Cancel top-up' }), 0);
});

test('the operator sets up payments behind the password, never sees the secrets again, and can turn them off', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(service.admin, '/panel/admin/payments?tab=settings');
  await page.getByText('Test key').waitFor();
  await page.getByText(`/payments/stripe`).waitFor();
  await page.getByText('charge.dispute.funds_reinstated').waitFor();
  await expectAccessible(page, 'the settings');
  assert.doesNotMatch(await page.content(), /sk_test_standin|whsec_FirstSecret/);
  await untilValue(page.getByLabel('Secret key'), '');
  await page.getByLabel('Webhook signing secret').fill('not a secret');
  await page.getByText('Enter a secret that starts with whsec_.').waitFor();
  await page.getByLabel('Webhook signing secret').fill('whsec_SecondSecret');
  await page.getByLabel('Smallest in EUR').fill('7000');
  await page.getByText('Must be at least the smallest.').waitFor();
  await page.getByLabel('Smallest in EUR').fill('2.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await confirmWithPassword(dialog(page, 'Confirm with your password'), testPassword, 'Save');
  await page.getByText('The earlier webhook secret is accepted until').waitFor();
  await untilValue(page.getByLabel('Smallest in EUR'), '2.50');

  await page.getByRole('switch', { name: 'Accept cards' }).click();
  await page.getByRole('switch', { name: 'Accept bank transfers' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Off', { exact: true }).waitFor();
  const { payments } = expectStatus(await service.admin.get('/api/admin/v1/payments'), 200);
  assert.deepEqual([payments.methods.card.enabled, payments.methods.bank_transfer.enabled], [false, false]);
  const without = await panel.openAs(reseller);
  await heading(without, 'Overview').waitFor();
  await untilCount(without.getByRole('link', { name: 'Add funds' }), 0);
  await untilCount(without.getByRole('link', { name: 'Top-ups' }), 0);
  await setPayments(service, {});
});

async function shortOrder(page: Page, customer: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Place an order' }).first().click();
  const box = dialog(page, 'Place an order');
  await box.getByRole('radio', { name: 'Basic' }).check({ force: true });
  await box.getByLabel('Customer').fill(customer);
  await box.getByRole('alert').waitFor();
  return box;
}

async function addFunds(page: Page, amount: string, action: string): Promise<void> {
  await page.getByRole('main').getByRole('link', { name: 'Add funds' }).click();
  const adding = dialog(page, 'Add funds');
  await adding.getByLabel('Amount in EUR').fill(amount);
  await adding.getByRole('button', { name: action }).click();
}

/** Pays 12.00, spends 10.00, and disputes the payment: 2.00 are taken, so 10.00 are owed. */
async function owe(account: TestAccount): Promise<void> {
  const session = sessionOf(await topUp(account, '12.00'));
  provider().control.press(session, 'pay');
  await provider().control.deliveriesSettled();
  const { basic } = panel.service.packages;
  expectStatus(await account.post('/orders', { package_id: basic, customer: 'spent' }), 201);
  provider().control.dispute(session);
  await provider().control.deliveriesSettled();
}

async function spend(account: TestAccount, amount: string): Promise<void> {
  const body = { amount: `-${amount}`, memo: 'Spent' };
  expectStatus(await panel.service.admin.post(`/api/admin/v1/accounts/${account.id}/credit`, body), 201);
}

async function usernameOf({ id }: TestAccount): Promise<string> {
  return expectStatus(await panel.service.admin.get(`/api/admin/v1/accounts/${id}`), 200).account.username;
}

async function drop(page: Page, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName, { type: 'text/csv' }));
      return transfer;
    },
    [name, text] as const,
  );
  await page.getByRole('region', { name: 'Drop a file here' }).dispatchEvent('drop', { dataTransfer });
}

const tabsMax = 60;

/** Presses Tab until the target has the focus, then the key. */
async function byKeyboard(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  const isFocused = () => target.evaluate((element) => element === document.activeElement);
  for (let tab = 0; tab < tabsMax && !(await isFocused()); tab += 1) await page.keyboard.press('Tab');
  assert.ok(await isFocused(), 'the keyboard gets there');
  await page.keyboard.press(key);
}
