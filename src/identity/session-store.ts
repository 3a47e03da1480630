// Sessions of the panel: who signed in, from where, until when. Only the hash of a token is stored: reading
// the database signs nobody in. A session lives while it is used (12 hours) and never longer
// than 14 days, and ends for good when the password changes, the account is blocked, or an administrator says so: it
// began under a password_version that the account has left. The only writer of sessions.

import { createHash, randomBytes } from 'node:crypto';
import { endSessionsOf } from '../accounts/account-store.ts';
import { type Account, accounts } from '../accounts/account-table.ts';
import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { deleteInPieces, type OldRows } from '../database/delete-in-pieces.ts';
import { describeTable, int, type RowOf, text, time, writeRows } from '../database/table.ts';
import { type AuditAuthor, type AuditEntry, appendAudit } from '../journal/audit-log.ts';

export interface SessionLimits {
  readonly idleSeconds: number;
  readonly absoluteSeconds: number;
  /** Of one account; beyond it the one that was used the longest ago ends. */
  readonly perAccountMax: number;
}

const sessions = describeTable('sessions', {
  accountId: int('account_id'),
  tokenHash: text('token_hash'),
  passwordVersion: int('password_version'),
  createdAt: time('created_at'),
  lastSeenAt: time('last_seen_at'),
  address: text('address'),
  userAgent: text('user_agent'),
});

export type Session = RowOf<typeof sessions>;

/** What the cookie holds. */
export interface SessionToken {
  readonly accountId: number;
  readonly token: string;
}

/** last_seen_at is written no more often than this. */
const seenSeconds = 60;
const userAgentMax = 300;
const deleteAtOnceMax = 5_000;

/** Its columns, beside those of its account. */
const sessionColumns = sessions.list('s', 's_');

/**
 * Sessions that began before $2 or were last seen before $3 have ended. Those that the block of their account ended are
 * found while it lasts, so that their holders are told why; unblocking moves the version on, too.
 */
const isAlive = `s.password_version = a.password_version - case when a.blocked then 1 else 0 end and s.created_at > to_timestamp($2::bigint)
  and s.last_seen_at > to_timestamp($3::bigint)`;

const findSessionByToken: Statement = {
  name: 'find_session',
  text: `select ${sessionColumns}, ${accounts.list('a')}
    from sessions s join accounts a on a.id = s.account_id
    where s.account_id = $1::int and s.token_hash = $4 and ${isAlive}`,
};

const listSessionsOf: Statement = {
  name: 'list_sessions',
  text: `select ${sessionColumns} from sessions s join accounts a on a.id = s.account_id
    where s.account_id = $1::int and ${isAlive} order by s.last_seen_at desc, s.token_hash`,
};

const insertSession = sessions.insert('insert_session');

const endOldest: Statement = {
  name: 'end_oldest_sessions',
  text: `delete from sessions s using (
      select token_hash, row_number() over (order by last_seen_at desc, token_hash) as place
      from sessions where account_id = $1::int) ranked
    where s.account_id = $1::int and s.token_hash = ranked.token_hash and ranked.place > $2::int`,
};

const seeSession: Statement = {
  name: 'see_session',
  text: `update sessions set last_seen_at = to_timestamp($3::bigint)
    where account_id = $1::int and token_hash = $2 and last_seen_at < to_timestamp($3::bigint)`,
};

const deleteSession: Statement = {
  name: 'delete_session',
  text: 'delete from sessions where account_id = $1::int and token_hash = $2 returning 1',
};

const deleteSessionById: Statement = {
  name: 'delete_session_by_id',
  text: `delete from sessions where account_id = $1::int and starts_with(token_hash, $2) returning 1`,
};

const deleteOthers: Statement = {
  name: 'delete_other_sessions',
  text: 'delete from sessions where account_id = $1::int and token_hash <> $2',
};

const deleteAll: Statement = {
  name: 'delete_sessions_of',
  text: `delete from sessions s using accounts a where a.id = s.account_id and s.account_id = $1::int
    returning ${isAlive} as was_alive`,
};

