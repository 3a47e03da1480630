// Sign-in with and without codes, sign-out, password change, sessions, and administrators' changes meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { sealedMails } from '../../src/platform/mail/mail-outbox.ts';
import { setTestPassword, signInAnswer, testPassword, usernameOf } from '../harness/panel-client.ts';
import { expectRefusal } from '../harness/refusals.ts';
import {
  balance,
  chooseMore,
  choosePassword,
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
import { said, untilDisabled, usePanelBrowser } from './panel-browser.ts';

// Nothing listens at this address, so mails stay in the outbox, from which the test reads them.
const panel = usePanelBrowser(undefined, {
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'billing@example.com',
});
const codeSeconds = 30;

test('anyone who follows a deep link signs in on the way and lands on it; a wrong password is said and counted', async () => {
  const reseller = await panel.service.createReseller();
  await setTestPassword(panel.service, reseller);
  const username = await usernameOf(panel.service, reseller);
  const page = await panel.open('/panel/orders?kind=renew');
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, username, 'not the password');
  await page.getByRole('alert').waitFor();
  await typeSignIn(page, username, testPassword);
  await heading(page, 'Orders').waitFor();
  assert.equal(new URL(page.url()).search, '?kind=renew');
  await signOut(page);
  await heading(page, 'Sign in').waitFor();
  await page.goBack();
  await heading(page, 'Sign in').waitFor();

  // The next attempt must wait a minute, which is long enough to look at the page on a slow machine.
  let aheadMilliseconds = 0;
  panel.service.clock.monotonic = () => performance.now() + aheadMilliseconds;
  for (let failures = 0; failures < 12; failures += 1) {
    aheadMilliseconds += 61_000;
    await signInAnswer(panel.service.address, { username, password: `wrong ${failures}` });
  }
  await typeSignIn(page, username, 'wrong again');
  await page.getByText(/^Too many attempts\. Try again in/).waitFor();
  await untilDisabled(page.getByRole('button', { name: 'Sign in' }));
});

test('signing out while the service is away forgets what was shown, says so, and is tried again @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '50.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await balance(page).getByText('$50.00').waitFor();
  await page.route('**/panel/api/sign-out', (route) => route.abort('connectionreset'));
  await signOut(page);
  await heading(page, 'You may still be signed in').waitFor();
  assert.ok(!(await page.locator('body').innerText()).includes('$50.00'));
  await page.unroute('**/panel/api/sign-out');
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Sign in').waitFor();
  await page.goto('/panel/orders');
  await heading(page, 'Sign in').waitFor();
  assert.deepEqual(
    panel.takeProblems().filter((problem) => !problem.includes('ERR_CONNECTION_RESET')),
    [],
  );
});

test('a sign-in page leads nowhere but into the panel', async () => {
  const reseller = await panel.service.createReseller();
  await setTestPassword(panel.service, reseller);
  const username = await usernameOf(panel.service, reseller);
  // wanted-path.test.ts tries other addresses.
  const page = await panel.open(`/panel/sign-in?next=${encodeURIComponent('//evil.example/')}`);
  await typeSignIn(page, username, testPassword);
  await heading(page, 'Overview').waitFor();
  assert.equal(new URL(page.url()).origin, panel.service.address);
});

test('codes at sign-in: set up by key, asked for with the password, replaced by a recovery code, then off again', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/security');
  const username = await usernameOf(panel.service, reseller);
  const { totp, recoveryCodes } = await setUpCodes(page);

  const other = await panel.open('/panel/');
  await typeSignIn(other, username, testPassword);
  await heading(other, 'Enter your code').waitFor();
  await typeCode(other, '000000');
  await other.getByRole('alert').waitFor();
  await typeCode(other, nextCode(totp));
  await heading(other, 'Overview').waitFor();

  const [recoveryCode = ''] = recoveryCodes;
  const lost = await panel.open('/panel/');
  await typeSignIn(lost, username, testPassword);
  await typeCode(lost, recoveryCode);
  await heading(lost, 'Overview').waitFor();

  await page.getByRole('button', { name: 'Turn off' }).click();
  const asked = dialog(page, 'Turn off two-factor authentication?');
  await asked.getByLabel('Code').fill(nextCode(totp));
  await confirmWithPassword(asked, testPassword, 'Turn off');
  await page.getByRole('button', { name: 'Set up' }).waitFor();
});

