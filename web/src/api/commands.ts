// All changes, one function per route. Commands that move money carry the dialog's idempotency key.

import type { TestOutcome } from '../../../src/shared/topup-words.ts';
import { call } from './client.ts';
import { mintIdempotencyKey } from './random-text.ts';
import type * as Api from './shapes.ts';

const post = <Answer>(path: string, body: object = {}, idempotencyKey?: string) =>
  call<Answer>(path, { method: 'POST', body, ...(idempotencyKey !== undefined && { idempotencyKey }) });
const patch = <Answer>(path: string, body: object) => call<Answer>(path, { method: 'PATCH', body });
const remove = (path: string) => call<null>(path, { method: 'DELETE' });

type OwnPassword = string | undefined;

interface WithOwnPassword {
  readonly current_password: OwnPassword;
}

export const signIn = (body: { username: string; password: string; code?: string }) =>
  post<{ readonly account: Api.Account }>('/sign-in', body);
export const lookAround = (body: { role: 'operator' | 'reseller' | 'customer' }) =>
  post<{ readonly path: string }>('/look-around', body);
export const requestPasswordReset = (body: { account: string }) => post<null>('/password-reset', body);
export const completePasswordReset = (body: { token: string; new_password: string; sign_in?: boolean }) =>
  post<null>('/password-reset/complete', body);
export const setEmail = (body: { email: string; password: OwnPassword }) =>
  call<{ readonly email: string }>('/email', { method: 'PUT', body });
export const setAlerts = (body: {
  balance_below?: string;
  plans_ending_days?: number;
  emails: readonly string[];
  weekly_summary?: boolean;
}) => call<Api.AlertsAnswer>('/v1/alerts', { method: 'PUT', body });
export const setBrand = (body: Omit<Api.Brand, 'logo'> & WithOwnPassword) =>
  call<{ readonly brand: Api.Brand }>('/admin/v1/brand', { method: 'PUT', body });
export const setBrandLogo = (data: string | null, password: WithOwnPassword) =>
  call<{ readonly brand: Api.Brand }>('/admin/v1/brand/logo', {
    method: data === null ? 'DELETE' : 'PUT',
    body: data === null ? password : { data, ...password },
  });
export const setRetention = (body: Partial<Api.Retention> & WithOwnPassword) =>
  patch<{ readonly retention: Api.Retention }>('/admin/v1/retention', body);
export const revokeSession = (id: string) => remove(`/sessions/${encodeURIComponent(id)}`);
export const revokeOtherSessions = () => remove('/sessions');
export const changePassword = (body: { current_password: string; new_password: string }) =>
  post<null>('/password', body);
export const startTotp = (body: { password: OwnPassword }) => post<Api.TotpEnrolment>('/totp', body);
export const confirmTotp = (body: { code: string }) =>
  post<{ readonly recovery_codes: readonly string[] }>('/totp/confirm', body);
export const disableTotp = (body: { password: OwnPassword; code: string }) =>
  post<null>('/totp/disable', body);

export const revealApiKey = (body: { password: OwnPassword }) =>
  post<{ readonly api_key: string }>('/api-key/reveal', body);
export const saveAllowList = (body: { allowed_ips: readonly string[]; confirm?: boolean }) =>
  call<Api.SavedAllowList>('/allow-list', { method: 'PUT', body });

export const setBodyCapture = (body: { bodies_kept: boolean }) =>
  call<{ readonly bodies_kept: boolean }>('/request-bodies', { method: 'PUT', body });

/** The account whose keys or people are changed, and the name of the password field in its routes. */
export interface AccessOwner {
  readonly path: string;
  readonly passwordField: 'password' | 'current_password';
}

export const ownKeys: AccessOwner = { path: '/keys', passwordField: 'password' };
export const keysOfAccount = (id: number): AccessOwner => ({
  path: `/admin/v1/accounts/${id}/keys`,
  passwordField: 'current_password',
});

