// Replays one customer's history: each order and plan change runs as a command through the decide functions, and the result
// is compared with the rows. What rows do not record is taken from the row and judged by past-packages.ts. Pure.

import { isTestAccount } from '../../shared/identifiers.ts';
import { type Group, type Months, type Period, periodNames } from '../../shared/periods.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import type { AccountState } from '../identity/account-table.ts';
import type { CustomerState } from '../order-engine/decisions/customer-state.ts';
import { decideOrders } from '../order-engine/decisions/decide-orders.ts';
import type {
  OrderCommand,
  OrderOutcome,
  PlanChangeCommand,
  RenewAutomatically,
} from '../order-engine/decisions/order-commands.ts';
import { lastPaidCents, type OrderChanges, type PaidOrder } from '../order-engine/decisions/order-state.ts';
import type { HandoffOutcome } from '../order-engine/records/order-handoff.ts';
import { automaticFingerprint, type OrderRecord } from '../order-engine/records/order-table.ts';
import type { PlanChange } from '../order-engine/records/plan-change.ts';
import {
  type CustomerStatus,
  isSameLife,
  lifeAfterFailedRenewal,
  type PlanLife,
  runningPlan,
} from '../order-engine/records/plan-life.ts';
import type { Plan } from '../order-engine/records/plan-terms.ts';
import { isSoldFor, type Package } from '../packages/package-catalog.ts';
import { priceTable, steadyPrices } from '../packages/price-lines.ts';
import type { Run } from '../packages/price-rules.ts';
import type { Terms } from './package-terms.ts';
import type { PastOrder, Unchecked } from './past-orders.ts';
import type { Past } from './past-packages.ts';
import { priceProblem } from './price-conformity.ts';

export type PastChange = Pick<
  PlanChange,
  | 'number'
  | 'kind'
  | 'createdAt'
  | 'byParty'
  | 'isEmpty'
  | 'packageId'
  | 'expiresAt'
  | 'planStatus'
  | 'isSuspended'
  | 'orderNumber'
  | 'refundCents'
  | 'code'
  | 'renewMonths'
  | 'renewMaxCents'
  | 'renewHoursBefore'
> &
  Unchecked;

export interface PresentCustomer {
  readonly status: CustomerStatus;
  readonly plan: Plan;
  readonly life: PlanLife;
}

export interface Deviation {
  readonly subject: string;
  readonly problem: string;
}

/** Call these in order. Each returns the deviations from the rules. */
export interface Replay {
  order(order: PastOrder, past: Past): Deviation[];
  change(change: PastChange, past: Past): Deviation[];
  end(present: PresentCustomer): Deviation[];
}

const day = 86_400;
/** More than any order costs. Whether there was enough credit is checked with the books. */
const plenty = 1_000_000_000_000_000_000n;

export interface ReplayedCustomer {
  readonly accountId: number;
  readonly number: number;
  readonly reference: string;
  readonly group: Group;
}