test('an administrator lets in who lost password, app and recovery codes @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const username = await usernameOf(panel.service, reseller);
  const page = await panel.openAs(reseller, '/panel/security');
  await setUpCodes(page);

  const console = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}`);
  await chooseMore(console, 'New password');
  await confirmWithPassword(dialog(console, /^New password for/), testPassword, 'Generate password');
  const shown = dialog(console, 'Password replaced');
  const password = await shownSecret(shown, /^\S{16,}$/);
  await shown.getByRole('button', { name: 'Done' }).click();
  await chooseMore(console, 'Turn off 2FA');
  const asked = dialog(console, /^Turn off two-factor authentication for/);
  await confirmWithPassword(asked, 'a guess', 'Turn off 2FA');
  await asked.getByRole('alert').getByText('The password is wrong.').waitFor();
  await confirmWithPassword(asked, testPassword, 'Turn off 2FA');
  await asked.waitFor({ state: 'hidden' });

  // The open session ended together with the old password.
  await page.reload();
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, username, testPassword);
  await page.getByRole('alert').waitFor();
  await typeSignIn(page, username, password);

  // Two people know the password, so every page first requires a new one.
  await heading(page, 'Choose your password').waitFor();
  await page.goto('/panel/orders');
  await page.getByLabel('Temporary password').fill(password);
  await choosePassword(page, `${username} is what I am called`);
  await page
    .getByRole('alert')
    .getByText(/^New password: Must not contain the account’s name/)
    .waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, username, password);
  await choosePassword(page, 'another long password');
  await heading(page, 'Overview').waitFor();
  await page.reload();
  await heading(page, 'Overview').waitFor();
});

test('a change of password ends every other session and keeps this one, with a new cookie @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const username = await usernameOf(panel.service, reseller);
  const page = await panel.openAs(reseller, '/panel/security');
  const other = await panel.openAs(reseller, '/panel/orders');
  await heading(other, 'Orders').waitFor();
  const newPassword = 'another good password';
  const cookie = async () => (await page.context().cookies()).map(({ value }) => value).join();
  const before = await cookie();
  await page.getByRole('button', { name: 'Change password' }).click();
  const changing = dialog(page, 'Change password');
  await changing.getByLabel('Current password').fill(testPassword);
  await changing.getByLabel('New password', { exact: true }).fill(newPassword);
  await changing.getByText('Strong.').waitFor();
  await changing.getByLabel('Confirm new password').fill(newPassword);
  await changing.getByRole('button', { name: 'Change password' }).click();
  await said(page, 'Password changed');
  await heading(other, 'Sign in').waitFor();
  await typeSignIn(other, username, testPassword);
  await other.getByRole('alert').waitFor();
  await typeSignIn(other, username, newPassword);
  await heading(other, 'Orders').waitFor();
  await goTo(page, 'Overview');
  assert.notEqual(await cookie(), before);
  await page.reload();
  await heading(page, 'Overview').waitFor();
});

test('a session that is revoked in the list is at its end; “all others” leaves this one alone @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const page = await panel.openAs(reseller, '/panel/');
  const second = await panel.openAs(reseller, '/panel/');
  const third = await panel.open('/panel/', {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
  });
  await typeSignIn(third, await usernameOf(panel.service, reseller), testPassword);
  for (const one of [second, third]) await heading(one, 'Overview').waitFor();
  await goTo(page, 'Security');
  await page.getByRole('button', { name: 'Sign out Firefox on Windows' }).click();
  await said(page, 'Session ended.');
  await heading(third, 'Sign in').waitFor();
  await page.getByRole('button', { name: 'Sign out all other sessions' }).click();
  await said(page, 'All other sessions have ended.');
  await heading(second, 'Sign in').waitFor();
  await page.reload();
  await heading(page, 'Security').waitFor();
});

test('a reseller who is blocked while he works is stopped at once, and signs in again where he was when it is lifted @nightly', async () => {
  const reseller = await panel.service.createReseller({ credit: '50.00' });
  const page = await panel.openAs(reseller, '/panel/orders');
  await balance(page).getByText('$50.00').waitFor();
  const console = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}`);
  await chooseMore(console, 'Block');
  await dialog(console, /^Block/)
    .getByLabel('Reason')
    .fill('Invoice 7 is unpaid');
  await dialog(console, /^Block/)
    .getByRole('button', { name: 'Block account' })
    .click();
  await console.getByText('Blocked', { exact: true }).waitFor();
  await console.getByText('Reason: Invoice 7 is unpaid').waitFor();
  expectRefusal(await reseller.get('/balance'), '403 account_blocked');
  await heading(page, 'This account is blocked').waitFor();
  await page.reload();
  await heading(page, 'This account is blocked').waitFor();

  await chooseMore(console, 'Unblock');
  await dialog(console, /^Unblock/)
    .getByRole('button', { name: 'Unblock' })
    .click();
  await console.getByText('Active', { exact: true }).waitFor();
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, await usernameOf(panel.service, reseller), testPassword);
  await heading(page, 'Orders').waitFor();
  assert.equal((await reseller.get('/balance')).status, 200);
});

test('an administrator ends the sessions of an account, and sees in the audit log who signed in and who was refused @nightly', async () => {
  const reseller = await panel.service.createReseller();
  const username = await usernameOf(panel.service, reseller);
  const page = await panel.openAs(reseller, '/panel/security');
  await heading(page, 'Security').waitFor();
  const console = await panel.openAs(panel.service.admin, `/panel/admin/accounts/${reseller.id}`);
  await chooseMore(console, 'End sessions');
  await dialog(console, `End all sessions of ${username}?`)
    .getByRole('button', { name: 'End sessions' })
    .click();
  await console.getByText(/^1 session of .* ended/).waitFor();
  await page.reload();
  await heading(page, 'Sign in').waitFor();
  await typeSignIn(page, username, 'a guess');
  await page.getByRole('alert').waitFor();
  await typeSignIn(page, username, testPassword);
  await heading(page, 'Security').waitFor();
  await goTo(console, 'Audit log');
  const signedIn = row(console, username).filter({ hasText: 'Signed in' }).first();
  await signedIn.getByRole('link', { name: username, exact: true }).first().waitFor();
  const refused = row(console, username).filter({ hasText: 'Sign-in refused' }).first();
  await refused.getByText('wrong password').filter({ visible: true }).waitFor();
  await row(console, 'Sessions ended').first().waitFor();
});

