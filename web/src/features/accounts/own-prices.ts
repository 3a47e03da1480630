// Computes what an account will pay with the price list that is being typed. Pure.

import type { AccountPriceList, AccountPrices, PeriodName } from '../../api/shapes.ts';
import type { NewAccountPrices } from '../../api/support-commands.ts';
import { fromCents, readAmount, toCents, typedAmount } from '../../text/amounts.ts';
import { readTypedMinute } from '../../text/typed-minutes.ts';
import { periods } from '../../text/words.ts';

export type PackagePrices = AccountPrices['now'][number];

/** Keyed by package id. If a field is empty, the percentage applies to the group's price. */
export type TypedOwnPrices = Readonly<Record<number, Readonly<Partial<Record<PeriodName, string>>>>>;

export type Distance = 'free' | 'low' | 'high';

/** Returns null if the price is between half and one and a half times the group's price. */
export function distanceOf(price: bigint, ofGroup: bigint): Distance | null {
  if (price === ofGroup) return null;
  if (price === 0n) return 'free';
  if (price * 2n < ofGroup) return 'low';
  return price * 2n > ofGroup * 3n ? 'high' : null;
}

/** Rounds half up, as the service does. */
export function lessPercent(cents: bigint, hundredths: bigint): bigint {
  return (cents * (10_000n - hundredths) + 5_000n) / 10_000n;
}

/** Returns hundredths of a percent, or null if the text is invalid. No text counts as 0. */
export function readPercent(typed: string): bigint | null {
  if (typed.trim() === '') return 0n;
  const read = readAmount(typed);
  if (read === null) return null;
  return toCents(read) > 10_000n ? null : toCents(read);
}

function typedPricesOf(list: AccountPriceList | null): TypedOwnPrices {
  return Object.fromEntries(
    (list?.prices ?? []).map(({ package_id: id, ...named }) => [
      id,
      Object.fromEntries(Object.entries(named).map(([period, price]) => [period, typedAmount(price)])),
    ]),
  );
}

/** Leaves out packages that are not `offered`, because a new list must not name them. Returns null if a price is invalid. */
function readOwnPrices(
  typed: TypedOwnPrices,
  offered: readonly PackagePrices[],
): NewAccountPrices['prices'] | null {
  const read = offered.map(({ package: { id } }) => ({
    package_id: id,
    named: periods.flatMap(({ period }) => {
      const text = typed[id]?.[period]?.trim() ?? '';
      return text === '' ? [] : [[period, readAmount(text)] as const];
    }),
  }));
  if (read.some(({ named }) => named.some(([, price]) => price === null))) return null;
  return read
    .filter(({ named }) => named.length > 0)
    .map(({ named, ...one }) => ({ ...one, ...Object.fromEntries(named) }));
}

export interface TypedList {
  readonly start: 'now' | 'date';
  readonly day: string;
  readonly time: string;
  readonly endDay: string;
  readonly endTime: string;
  readonly percent: string;
  readonly memo: string;
  readonly prices: TypedOwnPrices;
}

/** A new list replaces the present one, so the fields begin with its values. */
export function typedListOf(present: AccountPriceList | null): TypedList {
  const off = present?.percent_off ?? null;
  return {
    start: 'now',
    day: '',
    time: '00:00',
    endDay: '',
    endTime: '00:00',
    percent: off === null ? '' : typedAmount(off),
    memo: '',
    prices: typedPricesOf(present),
  };
}

/** Returns null if something is missing or invalid. */
export function readList(typed: TypedList, offered: readonly PackagePrices[]): NewAccountPrices | null {
  const { start, day, time, endDay, endTime, memo } = typed;
  const from = start === 'now' ? undefined : readTypedMinute(`${day}T${time}`);
  const until = endDay === '' ? undefined : readTypedMinute(`${endDay}T${endTime}`);
  const off = readPercent(typed.percent);
  const prices = readOwnPrices(typed.prices, offered);
  if (from === null || until === null || off === null || prices === null) return null;
  return {
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(off > 0n && { percent_off: fromCents(off) }),
    prices,
    ...(memo.trim() !== '' && { memo: memo.trim() }),
  };
}

/** Returns what the account pays, or null if the price or the percentage is invalid. */
export function priceOf(typed: string, ofGroup: bigint, percent: bigint | null): bigint | null {
  if (typed.trim() === '') return percent === null ? null : lessPercent(ofGroup, percent);
  const read = readAmount(typed);
  return read === null ? null : toCents(read);
}
