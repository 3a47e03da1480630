// Changes accounts and their keys. Each change is one transaction with an audit entry and a NOTIFY, and raises
// access_version if it changes rights. The only writer of account settings; the order batch writes balances and counters.

import { isDeepStrictEqual } from 'node:util';
import type { Actor, AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import {
  accountChanged,
  accountMade,
  changesChannel,
  notifyChange,
} from '../../platform/database/change-notices.ts';
import {
  type Database,
  type Queryable,
  type Row,
  type SqlStatement,
  StatementFailed,
} from '../../platform/database/database.ts';
import { type RowOf, writeRows } from '../../platform/database/table.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { JsonObject } from '../../shared/json.ts';
import type { Group } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { appendEvents, listenToNewAccount } from '../events/event-log.ts';
import { lockAccountRow, notifyAccessChanged } from '../identity/account-row.ts';
import {
  type Account,
  accountSettings,
  accounts,
  newAccounts,
  numberedAccounts,
} from '../identity/account-table.ts';
import { lastFour, mintApiKey } from '../identity/api-key.ts';
import { revokeFirstKey, storeFirstKey, viewFirstKey } from '../identity/api-key-rows.ts';
import { findAccount, findAdministratorId } from '../identity/find-accounts.ts';
import {
  endPasswordLinks,
  endSessionsOfAll,
  insertOwnLogin,
  type NewPassword,
  writePassword,
} from '../identity/people-rows.ts';
import { recheckCaller } from '../identity/recheck-caller.ts';
import { copySettingsToTestAccount } from '../identity/test-account-settings.ts';
import { keyCreated, keyRevoked } from './key-events.ts';

export interface NewAccount {
  readonly username: string;
  readonly displayName: string;
  readonly group: Group;
  readonly isAdmin: boolean;
  readonly email?: string | null;
  /** null until one is set through a mailed link. */
  readonly passwordHash: string | null;
  readonly rateLimitPerMinute: number;
  readonly allowedIps: readonly string[];
}

export interface AccountChange {
  readonly group?: Group;
  readonly displayName?: string;
  readonly email?: string | null;
  readonly blocked?: boolean;
  /** Only the audit log keeps it. */
  readonly reason?: string;
  readonly apiEnabled?: boolean;
  readonly rateLimitPerMinute?: number;
  readonly allowedIps?: readonly string[];
  readonly password?: NewPassword;
}

export const rateLimitPerMinuteDefault = 60;

// Locks in the same order as the batches, so that they do not deadlock.
const lockAdministrators: SqlStatement = {
  name: 'lock_administrators',
  text: `select id, blocked, api_enabled from accounts where is_admin order by id for no key update`,
};

const insertAccount = newAccounts.insert('insert_account', `returning ${accounts.list('accounts')}`);
const insertNumbered = numberedAccounts.insert(
  'insert_numbered_account',
  `returning ${accounts.list('accounts')}`,
);
const drawId: SqlStatement = { name: 'draw_account_id', text: "select nextval('accounts_id_seq') as id" };
const updateAccount = accountSettings.update('update_account', ['id'], `returning ${accounts.list('t')}`);

const listIds: SqlStatement = {
  name: 'list_account_ids',
  text: 'select id, username, is_admin from accounts where test_of is null order by id',
};

export interface NewKey {
  readonly username: string;
  readonly isAdmin: boolean;
  readonly apiKey: string;
}

/** Replaces every account's key, one after another. The audit log names the first administrator. */
export async function* resetEveryApiKey(
  database: Database,
  seal: Seal,
  now: EpochSeconds,
): AsyncGenerator<NewKey> {
  const actorId = await findAdministratorId(database);
  for (const row of await database.query(listIds)) {
    const id = Number(row['id']);
    const done = await resetApiKey(database, seal, id, { actorId: actorId ?? id, now });
    const [username, isAdmin] = [String(row['username']), row['is_admin'] === true];
    if (done !== null && !isRefusal(done)) yield { username, isAdmin, apiKey: done.apiKey };
  }
}

/** `key`: given for the first administrator. `along` runs in the transaction. Returns null if the username is taken. */
export async function createAccount(
  database: Database,
  seal: Seal,
  account: NewAccount,
  { actorId, by = null, now }: Actor,
  {
    key = mintApiKey('live'),
    along = async () => undefined,
  }: { key?: string; along?: (transaction: Queryable, created: Account) => Promise<void> } = {},
): Promise<{ account: Account; apiKey: string } | null> {
  try {
    return await database.transaction(async (transaction) => {
      const initial = { searchText: searchText(account), createdAt: now };
      const settled = { ...account, email: account.email ?? null, ...initial };
      const [row] = await insertInGroup(transaction, settled);
      const created = accounts.parse(row ?? {});
      await insertOwnLogin(transaction, created, account.passwordHash, now);
      const author = { actorId: actorId ?? created.id, by };
      const firstKey = await storeFirstKey(transaction, seal, created.id, key, { ...author, now });
      await along(transaction, created);
      await transaction.query(notifyChange, [changesChannel, accountMade(created.id)]);
      await appendAudit(
        transaction,
        {
          ...author,
          action: 'account.create',
          subject: `account ${created.id}`,
          before: null,
          after: { username: created.username, is_admin: created.isAdmin, ...auditView(created) },
        },
        now,
      );
      await listenToNewAccount(transaction, created.id);
      await appendEvents(transaction, created.id, [keyCreated(key, firstKey)], now);
      return { account: created, apiKey: key };
    });
  } catch (error) {
    if (isNameTaken(error)) return null;
    throw error;
  }
}

/** On a divided database the id determines the shard, so the id is drawn before the insert. */
async function insertInGroup(
  transaction: Queryable,
  account: RowOf<typeof newAccounts>,
): Promise<readonly Row[]> {
  if (transaction.accountGroups().length === 1) return writeRows(transaction, insertAccount, [account]);
  const [drawn] = await transaction.query(drawId);
  const id = Number(drawn?.['id']);
  return writeRows(transaction.ofAccount(id), insertNumbered, [{ ...account, id }]);
}

/** A username is unique among accounts and people together. */
export function isNameTaken(error: unknown): boolean {
  const names = ['accounts_username_key', 'people_username'];
  return (
    error instanceof StatementFailed && error.constraint !== undefined && names.includes(error.constraint)
  );
}

/** Returns null if there is no such account, or the link was used. */
export async function changeAccount(
  database: Database,
  id: number,
  change: AccountChange,
  author: Actor & AuditAuthor,
): Promise<Account | Refusal | null> {
  const { actorId, by = null, now } = author;
  const locksOut = change.blocked === true || change.apiEnabled === false;
  // Safe to read before the lock, because an account never becomes or stops being an administrator.
  const guarded = locksOut && (await findAccount(database, id))?.isAdmin === true;
  return database.transaction(async (transaction) => {
    if (guarded && (await isLastAdministrator(transaction, id))) return refusal('last_administrator');
    const before = await lockAccountRow(transaction, id);
    if (before === null) return null;
    const gone = await recheckCaller(transaction, author, before);
    if (gone !== null) return gone;
    if (before.closedAt !== null) return refusal('account_closed');
    const { password, reason, ...settings } = change;
    const wanted = { ...before, ...settings };
    if (password === undefined && isDeepStrictEqual(auditView(before), auditView(wanted))) return before;
    const endsSessions = wanted.blocked !== before.blocked;
    if (password !== undefined) {
      const isSet = await writePassword(transaction, id, password, { endsSessions: !endsSessions });
      if (!isSet) return null;
    }
    if (endsSessions) await endSessionsOfAll(transaction, id);
    if (wanted.email !== before.email) await endPasswordLinks(transaction, id);
    const settled = {
      ...wanted,
      searchText: searchText(wanted),
      accessVersion: before.accessVersion + (isAccessChange(before, wanted) ? 1 : 0),
    };
    const [row] = await writeRows(transaction.ofAccount(id), updateAccount, [settled]);
    const after = accounts.parse(row ?? {});
    await transaction.query(notifyChange, [changesChannel, accountChanged(id)]);
    const testAccountId = await copySettingsToTestAccount(transaction, id);
    if (testAccountId !== null)
      await transaction.query(notifyChange, [changesChannel, accountChanged(testAccountId)]);
    await appendAudit(
      transaction,
      {
        actorId,
        by,
        action: 'account.update',
        subject: `account ${id}`,
        before: auditView(before),
        after: { ...auditView(after), ...passwordView(password), ...(reason !== undefined && { reason }) },
      },
      now,
    );
    return after;
  });
}

/** Locks all administrators, so that if two lock each other out at once, the later one is refused. */
async function isLastAdministrator(transaction: Queryable, id: number): Promise<boolean> {
  const administrators: Row[] = [];
  for (const group of transaction.accountGroups())
    administrators.push(...(await group.query(lockAdministrators)));
  return !administrators.some((row) => row['id'] !== id && row['blocked'] === false && row['api_enabled']);
}

function searchText({ username, displayName }: { username: string; displayName: string }): string {
  return `${username}\n${displayName.toLowerCase()}`;
}

function isAccessChange(before: Account, after: Account): boolean {
  const access = ({ blocked, apiEnabled, allowedIps }: Account) => [blocked, apiEnabled, allowedIps];
  return !isDeepStrictEqual(access(before), access(after));
}

export function resetApiKey(
  database: Database,
  seal: Seal,
  id: number,
  author: Actor & AuditAuthor,
): Promise<{ readonly apiKey: string } | Refusal | null> {
  const { actorId, by = null, now } = author;
  const key = mintApiKey('live');
  return database.transaction(async (transaction) => {
    const account = await lockAccountRow(transaction, id);
    if (account === null) return null;
    const gone = await recheckCaller(transaction, author, account);
    if (gone !== null) return gone;
    if (account.closedAt !== null) return refusal('account_closed');
    const revoked = await revokeFirstKey(transaction, id, now);
    const viewedAt = actorId === id ? now : null;
    const firstKey = await storeFirstKey(transaction, seal, id, key, { actorId, by, now }, viewedAt);
    await notifyAccessChanged(transaction, id);
    await appendAudit(
      transaction,
      {
        actorId,
        by,
        action: 'account.reset_api_key',
        subject: `account ${id}`,
        before: { last_four: revoked[0] ?? null },
        after: { last_four: lastFour(key) },
      },
      now,
    );
    const events = revoked.map((last_four) => keyRevoked(last_four, firstKey));
    await appendEvents(transaction, id, [...events, keyCreated(key, firstKey)], now);
    return { apiKey: key };
  });
}

export function revealApiKey(
  database: Database,
  seal: Seal,
  id: number,
  author: Actor & AuditAuthor,
): Promise<{ readonly apiKey: string } | Refusal | null> {
  const { actorId, by = null, now } = author;
  return database.transaction(async (transaction) => {
    const account = await findAccount(transaction, id);
    const gone = account === null ? null : await recheckCaller(transaction, author, account);
    if (gone !== null) return gone;
    const shown = await viewFirstKey(transaction, seal, id, now);
    if (shown === null) return null;
    const entry = { action: 'account.reveal_api_key', subject: `account ${id}`, before: null };
    await appendAudit(transaction, { actorId, by, ...entry, after: { last_four: shown.lastFour } }, now);
    return { apiKey: shown.key };
  });
}

function passwordView(password: AccountChange['password']): JsonObject {
  if (password === undefined) return {};
  return { password: 'changed', ...(password.byLink && { by_link: password.byLink.purpose }) };
}

function auditView(account: Account): JsonObject {
  return {
    group: account.group,
    display_name: account.displayName,
    ...(account.email === null ? {} : { email: account.email }),
    blocked: account.blocked,
    api_enabled: account.apiEnabled,
    rate_limit_per_minute: account.rateLimitPerMinute,
    allowed_ips: account.allowedIps,
  };
}
