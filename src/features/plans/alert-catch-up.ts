// After an account asks for an earlier notice, sends it for plans that already have less time left.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { PlanEnd } from '../order-engine/decisions/order-commands.ts';

const daySeconds = 86_400;

// Processes of an older version set alerts without the copy in `accounts` and without `is_catching_up`.
const listCatchingUp: SqlStatement = {
  name: 'list_alerts_catching_up',
  text: `select t.account_id from alerts t join accounts a on a.id = t.account_id
    where ((t.is_catching_up and t.plans_ending_days is not null) or a.alert_days is distinct from t.plans_ending_days)
      and t.account_id <= ${realAccountIdMax}
    order by t.account_id limit 100`,
};

const listRunning: SqlStatement = {
  name: 'list_running_plans_of_account',
  text: `select number, expires_at from customers
    where account_id = $1::int and expires_at <= to_timestamp($3::bigint) and not cancelled
      and (expires_at, number) > (to_timestamp($2::bigint), $4::int) and expires_at >= to_timestamp($2::bigint)
    order by expires_at, number limit $5::int`,
};

const lockDays: SqlStatement = {
  name: 'lock_alert_days',
  text: `select a.alert_days, t.plans_ending_days from accounts a join alerts t on t.account_id = a.id
    where a.id = $1::int for no key update of a`,
};
const copyDays: SqlStatement = {
  name: 'copy_alert_days',
  text: 'update accounts set alert_days = $2::int where id = $1::int',
};
const beginCatchUp: SqlStatement = {
  name: 'begin_alert_catch_up',
  text: 'update alerts set is_catching_up = true where account_id = $1::int and not is_catching_up',
};

const finish: SqlStatement = {
  name: 'finish_alert_catch_up',
  text: `update alerts set is_catching_up = false where account_id = $1::int and plans_ending_days = $2::int`,
};

/** `noteAll` keeps failed notices for the next run. It returns null if the engine is overloaded. */
type NoteAll = (ends: readonly PlanEnd[]) => Promise<readonly PlanEnd[] | null>;

export async function catchUpAlerts(
  {
    database,
    now,
    limits,
  }: {
    readonly database: Database;
    readonly now: () => EpochSeconds;
    readonly limits: { readonly plansAtOnce: number };
  },
  noteAll: NoteAll,
  signal: AbortSignal,
): Promise<boolean> {
  for (const row of await database.query(listCatchingUp)) {
    const accountId = Number(row['account_id']);
    const ofAccount = database.ofAccount(accountId);
    const days = await copyAlertDays(ofAccount, accountId);
    if (days === null) continue;
    let last = { expiresAt: now(), number: 2_147_483_647 };
    const until = last.expiresAt + days * daySeconds;
    for (;;) {
      if (signal.aborted) return false;
      const { expiresAt, number } = last;
      const rows = await ofAccount.query(listRunning, [
        accountId,
        expiresAt,
        until,
        number,
        limits.plansAtOnce,
      ]);
      const ends = rows.map(
        (plan): PlanEnd => ({
          accountId,
          customerNumber: Number(plan['number']),
          expiresAt: Number(plan['expires_at']),
          days,
        }),
      );
      if ((await noteAll(ends)) === null) return false;
      const end = ends.at(-1);
      if (end === undefined || ends.length < limits.plansAtOnce) break;
      last = { expiresAt: end.expiresAt, number: end.customerNumber };
    }
    await database.query(finish, [accountId, days]);
  }
  return true;
}

async function copyAlertDays(database: Database, accountId: number): Promise<number | null> {
  return database.transaction(
    async (transaction) => {
      const [row] = await transaction.query(lockDays, [accountId]);
      if (row === undefined) return null;
      const days = nullable(Number, row['plans_ending_days']);
      if (row['alert_days'] !== row['plans_ending_days']) {
        await transaction.query(copyDays, [accountId, days]);
        if (days !== null) await transaction.query(beginCatchUp, [accountId]);
      }
      return days;
    },
    { rank: 'reads' },
  );
}