export function createReplay({
  accountId,
  number: customerNumber,
  reference,
  group,
}: ReplayedCustomer): Replay {
  let customer: CustomerState | null = null;
  // A test's clock and the price log use different times, so tests' prices cannot be compared.
  const isTest = isTestAccount(accountId);
  let isLastOrderUnchecked = false;
  const lastOrders = new Map<number, OrderRecord>();
  /** Newest first, without failed orders. */
  const paid: PaidOrder[] = [];
  /** Waiting orders by number; at most one if the rules were followed. */
  const waiting = new Map<number, OrderRecord>();

  function decide(
    command: OrderCommand,
    {
      wanted = null,
      named,
      row,
    }: { wanted?: Package | null; named?: OrderRecord | undefined; row?: PastOrder },
    at: EpochSeconds,
  ): { outcome: OrderOutcome; changes: OrderChanges } {
    const { outcomes, changes } = decideOrders(
      {
        accounts: [accountWithPlenty(accountId, customerNumber, row?.number ?? 1)],
        customers: customer === null ? [] : [customer],
        foreignReferences: [],
        orders: named === undefined ? [] : [named],
        credits: [],
        planChanges: [],
        packages: new Map(wanted === null ? [] : [[wanted.id, wanted]]),
        currency: '',
        cancelRefund: 'unused',
        productMode: row?.isHandedOver === true ? 'confirm' : 'none',
      },
      [command],
      at,
    );
    const [outcome] = outcomes;
    if (outcome === undefined) throw new Error('A command was decided without an outcome.');
    customer = changes.newCustomers[0] ?? changes.changedCustomers[0] ?? changes.changedLives[0] ?? customer;
    return { outcome, changes };
  }

  function noting<Row extends Unchecked>(follow: (row: Row, past: Past) => Deviation[]): typeof follow {
    return (row, past) => {
      const before = customer?.plan.lastOrder;
      const deviations = follow(row, past);
      if (customer?.plan.lastOrder !== before) isLastOrderUnchecked = row.isUnchecked;
      return deviations;
    };
  }

  function order(row: PastOrder, past: Past): Deviation[] {
    const subject = `order ${row.number}`;
    const problems: string[] = [];
    const terms = past.termsAround(row.packageId, row.createdAt);
    const renewed = row.kind === 'renew' ? lastOrders.get(row.packageId) : undefined;
    if (row.kind === 'renew' && renewed === undefined) {
      problems.push(`it is a renewal, but package ${row.packageId} was not ordered before`);
    }
    const common = {
      accountId,
      accessVersion,
      idempotencyKey: subject,
      keyIsMinted: true,
      months: row.months,
      maxChargeCents: null,
    };
    const place: OrderCommand = {
      ...common,
      type: 'place',
      packageId: row.packageId,
      customerReference: reference,
      customerName: null,
      loginLink: null,
    };
    const ordered: OrderCommand =
      renewed === undefined ? place : { ...common, type: 'renew', orderNumber: renewed.number };
    const command = automaticRenewal(row) ?? ordered;
    // Ordering a retired package is wrong, but renewals of it continue.
    const retired = !isTest && terms.length > 0 && terms.every((around) => around.retired);
    const periods = periodsAround(terms, row.months);
    const wanted = terms[0] && packageAt(row.packageId, { ...terms[0], retired, periods }, row.priceCents);
    const run = row.kind === 'renew' ? extendedRun(row.createdAt) : null;
    const { outcome } = decide(command, { wanted: wanted ?? null, named: renewed, row }, row.createdAt);
    if (outcome.type !== 'ordered') return [...problems, refusalOf(outcome)].map(by(subject));
    const { order: decided } = outcome;
    const problem = isTest ? null : priceProblem(past, { accountId, group }, row, run);
    if (problem !== null) problems.push(problem);
    paid.unshift({ ...decided, number: row.number, priceCents: row.priceCents });
    lastOrders.set(row.packageId, decided);
    if (row.isHandedOver) waiting.set(row.number, decided);
    if (row.kind !== decided.kind) problems.push(`it is of kind ${row.kind}, but it was ${decided.kind}`);
    if (row.refundCents !== decided.refundCents)
      problems.push(`it gave ${row.refundCents} cents back, but ${decided.refundCents} were unused`);
    if (row.expiresAt !== decided.expiresAt) {
      const [is, should] = [formatTime(row.expiresAt), formatTime(decided.expiresAt)];
      problems.push(`it ends at ${is}, but its terms end at ${should}`);
    }
    return problems.map(by(subject));
  }

  /** A period counts as unsold only if no terms around that time sold it. Otherwise all periods count as sold. */
  function periodsAround(terms: readonly Terms[], months: Months): readonly Period[] {
    const isUnsold = !isTest && terms.length > 0 && !terms.some((around) => isSoldFor(around, months));
    return isUnsold ? (terms[0]?.periods ?? []) : periodNames;
  }

  function extendedRun(at: EpochSeconds): Run | null {
    const running = customer === null ? null : runningPlan(customer, at);
    if (running === null) return null;
    const since = running.anchorAt;
    return { since, lastPaidCents: (months) => lastPaidCents(paid, since, months) };
  }

  /** Returns the command of a renewal that waited for the product. The plan cannot have been due again meanwhile. */
  function automaticRenewal({ fingerprint, isHandedOver, number }: PastOrder): RenewAutomatically | null {
    const dueAt = customer?.life.renewAt ?? null;
    if (fingerprint !== automaticFingerprint || !isHandedOver || dueAt === null) return null;
    return {
      type: 'renew_automatically',
      accountId,
      accessVersion,
      customerNumber,
      dueAt,
      isBlocked: false,
      idempotencyKey: `order ${number}`,
      keyIsMinted: true,
    };
  }

  function change(row: PastChange, past: Past): Deviation[] {
    const subject = `plan change ${row.number}`;
    const isOperators = row.byParty === 'operator';
    switch (row.kind) {
      case 'trial':
        return trial(row, past, subject);
      case 'suspend':
        return isOperators ? setStatus(row, 'suspended', subject) : ofAccount(row, past, subject);
      case 'resume':
        return isOperators ? setStatus(row, 'active', subject) : ofAccount(row, past, subject);
      case 'cancel':
      case 'cancel_at_period_end':
      case 'auto_renew':
      case 'auto_renew_off':
        return ofAccount(row, past, subject);
      case 'renewal_failed':
        return failedRenewal(row, subject);
      case 'order_completed':
        return settle(row, 'completed', subject);
      case 'order_failed':
        return settle(row, 'failed', subject);
      default:
        return row.kind satisfies never;
    }
  }

  function settle(row: PastChange, outcome: HandoffOutcome, subject: string): Deviation[] {
    const { orderNumber, createdAt } = row;
    const order = orderNumber === null ? undefined : waiting.get(orderNumber);
    if (orderNumber === null || order === undefined) {
      return [by(subject)('no such order was waiting for the product')];
    }
    const command: OrderCommand = {
      type: 'settle_order',
      accountId,
      orderNumber,
      outcome,
      reason: null,
      by: null,
    };
    const { outcome: settled, changes } = decide(command, { named: order }, createdAt);
    if (settled.type !== 'settled') return [by(subject)(refusalOf(settled))];
    waiting.delete(orderNumber);
    if (outcome === 'failed')
      paid.splice(
        paid.findIndex(({ number }) => number === orderNumber),
        1,
      );
    const [made] = changes.planChanges;
    const problems: string[] = [];
    if (made?.refundCents !== row.refundCents) {
      problems.push(`it gave ${row.refundCents} cents back, but ${made?.refundCents} were owed`);
    }
    if (made?.packageId !== row.packageId || made?.expiresAt !== row.expiresAt) {
      problems.push('it left another plan than the order makes of it');
    }
    if (made?.planStatus !== row.planStatus || made?.isSuspended !== row.isSuspended) {
      problems.push(`it left the plan ${row.planStatus}, but should have left it ${made?.planStatus}`);
    }
    return problems.map(by(subject));
  }

  function ofAccount(row: PastChange, past: Past, subject: string): Deviation[] {
    const command = commandOf(row);
    if (command === null) return [by(subject)('it does not say how the plan renews itself')];
    const packageId = customer?.plan.packageId ?? 0;
    const terms = past.termsAround(packageId, row.createdAt);
    const periods = row.renewMonths === null ? periodNames : periodsAround(terms, row.renewMonths);
    const wanted = terms[0] ? packageAt(packageId, { ...terms[0], retired: false, periods }, 0n) : null;
    const { outcome, changes } = decide(command, { wanted }, row.createdAt);
    if (outcome.type !== 'plan_changed') return [by(subject)(refusalOf(outcome))];
    const problems: string[] = [];
    const [made] = changes.planChanges;
    // Older versions recorded auto-renewal settings even if they changed nothing.
    const isSetAgain = row.kind === 'auto_renew' && !row.isEmpty;
    if ((made?.isEmpty ?? true) !== row.isEmpty && !isSetAgain) {
      problems.push(row.isEmpty ? 'it says that nothing changed' : 'it changed nothing');
    }
    const { refundCents } = outcome;
    // The operator may have set refunds of canceled plans to zero.
    if (row.kind === 'cancel' && row.refundCents !== refundCents && row.refundCents !== 0n) {
      problems.push(`it gave ${row.refundCents} cents back, but ${refundCents} were unused`);
    }
    if (made?.planStatus !== row.planStatus || made.isSuspended !== row.isSuspended) {
      problems.push(`it left the plan ${row.planStatus}, but should have left it ${made?.planStatus}`);
    }
    return problems.map(by(subject));
  }

  function commandOf(row: PastChange): PlanChangeCommand | null {
    const common = {
      accountId,
      accessVersion,
      actorId: 0,
      idempotencyKey: `change ${row.number}`,
      keyIsMinted: false,
      customerNumber,
    };
    const { renewMonths: months, renewHoursBefore: hoursBefore, renewMaxCents: maxChargeCents } = row;
    switch (row.kind) {
      case 'cancel':
        return { ...common, type: 'cancel', at: 'now' };
      case 'cancel_at_period_end':
        return { ...common, type: 'cancel', at: 'period_end' };
      case 'suspend':
        return { ...common, type: 'suspend', reason: null };
      case 'resume':
        return { ...common, type: 'resume' };
      case 'auto_renew':
        if (months === null || hoursBefore === null) return null;
        return { ...common, type: 'set_auto_renew', autoRenew: { months, maxChargeCents, hoursBefore } };
      default:
        return { ...common, type: 'set_auto_renew', autoRenew: null };
    }
  }

  /** Only the code of the refusal is recorded, so this checks only its due time and the next attempt. */
  function failedRenewal({ createdAt, code }: PastChange, subject: string): Deviation[] {
    const dueAt = customer?.life.renewAt ?? null;
    const isAside = customer?.life.endsAtPeriodEnd ?? true;
    if (customer === null || code === null || dueAt === null || dueAt > createdAt || isAside) {
      return [by(subject)('no plan was due to renew itself')];
    }
    const { life, plan } = customer;
    customer = { ...customer, life: lifeAfterFailedRenewal(life, plan, code, createdAt) };
    return [];
  }

  function setStatus(row: PastChange, status: CustomerStatus, subject: string): Deviation[] {
    const command: OrderCommand = { type: 'set_status', accountId, actorId: 0, customerNumber, status };
    const { outcome, changes } = decide(command, {}, row.createdAt);
    if (outcome.type !== 'status_set') return [by(subject)(refusalOf(outcome))];
    return changes.planChanges.length === 0 ? [by(subject)(`the customer was ${status} already`)] : [];
  }

  function trial(row: PastChange, past: Past, subject: string): Deviation[] {
    const { number, packageId, expiresAt, createdAt, isEmpty } = row;
    if (packageId === null || expiresAt === null) return [by(subject)('it says neither package nor end')];
    const terms = past.termsAround(packageId, createdAt);
    const trials = terms.filter(({ isTrial }) => isTrial);
    const durationDays = (expiresAt - createdAt) / day;
    const problems: string[] = [];
    if (!isEmpty && terms.length > 0 && !trials.some((around) => around.durationDays === durationDays)) {
      const should = trials.map((around) => around.durationDays).join(' or ');
      if (trials.length > 0)
        problems.push(`the trial lasts ${durationDays} days, but the package's ${should}`);
    }
    const retired = terms.length > 0 && terms.every((around) => around.retired);
    const around = trials[0] ?? terms[0];
    const wanted = around ? packageAt(packageId, { ...around, retired, durationDays }, 0n) : null;
    const command: OrderCommand = {
      type: 'grant_trial',
      accountId,
      actorId: 0,
      packageId,
      customerReference: reference,
      customerName: null,
      again: false,
      idempotencyKey: `change ${number}`,
      // A key from the client has a row even if the trial was already running.
      keyIsMinted: !isEmpty,
    };
    const { outcome, changes } = decide(command, { wanted }, createdAt);
    if (outcome.type !== 'granted') problems.push(refusalOf(outcome));
    else if ((changes.planChanges[0]?.isEmpty ?? true) !== isEmpty)
      problems.push(isEmpty ? 'it says that nothing changed' : 'the trial was running already');
    return problems.map(by(subject));
  }

  function end(present: PresentCustomer): Deviation[] {
    const subject = `customer ${customerNumber}`;
    if (customer === null) return [by(subject)('no order and no change of a plan explains the plan')];
    return [
      ...compareStatus(present.status, customer.status),
      ...(isSameLife(present.life, customer.life)
        ? []
        : [
            'what is set about the plan (holds, cancelling, auto-renewal, an order that waits) is not what its changes make of it',
          ]),
      ...comparePlans(present.plan, customer.plan, isLastOrderUnchecked),
    ].map(by(subject));
  }

  return { order: noting(order), change: noting(change), end };
}

