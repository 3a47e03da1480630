// Words for the service's codes and kinds. Unknown ones are shown as they are.

import { t } from '@lingui/core/macro';
import type { Months, PeriodName, Role } from '../api/shapes.ts';

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
  reversal: t`Reversal`,
  settlement: t`Settlement`,
  reinstatement: t`Reinstatement`,
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
  cancelled: t`Canceled`,
  expired: t`Expired`,
});
export const renewalFailureWord = wordOf({
  insufficient_credit: t`the balance was too low`,
  price_changed: t`the price was above the limit`,
  account_blocked: t`the account was blocked`,
  package_unavailable: t`the package cannot be renewed`,
  invalid_months: t`the package isn’t sold for this period`,
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

/** Returns all periods for an unknown package, because resellers cannot see retired packages. */
export function periodsOf(one: { readonly periods: readonly PeriodName[] } | undefined): typeof periods {
  return one === undefined ? periods : periods.filter(({ period }) => one.periods.includes(period));
}

/** Returns the chosen months, or the shortest period that is offered if the chosen one is not. */
export function monthsOffered(chosen: Months, offered: typeof periods): Months {
  const [shortest] = offered;
  return offered.some(({ months }) => months === chosen) ? chosen : (shortest?.months ?? chosen);
}

export function spendingKindWord(kind: string): string {
  return kind === 'cancel' ? t`Canceled plans` : orderKindWord(kind);
}

export const orderStatusWord = wordOf({ pending: t`Pending`, completed: t`Completed`, failed: t`Failed` });

export function periodWord(months: number): string {
  return periods.find((period) => period.months === months)?.title ?? t`${months} months`;
}

/** The reference, unless it is the name, which it is for customers without one. */
export function referenceBeside({ name, reference }: { readonly name: string; readonly reference: string }) {
  return reference === name ? '' : reference;
}