export interface KeySettings {
  readonly name: string;
  readonly test?: boolean;
  /** null grants all scopes of the account; an absent field leaves the scopes unchanged. */
  readonly scopes?: readonly string[] | null;
  readonly allowed_ips: readonly string[];
  readonly rate_limit_per_minute: number | null;
  readonly expires_at?: string | null;
}

interface KeyWithSecret {
  readonly key: Api.ApiKey;
  /** null if an earlier answer already showed the key. */
  readonly api_key: string | null;
}

export const createKey = (
  owner: AccessOwner,
  settings: KeySettings,
  password: OwnPassword,
  idempotencyKey: string,
) => post<KeyWithSecret>(owner.path, { ...settings, [owner.passwordField]: password }, idempotencyKey);
export const createConnectTestKey = () => post<{ readonly api_key: string }>('/connect/test-key');
export const changeKey = (
  owner: AccessOwner,
  id: number,
  changes: Partial<KeySettings>,
  password: OwnPassword,
) =>
  patch<{ readonly key: Api.ApiKey }>(`${owner.path}/${id}`, { ...changes, [owner.passwordField]: password });
export const rotateKey = (
  owner: AccessOwner,
  id: number,
  body: { overlap_hours: number },
  password: OwnPassword,
  idempotencyKey: string,
) =>
  post<KeyWithSecret>(
    `${owner.path}/${id}/rotate`,
    { ...body, [owner.passwordField]: password },
    idempotencyKey,
  );
export const revokeKey = (owner: AccessOwner, id: number, password: OwnPassword) =>
  call<{ readonly deleted: boolean }>(`${owner.path}/${id}`, {
    method: 'DELETE',
    body: { [owner.passwordField]: password },
  });

export const ownPeople: AccessOwner = { path: '/people', passwordField: 'password' };
export const peopleOfAccount = (id: number): AccessOwner => ({
  path: `/admin/v1/accounts/${id}/people`,
  passwordField: 'current_password',
});

export interface NewPerson {
  readonly username: string;
  readonly role: Api.Role;
  readonly email?: string;
}

export interface InvitedPerson {
  readonly person: Api.Person;
  readonly invitation: { readonly url: string; readonly expires_at: string };
}

export const invitePerson = (owner: AccessOwner, body: NewPerson, password: OwnPassword) =>
  post<InvitedPerson>(owner.path, { ...body, [owner.passwordField]: password });
export const inviteAgain = (owner: AccessOwner, id: number, password: OwnPassword) =>
  post<InvitedPerson>(`${owner.path}/${id}/invitation`, { [owner.passwordField]: password });
export const changePerson = (
  owner: AccessOwner,
  id: number,
  body: { readonly role?: Api.Role; readonly email?: string },
  password: OwnPassword,
) =>
  patch<{ readonly person: Api.Person }>(`${owner.path}/${id}`, { ...body, [owner.passwordField]: password });
export const removePerson = (owner: AccessOwner, id: number, password: OwnPassword) =>
  call<{ readonly removed: boolean }>(`${owner.path}/${id}`, {
    method: 'DELETE',
    body: { [owner.passwordField]: password },
  });

export interface NewOrder {
  readonly package_id: number;
  readonly customer: string;
  readonly months: Api.Months;
  readonly customer_name?: string;
  /** The price from the preview. The service refuses the order if the price has risen. */
  readonly max_charge?: string;
  readonly return_login?: boolean;
}

export const placeOrder = (order: NewOrder, idempotencyKey: string) =>
  post<Api.PlacedOrder>('/v1/orders', order, idempotencyKey);
export const renewOrder = (orderId: number, months: Api.Months, maxCharge: string, idempotencyKey: string) =>
  post<Api.PlacedOrder>(`/v1/orders/${orderId}/renew`, { months, max_charge: maxCharge }, idempotencyKey);
export interface NewTopup {
  readonly amount: string;
  readonly method: Api.Topup['method'];
  /** Only in test mode: what becomes of the payment. */
  readonly outcome?: TestOutcome;
}
export const createTopup = (body: NewTopup, idempotencyKey: string) =>
  post<{ readonly topup: Api.Topup }>('/v1/topups', body, idempotencyKey);
