// The heart: what becomes of every order. A batch's commands are applied in the order of their arrival
// to the state that was loaded under the accounts' locks; each gets one outcome, and what it changes
// is seen by the next. So a batch answers exactly as its orders would one after another.
// Pure: no I/O, no clock, no randomness. The state that is passed in is not modified.
//
// For each order, in this order (decisions "Order of checks", 15 to 19): the caller's rights are still
// those it was authenticated with; replay or idempotency_conflict; the order that is renewed exists; the
// package; the customer's owner; order_failed; price_changed; insufficient_credit. After the last check nothing may
// fail: then the changes are made.

import { hash } from 'node:crypto';
import type { AccountState } from '../accounts/account-table.ts';
import { canBeOrdered, type Package } from '../catalog/package-catalog.ts';
import { formatAmount } from '../contract/amounts.ts';
import { type ErrorCode, type ErrorDetails, fieldRefusal, refusal } from '../contract/error-catalogue.ts';
import { numbersUsedMax, publicId } from '../contract/identifiers.ts';
import type { Months } from '../contract/periods.ts';
import { type EpochSeconds, formatTime } from '../contract/times.ts';
import type { EntryKind } from '../ledger/ledger-entry.ts';
import type { Customer } from '../plans/customer-table.ts';
import {
  extendPlan,
  isRunning,
  isTooLong,
  type Plan,
  startPlan,
  startTrial,
  unusedCents,
} from '../plans/plan-terms.ts';
import type {
  CreditAccount,
  GrantTrial,
  NewLoginLink,
  OrderCommand,
  OrderOutcome,
  PlaceOrder,
  RenewOrder,
  SetCustomerStatus,
} from './order-commands.ts';
import {
  type CustomerState,
  createWorkingState,
  type OrderChanges,
  type OrderState,
  type WorkingState,
} from './order-state.ts';
import type { OrderKind, OrderRecord } from './order-table.ts';

export interface Decision {
  readonly outcomes: readonly OrderOutcome[];
  readonly changes: OrderChanges;
}

/** A credit beyond it is refused: the ledger's arithmetic stays far from the ends of int8. */
const balanceCentsMax = 100_000_000_000_000n;

export function decideOrders(
  state: OrderState,
  commands: readonly OrderCommand[],
  now: EpochSeconds,
): Decision {
  const working = createWorkingState(state);
  const outcomes = commands.map((command) => decide(working, command, now));
  return { outcomes, changes: working.changes() };
}

function decide(working: WorkingState, command: OrderCommand, now: EpochSeconds): OrderOutcome {
  const account = working.account(command.accountId);
  if (account === null) return refused('account_not_found');
  switch (command.type) {
    case 'place':
      return placeOrder(working, account, command, now);
    case 'renew':
      return renewOrder(working, account, command, now);
    case 'credit':
      return creditAccount(working, account, command, now);
    case 'grant_trial':
      return grantTrial(working, account, command, now);
    case 'set_status':
      return setCustomerStatus(working, account, command, now);
    default:
      return command satisfies never;
  }
}

function placeOrder(
  working: WorkingState,
  account: AccountState,
  command: PlaceOrder,
  now: EpochSeconds,
): OrderOutcome {
  const { customerReference, packageId, months } = command;
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };

  const fingerprint = fingerprintOf('place', packageId, customerReference, months, command.customerName);
  if (earlier !== null) return replay(working, earlier, fingerprint, command.loginLink);

  const wanted = working.packages.get(packageId);
  if (wanted === undefined) {
    return { type: 'refused', refusal: fieldRefusal('invalid_package', 'package_id', 'unknown') };
  }
  if (!canBeOrdered(wanted)) {
    const reason = wanted.isTrial ? 'free_trial' : 'retired';
    return { type: 'refused', refusal: fieldRefusal('package_unavailable', 'package_id', reason) };
  }
  if (working.ownerOf(customerReference, account.id) === 'foreign') return refused('customer_not_yours');

  const customer = working.customer(customerReference);
  const running = customer !== null && isRunning(customer.plan, now) ? customer.plan : null;
  const kind: OrderKind =
    running === null ? 'activate' : running.packageId === packageId ? 'renew' : 'change';
  return carryOut(working, account, { command, months, fingerprint, wanted, kind, running, customer }, now);
}

