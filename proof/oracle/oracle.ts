// The business rules again: slow, obvious, in memory, sequential, written from the documents alone. This file has accounts,
// packages, orders, money and views; the other oracle-*.ts files have the rest. Outcomes are values; exceptions are bugs of
// the caller. "Ax" points to AMBIGUITIES.md.
// Invariant: opening balance + ledger entries = balance >= 0; a refusal changes nothing; an order never changes, except the
// status of a pending one, once.

import { addMonths, secondsPerDay } from './oracle-calendar.ts';
import type { Handoff } from './oracle-handoff.ts';
import { createHandoffs } from './oracle-handoff.ts';
import type { BoundPlanChange, HistoryItem } from './oracle-life.ts';
import { createPlanLife, planState, record } from './oracle-life.ts';
import { createPayments, type PaymentFact } from './oracle-payments.ts';
import type { AutoRenewSettings, PaidPeriod, Plan, PlanLife, PlanStatus } from './oracle-plan.ts';
import {
  beginRun,
  beginTrial,
  extendPlan,
  extendRun,
  isRunning,
  newLife,
  overPlan,
  refundOf,
  startPlan,
  statusOf,
} from './oracle-plan.ts';
import type { PackageView, Priced, PriceRule } from './oracle-prices.ts';
import { createPrices } from './oracle-prices.ts';
import type { Months, Period, PlaceRequest, Refusal, RefusalCode, RenewRequest } from './oracle-request.ts';
import {
  isRefusal,
  normalizeCustomer,
  readPlaceRequest,
  readRenewRequest,
  refuse,
} from './oracle-request.ts';

/** An administrator pays distributor prices from its own balance. */
export type Group = 'reseller' | 'distributor' | 'administrator';
export type Prices = Record<'reseller' | 'distributor', Record<Months, bigint>>;
export type SomePrices = { [G in keyof Prices]?: Partial<Record<Months, bigint>> };
export type AccountId = number | string;

export type World = {
  packages: readonly {
    id: number;
    name: string;
    trial: boolean;
    retired: boolean;
    durationDays: number;
    prices: Prices;
    periods?: readonly Period[] | undefined;
  }[];
  accounts: readonly {
    id: AccountId;
    group: Group;
    balanceCents: bigint;
    blocked?: boolean | undefined;
    apiEnabled?: boolean | undefined;
  }[];
  /** `CANCEL_REFUND`; default `unused`. */
  cancelRefund?: 'unused' | 'none' | undefined;
  productMode?: ProductMode | undefined;
};

export type ProductMode = 'none' | 'notify' | 'confirm';

/** Times are whole epoch seconds. `number` counts 1, 2, 3… within the account. */
export type Order = {
  number: number;
  kind: 'activate' | 'renew' | 'change';
  status: 'completed' | 'pending' | 'failed';
  packageId: number;
  months: Months;
  period: Period;
  customerReference: string;
  email: string;
  priceCents: bigint;
  priceRule: PriceRule;
  refundCents: bigint;
  expiresAt: number;
  createdAt: number;
  idempotencyKey: string;
  failure?: { reason: string | null; at: number; refundedCents: bigint };
};

export type OrderOutcome =
  | { status: 201; replayed: boolean; order: Order; balanceAfterCents: bigint }
  | Refusal;
/** `entries`: the credit and the settlements that it caused. Empty for an amount of zero. */
export type CreditOutcome =
  | { status: 201; replayed: boolean; balanceAfterCents: bigint; entries: LedgerEntry[] }
  | Refusal;
/** `given`: false if the trial already ran, or the request was a repeat. */
export type TrialOutcome =
  | { status: 201; replayed: boolean; given: boolean; customer: CustomerView }
  | Refusal;

export type ReferenceOutcome = { status: 200; customer: CustomerView } | Refusal;

export type LedgerEntry = {
  kind: 'refund' | 'charge' | 'credit' | 'reversal' | 'settlement' | 'reinstatement';
  amountCents: bigint;
  balanceAfterCents: bigint;
  orderNumber: number | null;
  memo: string;
  actorId: AccountId | null;
  createdAt: number | null;
  topupNumber?: number;
  cause?: string;
};

export type CustomerView = {
  number: number;
  reference: string;
  email: string;
  name: string;
  status: 'active' | 'suspended';
  createdAt: number;
  plan: {
    packageId: number;
    package: string;
    lastOrder: number | null;
    status: PlanStatus;
    active: boolean;
    startsAt: number;
    expiresAt: number;
    daysLeft: number;
    endsAtPeriodEnd: boolean;
    autoRenew:
      | (AutoRenewSettings & { period: Period; nextAt: number | null; failure: RefusalCode | null })
      | null;
  };
};

/** A plan as calls send it to the product. */
export type ToldPlan = { status: PlanStatus; packageId: number; startsAt: number; expiresAt: number };

export type PlanEnd = { customerNumber: number; reference: string; endsAt: number };

export type Page<Row> = { data: Row[]; page: number; perPage: number; total: number };
export type Oracle = ReturnType<typeof createOracle>;

