// A package's price at a given second. A price line is a list of steps in time, so no timer is needed, and a clock that goes
// back finds the earlier price. Pure.

import { type Group, groups, type Months, periodNames, periods } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export type PriceTable<Value> = Readonly<Record<Group, Readonly<Record<Months, Value>>>>;
export type Prices = PriceTable<bigint>;
export type SomePrices = Readonly<Partial<Record<Group, Readonly<Partial<Record<Months, bigint>>>>>>;

export interface PriceStep {
  readonly from: EpochSeconds;
  readonly cents: bigint;
}

/** The first step is the earliest and has no start. */
type PriceLine = readonly [PriceStep, ...PriceStep[]];

/** A price change after which running plans keep their earlier price. */
export interface HeldStep {
  readonly from: EpochSeconds;
  readonly beforeCents: bigint;
}

export interface Priced {
  readonly priceLines: PriceTable<PriceLine>;
  /** Soonest first. */
  readonly heldSteps: PriceTable<readonly HeldStep[]>;
}

export const noHeldSteps: PriceTable<readonly HeldStep[]> = priceTable(() => []);

/** @returns the price in cents */
export function priceAt(
  { priceLines }: Pick<Priced, 'priceLines'>,
  group: Group,
  months: Months,
  at: EpochSeconds,
): bigint {
  const line = priceLines[group][months];
  return (line.findLast(({ from }) => from <= at) ?? line[0]).cents;
}

export function pricesAt(one: Priced, at: EpochSeconds): Prices {
  return priceTable((group, months) => priceAt(one, group, months, at));
}

/** Soonest first. */
export function beginningsFor(
  { priceLines }: Priced,
  group: Group,
  named = periodNames,
): readonly EpochSeconds[] {
  const sold = periods.filter(({ period }) => named.includes(period));
  const lines = sold.map(({ months }) => priceLines[group][months]);
  const seconds = new Set(lines.flatMap(([_always, ...later]) => later.map(({ from }) => from)));
  return [...seconds].sort((a, b) => a - b);
}

/** A price set at `changedAt` overrides all prices scheduled for that second or earlier. */
export function priceLine(
  cents: bigint,
  changedAt: EpochSeconds,
  scheduled: readonly PriceStep[],
): PriceLine {
  const later = scheduled.filter(({ from }) => from > changedAt).sort((a, b) => a.from - b.from);
  return [{ from: Number.NEGATIVE_INFINITY, cents }, ...later];
}

export function steadyPrices(prices: Prices): Priced {
  const priceLines = priceTable((group, months) => priceLine(prices[group][months], 0, []));
  return { priceLines, heldSteps: noHeldSteps };
}

export function priceTable<Value>(make: (group: Group, months: Months) => Value): PriceTable<Value> {
  const ofGroup = (group: Group) => ({
    1: make(group, 1),
    3: make(group, 3),
    12: make(group, 12),
  });
  return { reseller: ofGroup('reseller'), distributor: ofGroup('distributor') };
}

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