export const cancelTopup = (id: number) => post<{ readonly topup: Api.Topup }>(`/v1/topups/${id}/cancel`);
export interface RenewalToSend {
  readonly renew: number;
  readonly max_charge: string;
  readonly idempotency_key: string;
}
export const renewInBulk = (orders: readonly RenewalToSend[]) =>
  post<Api.BulkAnswer>('/v1/orders/bulk', { orders });
export const cancelPlan = (id: number, at: 'now' | 'period_end', idempotencyKey: string) =>
  post<{ readonly refund: string; readonly balance: string }>(
    `/v1/customers/${id}/cancel`,
    { at },
    idempotencyKey,
  );
export const suspendPlan = (id: number, reason: string, idempotencyKey: string) =>
  post<unknown>(`/v1/customers/${id}/suspend`, reason === '' ? {} : { reason }, idempotencyKey);
export const resumePlan = (id: number, idempotencyKey: string) =>
  post<unknown>(`/v1/customers/${id}/resume`, {}, idempotencyKey);
export const setAutoRenew = (
  id: number,
  body: { readonly months: Api.Months; readonly max_charge: string | null; readonly hours_before: number },
  idempotencyKey: string,
) => call<unknown>(`/v1/customers/${id}/auto-renew`, { method: 'PUT', body, idempotencyKey });
export const removeAutoRenew = (id: number, idempotencyKey: string) =>
  call<unknown>(`/v1/customers/${id}/auto-renew`, { method: 'DELETE', idempotencyKey });
export const editCustomer = (
  id: number,
  body: { readonly name: string; readonly external_ref: string | null; readonly reference?: string },
  idempotencyKey: string,
) => call<unknown>(`/v1/customers/${id}`, { method: 'PATCH', body, idempotencyKey });
/** Erasing again changes nothing, so repeating it is safe. */
export const eraseCustomer = (id: number, isOperator: boolean) =>
  post<unknown>(`${isOperator ? '/admin/v1' : '/v1'}/customers/${id}/erase`);
export const createLoginLink = (customerId: number) =>
  post<Api.LoginLink>(`/customers/${customerId}/login-link`);

export type WebhookSettings = Pick<Api.Webhook, 'url' | 'types' | 'description'>;

export const createWebhook = (settings: WebhookSettings, idempotencyKey: string) =>
  post<Api.WebhookWithSecret>('/v1/webhooks', settings, idempotencyKey);
/** Sends the resulting state, so repeating it is safe. */
export const changeWebhook = (id: number, changes: Partial<WebhookSettings & Pick<Api.Webhook, 'enabled'>>) =>
  patch<{ readonly webhook: Api.Webhook }>(`/v1/webhooks/${id}`, changes);
export const deleteWebhook = (id: number, idempotencyKey: string) =>
  call<{ readonly deleted: boolean }>(`/v1/webhooks/${id}`, { method: 'DELETE', idempotencyKey });
export const sendTestEvent = (id: number) => post<Api.TestedWebhook>(`/v1/webhooks/${id}/test`);
export const rotateWebhookSecret = (id: number, body: { overlap_hours: number }, idempotencyKey: string) =>
  post<Api.WebhookWithSecret>(`/v1/webhooks/${id}/secret`, body, idempotencyKey);
export const redeliverEvent = (id: number, eventId: number, idempotencyKey: string) =>
  post<{ readonly webhook: Api.Webhook }>(
    `/v1/webhooks/${id}/deliveries/${eventId}/redeliver`,
    {},
    idempotencyKey,
  );
export const redeliverSince = (id: number, from: string, idempotencyKey: string) =>
  post<{ readonly webhook: Api.Webhook }>(`/v1/webhooks/${id}/redeliver`, { from }, idempotencyKey);

export type ClockMove = { readonly advance: string } | { readonly now: string };

export const moveTestClock = (move: ClockMove, idempotencyKey: string) =>
  post<Api.TestClockMoved>('/v1/test/clock', move, idempotencyKey);
