import type { Page } from 'playwright-core';
import {
  consoleDialogs,
  type DialogPage,
  openDialog,
  type PageDialog,
  panelDialogs,
} from './page-dialogs.ts';

export type Role = 'visitor' | 'invited' | 'reseller' | 'newcomer' | 'administrator';

export interface Scene {
  readonly page: Page;
  readonly accountId: (username: string) => number;
}

interface PageShot {
  readonly name: string;
  readonly role: Role;
  readonly open: (scene: Scene) => Promise<unknown>;
  /** false photographs only what fits the window; used for dialogs. */
  readonly whole?: boolean;
}

const at =
  (path: string) =>
  ({ page }: Scene) =>
    page.goto(path);

async function firstRow({ page }: Scene, list: string): Promise<void> {
  await page.goto(list);
  await page.locator('tbody a').first().click();
  const drawer = page.getByRole('dialog');
  await page.waitForURL((url) => url.pathname !== list.replace(/\?.*/, '') || url.searchParams.has('open'));
  if (new URL(page.url()).searchParams.has('open')) {
    await drawer.getByRole('link', { name: 'Open page' }).click();
    await drawer.waitFor({ state: 'detached' });
  }
}

const webhookNamed =
  (name: string) =>
  async ({ page }: Scene) => {
    await page.goto('/panel/webhooks');
    await page.getByRole('row').filter({ hasText: name }).getByRole('link').click();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
  };

const webhookDialog = (opener: string, action: string, inMenu: boolean) => async (scene: Scene) => {
  await webhookNamed('Billing')(scene);
  await openDialog(scene.page, { name: '', on: 'webhook', opener, inMenu });
  const dialog = scene.page.getByRole('dialog');
  await dialog.getByRole('button', { name: action }).click();
  await dialog.locator('[aria-busy]').waitFor({ state: 'detached' });
};

const brightline = ({ accountId }: Scene) => `/panel/admin/accounts/${accountId('brightline')}`;

async function customerOfAll({ page }: Scene): Promise<void> {
  await page.goto('/panel/admin/customers');
  await page.locator('tbody a').first().click();
  await page.getByRole('link', { name: 'Open page' }).click();
  await page.getByRole('table', { name: 'History of this customer' }).waitFor();
}

const dialogPages: Readonly<Record<DialogPage, (scene: Scene) => Promise<unknown>>> = {
  customer: (scene) => firstRow(scene, '/panel/customers'),
  customers: at('/panel/customers'),
  orders: at('/panel/orders'),
  ledger: at('/panel/ledger'),
  'api-access': at('/panel/api-access'),
  webhooks: at('/panel/webhooks'),
  webhook: webhookNamed('Billing'),
  events: at('/panel/events'),
  people: at('/panel/people'),
  security: at('/panel/security'),
  'console-account': (scene) => scene.page.goto(brightline(scene)),
  'console-account-access': (scene) => scene.page.goto(`${brightline(scene)}?tab=access`),
  'console-account-orders': (scene) => scene.page.goto(`${brightline(scene)}?tab=orders`),
  'console-account-prices': (scene) => scene.page.goto(`${brightline(scene)}?tab=prices`),
  'console-accounts': at('/panel/admin/accounts'),
  'console-customers': at('/panel/admin/customers'),
  'console-customer': customerOfAll,
};

function dialogShots(dialogs: readonly PageDialog[], role: Role): readonly PageShot[] {
  return dialogs.map((dialog) => ({
    name: dialog.name,
    role,
    whole: false,
    open: async (scene) => {
      await dialogPages[dialog.on](scene);
      await openDialog(scene.page, dialog);
    },
  }));
}

async function bulkRenewal({ page }: Scene): Promise<void> {
  await page.goto('/panel/customers?ending=14&sort=expires_at');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  await page.getByRole('region', { name: 'Selected customers' }).getByRole('button').last().click();
  await page.getByRole('dialog').waitFor();
}

async function bulkAutoRenewal({ page }: Scene): Promise<void> {
  await page.goto('/panel/customers?ending=7&sort=expires_at');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  const bar = page.getByRole('region', { name: 'Selected customers' });
  await bar.getByRole('button', { name: 'Auto-renew' }).click();
  await page.getByRole('dialog').waitFor();
}

