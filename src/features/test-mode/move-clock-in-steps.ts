// Moves a test's clock by a series of engine commands, until the target or the request's time limit.
// Invariant: each answer is durable. If the process dies, the same key continues where the clock stopped.

import { randomBase62 } from '../../platform/secrets/random-text.ts';
import type { ClockTarget, OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';

export interface TestClockLimits {
  /** How many steps of due work a transaction does: normally, and while real orders come in. */
  readonly stepsAtOnce: number;
  readonly stepsBesideOrders: number;
  readonly workMilliseconds: number;
  /** For this long, an abandoned move blocks other moves. */
  readonly holdSeconds: number;
}

export interface TestMoveDependencies {
  readonly engine: Pick<OrderEngine, 'submit' | 'isBusy'>;
  readonly monotonicNow: () => number;
  readonly limits: TestClockLimits;
}

export interface WantedMove {
  readonly accountId: number;
  readonly to: ClockTarget;
  readonly idempotencyKey: string;
  readonly keyIsMinted: boolean;
}

/** Returns clock_moved or a refusal. @throws Overloaded, DatabaseUnavailable: repeat with the same key */
export async function moveClock(
  { engine, monotonicNow, limits }: TestMoveDependencies,
  wanted: WantedMove,
): Promise<OrderOutcome> {
  const until = monotonicNow() + limits.workMilliseconds;
  const { stepsAtOnce, stepsBesideOrders, holdSeconds } = limits;
  const command = { type: 'move_test_clock', ...wanted, holdSeconds } as const;
  const next = (stepsMax: number) =>
    engine.submit({ ...command, stepsMax, orderKeys: `auto_${randomBase62(16)}` });
  for (let hasBegun = false; ; hasBegun = true) {
    const outcome = await next(engine.isBusy() ? stepsBesideOrders : stepsAtOnce);
    if (outcome.type !== 'clock_moved') return outcome;
    // If a repeated request did more work, it is not a replay.
    if (outcome.isReached || outcome.isFull) return hasBegun ? { ...outcome, replayed: false } : outcome;
    if (monotonicNow() >= until) return next(0);
  }
}
