// The service's codes and kinds in words for people. Unknown values are shown as they are: the API may gain some.

import { t } from '@lingui/core/macro';
import type { accountRoles, administratorScopes, operatorRoles } from '../../../src/contract/scopes.ts';
import type { PeriodName, Role } from '../api/shapes.ts';

type Words = Readonly<Record<string, string>>;

const orderKinds: Words = { activate: t`New`, renew: t`Renewal`, change: t`Change` };
const entryKinds: Words = { charge: t`Charge`, refund: t`Refund`, credit: t`Credit`, debit: t`Debit` };
const jobKinds: Words = {
  renewals: t`Plans renewed by themselves`,
  product_calls: t`Calls of the product`,
  test_product_calls: t`Calls of the product for tests`,
  old_product_calls: t`Old calls of the product deleted`,
  alert_mails: t`Mails of alerts`,
  plan_ends: t`Notices of plans that end`,
  old_events: t`Old events deleted`,
  deliveries: t`Events sent to endpoints`,
  delivery_log: t`Old deliveries deleted`,
  ledger_days: t`Ledgers summed up by day`,
  list_indexes: t`Lists made ready for filters`,
  discarded_tests: t`Old test data deleted`,
  expired_logins: t`Expired login links deleted`,
  expired_sessions: t`Expired sign-ins deleted`,
  request_log: t`Request logs shortened`,
  mail: t`Mail sent`,
  vacuum: t`Database tidied up`,
  audit: t`Ledgers verified`,
};
const auditActions: Words = {
  'account.create': t`Account created`,
  'account.update': t`Account changed`,
  'account.view': t`Viewed as reseller`,
  'account.set_alerts': t`Alerts changed`,
  'account.credit': t`Balance credited`,
  'account.debit': t`Balance debited`,
  'account.reset_api_key': t`API key replaced`,
  'account.create_key': t`API key made`,
  'account.change_key': t`API key changed`,
  'account.rotate_key': t`API key rotated`,
  'account.revoke_key': t`API key revoked`,
  'account.reveal_api_key': t`API key shown`,
  'account.enable_totp': t`Codes at sign-in on`,
  'account.disable_totp': t`Codes at sign-in off`,
  'account.end_sessions': t`Sessions ended`,
  'account.mail_password_link': t`Link to a new password mailed`,
  'person.invite': t`Person invited`,
  'person.update': t`Person changed`,
  'person.remove': t`Person removed`,
  'person.enable_totp': t`Codes at sign-in on`,
  'person.disable_totp': t`Codes at sign-in off`,
  'person.end_sessions': t`Sessions ended`,
  'person.mail_password_link': t`Link to a new password mailed`,
  'sign_in.accept': t`Signed in`,
  'sign_in.refuse': t`Sign-in refused`,
  'deed.refuse': t`Wrong password refused`,
  'customer.grant_trial': t`Free trial given`,
  'customer.update': t`Customer changed`,
  'customer.cancel': t`Plan cancelled`,
  'customer.suspend': t`Customer suspended`,
  'customer.resume': t`Customer resumed`,
  'customer.auto_renew': t`Auto-renewal changed`,
  'package.create': t`Package created`,
  'package.update': t`Package changed`,
  'package.schedule_prices': t`Prices scheduled`,
  'package.unschedule_prices': t`Scheduled prices deleted`,
  'order.accept': t`Order completed by hand`,
  'order.fail': t`Order failed by hand`,
  'webhook.create': t`Endpoint created`,
  'webhook.update': t`Endpoint changed`,
  'webhook.delete': t`Endpoint deleted`,
  'webhook.disable': t`Endpoint switched off`,
  'webhook.new_secret': t`Secret of an endpoint replaced`,
  'webhook.redeliver': t`Events sent again`,
  'product.update': t`Address of the product changed`,
  'product.delete': t`Address of the product removed`,
  'brand.update': t`Brand changed`,
  'brand.set_logo': t`Logo replaced`,
  'brand.remove_logo': t`Logo removed`,
};
/** What a key may do, in the order of the documents. */
export const scopeWords: Words = {
  'balance:read': t`Read the balance`,
  'packages:read': t`Read packages and prices`,
  'orders:read': t`Read orders`,
  'orders:write': t`Order, renew and cancel plans`,
  'customers:read': t`Read customers`,
  'customers:write': t`Change and suspend customers`,
  'ledger:read': t`Read ledger and statements`,
  'events:read': t`Follow events`,
  'webhooks:write': t`Set up endpoints and alerts`,
};
export const administratorScopeWords: Words = {
  'admin:read': t`Read all accounts`,
  'admin:accounts': t`Manage accounts and customers`,
  'admin:credit': t`Credit accounts`,
  'admin:packages': t`Manage packages and prices`,
  product: t`Be the product: entitlements, login codes`,
} satisfies Record<(typeof administratorScopes)[number], string>;
const roleNames: Words = {
  owner: t`Owner`,
  staff: t`Staff`,
  finance: t`Finance`,
  support: t`Support`,
  viewer: t`Viewer`,
} satisfies Record<Role, string>;
const planStatuses: Words = {
  active: t`Active`,
  suspended: t`Suspended`,
  cancelled: t`Cancelled`,
  expired: t`Expired`,
};
const renewalFailures: Words = {
  insufficient_credit: t`the balance was too low`,
  price_changed: t`it cost more than its limit`,
  account_blocked: t`the account was blocked`,
  package_unavailable: t`the package cannot be renewed`,
};
const groupNames: Words = { reseller: t`Reseller`, distributor: t`Distributor` };

