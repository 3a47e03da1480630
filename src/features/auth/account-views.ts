// Which session may view which account's panel read-only, and until when. The only writer of account_views.
// Invariant: a view belongs to one session and one non-administrator account, expires by itself, and is in the audit log
// before any data is shown.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces, type OldRows } from '../../platform/database/delete-in-pieces.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Account } from '../identity/account-table.ts';
import { findAccount } from '../identity/find-accounts.ts';
import type { Session } from './session-store.ts';

const beginView: SqlStatement = {
  name: 'begin_account_view',
  text: `insert into account_views (token_hash, account_id, until) values ($1, $2::int, to_timestamp($3::bigint))
    on conflict (token_hash, account_id) do update set until = excluded.until`,
};

const findView: SqlStatement = {
  name: 'find_account_view',
  text: `select 1 from account_views where token_hash = $1 and account_id = $2::int and until > to_timestamp($3::bigint)`,
};

const endView: SqlStatement = {
  name: 'end_account_view',
  text: 'delete from account_views where token_hash = $1 and account_id = $2::int',
};

const deleteAtOnceMax = 5_000;

const endedViews: OldRows = {
  deletion: {
    name: 'delete_ended_account_views',
    text: `with gone as (delete from account_views where ctid = any(array(
      select ctid from account_views where until < to_timestamp($1::bigint) limit ${deleteAtOnceMax})) returning 1)
    select count(*) as count from gone`,
  },
  atOnceMax: deleteAtOnceMax,
};

export interface AccountViews {
  /** Returns the view's end. Refused if there is no such account or it is an administrator's. */
  begin(session: Session, accountId: string, author: Author): Promise<EpochSeconds | Refusal>;
  find(session: Session, accountId: string, now: EpochSeconds): Promise<Account | null>;
  end(session: Session, accountId: string): Promise<void>;
  deleteEnded(now: EpochSeconds, signal: AbortSignal): Promise<boolean>;
}

type Author = AuditAuthor & { readonly now: EpochSeconds };

export function createAccountViews(database: Database, validSeconds: number): AccountViews {
  async function findReseller(id: number | null): Promise<Account | null> {
    const account = id === null ? null : await findAccount(database, id);
    return account === null || account.isAdmin ? null : account;
  }

  return {
    async begin({ tokenHash }, accountId, { now, ...author }) {
      const account = await findReseller(parseAccountId(accountId));
      if (account === null) return refusal('account_not_found');
      const until = now + validSeconds;
      await database.transaction(async (transaction) => {
        await transaction.query(beginView, [tokenHash, account.id, until]);
        const subject = `account ${account.id}`;
        const entry = { ...author, action: 'account.view', subject, before: null, after: null };
        await appendAudit(transaction, entry, now);
      });
      return until;
    },
    async find({ tokenHash }, accountId, now) {
      const id = parseAccountId(accountId);
      if (id === null) return null;
      const [row] = await database.query(findView, [tokenHash, id, now]);
      return row === undefined ? null : findReseller(id);
    },
    async end({ tokenHash }, accountId) {
      await database.query(endView, [tokenHash, parseAccountId(accountId) ?? 0]);
    },
    deleteEnded: (now, signal) => deleteInPieces(database, endedViews, [now], signal),
  };
}