export const creditTest = (body: { amount: string }, idempotencyKey: string) =>
  post<{ readonly balance: string }>('/v1/test/credit', body, idempotencyKey);
export const resetTest = (idempotencyKey: string) =>
  post<{ readonly balance: string }>('/v1/test/reset', {}, idempotencyKey);

export interface NewAccount {
  readonly username: string;
  readonly group: Api.Group;
  readonly display_name?: string;
  readonly email?: string;
  readonly invite?: boolean;
  readonly rate_limit_per_minute?: number;
}

export interface CreatedAccount {
  readonly account: Api.Account;
  readonly api_key: string;
  /** The generated password. Absent if the password was chosen or the person is invited. */
  readonly password?: string;
  /** Only for the invited. */
  readonly invitation?: { readonly url: string; readonly expires_at: string };
}

export interface AccountChange {
  readonly group?: Api.Group;
  readonly display_name?: string;
  readonly blocked?: boolean;
  /** Of the block. */
  readonly reason?: string;
  readonly api_enabled?: boolean;
  readonly rate_limit_per_minute?: number;
  readonly allowed_ips?: readonly string[];
  readonly confirm?: boolean;
}

export const createAccount = (body: NewAccount) => post<CreatedAccount>('/admin/v1/accounts', body);
export const changeAccount = (
  id: number,
  body: AccountChange | (WithOwnPassword & ({ readonly password: string } | { readonly email: string })),
) => patch<{ readonly account: Api.Account }>(`/admin/v1/accounts/${id}`, body);
export const closeAccount = (
  id: number,
  body: { balance: 'paid_out' | 'written_off'; memo: string } & WithOwnPassword,
  idempotencyKey: string,
) => post<{ readonly amount: string }>(`/admin/v1/accounts/${id}/close`, body, idempotencyKey);
export const creditAccount = (
  id: number,
  body: { amount: string; memo?: string; current_password?: OwnPassword },
  idempotencyKey: string,
) =>
  post<{ readonly entry: Api.LedgerEntry; readonly balance: string }>(
    `/admin/v1/accounts/${id}/credit`,
    body,
    idempotencyKey,
  );
export const resetAccountApiKey = (id: number, body: WithOwnPassword) =>
  post<{ readonly api_key: string }>(`/admin/v1/accounts/${id}/api-key`, body);
export const endAccountSessions = (id: number) =>
  post<{ readonly ended: number }>(`/admin/v1/accounts/${id}/end-sessions`);
export const disableAccountTotp = (id: number, body: WithOwnPassword) =>
  post<null>(`/admin/accounts/${id}/totp/disable`, body);
export const grantTrial = (
  accountId: number,
  body: { package_id: number; customer: string; customer_name?: string; again?: true },
  key: string,
) => post<{ readonly customer: Api.Customer }>(`/admin/v1/accounts/${accountId}/trials`, body, key);

export type PackageSettings = Pick<Api.AdminPackage, 'name' | 'features' | 'limits' | 'duration_days'> &
  Partial<Pick<Api.AdminPackage, 'description' | 'periods' | 'trial' | 'retired'>> & {
    readonly prices?: Api.ScheduledPrices['prices'];
    readonly remove_limits?: readonly string[];
  };

export const createPackage = (body: PackageSettings & WithOwnPassword) =>
  post<{ readonly package: Api.AdminPackage }>('/admin/v1/packages', body);
export const changePackage = (id: number, body: Partial<PackageSettings> & WithOwnPassword) =>
  patch<{ readonly package: Api.AdminPackage }>(`/admin/v1/packages/${id}`, body);
export type LimitSettings = Pick<Api.Limit, 'name' | 'kind' | 'hidden'> &
  Partial<Pick<Api.Limit, 'unit' | 'position'>>;
export const setLimit = (key: string, body: LimitSettings) =>
  call<{ readonly limit: Api.Limit }>(`/admin/v1/limits/${encodeURIComponent(key)}`, { method: 'PUT', body });
