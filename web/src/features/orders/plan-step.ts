// Whether an order is an upgrade or a downgrade, by price, and what the new package lacks.

import { t } from '@lingui/core/macro';
import type { Limit, LimitValue, Months, Order, OrderPreview, Package } from '../../api/shapes.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { isLess, limitName, limitText } from '../../text/limit-values.ts';

export type Direction = 'up' | 'down' | 'level';

interface Plans {
  readonly from: Package | undefined;
  readonly to: Package | undefined;
  readonly months: Months;
  /** If a package is no longer on offer, its price is taken from this order. */
  readonly lastOrder: Order | undefined;
}

export function directionOf({ from, to, months, lastOrder }: Plans): Direction {
  const next = priceOf(to, months);
  if (next === undefined) return 'level';
  const present = priceOf(from, months);
  // Compare without fractions: multiply each price by the other's months.
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

/** For upgrades only limits are compared, because larger packages often reword the same features. */
export function lossesOf(
  from: Package | undefined,
  to: Package | undefined,
  direction: Direction,
  limits: readonly Limit[],
): readonly string[] {
  if (from === undefined || to === undefined) return [];
  const less = limits.filter(
    ({ key, hidden }) => !hidden && isLess(grantedBy(to, key), grantedBy(from, key)),
  );
  return [
    ...less.map((limit) => limitLoss(limit, grantedBy(from, limit.key), grantedBy(to, limit.key))),
    ...from.features
      .filter((feature) => direction !== 'up' && !to.features.includes(feature))
      .map((feature) => t`Removed: ${feature}`),
  ];
}

function grantedBy({ limits }: Package, key: string) {
  return Object.hasOwn(limits, key) ? limits[key] : undefined;
}

function limitLoss(limit: Limit, present: LimitValue | undefined, next: LimitValue | undefined): string {
  const name = limitName(limit);
  if (next === undefined || next === false) return t`No longer included: ${name}`;
  const before = present === undefined ? '–' : limitText(limit, present);
  return t`${name}: ${limitText(limit, next)} instead of ${before}`;
}

/** For example "Downgrade from Business to Starter, $9.20 back". */
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
