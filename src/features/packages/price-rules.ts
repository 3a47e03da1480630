// The price of an order and the rule that sets it: the plan's held price, else the account's own, else its group's. Pure.

import { type Group, type Months, periodNames } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { beginningsFor, type HeldStep, type Priced, priceAt } from './price-lines.ts';

/** One list of an account's own prices. */
export interface AccountPriceList {
  readonly id: number;
  readonly from: EpochSeconds;
  /** Exclusive; null if the list has no end of its own. A later list also ends this one. */
  readonly until: EpochSeconds | null;
  /** In hundredths of a percent. Applies to prices that the list does not name. */
  readonly percentOff: number | null;
  readonly priceOf: (packageId: number, months: Months) => bigint | undefined;
}

/** Sorted by start. Of two lists with the same start, the one that was set later comes last. */
export type AccountPrices = readonly AccountPriceList[];

export const noAccountPrices: AccountPrices = [];

export interface Payer {
  readonly group: Group;
  readonly prices: AccountPrices;
}

export type PriceRule =
  | { readonly name: 'group' }
  | {
      readonly name: 'account';
      readonly list: number;
      readonly since: EpochSeconds;
      /** In hundredths of a percent, or null if the list names the price itself. */
      readonly percentOff: number | null;
    }
  | { readonly name: 'held'; readonly since: EpochSeconds };

const groupRule: PriceRule = { name: 'group' };

export interface Price {
  readonly cents: bigint;
  readonly rule: PriceRule;
}

/** A customer's plan since it last began. Renewals extend the run; a gap ends it. */
export interface Run {
  readonly since: EpochSeconds;
  /** null if the run never bought this period. */
  readonly lastPaidCents: (months: Months) => bigint | null;
}

/** `run` is null unless the order extends a running plan. */
export function priceFor(
  one: Priced & { readonly id: number },
  { group, prices }: Payer,
  months: Months,
  at: EpochSeconds,
  run: Run | null,
): Price {
  const hold = run === null ? null : holdOf(one, group, months, run.since, at);
  if (run !== null && hold !== null) {
    const cents = run.lastPaidCents(months) ?? hold.beforeCents;
    return { cents, rule: { name: 'held', since: hold.from } };
  }
  const groupCents = priceAt(one, group, months, at);
  const list = prices.length === 0 ? null : listInForce(prices, at);
  if (list === null) return { cents: groupCents, rule: groupRule };
  const { id, from: since, percentOff } = list;
  const named = list.priceOf(one.id, months);
  if (named !== undefined) {
    return { cents: named, rule: { name: 'account', list: id, since, percentOff: null } };
  }
  if (percentOff === null) return { cents: groupCents, rule: groupRule };
  return {
    cents: lessPercent(groupCents, percentOff),
    rule: { name: 'account', list: id, since, percentOff },
  };
}

/** Finds the earliest price change since the run began that lets running plans keep their price. */
function holdOf(
  { heldSteps }: Priced,
  group: Group,
  months: Months,
  runSince: EpochSeconds,
  at: EpochSeconds,
): HeldStep | null {
  return heldSteps[group][months].find(({ from }) => from > runSince && from <= at) ?? null;
}

export function listInForce(prices: AccountPrices, at: EpochSeconds): AccountPriceList | null {
  const latest = prices.findLast(({ from }) => from <= at);
  if (latest === undefined) return null;
  return latest.until !== null && at >= latest.until ? null : latest;
}

/** Rounds half up to whole cents. */
export function lessPercent(cents: bigint, percentOff: number): bigint {
  return (cents * BigInt(10_000 - percentOff) + 5_000n) / 10_000n;
}

/** Soonest first. */
export function priceChangesFor(
  one: Priced,
  { group, prices }: Payer,
  named = periodNames,
): readonly EpochSeconds[] {
  const ofGroup = beginningsFor(one, group, named);
  if (prices.length === 0) return ofGroup;
  const ofLists = prices.flatMap(({ from, until }) => (until === null ? [from] : [from, until]));
  return [...new Set([...ofGroup, ...ofLists])].sort((a, b) => a - b);
}

/** null for the group's price. */
export function storedRule(rule: PriceRule): string | null {
  switch (rule.name) {
    case 'group':
      return null;
    case 'held':
      return `held ${rule.since}`;
    case 'account': {
      const base = `account ${rule.list} ${rule.since}`;
      return rule.percentOff === null ? base : `${base} ${rule.percentOff}`;
    }
    default:
      return rule satisfies never;
  }
}

/** @throws if `storedRule` did not write the text */
export function parseRule(stored: string | null): PriceRule {
  if (stored === null) return groupRule;
  const [name, ...numbers] = stored.split(' ');
  const [first, second, third] = numbers.map(Number);
  if (name === 'held' && first !== undefined) return { name, since: first };
  if (name === 'account' && first !== undefined && second !== undefined) {
    return { name, list: first, since: second, percentOff: third ?? null };
  }
  throw new Error(`Unknown price rule: ${stored}`);
}
