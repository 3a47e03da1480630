// Background jobs. Two runners on one database stand for two processes. The test decides when they look and what time it is.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../scripts/throwaway/test-database.ts';
import { type Database, inEachGroup, StatementFailed } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/schema/migrate.ts';
import type { JobState } from '../../src/platform/jobs/job-leases.ts';
import {
  createJobs,
  type JobContext,
  type JobLimits,
  JobProblem,
  type JobResult,
  type Jobs,
} from '../../src/platform/jobs/job-runner.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';

const limits = defaultLimits.jobs;
const { leaseSeconds } = limits;
const everySeconds = 60;
const runSecondsMax = 30;
const done: JobResult = { backlog: 0 };

let testDatabase: TestDatabase;
let database: Database;
/** The clock of the leases, which in reality is the database's. */
let seconds: number;
before(async () => {
  testDatabase = await createTestDatabase();
  database = await connectDatabase({ database: testDatabase.config });
  await migrate(database);
});
after(async () => {
  await database.close();
  await testDatabase.remove();
});
beforeEach(async () => {
  seconds = 1_768_478_400;
  await database.query({ name: '', text: 'delete from jobs' });
});

class Runner {
  readonly jobs: Jobs;
  readonly problems: { readonly error: unknown; readonly kind: string | null }[] = [];
  readonly runs: Run[] = [];
  milliseconds = 0;

  constructor(
    processName: string,
    options: {
      run?: (context: JobContext) => Promise<JobResult>;
      limits?: Partial<JobLimits>;
      runSecondsMax?: number;
      kinds?: readonly string[];
      database?: Database;
    } = {},
  ) {
    const run = options.run ?? ((context) => this.#begin(context));
    this.jobs = createJobs({
      database: options.database ?? database,
      now: () => seconds,
      monotonicNow: () => this.milliseconds,
      processName,
      limits: { ...limits, ...options.limits },
      scheduled: (options.kinds ?? ['sweep']).map((kind) => ({
        kind,
        everySeconds,
        runSecondsMax: options.runSecondsMax ?? runSecondsMax,
        run,
      })),
      requested: [{ kind: 'audit', runSecondsMax }],
      onProblem: (error, kind) => this.problems.push({ error, kind }),
    });
  }

  #begin({ signal, leaseNumber }: JobContext): Promise<JobResult> {
    const { promise, resolve, reject } = Promise.withResolvers<JobResult>();
    this.runs.push({ signal, leaseNumber, resolve, reject });
    return promise;
  }

  get run(): Run {
    const run = this.runs.at(-1);
    assert.ok(run, 'nothing has run here');
    return run;
  }

  look(): Promise<void> {
    return this.jobs.look();
  }

  async end(result: JobResult = done): Promise<void> {
    this.run.resolve(result);
    await this.jobs.idle();
  }

  async state(kind = 'sweep'): Promise<JobState> {
    const state = (await this.jobs.list()).find((one) => one.kind === kind);
    assert.ok(state);
    return state;
  }
}

interface Run extends JobContext {
  resolve(result: JobResult): void;
  reject(error: unknown): void;
}

function pass(time: number, ...runners: Runner[]): void {
  seconds += time;
  for (const runner of runners) runner.milliseconds += time * 1000;
}

