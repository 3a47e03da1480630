// Links that set a password, mailed to the address of an account: the first one of somebody who was invited, and a new one
// of somebody who forgot it. Only a token's hash is stored. Used by the panel's routes and the administrator's API; the only
// writer of password_links.
// Always true: a link works once, and none works after the password was changed in any way, or the account blocked: it
// belongs to one password_version. Nobody waits for a link to be made: how long an answer takes tells nothing of a name.

import { createHash, randomBytes } from 'node:crypto';
import { type Account, accountCredentials } from '../accounts/account-table.ts';
import { type EpochSeconds, formatTime } from '../contract/times.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { deleteInPieces, type OldRows } from '../database/delete-in-pieces.ts';
import { describeTable, int, oneOf, text, time, writeRows } from '../database/table.ts';
import type { MailPart } from '../delivery/mail/mail-content.ts';
import type { MailOutbox } from '../delivery/mail/mail-outbox.ts';
import { appendAudit } from '../journal/audit-log.ts';

export interface PasswordLinkLimits {
  readonly resetValidSeconds: number;
  readonly invitationValidSeconds: number;
  /** One reset link of an account in this time, however often it is asked for. */
  readonly restSeconds: number;
  /** Accounts of one address that are written to. */
  readonly accountsMax: number;
  /** Requests on their way to the database. */
  readonly pendingMax: number;
}

const purposes = ['invitation', 'password_reset'] as const;
type Purpose = (typeof purposes)[number];

const links = describeTable('password_links', {
  tokenHash: text('token_hash'),
  accountId: int('account_id'),
  purpose: oneOf('purpose', purposes),
  passwordVersion: int('password_version'),
  createdAt: time('created_at'),
  expiresAt: time('expires_at'),
});

const insertLink = links.insert('insert_password_link');

const findHolders: Statement = {
  name: 'find_mail_holders',
  text: `select ${accountCredentials.list('a')} from accounts a
    where (a.username = $1 or lower(a.email) = $1) and a.email is not null and not a.blocked
    order by a.id limit $2::int`,
};

const findOpenLink: Statement = {
  name: 'find_password_link',
  text: `select l.purpose as link_purpose, ${accountCredentials.list('a')}
    from password_links l join accounts a on a.id = l.account_id
    where l.token_hash = $1 and l.expires_at > to_timestamp($2::bigint) and l.password_version = a.password_version
      and not a.blocked`,
};

const findVersion: Statement = {
  name: 'find_password_version',
  text: 'select password_version from accounts where id = $1::int',
};

const deleteAtOnceMax = 5_000;

