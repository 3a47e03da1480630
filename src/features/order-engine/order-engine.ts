// Queues orders in lanes (by default one for all accounts). A lane runs one batch at a time, and orders that arrive meanwhile
// form the next one. So an idle service answers at once and a busy one commits hundreds per fsync, without timers. The next
// batch starts before the answers of the last one are sent. Tests have their own lane, which rests after each batch while
// real orders run.
// Invariant: an outcome is answered only when its batch is durable. If the database fails meanwhile, the idempotency keys
// must first show which orders were committed. After `waitMilliseconds` the answer is DatabaseUnavailable, and a retry with
// the same key is safe.

import {
  type Database,
  DatabaseUnavailable,
  StatementFailed,
  TransactionRolledBack,
} from '../../platform/database/database.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import { isLostClaim } from './customer-claims.ts';
import type { OrderCommand, OrderOutcome } from './decisions/order-commands.ts';
import { PackagesChanged } from './load-batch.ts';
import { type BatchDependencies, type BatchResult, runBatch } from './order-batch.ts';

export interface OrderEngineLimits {
  /** Concurrent batches per shard: as many as the database runs in parallel. */
  readonly laneCount: number;
  readonly batchOrdersMax: number;
  /** The limit over all lanes. With more orders, Overloaded is thrown. */
  readonly queueDepthMax: number;
  /** How long an order waits for a database that is away. */
  readonly waitMilliseconds: number;
  readonly retryMilliseconds: number;
  readonly tests: TestLaneLimits;
}

export interface TestLaneLimits {
  /** With more commands than this, tests get Overloaded, while real orders are still accepted. */
  readonly queueDepthMax: number;
  /** A clock move counts as its number of steps. */
  readonly batchOrdersMax: number;
  /** During real orders and for `busyMilliseconds` after them, tests rest this many times as long as a batch took. */
  readonly restFactor: number;
  readonly restMillisecondsMax: number;
  readonly busyMilliseconds: number;
}

export interface OrderEngineEvents {
  onBatch(
    commands: readonly OrderCommand[],
    outcomes: readonly OrderOutcome[],
    written: Pick<BatchResult, 'accountsWithEvents' | 'productCalls'>,
  ): void;
  onBatchBroken(error: unknown, commands: readonly OrderCommand[]): void;
}

export interface OrderEngineDependencies extends BatchDependencies {
  readonly reloadPackages: () => Promise<unknown>;
  readonly limits: OrderEngineLimits;
  readonly events: OrderEngineEvents;
  readonly monotonicNow: () => number;
  readonly rest?: (milliseconds: number) => Promise<void>;
}

export interface OrderEngine {
  /**
   * Resolves once the outcome is durable.
   * @throws Overloaded: nothing was done
   * @throws DatabaseUnavailable: the outcome is unknown; retry with the same key
   */
  submit(command: OrderCommand): Promise<OrderOutcome>;
  queueDepth(): number;
  batchesInFlight(): number;
  /** True while real orders run or ran recently. Tests must then do little at once. */
  isBusy(): boolean;
  /** Refuses new orders. Resolves when all accepted ones are answered. */
  drain(): Promise<void>;
}

interface Waiting {
  readonly command: OrderCommand;
  readonly giveUpAt: number;
  /** An earlier attempt accepted the order, but it is unknown whether its COMMIT succeeded. */
  mayStand: boolean;
  resolve(outcome: OrderOutcome): void;
  reject(error: Error): void;
}

interface Pool {
  depth: number;
  readonly depthMax: number;
}

interface Lane {
  readonly pool: Pool;
  readonly database: Database;
  queue: Waiting[];
  batch: readonly Waiting[];
  busy: boolean;
}

/** Codes of conflicts that go away, such as deadlocks. The batch is tried again. */
const serializationCodes = new Set(['40001', '40P01']);
const freshAttemptsMax = 8;
const answersPerTurn = 32;