/** Shows test mode in this scene only: the tab's state is cleared afterwards. `button` opens a dialog of the test band. */
async function inTestMode({ page }: Scene, button?: string): Promise<void> {
  await page.goto('/panel/');
  await page.evaluate("sessionStorage.setItem('sellthrough-mode', 'test')");
  await page.reload();
  const band = page.getByRole('region', { name: 'Test mode' });
  await band.waitFor();
  await page.evaluate("sessionStorage.removeItem('sellthrough-mode')");
  if (button === undefined) return;
  await band.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').waitFor();
}

async function asReseller(scene: Scene): Promise<void> {
  const { page } = scene;
  await page.goto(brightline(scene));
  await page.getByRole('button', { name: 'View as reseller' }).click();
  await page.getByRole('region', { name: 'Viewing another account' }).waitFor();
  await page.evaluate("sessionStorage.removeItem('sellthrough-view')");
}

async function orderDialog({ page }: Scene): Promise<void> {
  await page.goto('/panel/orders');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Customer').fill('new.customer@example.com');
  await dialog.getByRole('button', { name: /^(Place order for |Für .+ bestellen$)/ }).waitFor();
}

/** Creates a login link in the panel and opens it. The customer's pages run no script, so no script has to be waited for. */
async function loginLink(scene: Scene): Promise<string> {
  const { page } = scene;
  await firstRow(scene, '/panel/customers');
  await page.getByRole('button', { name: 'Login link' }).click();
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = page.getByText(/\/login\/[A-Za-z0-9_-]{43}/).first();
  return (await link.textContent()) ?? '';
}

/** Spends the link and returns it. */
async function followLink(scene: Scene): Promise<string> {
  const link = await loginLink(scene);
  await scene.page.goto(link);
  await scene.page.getByRole('button').click();
  await scene.page.waitForURL('**/customer');
  return link;
}

