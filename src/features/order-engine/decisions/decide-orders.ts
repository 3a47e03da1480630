// The core: decides every command. Commands of a batch are applied in order of arrival to the state loaded under the
// accounts' locks, each seeing its predecessors' changes, so a batch answers exactly as single orders would. Pure: no I/O,
// clock or randomness; the given state is not modified. Each kind of command has its own file.
// | Order of checks: the caller's rights are unchanged; replay or idempotency_conflict; the renewed order exists; the
// package, then the period; the customer's owner; order_failed; price_changed; insufficient_credit. After the last check
// nothing may fail; only then are changes made.

import { isTestAccount } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import { cancelPlan } from './cancel-plan.ts';
import { changePackage } from './change-package.ts';
import { refused } from './command-checks.ts';
import { creditAccount } from './credit-account.ts';
import { emitLowBalance } from './emit-low-balance.ts';
import { grantTrial } from './grant-trial.ts';
import { moveTestClock } from './move-test-clock.ts';
import { notePlanEnd } from './note-plan-end.ts';
import type { MoveTestClock, OrderCommand, OrderOutcome } from './order-commands.ts';
import { createWorkingState, type OrderChanges, type OrderState, type WorkingState } from './order-state.ts';
import { placeOrder } from './place-order.ts';
import { receivePayment } from './receive-payment.ts';
import { renewAutomatically } from './renew-automatically.ts';
import { renewCustomer } from './renew-customer.ts';
import { renewOrder } from './renew-order.ts';
import { resumePlan } from './resume-plan.ts';
import { reinstatePayment, reversePayment, writeOffReceivable } from './reverse-payment.ts';
import { setAutoRenew } from './set-auto-renew.ts';
import { setCustomerStatus } from './set-customer-status.ts';
import { settleOrder } from './settle-order.ts';
import { suspendPlan } from './suspend-plan.ts';

export interface Decision {
  readonly outcomes: readonly OrderOutcome[];
  readonly changes: OrderChanges;
}

export function decideOrders(
  state: OrderState,
  commands: readonly OrderCommand[],
  now: EpochSeconds,
): Decision {
  const working = createWorkingState(state);
  const outcomes = commands.map((command) => {
    const before = working.account(command.accountId);
    const testClock = before?.testClock ?? null;
    const at = testClock ?? now;
    working.setTime(at);
    const outcome =
      command.type === 'move_test_clock'
        ? moveClock(working, before, command, now)
        : decide(working, command, at);
    // While a clock moves, each step emits this event itself.
    if (command.type !== 'move_test_clock') emitLowBalance(working, before);
    // The answer shows the test at its clock's time after this command.
    return testClock === null
      ? outcome
      : { ...outcome, testClock: working.account(command.accountId)?.testClock ?? at };
  });
  return { outcomes, changes: working.changes() };
}

function moveClock(
  working: WorkingState,
  account: AccountState | null,
  command: MoveTestClock,
  now: EpochSeconds,
): OrderOutcome {
  // The test was reset meanwhile. A move of its clock must not apply to the next test.
  if (account?.testState !== 'current') return refused('reset_in_progress');
  return moveTestClock(working, account, command, now);
}

function decide(
  working: WorkingState,
  command: Exclude<OrderCommand, MoveTestClock>,
  now: EpochSeconds,
): OrderOutcome {
  const account = working.account(command.accountId);
  if (account === null) {
    return isTestAccount(command.accountId) ? { type: 'access_changed' } : refused('account_not_found');
  }
  // The test was reset meanwhile. If the caller is authenticated again, the command reaches the next test.
  if (account.testState !== null && account.testState !== 'current') return { type: 'access_changed' };
  switch (command.type) {
    case 'place':
      return placeOrder(working, account, command, now);
    case 'renew':
      return renewOrder(working, account, command, now);
    case 'renew_customer':
      return renewCustomer(working, account, command, now);
    case 'change_package':
      return changePackage(working, account, command, now);
    case 'cancel':
      return cancelPlan(working, account, command, now);
    case 'suspend':
      return suspendPlan(working, account, command, now);
    case 'resume':
      return resumePlan(working, account, command, now);
    case 'set_auto_renew':
      return setAutoRenew(working, account, command, now);
    case 'renew_automatically':
      return renewAutomatically(working, account, command, now);
    case 'credit':
      return creditAccount(working, account, command, now);
    case 'receive_payment':
      return receivePayment(working, account, command, now);
    case 'reverse_payment':
      return reversePayment(working, account, command, now);
    case 'reinstate_payment':
      return reinstatePayment(working, account, command, now);
    case 'write_off_receivable':
      return writeOffReceivable(working, account, command, now);
    case 'grant_trial':
      return grantTrial(working, account, command, now);
    case 'set_status':
      return setCustomerStatus(working, account, command, now);
    case 'note_plan_end':
      return notePlanEnd(working, account, command, now);
    case 'settle_order':
      return settleOrder(working, account, command, now);
    default:
      return command satisfies never;
  }
}
