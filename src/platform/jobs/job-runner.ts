// Runs background jobs. A lease in the database makes each kind run in one process at a time; if that process dies, another
// takes over within seconds. Routes and commands run their own work with `exclusively`.
// Invariant: a run ends at its time limit, on a lost lease, on cancel and on close. A run that throws is recorded and
// retried.

import { setTimeout as pause } from 'node:timers/promises';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Database, DatabaseUnavailable, StatementFailed } from '../database/database.ts';
import { createJobLeases, type JobState } from './job-leases.ts';

export interface JobLimits {
  readonly leaseSeconds: number;
  readonly renewMilliseconds: number;
  /** The time between two polls if nothing is due earlier. */
  readonly pollMilliseconds: number;
  readonly pollMillisecondsMin: number;
  readonly retrySecondsMin: number;
  readonly retrySecondsMax: number;
  /** The shortest pause before the next run if work is left. It is longer after a longer run. */
  readonly pauseSecondsMin: number;
  /** How long a stopped run may take to end. */
  readonly stopMilliseconds: number;
  readonly runsAtOnceMax: number;
}

export type StopReason = 'time_limit' | 'lease_lost' | 'cancelled' | 'closing';

export interface JobContext {
  /** Aborted when the run must stop. Check it between two pieces of work. */
  readonly signal: AbortSignal;
  readonly leaseNumber: number;
}

export interface RequestedJob {
  readonly kind: string;
  readonly runSecondsMax: number;
}

export interface ScheduledJob extends RequestedJob {
  readonly everySeconds: number;
  /** Must work in pieces, as the next run continues with the backlog. Work of a process that died may be done twice. */
  run(context: JobContext): Promise<JobResult>;
}

export interface JobResult {
  /** 0 if nothing is left; otherwise the amount left, or 1 if it is not known. */
  readonly backlog: number;
}

export type ExclusiveOutcome<Result> =
  | { readonly type: 'done'; readonly result: Result }
  | {
      readonly type: 'already_running';
      readonly startedAt: EpochSeconds | null;
      readonly runningOn: string | null;
    }
  | { readonly type: 'stopped'; readonly reason: StopReason };

export interface JobsDependencies {
  readonly database: Database;
  /** null: use the database's clock, which all processes share. Tests pass their own. */
  readonly now: (() => EpochSeconds) | null;
  readonly monotonicNow: () => number;
  readonly processName: string;
  readonly limits: JobLimits;
  readonly scheduled: readonly ScheduledJob[];
  readonly requested: readonly RequestedJob[];
  /** A run failed, or (kind null) the database could not be polled. */
  readonly onProblem: (error: unknown, kind: string | null) => void;
}

export interface Jobs {
  start(): void;
  /** One poll: renews leases, stops and starts runs. Called by the timer and by tests. */
  look(): Promise<void>;
  idle(): Promise<void>;
  /**
   * Unless its kind already runs in any process. Rethrows errors. An AbortError counts as a cancel. @throws
   * DatabaseUnavailable
   */
  exclusively<Result>(
    kind: string,
    work: (context: JobContext) => Promise<Result>,
  ): Promise<ExclusiveOutcome<Result>>;
  /** Makes scheduled work due, and polls soon. */
  hasten(kind: string): Promise<void>;
  /** In any process, within `renewMilliseconds`. @returns false if it is not running */
  cancel(kind: string): Promise<boolean>;
  list(): Promise<JobState[]>;
  known(): readonly JobState[];
  /** Stops all runs and releases their leases, so that another process can continue at once. */
  close(): Promise<void>;
}

/** An error whose message is safe to show. Others may contain secrets: only their name is kept. */
export class JobProblem extends Error {
  override readonly name = 'JobProblem';
}

interface Run {
  readonly job: RequestedJob;
  readonly leaseNumber: number;
  readonly controller: AbortController;
  readonly startedAt: number;
  renewedAt: number;
  stopped: { readonly reason: StopReason; readonly at: number } | null;
  isGivenUp: boolean;
}

