// Stands for the database in the core's runs: loads what load-batch.ts would, and refuses what a constraint would.

import type { AccountState } from '../../src/features/identity/account-table.ts';
import type { CustomerState } from '../../src/features/order-engine/decisions/customer-state.ts';
import {
  bindsPlanKey,
  isPaymentCommand,
  type OrderCommand,
} from '../../src/features/order-engine/decisions/order-commands.ts';
import type { NumberedEvent } from '../../src/features/order-engine/decisions/order-events.ts';
import {
  type KeyedCredit,
  type OrderChanges,
  type OrderState,
  type PaidOrder,
  paidKey,
  type TrialHad,
} from '../../src/features/order-engine/decisions/order-state.ts';
import type { LedgerEntry } from '../../src/features/order-engine/records/ledger-entry.ts';
import type { NewHandoff, SettledHandoff } from '../../src/features/order-engine/records/order-handoff.ts';
import type { OrderRecord } from '../../src/features/order-engine/records/order-table.ts';
import type {
  LoadedPayments,
  Payment,
  PaymentEntry,
  Reversal,
  Topup,
  WriteOff,
} from '../../src/features/order-engine/records/payment-tables.ts';
import type { PlanChange } from '../../src/features/order-engine/records/plan-change.ts';
import { plainLife } from '../../src/features/order-engine/records/plan-life.ts';
import type { Package } from '../../src/features/packages/package-catalog.ts';
import type { AccountPrices } from '../../src/features/packages/price-rules.ts';
import type { Group } from '../../src/shared/periods.ts';
import type { KeptPayments } from './core-payments.ts';
import { alertsBelow, alertsEndingDays, groups } from './histories.ts';
import { topupCents } from './history-genes.ts';
import { toText } from './history-report.ts';

export type StateKeeper = ReturnType<typeof createStateKeeper>;