describe('the lease', () => {
  test('of two processes that look at the same moment one does the work, and it is done once', async () => {
    const [first, second] = [new Runner('first'), new Runner('second')];
    await Promise.all([first.look(), second.look()]);
    const [holder, other] = first.runs.length === 1 ? [first, second] : [second, first];
    assert.deepEqual([holder.runs.length, other.runs.length], [1, 0]);
    assert.equal((await other.state()).runningOn, holder === first ? 'first' : 'second');
    await other.look();
    assert.equal(other.runs.length, 0);
    await holder.end();
    await other.look();
    assert.equal(other.runs.length, 0, 'it is not due again');
    const { runningOn, finishedAt, nextRunAt, failureCount } = await other.state();
    assert.deepEqual(
      [runningOn, finishedAt, nextRunAt, failureCount],
      [null, seconds, seconds + everySeconds, 0],
    );
  });

  test('when its holder dies another process takes over as soon as the lease has ended', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    pass(leaseSeconds - 1, other);
    await other.look();
    assert.equal(other.runs.length, 0);
    pass(1, other);
    await other.look();
    assert.equal(other.runs.length, 1);
    const { runningOn, lastError, failureCount } = await other.state();
    assert.deepEqual([runningOn, failureCount], ['other', 1]);
    assert.match(lastError ?? '', /ended before it was done/);
    await other.end();
    await holder.end();
  });

  test('a holder that lives renews its lease, and keeps it for as long as it runs', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    for (let look = 0; look < 5; look += 1) {
      pass(leaseSeconds - 5, holder, other);
      await holder.look();
      await other.look();
    }
    assert.deepEqual([holder.runs.length, other.runs.length], [1, 0]);
    assert.equal(holder.run.signal.aborted, false);
    await holder.end();
  });

  test('a run that lost the lease is stopped, and its late end changes nothing', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    pass(leaseSeconds, holder, other);
    await other.look();
    assert.ok(other.run.leaseNumber > holder.run.leaseNumber);
    await holder.look();
    assert.equal(holder.run.signal.aborted, true);
    assert.match(String(holder.run.signal.reason), /taken it over/);
    const before = await other.state();
    await holder.end({ backlog: 99 });
    assert.deepEqual(await other.state(), before);
    assert.equal(other.run.signal.aborted, false);
    await other.end({ backlog: 7 });
    assert.equal((await other.state()).backlog, 7);
  });

  test('an end that comes late, without a look before it, is fenced by the number of the lease', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    pass(leaseSeconds, other);
    await other.look();
    const before = await other.state();
    await holder.end({ backlog: 99 });
    assert.deepEqual(await other.state(), before);
    const last = new Runner('last');
    pass(leaseSeconds + limits.retrySecondsMax);
    await last.look();
    other.run.reject(new JobProblem('Too late.'));
    await other.jobs.idle();
    const { runningOn, lastError } = await last.state();
    assert.equal(runningOn, 'last');
    assert.doesNotMatch(lastError ?? '', /Too late/);
    await last.end();
  });

  test('a process that cannot reach the database stops before another one may begin', async () => {
    let isAway = false;
    const cut = inEachGroup(database, (each) => ({
      ...each,
      query: (...asked) => (isAway ? Promise.reject(new Error('away')) : each.query(...asked)),
    }));
    const holder = new Runner('holder', { database: cut });
    await holder.look();
    isAway = true;
    pass(leaseSeconds - 1, holder);
    await holder.look();
    assert.equal(holder.run.signal.aborted, false);
    pass(1, holder);
    await holder.look();
    assert.equal(holder.run.signal.aborted, true);
    await holder.end();
    await holder.look();
    assert.deepEqual(
      holder.problems.map(({ kind }) => kind),
      [null],
      'an outage is said once, not at every look',
    );
  });

  test('a process that closes lets go at once', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    const closed = holder.jobs.close();
    assert.equal(holder.run.signal.aborted, true);
    holder.run.reject(holder.run.signal.reason);
    await closed;
    await other.look();
    assert.equal(other.runs.length, 1);
    const { failureCount, lastError } = await other.state();
    assert.deepEqual([failureCount, lastError], [0, null]);
    await other.end();
    await holder.look();
    assert.equal(holder.runs.length, 1, 'nothing begins after close');
  });

  test('work that goes on forever and ends because its process closes goes on in the next one at once', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    const closed = holder.jobs.close();
    holder.run.resolve(done);
    await closed;
    await other.look();
    assert.equal(other.runs.length, 1);
    await other.end();
  });

  test('without a clock of its own it goes by the database’s', async () => {
    const jobs = createJobs({
      database,
      now: null,
      monotonicNow: () => 0,
      processName: 'real',
      limits,
      scheduled: [{ kind: 'sweep', everySeconds, runSecondsMax, run: async () => done }],
      requested: [],
      onProblem: assert.fail,
    });
    const [before] = await database.query({ name: '', text: 'select now() as at' });
    await jobs.look();
    await jobs.idle();
    const text = `select leased_by,
        next_run_at between to_timestamp($1) + interval '60 s' and now() + interval '60 s' as is_next
      from jobs where kind = 'sweep'`;
    const [row] = await database.query({ name: '', text }, [Number(before?.['at'])]);
    assert.deepEqual(row, { leased_by: null, is_next: true });
  });
});

