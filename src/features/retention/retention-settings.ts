// How long the service keeps what it deletes by itself, in service_state. The only writer of those columns. Each process
// caches the days and reloads them on NOTIFY; jobs read them from the database, so that none deletes by old ones.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import { changesChannel, notifyChange, retentionChanged } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { nullable } from '../../platform/database/row-values.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';

/** In days. null: kept for good. */
export interface Retention {
  readonly requestLogDays: number;
  readonly eventDays: number;
  readonly mailDays: number;
  readonly auditAddressDays: number | null;
  readonly closedAccountDays: number | null;
}

export interface RetentionHolder {
  current(): Retention;
  reload(): Promise<Retention>;
}

export const daySeconds = 86_400;

const find: SqlStatement = {
  name: 'find_retention',
  text: `select request_log_days, event_days, mail_days, audit_address_days, closed_account_days from service_state`,
};

const findForUpdate: SqlStatement = { name: 'lock_retention', text: `${find.text} for no key update` };

const update: SqlStatement = {
  name: 'update_retention',
  text: `update service_state set request_log_days = $1::int, event_days = $2::int, mail_days = $3::int,
      audit_address_days = $4::int, closed_account_days = $5::int`,
};

export async function findRetention(database: Queryable, statement = find): Promise<Retention> {
  const [row = {}] = await database.query(statement);
  return {
    requestLogDays: Number(row['request_log_days']),
    eventDays: Number(row['event_days']),
    mailDays: Number(row['mail_days']),
    auditAddressDays: nullable(Number, row['audit_address_days']),
    closedAccountDays: nullable(Number, row['closed_account_days']),
  };
}

export async function createRetentionHolder(database: Queryable): Promise<RetentionHolder> {
  let current = await findRetention(database);
  return {
    current: () => current,
    async reload() {
      current = await findRetention(database);
      return current;
    },
  };
}

/** A change that changes nothing leaves no entry in the audit log. */
export function changeRetention(
  database: Database,
  change: Partial<Retention>,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<void> {
  return database.transaction(async (transaction) => {
    const before = await findRetention(transaction, findForUpdate);
    const after = { ...before, ...change };
    const views = changedFields(retentionView(before), retentionView(after));
    if (views === null) return;
    const { requestLogDays, eventDays, mailDays, auditAddressDays, closedAccountDays } = after;
    await transaction.query(update, [
      requestLogDays,
      eventDays,
      mailDays,
      auditAddressDays,
      closedAccountDays,
    ]);
    await transaction.query(notifyChange, [changesChannel, retentionChanged]);
    const entry = { ...author, action: 'retention.update', subject: 'retention', ...views };
    await appendAudit(transaction, entry, now);
  });
}

export function retentionView(retention: Retention) {
  return {
    request_log_days: retention.requestLogDays,
    event_days: retention.eventDays,
    mail_days: retention.mailDays,
    audit_address_days: retention.auditAddressDays,
    closed_account_days: retention.closedAccountDays,
  };
}

function changedFields(before: JsonObject, after: JsonObject) {
  const names = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (names.length === 0) return null;
  const only = (of: JsonObject) => Object.fromEntries(names.map((name) => [name, of[name]]));
  return { before: only(before), after: only(after) };
}
