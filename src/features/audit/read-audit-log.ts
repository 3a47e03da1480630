// Reads the audit log, newest first, with authors' names. append-audit.ts writes it.

import type { ActingParty } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, auditLog } from '../../platform/audit-log/append-audit.ts';
import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { type Page, pageRange } from '../../shared/pages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';

export interface RecordedAuditEntry extends AuditEntry {
  readonly number: number;
  readonly at: EpochSeconds;
  readonly actor: string;
  readonly byName: string;
}

const countAudit: SqlStatement = { name: 'count_audit', text: 'select audit_count from service_state' };

/** The columns of entry `l`. The names come from people `p` or api_keys `k`. */
export const recordedColumns = auditLog.list;
export const recordedNames = `coalesce(p.username, k.name, '') as by_name`;

const listAuditEntries: SqlStatement = {
  name: 'list_audit',
  text: `select ${recordedColumns('l')}, ${recordedNames}
    from audit_log l left join people p on p.id = l.actor_person_id left join api_keys k on k.id = l.actor_key_id
    where l.number between $1::int and $2::int order by l.number desc`,
};

function actingParty(keyId: number | null, personId: number | null): ActingParty | null {
  if (keyId !== null) return { type: 'key', id: keyId };
  return personId === null ? null : { type: 'person', id: personId };
}

export async function listAudit(
  database: Queryable,
  page: Page,
): Promise<{ total: number; entries: RecordedAuditEntry[] }> {
  const [counted] = await database.query(countAudit);
  const total = Number(counted?.['audit_count'] ?? 0);
  const range = pageRange(page, total);
  const rows = range === null ? [] : await database.query(listAuditEntries, [range.from, range.to]);
  return { total, entries: await readEntries(database, rows) };
}

export async function readEntries(database: Queryable, rows: readonly Row[]): Promise<RecordedAuditEntry[]> {
  const parsed = rows.map((row) => ({ ...auditLog.parse(row), byName: String(row['by_name']) }));
  const usernames = await findAccountNames(
    database,
    parsed.map(({ actorId }) => actorId),
  );
  return parsed.map(({ actorKeyId, actorPersonId, ...entry }) => ({
    ...entry,
    actor: usernames.get(entry.actorId) ?? '',
    by: actingParty(actorKeyId, actorPersonId),
  }));
}