export function createOrderEngine(dependencies: OrderEngineDependencies): OrderEngine {
  const { database, limits, events, monotonicNow, reloadPackages, rest = pause } = dependencies;
  const real: Pool = { depth: 0, depthMax: limits.queueDepthMax };
  const tests: Pool = { depth: 0, depthMax: limits.tests.queueDepthMax };
  const newLane = (pool: Pool, ofGroup: Database): Lane => ({
    pool,
    database: ofGroup,
    queue: [],
    batch: [],
    busy: false,
  });
  /** Lane i serves the shard i modulo the number of shards, like accounts. */
  const groups = database.accountGroups();
  const lanes = Array.from({ length: limits.laneCount }, () =>
    groups.map((group) => newLane(real, group)),
  ).flat();
  const testLanes = groups.map((group) => newLane(tests, group));
  const allLanes = [...lanes, ...testLanes];
  let lastRealAt = Number.NEGATIVE_INFINITY;
  let unanswered = 0;
  let draining = false;
  let onIdle: (() => void) | null = null;

  function submit(command: OrderCommand): Promise<OrderOutcome> {
    if (draining) return Promise.reject(new Overloaded('The service is shutting down.'));
    const isTest = isTestAccount(command.accountId);
    const candidates = isTest ? testLanes : lanes;
    const lane = candidates[command.accountId % candidates.length];
    if (lane === undefined) throw new Error('An engine needs at least one lane.');
    const { pool } = lane;
    if (pool.depth >= pool.depthMax) return Promise.reject(new Overloaded('Too many orders are waiting.'));
    database.poll();
    pool.depth += 1;
    if (!isTest) lastRealAt = monotonicNow();
    return new Promise((resolve, reject) => {
      const giveUpAt = monotonicNow() + limits.waitMilliseconds;
      lane.queue.push({ command, giveUpAt, mayStand: false, resolve, reject });
      if (lane.busy) return;
      lane.busy = true;
      // Wait until this turn's sockets are read, so that orders which arrive together share a batch.
      setImmediate(() => void runLane(lane));
    });
  }

  async function runLane(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      lane.batch = lane.queue.splice(
        0,
        lane.pool === tests ? testsAtOnce(lane.queue) : limits.batchOrdersMax,
      );
      const began = monotonicNow();
      await settle(lane.database, lane.batch);
      lane.pool.depth -= lane.batch.length;
      lane.batch = [];
      // Rest even if the queue is empty, so that the next order does not have to wait for the rest.
      if (lane.pool === tests) await restBeside(monotonicNow() - began);
    }
    lane.busy = false;
    endIfIdle();
  }

  /** A clock move is as much work as many orders. */
  function testsAtOnce(queue: readonly Waiting[]): number {
    let [count, work] = [0, 0];
    for (const { command } of queue) {
      work += command.type === 'move_test_clock' ? Math.max(1, command.stepsMax) : 1;
      if (count > 0 && work > limits.tests.batchOrdersMax) break;
      count += 1;
    }
    return count;
  }

  const isBusy = () => real.depth > 0 || monotonicNow() - lastRealAt < limits.tests.busyMilliseconds;

  /** Rests after a batch of tests while real orders run or ran recently. */
  async function restBeside(tookMilliseconds: number): Promise<void> {
    const { restFactor, restMillisecondsMax } = limits.tests;
    if (isBusy() && !draining) await rest(Math.min(tookMilliseconds * restFactor, restMillisecondsMax));
  }

  const isIdle = () => real.depth === 0 && tests.depth === 0 && unanswered === 0;

  function endIfIdle(): void {
    if (isIdle()) onIdle?.();
  }

  /** Makes sure that every order of the batch gets an answer, no matter what happens. */
  async function settle(ofGroup: Database, batch: readonly Waiting[]): Promise<void> {
    let remaining = batch;
    let freshAttempts = 0;
    while (remaining.length > 0) {
      try {
        await attempt(ofGroup, remaining);
        return;
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          remaining = inTime(remaining, error);
          if (remaining.length > 0) await pause(limits.retryMilliseconds);
          continue;
        }
        if (error instanceof PackagesChanged) {
          await reloadPackages().catch(() => pause(limits.retryMilliseconds));
          // The next attempt can find another change, so time is the only limit.
          remaining = inTime(remaining, new DatabaseUnavailable('The packages kept changing.'));
          continue;
        }
        freshAttempts += 1;
        if (freshAttempts < freshAttemptsMax && isWorthAnotherTry(error)) continue;
        events.onBatchBroken(
          error,
          remaining.map(({ command }) => command),
        );
        const [only, ...others] = remaining;
        if (only !== undefined && others.length === 0) {
          only.reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        // The data of one order broke the batch, so run each order alone.
        for (const waiting of remaining) await settle(ofGroup, [waiting]);
        return;
      }
    }
  }

  /** Runs one transaction. Resolves with all outcomes, or marks orders that may stand with `mayStand`. */
  async function attempt(ofGroup: Database, batch: readonly Waiting[]): Promise<void> {
    const commands = batch.map(({ command, mayStand }) => (mayStand ? { ...command, mayStand } : command));
    let decided: readonly OrderOutcome[] | null = null;
    const onDecided = (outcomes: readonly OrderOutcome[]) => {
      decided = outcomes;
    };
    try {
      const done = await runBatch({ ...dependencies, database: ofGroup, onDecided }, commands);
      const outcomes = firstAnswers(batch, done.outcomes);
      events.onBatch(commands, outcomes, done);
      answer(batch, outcomes, isTestBatch(batch) ? tests : real);
    } catch (error) {
      if (decided !== null) rememberDoubt(batch, decided, !isKnownRollback(error));
      throw error;
    }
  }

  /** Answers at once. If other orders wait, it answers some per turn, from the next turn on. */
  function answer(batch: readonly Waiting[], outcomes: readonly OrderOutcome[], { depth }: Pool): void {
    let answered = 0;
    unanswered += batch.length;
    const resolveSome = (count: number) => {
      for (const [index, outcome] of outcomes.slice(answered, answered + count).entries()) {
        batch[answered + index]?.resolve(outcome);
      }
      answered += count;
      if (answered < batch.length) {
        setImmediate(resolveSome, count);
        return;
      }
      unanswered -= batch.length;
      endIfIdle();
    };
    if (depth > batch.length) setImmediate(resolveSome, answersPerTurn);
    else resolveSome(batch.length);
  }

  function isWorthAnotherTry(error: unknown): boolean {
    if (error instanceof TransactionRolledBack) return true;
    if (!(error instanceof StatementFailed)) return false;
    return isLostClaim(error) || serializationCodes.has(error.code) || isOutrun(error);
  }

  /** Answers what is late with this error, and returns the rest of the batch. */
  function inTime(batch: readonly Waiting[], error: Error): readonly Waiting[] {
    const now = monotonicNow();
    giveUpLate(() => error, now);
    return batch.filter(({ giveUpAt }) => giveUpAt > now);
  }

  /** Answers all orders that waited longer than `waitMilliseconds`. Work that is running continues. */
  function giveUpLate(error: () => Error, now: number): void {
    for (const lane of allLanes) {
      for (const { giveUpAt, reject } of lane.batch) if (giveUpAt <= now) reject(error());
      const late = lane.queue.filter(({ giveUpAt }) => giveUpAt <= now);
      if (late.length === 0) continue;
      lane.queue = lane.queue.filter(({ giveUpAt }) => giveUpAt > now);
      lane.pool.depth -= late.length;
      for (const { reject } of late) reject(error());
    }
  }

  const sweeping = setInterval(
    () => giveUpLate(() => new DatabaseUnavailable('The database did not answer in time.'), monotonicNow()),
    limits.retryMilliseconds,
  );
  sweeping.unref();

  return {
    submit,
    queueDepth: () => real.depth,
    isBusy,
    batchesInFlight: () => lanes.filter(({ busy }) => busy).length,
    drain() {
      draining = true;
      const idle = isIdle() ? Promise.resolve() : new Promise<void>((resolve) => (onIdle = resolve));
      return idle.finally(() => clearInterval(sweeping));
    },
  };
}