type Package = World['packages'][number];

export type Customer = PlanLife & {
  accountId: AccountId;
  number: number;
  reference: string;
  name: string;
  createdAt: number;
  pendingOrder: number | null;
  trialsHad: Set<number>;
  isErased: boolean;
  history: HistoryItem[];
};

type BoundOrder = { operation: string; outcome: { order: Order; balanceAfterCents: bigint } };
type BoundCredit = { operation: string; balanceAfterCents: bigint; entries: LedgerEntry[] };

export type Account = {
  id: AccountId;
  group: Group;
  blocked: boolean;
  /** Its ledger does not add up: its balance is frozen. */
  halted: boolean;
  /** For good: nothing may come in any more. */
  closed: boolean;
  apiEnabled: boolean;
  balanceCents: bigint;
  orders: Order[];
  handoffs: Map<number, Handoff>;
  ledger: LedgerEntry[];
  paymentFacts: PaymentFact[];
  orderKeys: Map<string, BoundOrder>;
  creditKeys: Map<string, BoundCredit>;
  planKeys: Map<string, BoundPlanChange>;
};

type Intent = {
  key: string | null;
  operation: string;
  packageSold: Package;
  customerReference: string;
  customerName: string;
  months: Months;
  /** The caller's maximum net charge, or null. Not part of `operation`. */
  maxChargeCents: bigint | null;
  isRenewal: boolean;
  by: 'account' | 'service';
};

const currency = 'USD';
const termMonthsMax = 120;