function renewOrder(
  working: WorkingState,
  account: AccountState,
  command: RenewOrder,
  now: EpochSeconds,
): OrderOutcome {
  const earlier = working.orderByKey(account.id, command.idempotencyKey);
  if (mustAskAgain(account, command, earlier)) return { type: 'access_changed' };

  const renewed = working.orderByNumber(account.id, command.orderNumber);
  // Orders are never deleted: a key that is bound cannot be bound to the renewal of a missing one.
  if (renewed === null) return refused(earlier === null ? 'order_not_found' : 'idempotency_conflict');
  const months = command.months ?? renewed.months;
  const fingerprint = fingerprintOf('renew', renewed.number, months);
  if (earlier !== null) return replay(working, earlier, fingerprint, null);

  const wanted = working.packages.get(renewed.packageId);
  if (wanted === undefined || wanted.isTrial) return refused('package_unavailable');
  const customer = working.customer(renewed.customerReference);
  if (customer === null) throw new Error(`Order ${renewed.number} of account ${account.id} has no customer.`);
  const running = isRunning(customer.plan, now) ? customer.plan : null;
  if (running !== null && running.packageId !== wanted.id)
    return refused('order_failed', { reason: 'plan_changed' });
  return carryOut(
    working,
    account,
    { command, months, fingerprint, wanted, kind: 'renew', running, customer },
    now,
  );
}

/**
 * Whether the caller's rights moved since the request was let in. Not for an order that stands since an
 * attempt whose COMMIT was never answered: it was placed while the rights were right, and its caller has to learn of it.
 */
function mustAskAgain(
  account: AccountState,
  { accessVersion, mayStand }: PlaceOrder | RenewOrder,
  earlier: OrderRecord | null,
): boolean {
  return account.accessVersion !== accessVersion && !(mayStand === true && earlier !== null);
}

/** Whether its numbers are used up: of orders, customers, ledger entries or changes of plans. */
function isFull({ orderCount, customerCount, entryCount, planChangeCount }: AccountState): boolean {
  return Math.max(orderCount, customerCount, entryCount, planChangeCount) >= numbersUsedMax;
}

interface Intent {
  readonly command: PlaceOrder | RenewOrder;
  readonly months: Months;
  readonly fingerprint: string;
  readonly wanted: Package;
  readonly kind: OrderKind;
  /** The customer's plan where one is running. */
  readonly running: Plan | null;
  readonly customer: CustomerState | null;
}

/** The last checks of an order, then its changes. */
function carryOut(
  working: WorkingState,
  account: AccountState,
  intent: Intent,
  now: EpochSeconds,
): OrderOutcome {
  const { command, months, fingerprint, wanted, kind, running, customer } = intent;
  const priceCents = wanted.prices[account.group][months];
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
    customer === null
      ? working.addCustomer(account.id, newCustomer(command, plan, now))
      : working.setPlan(customer, plan);
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
  if (command.type === 'place' && command.loginLink !== null) working.addLoginLink(order, command.loginLink);
  return { type: 'ordered', order, replayed: false };
}

