// The only writer of audit_log, an append-only table. An entry is written in the transaction of the change it describes.
// Only a refused sign-in, which changes nothing, is logged in its own transaction.
// Invariant: entries contain no secrets. They record that a key or password was reset, never its value.

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

// This packages_version is current: a change of packages or prices raised it earlier in this transaction.
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

/** Locks the row that counts audit entries until the transaction ends, so make this the transaction's last statement. */
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