const renewSession: Statement = {
  name: 'renew_session',
  text: `update sessions set token_hash = $3, password_version = $4::int
    where account_id = $1::int and token_hash = $2 returning 1`,
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

/** What the account sees of a session in place of its token: enough of the hash to tell its sessions apart. */
export function sessionId({ tokenHash }: Pick<Session, 'tokenHash'>): string {
  return tokenHash.slice(0, idLength);
}

const idLength = 22;

/** When it ends if nobody uses it again. */
export function sessionExpiry(session: Session, limits: SessionLimits): EpochSeconds {
  return Math.min(session.createdAt + limits.absoluteSeconds, session.lastSeenAt + limits.idleSeconds);
}

export interface SessionStore {
  readonly limits: SessionLimits;
  begin(
    account: { readonly id: number; readonly passwordVersion: number },
    from: { readonly address: string; readonly userAgent: string },
    now: EpochSeconds,
    entry: AuditEntry | null,
    /** What is written with the session, or not at all. */
    along?: (transaction: Queryable) => Promise<void>,
  ): Promise<SessionToken>;
  /** The session and its account as both are now; null where it has ended. Notes that it was seen. */
  find(token: SessionToken, now: EpochSeconds): Promise<{ session: Session; account: Account } | null>;
  /** Most recently used first. */
  list(accountId: number, now: EpochSeconds): Promise<Session[]>;
  /** null: there was none. */
  end(token: SessionToken): Promise<true | null>;
  /** false: the account has no such session. */
  endById(accountId: number, id: string): Promise<boolean>;
  endOthers(session: Session): Promise<void>;
  /** Of the account, by an administrator. How many there were; null: there is no such account. */
  endAll(accountId: number, actor: AuditAuthor & { readonly now: EpochSeconds }): Promise<number | null>;
  /**
   * After its holder changed the password: this session goes on, under a new token, for whoever may have the old one; the
   * others have ended. null: it has ended, too.
   */
  surviveNewPassword(session: Session): Promise<SessionToken | null>;
  /** Whether some may be left, because the signal said stop. */
  deleteExpired(now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

export function createSessionStore(database: Database, limits: SessionLimits): SessionStore {
  const bounds = (now: EpochSeconds) => [now - limits.absoluteSeconds, now - limits.idleSeconds];

  return {
    limits,
    async begin({ id: accountId, passwordVersion }, { address, userAgent }, now, entry, along) {
      const token = mintToken();
      const session: Session = {
        accountId,
        tokenHash: hashOf(token),
        passwordVersion,
        createdAt: now,
        lastSeenAt: now,
        address,
        userAgent: userAgent.slice(0, userAgentMax).toWellFormed(),
      };
      await database.transaction(async (transaction) => {
        await writeRows(transaction, insertSession, [session]);
        await transaction.query(endOldest, [accountId, limits.perAccountMax]);
        await along?.(transaction);
        if (entry !== null) await appendAudit(transaction, entry, now);
      });
      return { accountId, token };
    },
    async find({ accountId, token }, now) {
      const tokenHash = hashOf(token);
      const [row] = await database.query(findSessionByToken, [accountId, ...bounds(now), tokenHash]);
      if (row === undefined) return null;
      const session = sessions.parse(row, 's_');
      const account = accounts.parse(row);
      if (session.lastSeenAt > now - seenSeconds) return { session, account };
      // A session that cannot be noted as seen is one all the same.
      await database.query(seeSession, [accountId, tokenHash, now]).catch(() => undefined);
      return { session: { ...session, lastSeenAt: now }, account };
    },
    async list(accountId, now) {
      const rows = await database.query(listSessionsOf, [accountId, ...bounds(now)]);
      return rows.map((row) => sessions.parse(row, 's_'));
    },
    async end({ accountId, token }) {
      const rows = await database.query(deleteSession, [accountId, hashOf(token)]);
      return rows.length > 0 ? true : null;
    },
    async endById(accountId, id) {
      if (!new RegExp(`^[A-Za-z0-9_-]{${idLength}}$`).test(id)) return false;
      return (await database.query(deleteSessionById, [accountId, id])).length > 0;
    },
    async endOthers({ accountId, tokenHash }) {
      await database.query(deleteOthers, [accountId, tokenHash]);
    },
    endAll: (accountId, { now, ...author }) =>
      database.transaction(async (transaction) => {
        const rows = await transaction.query(deleteAll, [accountId, ...bounds(now)]);
        if (!(await endSessionsOf(transaction, accountId))) return null;
        const ended = rows.filter((row) => row['was_alive'] === true).length;
        const subject = `account ${accountId}`;
        const entry = { ...author, action: 'account.end_sessions', subject, before: null, after: { ended } };
        await appendAudit(transaction, entry, now);
        return ended;
      }),
    surviveNewPassword: ({ accountId, tokenHash, passwordVersion }) =>
      database.transaction(async (transaction) => {
        const token = mintToken();
        const renewed = hashOf(token);
        // One more than its own: a password that an administrator set at the same moment ends it.
        const values = [accountId, tokenHash, renewed, passwordVersion + 1];
        if ((await transaction.query(renewSession, values)).length === 0) return null;
        await transaction.query(deleteOthers, [accountId, renewed]);
        return { accountId, token };
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
