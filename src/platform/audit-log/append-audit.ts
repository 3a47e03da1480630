// The audit log: who changed what, when, from what to what. Append-only, and without secrets: a reset key
// or password is noted as a fact, never as a value. The only writer of audit_log; always called inside
// the transaction that makes the change. A refused sign-in changes nothing: its entry stands alone.

import { findAccountNames } from '../../features/identity/account-names.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type Page, pageRange } from '../../shared/pages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, Row, SqlStatement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { textArray } from '../database/sql-arrays.ts';
import { type Column, describeTable, int, nullableInt, text, time } from '../database/table.ts';

/** Who acted for the account. */
export interface ActingParty {
  readonly type: 'key' | 'person';
  readonly id: number;
  /** Which secret of the key was sent; absent: its first. Not entered. */
  readonly secretId?: number;
}

/** Who is refused at sign-in is not known: no account has this id. */
export const nobody = 0;

export interface AuditAuthor {
  /** The administrator's account, or that of whoever changed something of their own; or `nobody`. */
  readonly actorId: number;
  /** Its key or person; absent or null where the service itself acted, or its command line without a key. */
  readonly by?: ActingParty | null;
}

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

export interface RecordedAuditEntry extends AuditEntry {
  readonly number: number;
  readonly at: EpochSeconds;
  readonly actor: string;
  /** The username of the person, the name of the key; empty where `by` is null or has no name. */
  readonly byName: string;
}

const auditLog = describeTable('audit_log', {
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

const countAudit: SqlStatement = { name: 'count_audit', text: 'select audit_count from service_state' };

/** What is read of an entry `l`, beside the name of who acted: of its people `p` or api_keys `k`. */
export const recordedColumns = auditLog.list;
export const recordedNames = `coalesce(p.username, k.name, '') as by_name`;

const listAuditEntries: SqlStatement = {
  name: 'list_audit',
  text: `select ${recordedColumns('l')}, ${recordedNames}
    from audit_log l left join people p on p.id = l.actor_person_id left join api_keys k on k.id = l.actor_key_id
    where l.number between $1::int and $2::int order by l.number desc`,
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

function actingParty(keyId: number | null, personId: number | null): ActingParty | null {
  if (keyId !== null) return { type: 'key', id: keyId };
  return personId === null ? null : { type: 'person', id: personId };
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
  return { total, entries: await readEntries(database, rows) };
}

/** Of rows with `recordedColumns` and `recordedNames`: with the names of the accounts that acted. */
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

function json(name: string): Column<JsonObject | null> {
  return {
    name,
    arrayType: 'text[]',
    cast: (value) => `${value}::jsonb`,
    toArray: (values) => textArray(values.map((value) => (value === null ? null : JSON.stringify(value)))),
    parse: (value) => nullable((found) => found as JsonObject, value),
  };
}