export const pageShots: readonly PageShot[] = [
  { name: 'sign-in', role: 'visitor', open: at('/panel/sign-in') },
  { name: 'first-password', role: 'invited', open: at('/panel/') },
  { name: 'overview', role: 'reseller', open: at('/panel/') },
  { name: 'overview-year', role: 'reseller', open: at('/panel/?span=months') },
  { name: 'overview-table', role: 'reseller', open: at('/panel/?view=table') },
  { name: 'orders', role: 'reseller', open: at('/panel/orders') },
  { name: 'orders-filtered', role: 'reseller', open: at('/panel/orders?kind=change') },
  { name: 'orders-none', role: 'reseller', open: at('/panel/orders?customer=nobody') },
  { name: 'order', role: 'reseller', open: (scene) => firstRow(scene, '/panel/orders?kind=change') },
  { name: 'order-missing', role: 'reseller', open: at('/panel/orders/404') },
  { name: 'order-dialog', role: 'reseller', open: orderDialog, whole: false },
  { name: 'customers', role: 'reseller', open: at('/panel/customers') },
  { name: 'customer', role: 'reseller', open: (scene) => firstRow(scene, '/panel/customers') },
  { name: 'ledger', role: 'reseller', open: at('/panel/ledger') },
  { name: 'statements', role: 'reseller', open: at('/panel/statements') },
  { name: 'requests', role: 'reseller', open: at('/panel/requests') },
  { name: 'requests-refused', role: 'reseller', open: at('/panel/requests?status=4xx') },
  { name: 'api-access', role: 'reseller', open: at('/panel/api-access') },
  { name: 'webhooks', role: 'reseller', open: at('/panel/webhooks') },
  {
    name: 'new-endpoint-types-dialog',
    role: 'reseller',
    whole: false,
    open: async ({ page }) => {
      await page.goto('/panel/webhooks');
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByRole('dialog').getByText('Only selected types').click();
    },
  },
  { name: 'webhook', role: 'reseller', open: webhookNamed('The shop') },
  { name: 'webhook-failing', role: 'reseller', open: webhookNamed('Billing') },
  { name: 'webhook-off', role: 'reseller', open: webhookNamed('former-crm') },
  {
    name: 'delivery-drawer',
    role: 'reseller',
    whole: false,
    open: async (scene) => {
      await webhookNamed('Billing')(scene);
      await scene.page.locator('tbody a').first().click();
      await scene.page.getByRole('dialog').getByRole('region').first().waitFor();
    },
  },
  {
    name: 'webhook-test-done-dialog',
    role: 'reseller',
    whole: false,
    open: webhookDialog('Send test event', 'Send test event', false),
  },
  {
    name: 'webhook-secret-done-dialog',
    role: 'reseller',
    whole: false,
    open: webhookDialog('New secret', 'Create new secret', true),
  },
  { name: 'events', role: 'reseller', open: at('/panel/events') },
  { name: 'people', role: 'reseller', open: at('/panel/people') },
  { name: 'security', role: 'reseller', open: at('/panel/security') },
  {
    name: 'palette',
    role: 'reseller',
    whole: false,
    open: async ({ page }) => {
      await page.goto('/panel/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'shortcuts',
    role: 'reseller',
    whole: false,
    open: async ({ page }) => {
      await page.goto('/panel/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'login-link', role: 'reseller', whole: false, open: loginLink },
  {
    name: 'customer-confirm',
    role: 'reseller',
    open: async (scene) => scene.page.goto(await loginLink(scene)),
  },
  {
    name: 'customer-page',
    role: 'reseller',
    open: async (scene) => {
      await followLink(scene);
    },
  },
  {
    name: 'customer-spent-link',
    role: 'reseller',
    open: async (scene) => scene.page.goto(await followLink(scene)),
  },
  {
    name: 'customer-signed-out',
    role: 'reseller',
    open: async (scene) => {
      await followLink(scene);
      await scene.page.getByRole('button').click();
    },
  },

  { name: 'business', role: 'reseller', open: at('/panel/business') },
  { name: 'forecast', role: 'reseller', open: at('/panel/forecast') },
  { name: 'customers-ending', role: 'reseller', open: at('/panel/customers?ending=7&sort=expires_at') },
  { name: 'bulk-renewal-dialog', role: 'reseller', whole: false, open: bulkRenewal },
  { name: 'bulk-auto-renewal-dialog', role: 'reseller', whole: false, open: bulkAutoRenewal },
  {
    name: 'discard-question',
    role: 'reseller',
    whole: false,
    async open(scene) {
      await orderDialog(scene);
      await scene.page.goBack();
      await scene.page.getByRole('dialog', { name: /^(Discard|Eingaben)/ }).waitFor();
    },
  },
  {
    name: 'request-drawer',
    role: 'reseller',
    whole: false,
    open: async ({ page }) => {
      await page.goto('/panel/requests');
      await page.locator('tbody a').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  ...dialogShots(panelDialogs, 'reseller'),
  { name: 'test-mode', role: 'reseller', open: (scene) => inTestMode(scene) },
  {
    name: 'test-clock-dialog',
    role: 'reseller',
    whole: false,
    open: (scene) => inTestMode(scene, 'Move clock'),
  },
  {
    name: 'test-credit-dialog',
    role: 'reseller',
    whole: false,
    open: (scene) => inTestMode(scene, 'Add credit'),
  },
  {
    name: 'test-reset-dialog',
    role: 'reseller',
    whole: false,
    open: (scene) => inTestMode(scene, 'Reset test'),
  },
  {
    name: 'session-ended-dialog',
    role: 'reseller',
    whole: false,
    open: async ({ page }) => {
      await page.goto('/panel/orders');
      await page.locator('table[aria-busy="false"]').first().waitFor();
      const cookies = await page.context().cookies();
      await page.context().clearCookies();
      await page.getByRole('searchbox').fill('o');
      await page.getByLabel('Username').waitFor();
      await page.context().addCookies(cookies);
    },
  },

  { name: 'new-overview', role: 'newcomer', open: at('/panel/') },
  { name: 'new-orders', role: 'newcomer', open: at('/panel/orders') },
  { name: 'new-customers', role: 'newcomer', open: at('/panel/customers') },
  { name: 'new-ledger', role: 'newcomer', open: at('/panel/ledger') },
  { name: 'new-requests', role: 'newcomer', open: at('/panel/requests') },
  { name: 'new-api-access', role: 'newcomer', open: at('/panel/api-access') },
  { name: 'new-webhooks', role: 'newcomer', open: at('/panel/webhooks') },
  { name: 'new-events', role: 'newcomer', open: at('/panel/events') },

  {
    name: 'console-overview-months',
    role: 'administrator',
    open: at('/panel/admin?growth=table'),
  },
  { name: 'console-overview-revenue', role: 'administrator', open: at('/panel/admin?tab=revenue') },
  { name: 'console-overview-accounts', role: 'administrator', open: at('/panel/admin?tab=accounts') },
  { name: 'console-overview', role: 'administrator', open: at('/panel/admin') },
  { name: 'console-revenue', role: 'administrator', open: at('/panel/admin/revenue') },
  { name: 'connect', role: 'newcomer', open: at('/panel/connect') },
  { name: 'top-ups', role: 'reseller', open: at('/panel/top-ups') },
  { name: 'console-accounts', role: 'administrator', open: at('/panel/admin/accounts') },
  { name: 'console-account', role: 'administrator', open: (scene) => scene.page.goto(brightline(scene)) },
  {
    name: 'console-account-orders',
    role: 'administrator',
    open: (scene) => scene.page.goto(`${brightline(scene)}?tab=orders`),
  },
  {
    name: 'console-account-business',
    role: 'administrator',
    open: (scene) => scene.page.goto(`${brightline(scene)}?tab=business`),
  },
  { name: 'console-all-orders', role: 'administrator', open: at('/panel/admin/orders') },
  { name: 'console-payments', role: 'administrator', open: at('/panel/admin/payments') },
  {
    name: 'console-payment-problems',
    role: 'administrator',
    open: at('/panel/admin/payments?tab=attention'),
  },
  {
    name: 'console-account-customers',
    role: 'administrator',
    open: (scene) => scene.page.goto(`${brightline(scene)}?tab=customers`),
  },
  {
    name: 'console-account-access',
    role: 'administrator',
    open: (scene) => scene.page.goto(`${brightline(scene)}?tab=access`),
  },
  {
    name: 'console-account-customer-drawer',
    role: 'administrator',
    whole: false,
    open: async (scene) => {
      await scene.page.goto(`${brightline(scene)}?tab=customers`);
      await scene.page.locator('tbody a').first().click();
      await scene.page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'console-account-blocked',
    role: 'administrator',
    open: ({ page, accountId }) => page.goto(`/panel/admin/accounts/${accountId('hartwig-partner')}`),
  },
  {
    name: 'console-order',
    role: 'administrator',
    open: (scene) => firstRow(scene, `${brightline(scene)}?tab=orders`),
  },
  ...dialogShots(consoleDialogs, 'administrator'),
  { name: 'console-people', role: 'administrator', open: at('/panel/people') },
  { name: 'console-packages', role: 'administrator', open: at('/panel/admin/packages') },
  {
    name: 'console-package',
    role: 'administrator',
    open: (scene) => firstRow(scene, '/panel/admin/packages'),
  },
  {
    name: 'console-odd-prices-dialog',
    role: 'administrator',
    whole: false,
    open: async (scene) => {
      await firstRow(scene, '/panel/admin/packages');
      await scene.page.getByRole('button', { name: 'Schedule prices' }).click();
      const dialog = scene.page.getByRole('dialog');
      await dialog.getByLabel('Day', { exact: true }).fill('2030-01-15');
      await dialog.locator('input[inputmode=decimal]').first().fill('1400');
      await dialog.getByText('Double-check these prices').waitFor();
    },
  },
  { name: 'console-package-new', role: 'administrator', open: at('/panel/admin/packages/new') },
  { name: 'console-customers', role: 'administrator', open: at('/panel/admin/customers') },
  { name: 'console-attention', role: 'administrator', open: at('/panel/admin/attention') },
  { name: 'console-customer', role: 'administrator', open: customerOfAll },
  { name: 'console-product', role: 'administrator', open: at('/panel/admin/product') },
  { name: 'console-audit', role: 'administrator', open: at('/panel/admin/audit') },
  { name: 'console-brand', role: 'administrator', open: at('/panel/admin/brand') },
  { name: 'console-retention', role: 'administrator', open: at('/panel/admin/retention') },
  { name: 'console-health', role: 'administrator', open: at('/panel/admin/health') },
  { name: 'console-start', role: 'administrator', open: at('/panel/admin/start') },
  { name: 'console-as-reseller', role: 'administrator', open: asReseller },
];

/** The screenshots in README.md, by page and look. */
export const documentShots: readonly string[] = [
  'overview-light-1280',
  'order-dialog-light-1280',
  'api-access-light-1280',
  'console-overview-dark-1280',
  'ledger-dark-390',
  'customer-page-light-390',
];