export function createOracle(world: World) {
  const packages = new Map<number, Package>();
  for (const item of world.packages) packages.set(item.id, structuredClone(item));

  const accounts = new Map<AccountId, Account>();
  for (const account of world.accounts) accounts.set(account.id, newAccount(account));

  const prices = createPrices({
    findPackage: (id) => packages.get(id),
    latestEntryAt: (accountId) => getAccount(accountId).ledger.at(-1)?.createdAt ?? null,
    orderCount: (accountId) => getAccount(accountId).orders.length,
  });

  const customers = new Map<string, Customer>();
  /** References that customers had before; each still names its customer. */
  const formerReferences = new Map<string, Customer>();
  let keysMinted = 0;
  let cancelRefund = world.cancelRefund ?? 'unused';
  let productMode = world.productMode ?? 'none';

  const life = createPlanLife({
    accounts: () => accounts.values(),
    getAccount,
    customersOf: allOf,
    findClosedAccount,
    viewOf,
    isTrial: (packageId) => getPackage(packageId).trial,
    refuseUnsold: (packageId, months) => refuseUnsold(getPackage(packageId), months),
    cancelRefund: () => cancelRefund,
    postRefund: (account, amountCents, now) => {
      const cause = { orderNumber: null, memo: '', actorId: null, createdAt: now };
      post(account, { kind: 'refund', amountCents, ...cause });
    },
    sellRenewal: (account, customer, { months, maxChargeCents }, now) =>
      refuseUnsold(getPackage(customer.plan.packageId), months) ??
      sell(
        account,
        {
          key: null,
          operation: JSON.stringify(['by itself']), // An automatic renewal's key replays nothing (A71).
          packageSold: getPackage(customer.plan.packageId),
          customerReference: customer.reference,
          customerName: '',
          months,
          maxChargeCents,
          isRenewal: true,
          by: 'service',
        },
        now,
      ),
  });

  const payments = createPayments({ getAccount, post });

  const { settleOrder } = createHandoffs({
    getAccount,
    getCustomer: (reference) => {
      const customer = namedBy(reference);
      if (customer === undefined) throw new Error(`no customer ${reference} in this world`);
      return customer;
    },
    setStatus: (account, order, status, failure) => {
      const settled = Object.freeze({ ...order, status, ...(failure && { failure }) });
      account.orders[order.number - 1] = settled;
      return settled;
    },
    post: (account, kind, amountCents, orderNumber, now) =>
      post(account, { kind, amountCents, orderNumber, memo: '', actorId: null, createdAt: now }),
  });

  function placeOrder(
    input: { accountId: AccountId; body: unknown; headerKey?: string | undefined },
    now: number,
  ): OrderOutcome {
    const account = getAccount(input.accountId);
    const closed = findClosedAccount(account);
    if (closed !== null) return closed;
    const request = readPlaceRequest(input.body, input.headerKey);
    if (isRefusal(request)) return request;

    const operation = placeOperation(request);
    const bound = request.key === null ? undefined : account.orderKeys.get(request.key);
    if (bound !== undefined) return replayOrConflict(account, bound, operation);

    const packageSold = packages.get(request.packageId);
    if (packageSold === undefined) return refuse('invalid_package', { field: 'package_id' });
    if (packageSold.trial || packageSold.retired)
      return refuse('package_unavailable', { field: 'package_id' });
    // invalid_months once the package is known (A134)
    const unsold = refuseUnsold(packageSold, request.months);
    if (unsold !== null) return unsold;

    return sell(account, { ...request, operation, packageSold, isRenewal: false, by: 'account' }, now);
  }

  function renewOrder(
    input: { accountId: AccountId; orderId: string; body: unknown; headerKey?: string | undefined },
    now: number,
  ): OrderOutcome {
    const account = getAccount(input.accountId);
    const closed = findClosedAccount(account);
    if (closed !== null) return closed;
    const request = readRenewRequest(input.body, input.headerKey);
    if (isRefusal(request)) return request;

    // A bound key that does not name this order is a conflict even if the order is missing (A10).
    const original = findOrder(account, input.orderId);
    const bound = request.key === null ? undefined : account.orderKeys.get(request.key);
    if (bound !== undefined) {
      if (original === null) return refuse('idempotency_conflict');
      return replayOrConflict(account, bound, renewOperation(request, original));
    }

    if (original === null) return refuse('order_not_found');
    const packageSold = getPackage(original.packageId);
    const months = request.months ?? original.months; // By default, those of the renewed order, even if it is a renewal itself (A14).
    const unsold = refuseUnsold(packageSold, months);
    if (unsold !== null) return unsold;
    return sell(
      account,
      {
        key: request.key,
        operation: renewOperation(request, original),
        packageSold,
        customerReference: original.customerReference,
        customerName: '',
        months,
        maxChargeCents: request.maxChargeCents,
        isRenewal: true,
        by: 'account',
      },
      now,
    );
  }

  /** By the customer's last completed order. `customer`: the number within the account, or the reference. */
  function renewCustomer(
    input: { accountId: AccountId; customer: number | string; body: unknown; headerKey?: string | undefined },
    now: number,
  ): OrderOutcome {
    const account = getAccount(input.accountId);
    const closed = findClosedAccount(account);
    if (closed !== null) return closed;
    const request = readRenewRequest(input.body, input.headerKey);
    if (isRefusal(request)) return request;

    // Another account's customer is as unknown as a missing one.
    const customer = findOwn(account, input.customer);
    // As for a missing order, a bound key that does not name this customer is a conflict.
    const bound = request.key === null ? undefined : account.orderKeys.get(request.key);
    if (bound !== undefined) {
      if (customer === undefined) return refuse('idempotency_conflict');
      // Without months, it is a repeat if the key belongs to a renewal of this customer.
      const months = request.months ?? bound.outcome.order.months;
      return replayOrConflict(account, bound, renewCustomerOperation(customer, months));
    }

    if (customer === undefined) return refuse('customer_not_found');
    if (customer.pendingOrder !== null) return refuse('order_failed', { reason: 'order_pending' });
    const { packageId, lastOrder } = customer.plan;
    const last = lastOrder === null ? undefined : account.orders[lastOrder - 1];
    if (last === undefined) {
      return getPackage(packageId).trial
        ? refuse('package_unavailable', { reason: 'free_trial' })
        : refuse('order_not_found');
    }
    const months = request.months ?? last.months;
    const unsold = refuseUnsold(getPackage(packageId), months);
    if (unsold !== null) return unsold;
    return sell(
      account,
      {
        key: request.key,
        operation: renewCustomerOperation(customer, months),
        packageSold: getPackage(packageId),
        customerReference: customer.reference,
        customerName: '',
        months,
        maxChargeCents: request.maxChargeCents,
        isRenewal: true,
        by: 'account',
      },
      now,
    );
  }

  /** After the checks, nothing can fail; then the writes follow. */
  function sell(account: Account, intent: Intent, now: number): OrderOutcome {
    const { packageSold, months } = intent;

    const customer = namedBy(intent.customerReference);
    if (customer !== undefined && customer.accountId !== account.id) return refuse('customer_not_yours');
    if (customer?.isErased) return refuse('customer_erased');
    if (customer === undefined && isErasedReference(intent.customerReference))
      return refuse('invalid_customer', { field: 'customer' });

    // While an order is pending, the plan accepts no other (A82).
    if (customer !== undefined && customer.pendingOrder !== null)
      return refuse('order_failed', { reason: 'order_pending' });
    // A plan whose expiry is now has expired (A20).
    const running = customer !== undefined && isRunning(customer, now) ? customer.plan : null;
    const runsSame = running !== null && running.packageId === packageSold.id;
    const runsOther = running !== null && running.packageId !== packageSold.id;
    if (intent.isRenewal && runsOther) return refuse('order_failed', { reason: 'plan_changed' });

    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });

    const { priceCents, priceRule } = prices.priceOf(
      {
        accountId: account.id,
        group: pricedAs(account),
        packageSold,
        months,
        run: runsSame ? running : null,
      },
      now,
    );
    const plan = runsSame
      ? extendPlan(running, months, priceCents, account.orders.length + 1)
      : startPlan(packageSold.id, months, priceCents, account.orders.length + 1, now);
    // Exactly ten years is allowed; a year is twelve calendar months (A21).
    if (plan.expiresAt > addMonths(now, termMonthsMax))
      return refuse('order_failed', { reason: 'term_too_long' });

    // The documents put this check after `order_failed` and before `insufficient_credit`.
    const refundCents = runsOther ? refundOf(running, now) : 0n;
    const chargeCents = priceCents - refundCents;
    if (intent.maxChargeCents !== null && chargeCents > intent.maxChargeCents) {
      return refuse('price_changed', {
        max_charge: formatCents(intent.maxChargeCents),
        charge: formatCents(chargeCents),
        currency,
      });
    }

    if (account.balanceCents + refundCents < priceCents) {
      return refuse('insufficient_credit', {
        balance: formatCents(account.balanceCents),
        required: formatCents(priceCents - refundCents),
        currency,
      });
    }

    const waits = productMode === 'confirm';
    const order: Order = Object.freeze({
      number: account.orders.length + 1,
      kind: intent.isRenewal || runsSame ? 'renew' : runsOther ? 'change' : 'activate',
      status: waits ? 'pending' : 'completed',
      packageId: packageSold.id,
      months,
      period: periodOf(months),
      customerReference: customer?.reference ?? intent.customerReference,
      email: emailOf(customer?.reference ?? intent.customerReference),
      priceCents,
      priceRule,
      refundCents,
      expiresAt: plan.expiresAt,
      createdAt: now,
      idempotencyKey: intent.key ?? mintKey(account),
    } as const);
    account.orders.push(order);

    // A pending order gives nothing that may have to be taken back (A87).
    const givenCents = waits && refundCents > priceCents ? priceCents : refundCents;
    const kinds = { activate: 'activated', renew: 'renewed', change: 'changed' } as const;
    const item = {
      type: kinds[order.kind],
      by: intent.by,
      orderNumber: order.number,
      ...(order.kind === 'change' && { refundCents: givenCents }),
    };
    // The product has not seen a pending plan, so until then the old one runs, or none (A85).
    const planNow = waits ? overPlan(packageSold.id, now) : plan;
    let buyer: Customer;
    if (customer === undefined) {
      // A later order does not rename the customer (A7).
      buyer = createCustomer(account, intent.customerReference, intent.customerName, planNow, now);
      buyer.history.push({ ...item, at: now, from: null, to: planState(buyer, now) });
    } else {
      buyer = customer;
      record(customer, now, item, () => {
        if (waits) return;
        if (runsSame) extendRun(customer, plan);
        else beginRun(customer, plan);
      });
    }
    if (waits) {
      buyer.pendingOrder = order.number;
      account.handoffs.set(order.number, { plan, isExtension: runsSame, givenCents, by: intent.by });
      // One attempt for each end (A90).
      if (intent.by === 'service' && buyer.autoRenew !== null)
        buyer.autoRenew = { ...buyer.autoRenew, nextAt: null };
    }

    // A refund or charge of zero has no ledger entry (A28).
    const cause = { orderNumber: order.number, memo: '', actorId: null, createdAt: now };
    if (givenCents !== 0n) post(account, { kind: 'refund', amountCents: givenCents, ...cause });
    if (priceCents !== 0n) post(account, { kind: 'charge', amountCents: -priceCents, ...cause });

    const outcome = { order, balanceAfterCents: account.balanceCents };
    account.orderKeys.set(order.idempotencyKey, { operation: intent.operation, outcome });
    return { status: 201, replayed: false, ...outcome };
  }

  function credit(
    input: {
      accountId: AccountId;
      amountCents: bigint;
      memo?: string | undefined;
      key?: string | undefined;
      actorId: AccountId;
    },
    now: number | null = null,
  ): CreditOutcome {
    const account = getAccount(input.accountId);
    const memo = input.memo ?? '';
    // These keys are separate from those of orders (A30).
    const operation = JSON.stringify({ amountCents: input.amountCents.toString(), memo });
    const bound = input.key === undefined ? undefined : account.creditKeys.get(input.key);
    if (bound !== undefined) {
      if (bound.operation !== operation) return refuse('idempotency_conflict');
      const { balanceAfterCents, entries } = bound;
      return { status: 201, replayed: true, balanceAfterCents, entries };
    }
    if (account.closed && input.amountCents > 0n) return refuse('account_closed');
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });
    if (account.balanceCents + input.amountCents < 0n) {
      return refuse('insufficient_credit', {
        balance: formatCents(account.balanceCents),
        required: formatCents(-input.amountCents),
        currency,
      });
    }
    const entries: LedgerEntry[] = [];
    if (input.amountCents !== 0n) {
      const { amountCents, actorId } = input;
      const entry = {
        kind: 'credit',
        amountCents,
        orderNumber: null,
        memo,
        actorId,
        createdAt: now,
      } as const;
      entries.push(post(account, entry));
    }
    if (input.amountCents > 0n) entries.push(...payments.settle(account, input.amountCents, now));
    const balanceAfterCents = account.balanceCents;
    if (input.key !== undefined) account.creditKeys.set(input.key, { operation, balanceAfterCents, entries });
    return { status: 201, replayed: false, balanceAfterCents, entries };
  }

  /** Has no order or ledger entry. Refused while another plan runs (A31). */
  function grantTrial(input: {
    accountId: AccountId;
    packageId: number;
    customer: string;
    now: number;
    key?: string | undefined;
    /** Also for a customer who has had this trial before. */
    again?: boolean | undefined;
  }): TrialOutcome {
    const { now, key, again = false } = input;
    const account = getAccount(input.accountId);
    const reference = normalizeCustomer(input.customer);
    if (reference === null) return refuse('invalid_customer', { field: 'customer' });
    // Shares its keys with the other plan changes (A31a).
    const operation = JSON.stringify(['trial', input.packageId, reference, again]);
    const bound = key === undefined ? undefined : account.planKeys.get(key);
    if (bound !== undefined) {
      const customer = allOf(account).find(({ number }) => number === bound.customerNumber);
      if (bound.operation !== operation || customer === undefined) return refuse('idempotency_conflict');
      return { status: 201, replayed: true, given: false, customer: viewOf(customer, now) };
    }
    if (account.closed) return refuse('account_closed');
    const outcome = giveTrial(account, reference, { packageId: input.packageId, again, now });
    if (!('code' in outcome) && key !== undefined) {
      const { balanceCents: balanceAfterCents } = account;
      const customerNumber = outcome.customer.number;
      account.planKeys.set(key, { operation, refundCents: 0n, balanceAfterCents, customerNumber });
    }
    return outcome;
  }

  function giveTrial(
    account: Account,
    reference: string,
    input: { packageId: number; again: boolean; now: number },
  ): TrialOutcome {
    const { now } = input;
    const trial = packages.get(input.packageId);
    if (trial === undefined || !trial.trial) return refuse('invalid_package', { field: 'package_id' });
    if (trial.retired) return refuse('package_unavailable', { field: 'package_id' });
    const known = namedBy(reference);
    if (known !== undefined && known.accountId !== account.id) return refuse('customer_not_yours');
    if (known?.isErased) return refuse('customer_erased');
    if (known === undefined && isErasedReference(reference))
      return refuse('invalid_customer', { field: 'customer' });
    if (known !== undefined && known.pendingOrder !== null)
      return refuse('order_failed', { reason: 'order_pending' });
    if (account.halted) return refuse('order_failed', { reason: 'account_halted' });
    if (known !== undefined && isRunning(known, now)) {
      if (known.plan.packageId !== trial.id) return refuse('order_failed', { reason: 'plan_running' });
      return { status: 201, replayed: false, given: false, customer: viewOf(known, now) };
    }
    if (known?.trialsHad.has(trial.id) && !input.again) return refuse('trial_already_granted');

    const endAt = now + trial.durationDays * secondsPerDay;
    const plan: Plan = {
      packageId: trial.id,
      anchorAt: now,
      periods: [{ months: 0, paidCents: 0n, startAt: now, endAt }],
      expiresAt: endAt,
      lastOrder: null,
    };
    const item = { type: 'trial_started', by: 'operator' } as const;
    if (known !== undefined) {
      record(known, now, item, () => beginTrial(known, plan));
      known.trialsHad.add(trial.id);
      return { status: 201, replayed: false, given: true, customer: viewOf(known, now) };
    }
    const customer = createCustomer(account, reference, '', plan, now);
    customer.history.push({ ...item, at: now, from: null, to: planState(customer, now) });
    customer.trialsHad.add(trial.id);
    return { status: 201, replayed: false, given: true, customer: viewOf(customer, now) };
  }

  function createCustomer(
    account: Account,
    reference: string,
    name: string,
    plan: Plan,
    now: number,
  ): Customer {
    const number = allOf(account).length + 1;
    const customer = {
      ...newLife(plan),
      accountId: account.id,
      number,
      reference,
      name,
      createdAt: now,
      pendingOrder: null,
      trialsHad: new Set<number>(),
      isErased: false,
      history: [],
    };
    customers.set(reference, customer);
    return customer;
  }

  /** Gives a customer another reference. The former one still names the customer, so no other customer can have it. */
  function changeReference(
    input: { accountId: AccountId; customer: number | string; reference: string },
    now: number,
  ): ReferenceOutcome {
    const account = getAccount(input.accountId);
    const closed = findClosedAccount(account);
    if (closed !== null) return closed;
    const reference = normalizeCustomer(input.reference);
    if (reference === null || isErasedReference(reference))
      return refuse('invalid_customer', { field: 'reference' });
    const customer = findOwn(account, input.customer);
    if (customer === undefined) return refuse('customer_not_found');
    if (customer.isErased) return refuse('customer_erased');
    if (customer.reference !== reference) {
      const holder = namedBy(reference);
      if (holder !== undefined && holder !== customer)
        return refuse('reference_taken', { field: 'reference' });
      formerReferences.delete(reference);
      formerReferences.set(customer.reference, customer);
      // A name that was the reference, as where none was given, follows it.
      if (customer.name === customer.reference) customer.name = reference;
      rename(account, customer, reference);
    }
    return { status: 200, customer: viewOf(customer, now) };
  }

  /** All that names the customer goes. Orders, amounts and history stay; `erasedAs` is the name that they show then. */
  function eraseCustomer(
    input: { accountId: AccountId; customer: number | string; erasedAs: string },
    now: number,
  ): ReferenceOutcome {
    const account = getAccount(input.accountId);
    const closed = findClosedAccount(account);
    if (closed !== null) return closed;
    const customer = findOwn(account, input.customer);
    if (customer === undefined) return refuse('customer_not_found');
    if (!customer.isErased) {
      if (customer.pendingOrder !== null) return refuse('order_failed', { reason: 'order_pending' });
      if (isRunning(customer, now)) return refuse('order_failed', { reason: 'plan_running' });
      if (namedBy(input.erasedAs) !== undefined) return refuse('reference_taken');
      for (const [reference, { accountId, number }] of formerReferences)
        if (accountId === account.id && number === customer.number) formerReferences.delete(reference);
      // The history shows it like a removal by the account.
      const byHand = { customerId: String(customer.number), body: undefined, headerKey: undefined };
      life.removeAutoRenew({ accountId: account.id, ...byHand }, now);
      rename(account, customer, input.erasedAs);
      customer.name = input.erasedAs;
      customer.isErased = true;
      for (const item of customer.history) delete item.reason;
    }
    return { status: 200, customer: viewOf(customer, now) };
  }

  function rename(account: Account, customer: Customer, reference: string): void {
    const was = customer.reference;
    customers.delete(was);
    customer.reference = reference;
    customers.set(reference, customer);
    account.orders = account.orders.map((one) =>
      one.customerReference === was
        ? Object.freeze({ ...one, customerReference: reference, email: emailOf(reference) })
        : one,
    );
  }

  function namedBy(reference: string): Customer | undefined {
    return customers.get(reference) ?? formerReferences.get(reference);
  }

  function findOwn(account: Account, customer: number | string): Customer | undefined {
    if (typeof customer === 'number') return allOf(account).find(({ number }) => number === customer);
    const found = namedBy(customer);
    return found?.accountId === account.id ? found : undefined;
  }

  function allOf(account: Account): Customer[] {
    return [...customers.values()]
      .filter((item) => item.accountId === account.id)
      .sort((a, b) => a.number - b.number);
  }

  function setCancelRefund(input: { cancelRefund: 'unused' | 'none' }): void {
    cancelRefund = input.cancelRefund;
  }

  function setProductMode(input: { mode: ProductMode }): void {
    productMode = input.mode;
  }

  function setGroup(input: { accountId: AccountId; group: Group }): void {
    getAccount(input.accountId).group = input.group;
  }

  function setBlocked(input: { accountId: AccountId; blocked: boolean }): void {
    getAccount(input.accountId).blocked = input.blocked;
  }

  function setHalted(input: { accountId: AccountId; halted: boolean }): void {
    getAccount(input.accountId).halted = input.halted;
  }

  /** Only for the oracle may it be opened again, so that a history goes on. */
  function setClosed(input: { accountId: AccountId; closed: boolean }): void {
    getAccount(input.accountId).closed = input.closed;
  }

  function setApiEnabled(input: { accountId: AccountId; apiEnabled: boolean }): void {
    getAccount(input.accountId).apiEnabled = input.apiEnabled;
  }

  /** Keeps only the account's rights and prices. References, keys and numbers can be used again. */
  function emptyAccount(accountId: AccountId): void {
    const account = getAccount(accountId);
    for (const { reference } of allOf(account)) customers.delete(reference);
    for (const [reference, customer] of formerReferences)
      if (customer.accountId === accountId) formerReferences.delete(reference);
    const { id, group, blocked, apiEnabled } = account;
    accounts.set(id, newAccount({ id, group, balanceCents: 0n, blocked, apiEnabled }));
  }

  function retirePackage(input: { packageId: number }): void {
    const item = getPackage(input.packageId);
    packages.set(item.id, { ...item, retired: true });
  }

  function setPeriods(input: { packageId: number; periods: readonly Period[] }): void {
    const item = getPackage(input.packageId);
    packages.set(item.id, { ...item, periods: [...input.periods] });
  }

  // A blocked account can still be read.

  function balance(accountId: AccountId): { balanceCents: bigint; currency: string; group: Group } {
    const account = getAccount(accountId);
    return { balanceCents: account.balanceCents, currency, group: account.group };
  }

  function packagesFor(accountId: AccountId, now: number): PackageView[] {
    const account = { accountId, group: pricedAs(getAccount(accountId)) };
    const offered = [...packages.values()].filter((item) => !item.trial && !item.retired);
    return offered.map((item) => prices.packageView(account, item, now));
  }

  function renewalPrice(accountId: AccountId, reference: string, months: Months, now: number): Priced | null {
    const account = getAccount(accountId);
    const found = namedBy(reference);
    if (found === undefined || found.accountId !== accountId || !isRunning(found, now)) return null;
    const packageSold = getPackage(found.plan.packageId);
    return prices.priceOf({ accountId, group: pricedAs(account), packageSold, months, run: found.plan }, now);
  }

  function order(accountId: AccountId, number: number | string): Order | Refusal {
    return findOrder(getAccount(accountId), String(number)) ?? refuse('order_not_found');
  }

  /** `page` and `limit` are clamped, never refused. */
  function orders(accountId: AccountId, page?: unknown, limit?: unknown): Page<Order> {
    return pageOf(getAccount(accountId).orders.toReversed(), page, limit);
  }

  function isHalted(accountId: AccountId): boolean {
    return getAccount(accountId).halted;
  }

  function closedAccount(accountId: AccountId): Refusal | null {
    return findClosedAccount(getAccount(accountId));
  }

  /** Excludes canceled plans. */
  function planEnds(accountId: AccountId): PlanEnd[] {
    const ending = allOf(getAccount(accountId)).filter(({ isCancelled }) => !isCancelled);
    return ending.map(({ number, reference, plan }) => ({
      customerNumber: number,
      reference,
      endsAt: plan.expiresAt,
    }));
  }

  function isBlocked(accountId: AccountId): boolean {
    return getAccount(accountId).blocked;
  }

  function hasWaited(accountId: AccountId, number: number): boolean {
    return getAccount(accountId).handoffs.has(number);
  }

  function customerCount(accountId: AccountId): number {
    return allOf(getAccount(accountId)).length;
  }

  function itemCount(accountId: AccountId): number {
    return allOf(getAccount(accountId)).reduce((sum, { history: items }) => sum + items.length, 0);
  }

  function pendingOrders(accountId: AccountId): Order[] {
    return getAccount(accountId).orders.filter(({ status }) => status === 'pending');
  }

  /** By normalized reference, because the oracle does not know the service's customer ids. */
  function customer(accountId: AccountId, reference: string, now: number): CustomerView | Refusal {
    const found = namedBy(reference);
    if (found === undefined || found.accountId !== getAccount(accountId).id)
      return refuse('customer_not_found');
    return viewOf(found, now);
  }

  /** The last call that the product must have accepted (docs/hand-off.md). null: the customer never had a plan. */
  function toldLast(accountId: AccountId, reference: string, now: number): ToldPlan | null {
    const found = namedBy(reference);
    if (found === undefined || found.accountId !== accountId) return null;
    const { plan, isCancelled } = found;
    if (plan.periods.length === 0 && !isCancelled) return null;
    const { packageId, anchorAt: startsAt, expiresAt } = plan;
    return { status: statusOf(found, now), packageId, startsAt, expiresAt };
  }

  function customersOf(accountId: AccountId, page: unknown, limit: unknown, now: number): Page<CustomerView> {
    const account = getAccount(accountId);
    const views = allOf(account).map((item) => viewOf(item, now));
    return pageOf(views.toReversed(), page, limit);
  }

  function history(accountId: AccountId, reference: string): HistoryItem[] | Refusal {
    const found = namedBy(reference);
    if (found === undefined || found.accountId !== accountId) return refuse('customer_not_found');
    return found.history.map((item) => ({ ...item })).reverse();
  }

  /** No request shows these. */
  function paidPeriods(accountId: AccountId, reference: string): PaidPeriod[] {
    const found = namedBy(reference);
    if (found === undefined || found.accountId !== accountId) return [];
    return found.plan.periods.map((period) => ({ ...period }));
  }

  function ledger(accountId: AccountId): LedgerEntry[] {
    return getAccount(accountId).ledger.map((entry) => ({ ...entry }));
  }

  function viewOf(item: Customer, now: number): CustomerView {
    const { plan } = item;
    const secondsLeft = isRunning(item, now) ? plan.expiresAt - now : 0;
    const secondsOver = secondsLeft % secondsPerDay;
    const wholeDays = (secondsLeft - secondsOver) / secondsPerDay;
    const shown = item.endsAtPeriodEnd ? null : item.autoRenew;
    return {
      number: item.number,
      reference: item.reference,
      email: emailOf(item.reference),
      name: item.name,
      status: item.operatorHold ? 'suspended' : 'active',
      createdAt: item.createdAt,
      plan: {
        packageId: plan.packageId,
        lastOrder: plan.lastOrder,
        package: getPackage(plan.packageId).name,
        status: statusOf(item, now),
        active: isRunning(item, now) && !item.resellerHold,
        startsAt: plan.anchorAt,
        expiresAt: plan.expiresAt,
        daysLeft: secondsOver === 0 ? wholeDays : wholeDays + 1,
        endsAtPeriodEnd: item.endsAtPeriodEnd,
        autoRenew: shown === null ? null : { ...shown, period: periodOf(shown.months) },
      },
    };
  }

  function getAccount(id: AccountId): Account {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`no account ${id} in this world`);
    return account;
  }

  function getPackage(id: number): Package {
    const item = packages.get(id);
    if (item === undefined) throw new Error(`no package ${id} in this world`);
    return item;
  }

  function mintKey(account: Account): string {
    let key: string;
    do {
      keysMinted += 1;
      key = `auto_oracle_${keysMinted}`;
    } while (account.orderKeys.has(key));
    return key;
  }

  return {
    placeOrder,
    renewOrder,
    renewCustomer,
    credit,
    ...payments.requests,
    grantTrial,
    changeReference,
    eraseCustomer,
    ...life,
    settleOrder,
    setCancelRefund,
    setProductMode,
    setGroup,
    setBlocked,
    setHalted,
    setClosed,
    setApiEnabled,
    emptyAccount,
    ...prices.requests,
    accountPrices: prices.accountPrices,
    useAccountPrices: prices.useAccountPrices,
    retirePackage,
    setPeriods,
    packages: packagesFor,
    renewalPrice,
    balance,
    order,
    orders,
    pendingOrders,
    hasWaited,
    customerCount,
    itemCount,
    isHalted,
    isBlocked,
    closedAccount,
    planEnds,
    customer,
    toldLast,
    customers: customersOf,
    history,
    paidPeriods,
    ledger,
    ...payments.views,
  };
}

