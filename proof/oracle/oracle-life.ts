// A plan's life besides orders: cancel, suspend, resume, auto-renewal, the operator's hold, and the service's jobs. Part of
// oracle.ts, written from docs/decisions/0030-the-life-of-a-plan.md, not from the code.
// Invariant: a refusal changes nothing and binds no key; a request without effect leaves no history (A64).

import { isDeepStrictEqual } from 'node:util';
import type { Account, AccountId, Customer, CustomerView, OrderOutcome } from './oracle.ts';
import {
  readAutoRenewRequest,
  readCancelRequest,
  readEmptyRequest,
  readSuspendRequest,
} from './oracle-life-request.ts';
import {
  type AutoRenewSettings,
  endRun,
  freshAutoRenew,
  isRunning,
  type PlanStatus,
  refundOf,
  refusedAutoRenew,
  statusOf,
} from './oracle-plan.ts';
import type { Months, Refusal, RefusalCode } from './oracle-request.ts';
import { isRefusal, refuse } from './oracle-request.ts';

/** `customerId` is the path's text: the customer's number within the account. */
export type PlanChangeInput = {
  accountId: AccountId;
  customerId: string;
  body: unknown;
  headerKey?: string | undefined;
};

/** A replay shows the current customer, but the refund and balance of that time. Only cancel shows these. */
export type PlanChangeOutcome =
  | {
      status: 200;
      replayed: boolean;
      customer: CustomerView;
      refundCents: bigint;
      balanceAfterCents: bigint;
    }
  | Refusal;

export type PlanState = { status: PlanStatus; packageId: number; expiresAt: number };

export type HistoryItem = {
  type:
    | 'activated'
    | 'renewed'
    | 'changed'
    | 'trial_started'
    | 'suspended'
    | 'resumed'
    | 'cancelled'
    | 'cancelled_at_period_end'
    | 'auto_renew_set'
    | 'auto_renew_removed'
    | 'renewal_failed'
    | 'order_completed'
    | 'order_failed';
  at: number;
  by: 'account' | 'operator' | 'service' | 'product';
  from: PlanState | null;
  to: PlanState;
  orderNumber?: number;
  refundCents?: bigint;
  reason?: string;
  code?: RefusalCode;
  autoRenew?: AutoRenewSettings;
};

export type RenewalAttempt = {
  accountId: AccountId;
  customerNumber: number;
  reference: string;
  endsAt: number;
  outcome: OrderOutcome;
};

export type BoundPlanChange = {
  operation: string;
  refundCents: bigint;
  balanceAfterCents: bigint;
  customerNumber: number;
};

export type PlanLifeWorld = {
  accounts: () => Iterable<Account>;
  getAccount: (id: AccountId) => Account;
  customersOf: (account: Account) => Customer[];
  /** The checks that apply to every request of the account. */
  findClosedAccount: (account: Account) => Refusal | null;
  viewOf: (customer: Customer, now: number) => CustomerView;
  isTrial: (packageId: number) => boolean;
  refuseUnsold: (packageId: number, months: Months) => Refusal | null;
  cancelRefund: () => 'unused' | 'none';
  postRefund: (account: Account, amountCents: bigint, now: number) => void;
  sellRenewal: (
    account: Account,
    customer: Customer,
    settings: AutoRenewSettings,
    now: number,
  ) => OrderOutcome;
};

