// People and roles: invitations, what each role is offered, removal during a session, required second factors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import type { TestAccount } from '../../scripts/throwaway/test-service.ts';
import { testPassword, usernameOf } from '../harness/panel-client.ts';
import { addPerson, ownPassword, peoplePath } from '../harness/people.ts';
import { expectRefusal } from '../harness/refusals.ts';
import { expectAccessible } from './accessibility.ts';
import {
  confirmWithPassword,
  dialog,
  goTo,
  heading,
  row,
  shownSecret,
  signOut,
  typeCode,
  typeSignIn,
} from './panel-actions.ts';
import { said, untilCount, untilDisabled, untilValue, usePanelBrowser } from './panel-browser.ts';

const panel = usePanelBrowser(undefined, { SECOND_FACTOR_ROLES: 'operator:viewer' });
const codeSeconds = 30;
const confirmedSeconds = 300;

test('an owner invites a colleague, who chooses a password by the link, once, and sees what staff may do', async () => {
  const reseller = await panel.service.createReseller({ credit: '50.00' });
  await reseller.post('/orders', { package_id: panel.service.packages.basic, customer: 'ada' });
  const owner = await panel.openAs(reseller, '/panel/people');
  const link = await invite(owner, 'grace', 'Staff');
  await row(owner, 'grace').getByText('Invited').waitFor();

  const colleague = await panel.open(link);
  const { body } = await panel.service.admin.get(`/api/admin/v1/accounts/${reseller.id}`);
  const { username: inviter, display_name: account } = body.account;
  await colleague.getByText(`${inviter} invited you to ${account}.`).waitFor();
  assert.equal(new URL(colleague.url()).hash, '');
  await colleague.reload();
  await colleague.getByText(`${inviter} invited you to ${account}.`).waitFor();
  await untilValue(colleague.getByLabel('Your username'), 'grace');
  await expectAccessible(colleague, 'an invitation that was opened');
  await chooseByLink(colleague);
  await heading(colleague, 'Overview').waitFor();
  const menu = colleague.getByRole('complementary', { name: 'Menu' });
  await menu.getByText('grace', { exact: true }).waitFor();
  await menu.getByText(`Staff of ${await usernameOf(panel.service, reseller)}`).waitFor();
  assert.deepEqual(await pagesOffered(colleague), [
    'Overview',
    'Business',
    'Orders',
    'Customers',
    'Ledger',
    'Forecast and alerts',
    'Statements',
    'Webhooks',
    'Events',
    'Documentation',
    'Security',
  ]);
  await colleague.getByRole('button', { name: 'Place an order' }).first().waitFor();
  await goTo(colleague, 'Customers');
  await colleague.getByRole('link', { name: 'ada' }).click();
  await dialog(colleague, 'ada').getByRole('link', { name: 'Open page' }).click();
  await heading(colleague, 'ada').waitFor();
  for (const name of ['Login link', 'Change package', 'Renew']) {
    await colleague.getByRole('button', { name, exact: true }).waitFor();
  }
  await colleague.goto('/panel/people');
  await heading(colleague, 'Not available to your role').waitFor();
  await expectAccessible(colleague, 'a page that is not for the role');

  const again = await panel.open(link);
  await heading(again, 'This link no longer works').waitFor();
  await owner.reload();
  await row(owner, 'grace').getByText('Invited').waitFor({ state: 'detached' });
});

