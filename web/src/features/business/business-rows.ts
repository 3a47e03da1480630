// Which list shows the rows behind a figure. The pages of resellers and operators give different ones.

import type { ReactNode } from 'react';
import type { BusinessMonth } from '../../api/shapes.ts';
import { timesOfUtc } from '../../text/days.ts';

export type RowsOf = 'orders' | 'new' | 'renewed' | 'changed' | 'lost' | 'active';

export interface BusinessRows {
  /** A link around the words. `month` is "2026-01", or null for today. */
  readonly link: (of: RowsOf, month: string | null, words: ReactNode, packageId?: number) => ReactNode;
  readonly open: (of: RowsOf, month: string) => void;
}

/** Orders of these kinds are the rows; all kinds otherwise. */
export const kindsOf: Readonly<Partial<Record<RowsOf, string>>> = {
  new: 'activate',
  renewed: 'renew',
  changed: 'change',
};

export function isOfCustomers(of: RowsOf): boolean {
  return of === 'lost' || of === 'active';
}

/** The filters of a list of customers. Those who returned since are not among the lost. */
export function customersOf(of: RowsOf, month: string | null, packageId?: number) {
  return {
    ...(of === 'active' && { state: 'active' }),
    ...(of === 'lost' && { state: 'expired', ...(month !== null && timesOfUtc(month)) }),
    ...(packageId !== undefined && { package_id: String(packageId) }),
  };
}

/** The months of the span, and as many before them. */
export function splitMonths(
  months: readonly BusinessMonth[] | undefined,
  count: number,
): { readonly shown: readonly BusinessMonth[]; readonly before: readonly BusinessMonth[] } | undefined {
  if (months === undefined) return undefined;
  const shown = months.slice(-count);
  return { shown, before: months.slice(-2 * count, -shown.length) };
}