export function createStateKeeper(accountIds: readonly number[], cancelRefund: 'unused' | 'none') {
  const accounts = new Map<number, AccountState>(
    accountIds.map((id, account) => [
      id,
      {
        id,
        group: groups[account] === 'reseller' ? 'reseller' : 'distributor',
        accessVersion: 1,
        isHalted: false,
        isClosed: false,
        balanceCents: 0n,
        receivableCents: 0n,
        reversalCount: 0,
        orderCount: 0,
        customerCount: 0,
        entryCount: 0,
        planChangeCount: 0,
        eventCount: 0,
        alertBelowCents: alertsBelow[account] ?? null,
        ledgerOpenFrom: null,
        alertDays: alertsEndingDays[account] ?? null,
        testOf: null,
        testState: null,
        testClock: null,
      },
    ]),
  );
  const customers = new Map<string, CustomerState>();
  const ordersByKey = new Map<string, string>();
  /** As they are read, with the result of their hand-off. */
  const ordersByNumber = new Map<string, OrderRecord>();
  const entries: LedgerEntry[] = [];
  const creditsByKey = new Map<string, LedgerEntry>();
  const liveLinks = new Map<string, string>();
  const planChanges: PlanChange[] = [];
  const planChangesByKey = new Map<string, PlanChange>();
  const emitted = new Map<number, NumberedEvent[]>(accountIds.map((id) => [id, []]));
  const handoffs = new Map<string, NewHandoff | SettledHandoff>();
  const payments: Payment[] = [];
  const reversals = new Map<string, Reversal>();
  const paymentEntries: PaymentEntry[] = [];
  const writeOffs: WriteOff[] = [];
  let productMode: OrderState['productMode'] = 'none';

  const getAccount = (id: number): AccountState => {
    const account = accounts.get(id);
    if (account === undefined) throw new Error(`no account ${id}`);
    return account;
  };

  const customerByNumber = (accountId: number, number: number): CustomerState | null =>
    [...customers.values()].find((one) => one.accountId === accountId && one.number === number) ?? null;

  function load(
    commands: readonly OrderCommand[],
    packages: ReadonlyMap<number, Package>,
    accountPrices: ReadonlyMap<number, AccountPrices>,
  ): OrderState {
    const loadedAccounts = new Map<number, AccountState>();
    const loadedCustomers = new Map<string, CustomerState>();
    const foreign = new Map<string, { reference: string; accountId: number }>();
    const loadedOrders: OrderRecord[] = [];
    const credits: KeyedCredit[] = [];
    const loadedChanges: PlanChange[] = [];
    for (const { accountId } of commands) loadedAccounts.set(accountId, getAccount(accountId));
    for (const command of commands) {
      if ('customerReference' in command) {
        const { customerReference: reference } = command;
        const found = customers.get(reference);
        if (found !== undefined && loadedAccounts.has(found.accountId)) loadedCustomers.set(reference, found);
        else if (found !== undefined) foreign.set(reference, { reference, accountId: found.accountId });
      }
      if (command.type === 'renew' || command.type === 'settle_order') {
        const renewed = ordersByNumber.get(`${command.accountId} ${command.orderNumber}`);
        const customer = renewed && customers.get(renewed.customerReference);
        // Each query gets a copy, as with rows, so that nothing depends on object identity.
        if (renewed !== undefined) loadedOrders.push({ ...renewed });
        if (customer !== undefined) loadedCustomers.set(customer.reference, customer);
      }
      if ('customerNumber' in command) {
        const named = customerByNumber(command.accountId, command.customerNumber);
        if (named !== null) loadedCustomers.set(named.reference, named);
      }
      if (command.type === 'renew_customer') {
        const named =
          'customerNumber' in command
            ? customerByNumber(command.accountId, command.customerNumber)
            : (customers.get(command.customerReference) ?? null);
        const number = named?.accountId === command.accountId ? named.plan.lastOrder : null;
        const last = ordersByNumber.get(`${command.accountId} ${number}`);
        if (last !== undefined) loadedOrders.push({ ...last });
      }
      if (!('idempotencyKey' in command)) continue;
      const key = `${command.accountId} ${command.idempotencyKey}`;
      if (command.type === 'credit') {
        const entry = creditsByKey.get(key);
        if (entry !== undefined) credits.push({ entry, settledCents: settledBy(entry) });
      } else if (bindsPlanKey(command)) {
        const change = command.keyIsMinted ? undefined : planChangesByKey.get(key);
        if (change !== undefined) loadedChanges.push(change);
      } else if (!command.keyIsMinted) {
        const order = ordersByNumber.get(ordersByKey.get(key) ?? '');
        if (order !== undefined) loadedOrders.push({ ...order });
      }
    }
    return {
      accounts: [...loadedAccounts.values()],
      customers: [...loadedCustomers.values()],
      foreignReferences: [...foreign.values()],
      orders: loadedOrders,
      credits,
      planChanges: loadedChanges,
      trials: commands.some(({ type }) => type === 'grant_trial')
        ? trialsOf([...loadedCustomers.values()])
        : [],
      productMode,
      cancelRefund,
      ...paymentsFor(commands),
      packages,
      accountPrices,
      paidOrders: paidOrdersOf([...loadedCustomers.values()], loadedOrders, packages),
      currency: 'USD',
    };
  }

  /** Newest first. Only for plans whose price may be held. */
  function paidOrdersOf(
    loaded: readonly CustomerState[],
    named: readonly OrderRecord[],
    packages: ReadonlyMap<number, Package>,
  ): ReadonlyMap<string, readonly PaidOrder[]> {
    const held = loaded.filter(({ accountId, number, plan }) => {
      const ordered = named.filter(
        (order) =>
          order.accountId === accountId && order.customerNumber === number && order.handoff === 'pending',
      );
      return [plan, ...ordered].some(({ packageId }) => {
        const steps = packages.get(packageId)?.heldSteps[getAccount(accountId).group];
        if (steps === undefined) return false;
        return [...steps[1], ...steps[3], ...steps[12]].some(({ from }) => from > plan.anchorAt);
      });
    });
    return new Map(
      held.map(({ accountId, number: customerNumber, plan: { anchorAt } }) => {
        const own = [...ordersByNumber.values()].filter(
          (order) =>
            order.accountId === accountId &&
            order.customerNumber === customerNumber &&
            order.createdAt >= anchorAt,
        );
        const newestFirst = own.toSorted((one, other) => other.number - one.number);
        return [paidKey({ accountId, customerNumber }), newestFirst.map((order) => ({ ...order }))];
      }),
    );
  }

  /** The settlements right after a credit are its own. */
  function settledBy({ accountId, number }: LedgerEntry): bigint {
    const later = ofAccount(entries, accountId).filter((one) => one.number > number);
    const end = later.findIndex(({ kind }) => kind !== 'settlement');
    const own = end === -1 ? later : later.slice(0, end);
    return own.reduce((sum, one) => sum - one.amountCents, 0n);
  }

  function paymentsFor(commands: readonly OrderCommand[]): { payments?: LoadedPayments } {
    const wanted = commands.filter((one) => one.type === 'credit' || isPaymentCommand(one));
    if (wanted.length === 0) return {};
    const named = new Set<string>();
    for (const command of wanted) {
      const { accountId } = command;
      if ('topupNumber' in command) named.add(`${accountId} ${command.topupNumber}`);
      if (!('cause' in command)) continue;
      const own = ofAccount(reversals.values(), accountId);
      const known = own.find(({ cause }) => cause === command.cause);
      if (known !== undefined) named.add(`${accountId} ${known.topupNumber}`);
    }
    const accountIds = new Set(wanted.map(({ accountId }) => accountId));
    const refs = wanted.flatMap((one) => ('paymentRef' in one ? [`${one.accountId} ${one.paymentRef}`] : []));
    const isNamed = (row: { readonly accountId: number; readonly topupNumber: number }) =>
      named.has(`${row.accountId} ${row.topupNumber}`);
    const isKeyed = ({ accountId, idempotencyKey }: WriteOff) =>
      wanted.some(
        (one) =>
          one.type === 'write_off_receivable' &&
          one.accountId === accountId &&
          one.idempotencyKey === idempotencyKey,
      );
    return {
      payments: {
        topups: [...named].map(topupOf),
        payments: payments
          .filter((one) => isNamed(one) || refs.includes(`${one.accountId} ${one.paymentRef}`))
          .map((one) => ({ ...one })),
        reversals: [...reversals.values()]
          .filter((one) => isNamed(one) || (one.openCents > 0n && accountIds.has(one.accountId)))
          .map((one) => ({ ...one })),
        writeOffs: writeOffs.filter(isKeyed).map((one) => ({ ...one })),
      },
    };
  }

  /** Every named top-up exists, as a card payment. */
  function topupOf(place: string): Topup {
    const [accountId = 0, number = 0] = place.split(' ').map(Number);
    const asked = { amountCents: topupCents(number), createdAt: 0, expiresAt: null };
    return { accountId, number, method: 'card', status: 'open', ...asked };
  }

  const trialsOf = (wanted: readonly CustomerState[]): TrialHad[] =>
    planChanges
      .filter(({ kind, isEmpty }) => kind === 'trial' && !isEmpty)
      .flatMap(({ accountId, customerNumber, packageId }) =>
        packageId !== null &&
        wanted.some((one) => one.accountId === accountId && one.number === customerNumber)
          ? [{ accountId, customerNumber, packageId }]
          : [],
      );

  function apply(changes: OrderChanges): void {
    const balances = new Map<number, bigint>();
    for (const event of changes.events) emitted.get(event.accountId)?.push(event);
    for (const customer of changes.newCustomers) {
      if (customers.has(customer.reference)) throw new Error(`${customer.reference} is claimed twice`);
      customers.set(customer.reference, { ...customer, life: plainLife });
    }
    for (const customer of changes.changedCustomers) {
      const before = customers.get(customer.reference);
      if (before?.number !== customer.number || before.accountId !== customer.accountId)
        throw new Error(`${customer.reference} is changed but is not there`);
      if (changes.newCustomers.includes(customer))
        throw new Error(`${customer.reference} is new and changed`);
      customers.set(customer.reference, { ...before, plan: customer.plan, status: customer.status });
    }
    // Separate columns, which a plain order does not write.
    for (const { reference, life } of changes.changedLives) {
      const before = customers.get(reference);
      if (before === undefined) throw new Error(`${reference} has a life but is not there`);
      customers.set(reference, { ...before, life });
    }
    for (const order of changes.orders) {
      const key = `${order.accountId} ${order.idempotencyKey}`;
      const number = `${order.accountId} ${order.number}`;
      if (ordersByKey.has(key)) throw new Error(`the key ${key} is bound twice`);
      if (ordersByNumber.has(number)) throw new Error(`order ${number} is there twice`);
      if (customers.get(order.customerReference)?.number !== order.customerNumber)
        throw new Error(`order ${number} is for another customer than it says`);
      ordersByKey.set(key, number);
      ordersByNumber.set(number, order);
    }
    for (const handoff of changes.newHandoffs) {
      const key = `${handoff.accountId} ${handoff.orderNumber}`;
      const order = ordersByNumber.get(key);
      if (order === undefined || handoffs.has(key)) throw new Error(`${toText(handoff)} is of no new order`);
      if (order.customerNumber !== handoff.customerNumber)
        throw new Error(`${key} is handed off for another`);
      handoffs.set(key, handoff);
      ordersByNumber.set(key, { ...order, handoff: handoff.status });
    }
    for (const handoff of changes.settledHandoffs) {
      const key = `${handoff.accountId} ${handoff.orderNumber}`;
      const order = ordersByNumber.get(key);
      if (order === undefined || handoffs.get(key)?.status !== 'pending')
        throw new Error(`${key} is settled and does not wait`);
      handoffs.set(key, handoff);
      const { status, reason, settledAt } = handoff;
      const failure = status === 'failed' && settledAt !== null ? { reason, at: settledAt } : null;
      ordersByNumber.set(key, { ...order, handoff: status, failure });
    }
    for (const { accountId, orderNumber } of [...changes.newHandoffs, ...changes.settledHandoffs]) {
      const order = ordersByNumber.get(`${accountId} ${orderNumber}`);
      const pending = order && customers.get(order.customerReference)?.life.pendingOrder;
      if ((pending === orderNumber) !== (order?.handoff === 'pending'))
        throw new Error(
          `order ${orderNumber} of account ${accountId} is ${order?.handoff}, its customer waits for ${pending}`,
        );
    }
    for (const entry of changes.entries) {
      const { accountId, amountCents, balanceAfterCents, idempotencyKey } = entry;
      const before = balances.get(accountId) ?? getAccount(accountId).balanceCents;
      if (before + amountCents !== balanceAfterCents || balanceAfterCents < 0n)
        throw new Error(`entry ${toText(entry)} does not follow a balance of ${before}`);
      balances.set(accountId, balanceAfterCents);
      if (idempotencyKey !== null) {
        const key = `${accountId} ${idempotencyKey}`;
        if (creditsByKey.has(key)) throw new Error(`the key ${key} of a credit is bound twice`);
        creditsByKey.set(key, entry);
      }
      entries.push(entry);
    }
    for (const account of changes.accounts) {
      const balance = balances.get(account.id) ?? getAccount(account.id).balanceCents;
      if (balance !== account.balanceCents)
        throw new Error(`account ${account.id} has ${account.balanceCents}, its entries say ${balance}`);
      balances.delete(account.id);
      const { receivableCents, reversalCount } = getAccount(account.id);
      accounts.set(account.id, { ...account, receivableCents, reversalCount });
      if (account.eventCount !== emitted.get(account.id)?.length)
        throw new Error(`account ${account.id} has ${account.eventCount} events, and other numbers`);
    }
    if (changes.payments !== null) applyPayments(changes.payments);
    for (const { id, receivableCents, reversalCount } of changes.changedReceivables)
      accounts.set(id, { ...getAccount(id), receivableCents, reversalCount });
    for (const { id, receivableCents, reversalCount } of accounts.values()) {
      const own = ofAccount(reversals.values(), id);
      if (own.length !== reversalCount)
        throw new Error(`account ${id} counts ${reversalCount} reversals and has ${own.length}`);
      const open = own.reduce((sum, one) => sum + one.openCents, 0n);
      if (open !== receivableCents)
        throw new Error(`account ${id} owes ${receivableCents}, of which ${open} is open`);
    }
    if (balances.size > 0) throw new Error('entries were written to an account that was not');
    for (const { order, tokenHash } of changes.loginLinks)
      liveLinks.set(`${order.accountId} ${order.number}`, tokenHash);
    for (const change of changes.planChanges) {
      const { accountId, number, customerNumber } = change;
      const earlier = planChanges.filter((one) => one.accountId === accountId).length;
      if (number !== earlier + 1) throw new Error(`plan change ${toText(change)} follows ${earlier} others`);
      if (customerByNumber(accountId, customerNumber) === null)
        throw new Error(`plan change ${toText(change)} has no account`);
      if (change.idempotencyKey !== null) {
        const key = `${accountId} ${change.idempotencyKey}`;
        if (planChangesByKey.has(key)) throw new Error(`the key ${key} of a plan is bound twice`);
        planChangesByKey.set(key, change);
      }
      planChanges.push(change);
    }
  }

  function applyPayments(changes: NonNullable<OrderChanges['payments']>): void {
    for (const payment of changes.payments) {
      const { accountId, topupNumber, paymentRef, entryNumber, amountCents } = payment;
      const isKnown = ofAccount(payments, accountId).some(
        (one) => one.topupNumber === topupNumber || one.paymentRef === paymentRef,
      );
      if (isKnown) throw new Error(`payment ${toText(payment)} is there already`);
      const entry = ofAccount(entries, accountId).find(({ number }) => number === entryNumber);
      if (entry?.kind !== 'credit' || entry.amountCents !== amountCents)
        throw new Error(`payment ${toText(payment)} has the entry ${toText(entry ?? null)}`);
      payments.push(payment);
    }
    for (const reversal of changes.newReversals) {
      const own = ofAccount(reversals.values(), reversal.accountId);
      if (reversal.number !== own.length + 1 || own.some(({ cause }) => cause === reversal.cause))
        throw new Error(`reversal ${toText(reversal)} follows ${own.length} others`);
      reversals.set(`${reversal.accountId} ${reversal.number}`, reversal);
    }
    for (const changed of changes.changedReversals) {
      const place = `${changed.accountId} ${changed.number}`;
      const before = reversals.get(place);
      if (before === undefined) throw new Error(`reversal ${place} is changed but is not there`);
      const { settledCents, writtenOffCents, openCents, reinstatedAt } = changed;
      reversals.set(place, { ...before, settledCents, writtenOffCents, openCents, reinstatedAt });
    }
    paymentEntries.push(...changes.paymentEntries);
    for (const part of changes.writeOffs) {
      const isThere = ofAccount(writeOffs, part.accountId).some(
        (one) => one.idempotencyKey === part.idempotencyKey && one.reversalNumber === part.reversalNumber,
      );
      if (isThere) throw new Error(`write-off ${toText(part)} is there already`);
      writeOffs.push(part);
    }
  }

  return {
    load,
    apply,
    orders: (): readonly OrderRecord[] => [...ordersByNumber.values()],
    entries: (): readonly LedgerEntry[] => entries,
    planChanges: (): readonly PlanChange[] => planChanges,
    customer: (reference: string): CustomerState | null => customers.get(reference) ?? null,
    customerCount: (): number => customers.size,
    emitted: (accountId: number): readonly NumberedEvent[] => emitted.get(accountId) ?? [],
    account: getAccount,
    payments: (accountId: number): KeptPayments => ({
      receivableCents: getAccount(accountId).receivableCents,
      payments: ofAccount(payments, accountId),
      reversals: ofAccount(reversals.values(), accountId),
      paymentEntries: ofAccount(paymentEntries, accountId),
      writeOffs: ofAccount(writeOffs, accountId),
    }),
    accessVersion: (id: number): number => getAccount(id).accessVersion,

    due(now: number): CustomerState[] {
      return [...customers.values()]
        .filter(({ life }) => life.renewAt !== null && life.renewAt <= now && !life.endsAtPeriodEnd)
        .sort(
          (one, other) =>
            (one.life.renewAt ?? 0) - (other.life.renewAt ?? 0) ||
            one.accountId - other.accountId ||
            one.number - other.number,
        );
    },

    /** Makes earlier authentications invalid. */
    changeRights(id: number): void {
      const account = getAccount(id);
      accounts.set(id, { ...account, accessVersion: account.accessVersion + 1 });
    },

    setProductMode(mode: OrderState['productMode']): void {
      productMode = mode;
    },

    setHalted(id: number, isHalted: boolean): void {
      accounts.set(id, { ...getAccount(id), isHalted });
    },

    setClosed(id: number, isClosed: boolean): void {
      accounts.set(id, { ...getAccount(id), isClosed });
    },

    setGroup(id: number, group: Group): void {
      const account = getAccount(id);
      accounts.set(id, { ...account, group, accessVersion: account.accessVersion + 1 });
    },

    fingerprint(): string {
      const byReference = [...customers.values()].sort((a, b) => (a.reference < b.reference ? -1 : 1));
      const links = [...liveLinks].sort(([a], [b]) => (a < b ? -1 : 1));
      const waiting = [...handoffs].sort(([a], [b]) => (a < b ? -1 : 1));
      const orders = [...ordersByNumber];
      const money = [payments, [...reversals.values()], paymentEntries, writeOffs];
      const rows = [byReference, orders, entries, links, planChanges, waiting, money];
      return toText([[...accounts.values()], ...rows]);
    },
  };
}

function ofAccount<Row extends { readonly accountId: number }>(
  rows: Iterable<Row>,
  accountId: number,
): Row[] {
  return [...rows].filter((row) => row.accountId === accountId);
}
