// The panel's sessions; only hashes of tokens are stored. A session ends after 12 hours without use, after 14 days, or when
// password_version changes. The only writer of sessions.

import { createHash, randomBytes } from 'node:crypto';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { type AuditEntry, appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import {
  describeTable,
  int,
  nullableTime,
  type RowOf,
  text,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { lockAccountRow } from '../identity/account-row.ts';
import { type Account, accounts } from '../identity/account-table.ts';
import { endSessionsOfAll, noteSignIn } from '../identity/people-rows.ts';
import { type Person, people } from '../identity/people-table.ts';

export interface SessionLimits {
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
  /** Sessions per person. Beyond this, the session that was unused for longest ends. */
  readonly perAccountMax: number;
}

const sessions = describeTable('sessions', {
  personId: int('person_id'),
  tokenHash: text('token_hash'),
  passwordVersion: int('password_version'),
  createdAt: time('created_at'),
  lastSeenAt: time('last_seen_at'),
  address: text('address'),
  userAgent: text('user_agent'),
  /** When the password was last confirmed. null: not in this session, or the password changed since. */
  confirmedAt: nullableTime('confirmed_at'),
});

export type Session = RowOf<typeof sessions>;

export interface SessionToken {
  readonly personId: number;
  readonly token: string;
}

const seenSeconds = 60;
const userAgentMax = 300;
const deleteAtOnceMax = 5_000;

const sessionColumns = sessions.list('s', 's_');

/** A session ended by a block is still found while the block lasts, so that users learn why they are signed out. */
const isInTime = `s.created_at > to_timestamp($2::bigint) and s.last_seen_at > to_timestamp($3::bigint)`;

/** Joins the person first and the account separately, because two servers' tables cannot be joined directly. */
const held = (columns: string, more = '') => `held as materialized (
      select ${columns}, p.account_id, p.password_version - s.password_version as versions_behind
      from sessions s join people p on p.id = s.person_id
      where s.person_id = $1::int and p.removed_at is null and ${isInTime}${more})`;

const isOfItsVersion = 'held.versions_behind = case when a.blocked then 1 else 0 end';

const findSessionByToken: SqlStatement = {
  name: 'find_session',
  text: `with ${held(
    `${sessionColumns}, ${people.list('p', 'p_')},
      exists (select 1 from totp_secrets t where t.person_id = p.id and t.enabled_at is not null) as has_totp`,
    ' and s.token_hash = $4',
  )}
    select held.*, ${accounts.list('a')} from held join accounts a on a.id = held.account_id where ${isOfItsVersion}`,
};

const listSessionsOf: SqlStatement = {
  name: 'list_sessions',
  text: `with ${held(`${sessionColumns}, s.last_seen_at`)}
    select held.* from held join accounts a on a.id = held.account_id where ${isOfItsVersion}
    order by held.last_seen_at desc, held.s_token_hash`,
};

const findAccountOfPerson: SqlStatement = {
  name: 'find_account_of_person',
  text: 'select account_id from people where id = $1::int',
};

const insertSession = sessions.insert('insert_session');

const endOldest: SqlStatement = {
  name: 'end_oldest_sessions',
  text: `delete from sessions s using (
      select token_hash, row_number() over (order by last_seen_at desc, token_hash) as place
      from sessions where person_id = $1::int) ranked
    where s.person_id = $1::int and s.token_hash = ranked.token_hash and ranked.place > $2::int`,
};

const seeSession: SqlStatement = {
  name: 'see_session',
  text: `update sessions set last_seen_at = to_timestamp($3::bigint)
    where person_id = $1::int and token_hash = $2 and last_seen_at < to_timestamp($3::bigint)`,
};

const deleteSession: SqlStatement = {
  name: 'delete_session',
  text: 'delete from sessions where person_id = $1::int and token_hash = $2 returning 1',
};

const deleteSessionById: SqlStatement = {
  name: 'delete_session_by_id',
  text: `delete from sessions where person_id = $1::int and starts_with(token_hash, $2) returning 1`,
};

const deleteOthers: SqlStatement = {
  name: 'delete_other_sessions',
  text: 'delete from sessions where person_id = $1::int and token_hash <> $2',
};

const deleteAll: SqlStatement = {
  name: 'delete_sessions_of',
  text: `delete from sessions s using people p
    where p.id = s.person_id and p.account_id = $1::int and p.removed_at is null
    returning ${isInTime} and s.password_version = p.password_version - case when $4::boolean then 1 else 0 end as was_alive`,
};

const deleteEvery: SqlStatement = {
  name: 'delete_every_session_of',
  text: 'delete from sessions s using people p where p.id = s.person_id and p.account_id = $1::int',
};

const renewSession: SqlStatement = {
  name: 'renew_session',
  text: `update sessions set token_hash = $3, password_version = $4::int, confirmed_at = null
    where person_id = $1::int and token_hash = $2 returning 1`,
};

// It may have ended while the password was being checked.
const confirmSession: SqlStatement = {
  name: 'confirm_session',
  text: `with ${held('s.token_hash', ' and s.token_hash = $4')},
      alive as materialized (select held.token_hash from held join accounts a on a.id = held.account_id
        where not a.blocked and ${isOfItsVersion})
    update sessions s set confirmed_at = case when $5::boolean then to_timestamp($6::bigint) else s.confirmed_at end
    from alive where s.person_id = $1::int and s.token_hash = alive.token_hash returning 1`,
};

const expiredRows: OldRows = {
  deletion: {
    name: 'delete_expired_sessions',
    text: `with gone as (delete from sessions where ctid = any(array(
      select ctid from sessions where created_at < to_timestamp($1::bigint) limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

/** Enough of the hash to distinguish sessions. It is shown because the token itself must stay secret. */
export function sessionId({ tokenHash }: Pick<Session, 'tokenHash'>): string {
  return tokenHash.slice(0, idLength);
}

const idLength = 22;

export function sessionExpiry(session: Session, limits: SessionLimits): EpochSeconds {
  return Math.min(session.createdAt + limits.absoluteSeconds, session.lastSeenAt + limits.idleSeconds);
}

export interface FoundSession {
  readonly session: Session;
  readonly person: Person;
  readonly account: Account;
  readonly isTotpEnabled: boolean;
}

export interface SessionStore {
  readonly limits: SessionLimits;
  begin(
    person: { readonly id: number; readonly passwordVersion: number },
    from: { readonly address: string; readonly userAgent: string },
    now: EpochSeconds,
    entry: AuditEntry | null,
    along?: (transaction: Queryable) => Promise<void>,
  ): Promise<SessionToken>;
  find(token: SessionToken, now: EpochSeconds): Promise<FoundSession | null>;
  list(personId: number, now: EpochSeconds): Promise<Session[]>;
  end(token: SessionToken): Promise<true | null>;
  endById(personId: number, id: string): Promise<boolean>;
  endOthers(session: Session): Promise<void>;
  /** Records a confirmed password, with `staysOpen` for further actions too. Returns false if the session has ended. */
  confirm(session: Session, staysOpen: boolean, now: EpochSeconds): Promise<boolean>;
  endAll(accountId: number, actor: AuditAuthor & { readonly now: EpochSeconds }): Promise<number | null>;
  /** Ends all other sessions and returns a new token, in case the old one was stolen. null: this one has ended too. */
  surviveNewPassword(session: Session): Promise<SessionToken | null>;
  deleteExpired(now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

export function createSessionStore(database: Database, limits: SessionLimits): SessionStore {
  const bounds = (now: EpochSeconds) => [now - limits.absoluteSeconds, now - limits.idleSeconds];
  const ofPerson = (personId: number) => ({ holding: findAccountOfPerson, by: [personId] });

  return {
    limits,
    async begin({ id: personId, passwordVersion }, { address, userAgent }, now, entry, along) {
      const token = mintToken();
      const session: Session = {
        personId,
        tokenHash: hashOf(token),
        passwordVersion,
        createdAt: now,
        lastSeenAt: now,
        address,
        userAgent: userAgent.slice(0, userAgentMax).toWellFormed(),
        confirmedAt: null,
      };
      await database.transaction(async (transaction) => {
        await writeRows(transaction, insertSession, [session]);
        await transaction.query(endOldest, [personId, limits.perAccountMax]);
        await noteSignIn(transaction, personId, now);
        await along?.(transaction);
        if (entry !== null) await appendAudit(transaction, entry, now);
      });
      return { personId, token };
    },
    async find({ personId, token }, now) {
      const tokenHash = hashOf(token);
      const values = [personId, ...bounds(now), tokenHash];
      const [row] = await queryShards(database, findSessionByToken, values, ofPerson(personId));
      if (row === undefined) return null;
      const found = {
        session: sessions.parse(row, 's_'),
        person: people.parse(row, 'p_'),
        account: accounts.parse(row),
        isTotpEnabled: row['has_totp'] === true,
      };
      if (found.session.lastSeenAt > now - seenSeconds) return found;
      // A failure to record this must not fail the request.
      await database.query(seeSession, [personId, tokenHash, now]).catch(() => undefined);
      return { ...found, session: { ...found.session, lastSeenAt: now } };
    },
    async list(personId, now) {
      const values = [personId, ...bounds(now)];
      const rows = await queryShards(database, listSessionsOf, values, ofPerson(personId));
      return rows.map((row) => sessions.parse(row, 's_'));
    },
    async end({ personId, token }) {
      const rows = await database.query(deleteSession, [personId, hashOf(token)]);
      return rows.length > 0 ? true : null;
    },
    async endById(personId, id) {
      if (!new RegExp(`^[A-Za-z0-9_-]{${idLength}}$`).test(id)) return false;
      return (await database.query(deleteSessionById, [personId, id])).length > 0;
    },
    async endOthers({ personId, tokenHash }) {
      await database.query(deleteOthers, [personId, tokenHash]);
    },
    async confirm({ personId, tokenHash }, staysOpen, now) {
      const values = [personId, ...bounds(now), tokenHash, staysOpen, now];
      return (await queryShards(database, confirmSession, values, ofPerson(personId))).length > 0;
    },
    endAll: (accountId, { now, ...author }) =>
      database.transaction(async (transaction) => {
        const account = await lockAccountRow(transaction, accountId);
        if (account === null) return null;
        const rows = await transaction.query(deleteAll, [accountId, ...bounds(now), account.blocked]);
        await endSessionsOfAll(transaction, accountId);
        const ended = rows.filter((row) => row['was_alive'] === true).length;
        const subject = `account ${accountId}`;
        const entry = { ...author, action: 'account.end_sessions', subject, before: null, after: { ended } };
        await appendAudit(transaction, entry, now);
        return ended;
      }),
    surviveNewPassword: ({ personId, tokenHash, passwordVersion }) =>
      database.transaction(async (transaction) => {
        const token = mintToken();
        const renewed = hashOf(token);
        // The version must be exactly one higher: if an administrator set a password at the same moment, the session ends.
        const values = [personId, tokenHash, renewed, passwordVersion + 1];
        if ((await transaction.query(renewSession, values)).length === 0) return null;
        await transaction.query(deleteOthers, [personId, renewed]);
        return { personId, token };
      }),
    deleteExpired: (now, signal) =>
      deleteInPieces(database, expiredRows, [now - limits.absoluteSeconds], signal),
  };
}

function mintToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** For a closed account, in its transaction. */
export async function deleteSessionsOf(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(deleteEvery, [accountId]);
}
