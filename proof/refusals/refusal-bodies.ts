// A valid body for every operation that takes one, by its operationId: the requests of the cases are these with one change.

const password = 'correct horse battery staple';
const newPassword = 'another horse battery staple';
const secret = `whsec_${'A'.repeat(32)}`;
const prices = { monthly: '1.00', quarterly: '2.00', yearly: '3.00' };
const order = { package_id: '{#basic}', customer: '{fresh}' };
const url = 'https://shop.example.com/';
/** A gray picture of one pixel. */
const logo = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==';

export const bodies: Readonly<Record<string, object>> = {
  // Of accounts.
  placeOrder: order,
  renewOrder: { months: 1 },
  previewOrder: order,
  placeOrdersInBulk: { orders: [{ ...order, idempotency_key: 'bulk-1' }] },
  editCustomer: { name: 'Ada' },
  cancelPlan: { at: 'now' },
  suspendCustomer: { reason: 'late' },
  setAutoRenew: { months: 1 },
  createWebhook: { url },
  changeWebhook: { description: 'Shop' },
  rotateWebhookSecret: { overlap_hours: 1 },
  redeliverSinceToWebhook: { from: '2026-01-01T00:00:00Z' },
  setAlerts: { balance_below: '5.00' },
  moveTestClock: { advance: 'P1D' },
  creditTest: { amount: '1.00' },
  // Of the operator.
  createAccount: { username: '{fresh}', group: 'reseller', password },
  changeAccount: { display_name: 'Ada' },
  creditAccount: { amount: '1.00' },
  createAccountKey: { name: 'Till' },
  changeAccountKey: { name: 'Till' },
  rotateAccountKey: { overlap_hours: 1 },
  invitePerson: { username: '{fresh}', role: 'viewer' },
  changePerson: { email: 'ada@example.com' },
  grantTrial: { package_id: '{#trial}', customer: '{fresh}' },
  createPackage: {
    name: 'Small',
    limits: { accounts: 1, posts_per_day: 1, ai_images_per_month: 1 },
    prices: { reseller: prices, distributor: prices },
  },
  changePackage: { name: 'Small' },
  schedulePrices: { from: '2027-01-01T00:00:00Z', prices: { reseller: { monthly: '1.00' } } },
  exchangeLoginCode: { code: '{code}' },
  changeCustomer: { status: 'suspended' },
  cancelPlanOfCustomer: { at: 'now' },
  changePackageOfCustomer: { package_id: '{#plus}' },
  setProduct: { mode: 'notify', url: 'https://product.example.com/', secret },
  failOrder: { reason: 'no room' },
  setBrand: { name: null, colour: null, letterhead: [], support_address: null, language: 'en' },
  setBrandLogo: { data: logo },
  createOperatorWebhook: { url },
  changeOperatorWebhook: { description: 'Books' },
  rotateOperatorWebhookSecret: { overlap_hours: 1 },
  redeliverSinceToOperatorWebhook: { from: '2026-01-01T00:00:00Z' },
  exchangeCodeForCustomer: { code: '{code}' },
  // Of the panel.
  signIn: { username: '{username}', password },
  requestPasswordReset: { account: '{username}' },
  getPasswordLink: { token: '{token}' },
  completePasswordReset: { token: '{token}', new_password: newPassword },
  changePassword: { current_password: password, new_password: newPassword },
  setLanguage: { language: 'en' },
  setClock: { clock: 'utc' },
  setEmail: { password, email: 'ada@example.com' },
  beginTotp: { password },
  confirmTotp: { code: '000000' },
  disableTotp: { password, code: '000000' },
  revealApiKey: { password },
  resetOwnApiKey: { password },
  setAllowList: { allowed_ips: ['127.0.0.1'] },
  createKey: { name: 'Till', password },
  changeKey: { name: 'Till', password },
  revokeKey: { password },
  rotateKey: { overlap_hours: 1, password },
  inviteColleague: { username: '{fresh}', role: 'viewer', password },
  renewColleagueInvitation: { password },
  changeColleague: { email: 'ada@example.com', password },
  removeColleague: { password },
  previewRenewals: { customers: ['{#customer}'] },
  setRequestBodiesKept: { bodies_kept: true },
  disableTotpOf: { current_password: password },
  previewChangePackageOfAnyAccount: { package_id: '{#plus}' },
};

export const currentPassword = { current_password: password };
