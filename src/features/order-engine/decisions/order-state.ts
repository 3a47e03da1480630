// The state that a batch loaded, its changes so far, and the rows to write. The loaded state is never modified. Used by
// decide-orders.ts; loaded by load-batch.ts, written by write-batch.ts.

import type { AuditEntry } from '../../../platform/audit-log/append-audit.ts';
import type { Months } from '../../../shared/periods.ts';
import type { ProductMode } from '../../../shared/product-states.ts';
import { addMonths, type EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { type Package, payerOf } from '../../packages/package-catalog.ts';
import type { AccountPrices, Payer, Run } from '../../packages/price-rules.ts';
import { type Customer, lifeRow } from '../records/customer-table.ts';
import type { LedgerEntry } from '../records/ledger-entry.ts';
import type { NewHandoff, SettledHandoff } from '../records/order-handoff.ts';
import type { OrderRecord } from '../records/order-table.ts';
import type { LoadedPayments, Reversal } from '../records/payment-tables.ts';
import type { PlanChange } from '../records/plan-change.ts';
import { type CancelRefund, isSuspended, type PlanLife, planStatus } from '../records/plan-life.ts';
import type { Plan } from '../records/plan-terms.ts';
import { callKey, type OrderCall, type ProductCallType } from '../records/product-call-rows.ts';
import type { DueSteps, TestMove } from '../records/test-move-table.ts';
import {
  type FullBudget,
  fullBudget,
  type TestSpace,
  type TestUsage,
  testRowBytes,
} from '../records/test-usage.ts';
import type { CustomerState } from './customer-state.ts';
import type { NewLoginLink } from './order-commands.ts';
import type { NumberedEvent, OrderEvent } from './order-events.ts';
import { createPaymentState, type PaymentChanges, type PaymentState } from './payment-state.ts';

export interface OrderState {
  readonly accounts: readonly AccountState[];
  readonly customers: readonly CustomerState[];
  readonly foreignReferences: readonly { readonly reference: string; readonly accountId: number }[];
  /** By a former reference, the present one of the same customer. */
  readonly formerReferences?: ReadonlyMap<string, string>;
  /** Orders found by idempotency key, by renewed number, or as the last order of a renewed customer. */
  readonly orders: readonly OrderRecord[];
  readonly credits: readonly KeyedCredit[];
  readonly planChanges: readonly PlanChange[];
  readonly payments?: LoadedPayments;
  readonly trials?: readonly TrialHad[];
  readonly packages: ReadonlyMap<number, Package>;
  /** Keyed by the id of the real account. */
  readonly accountPrices?: ReadonlyMap<number, AccountPrices>;
  /** Keyed by `paidKey`, newest first. Contains the orders of running plans whose price may be held. */
  readonly paidOrders?: ReadonlyMap<string, readonly PaidOrder[]>;
  readonly currency: string;
  readonly cancelRefund: CancelRefund;
  /** Where the account adds funds, for refusals. */
  readonly topupUrl?: string | null;
  readonly productMode: ProductMode;
  /** The calls of orders to settle, by `callKey`. */
  readonly orderCalls?: ReadonlyMap<string, OrderCall>;
  readonly dueSteps?: ReadonlyMap<number, DueSteps>;
  readonly testSpace?: TestSpace | null;
}

/** A credit or debit, and what it settled of the account's receivable. */
export interface KeyedCredit {
  readonly entry: LedgerEntry;
  readonly settledCents: bigint;
}

export type PaidOrder = Pick<
  OrderRecord,
  'accountId' | 'customerNumber' | 'number' | 'months' | 'priceCents' | 'createdAt' | 'expiresAt' | 'handoff'
>;

export function paidKey({ accountId, customerNumber }: Pick<PaidOrder, 'accountId' | 'customerNumber'>) {
  return `${accountId} ${customerNumber}`;
}

export type TrialHad = Pick<PlanChange, 'accountId' | 'customerNumber'> & { readonly packageId: number };

export interface DecidedProductCall {
  readonly callId: string;
  readonly type: ProductCallType;
  readonly customer: CustomerState;
  readonly order: OrderRecord | null;
  /** True if the product's answer settles the order. */
  readonly confirms: boolean;
}

export interface OrderPlace {
  readonly accountId: number;
  readonly orderNumber: number;
}

export interface OrderChanges {
  readonly accounts: readonly AccountState[];
  readonly newCustomers: readonly CustomerState[];
  readonly changedCustomers: readonly CustomerState[];
  /** Customers, new or not, whose plan's life changed. */
  readonly changedLives: readonly CustomerState[];
  readonly orders: readonly OrderRecord[];
  readonly entries: readonly LedgerEntry[];
  /** Per account, the last order whose ledger entries are dated later than the order itself. */
  readonly postdatedOrders: readonly { readonly id: number; readonly postdatedOrder: number }[];
  readonly loginLinks: readonly (NewLoginLink & { readonly order: OrderRecord; readonly at: EpochSeconds })[];
  readonly planChanges: readonly PlanChange[];
  readonly newHandoffs: readonly NewHandoff[];
  readonly settledHandoffs: readonly SettledHandoff[];
  readonly productCalls: readonly DecidedProductCall[];
  /** Pending orders during which another call for the customer was held back. */
  readonly heldBackCalls: readonly OrderPlace[];
  readonly audits: readonly AuditEntry[];
  readonly events: readonly NumberedEvent[];
  /** null: no command concerned payments or receivables. */
  readonly payments: PaymentChanges | null;
  readonly changedReceivables: readonly AccountState[];
  readonly movedClocks: readonly AccountState[];
  /** `isForgotten` is true if the move's key cannot be repeated any more. */
  readonly testMoves: readonly { readonly move: TestMove; readonly isForgotten: boolean }[];
}

export type WorkingState = ReturnType<typeof createWorkingState>;

export function createWorkingState(state: OrderState) {
  const accounts = new Map(state.accounts.map((account) => [account.id, account]));
  const customers = new Map(state.customers.map((customer) => [customer.reference, customer]));
  const foreign = new Map(state.foreignReferences.map(({ reference, accountId }) => [reference, accountId]));
  const ordersByKey = new Map(
    state.orders.map((order) => [`${order.accountId} ${order.idempotencyKey}`, order]),
  );
  const ordersByNumber = new Map(state.orders.map((order) => [`${order.accountId} ${order.number}`, order]));
  const creditsByKey = new Map(
    state.credits.map((credit) => [`${credit.entry.accountId} ${credit.entry.idempotencyKey}`, credit]),
  );

  const changesByKey = new Map(
    state.planChanges.map((change) => [`${change.accountId} ${change.idempotencyKey}`, change]),
  );
  const trialKey = ({ accountId, customerNumber, packageId }: TrialHad) =>
    `${accountId} ${customerNumber} ${packageId}`;
  const trials = new Set(state.trials?.map(trialKey));
  const changedReceivables = new Set<number>();
  /** Built on first use, because orders never need it. */
  let paymentState: PaymentState | null = null;
  /** Customers by account and number. Built on first use, because plain orders never need it. */
  let numbered: Map<string, string> | null = null;

  const changedAccounts = new Set<number>();
  const newCustomers = new Set<string>();
  const changedCustomers = new Set<string>();
  const changedLives = new Set<string>();
  const orders: OrderRecord[] = [];
  const entries: LedgerEntry[] = [];
  const postdatedOrders = new Map<number, number>();
  const loginLinks = new Map<
    string,
    NewLoginLink & { readonly order: OrderRecord; readonly at: EpochSeconds }
  >();
  const planChanges: PlanChange[] = [];
  const newHandoffs: NewHandoff[] = [];
  const settledHandoffs: SettledHandoff[] = [];
  const productCalls: DecidedProductCall[] = [];
  const heldBackCalls = new Map<string, OrderPlace>();
  const audits: AuditEntry[] = [];
  const events: NumberedEvent[] = [];
  const movedClocks = new Set<number>();
  const testMoves = new Map<string, { readonly move: TestMove; readonly isForgotten: boolean }>();
  let time: EpochSeconds = 0;

  const customerNamed = (reference: string): CustomerState | undefined =>
    customers.get(reference) ?? customers.get(state.formerReferences?.get(reference) ?? '');

  const getAccount = (id: number): AccountState => {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`Account ${id} was not loaded.`);
    return account;
  };
  const changeAccount = (id: number, change: Partial<AccountState>) => {
    accounts.set(id, { ...getAccount(id), ...change });
    changedAccounts.add(id);
  };

  /** Rows are known from the account's counters. Bytes are an estimate: the exact number is known after the batch. */
  const addedTo = (id: number): TestUsage => {
    const loaded = state.accounts.find((account) => account.id === id);
    const rows = loaded === undefined ? 0 : numbersOf(getAccount(id)) - numbersOf(loaded);
    return { rows, bytes: rows * 2 * testRowBytes };
  };

  const put = (customer: CustomerState): CustomerState => {
    customers.set(customer.reference, customer);
    return customer;
  };

  const emit = (accountId: number, event: OrderEvent) => {
    const { eventCount } = getAccount(accountId);
    if (eventCount === null) return;
    const number = eventCount + 1;
    changeAccount(accountId, { eventCount: number });
    events.push({ accountId, number, at: time, event });
  };

  const asSettled = (order: PaidOrder): PaidOrder =>
    ordersByNumber.get(`${order.accountId} ${order.number}`) ?? order;

  const payments = () => {
    paymentState ??= createPaymentState(state.payments);
    return paymentState;
  };
  const owe = (accountId: number, cents: bigint) => {
    if (cents === 0n) return;
    changeAccount(accountId, { receivableCents: getAccount(accountId).receivableCents + cents });
    changedReceivables.add(accountId);
  };

  return {
    emit,
    get payments(): Omit<PaymentState, 'addReversal' | 'changeReversal' | 'changes'> {
      return payments();
    },
    addReversal(part: Omit<Reversal, 'number'>): Reversal {
      const { accountId, openCents } = part;
      const number = getAccount(accountId).reversalCount + 1;
      changeAccount(accountId, { reversalCount: number });
      changedReceivables.add(accountId);
      owe(accountId, openCents);
      const reversal = { ...part, number };
      payments().addReversal(reversal);
      return reversal;
    },
    changeReversal(reversal: Reversal): void {
      const { accountId, number, openCents } = reversal;
      owe(accountId, openCents - (payments().reversal(accountId, number)?.openCents ?? 0n));
      payments().changeReversal(reversal);
    },
    setTime(now: EpochSeconds): void {
      time = now;
    },
    setTestClock(accountId: number, testClock: EpochSeconds): void {
      time = testClock;
      if (getAccount(accountId).testClock === testClock) return;
      accounts.set(accountId, { ...getAccount(accountId), testClock });
      movedClocks.add(accountId);
    },
    dueSteps: (accountId: number): DueSteps | null => {
      const loaded = state.dueSteps?.get(accountId);
      if (loaded === undefined) return null;
      const ofAccount = [...testMoves.values()].flatMap(({ move }) =>
        move.accountId === accountId ? move : [],
      );
      const isNewer = (move: TestMove) => ofAccount.some((one) => one.idempotencyKey === move.idempotencyKey);
      return { ...loaded, moves: [...loaded.moves.filter((move) => !isNewer(move)), ...ofAccount] };
    },
    putTestMove(move: TestMove, isMinted: boolean): void {
      const isForgotten = isMinted && move.isDone;
      testMoves.set(`${move.accountId} ${move.idempotencyKey}`, { move, isForgotten });
    },
    customersOf: (accountId: number): readonly CustomerState[] =>
      [...customers.values()].filter((customer) => customer.accountId === accountId),
    fullTestBudget(accountId: number): FullBudget | null {
      return state.testSpace == null ? null : fullBudget(state.testSpace, accountId, addedTo(accountId));
    },
    currency: state.currency,
    cancelRefund: state.cancelRefund,
    topupUrl: state.topupUrl ?? null,
    productMode: state.productMode,
    packages: state.packages,
    payer: (account: AccountState): Payer =>
      payerOf({ accountPrices: state.accountPrices ?? noListedAccounts }, account),
    /** Returns the run of the customer's current plan, which includes this decision's own orders. */
    runOf({ accountId, number, plan: { anchorAt: since } }: CustomerState): Run {
      return {
        since,
        lastPaidCents(months) {
          const loaded = state.paidOrders?.get(paidKey({ accountId, customerNumber: number })) ?? [];
          const isTheirs = (order: PaidOrder) =>
            order.accountId === accountId && order.customerNumber === number;
          return lastPaidCents(
            [...orders.filter(isTheirs).reverse(), ...loaded].map(asSettled),
            since,
            months,
          );
        },
      };
    },
    account: (id: number): AccountState | null => accounts.get(id) ?? null,
    orderByKey: (accountId: number, key: string): OrderRecord | null =>
      ordersByKey.get(`${accountId} ${key}`) ?? null,
    orderByNumber: (accountId: number, number: number): OrderRecord | null =>
      ordersByNumber.get(`${accountId} ${number}`) ?? null,
    creditByKey: (accountId: number, key: string): KeyedCredit | null =>
      creditsByKey.get(`${accountId} ${key}`) ?? null,
    customer: (reference: string): CustomerState | null => customerNamed(reference) ?? null,
    planChangeByKey: (accountId: number, key: string): PlanChange | null =>
      changesByKey.get(`${accountId} ${key}`) ?? null,
    hasHadTrial: (trial: TrialHad): boolean => trials.has(trialKey(trial)),
    customerByNumber(accountId: number, number: number): CustomerState | null {
      numbered ??= new Map(
        [...customers.values()].map((one) => [`${one.accountId} ${one.number}`, one.reference]),
      );
      return customers.get(numbered.get(`${accountId} ${number}`) ?? '') ?? null;
    },

    ownerOf(reference: string, accountId: number): 'own' | 'foreign' | 'none' {
      const owner = customerNamed(reference)?.accountId ?? foreign.get(reference);
      return owner === undefined ? 'none' : owner === accountId ? 'own' : 'foreign';
    },

    takeOrderNumber(accountId: number, number: number): void {
      changeAccount(accountId, { orderCount: number });
    },

    addOrder(order: OrderRecord): void {
      orders.push(order);
      ordersByKey.set(`${order.accountId} ${order.idempotencyKey}`, order);
      ordersByNumber.set(`${order.accountId} ${order.number}`, order);
    },

    addHandoff(handoff: NewHandoff): void {
      newHandoffs.push(handoff);
    },

    settleHandoff(order: OrderRecord, settled: SettledHandoff): OrderRecord {
      const { status, reason, settledAt } = settled;
      const failure = status === 'failed' ? { reason, at: settledAt ?? time } : null;
      const changed = { ...order, handoff: status, failure };
      settledHandoffs.push(settled);
      ordersByKey.set(`${order.accountId} ${order.idempotencyKey}`, changed);
      ordersByNumber.set(`${order.accountId} ${order.number}`, changed);
      return changed;
    },

    /** While an order is pending, other calls are held back. Settling the order sends their result. */
    emitProductCall(call: DecidedProductCall): void {
      if (state.productMode === 'none') return;
      const { accountId, life } = call.customer;
      const { pendingOrder: orderNumber } = life;
      if (call.order !== null || orderNumber === null) productCalls.push(call);
      else heldBackCalls.set(callKey(accountId, orderNumber), { accountId, orderNumber });
    },

    orderCall(accountId: number, orderNumber: number): OrderCall | null {
      const key = callKey(accountId, orderNumber);
      const call = state.orderCalls?.get(key);
      return call === undefined ? null : { ...call, heldBack: call.heldBack || heldBackCalls.has(key) };
    },

    /** Dates the entry now, or later if the ledger already has a later entry. */
    addEntry(
      accountId: number,
      part: Pick<LedgerEntry, 'kind' | 'amountCents'> & Partial<LedgerEntry>,
      now: EpochSeconds,
    ): LedgerEntry {
      const account = getAccount(accountId);
      const balanceCents = account.balanceCents + part.amountCents;
      const entryCount = account.entryCount + 1;
      const createdAt = Math.max(now, account.ledgerOpenFrom ?? now);
      changeAccount(accountId, { balanceCents, entryCount, ledgerOpenFrom: createdAt });
      if (part.orderNumber != null && createdAt > now) postdatedOrders.set(accountId, part.orderNumber);
      const entry: LedgerEntry = {
        orderNumber: null,
        actorId: null,
        memo: null,
        idempotencyKey: null,
        fingerprint: null,
        ...part,
        accountId,
        number: entryCount,
        balanceAfterCents: balanceCents,
        createdAt,
      };
      entries.push(entry);
      return entry;
    },

    addCredit(credit: KeyedCredit): void {
      const { accountId, idempotencyKey } = credit.entry;
      creditsByKey.set(`${accountId} ${idempotencyKey}`, credit);
    },

    addCustomer(accountId: number, part: Omit<CustomerState, 'accountId' | 'number'>): CustomerState {
      const customerCount = getAccount(accountId).customerCount + 1;
      changeAccount(accountId, { customerCount });
      const customer = { ...part, accountId, number: customerCount };
      newCustomers.add(customer.reference);
      numbered?.set(`${accountId} ${customer.number}`, customer.reference);
      emit(accountId, { type: 'customer.created', customer });
      return put(customer);
    },

    setPlan(customer: CustomerState, plan: Plan, life: PlanLife): CustomerState {
      if (!newCustomers.has(customer.reference)) changedCustomers.add(customer.reference);
      if (life !== customer.life) changedLives.add(customer.reference);
      return put({ ...customer, plan, life });
    },

    setLife(customer: CustomerState, life: PlanLife): CustomerState {
      changedLives.add(customer.reference);
      return put({ ...customer, life });
    },

    addLoginLink(order: OrderRecord, link: NewLoginLink): void {
      // If two requests make a link for one order, the later link replaces the earlier unused one.
      loginLinks.set(`${order.accountId} ${order.number}`, { ...link, order, at: time });
    },

    setStatus(customer: CustomerState, status: CustomerState['status']): CustomerState {
      if (!newCustomers.has(customer.reference)) changedCustomers.add(customer.reference);
      return put({ ...customer, status });
    },

    addPlanChange(
      customer: CustomerState,
      part: Pick<PlanChange, 'kind' | 'byParty'> & Partial<PlanChange>,
      now: EpochSeconds,
    ): number {
      const { accountId, number: customerNumber, plan, life } = customer;
      const { orderCount: afterOrder, planChangeCount } = getAccount(accountId);
      const number = planChangeCount + 1;
      changeAccount(accountId, { planChangeCount: number });
      const isHeld = isSuspended({ status: customer.status, suspended: life.suspended });
      const change: PlanChange = {
        ...noDetails,
        ...part,
        accountId,
        number,
        customerNumber,
        createdAt: now,
        afterOrder,
        packageId: plan.packageId,
        expiresAt: plan.expiresAt,
        planStatus: planStatus(plan.expiresAt, isHeld, life.cancelled, now),
        isSuspended: isHeld,
      };
      planChanges.push(change);
      if (change.kind === 'trial')
        trials.add(trialKey({ accountId, customerNumber, packageId: plan.packageId }));
      if (change.idempotencyKey !== null) changesByKey.set(`${accountId} ${change.idempotencyKey}`, change);
      const type = change.isEmpty ? null : planEventTypes[change.kind];
      if (type === 'plan.activated') emit(accountId, { type, customer, order: null });
      else if (type === 'renewal.failed') emit(accountId, { type, customer, code: change.code ?? '' });
      else if (type !== null) emit(accountId, { type, customer, change });
      return number;
    },

    addAudit(entry: AuditEntry): void {
      audits.push(entry);
    },

    changes(): OrderChanges {
      const customersOf = (references: ReadonlySet<string>) =>
        [...references].flatMap((reference) => customers.get(reference) ?? []);
      return {
        accounts: [...changedAccounts].map(getAccount),
        newCustomers: customersOf(newCustomers),
        changedCustomers: customersOf(changedCustomers),
        changedLives: customersOf(changedLives),
        orders,
        entries,
        postdatedOrders: [...postdatedOrders].map(([id, postdatedOrder]) => ({ id, postdatedOrder })),
        loginLinks: [...loginLinks.values()],
        planChanges,
        newHandoffs,
        settledHandoffs,
        productCalls,
        heldBackCalls: [...heldBackCalls.values()],
        audits,
        events,
        payments: paymentState?.changes() ?? null,
        changedReceivables: [...changedReceivables].map(getAccount),
        movedClocks: [...movedClocks].map(getAccount),
        testMoves: [...testMoves.values()],
      };
    },
  };
}

