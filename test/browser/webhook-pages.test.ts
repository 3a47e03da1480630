import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { Webhook as PublishedLibrary } from 'standardwebhooks';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { addPerson } from '../harness/people.ts';
import { expectStatus } from '../harness/refusals.ts';
import { testModeOf } from '../harness/test-mode.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { expectAccessible } from './accessibility.ts';
import { chooseMore, dialog, goTo, heading, row, shownSecret } from './panel-actions.ts';
import { said, untilDisabled, untilTrue, usePanelBrowser } from './panel-browser.ts';

let receiver: WebhookReceiver;
const panel = usePanelBrowser(
  async (service) => {
    receiver = await startWebhookReceiver();
    // The published library checks signatures against the real clock, so set it.
    service.clock.seconds = Math.floor(Date.now() / 1_000);
  },
  { OUTBOUND_ALLOW: '127.0.0.0/8, ::1' },
);
after(() => receiver?.close());

async function deliver(): Promise<void> {
  await panel.service.service.jobs.hasten('deliveries');
  await panel.service.service.jobs.look();
}

async function order(account: TestAccount, customer: string): Promise<void> {
  const body = { package_id: panel.service.packages.basic, customer };
  expectStatus(await account.post('/orders', body), 201);
}

async function createEndpoint(account: TestAccount, name: string, types: readonly string[] = []) {
  const at = receiver.at(`/${name}`);
  const answer = expectStatus(
    await account.post('/webhooks', { url: at.url, types, description: name }),
    201,
  );
  await deliver();
  return { at, path: `/panel/webhooks/${answer.webhook.id}` };
}

function verified(secret: string, { text, headers }: Received): boolean {
  const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
  return new PublishedLibrary(secret).verify(text, Object.fromEntries(sent)) !== undefined;
}

const button = (on: Page | Locator, name: string | RegExp) => on.getByRole('button', { name, exact: true });
const choose = (on: Page | Locator, name: string) => on.getByRole('radio', { name }).check({ force: true });

test('an endpoint is made, its secret is shown once and verifies what comes; it is changed, switched off and on, and deleted', async () => {
  const reseller = await panel.service.createReseller({ credit: '500.00' });
  const at = receiver.at('/made');
  const page = await panel.openAs(reseller, '/panel/');
  await goTo(page, 'Webhooks');
  await page.getByText('No endpoints yet').waitFor();
  await button(page, 'New endpoint').click();
  const form = dialog(page, 'New endpoint');
  await form.getByLabel('Address').fill('https://10.0.0.1/hooks');
  await button(form, 'Create endpoint').click();
  await form.getByText('Must not be a private or reserved address').waitFor();
  await form.getByLabel('Address').fill(at.url);
  await form.getByLabel('Description').fill('The shop');
  await choose(form, 'Only selected types');
  await untilDisabled(button(form, 'Create endpoint'), 'nothing is chosen yet');
  await form.getByRole('checkbox', { name: /order\.completed/ }).check();
  await button(form, 'Create endpoint').click();

  const made = dialog(page, 'Endpoint created');
  const secret = await shownSecret(made, /^whsec_/);
  await choose(made, 'PHP');
  await made.getByText('Webhook::verify(').waitFor();
  await choose(made, 'TypeScript');
  await made.getByText('verifyWebhook(').waitFor();
  await expectAccessible(page, 'the secret of an endpoint');
  await button(made, 'Done').click();

  await deliver();
  await order(reseller, 'ada.made@example.com');
  const [first] = await at.gets(1);
  assert.ok(first !== undefined && verified(secret, first));
  assert.equal(first.event.type, 'order.completed', 'and neither of the other two events');
  await page.reload();
  const listed = row(page, at.url);
  await listed.getByRole('link', { name: 'The shop' }).waitFor();
  await listed.getByText('Order completed').waitFor();
  await listed.getByText('Delivered', { exact: true }).filter({ visible: true }).waitFor();
  assert.equal(await page.getByText(secret).count(), 0);

  await button(page, `Change ${at.url}`).click();
  const change = dialog(page, 'Edit endpoint');
  await change.getByLabel('Description').fill('The other shop');
  await choose(change, 'All events, including future types');
  await button(change, 'Save endpoint').click();
  await said(page, 'Endpoint updated.');
  await listed.getByText('All events').waitFor();

  await listed.getByRole('link').click();
  await heading(page, 'The other shop').waitFor();
  await page.getByRole('definition').filter({ hasText: '100%' }).waitFor();
  await chooseMore(page, 'Disable');
  await said(page, 'Endpoint disabled.');
  await order(reseller, 'bert.made');
  await button(page, 'Enable').click();
  await said(page, 'Endpoint enabled.');
  await deliver();
  // The three events of a new customer, from while the endpoint was off.
  await at.gets(4);

  await chooseMore(page, 'New secret');
  await button(dialog(page, 'New secret'), 'Create new secret').click();
  const renewed = dialog(page, 'New secret');
  await renewed.getByText('Both secrets work until').waitFor();
  const next = await shownSecret(renewed, /^whsec_/);
  await button(renewed, 'Done').click();
  await button(page, 'Send test event').click();
  const tested = dialog(page, 'Send test event');
  await button(tested, 'Send test event').click();
  await tested.getByText('Delivered.').waitFor();
  await tested.getByText('answer 200').waitFor();
  const last = (await at.gets(5)).at(-1);
  assert.ok(last !== undefined && verified(secret, last) && verified(next, last));
  await expectAccessible(page, 'the result of a test');
  await button(tested, 'Close').first().click();

  await chooseMore(page, 'Delete');
  await button(dialog(page, 'Delete this endpoint?'), 'Delete endpoint').click();
  await said(page, 'Endpoint deleted.');
  await page.getByText('No endpoints yet').waitFor();
});