describe('the schedule', () => {
  test('after an outage a run begins at once, and only one for all that were missed', async () => {
    const runner = new Runner('only');
    await runner.look();
    await runner.end();
    pass(everySeconds - 1, runner);
    await runner.look();
    assert.equal(runner.runs.length, 1);
    pass(20 * everySeconds, runner);
    await runner.look();
    assert.equal(runner.runs.length, 2);
    await runner.end();
    await runner.look();
    assert.equal(runner.runs.length, 2);
    assert.equal((await runner.state()).nextRunAt, seconds + everySeconds);
  });

  test('the next run is counted from the start of the last', async () => {
    const runner = new Runner('only');
    await runner.look();
    pass(5, runner);
    await runner.end();
    assert.equal((await runner.state()).nextRunAt, seconds + everySeconds - 5);
  });

  test('while there is a backlog one run follows the other, after a pause as long as the run was', async () => {
    const runner = new Runner('only');
    await runner.look();
    await runner.end({ backlog: 900 });
    const { backlog, nextRunAt, succeededAt } = await runner.state();
    assert.deepEqual([backlog, nextRunAt, succeededAt], [900, seconds + limits.pauseSecondsMin, seconds]);
    pass(1, runner);
    await runner.look();
    assert.equal(runner.runs.length, 2);
    pass(8, runner);
    await runner.end({ backlog: 400 });
    assert.equal((await runner.state()).nextRunAt, seconds + 8);
    pass(8, runner);
    await runner.look();
    await runner.end();
    assert.equal((await runner.state()).nextRunAt, seconds + everySeconds);
  });

  test('a run that takes too long is stopped; returning what is left is not a failure', async () => {
    const runner = new Runner('only');
    await runner.look();
    pass(runSecondsMax - 1, runner);
    await runner.look();
    assert.equal(runner.run.signal.aborted, false);
    pass(1, runner);
    await runner.look();
    assert.equal(runner.run.signal.aborted, true);
    await runner.end({ backlog: 3 });
    const { backlog, failureCount, nextRunAt } = await runner.state();
    assert.deepEqual([backlog, failureCount, nextRunAt], [3, 0, seconds + runSecondsMax]);
  });

  test('a stopped run that throws has failed', async () => {
    const runner = new Runner('only');
    await runner.look();
    pass(runSecondsMax, runner);
    await runner.look();
    runner.run.reject(runner.run.signal.reason);
    await runner.jobs.idle();
    const { lastError, failuresInARow } = await runner.state();
    assert.deepEqual([lastError, failuresInARow], ['It took longer than it is allowed to.', 1]);
  });

  test('a run that never ends is given up: others may run its kind, this process may not', async () => {
    const [stuck, other] = [new Runner('stuck'), new Runner('other')];
    await stuck.look();
    pass(runSecondsMax, stuck, other);
    await stuck.look();
    pass(limits.stopMilliseconds / 1000, stuck, other);
    await stuck.look();
    const { lastError, runningOn, nextRunAt } = await stuck.state();
    assert.deepEqual([lastError, runningOn], ['It did not stop when asked.', null]);
    assert.equal(nextRunAt, seconds + limits.retrySecondsMin);
    pass(limits.retrySecondsMin, stuck, other);
    await stuck.look();
    assert.equal(stuck.runs.length, 1);
    await other.look();
    assert.equal(other.runs.length, 1);
    await stuck.end({ backlog: 99 });
    assert.equal((await other.state()).runningOn, 'other', 'its late end counts no more');
    await other.end();
  });

  test('a process runs only so many kinds at once', async () => {
    const runner = new Runner('only', { kinds: ['one', 'two', 'three'], limits: { runsAtOnceMax: 2 } });
    await runner.look();
    assert.equal(runner.runs.length, 2);
    runner.runs[0]?.resolve(done);
    runner.runs[1]?.resolve(done);
    await runner.jobs.idle();
    await runner.look();
    assert.equal(runner.runs.length, 3);
    await runner.end();
  });
});

describe('a clock that was wrong', () => {
  const years = 4 * 365 * 86_400;

  test('and years ahead for a moment keeps no work from running once it is right again', async () => {
    const runner = new Runner('only');
    seconds += years;
    await runner.look();
    await runner.end();
    seconds -= years;
    await runner.look();
    assert.equal(runner.runs.length, 2);
    await runner.end();
    assert.equal((await runner.state()).nextRunAt, seconds + everySeconds);
  });

  test('leaves no lease behind: neither the schedule nor who asks waits for its end', async () => {
    const [dead, other] = [new Runner('dead'), new Runner('other')];
    seconds += years;
    await dead.look();
    await beginUntilAborted(dead);
    seconds -= years;
    await other.look();
    assert.equal(other.runs.length, 1);
    assert.deepEqual(await other.jobs.exclusively('audit', async () => 'ran'), {
      type: 'done',
      result: 'ran',
    });
    await other.end();
    const { lastErrorAt, failureCount } = await other.state();
    assert.deepEqual([lastErrorAt, failureCount], [seconds, 1]);
  });

  test('and is set back a little takes no lease away', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    await holder.look();
    seconds -= leaseSeconds;
    await other.look();
    assert.equal(other.runs.length, 0);
    await holder.end();
  });
});

