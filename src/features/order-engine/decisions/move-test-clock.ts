// Moves a test's clock and runs everything due on the way (renewals, notices, ends), each at its second.
// move-clock-in-steps.ts repeats the command until the target.
// Invariant: steps run in order of time, then customer number; for one customer, renewal before notices before end. The
// clock stays at the second that it reached, so a repetition, even after a crash, continues there and repeats nothing.

import { fieldRefusal } from '../../../shared/error-catalog.ts';
import { addDuration, addMonths, type EpochSeconds } from '../../../shared/times.ts';
import type { AccountState } from '../../identity/account-table.ts';
import type { DueSteps, StepPlace, TestMove } from '../records/test-move-table.ts';
import { refused, refusedAsFull } from './command-checks.ts';
import type { CustomerState } from './customer-state.ts';
import { emitLowBalance } from './emit-low-balance.ts';
import { fingerprintOf } from './fingerprint.ts';
import { notePlanEnd } from './note-plan-end.ts';
import type { ClockEvents, ClockTarget, MoveTestClock, OrderOutcome } from './order-commands.ts';
import type { WorkingState } from './order-state.ts';
import { renewAutomatically } from './renew-automatically.ts';

const daySeconds = 86_400;
const monthsMax = 120;
const clockMax = Date.UTC(2200, 0, 1) / 1000;

/** Days before the end at which notices are sent; 0 is the end itself. Alert settings add more. */
const noticeDays = [7, 1, 0];

/** `now` is the real time. It decides whether another move is still running. */
export function moveTestClock(
  working: WorkingState,
  account: AccountState,
  command: MoveTestClock,
  now: EpochSeconds,
): OrderOutcome {
  const due = working.dueSteps(account.id);
  if (account.testClock === null || due === null) throw new Error(`Account ${account.id} has no clock.`);
  const { idempotencyKey, to, stepsMax } = command;
  const fingerprint = fingerprintOf(
    'clock',
    to.type,
    ...(to.type === 'time' ? [to.at] : [to.duration.months, to.duration.seconds]),
  );
  const earlier = due.moves.find((move) => move.idempotencyKey === idempotencyKey) ?? null;
  if (earlier !== null && earlier.fingerprint !== fingerprint) return refused('idempotency_conflict');
  if (earlier?.isDone === true) return answer(earlier, earlier.target, true, false);
  const isHeld = due.moves.some((move) => move !== earlier && !move.isDone && (move.heldUntil ?? 0) > now);
  if (isHeld) return refused('clock_moving');
  const target = earlier?.target ?? targetOf(to, account.testClock);
  if (typeof target !== 'number') return target;
  const full = refusedAsFull(working, account);
  if (full !== null) return full;

  const before: TestMove = earlier ?? {
    accountId: account.id,
    idempotencyKey,
    fingerprint,
    target,
    renewals: 0,
    renewalsFailed: 0,
    ended: 0,
    warnings: 0,
    isDone: false,
    heldUntil: null,
  };
  const { testClock } = account;
  // Another move may have moved the clock further. Even at the target's own second, steps may be left to run.
  const isThere = target < testClock || (earlier === null && target === testClock);
  const { clock, happened, isDone, isFull } = isThere
    ? { clock: testClock, happened: nothing, isDone: true, isFull: false }
    : takeSteps(working, account, { ...due, target }, command);
  const move: TestMove = {
    ...before,
    target: isDone ? clock : target,
    renewals: before.renewals + happened.renewals,
    renewalsFailed: before.renewalsFailed + happened.renewalsFailed,
    ended: before.ended + happened.ended,
    warnings: before.warnings + happened.warnings,
    isDone,
    heldUntil: isDone || isFull || stepsMax === 0 ? null : now + command.holdSeconds,
  };
  working.setTestClock(account.id, clock);
  working.putTestMove(move, command.keyIsMinted);
  return answer(move, clock, false, isFull);
}

function answer(move: TestMove, clock: EpochSeconds, replayed: boolean, isFull: boolean): OrderOutcome {
  const { renewals, renewalsFailed, ended, warnings, isDone } = move;
  const happened = { renewals, renewalsFailed, ended, warnings };
  return { type: 'clock_moved', clock, happened, isReached: isDone, isFull, replayed };
}

function targetOf(to: ClockTarget, clock: EpochSeconds): EpochSeconds | OrderOutcome {
  const field = to.type === 'time' ? 'now' : 'advance';
  const bad = (reason: string): OrderOutcome => ({
    type: 'refused',
    refusal: fieldRefusal('validation_failed', field, reason),
  });
  const target = to.type === 'time' ? to.at : addDuration(clock, to.duration);
  if (target < clock) return bad('the clock moves forward only');
  // The comparison is false for NaN too, which comes from dates beyond the calendar's range.
  if (!(target <= addMonths(clock, monthsMax))) return bad('at most ten years in one request');
  return target < clockMax ? target : bad('the clock ends with the year 2199');
}

interface Step extends StepPlace {
  readonly customer: CustomerState;
  readonly days: number | null;
}

const nothing: ClockEvents = { renewals: 0, renewalsFailed: 0, ended: 0, warnings: 0 };

