// What every order comes to, a placed one, a renewal and one that the service makes by itself: the last checks
// (order_failed, price_changed, insufficient_credit), and then its changes. Here alone an order is charged.

import type { AccountState } from '../accounts/account-table.ts';
import type { Package } from '../catalog/package-catalog.ts';
import { priceAt } from '../catalog/price-lines.ts';
import { formatAmount } from '../contract/amounts.ts';
import type { Months } from '../contract/periods.ts';
import type { EpochSeconds } from '../contract/times.ts';
import { lifeAfterOrder } from '../plans/plan-life.ts';
import { extendPlan, isTooLong, type Plan, startPlan, unusedCents } from '../plans/plan-terms.ts';
import { isFull, refused } from './command-checks.ts';
import { newCustomer } from './new-customer.ts';
import type { NewLoginLink, OrderOutcome, PlaceOrder } from './order-commands.ts';
import type { CustomerState, WorkingState } from './order-state.ts';
import type { OrderKind, OrderRecord } from './order-table.ts';

export interface Intent {
  readonly command: Pick<PlaceOrder, 'idempotencyKey' | 'maxChargeCents'>;
  readonly months: Months;
  readonly fingerprint: string;
  readonly wanted: Package;
  readonly kind: OrderKind;
  /** The customer's plan where one is running. */
  readonly running: Plan | null;
  /** Or who becomes one by this order. */
  readonly customer: CustomerState | Pick<PlaceOrder, 'customerReference' | 'customerName'>;
}

/** The last checks of an order, then its changes. */
export function carryOut(
  working: WorkingState,
  account: AccountState,
  intent: Intent,
  now: EpochSeconds,
): OrderOutcome {
  const { command, months, fingerprint, wanted, kind, running, customer } = intent;
  const priceCents = priceAt(wanted, account.group, months, now);
  const refundCents = kind === 'change' && running !== null ? unusedCents(running, now) : 0n;
  const extended = kind === 'renew' ? running : null;
  const plan = extended
    ? extendPlan(extended, months, priceCents, now)
    : startPlan(wanted.id, months, priceCents, now);

  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  if (isFull(account)) return refused('order_failed', { reason: 'account_full' });
  if (isTooLong(plan, now)) return refused('order_failed', { reason: 'term_too_long' });
  const chargeCents = priceCents - refundCents;
  const { maxChargeCents } = command;
  if (maxChargeCents !== null && chargeCents > maxChargeCents) {
    return refused('price_changed', {
      max_charge: formatAmount(maxChargeCents),
      charge: formatAmount(chargeCents),
      currency: working.currency,
    });
  }
  const balanceAfterCents = account.balanceCents - chargeCents;
  if (balanceAfterCents < 0n) {
    return refused('insufficient_credit', {
      balance: formatAmount(account.balanceCents),
      required: formatAmount(chargeCents),
      currency: working.currency,
    });
  }

  // Nothing may fail from here on.
  const ordered =
    'plan' in customer
      ? working.setPlan(customer, plan, lifeAfterOrder(customer.life, plan, extended === null))
      : working.addCustomer(account.id, newCustomer(customer, plan, now));
  const number = working.nextOrderNumber(account.id);
  if (refundCents > 0n)
    working.addEntry(account.id, { kind: 'refund', amountCents: refundCents, orderNumber: number }, now);
  working.addEntry(account.id, { kind: 'charge', amountCents: -priceCents, orderNumber: number }, now);
  const order: OrderRecord = {
    accountId: account.id,
    number,
    customerNumber: ordered.number,
    customerReference: ordered.reference,
    packageId: wanted.id,
    months,
    kind,
    priceCents,
    refundCents,
    balanceAfterCents,
    createdAt: now,
    expiresAt: plan.expiresAt,
    idempotencyKey: command.idempotencyKey,
    fingerprint,
  };
  working.addOrder(order);
  working.tell(account.id, { type: 'order.completed', order });
  working.tell(account.id, { type: planTold[kind], customer: ordered, order });
  return { type: 'ordered', order, replayed: false };
}

const planTold = { activate: 'plan.activated', renew: 'plan.renewed', change: 'plan.changed' } as const;

export function replay(
  working: WorkingState,
  earlier: OrderRecord,
  fingerprint: string,
  loginLink: NewLoginLink | null,
): OrderOutcome {
  if (earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');
  if (loginLink !== null) working.addLoginLink(earlier, loginLink);
  return { type: 'ordered', order: earlier, replayed: true };
}