const keysOfNumbers = new Set([
  'customers_pkey',
  'orders_pkey',
  'ledger_entries_pkey',
  'plan_changes_pkey',
  'events_pkey',
  'payments_pkey',
  'payments_ref',
  'reversals_pkey',
  'reversals_cause',
  'payment_entries_pkey',
  'write_offs_pkey',
]);

/** While Citus moves a shard, a batch may read at the old place and write at the new one, where its numbers exist. */
function isOutrun({ constraint, mayBeOutrun }: StatementFailed): boolean {
  return mayBeOutrun && constraint !== undefined && keysOfNumbers.has(constraint);
}

function isTestBatch([first]: readonly Waiting[]): boolean {
  return first !== undefined && isTestAccount(first.command.accountId);
}

/** Reports an order found by its key after an unanswered COMMIT as new, because this is its first answer. */
function firstAnswers(batch: readonly Waiting[], outcomes: readonly OrderOutcome[]): readonly OrderOutcome[] {
  if (outcomes.length !== batch.length) throw new Error('A batch answered with too few outcomes.');
  return outcomes.map((outcome, index) =>
    batch[index]?.mayStand && 'replayed' in outcome ? { ...outcome, replayed: false } : outcome,
  );
}

/** Only these errors guarantee a rollback. After any other error, even a bug of ours, the outcome is unknown. */
function isKnownRollback(error: unknown): boolean {
  return error instanceof StatementFailed || error instanceof TransactionRolledBack;
}

/** Notes for each decided order whether it may stand: true if it is unknown how the attempt ended. */
function rememberDoubt(
  batch: readonly Waiting[],
  decided: readonly OrderOutcome[],
  isUnknown: boolean,
): void {
  for (const [index, waiting] of batch.entries()) {
    const outcome = decided[index];
    if (outcome !== undefined && 'replayed' in outcome && !outcome.replayed) waiting.mayStand = isUnknown;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