function by(subject: string): (problem: string) => Deviation {
  return (problem) => ({ subject, problem: `not by the rules: ${problem}` });
}

function refusalOf(outcome: OrderOutcome): string {
  if (outcome.type !== 'refused') return `it is a command that ends as ${outcome.type}`;
  const { code, details } = outcome.refusal;
  const reason = details['reason'];
  return `it is refused: ${code}${reason === undefined ? '' : `, ${reason}`}`;
}

function packageAt(
  id: number,
  { isTrial, durationDays, retired, periods }: Omit<Terms, 'prices'>,
  cents: bigint,
): Package {
  return {
    id,
    name: '',
    description: null,
    features: [],
    limits: {},
    createdAt: 0,
    isTrial,
    durationDays,
    periods,
    retired,
    ...steadyPrices(priceTable(() => cents)),
  };
}

const accessVersion = 1;

/** The account has unlimited balance. New customers and orders get the right numbers. */
function accountWithPlenty(id: number, customerNumber: number, orderNumber: number): AccountState {
  return {
    id,
    group: 'reseller',
    accessVersion,
    isHalted: false,
    isClosed: false,
    balanceCents: plenty,
    receivableCents: 0n,
    reversalCount: 0,
    orderCount: orderNumber - 1,
    customerCount: customerNumber - 1,
    entryCount: 0,
    planChangeCount: 0,
    // A replay emits no events.
    eventCount: null,
    ledgerOpenFrom: null,
    alertBelowCents: null,
    alertDays: null,
    testOf: null,
    testState: null,
    testClock: null,
  };
}