function newAccount({ id, group, balanceCents, blocked, apiEnabled }: World['accounts'][number]): Account {
  return {
    id,
    group,
    balanceCents,
    blocked: blocked ?? false,
    halted: false,
    closed: false,
    apiEnabled: apiEnabled ?? true,
    orders: [],
    handoffs: new Map(),
    ledger: [], // an opening balance has no entry (A29)
    paymentFacts: [],
    orderKeys: new Map(),
    creditKeys: new Map(),
    planKeys: new Map(),
  };
}

/** Keys, addresses and rate limits are not part of the oracle's world. */
function findClosedAccount(account: Account): Refusal | null {
  if (account.blocked) return refuse('account_blocked');
  if (!account.apiEnabled) return refuse('api_disabled');
  return null;
}

function pricedAs({ group }: Account): 'reseller' | 'distributor' {
  return group === 'reseller' ? 'reseller' : 'distributor';
}

function refuseUnsold({ periods }: Package, months: Months): Refusal | null {
  if (periods === undefined || periods.includes(periodOf(months))) return null;
  return refuse('invalid_months', { field: 'months', periods: periods.join(',') });
}

/** The first answer, but with the current status of an order that was pending (A83). */
function replayOrConflict(account: Account, bound: BoundOrder, operation: string): OrderOutcome {
  if (bound.operation !== operation) return refuse('idempotency_conflict');
  const { order: first, balanceAfterCents } = bound.outcome;
  const order = account.orders[first.number - 1] ?? first;
  return { status: 201, replayed: true, order, balanceAfterCents };
}

