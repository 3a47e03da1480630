// Reads and writes the jobs table. Only job-runner.ts calls it.
// Invariant: only one process holds the lease of a kind. Lease numbers only grow, and renewing and ending a run name its
// number, so a holder that lost its lease cannot change anything.

import type { EpochSeconds } from '../../shared/times.ts';
import type { Database, Queryable, Row, SqlStatement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { textArray } from '../database/sql-arrays.ts';
import { describeTable, int, int8, nullableText, nullableTime, type RowOf } from '../database/table.ts';

const jobs = describeTable('jobs', {
  startedAt: nullableTime('started_at'),
  finishedAt: nullableTime('finished_at'),
  succeededAt: nullableTime('succeeded_at'),
  /** null if the job runs only on request, or has never run. */
  nextRunAt: nullableTime('next_run_at'),
  backlog: int8('backlog'),
  failureCount: int8('failure_count'),
  failuresInARow: int('failures_in_a_row'),
  lastError: nullableText('last_error'),
  lastErrorAt: nullableTime('last_error_at'),
});

export interface JobState extends RowOf<typeof jobs> {
  readonly kind: string;
  readonly runningOn: string | null;
}

export interface SeenJob extends JobState {
  readonly dueInSeconds: number;
}

export interface LeaseSettings {
  readonly database: Database;
  /** null: use the database's clock, which all processes share. Tests pass their own. */
  readonly now: (() => EpochSeconds) | null;
  readonly processName: string;
  readonly leaseSeconds: number;
  readonly aheadSecondsMax: number;
  /** The wait after a failure. It doubles with each failure in a row. */
  readonly retrySecondsMin: number;
  readonly retrySecondsMax: number;
}

export type RenewedLease = 'held' | 'stop_asked' | 'lost';

export interface JobLeases {
  list(kinds: readonly string[]): Promise<SeenJob[]>;
  /** @returns the lease number; null if another process took the lease or the job is not due */
  takeDue(kind: string): Promise<number | null>;
  /** Like takeDue, but ignores the schedule. @returns null if the job is already running */
  takeNow(kind: string): Promise<number | null>;
  renew(kind: string, number: number): Promise<RenewedLease>;
  finish(kind: string, number: number, backlog: number, nextInSeconds: number | null): Promise<void>;
  fail(kind: string, number: number, sentence: string, retries: boolean): Promise<void>;
  /** Ends an interrupted run without a failure. */
  release(kind: string, number: number, nextInSeconds: number | null): Promise<void>;
  /** Makes the job due now, unless it is running. */
  hasten(kind: string): Promise<void>;
  askToStop(kind: string): Promise<boolean>;
}

// $1 is a test's clock in epoch seconds, or null for the database's clock.
const at = 'coalesce(to_timestamp($1::bigint), now())';

const endedInTheMiddle = 'The process that ran it ended before it was done.';

export function createJobLeases(settings: LeaseSettings): JobLeases {
  const { database, now, processName, leaseSeconds, aheadSecondsMax, retrySecondsMin, retrySecondsMax } =
    settings;

  const retry = (failures: string) =>
    `make_interval(secs => case when ${failures} = 0 then 0 else
      least(${retrySecondsMax}, ${retrySecondsMin} * 2.0 ^ least(${failures} - 1, 20)) end)`;

  // A time further ahead than any that is ever written comes from a wrong clock and counts as passed. The limit is doubled,
  // so that a clock set back a little ends no lease.
  const passedIfAhead = (column: string, seconds: number) =>
    `case when ${column} > ${at} + make_interval(secs => ${2 * seconds}) then '-infinity' else ${column} end`;
  const nextRunAt = passedIfAhead('j.next_run_at', aheadSecondsMax);
  const leaseUntil = passedIfAhead('j.lease_until', leaseSeconds);

  /** Failures in a row before this run; 0 if the run lasted longer than any retry wait. */
  const failuresBefore = (end: string, table = '') =>
    `case when ${end} - ${table}started_at > make_interval(secs => ${retrySecondsMax}) then 0 else ${table}failures_in_a_row end`;
  const failuresBeforeDeath = failuresBefore('j.lease_until', 'j.');

  // A dead holder's lease expires. If that repeats, the job may be crashing its process, so it backs off like a failing job.
  const freeAt = `case when j.leased_by is null then '-infinity'
    else ${leaseUntil} + ${retry(`(${failuresBeforeDeath})`)} end`;

  const listKinds: SqlStatement = {
    name: 'list_jobs',
    text: `select k.kind, ${jobs.list('j')},
        case when ${leaseUntil} > ${at} then j.leased_by end as running_on,
        coalesce(extract(epoch from greatest(nullif(${nextRunAt}, '-infinity'), nullif(${freeAt}, '-infinity')) - ${at}), 0)::float8 as due_in
      from unnest($2::text[]) with ordinality k (kind, place) left join jobs j on j.kind = k.kind order by k.place`,
  };

  const takeWhere = (
    condition: string,
  ) => `insert into jobs as j (kind, lease_number, leased_by, lease_until, started_at)
    values ($2::text, 1, $3::text, ${at} + make_interval(secs => ${leaseSeconds}), ${at})
    on conflict (kind) do update set
      lease_number = j.lease_number + 1, leased_by = excluded.leased_by, lease_until = excluded.lease_until,
      started_at = excluded.started_at, stop_asked = false,
      failure_count = j.failure_count + (j.leased_by is not null)::int,
      failures_in_a_row = case when j.leased_by is null then j.failures_in_a_row else ${failuresBeforeDeath} + 1 end,
      last_error = case when j.leased_by is null then j.last_error else '${endedInTheMiddle}' end,
      last_error_at = case when j.leased_by is null then j.last_error_at else least(j.lease_until, ${at}) end
    where ${condition}
    returning lease_number`;

  const takeDue: SqlStatement = {
    name: 'take_due_job',
    text: takeWhere(`greatest(${nextRunAt}, ${freeAt}) <= ${at}`),
  };

  const takeNow: SqlStatement = {
    name: 'take_job_now',
    text: takeWhere(`j.leased_by is null or ${leaseUntil} <= ${at}`),
  };

  const held = 'where kind = $2::text and lease_number = $3::bigint and leased_by is not null';

  const renewLease: SqlStatement = {
    name: 'renew_job',
    text: `update jobs set lease_until = ${at} + make_interval(secs => ${leaseSeconds}) ${held} returning stop_asked`,
  };

  const letGo = 'leased_by = null, lease_until = null, stop_asked = false';

  const finishRun: SqlStatement = {
    name: 'finish_job',
    text: `update jobs set ${letGo}, finished_at = ${at}, succeeded_at = ${at}, failures_in_a_row = 0,
        backlog = $4::bigint, next_run_at = ${at} + make_interval(secs => $5::float8)
      ${held}`,
  };

  const failRun: SqlStatement = {
    name: 'fail_job',
    text: `update jobs set ${letGo}, finished_at = ${at}, failure_count = failure_count + 1,
        failures_in_a_row = ${failuresBefore(at)} + 1, last_error = $4::text, last_error_at = ${at},
        next_run_at = case when $5::boolean then ${at} + ${retry(`(${failuresBefore(at)} + 1)`)} end
      ${held}`,
  };

  const releaseRun: SqlStatement = {
    name: 'release_job',
    text: `update jobs set ${letGo}, finished_at = ${at}, next_run_at = ${at} + make_interval(secs => $4::float8) ${held}`,
  };

  const hastenRun: SqlStatement = {
    name: 'hasten_job',
    text: `update jobs set next_run_at = ${at} where kind = $2::text and leased_by is null and next_run_at > ${at}`,
  };

  const askToStop: SqlStatement = {
    name: 'ask_job_to_stop',
    text: `update jobs set stop_asked = true where kind = $2::text and leased_by is not null and lease_until > ${at}
      returning kind`,
  };

  const run = (statement: SqlStatement, ...values: unknown[]) =>
    database.query(statement, [now?.() ?? null, ...values]);

  const take = async (statement: SqlStatement, kind: string) => {
    const [row] = await run(statement, kind, processName);
    return nullable(Number, row?.['lease_number']);
  };

  return {
    list: async (kinds) => (await run(listKinds, textArray(kinds))).map(parseJob),
    takeDue: (kind) => take(takeDue, kind),
    takeNow: (kind) => take(takeNow, kind),
    async renew(kind, number) {
      const [row] = await run(renewLease, kind, number);
      if (row === undefined) return 'lost';
      return row['stop_asked'] === true ? 'stop_asked' : 'held';
    },
    async finish(kind, number, backlog, nextInSeconds) {
      await run(finishRun, kind, number, backlog, nextInSeconds);
    },
    async fail(kind, number, sentence, retries) {
      await run(failRun, kind, number, sentence, retries);
    },
    async release(kind, number, nextInSeconds) {
      await run(releaseRun, kind, number, nextInSeconds);
    },
    async hasten(kind) {
      await run(hastenRun, kind);
    },
    askToStop: async (kind) => (await run(askToStop, kind)).length > 0,
  };
}

/** A kind that has never run has no row, so all columns are null. Number(null) is 0. */
function parseJob(row: Row): SeenJob {
  return {
    kind: String(row['kind']),
    ...jobs.parse(row),
    runningOn: nullable(String, row['running_on']),
    dueInSeconds: Number(row['due_in']),
  };
}

const holdJob: SqlStatement = {
  name: 'hold_job',
  text: `select true as held from jobs where kind = $1::text and lease_number = $2::bigint and leased_by is not null
    for share`,
};

/** Call before writing: a process that lost its lease must not write. The lease is kept until the transaction ends. */
export async function holdLease(transaction: Queryable, kind: string, number: number): Promise<boolean> {
  return (await transaction.query(holdJob, [kind, number])).length > 0;
}
