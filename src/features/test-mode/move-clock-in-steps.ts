// A request to move a test's clock: commands of the engine, one after another, until the clock is where it was sent to or
// the request's time is used up. Called by test-routes.ts.
// Always true: what the engine has answered is durable. A process that dies in the middle leaves a clock that stands where
// it came to; the same key goes on from there, in any process.

import { randomBase62 } from '../../platform/secrets/random-text.ts';
import type { ClockTarget, OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';

export interface TestClockLimits {
  /** What happens by itself in one transaction, and while real orders come in. */
  readonly stepsAtOnce: number;
  readonly stepsBesideOrders: number;
  /** Of one request. */
  readonly workMilliseconds: number;
  /** How long a move that nothing more is heard of keeps others waiting. */
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

/**
 * The last outcome: of the type clock_moved, or a refusal.
 * @throws Overloaded, DatabaseUnavailable the same key is safe to send again
 */
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
    // To a repeated request that had to go on, it is no replay.
    if (outcome.isReached || outcome.isFull) return hasBegun ? { ...outcome, replayed: false } : outcome;
    // Lets others move it from here.
    if (monotonicNow() >= until) return next(0);
  }
}
