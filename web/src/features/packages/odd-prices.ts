// Flags unusual scheduled prices, so that an operator notices typos before they take effect. It forbids nothing. Pure.

import type { Group, PeriodName } from '../../api/shapes.ts';

export type CentsByGroup = Readonly<Record<Group, Readonly<Record<PeriodName, bigint>>>>;

export interface PriceChange {
  readonly group: Group;
  readonly period: PeriodName;
  readonly before: bigint | null;
  readonly after: bigint;
}

export type Oddity =
  | { readonly type: 'free'; readonly group: Group; readonly period: PeriodName }
  /** A price that rose by more than 50 % or fell below half. `share` is the relative change: 0.6 means 60 %. */
  | { readonly type: 'leap'; readonly group: Group; readonly period: PeriodName; readonly share: number }
  /** Distributors should pay less than resellers. */
  | {
      readonly type: 'distributor_dearer';
      readonly period: PeriodName;
      readonly reseller: bigint;
      readonly distributor: bigint;
    }
  /** A long period costs more than the same months paid monthly. */
  | {
      readonly type: 'longer_dearer';
      readonly group: Group;
      readonly period: PeriodName;
      readonly price: bigint;
      readonly byMonth: bigint;
    };

const groups = ['reseller', 'distributor'] as const;
const periodMonths = [
  ['monthly', 1n],
  ['quarterly', 3n],
  ['yearly', 12n],
] as const;

export function priceChanges(before: CentsByGroup | null, after: CentsByGroup): PriceChange[] {
  return groups.flatMap((group) =>
    periodMonths.flatMap(([period]) => {
      const change = { group, period, before: before?.[group][period] ?? null, after: after[group][period] };
      return change.before === change.after ? [] : [change];
    }),
  );
}

/** Flags only changed prices; older oddities are considered intended. */
export function oddities(before: CentsByGroup | null, after: CentsByGroup): Oddity[] {
  const changes = priceChanges(before, after);
  const isChanged = (group: Group, period: PeriodName) =>
    changes.some((change) => change.group === group && change.period === period);
  return [
    ...changes.flatMap(({ group, period, before: old, after: price }): Oddity[] => {
      if (price === 0n) return [{ type: 'free', group, period }];
      if (old === null || old === 0n || !isLeap(old, price)) return [];
      return [{ type: 'leap', group, period, share: Number(((price - old) * 1_000n) / old) / 1_000 }];
    }),
    ...periodMonths.flatMap(([period]): Oddity[] => {
      const [reseller, distributor] = [after.reseller[period], after.distributor[period]];
      if (!isChanged('reseller', period) && !isChanged('distributor', period)) return [];
      return reseller < distributor ? [{ type: 'distributor_dearer', period, reseller, distributor }] : [];
    }),
    ...groups.flatMap((group) =>
      periodMonths.flatMap(([period, months]): Oddity[] => {
        const price = after[group][period];
        const byMonth = after[group].monthly * months;
        if (!isChanged(group, period) && !isChanged(group, 'monthly')) return [];
        return price > byMonth ? [{ type: 'longer_dearer', group, period, price, byMonth }] : [];
      }),
    ),
  ];
}

function isLeap(old: bigint, price: bigint): boolean {
  return price * 2n < old || price * 2n > old * 3n;
}