export function createPlanLife(world: PlanLifeWorld) {
  function cancel(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readCancelRequest, (request) => ({
      operation: ['cancel', request.at],
      decide: (account, customer) => {
        if (customer.pendingOrder !== null) return refuse('order_failed', { reason: 'order_pending' });
        if (request.at === 'now' && account.halted)
          return refuse('order_failed', { reason: 'account_halted' });
        if (!isRunning(customer, now)) return refuse('order_failed', { reason: 'plan_not_running' });
        return request.at === 'now' ? cancelNow(account, customer, now) : cancelAtEnd(customer, now);
      },
    }));
  }

  function cancelNow(account: Account, customer: Customer, now: number): bigint {
    const refundCents = world.cancelRefund() === 'none' ? 0n : refundOf(customer.plan, now);
    record(customer, now, { type: 'cancelled', by: 'account', refundCents }, () => endRun(customer, now));
    if (refundCents !== 0n) world.postRefund(account, refundCents, now);
    return refundCents;
  }

  function cancelAtEnd(customer: Customer, now: number): bigint {
    if (!customer.endsAtPeriodEnd) {
      record(customer, now, { type: 'cancelled_at_period_end', by: 'account' }, () => {
        customer.endsAtPeriodEnd = true;
      });
    }
    return 0n;
  }

  function suspend(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readSuspendRequest, ({ reason }) => ({
      operation: ['suspend', reason],
      decide: (_account, customer) => {
        if (customer.resellerHold) return 0n;
        const item = { type: 'suspended', by: 'account', ...(reason !== null && { reason }) } as const;
        record(customer, now, item, () => {
          customer.resellerHold = true;
        });
        return 0n;
      },
    }));
  }

  /** Lifts the reseller's hold and a cancel at the period's end. */
  function resume(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readEmptyRequest, () => ({
      operation: ['resume'],
      decide: (_account, customer) => {
        if (!customer.resellerHold && !customer.endsAtPeriodEnd) return 0n;
        record(customer, now, { type: 'resumed', by: 'account' }, () => {
          const hasEnded = customer.endsAtPeriodEnd && !isRunning(customer, now);
          customer.resellerHold = false;
          customer.endsAtPeriodEnd = false;
          // Renewals missed because of a planned end are not made up for (A68).
          if (hasEnded && customer.autoRenew !== null)
            customer.autoRenew = { ...customer.autoRenew, nextAt: null, failure: null };
        });
        return 0n;
      },
    }));
  }

  function setAutoRenew(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readAutoRenewRequest, ({ months, maxChargeCents, hoursBefore }) => ({
      operation: ['auto_renew', months, maxChargeCents === null ? null : String(maxChargeCents), hoursBefore],
      decide: (_account, customer) => {
        if (customer.pendingOrder !== null) return refuse('order_failed', { reason: 'order_pending' });
        if (!isRunning(customer, now)) return refuse('order_failed', { reason: 'plan_not_running' });
        if (world.isTrial(customer.plan.packageId))
          return refuse('package_unavailable', { reason: 'free_trial' });
        const unsold = world.refuseUnsold(customer.plan.packageId, months);
        if (unsold !== null) return unsold;
        const autoRenew = { months, maxChargeCents, hoursBefore };
        // An identical setting changes nothing, but takes back a cancel or allows another attempt after a refused renewal.
        const fresh = freshAutoRenew(autoRenew, customer.plan);
        if (!customer.endsAtPeriodEnd && isDeepStrictEqual(customer.autoRenew, fresh)) return 0n;
        record(customer, now, { type: 'auto_renew_set', by: 'account', autoRenew }, () => {
          customer.endsAtPeriodEnd = false;
          customer.autoRenew = fresh;
        });
        return 0n;
      },
    }));
  }

  /** Also if it is suspended by a cancel at the period's end. */
  function removeAutoRenew(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readEmptyRequest, () => ({
      operation: ['auto_renew_off'],
      decide: (_account, customer) => {
        if (customer.pendingOrder !== null) return refuse('order_failed', { reason: 'order_pending' });
        if (customer.autoRenew === null) return 0n;
        record(customer, now, { type: 'auto_renew_removed', by: 'account' }, () => {
          customer.autoRenew = null;
        });
        return 0n;
      },
    }));
  }

  function change<Request extends { key: string | null }>(
    input: PlanChangeInput,
    now: number,
    read: (body: unknown, headerKey: string | undefined) => Request | Refusal,
    plan: (request: Request) => {
      operation: readonly unknown[];
      decide: (account: Account, customer: Customer) => bigint | Refusal;
    },
  ): PlanChangeOutcome {
    const account = world.getAccount(input.accountId);
    const closed = world.findClosedAccount(account);
    if (closed !== null) return closed;
    const request = read(input.body, input.headerKey);
    if (isRefusal(request)) return request;

    // A bound key with an unknown customer: a conflict, as with orders (A10).
    const { operation: data, decide } = plan(request);
    const customer = findCustomer(account, input.customerId);
    const operation = JSON.stringify([...data, customer?.number ?? null]);
    const bound = request.key === null ? undefined : account.planKeys.get(request.key);
    if (bound !== undefined) {
      if (customer === null || bound.operation !== operation) return refuse('idempotency_conflict');
      const { refundCents, balanceAfterCents } = bound;
      return {
        status: 200,
        replayed: true,
        customer: world.viewOf(customer, now),
        refundCents,
        balanceAfterCents,
      };
    }
    if (customer === null) return refuse('customer_not_found');

    const refundCents = decide(account, customer);
    if (typeof refundCents !== 'bigint') return refundCents;
    const balanceAfterCents = account.balanceCents;
    if (request.key !== null)
      account.planKeys.set(request.key, {
        operation,
        refundCents,
        balanceAfterCents,
        customerNumber: customer.number,
      });
    return {
      status: 200,
      replayed: false,
      customer: world.viewOf(customer, now),
      refundCents,
      balanceAfterCents,
    };
  }

  /** The operator's hold is independent of the reseller's. */
  function setCustomerStatus(
    input: { accountId: AccountId; customerId: string; status: 'active' | 'suspended' },
    now: number,
  ): { status: 200; customer: CustomerView } | Refusal {
    const customer = findCustomer(world.getAccount(input.accountId), input.customerId);
    if (customer === null) return refuse('customer_not_found');
    const held = input.status === 'suspended';
    if (customer.operatorHold !== held) {
      record(customer, now, { type: held ? 'suspended' : 'resumed', by: 'operator' }, () => {
        customer.operatorHold = held;
      });
    }
    return { status: 200, customer: world.viewOf(customer, now) };
  }

  /** Attempts what is due, by due time, account and customer, until nothing is due: a new end may be due at once (A67). */
  function runJobs(now: number): RenewalAttempt[] {
    const attempts: RenewalAttempt[] = [];
    for (let due = findDue(now); due.length > 0; due = findDue(now)) {
      for (const { account, customer } of due) attempts.push(renewByItself(account, customer, now));
    }
    return attempts;
  }

  function findDue(now: number): { account: Account; customer: Customer; dueAt: number }[] {
    const due = [...world.accounts()].flatMap((account) =>
      world.customersOf(account).flatMap((customer) => {
        const dueAt = dueAtOf(customer);
        return dueAt !== null && dueAt <= now ? [{ account, customer, dueAt }] : [];
      }),
    );
    return due.sort((one, other) => one.dueAt - other.dueAt);
  }

  function dueRenewals(accountId: AccountId): { customerNumber: number; dueAt: number }[] {
    return world.customersOf(world.getAccount(accountId)).flatMap((customer) => {
      const dueAt = dueAtOf(customer);
      return dueAt === null ? [] : [{ customerNumber: customer.number, dueAt }];
    });
  }

  function renewOne(accountId: AccountId, customerNumber: number, now: number): RenewalAttempt {
    const account = world.getAccount(accountId);
    const customer = findCustomer(account, String(customerNumber));
    if (customer === null) throw new Error(`no customer ${customerNumber} of account ${accountId}`);
    return renewByItself(account, customer, now);
  }

  function renewByItself(account: Account, customer: Customer, now: number): RenewalAttempt {
    const { autoRenew, plan } = customer;
    if (autoRenew === null) throw new Error('what is due has auto-renewal');
    const outcome = account.blocked
      ? refuse('account_blocked')
      : world.sellRenewal(account, customer, autoRenew, now);
    if ('code' in outcome) {
      record(customer, now, { type: 'renewal_failed', by: 'service', code: outcome.code }, () => {
        customer.autoRenew = refusedAutoRenew(autoRenew, plan, outcome.code, now);
      });
    }
    const { number: customerNumber, reference } = customer;
    return { accountId: account.id, customerNumber, reference, endsAt: plan.expiresAt, outcome };
  }

  function findCustomer(account: Account, customerId: string): Customer | null {
    if (!/^[1-9][0-9]*$/.test(customerId)) return null;
    return world.customersOf(account).find((item) => String(item.number) === customerId) ?? null;
  }

  return {
    cancel,
    suspend,
    resume,
    setAutoRenew,
    removeAutoRenew,
    setCustomerStatus,
    runJobs,
    dueRenewals,
    renewOne,
  };
}

function dueAtOf({ endsAtPeriodEnd, autoRenew }: Customer): number | null {
  return endsAtPeriodEnd ? null : (autoRenew?.nextAt ?? null);
}

export function record(
  customer: Customer,
  now: number,
  item: Omit<HistoryItem, 'at' | 'from' | 'to'>,
  act: () => void,
): void {
  const from = planState(customer, now);
  act();
  customer.history.push({ ...item, at: now, from, to: planState(customer, now) });
}

export function planState(customer: Customer, now: number): PlanState {
  const { packageId, expiresAt } = customer.plan;
  return { status: statusOf(customer, now), packageId, expiresAt };
}