function compareStatus(is: CustomerStatus, should: CustomerStatus): string[] {
  return is === should ? [] : [`the customer is ${is}, but the changes of the plan make it ${should}`];
}

function comparePlans(is: Plan, should: Plan, isLastOrderUnchecked: boolean): string[] {
  const problems: string[] = [];
  const differs = (what: string, one: string | number, other: string | number) =>
    problems.push(`the plan is not what the orders make of it: its ${what} is ${one}, not ${other}`);
  if (is.packageId !== should.packageId) differs('package', is.packageId, should.packageId);
  if (is.anchorAt !== should.anchorAt) differs('start', formatTime(is.anchorAt), formatTime(should.anchorAt));
  if (is.monthsRun !== should.monthsRun) differs('length in months', is.monthsRun, should.monthsRun);
  if (is.expiresAt !== should.expiresAt)
    differs('end', formatTime(is.expiresAt), formatTime(should.expiresAt));
  if (is.lastOrder !== should.lastOrder && !isLastOrderUnchecked)
    differs('last order', is.lastOrder ?? 'missing', should.lastOrder ?? 'missing');
  if (is.paidPeriods.length !== should.paidPeriods.length) {
    problems.push(
      is.paidPeriods.length === 0
        ? 'a paid plan has no paid period'
        : `${is.paidPeriods.length} paid periods do not fit the orders, which make ${should.paidPeriods.length}`,
    );
    return problems;
  }
  for (const [index, period] of is.paidPeriods.entries()) {
    const made = should.paidPeriods[index];
    if (
      made?.startsAt !== period.startsAt ||
      made.endsAt !== period.endsAt ||
      made.paidCents !== period.paidCents
    ) {
      problems.push(`paid period ${index + 1} does not fit the orders`);
    }
  }
  return problems;
}
