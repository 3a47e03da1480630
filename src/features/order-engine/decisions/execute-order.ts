// Executes every order, whether placed, renewed or automatic: makes the last checks (order_failed, price_changed,
// insufficient_credit), then the changes. Only this file charges orders. If the product must accept the order first, the
// money moves now and the plan changes when the product answers (settle-order.ts).

import { formatAmount } from '../../../shared/amounts.ts';
import type { Months } from '../../../shared/periods.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import type { Package } from '../../packages/package-catalog.ts';
import { priceFor } from '../../packages/price-rules.ts';
import { automaticFingerprint, type OrderKind, type OrderRecord } from '../records/order-table.ts';
import { lifeAfterOrder, lifeWithPendingOrder, runningPlan } from '../records/plan-life.ts';
import { extendPlan, isTooLong, noPlan, type Plan, startPlan, unusedCents } from '../records/plan-terms.ts';
import { refused, refusedAsErased, refusedAsFull, refusedWhilePending } from './command-checks.ts';
import type { CustomerState } from './customer-state.ts';
import { newCustomer } from './new-customer.ts';
import { notifyOfNearEnd } from './note-plan-end.ts';
import type { NewLoginLink, OrderOutcome, PlaceOrder } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { orderCallId, orderCalls } from './product-calls.ts';

export interface Intent {
  readonly command: Pick<PlaceOrder, 'idempotencyKey' | 'maxChargeCents'>;
  readonly months: Months;
  readonly fingerprint: string;
  readonly wanted: Package;
  readonly kind: OrderKind;
  readonly running: Plan | null;
  readonly customer: CustomerState | Pick<PlaceOrder, 'customerReference' | 'customerName'>;
}

export function executeOrder(
  working: WorkingState,
  account: AccountState,
  intent: Intent,
  now: EpochSeconds,
): OrderOutcome {
  const { command, months, fingerprint, wanted, kind, running, customer } = intent;
  const extended =
    kind === 'renew' && running !== null && 'plan' in customer ? working.runOf(customer) : null;
  const { cents: priceCents, rule } = priceFor(wanted, working.payer(account), months, now, extended);
  const refundCents = kind === 'change' && running !== null ? unusedCents(running, now) : 0n;
  // The order gets this number if it passes the checks.
  const number = account.orderCount + 1;
  const plan = orderedPlan(
    { number, kind, packageId: wanted.id, months, priceCents, createdAt: now },
    running,
  );
  const isNewRun = kind !== 'renew' || running === null;
  const isConfirmed = working.productMode === 'confirm';

  const known = 'plan' in customer ? customer : null;
  const erased = refusedAsErased(known, 'plan' in customer ? customer.reference : customer.customerReference);
  if (erased !== null) return erased;
  const pending = refusedWhilePending(known);
  if (pending !== null) return pending;
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  const full = refusedAsFull(working, account);
  if (full !== null) return full;
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
  const laterCents = isConfirmed ? heldBackCents({ priceCents, refundCents }) : 0n;
  const balanceAfterCents = account.balanceCents - chargeCents - laterCents;
  if (balanceAfterCents < 0n) {
    return refused('insufficient_credit', {
      balance: formatAmount(account.balanceCents),
      required: formatAmount(chargeCents),
      currency: working.currency,
      ...(working.topupUrl !== null && { topup_url: working.topupUrl }),
    });
  }

  // Nothing may fail from here on.
  working.takeOrderNumber(account.id, number);
  const ordered = isConfirmed
    ? waitForProduct(working, account, intent, number, now)
    : 'plan' in customer
      ? working.setPlan(customer, plan, lifeAfterOrder(customer.life, plan, isNewRun))
      : working.addCustomer(account.id, newCustomer(customer, plan, now));
  const givenCents = refundCents - laterCents;
  if (givenCents > 0n)
    working.addEntry(account.id, { kind: 'refund', amountCents: givenCents, orderNumber: number }, now);
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
    priceRule: rule,
    handoff: isConfirmed ? 'pending' : null,
    failure: null,
  };
  working.addOrder(order);
  if (!isConfirmed) {
    const { balanceCents } = working.account(account.id) ?? account;
    working.emit(account.id, { type: 'order.completed', order, balanceCents });
    working.emit(account.id, { type: orderEventTypes[kind], customer: ordered, order });
    notifyOfNearEnd(working, ordered, now);
  }
  if (working.productMode !== 'none') {
    const { accountId, customerNumber } = order;
    if (isConfirmed)
      working.addHandoff({ accountId, orderNumber: number, customerNumber, status: 'pending' });
    working.emitProductCall({
      callId: orderCallId(accountId, number),
      type: orderCalls[kind],
      customer: ordered,
      order,
      confirms: isConfirmed,
    });
  }
  return { type: 'ordered', order, replayed: false };
}

/** Leaves the plan as it is. A new customer gets a plan that ends as it begins. */
function waitForProduct(
  working: WorkingState,
  account: AccountState,
  { customer, wanted, fingerprint }: Intent,
  orderNumber: number,
  now: EpochSeconds,
): CustomerState {
  const before =
    'plan' in customer
      ? customer
      : working.addCustomer(account.id, newCustomer(customer, noPlan(wanted.id, now), now));
  const isAutomatic = fingerprint === automaticFingerprint;
  return working.setLife(before, lifeWithPendingOrder(before.life, orderNumber, isAutomatic));
}

/** Returns the plan with the order's terms, which count from the time of the order. Suspensions stay as they are now. */
export function afterOrder(
  { plan: before, life }: Pick<CustomerState, 'plan' | 'life'>,
  order: OrderRecord,
): Pick<CustomerState, 'plan' | 'life'> {
  const running = runningPlan({ plan: before, life }, order.createdAt);
  const plan = orderedPlan(order, running);
  const isNewRun = order.kind !== 'renew' || running === null;
  return { plan, life: lifeAfterOrder({ ...life, pendingOrder: null }, plan, isNewRun) };
}

/** `running` is the plan that ran at the order's second, or null. */
function orderedPlan(
  {
    number: lastOrder,
    kind,
    packageId,
    months,
    priceCents,
    createdAt,
  }: Pick<OrderRecord, 'number' | 'kind' | 'packageId' | 'months' | 'priceCents' | 'createdAt'>,
  running: Plan | null,
): Plan {
  const plan =
    kind === 'renew' && running !== null
      ? extendPlan(running, months, priceCents, createdAt)
      : startPlan(packageId, months, priceCents, createdAt);
  return { ...plan, lastOrder };
}

/** The part of the refund that is held back until the order completes, so that it cannot be spent before it may fail. */
export function heldBackCents({
  priceCents,
  refundCents,
}: Pick<OrderRecord, 'priceCents' | 'refundCents'>): bigint {
  return refundCents > priceCents ? refundCents - priceCents : 0n;
}

export function refundAtOnceCents(order: OrderRecord): bigint {
  return order.refundCents - (order.handoff === null ? 0n : heldBackCents(order));
}

export const orderEventTypes = {
  activate: 'plan.activated',
  renew: 'plan.renewed',
  change: 'plan.changed',
} as const;

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