export function createJobs(dependencies: JobsDependencies): Jobs {
  const { monotonicNow, limits, scheduled, requested, onProblem } = dependencies;
  const aheadSecondsMax = Math.max(
    limits.retrySecondsMax,
    ...scheduled.map(({ everySeconds }) => everySeconds),
  );
  const leases = createJobLeases({ ...dependencies, ...limits, aheadSecondsMax });
  const all = new Map<string, RequestedJob>([...scheduled, ...requested].map((job) => [job.kind, job]));
  const schedules = new Map(scheduled.map((job) => [job.kind, job]));
  const kinds = [...all.keys()];
  const runs = new Map<string, Run>();
  const ends = new Set<Promise<void>>();
  let known: readonly JobState[] = [];
  let timer: NodeJS.Timeout | undefined;
  let wakeAt = 0;
  let isStarted = false;
  let isClosing = false;
  let isAway = false;
  let looking: Promise<void> | null = null;
  let dueInMilliseconds = 0;

  function look(): Promise<void> {
    // Concurrent callers share one poll.
    looking ??= lookOnce().finally(() => {
      looking = null;
    });
    return looking;
  }

  async function lookOnce(): Promise<void> {
    await Promise.all([...runs.values()].map(watch));
    try {
      const seen = await leases.list(kinds);
      known = seen;
      dueInMilliseconds = Number.POSITIVE_INFINITY;
      for (const { kind, dueInSeconds } of seen) {
        const job = schedules.get(kind);
        if (job === undefined || runs.has(kind)) continue;
        if (dueInSeconds > 0) dueInMilliseconds = Math.min(dueInMilliseconds, dueInSeconds * 1000);
        else if (!isClosing && runningHere() < limits.runsAtOnceMax) await runDue(job);
      }
      isAway = false;
    } catch (error) {
      dueInMilliseconds = Number.POSITIVE_INFINITY;
      // Reported once per outage, because every poll fails until it is over.
      if (!isAway) onProblem(error, null);
      isAway = true;
    }
  }

  function runningHere(): number {
    return [...runs.values()].filter(({ isGivenUp }) => !isGivenUp).length;
  }

  async function runDue(job: ScheduledJob): Promise<void> {
    const asked = monotonicNow();
    const leaseNumber = await leases.takeDue(job.kind);
    if (leaseNumber === null) {
      // Another process took the job. If it dies, its lease ends at this time.
      dueInMilliseconds = Math.min(dueInMilliseconds, limits.leaseSeconds * 1000);
      return;
    }
    const run = begin(job, leaseNumber, asked);
    const end = endOfDue(job, run).finally(() => ends.delete(end));
    ends.add(end);
  }

  async function endOfDue(job: ScheduledJob, run: Run): Promise<void> {
    try {
      const { backlog } = await job.run(contextOf(run));
      if (run.stopped?.reason === 'cancelled') throw run.controller.signal.reason;
      await record(run, () =>
        leases.finish(job.kind, run.leaseNumber, backlog, nextInSeconds(job, run, backlog)),
      );
    } catch (error) {
      await recordFailure(run, error);
    } finally {
      runs.delete(job.kind);
      wakeIn(limits.pollMillisecondsMin);
    }
  }

  async function exclusively<Result>(
    kind: string,
    work: (context: JobContext) => Promise<Result>,
  ): Promise<ExclusiveOutcome<Result>> {
    const job = all.get(kind);
    if (job === undefined) throw new Error(`No kind of work is called ${kind}.`);
    if (isClosing) return { type: 'stopped', reason: 'closing' };
    const asked = monotonicNow();
    const leaseNumber = runs.has(kind) ? null : await leases.takeNow(kind);
    if (leaseNumber === null) {
      const [state] = await leases.list([kind]);
      return {
        type: 'already_running',
        startedAt: state?.startedAt ?? null,
        runningOn: state?.runningOn ?? null,
      };
    }
    const run = begin(job, leaseNumber, asked);
    const outcome = endOfRequested(run, work);
    const end = outcome.then(
      () => undefined,
      () => undefined,
    );
    ends.add(end);
    end.finally(() => ends.delete(end));
    return outcome;
  }

  async function endOfRequested<Result>(
    run: Run,
    work: (context: JobContext) => Promise<Result>,
  ): Promise<ExclusiveOutcome<Result>> {
    const { kind } = run.job;
    try {
      const result = await work(contextOf(run));
      if (run.stopped !== null) {
        await recordFailure(run, null);
        return { type: 'stopped', reason: run.stopped.reason };
      }
      const every = schedules.get(kind)?.everySeconds ?? null;
      await record(run, () => leases.finish(kind, run.leaseNumber, 0, every));
      return { type: 'done', result };
    } catch (error) {
      await recordFailure(run, error);
      if (run.stopped !== null) return { type: 'stopped', reason: run.stopped.reason };
      throw error;
    } finally {
      runs.delete(kind);
      wakeIn(limits.pollMillisecondsMin);
    }
  }

  function begin(job: RequestedJob, leaseNumber: number, asked: number): Run {
    const run: Run = {
      job,
      leaseNumber,
      controller: new AbortController(),
      startedAt: monotonicNow(),
      // The server starts the lease after `asked`, so this process never overestimates how long it holds the lease.
      renewedAt: asked,
      stopped: null,
      isGivenUp: false,
    };
    runs.set(job.kind, run);
    wakeIn(limits.renewMilliseconds);
    if (isClosing) stop(run, 'closing');
    return run;
  }

  function contextOf({ controller, leaseNumber }: Run): JobContext {
    return { signal: controller.signal, leaseNumber };
  }

  function stop(run: Run, reason: StopReason): void {
    if (run.stopped !== null) return;
    run.stopped = { reason, at: monotonicNow() };
    run.controller.abort(new JobProblem(stopMessages[reason]));
  }

  async function watch(run: Run): Promise<void> {
    if (run.isGivenUp || run.stopped?.reason === 'lease_lost') return;
    const { kind, runSecondsMax } = run.job;
    const asked = monotonicNow();
    if (asked - run.startedAt >= runSecondsMax * 1000) stop(run, 'time_limit');
    if (run.stopped !== null && asked - run.stopped.at >= limits.stopMilliseconds) return giveUp(run);
    try {
      const renewed = await leases.renew(kind, run.leaseNumber);
      if (renewed !== 'lost') run.renewedAt = asked;
      // If the run has ended meanwhile, its lease ended with it and was not lost.
      if (renewed === 'lost' && runs.get(kind) === run) stop(run, 'lease_lost');
      if (renewed === 'stop_asked') stop(run, 'cancelled');
    } catch {
      // Another process may have the lease by now, and this process cannot find out.
      if (monotonicNow() - run.renewedAt >= limits.leaseSeconds * 1000) stop(run, 'lease_lost');
    }
  }

  /** Lets other processes run the kind again. This process runs it again only when the run has ended. */
  async function giveUp(run: Run): Promise<void> {
    await recordFailure(run, new JobProblem('It did not stop when asked.'));
    run.isGivenUp = true;
  }

  async function recordFailure(run: Run, error: unknown): Promise<void> {
    const { kind } = run.job;
    const schedule = schedules.get(kind);
    const reason = run.stopped?.reason;
    const isOwn = error === null || error === run.controller.signal.reason || isAbort(error);
    // A run that was stopped on request or by its caller has not failed, unless it hit the time limit.
    const isCancelled = reason === 'cancelled' || (reason === undefined && isAbort(error));
    if (isOwn && (reason === 'closing' || isCancelled)) {
      const next = reason === 'closing' ? 0 : (schedule?.everySeconds ?? null);
      await record(run, () => leases.release(kind, run.leaseNumber, schedule === undefined ? null : next));
      return;
    }
    if (!run.isGivenUp) onProblem(error ?? run.controller.signal.reason, kind);
    const sentence = messageOfFailure(isOwn ? run.controller.signal.reason : error);
    await record(run, () => leases.fail(kind, run.leaseNumber, sentence, schedule !== undefined));
  }

  /** If the write fails, the lease expires by itself. */
  async function record(run: Run, write: () => Promise<void>): Promise<void> {
    if (run.isGivenUp || run.stopped?.reason === 'lease_lost') return;
    await write().catch((error: unknown) => onProblem(error, run.job.kind));
  }

  function nextInSeconds(job: ScheduledJob, run: Run, backlog: number): number {
    const tookSeconds = (monotonicNow() - run.startedAt) / 1000;
    // Some jobs work until their process closes. The next process continues them at once.
    if (run.stopped?.reason === 'closing') return 0;
    // Pause as long as the run took, so that catching up uses at most half of the time.
    if (backlog > 0) return Math.max(limits.pauseSecondsMin, Math.min(tookSeconds, job.everySeconds));
    return Math.max(limits.pauseSecondsMin, job.everySeconds - tookSeconds);
  }

  function wakeIn(milliseconds: number): void {
    if (!isStarted || isClosing) return;
    const at = monotonicNow() + milliseconds;
    if (timer !== undefined && wakeAt <= at) return;
    clearTimeout(timer);
    wakeAt = at;
    timer = setTimeout(async () => {
      timer = undefined;
      await look();
      wakeIn(nextLookIn());
    }, milliseconds);
    timer.unref();
  }

  function nextLookIn(): number {
    const longest = runs.size > 0 ? limits.renewMilliseconds : limits.pollMilliseconds;
    return Math.max(limits.pollMillisecondsMin, Math.min(longest, dueInMilliseconds));
  }

  return {
    start() {
      isStarted = true;
      wakeIn(limits.pollMillisecondsMin);
    },
    look,
    async idle() {
      while (ends.size > 0) await Promise.all(ends);
    },
    exclusively,
    async hasten(kind) {
      if (runs.has(kind) || isClosing) return;
      await leases.hasten(kind);
      wakeIn(limits.pollMillisecondsMin);
    },
    async cancel(kind) {
      const own = runs.get(kind);
      if (own !== undefined && !own.isGivenUp) stop(own, 'cancelled');
      return (await leases.askToStop(kind)) || own !== undefined;
    },
    list: () => leases.list(kinds),
    known: () => known,
    async close() {
      isClosing = true;
      clearTimeout(timer);
      for (const run of runs.values()) stop(run, 'closing');
      // If a run does not end in time, another process takes over when its lease ends.
      await Promise.race([
        (looking ?? Promise.resolve()).then(() => Promise.all(ends)),
        pause(limits.stopMilliseconds, undefined, { ref: false }),
      ]);
    },
  };
}

const stopMessages: Readonly<Record<StopReason, string>> = {
  time_limit: 'It took longer than it is allowed to.',
  lease_lost: 'Another process has taken it over.',
  cancelled: 'It was cancelled.',
  closing: 'The process is shutting down.',
};

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** For the console: a message may quote a row, an address or a key, so only our own texts are shown. */
function messageOfFailure(error: unknown): string {
  if (error instanceof JobProblem) return error.message;
  if (error instanceof DatabaseUnavailable) return 'The database was unreachable or did not answer in time.';
  if (error instanceof StatementFailed) return `The database refused a statement (SQLSTATE ${error.code}).`;
  const name = error instanceof Error ? error.name : typeof error;
  return `${name}: see the log for more.`;
}