describe('a failure', () => {
  test('is remembered and tried again, each time after twice as long, up to a limit', async () => {
    const runner = new Runner('only');
    const waits: number[] = [];
    for (let failure = 1; failure <= 10; failure += 1) {
      await runner.look();
      assert.equal(runner.runs.length, failure);
      runner.run.reject(new JobProblem('The moon is full.'));
      await runner.jobs.idle();
      const { nextRunAt, lastError, lastErrorAt, failuresInARow } = await runner.state();
      assert.deepEqual([lastError, lastErrorAt, failuresInARow], ['The moon is full.', seconds, failure]);
      const wait = (nextRunAt ?? 0) - seconds;
      waits.push(wait);
      pass(wait, runner);
    }
    assert.deepEqual(waits, [5, 10, 20, 40, 80, 160, 320, 640, 900, 900]);
    await runner.look();
    await runner.end();
    const { failureCount, failuresInARow, lastError, nextRunAt } = await runner.state();
    assert.deepEqual([failureCount, failuresInARow, lastError], [10, 0, 'The moon is full.']);
    assert.equal(nextRunAt, seconds + everySeconds);
  });

  test('after a run that lasted longer than any wait is the first again', async () => {
    const runner = new Runner('only', { runSecondsMax: 86_400 });
    const waits: number[] = [];
    for (const lasted of [0, 0, limits.retrySecondsMax, limits.retrySecondsMax + 1, 0]) {
      await runner.look();
      for (let left = lasted; left > 0; left -= leaseSeconds / 2) {
        pass(Math.min(left, leaseSeconds / 2), runner);
        await runner.look();
      }
      runner.run.reject(new JobProblem('The database was away.'));
      await runner.jobs.idle();
      const { nextRunAt } = await runner.state();
      const wait = (nextRunAt ?? 0) - seconds;
      waits.push(wait);
      pass(wait, runner);
    }
    assert.deepEqual(waits, [5, 10, 20, 5, 10]);
    assert.equal((await runner.state()).failureCount, 5);
  });

  test('a process that dies after such a run is waited for no longer than its lease', async () => {
    const runner = new Runner('only', { runSecondsMax: 86_400 });
    for (let failure = 0; failure < 3; failure += 1) {
      await runner.look();
      runner.run.reject(new JobProblem('The database was away.'));
      await runner.jobs.idle();
      pass(limits.retrySecondsMax, runner);
    }
    await runner.look();
    for (let lasted = 0; lasted <= limits.retrySecondsMax; lasted += leaseSeconds / 2) {
      pass(leaseSeconds / 2, runner);
      await runner.look();
    }
    const next = new Runner('next');
    pass(leaseSeconds, next);
    await next.look();
    assert.equal(next.runs.length, 1);
    assert.equal((await next.state()).failuresInARow, 1);
    await next.end();
  });

  test('is logged whole, and shown in the console without what may be secret', async () => {
    const secret = 'sk_live_very_secret';
    const runner = new Runner('only');
    const sentences: (string | null)[] = [];
    for (const error of [new TypeError(secret), secret, new StatementFailed(secret, '23505', undefined)]) {
      await runner.look();
      runner.run.reject(error);
      await runner.jobs.idle();
      assert.deepEqual(runner.problems.at(-1), { error, kind: 'sweep' });
      sentences.push((await runner.state()).lastError);
      pass(limits.retrySecondsMax, runner);
    }
    assert.deepEqual(sentences, [
      'TypeError: see the log for more.',
      'string: see the log for more.',
      'The database refused a statement (SQLSTATE 23505).',
    ]);
  });

  test('of a run that throws before its first pause is a failure like any other', async () => {
    const runner = new Runner('only', {
      run: () => {
        throw new JobProblem('At once.');
      },
    });
    await runner.look();
    await runner.jobs.idle();
    assert.equal((await runner.state()).lastError, 'At once.');
  });

  test('work that kills its process waits longer each time before the next process tries it', async () => {
    const waits: number[] = [];
    let victim = new Runner('victim');
    await victim.look();
    for (let death = 0; death < 4; death += 1) {
      const next = new Runner('next');
      let waited = 0;
      for (; next.runs.length === 0; waited += 1) {
        pass(1);
        await next.look();
      }
      waits.push(waited);
      victim = next;
    }
    assert.deepEqual(waits, [10, 15, 20, 30]);
  });
});