export const periods: readonly {
  readonly months: 1 | 3 | 12;
  readonly period: PeriodName;
  readonly title: string;
}[] = [
  { months: 1, period: 'monthly', title: t`Monthly` },
  { months: 3, period: 'quarterly', title: t`Quarterly` },
  { months: 12, period: 'yearly', title: t`Yearly` },
];

/** Of an order, or what came back for plans that were cancelled. */
export function spendingKindWord(kind: string): string {
  return kind === 'cancel' ? t`Cancelled plans` : orderKindWord(kind);
}

export function orderKindWord(kind: string): string {
  return orderKinds[kind] ?? kind;
}

const orderStatuses: Readonly<Record<string, string>> = {
  pending: t`Pending`,
  completed: t`Completed`,
  failed: t`Failed`,
};

export function orderStatusWord(status: string): string {
  return orderStatuses[status] ?? status;
}

export function entryKindWord(kind: string): string {
  return entryKinds[kind] ?? kind;
}

export function jobKindWord(kind: string): string {
  return jobKinds[kind] ?? kind;
}

export function planStatusWord(status: string): string {
  return planStatuses[status] ?? status;
}

export function renewalFailureWord(code: string): string {
  return renewalFailures[code] ?? code;
}

export function auditActionWord(action: string): string {
  return auditActions[action] ?? action;
}

export function groupWord(group: string): string {
  return groupNames[group] ?? group;
}

export function periodWord(months: number): string {
  return periods.find((period) => period.months === months)?.title ?? t`${months} months`;
}

/** The service gives the first key its name; others have the one that people chose. */
export function keyNameWord(name: string): string {
  return name === 'First key' ? t`First key` : name;
}

export function scopeWord(scope: string): string {
  return scopeWords[scope] ?? administratorScopeWords[scope] ?? scope;
}

export function roleWord(role: string): string {
  return roleNames[role] ?? role;
}

/** What the people of an account may do, the one who may do everything first. */
export const accountRoleWords: readonly RoleWords<(typeof accountRoles)[number]>[] = [
  { role: 'owner', sentence: t`Does everything, API keys and people too.` },
  { role: 'staff', sentence: t`Orders, and changes customers and their plans. No API keys, no people.` },
  { role: 'viewer', sentence: t`Sees orders, customers and money, and changes nothing.` },
];
/** The same of the operator’s own people. */
export const operatorRoleWords: readonly RoleWords<(typeof operatorRoles)[number]>[] = [
  { role: 'owner', sentence: t`Does everything.` },
  { role: 'finance', sentence: t`Sees the whole console; credits and debits accounts.` },
  {
    role: 'support',
    sentence: t`Sees the whole console; manages accounts, their keys and people. No money, no prices.`,
  },
  { role: 'viewer', sentence: t`Sees the whole console, and changes nothing.` },
];

interface RoleWords<Of extends Role> {
  readonly role: Of;
  readonly sentence: string;
}
