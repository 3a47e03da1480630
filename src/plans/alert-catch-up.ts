// After an account's alerts ask for a notice some days before the end: sends the notice of the running plans that have less
// left. Called by notePlanEnds (plan-ends.ts) before it looks for new ends. The engine sends each notice once.

import { realAccountIdMax } from '../contract/identifiers.ts';
import { Overloaded } from '../contract/overloaded.ts';
import { type Database, DatabaseUnavailable, type Statement } from '../database/database.ts';
import type { PlanEnd, PlanEndDependencies } from './plan-ends.ts';

const daySeconds = 86_400;

const listCatchingUp: Statement = {
  name: 'list_alerts_catching_up',
  text: `select account_id, plans_ending_days as days from alerts
    where is_catching_up and plans_ending_days is not null and account_id <= ${realAccountIdMax}
    order by account_id limit 100`,
};

const listRunning: Statement = {
  name: 'list_running_plans_of_account',
  text: `select number, expires_at from customers
    where account_id = $1::int and expires_at <= to_timestamp($3::bigint) and not cancelled
      and (expires_at, number) > (to_timestamp($2::bigint), $4::int) and expires_at >= to_timestamp($2::bigint)
    order by expires_at, number limit $5::int`,
};

const lockDays: Statement = {
  name: 'lock_alert_days',
  text: `select a.alert_days, t.plans_ending_days from accounts a join alerts t on t.account_id = a.id
    where a.id = $1::int for no key update of a`,
};
const copyDays: Statement = {
  name: 'copy_alert_days',
  text: 'update accounts set alert_days = $2::int where id = $1::int',
};

const finish: Statement = {
  name: 'finish_alert_catch_up',
  text: `update alerts set is_catching_up = false where account_id = $1::int and plans_ending_days = $2::int`,
};

/** false: stopped before it was done. @throws the first error of a plan, after all others were tried */
export async function catchUpAlerts(
  { database, note, now, limits }: PlanEndDependencies,
  signal: AbortSignal,
): Promise<boolean> {
  const failures: unknown[] = [];
  for (const row of await database.query(listCatchingUp)) {
    const [accountId, days] = [Number(row['account_id']), Number(row['days'])];
    const ofAccount = database.ofAccount(accountId);
    await copyAlertDays(ofAccount, accountId);
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
      for (const result of await Promise.allSettled(ends.map(note))) {
        if (result.status === 'fulfilled') continue;
        if (result.reason instanceof Overloaded) return false;
        if (result.reason instanceof DatabaseUnavailable) throw result.reason;
        failures.push(result.reason);
      }
      const end = ends.at(-1);
      if (end === undefined || ends.length < limits.plansAtOnce) break;
      last = { expiresAt: end.expiresAt, number: end.customerNumber };
    }
    await database.query(finish, [accountId, days]);
  }
  if (failures.length > 0) throw failures[0];
  return true;
}

/** Alerts that were set before accounts had the column. */
async function copyAlertDays(database: Database, accountId: number): Promise<void> {
  await database.transaction(
    async (transaction) => {
      const [row] = await transaction.query(lockDays, [accountId]);
      if (row === undefined || row['alert_days'] === row['plans_ending_days']) return;
      await transaction.query(copyDays, [accountId, row['plans_ending_days']]);
    },
    { rank: 'reads' },
  );
}
