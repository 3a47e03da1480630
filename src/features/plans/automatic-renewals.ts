// A job that submits due automatic renewals to the engine as orders, by due time. Tests renew when their clock moves
// (move-test-clock.ts).
// Invariant: each end is renewed once, even if runs die, overlap or the clock jumps. Under the account's lock, the engine
// compares the due time with the one read here (renew-automatically.ts).

import { setTimeout as pause } from 'node:timers/promises';
import { type Database, DatabaseUnavailable, type SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { mintOrderKey } from '../order-engine/mint-order-key.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';

export interface RenewalLimits {
  /** Plans that are submitted together. Another order waits for at most these. */
  readonly plansAtOnce: number;
  readonly restMillisecondsMax: number;
}

export interface RenewalDependencies {
  readonly database: Database;
  readonly engine: Pick<OrderEngine, 'submit'>;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly limits: RenewalLimits;
}

interface Due {
  readonly accountId: number;
  readonly customerNumber: number;
  readonly dueAt: EpochSeconds;
}

const listDue: SqlStatement = {
  name: 'list_due_renewals',
  text: `select c.account_id, c.number, c.renew_at, a.access_version, a.blocked
    from customers c join accounts a on a.id = c.account_id
    where c.renew_at <= to_timestamp($1::bigint) and not c.ends_at_period_end and c.account_id <= ${realAccountIdMax}
      and (c.renew_at, c.account_id, c.number) > (to_timestamp($2::bigint), $3::int, $4::int)
    order by c.renew_at, c.account_id, c.number limit $5::int`,
};

const countedMax = 1_000_000;
const countDue: SqlStatement = {
  name: 'count_due_renewals',
  text: `select count(*) from (
    select 1 from customers where renew_at <= to_timestamp($1::bigint) and not ends_at_period_end
      and account_id <= ${realAccountIdMax} limit ${countedMax}) due`,
};

/** Returns how many are left after a stop or an overload. @throws the first error, after all others were tried */
export async function renewDuePlans(
  { database, engine, now, monotonicNow, limits }: RenewalDependencies,
  signal: AbortSignal,
): Promise<number> {
  // A run tries each plan once, so that a plan that keeps failing does not block others.
  const broken: unknown[] = [];
  let last: Due = { accountId: 0, customerNumber: 0, dueAt: 0 };
  while (!signal.aborted) {
    const { dueAt, accountId, customerNumber } = last;
    const rows = await queryShards(
      database,
      listDue,
      [now(), dueAt, accountId, customerNumber, limits.plansAtOnce],
      { first: { columns: ['renew_at', 'account_id', 'number'], limit: limits.plansAtOnce } },
    );
    const began = monotonicNow();
    const submitted = await Promise.allSettled(
      rows.map((row) =>
        engine.submit({
          type: 'renew_automatically',
          accountId: Number(row['account_id']),
          accessVersion: Number(row['access_version']),
          customerNumber: Number(row['number']),
          dueAt: Number(row['renew_at']),
          isBlocked: row['blocked'] === true,
          idempotencyKey: mintOrderKey(),
          keyIsMinted: true,
        }),
      ),
    );
    const errors: unknown[] = submitted.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    if (errors.some((error) => error instanceof Overloaded)) break;
    // An unavailable database concerns all plans. Any other error concerns only one.
    const away = errors.find((error) => error instanceof DatabaseUnavailable);
    if (away !== undefined) throw away;
    broken.push(...errors.slice(0, 1));
    const final = rows.at(-1);
    if (final === undefined || rows.length < limits.plansAtOnce) {
      if (broken.length > 0) throw broken[0];
      return 0;
    }
    last = {
      accountId: Number(final['account_id']),
      customerNumber: Number(final['number']),
      dueAt: Number(final['renew_at']),
    };
    await pause(Math.min(monotonicNow() - began, limits.restMillisecondsMax));
  }
  const counted = await queryShards(database, countDue, [now()], 'every');
  return counted.reduce((sum, row) => sum + Number(row['count']), 0);
}