describe('work that is asked for', () => {
  test('runs once in all processes: a second caller sees that it runs, since when and where', async () => {
    const [first, second] = [new Runner('first'), new Runner('second')];
    const { promise, resolve } = Promise.withResolvers<string>();
    const running = first.jobs.exclusively('audit', () => promise);
    while ((await second.state('audit')).runningOn === null);
    const expected = { type: 'already_running', startedAt: seconds, runningOn: 'first' };
    assert.deepEqual(await second.jobs.exclusively('audit', itRan), expected);
    assert.deepEqual(await first.jobs.exclusively('audit', itRan), expected);
    resolve('found nothing');
    assert.deepEqual(await running, { type: 'done', result: 'found nothing' });
    const again = await second.jobs.exclusively('audit', async () => 'found more');
    assert.deepEqual(again, { type: 'done', result: 'found more' });
    const { nextRunAt, runningOn, succeededAt } = await first.state('audit');
    assert.deepEqual([nextRunAt, runningOn, succeededAt], [null, null, seconds]);
  });

  test('is cancelled from another process, which it notices when its lease is renewed', async () => {
    const [holder, other] = [new Runner('holder'), new Runner('other')];
    assert.equal(await other.jobs.cancel('audit'), false);
    const { signal, outcome: running } = await beginUntilAborted(holder);
    assert.equal(await other.jobs.cancel('audit'), true);
    assert.equal(signal.aborted, false);
    await holder.look();
    assert.equal(signal.aborted, true);
    assert.deepEqual(await running, { type: 'stopped', reason: 'cancelled' });
    const { failureCount, runningOn } = await other.state('audit');
    assert.deepEqual([failureCount, runningOn], [0, null]);
    // The previous request's signal must not stop a new request.
    const outcome = await other.jobs.exclusively('audit', async ({ signal: next }) => {
      await other.look();
      return next.aborted;
    });
    assert.deepEqual(outcome, { type: 'done', result: false });
  });

  test('ends at its time limit, and when its lease was lost', async () => {
    const runner = new Runner('only');
    const overdue = await beginUntilAborted(runner);
    pass(runSecondsMax, runner);
    await runner.look();
    assert.deepEqual(await overdue.outcome, { type: 'stopped', reason: 'time_limit' });
    assert.equal((await runner.state('audit')).lastError, 'It took longer than it is allowed to.');

    const lost = await beginUntilAborted(runner);
    pass(leaseSeconds);
    const other = new Runner('other');
    const taken = await other.jobs.exclusively('audit', async () => {
      await runner.look();
      return lost.outcome;
    });
    assert.deepEqual(taken, { type: 'done', result: { type: 'stopped', reason: 'lease_lost' } });
  });

  test('hands on what it throws, and remembers it', async () => {
    const runner = new Runner('only');
    const failing = runner.jobs.exclusively('audit', async () => {
      throw new JobProblem('No ledgers were found.');
    });
    await assert.rejects(failing, /No ledgers were found/);
    const { lastError, nextRunAt, runningOn } = await runner.state('audit');
    assert.deepEqual([lastError, nextRunAt, runningOn], ['No ledgers were found.', null, null]);
    await assert.rejects(runner.jobs.exclusively('nothing', itRan), /called nothing/);
    const cancelled = runner.jobs.exclusively('audit', async () => {
      throw new DOMException('No one waits any more.', 'AbortError');
    });
    await assert.rejects(cancelled, /No one waits/);
    assert.equal((await runner.state('audit')).failureCount, 1, 'its own caller cancelled it: no failure');
  });

  test('of a kind that has a schedule counts as its run', async () => {
    const runner = new Runner('only');
    assert.deepEqual(await runner.jobs.exclusively('sweep', async () => 1), { type: 'done', result: 1 });
    await runner.look();
    assert.equal(runner.runs.length, 0);
    assert.equal((await runner.state()).nextRunAt, seconds + everySeconds);
  });
});

async function itRan(): Promise<never> {
  assert.fail('it ran');
}

/** Begins a run that lasts until it is stopped. The lease is in the database slightly before the runner knows. */
async function beginUntilAborted(runner: Runner) {
  const started = Promise.withResolvers<AbortSignal>();
  const outcome = runner.jobs.exclusively('audit', ({ signal }) => {
    started.resolve(signal);
    return new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  });
  return { signal: await started.promise, outcome };
}