test('a delivery that failed says what was sent and answered and when it is next; it is sent again, and so is everything since a time', async () => {
  const reseller = await panel.service.createReseller({ credit: '500.00' });
  const { at, path } = await createEndpoint(reseller, 'failing', ['order.completed']);
  at.answer = () => 500;
  await order(reseller, 'ada.failed@example.com');
  await at.gets(1);
  const page = await panel.openAs(reseller, path);
  await page.getByText('Every attempt has failed since').waitFor();
  await choose(page, 'Failed');
  await page.waitForURL(/status=failed/);
  await row(page, 'order.completed').getByRole('link').click();
  const open = page.getByRole('dialog');
  await open.getByText('1 of 10').waitFor();
  await open
    .getByRole('region', { name: 'Request body' })
    .getByText('"ada.failed@example.com"')
    .first()
    .waitFor();
  await open.getByRole('region', { name: 'Response body' }).getByText('answer 500').waitFor();
  const due = panel.service.clock.seconds + 5;
  await open.locator(`time[datetime="${new Date(due * 1_000).toISOString().slice(0, 19)}Z"]`).waitFor();
  await expectAccessible(page, 'the drawer of a delivery');

  at.answer = () => 200;
  await button(open, 'Send again').click();
  await said(page, 'Sending the event again.');
  // A success also sends what waits. This is the same event, sent by its own schedule.
  await at.gets(3);
  assert.equal(new Set(at.ids()).size, 1);
  await open.getByText('none: a later attempt settled it').waitFor();
  await button(open, 'Close').click();
  await choose(page, 'All');
  // Attempts with the same second and number are separate rows.
  await row(page, 'Delivered').nth(1).waitFor();
  await row(page, 'Failed').waitFor();

  await order(reseller, 'bert.failed');
  await at.gets(4);
  await button(page, 'Replay since …').click();
  const asked = dialog(page, 'Replay events since …');
  await asked.getByText('2 matching events since then.').waitFor();
  await asked.getByText('Events delivered before are sent again').waitFor();
  await choose(asked, 'Another time');
  await asked.getByLabel('From', { exact: true }).fill('2099-01-01T00:00');
  await asked.getByText('No matching events since then.').waitFor();
  await untilDisabled(button(asked, 'Send again'));
  await choose(asked, '1 day ago');
  await button(asked, 'Replay 2 events').click();
  await dialog(page, 'Sent again').getByText('Replaying 2 events.').waitFor();
  await at.gets(6);
  const [one, two, ...again] = [at.ids()[0], at.ids()[3], ...at.ids().slice(4)];
  assert.deepEqual(again, [one, two], 'in order');
});