function replay(
  working: WorkingState,
  earlier: OrderRecord,
  fingerprint: string,
  loginLink: NewLoginLink | null,
): OrderOutcome {
  if (earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');
  if (loginLink !== null) working.addLoginLink(earlier, loginLink);
  return { type: 'ordered', order: earlier, replayed: true };
}

function creditAccount(
  working: WorkingState,
  account: AccountState,
  command: CreditAccount,
  now: EpochSeconds,
): OrderOutcome {
  const { amountCents, memo, actorId, by = null, idempotencyKey } = command;
  const fingerprint = fingerprintOf('credit', amountCents.toString(), memo);
  const earlier = working.creditByKey(account.id, idempotencyKey);
  if (earlier !== null) {
    if (earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');
    return { type: 'credited', entry: earlier, replayed: true };
  }
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  // What is left of a full account can be given back.
  if (isFull(account) && amountCents > 0n) return refused('order_failed', { reason: 'account_full' });
  const balanceAfterCents = account.balanceCents + amountCents;
  if (balanceAfterCents < 0n) {
    return refused('insufficient_credit', {
      balance: formatAmount(account.balanceCents),
      required: formatAmount(-amountCents),
      currency: working.currency,
    });
  }
  if (balanceAfterCents > balanceCentsMax) {
    return {
      type: 'refused',
      refusal: fieldRefusal('validation_failed', 'amount', 'the balance would be too large'),
    };
  }
  const kind: EntryKind = amountCents < 0n ? 'debit' : 'credit';
  const entry = working.addEntry(
    account.id,
    { kind, amountCents, actorId, memo, idempotencyKey, fingerprint },
    now,
  );
  working.addAudit({
    actorId,
    by,
    action: `account.${kind}`,
    subject: `account ${account.id}`,
    before: { balance: formatAmount(account.balanceCents) },
    after: {
      balance: formatAmount(entry.balanceAfterCents),
      entry_id: publicId(account.id, entry.number),
      memo,
    },
  });
  return { type: 'credited', entry, replayed: false };
}

function grantTrial(
  working: WorkingState,
  account: AccountState,
  command: GrantTrial,
  now: EpochSeconds,
): OrderOutcome {
  const trial = working.packages.get(command.packageId);
  if (trial === undefined)
    return { type: 'refused', refusal: fieldRefusal('invalid_package', 'package_id', 'unknown') };
  if (!trial.isTrial || trial.retired) {
    const reason = trial.isTrial ? 'retired' : 'not_a_trial';
    return { type: 'refused', refusal: fieldRefusal('package_unavailable', 'package_id', reason) };
  }
  if (working.ownerOf(command.customerReference, account.id) === 'foreign')
    return refused('customer_not_yours');
  const customer = working.customer(command.customerReference);
  if (account.isHalted) return refused('order_failed', { reason: 'account_halted' });
  if (isFull(account)) return refused('order_failed', { reason: 'account_full' });
  if (customer !== null && isRunning(customer.plan, now)) {
    // A retried grant finds its own trial: the same answer, and nothing more is given.
    if (customer.plan.packageId !== trial.id) return refused('order_failed', { reason: 'plan_running' });
    return { type: 'granted', accountId: account.id, customerNumber: customer.number };
  }
  const plan = startTrial(trial.id, trial.durationDays, now);
  const granted =
    customer === null
      ? working.addCustomer(account.id, newCustomer(command, plan, now))
      : working.setPlan(customer, plan);
  const { packageId, expiresAt } = plan;
  working.addPlanChange(granted, { kind: 'trial', actorId: command.actorId, packageId, expiresAt }, now);
  working.addAudit({
    actorId: command.actorId,
    by: command.by ?? null,
    action: 'customer.grant_trial',
    subject: `customer ${granted.reference}`,
    before: null,
    after: { account_id: account.id, package_id: packageId, expires_at: formatTime(expiresAt) },
  });
  return { type: 'granted', accountId: account.id, customerNumber: granted.number };
}

/** Whether the customer may log in. A halted account's too: no money moves. */
function setCustomerStatus(
  working: WorkingState,
  account: AccountState,
  { actorId, by = null, customerNumber, status }: SetCustomerStatus,
  now: EpochSeconds,
): OrderOutcome {
  const customer = working.customerByNumber(account.id, customerNumber);
  if (customer === null) return refused('customer_not_found');
  if (customer.status === status) return { type: 'status_set', customer: shownCustomer(customer) };
  const changed = working.setStatus(customer, status);
  working.addPlanChange(changed, { kind: status === 'suspended' ? 'suspend' : 'resume', actorId }, now);
  working.addAudit({
    actorId,
    by,
    action: 'customer.update',
    subject: `customer ${publicId(account.id, customerNumber)}`,
    before: { status: customer.status },
    after: { status },
  });
  return { type: 'status_set', customer: shownCustomer(changed) };
}

function shownCustomer({ plan, ...customer }: CustomerState): Customer {
  return { ...customer, packageId: plan.packageId, anchorAt: plan.anchorAt, expiresAt: plan.expiresAt };
}

function newCustomer(command: OrderCommand, plan: Plan, now: EpochSeconds) {
  if (!('customerReference' in command)) throw new Error(`A ${command.type} command creates no customer.`);
  const { customerReference: reference, customerName } = command;
  return { reference, name: customerName ?? reference, status: 'active' as const, createdAt: now, plan };
}

function refused(code: ErrorCode, details: ErrorDetails = {}): OrderOutcome {
  return { type: 'refused', refusal: refusal(code, details) };
}

/**
 * What makes two requests the same (decisions "Same data"), as a hash: orders never change, and a hash
 * tells nothing about the customer. JSON keeps the parts apart, whatever they contain.
 */
function fingerprintOf(...parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