export const deleteLimit = (key: string) =>
  call<unknown>(`/admin/v1/limits/${encodeURIComponent(key)}`, { method: 'DELETE' });
export const schedulePrices = (
  packageId: number,
  body: Pick<Api.ScheduledPrices, 'from' | 'prices'> & {
    readonly existing_plans: 'new' | 'held';
  } & WithOwnPassword,
) => post<{ readonly price: Api.ScheduledPrices }>(`/admin/v1/packages/${packageId}/prices`, body);
export const unschedulePrices = (packageId: number, from: string, body: WithOwnPassword) =>
  call<unknown>(`/admin/v1/packages/${packageId}/prices`, { method: 'DELETE', query: { from }, body });
export interface PaymentsChange {
  readonly methods: {
    readonly card?: {
      readonly provider: 'stripe';
      readonly enabled: boolean;
      readonly secret_key?: string;
      readonly webhook_secret?: string;
    };
    readonly bank_transfer?: {
      readonly enabled: boolean;
      readonly holder: string;
      readonly iban: string;
      readonly bic?: string;
    };
  };
  readonly minimum: string;
  readonly maximum: string;
  readonly daily_maximum: string | null;
}

export const writeOffReceivable = (
  accountId: number,
  body: { amount: string; memo: string } & WithOwnPassword,
  idempotencyKey: string,
) =>
  post<{ readonly written_off: string; readonly receivable: string }>(
    `/admin/v1/accounts/${accountId}/receivable/write-offs`,
    body,
    idempotencyKey,
  );
export const setPayments = (body: PaymentsChange & WithOwnPassword) =>
  call<{ readonly payments: Api.Payments }>('/admin/v1/payments', { method: 'PUT', body });
export interface ProductChange {
  readonly mode: Api.Product['mode'];
  readonly url: string;
  readonly secret?: string;
  readonly test_url: string | null;
  readonly test_secret?: string;
}

export const setProduct = (body: ProductChange & WithOwnPassword) =>
  call<{ readonly product: Api.Product }>('/admin/v1/product', { method: 'PUT', body });
export const sendProductTestCall = () => post<Api.ProductTest>('/admin/product/test-call');
export const skipSetupStep = (body: { step: Api.SetupStep; skipped: boolean }) =>
  call<Api.Setup>('/admin/setup', { method: 'PUT', body });
export const removeProduct = (body: WithOwnPassword) =>
  call<unknown>('/admin/v1/product', { method: 'DELETE', body });
/** The service settles an order only once, for any idempotency key. */
export const settleOrder = (id: number, outcome: 'accept' | 'fail', reason: string) =>
  post<Api.PlacedOrder>(
    `/admin/v1/orders/${id}/${outcome}`,
    outcome === 'fail' ? { reason } : {},
    `settle-${outcome}-${id}`,
  );
/** Each click has its own idempotency key, because a call that failed again may be sent again. */
export const sendCallAgain = (id: string) =>
  post<{ readonly call: Api.ProductCall }>(`/admin/v1/product-calls/${id}/send`, {}, mintIdempotencyKey());
export const sendAllCallsAgain = () =>
  post<{ readonly calls: number; readonly more: boolean }>(
    '/admin/v1/product-calls/send',
    {},
    mintIdempotencyKey(),
  );
/** The service closes a call only once, so a fixed idempotency key is enough. */
export const closeCall = (id: string) =>
  post<{ readonly call: Api.ProductCall }>(`/admin/v1/product-calls/${id}/done`, {}, `done-${id}`);
export const beginAccountView = (id: number) =>
  post<{ readonly until: string }>(`/admin/accounts/${id}/view`);
export const changeCustomerStatus = (id: number, status: 'active' | 'suspended', reason: string) =>
  patch<{ readonly customer: Api.Customer }>(`/admin/v1/customers/${id}`, {
    status,
    ...(reason !== '' && { reason }),
  });
export const verifyLedgers = () => call<Api.VerifyReport>('/admin/v1/verify');
