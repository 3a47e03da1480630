// Dialogs and drawers that change nothing until confirmed, each with its opener.

import type { Locator, Page } from 'playwright-core';

export type DialogPage =
  | 'customer'
  | 'customers'
  | 'orders'
  | 'ledger'
  | 'api-access'
  | 'webhooks'
  | 'webhook'
  | 'events'
  | 'people'
  | 'security'
  | 'console-account'
  | 'console-account-access'
  | 'console-account-orders'
  | 'console-account-prices'
  | 'console-accounts'
  | 'console-customers'
  | 'console-customer';

export interface PageDialog {
  readonly name: string;
  readonly on: DialogPage;
  readonly opener: string | ((page: Page) => Locator);
  /** The opener is in the menu “More”. */
  readonly inMenu?: boolean;
}

const firstRow = (page: Page) => page.locator('tbody a').first();

export const panelDialogs: readonly PageDialog[] = [
  { name: 'customer-drawer', on: 'customers', opener: firstRow },
  { name: 'order-drawer', on: 'orders', opener: firstRow },
  { name: 'entry-drawer', on: 'ledger', opener: firstRow },
  { name: 'renew-dialog', on: 'customer', opener: 'Renew' },
  { name: 'change-package-dialog', on: 'customer', opener: 'Change package' },
  { name: 'login-link-dialog', on: 'customer', opener: 'Login link' },
  { name: 'auto-renewal-dialog', on: 'customer', opener: 'Auto-renew', inMenu: true },
  { name: 'suspend-plan-dialog', on: 'customer', opener: 'Suspend', inMenu: true },
  { name: 'cancel-plan-dialog', on: 'customer', opener: 'Cancel plan', inMenu: true },
  { name: 'edit-customer-dialog', on: 'customer', opener: 'Edit', inMenu: true },
  { name: 'new-key-dialog', on: 'api-access', opener: 'New key' },
  { name: 'show-key-dialog', on: 'api-access', opener: 'Show key' },
  { name: 'change-key-dialog', on: 'api-access', opener: (page) => keyButton(page, 0) },
  { name: 'rotate-key-dialog', on: 'api-access', opener: (page) => keyButton(page, 1) },
  { name: 'new-endpoint-dialog', on: 'webhooks', opener: 'New endpoint' },
  { name: 'change-endpoint-dialog', on: 'webhook', opener: 'Edit' },
  { name: 'webhook-test-dialog', on: 'webhook', opener: 'Send test event' },
  { name: 'webhook-secret-dialog', on: 'webhook', opener: 'New secret', inMenu: true },
  { name: 'webhook-resend-dialog', on: 'webhook', opener: 'Replay since …' },
  { name: 'webhook-delete-dialog', on: 'webhook', opener: 'Delete', inMenu: true },
  { name: 'event-drawer', on: 'events', opener: firstRow },
  { name: 'invite-dialog', on: 'people', opener: 'Invite member' },
  { name: 'codes-dialog', on: 'security', opener: 'Set up' },
];

export const consoleDialogs: readonly PageDialog[] = [
  { name: 'console-create-dialog', on: 'console-accounts', opener: 'Create account' },
  { name: 'console-credit-dialog', on: 'console-account', opener: 'Credit' },
  { name: 'console-debit-dialog', on: 'console-account', opener: 'Debit' },
  { name: 'console-settings-dialog', on: 'console-account', opener: 'Change settings' },
  { name: 'console-trial-dialog', on: 'console-account', opener: 'Give free trial' },
  { name: 'console-email-dialog', on: 'console-account', opener: 'Email address', inMenu: true },
  { name: 'console-password-dialog', on: 'console-account', opener: 'New password', inMenu: true },
  { name: 'console-sessions-dialog', on: 'console-account', opener: 'End sessions', inMenu: true },
  { name: 'console-key-dialog', on: 'console-account-access', opener: replaceButton },
  { name: 'console-block-dialog', on: 'console-account', opener: 'Block', inMenu: true },
  { name: 'console-close-dialog', on: 'console-account', opener: 'Close account', inMenu: true },
  { name: 'console-account-prices-dialog', on: 'console-account-prices', opener: 'Set prices' },
  { name: 'console-order-drawer', on: 'console-account-orders', opener: firstRow },
  { name: 'console-customer-drawer', on: 'console-customers', opener: firstRow },
  { name: 'console-suspend-dialog', on: 'console-customer', opener: 'Suspend', inMenu: true },
  { name: 'console-customer-link-dialog', on: 'console-customer', opener: 'Create login link' },
  { name: 'console-customer-package-dialog', on: 'console-customer', opener: 'Change package' },
  {
    name: 'console-customer-cancel-dialog',
    on: 'console-customer',
    opener: 'Cancel plan',
    inMenu: true,
  },
];

/** Waits for a heading, because toasts have the role dialog too. */
export async function openDialog(page: Page, { opener, inMenu = false }: PageDialog): Promise<void> {
  const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true }).first();
  if (inMenu) await button('More').click();
  const place =
    typeof opener !== 'string'
      ? opener(page)
      : inMenu
        ? page.getByRole('menuitem', { name: opener, exact: true })
        : button(opener);
  await place.click();
  await page.getByRole('dialog').getByRole('heading').first().waitFor();
}

/** The button of the first key's row after change and new secret. */
function replaceButton(page: Page): Locator {
  return page.locator('table').first().locator('tbody tr').last().getByRole('button').nth(2);
}

/** The buttons of the last key's row after “Show key”: change and new secret. */
function keyButton(page: Page, place: number): Locator {
  return page
    .locator('tbody tr')
    .last()
    .getByRole('button')
    .nth(place + 1);
}