test('a viewer is offered nothing that changes anything; given another role, it is offered without a new sign-in @nightly', async () => {
  const { reseller, page, person } = await openAsPerson('viewer');
  await reseller.post('/orders', { package_id: panel.service.packages.basic, customer: 'bea' });
  await page.reload();
  await heading(page, 'Overview').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Place an order' }).count(), 0);
  await page.keyboard.press('n');
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Export orders' }).waitFor();
  for (const name of [
    'Place an order',
    'Invite team member',
    'New API key',
    'New endpoint',
    'Create package',
  ])
    assert.equal(await page.getByRole('option', { name }).count(), 0, name);
  await page.keyboard.press('Escape');
  await goTo(page, 'Customers');
  await page.getByRole('link', { name: 'bea' }).click();
  await dialog(page, 'bea').getByRole('link', { name: 'Open page' }).click();
  await heading(page, 'bea').waitFor();
  await page.getByText('Email or username').waitFor();
  for (const name of ['Login link', 'Change package', 'Renew']) {
    assert.equal(await page.getByRole('button', { name }).count(), 0, name);
  }

  const owner = await panel.openAs(reseller, '/panel/people');
  await owner.getByRole('button', { name: `Change ${person.username}` }).click();
  const changing = dialog(owner, `Change ${person.username}`);
  await changing.waitFor();
  assert.equal(await changing.getByLabel('Email address').count(), 0, 'their mail is their own');
  await changing.getByRole('radio', { name: /^Staff/ }).check({ force: true });
  await confirmWithPassword(changing, testPassword, 'Save');
  await said(owner, `${person.username} updated.`);
  await page.reload();
  await page.getByRole('button', { name: 'Renew', exact: true }).waitFor();
});

test('anyone who is removed while signed in lands on the sign-in page, and cannot sign in again', async () => {
  const { reseller, page, person } = await openAsPerson('staff');
  await heading(page, 'Overview').waitFor();
  const owner = await panel.openAs(reseller, '/panel/people');
  await owner.getByRole('button', { name: `Remove ${person.username}` }).click();
  await confirmWithPassword(dialog(owner, `Remove ${person.username}?`), testPassword, 'Remove');
  await said(owner, `${person.username} removed.`);
  await row(owner, person.username).waitFor({ state: 'detached' });
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, person.username, ownPassword);
  await page.getByRole('alert').waitFor();

  // The only owner cannot leave.
  await row(owner, 'account-')
    .getByRole('button', { name: /^Change / })
    .waitFor();
  await untilCount(owner.getByRole('button', { name: /^(?:Remove|Leave) / }), 0);
});

test('a new link for someone who was invited replaces the one before @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const owner = await panel.openAs(reseller, '/panel/people');
  const first = await invite(owner, 'henrietta', 'Viewer');
  await owner.getByRole('button', { name: 'New link for henrietta' }).click();
  const asking = dialog(owner, 'Create a new link for henrietta?');
  await untilDisabled(asking.getByRole('button', { name: 'Create new link' }), 'asked for each time');
  await confirmWithPassword(asking, testPassword, 'Create new link');
  const second = await shownLink(owner, 'henrietta');
  assert.notEqual(second, first);
  const page = await panel.open(first);
  await heading(page, 'This link no longer works').waitFor();
  const other = await panel.open(second);
  await chooseByLink(other);
  await heading(other, 'Overview').waitFor();
  const used = await panel.open(second);
  await heading(used, 'This link no longer works').waitFor();
  await used.getByRole('button', { name: 'Forgot your password?' }).click();
  await heading(used, 'Forgot your password?').waitFor();
});

test('a role that needs a second factor sets it up first, sees the recovery codes, and cannot switch it off @nightly', async () => {
  const { service } = panel;
  const person = await addPerson(service, service.admin, 'viewer');
  const page = await panel.open('/panel/admin');
  await typeSignIn(page, person.username, ownPassword);
  await heading(page, 'Set up two-factor authentication').waitFor();
  assert.equal(await page.getByRole('navigation').count(), 0);
  await expectAccessible(page, 'the page that asks for a second factor');
  await page.getByRole('button', { name: 'Set up' }).click();
  await confirmWithPassword(dialog(page, 'Set up two-factor authentication'), ownPassword, 'Continue');
  const enrolling = dialog(page, 'Scan this with your app');
  const totp = new TOTP({ secret: Secret.fromBase32(await shownSecret(enrolling, /^[A-Z2-7]{16,}$/)) });
  await enrolling.getByRole('textbox', { name: 'Code' }).fill(nextCode(totp));
  await enrolling.getByRole('button', { name: 'Turn on' }).click();
  const kept = dialog(page, 'Two-factor authentication is on');
  await kept.getByRole('listitem').nth(9).waitFor();
  await kept.getByRole('button', { name: 'I’ve saved them' }).click();
  await heading(page, 'Business').waitFor();
  await goTo(page, 'Security');
  await page.getByText('requires it for your role').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Turn off' }).count(), 0);
  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, person.username, ownPassword);
  await typeCode(page, nextCode(totp));
  await heading(page, 'Business').waitFor();
});

