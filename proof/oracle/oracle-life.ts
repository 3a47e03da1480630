// What happens to a plan beside orders: cancel, suspend, resume, auto-renewal, the operator's hold, and
// what the service does by itself when its jobs run. Part of the world of oracle.ts, which alone uses it.
// Written from section 4 of spec/v1-additions.md and docs/decisions/0030-the-life-of-a-plan.md alone.
// Always true: a refusal changes nothing and binds no key; what changes nothing leaves no history (A64).
// "Ax" points to the entry in AMBIGUITIES.md.

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
import type { Refusal, RefusalCode } from './oracle-request.ts';
import { isRefusal, refuse } from './oracle-request.ts';

/** `customerId` is the path's text, naming a customer by its number within the account. */
export type PlanChangeInput = {
  accountId: AccountId;
  customerId: string;
  body: unknown;
  headerKey?: string | undefined;
};

/** The customer as they are now, also in a replay; refund and balance as they were. Only cancel shows these. */
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
  /** Null before the first plan. */
  from: PlanState | null;
  to: PlanState;
  orderNumber?: number;
  /** Of a change and of a cancel, of nothing too (A72). */
  refundCents?: bigint;
  reason?: string;
  code?: RefusalCode;
  autoRenew?: AutoRenewSettings;
};

/** One try of the service to renew the plan that ends, or ended, at `endsAt`. */
export type RenewalAttempt = {
  accountId: AccountId;
  customerNumber: number;
  reference: string;
  endsAt: number;
  outcome: OrderOutcome;
};

export type BoundPlanChange = { operation: string; refundCents: bigint; balanceAfterCents: bigint };

export type PlanLifeWorld = {
  /** In the order of the world. */
  accounts: () => Iterable<Account>;
  getAccount: (id: AccountId) => Account;
  /** In the order of creation, so by number. */
  customersOf: (account: Account) => Customer[];
  /** Checks 4 and 5 of an order; they are those of every request of the account. */
  findClosedAccount: (account: Account) => Refusal | null;
  viewOf: (customer: Customer, now: number) => CustomerView;
  isTrial: (packageId: number) => boolean;
  /** `CANCEL_REFUND`. */
  cancelRefund: () => 'unused' | 'none';
  postRefund: (account: Account, amountCents: bigint, now: number) => void;
  /** An order of kind `renew` for the customer's last package, at the price of today. */
  sellRenewal: (
    account: Account,
    customer: Customer,
    settings: AutoRenewSettings,
    now: number,
  ) => OrderOutcome;
};

export function createPlanLife(world: PlanLifeWorld) {
  /** POST /customers/{id}/cancel */
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

  /** POST /customers/{id}/suspend, whether or not a plan runs */
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

  /** POST /customers/{id}/resume: the reseller's hold and the cancel at the period's end, both if both stand */
  function resume(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readEmptyRequest, () => ({
      operation: ['resume'],
      decide: (_account, customer) => {
        if (!customer.resellerHold && !customer.endsAtPeriodEnd) return 0n;
        record(customer, now, { type: 'resumed', by: 'account' }, () => {
          const hasEnded = customer.endsAtPeriodEnd && !isRunning(customer, now);
          customer.resellerHold = false;
          customer.endsAtPeriodEnd = false;
          // An end that was meant is not made up for afterwards (A68).
          if (hasEnded && customer.autoRenew !== null)
            customer.autoRenew = { ...customer.autoRenew, nextAt: null, failure: null };
        });
        return 0n;
      },
    }));
  }

  /** PUT /customers/{id}/auto-renew */
  function setAutoRenew(input: PlanChangeInput, now: number): PlanChangeOutcome {
    return change(input, now, readAutoRenewRequest, ({ months, maxChargeCents, hoursBefore }) => ({
      operation: ['auto_renew', months, maxChargeCents === null ? null : String(maxChargeCents), hoursBefore],
      decide: (_account, customer) => {
        if (customer.pendingOrder !== null) return refuse('order_failed', { reason: 'order_pending' });
        if (!isRunning(customer, now)) return refuse('order_failed', { reason: 'plan_not_running' });
        if (world.isTrial(customer.plan.packageId))
          return refuse('package_unavailable', { reason: 'free_trial' });
        const autoRenew = { months, maxChargeCents, hoursBefore };
        // The same again changes nothing, but it takes back a cancel or lets a refused renewal be tried again.
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

  /** DELETE /customers/{id}/auto-renew: also what a cancel at the period's end has put aside */
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

  /** The steps that all have: guard, body, bound key, customer; then `decide`, which alone may still refuse. */
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

    // A bound key and a customer that does not exist: a conflict, as with orders (A10).
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
    // A key that nobody sent is minted and never shown: there is nothing to bind.
    if (request.key !== null)
      account.planKeys.set(request.key, { operation, refundCents, balanceAfterCents });
    return {
      status: 200,
      replayed: false,
      customer: world.viewOf(customer, now),
      refundCents,
      balanceAfterCents,
    };
  }

  /** The operator's hold, `customer.status`: beside the reseller's, and neither lifts the other. */
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

  /**
   * The service's jobs run at second `now`: what is due is tried, in the order of due time, account and
   * customer; and again, until nothing is due, because a new end may be due at once (A67).
   */
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
    // A stable sort: equal due times stay by account and customer.
    return due.sort((one, other) => one.dueAt - other.dueAt);
  }

  /** When each customer of the account is due to be renewed; of a past second: at once. */
  function dueRenewals(accountId: AccountId): { customerNumber: number; dueAt: number }[] {
    return world.customersOf(world.getAccount(accountId)).flatMap((customer) => {
      const dueAt = dueAtOf(customer);
      return dueAt === null ? [] : [{ customerNumber: customer.number, dueAt }];
    });
  }

  /** One try for one customer that is due. */
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

/** Does it, and writes down from which state to which. */
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
