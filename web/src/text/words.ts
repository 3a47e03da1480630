// Names of the service's codes and kinds. Unknown ones are shown as they are.

import { t } from '@lingui/core/macro';
import type { accountRoles, operatorRoles } from '../../../src/shared/scopes.ts';
import type { PeriodName, Role } from '../api/shapes.ts';

export type Words = Readonly<Record<string, string>>;

export const wordOf =
  (words: Words) =>
  (value: string): string =>
    words[value] ?? value;

export const orderKindWord = wordOf({ activate: t`New`, renew: t`Renewal`, change: t`Change` });
export const entryKindWord = wordOf({
  charge: t`Charge`,
  refund: t`Refund`,
  credit: t`Credit`,
  debit: t`Debit`,
});
export const roleWord = wordOf({
  owner: t`Owner`,
  staff: t`Staff`,
  finance: t`Finance`,
  support: t`Support`,
  viewer: t`Viewer`,
} satisfies Record<Role, string>);
export const planStatusWord = wordOf({
  active: t`Active`,
  suspended: t`Suspended`,
  cancelled: t`Cancelled`,
  expired: t`Expired`,
});
export const renewalFailureWord = wordOf({
  insufficient_credit: t`the balance was too low`,
  price_changed: t`it cost more than its limit`,
  account_blocked: t`the account was blocked`,
  package_unavailable: t`the package cannot be renewed`,
});
export const groupWord = wordOf({ reseller: t`Reseller`, distributor: t`Distributor` });

export const periods: readonly {
  readonly months: 1 | 3 | 12;
  readonly period: PeriodName;
  readonly title: string;
}[] = [
  { months: 1, period: 'monthly', title: t`Monthly` },
  { months: 3, period: 'quarterly', title: t`Quarterly` },
  { months: 12, period: 'yearly', title: t`Yearly` },
];

/** An order's kind, or refunds of canceled plans. */
export function spendingKindWord(kind: string): string {
  return kind === 'cancel' ? t`Cancelled plans` : orderKindWord(kind);
}

export const orderStatusWord = wordOf({ pending: t`Pending`, completed: t`Completed`, failed: t`Failed` });

export function periodWord(months: number): string {
  return periods.find((period) => period.months === months)?.title ?? t`${months} months`;
}

/** The service names the first key; people name others. */
export function keyNameWord(name: string): string {
  return name === 'First key' ? t`First key` : name;
}

/** Most powerful first. */
export const accountRoleWords: readonly RoleWords<(typeof accountRoles)[number]>[] = [
  { role: 'owner', sentence: t`Does everything, API keys and people too.` },
  { role: 'staff', sentence: t`Orders, and changes customers and their plans. No API keys, no people.` },
  { role: 'viewer', sentence: t`Sees orders, customers and money, and changes nothing.` },
];
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