/** Equal texts mean equal operation, package, customer, months and customer_name. */
function placeOperation(request: PlaceRequest): string {
  const { packageId, customerReference, months, customerName } = request;
  return JSON.stringify(['place', packageId, customerReference, months, customerName]);
}

/** The order's number stands for package and customer. */
function renewOperation(request: RenewRequest, original: Order): string {
  return JSON.stringify(['renew', original.number, request.months ?? original.months]);
}

function renewCustomerOperation({ number }: Customer, months: Months): string {
  return JSON.stringify(['renew customer', number, months]);
}

function findOrder(account: Account, orderId: string): Order | null {
  if (!/^[1-9][0-9]*$/.test(orderId)) return null;
  return account.orders.find((item) => String(item.number) === orderId) ?? null;
}

function post(account: Account, entry: Omit<LedgerEntry, 'balanceAfterCents'>): LedgerEntry {
  account.balanceCents += entry.amountCents;
  if (account.balanceCents < 0n) throw new Error('the oracle let a balance fall below zero');
  const posted = { ...entry, balanceAfterCents: account.balanceCents };
  account.ledger.push(posted);
  return posted;
}

function pageOf<Row>(rows: Row[], pageSent: unknown, limitSent: unknown): Page<Row> {
  const page = clampPage(pageSent);
  const perPage = clampLimit(limitSent);
  const data = rows.slice((page - 1) * perPage, page * perPage);
  return { data, page, perPage, total: rows.length };
}

