// What an order changes besides money: upgrade or downgrade, by the monthly price, and what the new package lacks. Computes
// no amounts.

import { t } from '@lingui/core/macro';
import type { Months, Order, OrderPreview, Package } from '../../api/shapes.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';

export type Direction = 'up' | 'down' | 'level';

interface Plans {
  readonly from: Package | undefined;
  readonly to: Package | undefined;
  readonly months: Months;
  /** Gives the monthly price of a package no longer on offer. */
  readonly lastOrder: Order | undefined;
}

export function directionOf({ from, to, months, lastOrder }: Plans): Direction {
  const next = priceOf(to, months);
  if (next === undefined) return 'level';
  const present = priceOf(from, months);
  // Multiplied by both months, to compare without fractions.
  const [one, other] =
    present !== undefined
      ? [present, next]
      : lastOrder === undefined
        ? [next, next]
        : [toCents(lastOrder.price) * BigInt(months), next * BigInt(lastOrder.months)];
  if (one === other) return 'level';
  return one < other ? 'up' : 'down';
}

function priceOf(one: Package | undefined, months: Months): bigint | undefined {
  const price = one?.prices.find((candidate) => candidate.months === months)?.price;
  return price === undefined ? undefined : toCents(price);
}

/** Smaller limits and missing features. Upgrades only compare limits: larger packages often reword features. */
export function lossesOf(
  from: Package | undefined,
  to: Package | undefined,
  direction: Direction,
): readonly string[] {
  if (from === undefined || to === undefined) return [];
  const [present, next] = [from.limits, to.limits];
  const limits = [
    {
      isLess: next.accounts < present.accounts,
      line: t`Accounts: ${next.accounts} instead of ${present.accounts}`,
    },
    {
      isLess: next.posts_per_day < present.posts_per_day,
      line: t`Posts per day: ${next.posts_per_day} instead of ${present.posts_per_day}`,
    },
    {
      isLess: next.ai_images_per_month < present.ai_images_per_month,
      line: t`AI images per month: ${next.ai_images_per_month} instead of ${present.ai_images_per_month}`,
    },
  ];
  return [
    ...limits.filter(({ isLess }) => isLess).map(({ line }) => line),
    ...from.features
      .filter((feature) => direction !== 'up' && !to.features.includes(feature))
      .map((feature) => t`Removed: ${feature}`),
  ];
}

/** "Downgrade from Business to Starter, $9.20 back" */
export function changeSentence(direction: Direction, from: string, preview: OrderPreview): string {
  const to = preview.package.name;
  const isGain = preview.charge.startsWith('-');
  const money = formatMoney(preview.charge.replace('-', ''), preview.currency);
  if (direction === 'down') {
    return isGain
      ? t`Downgrade from ${from} to ${to}, ${money} refunded`
      : t`Downgrade from ${from} to ${to} for ${money}`;
  }
  if (direction === 'up') {
    return isGain
      ? t`Upgrade from ${from} to ${to}, ${money} refunded`
      : t`Upgrade from ${from} to ${to} for ${money}`;
  }
  return isGain
    ? t`Change from ${from} to ${to}, ${money} refunded`
    : t`Change from ${from} to ${to} for ${money}`;
}

export function confirmWords(preview: OrderPreview | undefined, otherwise: string): string {
  if (preview === undefined) return otherwise;
  const { kind, charge, currency } = preview;
  const isGain = charge.startsWith('-');
  const money = formatMoney(charge.replace('-', ''), currency);
  if (kind === 'change') return isGain ? t`Change, ${money} refunded` : t`Change for ${money}`;
  if (kind === 'renew') return t`Renew for ${money}`;
  return t`Place order for ${money}`;
}
