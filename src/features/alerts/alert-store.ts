// Alert settings. The only writer of accounts.alert_below_cents and of alerts, except the mail progress (alert-mails.ts) and
// the catch-up state (plans/alert-catch-up.ts).

import { isDeepStrictEqual } from 'node:util';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { bigint, nullable } from '../../platform/database/row-values.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { listenToAccount } from '../events/event-log.ts';
import { isInUse } from '../identity/account-in-use.ts';
import { forgetAlertAddresses, noteAlertAddresses } from './alert-addresses.ts';
import { mondayOf } from './weekly-summaries.ts';

export interface Alerts {
  readonly belowCents: bigint | null;
  /** null sends only the standard notices. */
  readonly plansEndingDays: number | null;
  readonly emails: readonly string[];
  /** A mail about the business each Monday. */
  readonly weeklySummary: boolean;
}

const columns = 'a.alert_below_cents, t.plans_ending_days, t.emails, t.weekly_summary';

const findAlerts: SqlStatement = {
  name: 'find_alerts',
  text: `select ${columns} from accounts a left join alerts t on t.account_id = a.id where a.id = $1::int`,
};

const lockAlerts: SqlStatement = {
  name: 'lock_alerts',
  text: `${findAlerts.text} and ${isInUse('a')} for no key update of a`,
};

const setThreshold: SqlStatement = {
  name: 'set_alert_threshold',
  text: 'update accounts set alert_below_cents = $2::bigint, alert_days = $3::int where id = $1::int',
};

const setAlerts: SqlStatement = {
  name: 'set_alerts',
  // Events from before the first recipient count as mailed.
  text: `insert into alerts as t (account_id, plans_ending_days, emails, low_mailed_number, ending_mailed_number,
      payments_mailed_number, is_catching_up, weekly_summary, weekly_mailed_on)
    select id, $2::int, $3::text[], event_count, event_count, event_count, $2::int is not null, $4::boolean, $5::date
    from accounts where id = $1::int
    on conflict (account_id) do update set plans_ending_days = excluded.plans_ending_days, emails = excluded.emails,
      weekly_summary = excluded.weekly_summary,
      weekly_mailed_on = case when t.weekly_summary then t.weekly_mailed_on else excluded.weekly_mailed_on end,
      is_catching_up = excluded.is_catching_up and (t.is_catching_up or t.plans_ending_days is distinct from excluded.plans_ending_days),
      low_mailed_number = case when t.emails = '{}' then excluded.low_mailed_number else t.low_mailed_number end,
      payments_mailed_number = case when t.emails = '{}' then excluded.payments_mailed_number else t.payments_mailed_number end,
      ending_mailed_number = case when t.emails = '{}' or t.plans_ending_days is distinct from excluded.plans_ending_days
        then excluded.ending_mailed_number else t.ending_mailed_number end`,
};

export async function readAlerts(database: Queryable, accountId: number): Promise<Alerts> {
  const [row] = await database.ofAccount(accountId).query(findAlerts, [accountId]);
  return parseAlerts(row ?? {});
}

/** Replaces all settings. Returns false if the test was reset meanwhile. */
export function replaceAlerts(
  database: Database,
  accountId: number,
  wanted: Alerts,
  author: AuditAuthor,
  now: EpochSeconds,
): Promise<boolean> {
  return database.ofAccount(accountId).transaction(async (transaction) => {
    const [row] = await transaction.query(lockAlerts, [accountId]);
    if (row === undefined) return false;
    const before = parseAlerts(row);
    // Tests send no mail, so their addresses need no confirmation.
    if (!isTestAccount(accountId)) await noteAlertAddresses(transaction, accountId, wanted.emails, now);
    if (isDeepStrictEqual(before, wanted)) return true;
    const { belowCents, plansEndingDays, emails, weeklySummary } = wanted;
    await listenToAccount(transaction, accountId);
    await transaction.query(setThreshold, [accountId, belowCents, plansEndingDays]);
    await transaction.query(setAlerts, [
      accountId,
      plansEndingDays,
      textArray(emails),
      weeklySummary,
      // The first one comes next Monday.
      mondayOf(now),
    ]);
    await appendAudit(
      transaction,
      {
        ...author,
        accountId,
        action: 'account.set_alerts',
        subject: `account ${accountId}`,
        before: auditView(before),
        after: auditView(wanted),
      },
      now,
    );
    return true;
  });
}

const clearAlerts: SqlStatement = {
  name: 'clear_alerts',
  text: `update alerts set emails = '{}', plans_ending_days = null, is_catching_up = false, weekly_summary = false
    where account_id = $1::int`,
};

/** For a closed account, in its transaction: nothing is mailed any more. */
export async function silenceAlerts(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.ofAccount(accountId).query(setThreshold, [accountId, null, null]);
  await transaction.query(clearAlerts, [accountId]);
  await forgetAlertAddresses(transaction, accountId);
}

function parseAlerts(row: Row): Alerts {
  const emails = row['emails'];
  return {
    belowCents: nullable(bigint, row['alert_below_cents']),
    plansEndingDays: nullable(Number, row['plans_ending_days']),
    emails: Array.isArray(emails) ? emails.map(String) : [],
    weeklySummary: row['weekly_summary'] === true,
  };
}

function auditView({ belowCents, plansEndingDays, emails, weeklySummary }: Alerts) {
  return {
    balance_below: belowCents === null ? null : formatAmount(belowCents),
    plans_ending_days: plansEndingDays,
    emails,
    weekly_summary: weeklySummary,
  };
}
