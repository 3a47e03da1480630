// Creates, changes, rotates and revokes an account's keys.
// Invariant: a change, its audit entry, its event and its idempotency key are one transaction under the account's lock. It
// raises access_version, so it applies at once in every process.

import type { Actor, AuditAuthor } from '../../platform/audit-log/actor.ts';
import { appendAudit } from '../../platform/audit-log/append-audit.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { type Changed, type Done, runOnce } from '../../platform/database/idempotent-change.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { fieldRefusal, isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { JsonObject } from '../../shared/json.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { keyCreated, keyRevoked } from '../accounts/key-events.ts';
import { appendEvents, listenToAccount } from '../events/event-log.ts';
import { lockAccountRow, notifyAccessChanged } from '../identity/account-row.ts';
import { type KeyMode, lastFour, mintApiKey } from '../identity/api-key.ts';
import {
  changeKeySettings,
  creatorOf,
  endKeySecrets,
  findStoredKey,
  type KeySecret,
  type KeySettings,
  keyIdOf,
  listEndingSecrets,
  listKeys,
  revokeSecrets,
  type StoredKey,
  storeSecret,
} from '../identity/api-key-rows.ts';
import { keyScopeNames } from '../identity/principal.ts';
import { recheckCaller } from '../identity/recheck-caller.ts';
import { findTestAccount } from '../identity/test-account-settings.ts';
import { ensureTestAccount } from '../test-mode/test-account.ts';
import { endingSecretsMax, keysPerAccountMax } from './key-schemas.ts';

export const expiresAtReason = 'must be a whole second in UTC, in the future: "2028-01-01T00:00:00Z"';

export interface AccountKey extends StoredKey {
  /** Previous secrets that still work, newest first. */
  readonly ending: readonly KeySecret[];
}

export interface KeysAsked {
  readonly accountId: number;
  readonly idempotencyKey: string | null;
  readonly author: Omit<Actor, 'now'> & AuditAuthor;
  readonly now: EpochSeconds;
}

/** `apiKey` is null if an earlier answer already showed it. */
export interface ShownKey {
  readonly key: AccountKey;
  readonly apiKey: string | null;
}

/** Keys of the account and its test account that are not revoked, even if expired: the first key, then by creation. */
export async function listAccountKeys(
  database: Queryable,
  accountId: number,
  now: EpochSeconds,
): Promise<AccountKey[]> {
  const ids = await idsOf(database, accountId);
  const [keys, ending] = await Promise.all([listKeys(database, ids), listEndingSecrets(database, ids, now)]);
  return keys.map((key) => ({
    ...key,
    ending: ending.filter((secret) => keyIdOf(secret) === keyIdOf(key)),
  }));
}

/** Mode `test` creates a key of the account's test account, which is created on first use. */
export interface NewKey extends KeySettings {
  readonly mode: KeyMode;
}

/** Refusals: validation_failed, too_many_keys, idempotency_conflict, account_not_found. */
export function createKey(
  database: Database,
  seal: Seal,
  { mode, ...settings }: NewKey,
  asked: KeysAsked,
): Promise<Done<ShownKey> | Refusal> {
  const { accountId, author, now } = asked;
  const isTest = mode === 'test';
  return owned<ShownKey>(
    database,
    asked,
    mode === 'live' ? ['create', settings] : ['create', settings, mode],
    async (transaction) => {
      const problem = settingsProblem(settings, isTest, now);
      if (problem !== null) return problem;
      const holder = mode === 'live' ? accountId : (await ensureTestAccount(transaction, accountId, now))?.id;
      if (holder === undefined) return refusal('account_not_found');
      const others = await listKeys(transaction, await idsOf(transaction, accountId));
      if (others.length >= keysPerAccountMax) return refusal('too_many_keys', { limit: keysPerAccountMax });
      const apiKey = mintApiKey(mode);
      const id = await storeSecret(transaction, seal, {
        ...settings,
        ...creatorOf(author),
        key: apiKey,
        keyId: null,
        accountId: holder,
        isFirst: false,
        viewedAt: now,
        createdAt: now,
      });
      // A key means that the API will be used, so events are worth recording from here on.
      await listenToAccount(transaction, holder);
      const after = {
        ...auditView(settings),
        ...(mode === 'test' ? { mode } : {}),
        last_four: lastFour(apiKey),
      };
      await appendAudit(transaction, entryOf(asked, id, 'account.create_key', null, after), now);
      await appendEvents(transaction, accountId, [keyCreated(apiKey, { id, name: settings.name })], now);
      return shown(id, await findKey(transaction, asked, id), apiKey);
    },
    async (transaction, id) => resultOf(shown(id, await findKey(transaction, asked, id), null)),
  );
}

/** Absent fields stay unchanged. Refusals: validation_failed, key_not_found, first_key, idempotency_conflict. */
export function changeKey(
  database: Database,
  keyId: number,
  change: Partial<KeySettings>,
  asked: KeysAsked,
): Promise<Done<AccountKey> | Refusal> {
  return owned(
    database,
    asked,
    ['change', keyId, change],
    async (transaction) => {
      const before = await findKey(transaction, asked, keyId);
      if (before === null) return refusal('key_not_found');
      if (before.isFirst && (change.scopes !== undefined || change.expiresAt !== undefined)) {
        return refusal('first_key');
      }
      const problem = settingsProblem(change, isTestAccount(before.accountId), asked.now);
      if (problem !== null) return problem;
      const after = { ...before, ...change };
      const [was, is] = [auditView(before), auditView(after)];
      if (JSON.stringify(was) !== JSON.stringify(is)) {
        await changeKeySettings(transaction, keyId, after);
        await appendAudit(transaction, entryOf(asked, keyId, 'account.change_key', was, is), asked.now);
      }
      return { id: keyId, result: after };
    },
    async (transaction) => (await findKey(transaction, asked, keyId)) ?? refusal('key_not_found'),
  );
}

/** Refusals: key_not_found, first_key, idempotency_conflict. */
export function revokeKey(
  database: Database,
  keyId: number,
  asked: KeysAsked,
): Promise<Done<true> | Refusal> {
  const { accountId, now } = asked;
  return owned<true>(
    database,
    asked,
    ['revoke', keyId],
    async (transaction) => {
      const key = await findKey(transaction, asked, keyId);
      if (key === null) return refusal('key_not_found');
      if (key.isFirst) return refusal('first_key');
      await endKeySecrets(transaction, keyId, now, true);
      const was = { ...auditView(key), last_four: key.lastFour };
      await appendAudit(transaction, entryOf(asked, keyId, 'account.revoke_key', was, null), now);
      const events = [key, ...key.ending].map((secret) => keyRevoked(secret.lastFour, key));
      await appendEvents(transaction, accountId, events, now);
      return { id: keyId, result: true };
    },
    async () => true,
  );
}

/** Earlier secrets work for the overlap. Refusals: validation_failed (expired key), key_not_found, idempotency_conflict. */
export function rotateKey(
  database: Database,
  seal: Seal,
  keyId: number,
  overlapSeconds: number,
  asked: KeysAsked,
): Promise<Done<ShownKey> | Refusal> {
  const { accountId, author, now } = asked;
  return owned<ShownKey>(
    database,
    asked,
    ['rotate', keyId, overlapSeconds],
    async (transaction) => {
      const key = await findKey(transaction, asked, keyId);
      if (key === null) return refusal('key_not_found');
      if (key.expiresAt !== null && now >= key.expiresAt) {
        const reason = 'has passed: give the key longer before it is rotated';
        return fieldRefusal('validation_failed', 'expires_at', reason);
      }
      const endsAt = now + overlapSeconds;
      await endKeySecrets(transaction, keyId, endsAt, overlapSeconds === 0);
      const tooMany = key.ending.slice(endingSecretsMax - 1);
      if (tooMany.length > 0) await revokeSecrets(transaction, tooMany, now);
      const apiKey = mintApiKey(isTestAccount(key.accountId) ? 'test' : 'live');
      // The answer shows the secret to the account's own people, so it counts as viewed, as after a reset.
      const viewedAt = author.actorId === accountId ? now : null;
      await storeSecret(transaction, seal, { ...key, key: apiKey, keyId, viewedAt, createdAt: now });
      const was = { ...auditView(key), last_four: key.lastFour, ends_at: formatTime(endsAt) };
      const is = { ...auditView(key), last_four: lastFour(apiKey) };
      await appendAudit(transaction, entryOf(asked, keyId, 'account.rotate_key', was, is), now);
      // Earlier secrets that now end sooner than before.
      const sooner = key.ending.filter((each) => tooMany.includes(each) || Number(each.endsAt) > endsAt);
      const ended = [key, ...sooner].map((secret) => {
        const isOver = overlapSeconds === 0 || tooMany.includes(secret);
        return keyRevoked(secret.lastFour, key, isOver ? null : endsAt);
      });
      await appendEvents(transaction, accountId, [keyCreated(apiKey, key), ...ended], now);
      return shown(keyId, await findKey(transaction, asked, keyId), apiKey);
    },
    async (transaction, id) => resultOf(shown(id, await findKey(transaction, asked, id), null)),
  );
}

/** Checked only when applied, so that a repeated request is answered even if its time has passed. */
function settingsProblem(
  { scopes = null, expiresAt = null }: Partial<KeySettings>,
  isTest: boolean,
  now: EpochSeconds,
): Refusal | null {
  if (expiresAt !== null && expiresAt <= now) {
    return fieldRefusal('validation_failed', 'expires_at', expiresAtReason);
  }
  const known: readonly string[] = keyScopeNames('test', true, null);
  const beyond = isTest ? (scopes ?? []).findIndex((scope) => !known.includes(scope)) : -1;
  return beyond < 0
    ? null
    : fieldRefusal('validation_failed', `scopes.${beyond}`, 'is no scope of test mode');
}

async function findKey(
  database: Queryable,
  { accountId, now }: Pick<KeysAsked, 'accountId' | 'now'>,
  keyId: number,
): Promise<AccountKey | null> {
  const secret = await findStoredKey(database, keyId);
  if (secret === null || !(await idsOf(database, accountId)).includes(secret.accountId)) return null;
  const ending = await listEndingSecrets(database, [secret.accountId], now);
  return { ...secret, ending: ending.filter((each) => keyIdOf(each) === keyId) };
}

async function idsOf(database: Queryable, accountId: number): Promise<number[]> {
  const testAccount = await findTestAccount(database, accountId);
  return testAccount === null ? [accountId] : [accountId, testAccount.id];
}

async function owned<Result>(
  database: Database,
  { accountId, idempotencyKey, author, now }: KeysAsked,
  what: readonly unknown[],
  work: (transaction: Queryable) => Promise<Changed<Result> | Refusal>,
  again: (transaction: Queryable, id: number) => Promise<Result | Refusal>,
): Promise<Done<Result> | Refusal> {
  return database.transaction(async (transaction) => {
    const account = await lockAccountRow(transaction, accountId);
    if (account === null) return refusal('account_not_found');
    const gone = await recheckCaller(transaction, { ...author, now }, account);
    if (gone !== null) return gone;
    // All of its keys are revoked, so the others find none.
    if (account.closedAt !== null && what[0] === 'create') return refusal('account_closed');
    return runOnce(
      transaction,
      { accountId, idempotencyKey, what: ['key', ...what], now },
      async () => {
        const done = await work(transaction);
        if (isRefusal(done)) return done;
        for (const id of await idsOf(transaction, accountId)) await notifyAccessChanged(transaction, id);
        return done;
      },
      (id) => again(transaction, id),
    );
  });
}

function shown(id: number, key: AccountKey | null, apiKey: string | null): Changed<ShownKey> | Refusal {
  return key === null ? refusal('key_not_found') : { id, result: { key, apiKey } };
}

function resultOf<Result>(changed: Changed<Result> | Refusal): Result | Refusal {
  return isRefusal(changed) ? changed : changed.result;
}

function entryOf(
  { accountId, author }: KeysAsked,
  keyId: number,
  action: string,
  before: JsonObject | null,
  after: JsonObject | null,
) {
  const { actorId, by = null } = author;
  return { actorId, by, action, subject: `key ${keyId} of account ${accountId}`, before, after };
}

function auditView(settings: KeySettings): JsonObject {
  const { name, scopes, allowedIps, rateLimitPerMinute, expiresAt } = settings;
  return {
    name,
    scopes: scopes === null ? 'all' : [...scopes],
    allowed_ips: [...allowedIps],
    rate_limit_per_minute: rateLimitPerMinute,
    expires_at: expiresAt === null ? null : formatTime(expiresAt),
  };
}