test('a password given with one sensitive action may stay away from the next for five minutes, and then not @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(reseller, '/panel/api-access');
  await page.getByRole('button', { name: 'Show key' }).click();
  const first = dialog(page, 'Show key');
  await untilDisabled(first.getByRole('button', { name: 'Show key' }));
  await confirmWithPassword(first, testPassword, 'Show key');
  await page.getByText(reseller.key, { exact: true }).waitFor();

  await page.getByRole('button', { name: 'New key' }).click();
  const form = dialog(page, 'New key');
  await form.getByLabel('Name').fill('Shop');
  await form.getByText(/^You confirmed recently\. You can leave this blank until \d\d:\d\d\.$/).waitFor();
  await form.getByRole('button', { name: 'Create key' }).click();
  const made = dialog(page, 'Key created');
  await shownSecret(made, /^sk_live_/);
  await made.getByRole('button', { name: 'Done' }).click();

  await goTo(page, 'Security');
  await page.getByRole('button', { name: 'Set up' }).click();
  const setup = dialog(page, 'Set up two-factor authentication');
  await untilDisabled(setup.getByRole('button', { name: 'Continue' }), 'asked for each time');
  await page.keyboard.press('Escape');
  await goTo(page, 'Team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  const inviting = dialog(page, 'Invite member');
  await inviting.getByLabel('Username').fill('an-owner-to-be');
  await inviting.getByText('You can leave this blank until').waitFor();
  await inviting.getByRole('radio', { name: /^Owner/ }).check({ force: true });
  await untilDisabled(inviting.getByRole('button', { name: 'Invite' }), 'nor an owner invited');
  await inviting.getByRole('button', { name: 'Cancel' }).click();

  service.clock.seconds += confirmedSeconds;
  await page.reload();
  await goTo(page, 'API access');
  await page.getByRole('button', { name: 'Revoke Shop' }).click();
  const last = dialog(page, 'Revoke Shop?');
  await untilDisabled(last.getByRole('button', { name: 'Revoke key' }));
  await confirmWithPassword(last, testPassword, 'Revoke key');
  await said(page, 'Key Shop revoked.');
});

test('in the console support is offered neither money nor prices, and is refused them; finance has no accounts to change @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller({ credit: '20.00' });
  const support = await addPerson(service, service.admin, 'support');
  const page = await openSignedIn(support.username);
  await page.goto(`/panel/admin/accounts/${reseller.id}?tab=access`);
  await page.getByRole('button', { name: 'Change settings' }).waitFor();
  await page.getByRole('button', { name: 'Invite member' }).waitFor();
  for (const name of ['Credit', 'Debit', 'Place an order']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  }
  expectRefusal(
    await support.panel.post(`/admin/v1/accounts/${reseller.id}/credit`, { amount: '5.00' }),
    '403 insufficient_scope',
  );
  await goTo(page, 'Accounts');
  await page.getByRole('button', { name: 'Create account' }).first().click();
  const creating = dialog(page, 'Create account');
  await creating.getByLabel('Username').waitFor();
  assert.equal(await creating.getByText('Price group').count(), 0);
  await page.keyboard.press('Escape');
  await goTo(page, 'Packages');
  await page.getByRole('link', { name: 'Basic' }).click();
  await heading(page, 'Basic').waitFor();
  await untilDisabled(page.getByLabel('Name', { exact: true }));
  for (const name of ['Save', 'Schedule prices']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  }
  await page.goto(`/panel/admin/accounts/${service.admin.id}?tab=access`);
  await page.getByText('Administrator', { exact: true }).waitFor();
  for (const name of ['Change settings', 'New password', 'Invite member', 'New key']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  }

  const finance = await addPerson(service, service.admin, 'finance');
  const money = await openSignedIn(finance.username);
  await money.goto(`/panel/admin/accounts/${reseller.id}?tab=access`);
  await money.getByRole('button', { name: 'Credit', exact: true }).click();
  const crediting = dialog(money, /^Credit/);
  await crediting.getByLabel('Amount in USD').fill('5.00');
  await crediting.getByRole('button', { name: 'Review' }).click();
  await crediting.getByRole('button', { name: 'Credit $5.00' }).click();
  await crediting.waitFor({ state: 'detached' });
  assert.equal((await reseller.get('/balance')).body.balance, '25.00');
  for (const name of ['Change settings', 'More', 'Invite member', 'New key']) {
    assert.equal(await money.getByRole('button', { name, exact: true }).count(), 0, name);
  }
  const owner = await panel.openAs(service.admin, '/panel/admin/audit');
  await row(owner, finance.username).first().waitFor();
});

