// The only writer of audit_log, an append-only table read by audit/read-audit-log.ts. Runs inside the transaction of the
// change; a refused sign-in is logged on its own.
// Invariant: no secrets. A reset key or password is recorded as a fact, never as a value.

import { isTestAccount } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, SqlStatement } from '../database/database.ts';
import { describeTable, int, nullableInt, nullableJson, text, time } from '../database/table.ts';
import type { ActingParty, AuditAuthor } from './actor.ts';

export interface AuditEntry extends AuditAuthor {
  readonly action: string;
  readonly subject: string;
  /** Field names and formats are those of the API. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** The account concerned, if it may be a test account: changes to test accounts are not logged. */
  readonly accountId?: number;
}

export const auditLog = describeTable('audit_log', {
  number: int('number'),
  at: time('at'),
  actorId: int('actor_id'),
  action: text('action'),
  subject: text('subject'),
  before: nullableJson('before'),
  after: nullableJson('after'),
  actorKeyId: nullableInt('actor_key_id'),
  actorPersonId: nullableInt('actor_person_id'),
});

const newEntries = auditLog.without('number');
const count = `$${newEntries.names.length + 1}::int`;

// A change of packages or prices has raised packages_version earlier in this transaction and still locks the row.
const insertAudit: SqlStatement = {
  name: 'insert_audit',
  text: `with counted as (
      update service_state set audit_count = audit_count + ${count}
      returning audit_count - ${count} as earlier, packages_version)
    insert into audit_log (number, packages_version, ${newEntries.names.join(', ')})
    select earlier + row.position, case when row.action like 'package.%' then packages_version end,
      ${newEntries.arrived('row')} from counted, ${newEntries.sentInOrder('row')}`,
};

export function appendAudit(transaction: Queryable, entry: AuditEntry, now: EpochSeconds): Promise<void> {
  return appendAudits(transaction, [entry], now);
}

/** Locks the log's row until the transaction ends, so send it last. */
export async function appendAudits(
  transaction: Queryable,
  entries: readonly AuditEntry[],
  now: EpochSeconds,
): Promise<void> {
  const real = entries.filter(({ accountId = 0 }) => !isTestAccount(accountId));
  if (real.length === 0) return;
  const entered = real.map((entry) => ({
    ...entry,
    at: now,
    actorKeyId: idOf(entry.by, 'key'),
    actorPersonId: idOf(entry.by, 'person'),
  }));
  await transaction.query(insertAudit, [...newEntries.values(entered), entered.length]);
}

function idOf(by: ActingParty | null | undefined, type: ActingParty['type']): number | null {
  return by?.type === type ? by.id : null;
}