function clampPage(sent: unknown): number {
  const page = wholeNumber(sent);
  return page === null || page < 1 ? 1 : page;
}

function clampLimit(sent: unknown): number {
  const limit = wholeNumber(sent);
  if (limit === null || limit < 1) return 25;
  return Math.min(limit, 100);
}

/** Decimal digits with an optional minus. Everything else, even "2.5" and "1e1", is not a number (A25). */
function wholeNumber(sent: unknown): number | null {
  const text = typeof sent === 'number' ? String(sent) : sent;
  if (typeof text !== 'string' || !/^-?[0-9]+$/.test(text)) return null;
  return Number(text);
}

function periodOf(months: Months): Period {
  if (months === 1) return 'monthly';
  if (months === 3) return 'quarterly';
  return 'yearly';
}

/** Whether a customer could be called so after being erased: by an id, which is an account and nine digits (A170). */
function isErasedReference(reference: string): boolean {
  const id = Number(/^erased-([1-9][0-9]{9,15})$/.exec(reference)?.[1]);
  return id % 1_000_000_000 > 0 && id < 9_007_199_000_000_000;
}

function emailOf(reference: string): string {
  return reference.includes('@') ? reference : '';
}

function formatCents(cents: bigint): string {
  if (cents < 0n) return `-${formatCents(-cents)}`;
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
