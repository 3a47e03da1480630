// Where orders wait. Each account's orders wait in one lane (by default all share one); a lane has one batch in
// flight, and what arrives meanwhile forms the next one. So an idle service answers a single order at once, and a busy one
// commits hundreds with one fsync. No timers stand in the way. While orders wait, the next batch leaves
// before the answers of the last one do: the database works while they are written.
// Tests have a lane of their own beside them, which rests after each batch while real orders come in.
//
// Always true: an outcome is handed out only after its batch is durable. When the database goes away in
// the middle, nobody is answered until their idempotency keys have shown which orders were committed; after
// `waitMilliseconds` the answer is DatabaseUnavailable, and a retry with the same key is safe.

import {
  type Database,
  DatabaseUnavailable,
  StatementFailed,
  TransactionRolledBack,
} from '../../platform/database/database.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { OrderCommand, OrderOutcome } from './decisions/order-commands.ts';
import { PackagesChanged } from './load-batch.ts';
import { type BatchDependencies, type BatchResult, runBatch } from './order-batch.ts';

export interface OrderEngineLimits {
  /** Batches of an account group that are under way at once: as many as the database carries out side by side. */
  readonly laneCount: number;
  readonly batchOrdersMax: number;
  /** Orders waiting in all lanes; beyond it the answer is Overloaded. */
  readonly queueDepthMax: number;
  /** How long an order waits for a database that is away. */
  readonly waitMilliseconds: number;
  readonly retryMilliseconds: number;
  readonly tests: TestLaneLimits;
}

export interface TestLaneLimits {
  /** Orders of tests that wait; beyond it the answer is Overloaded, and real ones are taken all the same. */
  readonly queueDepthMax: number;
  /** What the clock of a test does at once stands for so many orders. */
  readonly batchOrdersMax: number;
  /** While real orders are under way, or were in the last `busyMilliseconds`, tests rest so many times as long as a batch took. */
  readonly restFactor: number;
  readonly restMillisecondsMax: number;
  readonly busyMilliseconds: number;
}

export interface OrderEngineEvents {
  /** A batch is durable. */
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
  /** Milliseconds that only ever grow. */
  readonly monotonicNow: () => number;
  /** How tests rest; for whoever drives the clock. */
  readonly rest?: (milliseconds: number) => Promise<void>;
}

export interface OrderEngine {
  /**
   * Resolves once the outcome is durable.
   * @throws Overloaded nothing was done
   * @throws DatabaseUnavailable it is not known whether the order stands; the same key is safe to retry
   */
  submit(command: OrderCommand): Promise<OrderOutcome>;
  /** Of real orders. */
  queueDepth(): number;
  batchesInFlight(): number;
  /** Real orders are under way, or were a moment ago: tests have to take little at once. */
  isBusy(): boolean;
  /** Takes nothing more and resolves when everything that was taken is answered. */
  drain(): Promise<void>;
}

interface Waiting {
  readonly command: OrderCommand;
  readonly giveUpAt: number;
  /** An earlier attempt accepted it, and whether that attempt's COMMIT took place is not known. */
  mayStand: boolean;
  resolve(outcome: OrderOutcome): void;
  reject(error: Error): void;
}

/** What is taken, and how much may be: of all real accounts, or of all tests. */
interface Pool {
  depth: number;
  readonly depthMax: number;
}

interface Lane {
  readonly pool: Pool;
  /** As the group of its accounts sees it. */
  readonly database: Database;
  queue: Waiting[];
  /** The batch in flight; empty when the lane is idle. */
  batch: readonly Waiting[];
  busy: boolean;
}

