// The audit log: who changed what, when, from what to what. Append-only, and without secrets: a reset key
// or password is noted as a fact, never as a value. The only writer of audit_log; always called inside
// the transaction that makes the change. A refused sign-in changes nothing: its entry stands alone. Read by
// audit/read-audit-log.ts.

import { isTestAccount } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, SqlStatement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { textArray } from '../database/sql-arrays.ts';
import { type Column, describeTable, int, nullableInt, text, time } from '../database/table.ts';
import type { ActingParty, AuditAuthor } from './actor.ts';

export interface AuditEntry extends AuditAuthor {
  /** noun.verb, such as "account.update". */
  readonly action: string;
  /** What was changed, such as "account 12". */
  readonly subject: string;
  /** Fields have the names and formats that the API has for them. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
  /** Whose it is, where that may be a test: the log is the operator's and kept for ever, and holds nothing that is done with tests. */
  readonly accountId?: number;
}

export const auditLog = describeTable('audit_log', {
  number: int('number'),
  at: time('at'),
  actorId: int('actor_id'),
  action: text('action'),
  subject: text('subject'),
  before: json('before'),
  after: json('after'),
  actorKeyId: nullableInt('actor_key_id'),
  actorPersonId: nullableInt('actor_person_id'),
});

const newEntries = auditLog.without('number');
const count = `$${newEntries.names.length + 1}::int`;

// A change of packages or prices moved their version earlier in its transaction, and holds the row since.
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

/** Takes the log's row lock until the end of the transaction: send it last. */
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

function json(name: string): Column<JsonObject | null> {
  return {
    name,
    arrayType: 'text[]',
    cast: (value) => `${value}::jsonb`,
    toArray: (values) => textArray(values.map((value) => (value === null ? null : JSON.stringify(value)))),
    parse: (value) => nullable((found) => found as JsonObject, value),
  };
}