/** Runs at most `stepsMax` steps. `isDone` is true if nothing is left to run up to and including the target's second. */
function takeSteps(
  working: WorkingState,
  { id, testClock }: AccountState,
  { horizon, target, alertDays, isBlocked }: DueSteps & { readonly target: EpochSeconds },
  { stepsMax, orderKeys }: MoveTestClock,
) {
  const happened = { ...nothing };
  const start = testClock ?? target;
  if (stepsMax === 0) return { clock: start, happened, isDone: false, isFull: false };
  const isListening = working.account(id)?.eventCount !== null;
  const asked = alertDays === null ? [] : [alertDays];
  const days = isListening ? [...new Set([...noticeDays, ...asked])].sort((a, b) => b - a) : [0];
  const isWithin = (step: StepPlace) =>
    step.at <= target && (horizon === null || compare(step, horizon) <= 0);

  const waiting = createStepQueue();
  const wait = (customer: CustomerState, clock: EpochSeconds) => {
    const step = nextStep(customer, days, clock);
    if (step !== null && isWithin(step)) waiting.add(step);
  };
  for (const customer of working.customersOf(id)) wait(customer, start);

  let clock = start;
  let hasChanged = false;
  for (let taken = 0; taken < stepsMax; taken += 1) {
    // Check between two steps, because a step is never split.
    if (working.fullTestBudget(id) !== null) return { clock, happened, isDone: false, isFull: true };
    const step = waiting.take();
    if (step === null) {
      const isDone = horizon === null || horizon.at > target;
      return { clock: isDone ? target : Math.max(clock, horizon.at), happened, isDone, isFull: false };
    }
    clock = step.at;
    working.setTestClock(id, clock);
    const account = working.account(id);
    if (account === null) throw new Error(`Account ${id} was not loaded.`);
    const outcome = take(working, account, step, { isBlocked, orderKeys });
    emitLowBalance(working, account);
    if (step.days === null) {
      if (outcome.type === 'ordered') happened.renewals += 1;
      else happened.renewalsFailed += 1;
    } else if (outcome.type === 'end_noted') happened[step.days === 0 ? 'ended' : 'warnings'] += 1;
    const after = working.customerByNumber(id, step.number);
    // A step without any effect would stay due forever, so forget it.
    if (after === null || after === step.customer) continue;
    hasChanged = true;
    wait(after, clock);
  }
  const isDone = clock >= target && !hasChanged;
  return { clock, happened, isDone, isFull: !isDone && working.fullTestBudget(id) !== null };
}

function take(
  working: WorkingState,
  account: AccountState,
  { customer, number: customerNumber, at, days }: Step,
  { isBlocked, orderKeys }: { readonly isBlocked: boolean; readonly orderKeys: string },
): OrderOutcome {
  const { id: accountId, accessVersion } = account;
  if (days !== null) {
    const { expiresAt } = customer.plan;
    return notePlanEnd(
      working,
      account,
      { type: 'note_plan_end', accountId, customerNumber, expiresAt, days },
      at,
    );
  }
  const dueAt = customer.life.renewAt ?? at;
  return renewAutomatically(
    working,
    account,
    {
      type: 'renew_automatically',
      accountId,
      accessVersion,
      customerNumber,
      dueAt,
      isBlocked,
      idempotencyKey: `${orderKeys}_${customerNumber}_${dueAt}`,
      keyIsMinted: true,
    },
    at,
  );
}

/** Finds the next step at `clock` or later. Returns null if there is none. */
function nextStep(customer: CustomerState, days: readonly number[], clock: EpochSeconds): Step | null {
  const { number, plan, life } = customer;
  const { expiresAt } = plan;
  let next: Step | null = null;
  const offer = (at: EpochSeconds, of: number | null) => {
    if (next === null || at < next.at) next = { customer, number, at, days: of };
  };
  const { autoRenew, renewAt, endsAtPeriodEnd, cancelled, endNoticeDays } = life;
  // If auto-renewal was set up after its due time, it is due now.
  if (autoRenew !== null && renewAt !== null && !endsAtPeriodEnd) offer(Math.max(renewAt, clock), null);
  if (cancelled || expiresAt <= plan.anchorAt) return next;
  for (const before of days) {
    const at = expiresAt - before * daySeconds;
    if (at >= clock && (endNoticeDays === null || endNoticeDays > before)) offer(at, before);
  }
  return next;
}

function compare(one: StepPlace, other: StepPlace): number {
  return one.at - other.at || one.number - other.number;
}

/** Holds at most one step per customer. */
function createStepQueue() {
  const heap: Step[] = [];
  const isBefore = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]];
    return a !== undefined && b !== undefined && compare(a, b) < 0;
  };
  const swap = (one: number, other: number) => {
    const [a, b] = [heap[one], heap[other]];
    if (a !== undefined && b !== undefined) [heap[one], heap[other]] = [b, a];
  };
  return {
    add(step: Step): void {
      heap.push(step);
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    take(): Step | null {
      const [first] = heap;
      if (first === undefined) return null;
      swap(0, heap.length - 1);
      heap.pop();
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        let least = at;
        if (isBefore(left, least)) least = left;
        if (isBefore(right, least)) least = right;
        if (least === at) return first;
        swap(at, least);
        at = least;
      }
    },
  };
}