/** Deadlocks and their like: the batch is right, only its moment was wrong. */
const serializationCodes = new Set(['40001', '40P01']);
const freshAttemptsMax = 8;
/** Answers written before the event loop looks whether the database has answered the next batch. */
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
  /** Lane i is of group i modulo their count: where an account's group is, as accounts are counted. */
  const groups = database.accountGroups();
  const lanes = Array.from({ length: limits.laneCount }, () =>
    groups.map((group) => newLane(real, group)),
  ).flat();
  const testLanes = groups.map((group) => newLane(tests, group));
  const allLanes = [...lanes, ...testLanes];
  let lastRealAt = Number.NEGATIVE_INFINITY;
  /** Outcomes that are durable and still have to be handed out. */
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
      // After this turn's sockets were read: what arrived together is decided together.
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
      // Also when nothing more waits: what comes next finds the lane at rest.
      if (lane.pool === tests) await restBeside(monotonicNow() - began);
    }
    lane.busy = false;
    endIfIdle();
  }

  /** A clock that moves is as much work as many orders. */
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

  /** Real orders have the rest of the time, as long as there are any. */
  async function restBeside(tookMilliseconds: number): Promise<void> {
    const { restFactor, restMillisecondsMax } = limits.tests;
    if (isBusy() && !draining) await rest(Math.min(tookMilliseconds * restFactor, restMillisecondsMax));
  }

  const isIdle = () => real.depth === 0 && tests.depth === 0 && unanswered === 0;

  function endIfIdle(): void {
    if (isIdle()) onIdle?.();
  }

  /** Finds an answer for every order of the batch, whatever happens. */
  async function settle(ofGroup: Database, batch: readonly Waiting[]): Promise<void> {
    let remaining = batch;
    let freshAttempts = 0;
    while (remaining.length > 0) {
      try {
        await attempt(ofGroup, remaining);
        return;
      } catch (error) {
        if (error instanceof DatabaseUnavailable) {
          giveUpLate(() => error);
          remaining = remaining.filter(({ giveUpAt }) => giveUpAt > monotonicNow());
          if (remaining.length > 0) await pause(limits.retryMilliseconds);
          continue;
        }
        freshAttempts += 1;
        if (freshAttempts < freshAttemptsMax && (await isWorthAnotherTry(error))) continue;
        events.onBatchBroken(
          error,
          remaining.map(({ command }) => command),
        );
        const [only, ...others] = remaining;
        if (only !== undefined && others.length === 0) {
          only.reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        // One order's data broke the batch: alone it cannot harm the others.
        for (const waiting of remaining) await settle(ofGroup, [waiting]);
        return;
      }
    }
  }

  /** One transaction. Resolves with an outcome for everybody, or leaves in `mayStand` what is not known. */
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

  /** Hands out the outcomes: at once, or while others wait, some in each turn and from the next one on. */
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

  async function isWorthAnotherTry(error: unknown): Promise<boolean> {
    if (error instanceof PackagesChanged) {
      await reloadPackages().catch(() => undefined);
      return true;
    }
    if (error instanceof TransactionRolledBack) return true;
    if (!(error instanceof StatementFailed)) return false;
    return isLostClaim(error) || serializationCodes.has(error.code) || isOutrun(error);
  }

  /** Nobody waits longer than `waitMilliseconds`, wherever the order is: what is under way goes on without them. */
  function giveUpLate(error: () => Error): void {
    const now = monotonicNow();
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
    () => giveUpLate(() => new DatabaseUnavailable('The database did not answer in time.')),
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

/** Another account was faster. Citus may say so as an internal error: the constraint is what counts. */
function isLostClaim({ constraint = '' }: StatementFailed): boolean {
  return ['customer_references_pkey', 'test_customer_references_pkey'].includes(constraint);
}

const keysOfNumbers = new Set([
  'customers_pkey',
  'orders_pkey',
  'ledger_entries_pkey',
  'plan_changes_pkey',
  'events_pkey',
]);

/**
 * A number is given already. While Citus moves a group to another server, a batch may have locked and read an account where
 * the group was, and writes where it is: the keys of what it numbers refuse it there, and afresh it reads the right server.
 */
function isOutrun({ constraint, mayBeOutrun }: StatementFailed): boolean {
  return mayBeOutrun && constraint !== undefined && keysOfNumbers.has(constraint);
}

function isTestBatch([first]: readonly Waiting[]): boolean {
  return first !== undefined && isTestAccount(first.command.accountId);
}

/** Found by its key after a COMMIT that was never answered, an order is not a replay: this is its first answer. */
function firstAnswers(batch: readonly Waiting[], outcomes: readonly OrderOutcome[]): readonly OrderOutcome[] {
  if (outcomes.length !== batch.length) throw new Error('A batch answered with too few outcomes.');
  return outcomes.map((outcome, index) =>
    batch[index]?.mayStand && 'replayed' in outcome ? { ...outcome, replayed: false } : outcome,
  );
}

/** Errors after which nothing was written, for certain. Any other, a bug of ours included, leaves it open. */
function isKnownRollback(error: unknown): boolean {
  return error instanceof StatementFailed || error instanceof TransactionRolledBack;
}

/** After an attempt that had decided: what it decided anew may stand if its end is not known, otherwise it does not. */
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
