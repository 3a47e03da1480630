// Prices as the admin API and the audit log write them, by group and period. Verification reads them from the log.

import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { isJsonObject, type JsonObject, own } from '../../shared/json.ts';
import { type Group, groups, type Months, periods } from '../../shared/periods.ts';
import { formatTime } from '../../shared/times.ts';
import { type AccountPriceListRow, centsOf, packagesOf } from './account-prices.ts';
import type { SomePrices } from './price-lines.ts';

export function writtenPrices(prices: SomePrices): JsonObject {
  const ofGroup = (group: Group) =>
    periods.flatMap(({ months, period }) => {
      const cents = prices[group]?.[months];
      return cents === undefined ? [] : [[period, formatAmount(cents)]];
    });
  const named = groups.map((group) => [group, ofGroup(group)] as const).filter(([, each]) => each.length > 0);
  return Object.fromEntries(named.map(([group, each]) => [group, Object.fromEntries(each)]));
}

export function writtenPriceList({ id, from, until, percentOff, prices, memo }: AccountPriceListRow) {
  return {
    id,
    from: formatTime(from),
    until: until === null ? null : formatTime(until),
    percent_off: percentOff === null ? null : formatAmount(BigInt(percentOff)),
    prices: packagesOf(prices).map((packageId) => ({
      package_id: packageId,
      ...Object.fromEntries(
        periods.flatMap(({ months, period }) => {
          const cents = centsOf(prices, packageId, months);
          return cents === undefined ? [] : [[period, formatAmount(cents)]];
        }),
      ),
    })),
    memo,
  };
}

export function parsePrices(written: unknown): SomePrices {
  const result: Partial<Record<Group, Partial<Record<Months, bigint>>>> = {};
  for (const group of groups) {
    const ofGroup = isJsonObject(written) ? own(written, group) : undefined;
    if (!isJsonObject(ofGroup)) continue;
    const cents: Partial<Record<Months, bigint>> = {};
    for (const { months, period } of periods) {
      const amount = parseAmount(own(ofGroup, period));
      if (amount !== null) cents[months] = amount;
    }
    result[group] = cents;
  }
  return result;
}
