// What a package costs in which second: the one place that says it, for orders, previews and whoever shows a price.
// The price of a group for some months is a line through time: what it is until something else begins, and then what
// begins when. A price hangs on the second alone. No timer changes it, and a clock that goes back finds the price of
// that second again. Pure.

import { type Group, groups, type Months, periods } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export type PriceTable<Value> = Readonly<Record<Group, Readonly<Record<Months, Value>>>>;
/** Cents for each group and months. */
export type Prices = PriceTable<bigint>;
/** Those that a change names. */
export type SomePrices = Readonly<Partial<Record<Group, Readonly<Partial<Record<Months, bigint>>>>>>;

export interface PriceStep {
  /** The first second of this price. */
  readonly from: EpochSeconds;
  readonly cents: bigint;
}

/** Soonest first; the first step has always been. */
type PriceLine = readonly [PriceStep, ...PriceStep[]];

/** What a package has in place of prices. */
export interface Priced {
  readonly priceLines: PriceTable<PriceLine>;
}

/** @returns cents */
export function priceAt({ priceLines }: Priced, group: Group, months: Months, at: EpochSeconds): bigint {
  const line = priceLines[group][months];
  return (line.findLast(({ from }) => from <= at) ?? line[0]).cents;
}

export function pricesAt(one: Priced, at: EpochSeconds): Prices {
  return priceTable((group, months) => priceAt(one, group, months, at));
}

/** The seconds in which a price of the group begins, soonest first. */
export function beginningsFor({ priceLines }: Priced, group: Group): readonly EpochSeconds[] {
  const lines = periods.map(({ months }) => priceLines[group][months]);
  const seconds = new Set(lines.flatMap(([_always, ...later]) => later.map(({ from }) => from)));
  return [...seconds].sort((a, b) => a - b);
}

/**
 * What an administrator set at `changedAt` holds over all that was scheduled up to then, in that very second too, and
 * before it as well: it is a change of what the price is, not of what it will be.
 */
export function priceLine(
  cents: bigint,
  changedAt: EpochSeconds,
  scheduled: readonly PriceStep[],
): PriceLine {
  const later = scheduled.filter(({ from }) => from > changedAt).sort((a, b) => a.from - b.from);
  return [{ from: Number.NEGATIVE_INFINITY, cents }, ...later];
}

/** Prices for which nothing is scheduled. */
export function steadyPrices(prices: Prices): Priced {
  return { priceLines: priceTable((group, months) => priceLine(prices[group][months], 0, [])) };
}

export function priceTable<Value>(make: (group: Group, months: Months) => Value): PriceTable<Value> {
  const ofGroup = (group: Group) => ({
    1: make(group, 1),
    3: make(group, 3),
    12: make(group, 12),
  });
  return { reseller: ofGroup('reseller'), distributor: ofGroup('distributor') };
}

/** The prices that are named, one by one. */
export function namedPrices(
  prices: SomePrices,
): { readonly group: Group; readonly months: Months; readonly priceCents: bigint }[] {
  return groups.flatMap((group) =>
    periods.flatMap(({ months }) => {
      const priceCents = prices[group]?.[months];
      return priceCents === undefined ? [] : [{ group, months, priceCents }];
    }),
  );
}