test('the last administrator who can sign in cannot block himself @nightly', async () => {
  const { admin } = panel.service;
  const console = await panel.openAs(admin, `/panel/admin/accounts/${admin.id}`);
  await chooseMore(console, 'Block');
  const asked = dialog(console, /^Block/);
  await asked.getByRole('button', { name: 'Block account' }).click();
  await asked.getByRole('alert').waitFor();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await goTo(console, 'Audit log');
  await row(console, 'admin').first().waitFor();
});

test('who forgot the password has a link mailed, sets another one by it and signs in; the token leaves the address', async () => {
  const reseller = await panel.service.createReseller();
  const username = await usernameOf(panel.service, reseller);
  const security = await panel.openAs(reseller, '/panel/security');
  await security.getByRole('button', { name: 'Add address' }).click();
  const adding = dialog(security, 'Add address');
  await adding.getByLabel('Address', { exact: true }).fill('own@example.com');
  await untilDisabled(adding.getByRole('button', { name: 'Save address' }), 'the password is asked for');
  await confirmWithPassword(adding, testPassword, 'Save address');
  await security.getByText('Address saved.').waitFor();

  const page = await panel.open('/panel/sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading(page, 'Forgot your password?').waitFor();
  await page.getByLabel('Username or email address').fill('own@example.com');
  await page.getByRole('button', { name: 'Send a link' }).click();
  await heading(page, 'Check your email').waitFor();
  const link = await mailedLink();
  assert.ok(link.startsWith(`${panel.service.address}/panel/reset-password#token=`), link);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  // Leave the document first, because a link that differs only in its fragment does not load a new one.
  await page.goto('about:blank');
  await page.goto(link);
  await heading(page, 'Choose your password').waitFor();
  await page.waitForURL((url) => url.hash === '');
  await page.getByLabel('New password', { exact: true }).fill('quite another battery staple');
  await page.getByLabel('Confirm new password').fill('quite another battery staple');
  await page.getByRole('button', { name: 'Set password' }).click();
  await heading(page, 'Password set').waitFor();
  const token = link.split('=')[1] ?? '';
  assert.ok(requests.length > 2 && requests.every((url) => !url.includes(token)), 'it is in no request line');
  await page.getByRole('link', { name: 'Back to sign-in' }).click();
  await typeSignIn(page, username, 'quite another battery staple');
  await heading(page, 'Overview').waitFor();
  await security.reload();
  await heading(security, 'Sign in').waitFor();
});

test('without mail the page for a forgotten password says whom to ask @nightly', async () => {
  const page = await panel.open('/panel/sign-in');
  await page.route(/\/panel\/api\/sign-in$/, (route) => route.fulfill({ json: { password_reset: false } }));
  await page.goto('/panel/reset-password');
  await page.getByText('Email isn’t set up on this service. Ask the operator for a new password.').waitFor();
  assert.equal(await page.getByRole('textbox').count(), 0);
});

async function mailedLink(): Promise<string> {
  const { database, service } = panel.service;
  await service.passwordLinks.settled();
  const [sealed] = (await sealedMails.list(database, 0)).slice(-1);
  assert.ok(sealed, 'there is a mail');
  const body = service.seal.open(sealed.sealed, sealed.context);
  return /http:[^"\\]*#token=[\w-]+/.exec(body)?.[0] ?? '';
}

async function setUpCodes(page: Page): Promise<{ totp: TOTP; recoveryCodes: readonly string[] }> {
  await page.getByRole('button', { name: 'Set up' }).click();
  await confirmWithPassword(dialog(page, 'Set up two-factor authentication'), testPassword, 'Continue');
  const enrolling = dialog(page, 'Scan this with your app');
  await enrolling.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  const totp = new TOTP({ secret: Secret.fromBase32(await shownSecret(enrolling, /^[A-Z2-7]{16,}$/)) });
  await enrolling.getByRole('textbox', { name: 'Code' }).fill(nextCode(totp));
  await enrolling.getByRole('button', { name: 'Turn on' }).click();
  const kept = dialog(page, 'Two-factor authentication is on');
  await kept.getByRole('listitem').nth(9).waitFor();
  const recoveryCodes = await kept.getByRole('listitem').allInnerTexts();
  assert.equal(recoveryCodes.length, 10);
  await kept.getByRole('button', { name: 'I’ve saved them' }).click();
  return { totp, recoveryCodes };
}

function nextCode(totp: TOTP): string {
  panel.service.clock.seconds += codeSeconds;
  return totp.generate({ timestamp: panel.service.clock.seconds * 1000 });
}