test('an administrator manages the people of any account, with the roles of that kind of account @nightly', async () => {
  const { service } = panel;
  const reseller = await service.createReseller();
  const page = await panel.openAs(service.admin, `/panel/admin/accounts/${reseller.id}?tab=access`);
  await page.getByRole('button', { name: 'Invite member' }).click();
  const box = dialog(page, 'Invite member');
  await untilCount(box.getByRole('radio'), 3);
  await page.keyboard.press('Escape');
  await invite(page, 'ida', 'Owner', /^The invitation/);
  const people = (await service.admin.get(peoplePath(reseller))).body.data;
  assert.deepEqual(
    people.map(({ role }: { role: string }) => role),
    ['owner', 'owner'],
  );
  await goTo(page, 'Team');
  await page.getByRole('button', { name: 'Invite member' }).click();
  await untilCount(dialog(page, 'Invite member').getByRole('radio'), 4);
});

async function invite(
  page: Page,
  username: string,
  role: string,
  title: string | RegExp = `The invitation of ${username}`,
) {
  await page.getByRole('button', { name: 'Invite member' }).click();
  const box = dialog(page, 'Invite member');
  await box.getByLabel('Username').fill(username);
  await box.getByRole('radio', { name: new RegExp(`^${role}`) }).check({ force: true });
  await confirmWithPassword(box, testPassword, 'Invite');
  return shownLink(page, username, title);
}

async function shownLink(
  page: Page,
  username: string,
  title: string | RegExp = `The invitation of ${username}`,
) {
  const shown: Locator = dialog(page, title);
  const link = await shownSecret(shown, /reset-password#token=/);
  await shown.getByRole('button', { name: 'Done' }).click();
  return link;
}

async function chooseByLink(page: Page): Promise<void> {
  await heading(page, /^Join /).waitFor();
  await page.getByLabel('New password', { exact: true }).fill(ownPassword);
  await page.getByLabel('Confirm new password').fill(ownPassword);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
}

async function openSignedIn(username: string): Promise<Page> {
  const page = await panel.open('/panel/sign-in');
  await typeSignIn(page, username, ownPassword);
  await heading(page, /^(?:Overview|Business)$/).waitFor();
  return page;
}

async function openAsPerson(role: 'staff' | 'viewer') {
  const reseller: TestAccount = await panel.service.createReseller({ credit: '50.00' });
  const person = await addPerson(panel.service, reseller, role);
  return { reseller, person, page: await panel.openWith(person.panel.cookie, '/panel/') };
}

async function pagesOffered(page: Page): Promise<readonly string[]> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link').allInnerTexts();
}

function nextCode(totp: TOTP): string {
  panel.service.clock.seconds += codeSeconds;
  return totp.generate({ timestamp: panel.service.clock.seconds * 1000 });
}
