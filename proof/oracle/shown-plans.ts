// The oracle's customers and histories as the API shows them. Compared by core-model.ts and the service's model test.

import type { PlayedList } from './histories.ts';
import type { CustomerView, Order } from './oracle.ts';
import type { HistoryItem, PlanState } from './oracle-life.ts';
import type { AutoRenewSettings } from './oracle-plan.ts';
import type { PriceRule } from './oracle-prices.ts';
import type { Months } from './oracle-request.ts';

export function shownCustomer(view: CustomerView, accountId: number) {
  const { plan } = view;
  return {
    id: ownId(accountId, view.number),
    name: shownName(view),
    reference: view.reference,
    email: view.email,
    status: view.status,
    plan: {
      package: plan.package,
      package_id: plan.packageId,
      last_order_id: plan.lastOrder === null ? null : ownId(accountId, plan.lastOrder),
      status: plan.status,
      active: plan.active,
      starts_at: timeText(plan.startsAt),
      expires_at: timeText(plan.expiresAt),
      days_left: plan.daysLeft,
      ends_at_period_end: plan.endsAtPeriodEnd,
      auto_renew: shownAutoRenew(plan.autoRenew),
    },
    created_at: timeText(view.createdAt),
  };
}

function shownAutoRenew(autoRenew: CustomerView['plan']['autoRenew']) {
  if (autoRenew === null) return null;
  const { nextAt, failure } = autoRenew;
  return { ...shownSettings(autoRenew), next_at: nextAt === null ? null : timeText(nextAt), failure };
}

function shownSettings({ months, maxChargeCents, hoursBefore }: AutoRenewSettings) {
  return {
    months,
    period: { 1: 'monthly', 3: 'quarterly', 12: 'yearly' }[months],
    max_charge: maxChargeCents === null ? null : amountText(maxChargeCents),
    hours_before: hoursBefore,
  };
}

/** `nameOf`: of a package. `hasWaited`: whether the order was sent to the product. */
export function shownItem(
  item: HistoryItem,
  nameOf: (packageId: number) => string,
  shownOrder: (orderNumber: number) => unknown,
  hasWaited: (orderNumber: number) => boolean,
) {
  const stateOf = ({ status, packageId, expiresAt }: PlanState) => ({
    status,
    package: nameOf(packageId),
    expires_at: timeText(expiresAt),
  });
  const { orderNumber, refundCents, reason, code, autoRenew } = item;
  const isOrder = item.type === 'activated' || item.type === 'renewed' || item.type === 'changed';
  const isPlaced = isOrder && orderNumber !== undefined && hasWaited(orderNumber);
  return {
    type: isPlaced ? 'order_placed' : item.type,
    at: timeText(item.at),
    by: item.by,
    from: item.from === null ? null : stateOf(item.from),
    to: stateOf(item.to),
    ...(orderNumber !== undefined && { order: shownOrder(orderNumber) }),
    ...(refundCents !== undefined && { refund: amountText(refundCents) }),
    ...(reason !== undefined && { reason }),
    ...(code !== undefined && { code }),
    ...(autoRenew !== undefined && { auto_renew: shownSettings(autoRenew) }),
  };
}

/** Takes from the answer what the oracle does not know. */
export function shownOrder(order: Order, accountId: number, actual: Readonly<Record<string, unknown>>) {
  const {
    package: sold,
    customer,
    idempotency_key: key,
  } = actual as {
    package: { name: unknown };
    customer: { id: unknown };
    idempotency_key: unknown;
  };
  const isMinted = order.idempotencyKey.startsWith('auto_') && String(key).startsWith('auto_');
  return {
    id: ownId(accountId, order.number),
    kind: order.kind,
    status: order.status,
    package: { id: order.packageId, name: sold.name },
    months: order.months,
    period: order.period,
    customer: { id: customer.id, reference: order.customerReference, email: order.email },
    price: amountText(order.priceCents),
    ...shownRule(order.priceRule),
    refund: amountText(order.refundCents),
    currency: 'USD',
    expires_at: timeText(order.expiresAt),
    created_at: timeText(order.createdAt),
    idempotency_key: isMinted ? key : order.idempotencyKey,
    ...(order.failure && {
      failure: {
        reason: order.failure.reason,
        at: timeText(order.failure.at),
        refunded: amountText(order.failure.refundedCents),
      },
    }),
  };
}

function shownRule(priceRule: PriceRule) {
  if (priceRule.rule === 'group') return { price_rule: priceRule.rule };
  const shown = { price_rule: priceRule.rule, price_from: timeText(priceRule.since) };
  if (priceRule.rule === 'held' || priceRule.percentOff === null) return shown;
  return { ...shown, percent_off: amountText(BigInt(priceRule.percentOff)) };
}

function shownName({ name, reference }: { name: string; reference: string }): string {
  return name === '' ? reference : name;
}

export function ownId(accountId: number, number: number): number {
  return accountId * 1_000_000_000 + number;
}

export function amountText(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function timeText(at: number): string {
  return new Date(at * 1000).toISOString().replace('.000', '');
}

export function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

export function sentPriceList({ from, until, percentOff, prices, memo }: PlayedList) {
  return {
    ...(from !== undefined && { from: timeText(from) }),
    ...(until !== null && { until: timeText(until) }),
    ...(percentOff !== null && { percent_off: amountText(BigInt(percentOff)) }),
    ...(memo !== null && { memo }),
    prices: prices.map(({ packageId, prices: named }) => ({ package_id: packageId, ...byPeriod(named) })),
  };
}

export function byPeriod({ 1: monthly, 3: quarterly, 12: yearly }: Partial<Record<Months, bigint>>) {
  return {
    ...(monthly !== undefined && { monthly: amountText(monthly) }),
    ...(quarterly !== undefined && { quarterly: amountText(quarterly) }),
    ...(yearly !== undefined && { yearly: amountText(yearly) }),
  };
}
