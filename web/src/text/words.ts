// The service's codes and kinds in words for people. Unknown values are shown as they are: the API may gain some.

import type { accountRoles, administratorScopes, operatorRoles } from '../../../src/contract/scopes.ts';
import type { PeriodName, Role } from '../api/shapes.ts';

type Words = Readonly<Record<string, string>>;

const orderKinds: Words = { activate: 'New', renew: 'Renewal', change: 'Change' };
const entryKinds: Words = { charge: 'Charge', refund: 'Refund', credit: 'Credit', debit: 'Debit' };
const jobKinds: Words = {
  renewals: 'Plans renewed by themselves',
  product_calls: 'Calls of the product',
  test_product_calls: 'Calls of the product for tests',
  old_product_calls: 'Old calls of the product deleted',
  alert_mails: 'Mails of alerts',
  plan_ends: 'Notices of plans that end',
  old_events: 'Old events deleted',
  deliveries: 'Events sent to endpoints',
  delivery_log: 'Old deliveries deleted',
  ledger_days: 'Ledgers summed up by day',
  list_indexes: 'Lists made ready for filters',
  discarded_tests: 'Old test data deleted',
  expired_logins: 'Expired login links deleted',
  expired_sessions: 'Expired sign-ins deleted',
  request_log: 'Request logs shortened',
  mail: 'Mail sent',
  vacuum: 'Database tidied up',
  audit: 'Ledgers verified',
};
const auditActions: Words = {
  'account.create': 'Account created',
  'account.update': 'Account changed',
  'account.set_alerts': 'Alerts changed',
  'account.credit': 'Balance changed',
  'account.reset_api_key': 'API key replaced',
  'account.create_key': 'API key made',
  'account.change_key': 'API key changed',
  'account.rotate_key': 'API key rotated',
  'account.revoke_key': 'API key revoked',
  'account.reveal_api_key': 'API key shown',
  'account.enable_totp': 'Codes at sign-in on',
  'account.disable_totp': 'Codes at sign-in off',
  'account.end_sessions': 'Sessions ended',
  'account.mail_password_link': 'Link to a new password mailed',
  'person.invite': 'Person invited',
  'person.update': 'Person changed',
  'person.remove': 'Person removed',
  'person.enable_totp': 'Codes at sign-in on',
  'person.disable_totp': 'Codes at sign-in off',
  'person.end_sessions': 'Sessions ended',
  'person.mail_password_link': 'Link to a new password mailed',
  'sign_in.accept': 'Signed in',
  'sign_in.refuse': 'Sign-in refused',
  'deed.refuse': 'Wrong password refused',
  'customer.grant_trial': 'Free trial given',
  'customer.update': 'Customer changed',
  'customer.cancel': 'Plan cancelled',
  'customer.suspend': 'Customer suspended',
  'customer.resume': 'Customer resumed',
  'customer.auto_renew': 'Auto-renewal changed',
  'package.create': 'Package created',
  'package.update': 'Package changed',
  'package.schedule_prices': 'Prices scheduled',
  'package.unschedule_prices': 'Scheduled prices deleted',
};
/** What a key may do, in the order of the documents. */
export const scopeWords: Words = {
  'balance:read': 'Read the balance',
  'packages:read': 'Read packages and prices',
  'orders:read': 'Read orders',
  'orders:write': 'Order, renew and cancel plans',
  'customers:read': 'Read customers',
  'customers:write': 'Change and suspend customers',
  'ledger:read': 'Read ledger and statements',
  'events:read': 'Follow events',
  'webhooks:write': 'Set up endpoints and alerts',
};
export const administratorScopeWords: Words = {
  'admin:read': 'Read all accounts',
  'admin:accounts': 'Manage accounts and customers',
  'admin:credit': 'Credit accounts',
  'admin:packages': 'Manage packages and prices',
  product: 'Be the product: entitlements, login codes',
} satisfies Record<(typeof administratorScopes)[number], string>;
const roleNames: Words = {
  owner: 'Owner',
  staff: 'Staff',
  finance: 'Finance',
  support: 'Support',
  viewer: 'Viewer',
} satisfies Record<Role, string>;
const planStatuses: Words = { cancelled: 'Cancelled', expired: 'Expired' };
const renewalFailures: Words = {
  insufficient_credit: 'the balance was too low',
  price_changed: 'it cost more than its limit',
  account_blocked: 'the account was blocked',
  package_unavailable: 'the package cannot be renewed',
};
const groupNames: Words = { reseller: 'Reseller', distributor: 'Distributor' };

export const periods: readonly {
  readonly months: 1 | 3 | 12;
  readonly period: PeriodName;
  readonly title: string;
}[] = [
  { months: 1, period: 'monthly', title: 'Monthly' },
  { months: 3, period: 'quarterly', title: 'Quarterly' },
  { months: 12, period: 'yearly', title: 'Yearly' },
];

export function orderKindWord(kind: string): string {
  return orderKinds[kind] ?? kind;
}

const orderStatuses: Readonly<Record<string, string>> = {
  pending: 'Pending',
  completed: 'Completed',
  failed: 'Failed',
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
  return periods.find((period) => period.months === months)?.title ?? `${months} months`;
}

export function scopeWord(scope: string): string {
  return scopeWords[scope] ?? administratorScopeWords[scope] ?? scope;
}

export function roleWord(role: string): string {
  return roleNames[role] ?? role;
}

/** What the people of an account may do, the one who may do everything first. */
export const accountRoleWords: readonly RoleWords<(typeof accountRoles)[number]>[] = [
  { role: 'owner', sentence: 'Does everything, API keys and people too.' },
  { role: 'staff', sentence: 'Orders, and changes customers and their plans. No API keys, no people.' },
  { role: 'viewer', sentence: 'Sees orders, customers and money, and changes nothing.' },
];
/** The same of the operator’s own people. */
export const operatorRoleWords: readonly RoleWords<(typeof operatorRoles)[number]>[] = [
  { role: 'owner', sentence: 'Does everything.' },
  { role: 'finance', sentence: 'Sees the whole console; credits and debits accounts.' },
  {
    role: 'support',
    sentence: 'Sees the whole console; manages accounts, their keys and people. No money, no prices.',
  },
  { role: 'viewer', sentence: 'Sees the whole console, and changes nothing.' },
];

interface RoleWords<Of extends Role> {
  readonly role: Of;
  readonly sentence: string;
}

/** "1 order", "2 orders" */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
