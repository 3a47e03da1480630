// Moves of tests' clocks by idempotency key, and the due steps that a batch loads for one: customers with something due, up
// to a horizon. Decided by move-test-clock.ts; written only by the order batch.

import type { Row, SqlStatement } from '../../../platform/database/database.ts';
import {
  boolean,
  describeTable,
  int,
  nullableTime,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import { realAccountIdMax } from '../../../shared/identifiers.ts';
import type { EpochSeconds } from '../../../shared/times.ts';
import { wholeCustomers } from './customer-table.ts';

export const testMoves = describeTable('test_moves', {
  accountId: int('account_id'),
  idempotencyKey: text('idempotency_key'),
  fingerprint: text('fingerprint'),
  /** The target. Once the move is done, this is the time that it reached. */
  target: time('target'),
  renewals: int('renewals'),
  renewalsFailed: int('renewals_failed'),
  ended: int('ended'),
  warnings: int('warnings'),
  isDone: boolean('is_done'),
  /** No other move may begin before this, in real time. */
  heldUntil: nullableTime('held_until'),
});

export type TestMove = RowOf<typeof testMoves>;

/** A place in the order of due steps. */
export interface StepPlace {
  readonly at: EpochSeconds;
  readonly number: number;
}

export interface DueSteps {
  /** Contains the command's own move and any other move that is not finished. */
  readonly moves: readonly TestMove[];
  /** All due customers up to this place were loaded. null if all due customers were loaded. */
  readonly horizon: StepPlace | null;
  readonly alertDays: number | null;
  readonly isBlocked: boolean;
}

const moveKeys = testMoves.pick('accountId', 'idempotencyKey');

export const putTestMoves = testMoves.insert(
  'put_test_moves',
  `on conflict (account_id, idempotency_key) do update set target = excluded.target,
    renewals = excluded.renewals, renewals_failed = excluded.renewals_failed, ended = excluded.ended,
    warnings = excluded.warnings, is_done = excluded.is_done, held_until = excluded.held_until`,
);

/** Drops moves whose keys cannot be repeated any more. */
export const dropTestMoves = {
  statement: {
    name: 'drop_test_moves',
    text: `delete from test_moves m using ${moveKeys.sent('row')}
    where m.account_id = row.account_id and m.idempotency_key = row.idempotency_key`,
  },
  values: moveKeys.values,
};

export const loadTestMoves: SqlStatement = {
  name: 'load_test_moves',
  text: `select ${testMoves.list('m')} from test_moves m
      where m.account_id = $1::int and m.idempotency_key = $2::text
    union
    select ${testMoves.list('m')} from test_moves m where m.account_id = $1::int and m.held_until is not null`,
};

/** Loads the next `$2` steps of all kinds in order, with the customers' rows. Overdue renewals are due now. */
export const loadDueSteps: SqlStatement = {
  name: 'load_due_steps',
  text: `with a as (
      select a.id, a.test_clock, a.event_count, a.blocked, t.plans_ending_days as alert_days
      from accounts a left join alerts t on t.account_id = a.id where a.id = $1::int),
    days as (
      select distinct d as days from a, unnest(array[7, 1, 0, a.alert_days]) d
      where d is not null and (d = 0 or a.event_count is not null)),
    due as (
      select r.number, r.renew_at as at from a cross join lateral (
        select c.number, c.renew_at from customers c
        where c.account_id = a.id and c.account_id > ${realAccountIdMax} and not c.ends_at_period_end
          and c.renew_at >= a.test_clock
        order by c.account_id, c.renew_at, c.number limit $2::int) r
      union all
      select m.number, a.test_clock from a cross join lateral (
        select o.number from (
          select c.number from customers c
          where c.account_id = a.id and c.account_id > ${realAccountIdMax} and not c.ends_at_period_end
            and c.renew_at < a.test_clock
          order by c.account_id, c.renew_at, c.number offset 0) o
        order by o.number limit $2::int) m
      union all
      select e.number, e.expires_at - make_interval(secs => d.days * 86400) from a cross join days d cross join lateral (
        select c.number, c.expires_at from customers c
        where c.account_id = a.id and c.account_id > ${realAccountIdMax}
          and c.expires_at >= a.test_clock + make_interval(secs => d.days * 86400)
          and c.expires_at > c.anchor_at and not c.cancelled
          and (c.end_notice_days is null or c.end_notice_days > d.days)
        order by c.account_id, c.expires_at, c.number limit $2::int) e),
    soonest as (select number, at from due order by at, number limit $2::int)
    select a.alert_days, a.blocked, s.number as due_number, s.at as due_at, ${wholeCustomers.list('c', 'c_')}
    from a left join soonest s on true
    left join customers c on c.account_id = a.id and c.number = s.number
    order by s.at, s.number`,
};

export function parseDueSteps(rows: readonly Row[], moves: readonly TestMove[], atOnce: number): DueSteps {
  const last = rows.at(-1);
  const steps = rows.filter((row) => row['due_number'] !== null).length;
  const alertDays = rows[0]?.['alert_days'];
  return {
    moves,
    horizon:
      last === undefined || steps < atOnce
        ? null
        : { at: Number(last['due_at']), number: Number(last['due_number']) },
    alertDays: alertDays == null ? null : Number(alertDays),
    isBlocked: rows[0]?.['blocked'] === true,
  };
}