/** `orders` are newest first and may include some from before the run. Failed orders do not count as paid. */
export function lastPaidCents(
  orders: readonly PaidOrder[],
  since: EpochSeconds,
  months: Months,
): bigint | null {
  for (const order of orders) {
    if (order.createdAt < since) return null;
    if (order.handoff === 'failed') continue;
    if (order.months === months) return order.priceCents;
    // This is the first order of the run. An earlier order in the same second belongs to a canceled plan.
    if (order.createdAt === since && order.expiresAt === addMonths(since, order.months)) return null;
  }
  return null;
}

const noListedAccounts: ReadonlyMap<number, AccountPrices> = new Map();

function numbersOf(account: AccountState): number {
  const { orderCount, customerCount, entryCount, planChangeCount, eventCount } = account;
  return orderCount + customerCount + entryCount + planChangeCount + (eventCount ?? 0);
}

/** null means no event. How a plan renews concerns only the account. */
const planEventTypes = {
  trial: 'plan.activated',
  suspend: 'plan.suspended',
  resume: 'plan.resumed',
  cancel: 'plan.cancelled',
  cancel_at_period_end: null,
  auto_renew: null,
  auto_renew_off: null,
  renewal_failed: 'renewal.failed',
  // The order's own events say this already.
  order_completed: null,
  order_failed: null,
} as const satisfies Record<PlanChange['kind'], OrderEvent['type'] | null>;

const noDetails = {
  actorId: null,
  isEmpty: false,
  orderNumber: null,
  refundCents: null,
  entryNumber: null,
  balanceAfterCents: null,
  idempotencyKey: null,
  fingerprint: null,
  reason: null,
  code: null,
  renewMonths: null,
  renewMaxCents: null,
  renewHoursBefore: null,
};

export function shownCustomer({ plan, life, ...customer }: CustomerState): Customer {
  const { packageId, anchorAt, expiresAt, lastOrder } = plan;
  return { ...customer, packageId, anchorAt, expiresAt, lastOrder, ...lifeRow(life) };
}
