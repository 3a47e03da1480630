import { formatAmount } from '../../shared/amounts.ts';
import { type Group, periods } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { AdminPackageView, ScheduledPricesView } from './package-admin-schemas.ts';
import type { Package } from './package-catalog.ts';
import { priceAt } from './price-lines.ts';
import type { ScheduledPrices } from './scheduled-price-store.ts';
import { writtenPrices } from './written-prices.ts';

export function adminPackageView(one: Package, currency: string, now: EpochSeconds): AdminPackageView {
  const pricesOf = (group: Group) => {
    const [monthly, quarterly, yearly] = periods.map(({ months }) =>
      formatAmount(priceAt(one, group, months, now)),
    );
    return { monthly: monthly ?? '', quarterly: quarterly ?? '', yearly: yearly ?? '' };
  };
  return {
    id: one.id,
    name: one.name,
    description: one.description,
    features: [...one.features],
    limits: one.limits,
    duration_days: one.durationDays,
    periods: [...one.periods],
    trial: one.isTrial,
    retired: one.retired,
    currency,
    prices: { reseller: pricesOf('reseller'), distributor: pricesOf('distributor') },
    created_at: formatTime(one.createdAt),
  };
}

export function scheduledPricesView(
  { from, prices, existingPlans }: ScheduledPrices,
  now: EpochSeconds,
): ScheduledPricesView {
  return {
    from: formatTime(from),
    prices: writtenPrices(prices),
    existing_plans: existingPlans,
    begun: from <= now,
  };
}
