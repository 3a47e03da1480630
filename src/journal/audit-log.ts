// The audit log: who changed what, when, from what to what. Append-only, and without secrets: a reset key
// or password is noted as a fact, never as a value. The only writer of audit_log; always called inside
// the transaction that makes the change.

import type { JsonObject } from '../contract/json.ts';
import { type Page, pageRange } from '../contract/pages.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Queryable, Row, Statement } from '../database/database.ts';

/** Who acted for the account. */
export interface ActingParty {
  readonly type: 'key' | 'person';
  readonly id: number;
}

export interface AuditAuthor {
  /** The administrator's account, or that of whoever changed something of their own. */
  readonly actorId: number;
  /** Its key or person; absent or null where the service itself acted, or its command line without a key. */
  readonly by?: ActingParty | null;
}

export interface AuditEntry extends AuditAuthor {
  /** noun.verb, such as "account.update". */
  readonly action: string;
  /** What was changed, such as "account 12". */
  readonly subject: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

export interface RecordedAuditEntry extends AuditEntry {
  readonly number: number;
  readonly at: EpochSeconds;
  readonly actor: string;
}

const insertAudit: Statement = {
  name: 'insert_audit',
  text: `with counted as (update service_state set audit_count = audit_count + 1 returning audit_count)
    insert into audit_log (number, at, actor_id, action, subject, before, after, actor_key_id, actor_person_id)
    select audit_count, to_timestamp($1::bigint), $2::int, $3::text, $4::text, $5::jsonb, $6::jsonb, $7::int, $8::int
    from counted`,
};

const countAudit: Statement = { name: 'count_audit', text: 'select audit_count from service_state' };

const listAuditEntries: Statement = {
  name: 'list_audit',
  text: `select l.number, l.at, l.actor_id, a.username, l.action, l.subject, l.before, l.after,
      l.actor_key_id, l.actor_person_id
    from audit_log l join accounts a on a.id = l.actor_id
    where l.number between $1::int and $2::int order by l.number desc`,
};

/** Takes the log's row lock until the end of the transaction: send it last. */
export async function appendAudit(
  transaction: Queryable,
  entry: AuditEntry,
  now: EpochSeconds,
): Promise<void> {
  const json = (value: JsonObject | null) => (value === null ? null : JSON.stringify(value));
  await transaction.query(insertAudit, [
    now,
    entry.actorId,
    entry.action,
    entry.subject,
    json(entry.before),
    json(entry.after),
    idOf(entry.by, 'key'),
    idOf(entry.by, 'person'),
  ]);
}

function idOf(by: ActingParty | null | undefined, type: ActingParty['type']): number | null {
  return by?.type === type ? by.id : null;
}

function actingParty(row: Row): ActingParty | null {
  const keyId = row['actor_key_id'] ?? null;
  if (keyId !== null) return { type: 'key', id: Number(keyId) };
  const personId = row['actor_person_id'] ?? null;
  return personId === null ? null : { type: 'person', id: Number(personId) };
}

/** Newest first. */
export async function listAudit(
  database: Queryable,
  page: Page,
): Promise<{ total: number; entries: RecordedAuditEntry[] }> {
  const [counted] = await database.query(countAudit);
  const total = Number(counted?.['audit_count'] ?? 0);
  const range = pageRange(page, total);
  const rows = range === null ? [] : await database.query(listAuditEntries, [range.from, range.to]);
  return {
    total,
    entries: rows.map((row) => ({
      number: Number(row['number']),
      at: Number(row['at']),
      actorId: Number(row['actor_id']),
      by: actingParty(row),
      actor: String(row['username']),
      action: String(row['action']),
      subject: String(row['subject']),
      before: (row['before'] ?? null) as JsonObject | null,
      after: (row['after'] ?? null) as JsonObject | null,
    })),
  };
}