const expiredRows: OldRows = {
  deletion: {
    name: 'delete_expired_password_links',
    text: `with gone as (delete from password_links where ctid = any(array(
      select ctid from password_links where expires_at < to_timestamp($1::bigint) limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

/** Whom a link that works is for. */
export interface OpenPasswordLink {
  readonly account: Account;
  readonly passwordVersion: number;
  readonly purpose: string;
}

export interface PasswordLinks {
  /** Whether this service sends mail. */
  readonly isOn: boolean;
  /**
   * Begins to mail a link to every account of this name or address; says nothing of whether there is one.
   * False: too many are under way.
   */
  requestReset(nameOrAddress: string, from: string, now: EpochSeconds): boolean;
  /** Once everything that was requested so far is in the outbox. */
  settled(): Promise<void>;
  /** Mails the link to a first password, in the transaction that makes the account. */
  invite(transaction: Queryable, account: Account, now: EpochSeconds): Promise<void>;
  find(token: string, now: EpochSeconds): Promise<OpenPasswordLink | null>;
  /** Whether some may be left, because the signal said stop. */
  deleteExpired(now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

export interface PasswordLinksDependencies {
  readonly database: Database;
  readonly mails: MailOutbox;
  readonly publicUrl: () => string;
  readonly limits: PasswordLinkLimits;
  readonly onProblem: (error: unknown) => void;
}

export function createPasswordLinks(dependencies: PasswordLinksDependencies): PasswordLinks {
  const { database, mails, publicUrl, limits, onProblem } = dependencies;
  const pending = new Set<Promise<void>>();

  /** False: the account was written to a moment ago. */
  async function mailLink(
    transaction: Queryable,
    { id, email, username }: Account,
    link: { purpose: Purpose; passwordVersion: number; occasion: string; validSeconds: number },
    {
      subject,
      before,
      after,
      label,
    }: { subject: string; label: string } & Record<'before' | 'after', readonly MailPart[]>,
    now: EpochSeconds,
  ): Promise<boolean> {
    if (email === null) return false;
    const { purpose, passwordVersion, occasion, validSeconds } = link;
    const token = randomBytes(32).toString('base64url');
    const expiresAt = now + validSeconds;
    const facts = [
      ['Username', username],
      ['The link works until', shownTime(expiresAt)],
    ] as const;
    const isQueued = await mails.queueMail(
      transaction,
      {
        accountId: id,
        to: email,
        kind: purpose,
        occasion: `${purpose} ${occasion}`,
        expiresAt,
        content: {
          subject,
          parts: [
            ...before,
            { type: 'link', label, url: `${publicUrl()}/panel/reset-password#token=${token}` },
            { type: 'facts', facts },
            ...after,
          ],
        },
      },
      now,
    );
    if (!isQueued) return false;
    const tokenHash = hashOf(token);
    const row = { tokenHash, accountId: id, purpose, passwordVersion, createdAt: now, expiresAt };
    await writeRows(transaction, insertLink, [row]);
    return true;
  }

  async function mailResets(nameOrAddress: string, from: string, now: EpochSeconds): Promise<void> {
    const rows = await database.query(findHolders, [nameOrAddress, limits.accountsMax]);
    for (const row of rows) {
      const { passwordHash: _, passwordVersion, ...account } = accountCredentials.parse(row);
      await database.transaction(async (transaction) => {
        const occasion = `${passwordVersion} ${Math.floor(now / limits.restSeconds)}`;
        const { resetValidSeconds: validSeconds } = limits;
        const isMailed = await mailLink(
          transaction,
          account,
          { purpose: 'password_reset', passwordVersion, occasion, validSeconds },
          resetWords(from, now),
          now,
        );
        if (!isMailed) return;
        const entry = {
          actorId: account.id,
          action: 'account.mail_password_link',
          subject: `account ${account.id}`,
          before: null,
          after: { address: from },
        };
        await appendAudit(transaction, entry, now);
      });
    }
  }

  return {
    isOn: mails.isOn,
    requestReset(nameOrAddress, from, now) {
      if (pending.size >= limits.pendingMax) return false;
      const made: Promise<void> = mailResets(nameOrAddress.trim().toLowerCase(), from, now)
        .catch(onProblem)
        .finally(() => pending.delete(made));
      pending.add(made);
      return true;
    },
    async settled() {
      await Promise.all(pending);
    },
    async invite(transaction, account, now) {
      const [row] = await transaction.query(findVersion, [account.id]);
      const passwordVersion = Number(row?.['password_version']);
      const { invitationValidSeconds: validSeconds } = limits;
      const link = { purpose: 'invitation', passwordVersion, occasion: 'first', validSeconds } as const;
      await mailLink(transaction, account, link, invitationWords, now);
    },
    async find(token, now) {
      if (!isToken(token)) return null;
      const [row] = await database.query(findOpenLink, [hashOf(token), now]);
      if (row === undefined) return null;
      const { passwordHash: _, passwordVersion, ...account } = accountCredentials.parse(row);
      return { account, passwordVersion, purpose: String(row['link_purpose']) };
    },
    deleteExpired: (now, signal) => deleteInPieces(database, expiredRows, [now], signal),
  };
}

const invitationWords = {
  subject: 'Your account is ready',
  label: 'Choose your password',
  before: [{ type: 'text', text: 'An account was made for you. Choose a password, and sign in with it.' }],
  after: [
    {
      type: 'text',
      text: 'The link works once. If it has expired, ask for another one with "Forgot your password?" where you sign in.',
    },
  ],
} as const;

function resetWords(from: string, now: EpochSeconds) {
  return {
    subject: 'A new password',
    label: 'Choose a new password',
    before: [
      {
        type: 'text',
        text: `Somebody asked for a new password for your account, at ${shownTime(now)} from the address ${from}.`,
      },
    ],
    after: [
      {
        type: 'text',
        text: 'The link works once. If it was not you, do nothing: your password stays as it is.',
      },
    ],
  } as const;
}

/** "2026-01-31 12:00 UTC" */
export function shownTime(seconds: EpochSeconds): string {
  return `${formatTime(seconds).slice(0, 16).replace('T', ' ')} UTC`;
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