test('what the service switched off is said on the overview, with a way to the endpoint, where it is switched on @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '500.00' });
  const { at } = await createEndpoint(reseller, 'gone', ['order.completed']);
  at.answer = () => 410;
  await order(reseller, 'ada.gone@example.com');
  await at.gets(1);
  const isOff = async () => (await reseller.get('/webhooks')).body.data[0].disabled_at !== null;
  await untilTrue(isOff, 'the service switches the endpoint off');
  const page = await panel.openAs(reseller, '/panel/');
  await page.getByRole('link', { name: 'Open endpoint' }).click();
  await heading(page, 'gone').waitFor();
  await page.getByText('The service disabled this endpoint').waitFor();
  await page.getByText('Disabled', { exact: true }).waitFor();
  at.answer = () => 200;
  await button(page, 'Enable').click();
  await said(page, 'Endpoint enabled.');
  await deliver();
  await at.gets(2);
  await page.getByText('The service disabled this endpoint').waitFor({ state: 'detached' });
  await goTo(page, 'Events');
  await page.getByRole('link', { name: 'Endpoint disabled' }).click();
  await page.getByRole('dialog').getByRole('link', { name: at.url }).click();
  await heading(page, 'gone').waitFor();
});

test('the page of events begins nothing by being looked at; then it has the newest first, by type, each with its JSON @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '500.00' });
  const page = await panel.openAs(reseller, '/panel/');
  await goTo(page, 'Events');
  await page.getByText('No events yet').waitFor();
  await order(reseller, 'before@example.com');
  await page.reload();
  await page.getByText('No events yet').waitFor();
  const [account] = await sqlOf(
    panel.service,
    reseller,
    `select event_count from accounts where id = ${reseller.id}`,
  );
  assert.equal(account?.['event_count'], null);
  await page.getByRole('link', { name: 'Set up an endpoint' }).click();
  await heading(page, 'Webhooks').waitFor();

  await createEndpoint(reseller, 'listening');
  await order(reseller, 'ada.seen@example.com');
  await order(reseller, 'bert.seen');
  await goTo(page, 'Events');
  const types = page
    .getByRole('table', { name: 'Events' })
    .getByRole('row')
    .filter({ hasText: 'order.completed' });
  await types.first().getByText('bert.seen').filter({ visible: true }).waitFor();
  await types.nth(1).getByText('ada.seen@example.com').filter({ visible: true }).waitFor();
  await page.getByLabel('Event type').selectOption('customer.created');
  await page.waitForURL(/type=customer\.created/);
  await page.getByRole('link', { name: 'New customer' }).nth(1).click();
  const open = page.getByRole('dialog');
  await open.getByRole('region', { name: 'Event as JSON' }).getByText('"customer.created"').waitFor();
  await open.getByRole('link', { name: 'ada.seen@example.com' }).waitFor();
  await button(open, 'Newer').click();
  await open.getByRole('link', { name: 'bert.seen' }).waitFor();
  await page.goBack();
  await open.waitFor({ state: 'detached' });
});

test('anyone who may only look is offered nothing, and test mode has endpoints and events of its own @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '500.00' });
  const { at, path } = await createEndpoint(reseller, 'real');
  await order(reseller, 'real.one@example.com');
  await at.gets(3);
  const viewer = await addPerson(panel.service, reseller, 'viewer');
  const page = await panel.openWith(viewer.panel.cookie, path);
  await heading(page, 'real').waitFor();
  await row(page, 'order.completed').getByRole('link').click();
  await page.getByRole('dialog').getByRole('link', { name: 'Open event' }).waitFor();
  await page.getByRole('dialog').getByRole('region', { name: 'Request body' }).waitFor();
  for (const name of [/^Send/, 'Edit', 'Enable', 'More'])
    assert.equal(await button(page, name).count(), 0, String(name));
  await page.goto('/panel/webhooks');
  await row(page, at.url).waitFor();
  assert.equal(await button(page, 'New endpoint').count(), 0);

  const tests = await testModeOf(panel.service, reseller);
  expectStatus(
    await tests.post('/orders', { package_id: panel.service.packages.basic, customer: 'of.a.test' }),
    201,
  );
  const own = await panel.openAs(reseller, path);
  await heading(own, 'real').waitFor();
  await own.getByRole('switch', { name: 'Test mode' }).click();
  // The endpoint does not exist in the other mode, so the page changes to the list.
  await heading(own, 'Webhooks').waitFor();
  await own.getByText('No endpoints yet').waitFor();
  assert.equal(await own.title(), 'Test · Webhooks · Sellthrough');
});
