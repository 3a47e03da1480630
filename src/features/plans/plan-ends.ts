// A job that sends notices of plans that end soon or have ended, for accounts with listeners.
// Invariant: a notice is sent once per end and number of days; the engine checks that under the account's lock
// (note-plan-end.ts). Marks only say where to resume. A plan whose notice fails blocks no other and is retried in every run
// (plan_end_retries).

import { setTimeout as pause } from 'node:timers/promises';
import {
  type Database,
  DatabaseUnavailable,
  type Row,
  type SqlStatement,
} from '../../platform/database/database.ts';
import {
  bySharding,
  queryShards,
  type ShardedStatement,
} from '../../platform/database/shards/query-shards.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { PlanEnd } from '../order-engine/decisions/order-commands.ts';
import { catchUpAlerts } from './alert-catch-up.ts';

export interface PlanEndLimits {
  /** Plans that are noted together. Another order waits for at most these. */
  readonly plansAtOnce: number;
  readonly restMillisecondsMax: number;
}

export interface PlanEndDependencies {
  readonly database: Database;
  readonly note: (end: PlanEnd) => Promise<unknown>;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly limits: PlanEndLimits;
}

/** Days before the end at which notices are sent; 0 is the end itself. Alert settings add more. */
const noticeDays = [7, 1, 0] as const;
const daySeconds = 86_400;

const findMark: SqlStatement = {
  name: 'find_plan_end_mark',
  text: 'select told_until from plan_end_marks where days = $1::int',
};

const setMark: SqlStatement = {
  name: 'set_plan_end_mark',
  text: `insert into plan_end_marks (days, told_until) values ($1::int, to_timestamp($2::bigint))
    on conflict (days) do update set told_until = excluded.told_until`,
};

/** Reads one range per account, because the soonest ends of all are among the soonest ends of each. */
const endsOf = (accounts: string) => `select c.* from accounts a cross join lateral (
      select account_id, number, expires_at from customers
      where account_id = a.id and expires_at <= to_timestamp($2::bigint) and not cancelled
        and (expires_at, account_id, number) > (to_timestamp($1::bigint), $3::int, $4::int)
        and expires_at >= to_timestamp($1::bigint)
      order by expires_at, number limit $5::int) c
    where a.id <= ${realAccountIdMax} and (${accounts})
    order by c.expires_at, c.account_id, c.number limit $5::int`;

const listEnds: SqlStatement = { name: 'list_plan_ends', text: endsOf('a.event_count is not null') };

// The product learns of all ends, with or without listeners.
const listEndsOfAll: SqlStatement = {
  name: 'list_all_plan_ends',
  text: endsOf(`a.event_count is not null or (select product_mode from service_state) <> 'none'`),
};

const listAlertedEnds: ShardedStatement = {
  together: {
    name: 'list_alerted_plan_ends',
    text: endsOf(`a.event_count is not null
      and exists (select 1 from alerts t where t.account_id = a.id and t.plans_ending_days = $6::int)`),
  },
  apart: {
    name: 'list_alerted_plan_ends_apart',
    text: endsOf('a.event_count is not null and a.id = any($6::int[])'),
  },
};

const listAlertedAccounts: SqlStatement = {
  name: 'list_alerted_accounts',
  text: 'select account_id from alerts where plans_ending_days = $1::int',
};

function whoIsAlerted(database: Database, days: number): Promise<unknown> {
  return bySharding<Promise<unknown>>(database, {
    together: async () => days,
    apart: async () => {
      const rows = await database.query(listAlertedAccounts, [days]);
      return numberArray(rows.map((row) => Number(row['account_id'])));
    },
  });
}

const listAlertDays: SqlStatement = {
  name: 'list_alert_days',
  text: `select distinct plans_ending_days as days from alerts where plans_ending_days is not null and account_id <= ${realAccountIdMax}`,
};

const keepForRetry: SqlStatement = {
  name: 'keep_plan_end_for_retry',
  text: `insert into plan_end_retries (account_id, customer_number, days, expires_at, tried_at)
    select account_id, customer_number, days, to_timestamp(expires_at), to_timestamp($5::bigint)
    from unnest($1::int[], $2::int[], $3::int[], $4::bigint[]) row (account_id, customer_number, days, expires_at)
    on conflict (account_id, customer_number, days) do update set expires_at = excluded.expires_at, tried_at = excluded.tried_at`,
};

const listRetries: SqlStatement = {
  name: 'list_plan_end_retries',
  text: `select account_id, customer_number as number, days, expires_at from plan_end_retries
    order by tried_at, account_id, customer_number limit $1::int`,
};

const forgetRetries: SqlStatement = {
  name: 'forget_plan_end_retries',
  text: `delete from plan_end_retries t using unnest($1::int[], $2::int[], $3::int[]) row (account_id, customer_number, days)
    where t.account_id = row.account_id and t.customer_number = row.customer_number and t.days = row.days`,
};

