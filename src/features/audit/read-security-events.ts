// The last entries of the audit log about how a person signs in. Each search reads the newest entries of one index.

import { unknownActor } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, auditLog } from '../../platform/audit-log/append-audit.ts';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Person, personAction } from '../identity/people-table.ts';

const readMax = 500;

/** Entries that exist have this action. */
export const refusedAction = 'deed.refuse';

const securityActions = [
  'sign_in.accept',
  'sign_in.refuse',
  refusedAction,
  ...['enable_totp', 'disable_totp', 'end_sessions', 'mail_password_link'].flatMap((action) => [
    `account.${action}`,
    `person.${action}`,
  ]),
];

/** Changes of a person or account are about signing in only if the password or the address changed. */
const newestOf = (where: string) => `select n.number from (
        select l.* from audit_log l where ${where} order by l.number desc limit ${readMax}) n
      where (n.action = any($5::text[]) or n.action in ('person.update', 'account.update')
        and (n.after ->> 'password' is not null or n.before ->> 'email' is distinct from n.after ->> 'email'))`;

const listEvents: SqlStatement = {
  name: 'list_security_events',
  text: `with found as (
      (${newestOf('l.actor_person_id = $1::int')} and n.action in ('sign_in.accept', '${refusedAction}'))
      union
      (${newestOf('l.subject = $2::text')})
      union
      (${newestOf('l.subject = $3::text')} and n.action = 'sign_in.refuse' and n.after ->> 'username' = $4::text))
    select ${auditLog.list('l')} from audit_log l
    where l.number = any(array(select number from found order by number desc limit $6::int)) order by l.number desc`,
};

export interface SecurityEvent {
  readonly number: number;
  readonly at: EpochSeconds;
  readonly entry: Pick<AuditEntry, 'action' | 'before' | 'after'>;
  readonly by: 'self' | 'account' | 'operator' | 'unknown';
}

/** Newest first. */
export async function listSecurityEvents(
  database: Queryable,
  person: Pick<Person, 'id' | 'accountId' | 'username'>,
  limit: number,
): Promise<readonly SecurityEvent[]> {
  const { subject } = personAction(person, 'update');
  const values = [person.id, subject, `sign-in of account ${person.accountId}`, person.username];
  const rows = await database.query(listEvents, [...values, textArray(securityActions), limit]);
  return rows.map((row) => {
    const { number, at, actorId, actorKeyId, actorPersonId, ...entry } = auditLog.parse(row);
    const acting = { actorKeyId, actorPersonId };
    const isUnknown = actorId === unknownActor;
    return { number, at, entry, by: isUnknown ? 'unknown' : partyOf(person, { actorId, ...acting }) };
  });
}

interface Acting {
  readonly actorId: number;
  readonly actorKeyId: number | null;
  readonly actorPersonId: number | null;
}

/** Without key and person the account acted by a link that was mailed to the person. */
function partyOf({ id, accountId }: Pick<Person, 'id' | 'accountId'>, acting: Acting): SecurityEvent['by'] {
  if (acting.actorId !== accountId) return 'operator';
  const isOwn = acting.actorPersonId === id || (acting.actorPersonId ?? acting.actorKeyId) === null;
  return isOwn ? 'self' : 'account';
}

export function textOf(of: JsonObject | null, name: string): string | null {
  const value = of?.[name];
  return typeof value === 'string' ? value : null;
}