const retryValues = (ends: readonly PlanEnd[]) => [
  numberArray(ends.map(({ accountId }) => accountId)),
  numberArray(ends.map(({ customerNumber }) => customerNumber)),
  numberArray(ends.map(({ days }) => days)),
];

/** Returns 0 if no notice is left, or else a lower bound. @throws the first error, after all others were noted */
export async function notePlanEnds(dependencies: PlanEndDependencies, signal: AbortSignal): Promise<number> {
  const { database, limits } = dependencies;
  const broken: unknown[] = [];
  const noteAll = (ends: readonly PlanEnd[]) => noteTogether(dependencies, ends, broken);
  if (!(await catchUpAlerts(dependencies, noteAll, signal))) return 1;
  const retries = (await database.query(listRetries, [limits.plansAtOnce])).map((row) =>
    parseEnd(row, Number(row['days'])),
  );
  if (retries.length > 0) {
    const noted = await noteTogether(dependencies, retries, broken);
    if (noted === null) return 1;
    await database.query(forgetRetries, retryValues(noted));
  }
  const asked = (await database.query(listAlertDays)).map((row) => Number(row['days']));
  // The largest number of days comes first, so that of two notices due at once the nearer one comes last.
  const all = [...new Set([...asked, ...noticeDays])].sort((a, b) => b - a);
  for (const days of all) {
    if (!(await noteEndsIn(dependencies, days, statementFor(days), signal, broken))) return 1;
  }
  if (broken.length > 0) throw broken[0];
  return 0;
}

function parseEnd(row: Row, days: number): PlanEnd {
  return {
    accountId: Number(row['account_id']),
    customerNumber: Number(row['number']),
    expiresAt: Number(row['expires_at']),
    days,
  };
}

/** Failed ones are kept for the next run. Returns null if the engine is overloaded. */
async function noteTogether(
  { database, note, now }: PlanEndDependencies,
  ends: readonly PlanEnd[],
  broken: unknown[],
): Promise<readonly PlanEnd[] | null> {
  const outcomes = await Promise.allSettled(ends.map(note));
  const errors: unknown[] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (errors.some((error) => error instanceof Overloaded)) return null;
  const away = errors.find((error) => error instanceof DatabaseUnavailable);
  if (away !== undefined) throw away;
  const [first] = errors;
  if (first === undefined) return ends;
  broken.push(first);
  const isNoted = (_end: PlanEnd, index: number) => outcomes[index]?.status === 'fulfilled';
  const left = ends.filter((end, index) => !isNoted(end, index));
  const [accounts, customers, days] = retryValues(left);
  const expiresAt = numberArray(left.map((end) => end.expiresAt));
  await database.query(keepForRetry, [accounts, customers, days, expiresAt, now()]);
  return ends.filter(isNoted);
}

function statementFor(days: number): ShardedStatement {
  if (days === 0) return listEndsOfAll;
  return noticeDays.some((own) => own === days) ? listEnds : listAlertedEnds;
}

async function noteEndsIn(
  dependencies: PlanEndDependencies,
  days: number,
  statement: ShardedStatement,
  signal: AbortSignal,
  broken: unknown[],
): Promise<boolean> {
  const { database, now, monotonicNow, limits } = dependencies;
  const until = now() + days * daySeconds;
  const [mark] = await database.query(findMark, [days]);
  const toldUntil = mark === undefined ? null : Number(mark['told_until']);
  // If the mark is in the future, the clock was set back. Lower it, so that later ends are found.
  if (toldUntil !== null && toldUntil > until) {
    await database.query(setMark, [days, until]);
    return true;
  }
  if (toldUntil === until) return true;
  // A first run also finds plans that are already closer to their end, but leaves out plans that have ended.
  let last = { expiresAt: toldUntil ?? now(), accountId: 2_147_483_647, number: 0 };
  const more = statement === listAlertedEnds ? [await whoIsAlerted(database, days)] : [];
  for (;;) {
    if (signal.aborted) return false;
    const began = monotonicNow();
    const { expiresAt, accountId, number } = last;
    const rows = await queryShards(
      database,
      statement,
      [expiresAt, until, accountId, number, limits.plansAtOnce, ...more],
      { first: { columns: ['expires_at', 'account_id', 'number'], limit: limits.plansAtOnce } },
    );
    const ends = rows.map((row) => parseEnd(row, days));
    if ((await noteTogether(dependencies, ends, broken)) === null) return false;
    const final = rows.at(-1);
    if (final === undefined || rows.length < limits.plansAtOnce) {
      await database.query(setMark, [days, until]);
      return true;
    }
    last = {
      expiresAt: Number(final['expires_at']),
      accountId: Number(final['account_id']),
      number: Number(final['number']),
    };
    // There may be more ends in the last second, so the mark stays before it.
    await database.query(setMark, [days, last.expiresAt - 1]);
    await pause(Math.min(monotonicNow() - began, limits.restMillisecondsMax));
  }
}
