// The secrets of API keys as stored. Only an account's first key has a sealed copy. The only writer of api_keys, which has
// one row per secret with the key's current settings. Revoked secrets stay, so that they are refused as revoked.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import type { Queryable, Row, SqlStatement } from '../../platform/database/database.ts';
import { numberArray, textArray } from '../../platform/database/sql-arrays.ts';
import {
  boolean,
  describeTable,
  int,
  nullableInt,
  nullableText,
  nullableTime,
  orNull,
  type RowOf,
  text,
  texts,
  time,
  writeRows,
} from '../../platform/database/table.ts';
import { type Seal, type SealedTexts, sealedChangeValues } from '../../platform/secrets/seal.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { lastFour, lookupHash } from './api-key.ts';

export const apiKeys = describeTable('api_keys', {
  id: int('id'),
  /** The id of the secret's key. null if it equals the row's own id. */
  keyId: nullableInt('key_id'),
  lookupHash: text('lookup_hash'),
  accountId: int('account_id'),
  /** Only for the first key; other keys are shown once. */
  sealedKey: nullableText('sealed_key'),
  lastFour: text('last_four'),
  createdAt: time('created_at'),
  lastUsedAt: nullableTime('last_used_at'),
  viewedAt: nullableTime('viewed_at'),
  name: text('name'),
  isFirst: boolean('is_first'),
  /** null grants all scopes of its account. */
  scopes: orNull(texts('scopes')),
  /** These limit the key in addition to the account's list. Empty allows all addresses. */
  allowedIps: texts('allowed_ips'),
  rateLimitPerMinute: nullableInt('rate_limit_per_minute'),
  expiresAt: nullableTime('expires_at'),
  /** A newer secret has replaced this one, which works until then. */
  endsAt: nullableTime('ends_at'),
  revokedAt: nullableTime('revoked_at'),
  createdBy: nullableInt('created_by'),
  createdByKey: nullableInt('created_by_key'),
  createdByPerson: nullableInt('created_by_person'),
});

export type KeySecret = RowOf<typeof apiKeys>;

export interface StoredKey extends KeySecret {
  readonly keyCreatedAt: EpochSeconds;
}

export const heldSecrets = apiKeys.pick(
  'id',
  'keyId',
  'name',
  'scopes',
  'allowedIps',
  'rateLimitPerMinute',
  'expiresAt',
  'endsAt',
  'revokedAt',
);

type HeldSecret = RowOf<typeof heldSecrets>;

/** Why a secret is refused now, or null if it is valid. A revoked one stays revoked. */
export function endOf(
  { revokedAt, endsAt, expiresAt }: HeldSecret,
  now: EpochSeconds,
): 'revoked' | 'expired' | null {
  if (revokedAt !== null || (endsAt !== null && now >= endsAt)) return 'revoked';
  return expiresAt !== null && now >= expiresAt ? 'expired' : null;
}

export type KeySettings = Pick<
  KeySecret,
  'name' | 'scopes' | 'allowedIps' | 'rateLimitPerMinute' | 'expiresAt'
>;

export type KeyCreator = Pick<KeySecret, 'createdBy' | 'createdByKey' | 'createdByPerson'>;

/** `keyId` is null for a new key. */
export interface NewSecret extends KeySettings, KeyCreator {
  readonly key: string;
  readonly keyId: number | null;
  readonly accountId: number;
  readonly isFirst: boolean;
  readonly viewedAt: EpochSeconds | null;
  readonly createdAt: EpochSeconds;
}

const firstKeySettings: KeySettings = {
  name: 'First key',
  scopes: null,
  allowedIps: [],
  rateLimitPerMinute: null,
  expiresAt: null,
};

const insertSecret = apiKeys
  .without('id', 'lastUsedAt', 'endsAt', 'revokedAt')
  .insert('insert_api_key', 'returning id');

const isNewest = 'revoked_at is null and ends_at is null';
const isNewestOfFirst = `account_id = $1::int and is_first and ${isNewest}`;

const findFirstKey: SqlStatement = {
  name: 'find_first_key',
  text: `select ${apiKeys.list('k')} from api_keys k where account_id = $1::int and is_first order by id desc limit 1`,
};

const revokeFirst: SqlStatement = {
  name: 'revoke_first_api_key',
  text: `update api_keys set revoked_at = to_timestamp($2::bigint)
    where account_id = $1::int and is_first and revoked_at is null
    returning id, last_four, ends_at is null as is_newest, ends_at > to_timestamp($2::bigint) as was_ending`,
};

const findSealedKey: SqlStatement = {
  name: 'find_sealed_key',
  text: `select sealed_key from api_keys where ${isNewestOfFirst}`,
};

const keyFacts = apiKeys.pick('lastFour', 'createdAt', 'lastUsedAt', 'viewedAt');

const findKey: SqlStatement = {
  name: 'find_api_key',
  text: `select ${keyFacts.list('k')} from api_keys k where ${isNewestOfFirst}`,
};

const currentKeys = apiKeys.pick('accountId', 'name', 'lastFour', 'createdAt', 'lastUsedAt');

const selectCurrentKeys: SqlStatement = {
  name: 'list_current_keys',
  text: `select ${currentKeys.list('k')}, a.username from api_keys k join accounts a on a.id = k.account_id
    where k.revoked_at is null and (k.ends_at is null or k.ends_at > to_timestamp($1::bigint))
      and (k.expires_at is null or k.expires_at > to_timestamp($1::bigint))
    order by a.id, k.id`,
};

const viewKey: SqlStatement = {
  name: 'view_api_key',
  text: `update api_keys set viewed_at = coalesce(viewed_at, to_timestamp($2::bigint))
    where ${isNewestOfFirst} returning sealed_key, last_four`,
};

/** Matches all secrets of the key $1. A key has the id of its first secret; later secrets name it in key_id. */
const ofKey = '((k.id = $1::int and k.key_id is null) or k.key_id = $1::int)';

const secretsOfKeys = `select ${apiKeys.list('k')}, coalesce(first.created_at, k.created_at) as key_created_at
    from api_keys k left join api_keys first on first.id = k.key_id`;

const listNewest: SqlStatement = {
  name: 'list_api_keys',
  text: `${secretsOfKeys} where k.account_id = any($1::int[]) and k.revoked_at is null and k.ends_at is null
    order by k.is_first desc, coalesce(k.key_id, k.id)`,
};

const listEnding: SqlStatement = {
  name: 'list_ending_api_keys',
  text: `select ${apiKeys.list('k')} from api_keys k
    where account_id = any($1::int[]) and revoked_at is null and ends_at > to_timestamp($2::bigint)
    order by id desc`,
};

const findNewest: SqlStatement = {
  name: 'find_newest_api_key',
  text: `${secretsOfKeys} where ${ofKey} and k.revoked_at is null and k.ends_at is null`,
};

const changeSecrets: SqlStatement = {
  name: 'change_api_key',
  text: `update api_keys k set name = $2::text, scopes = $3::text[], allowed_ips = $4::text[],
      rate_limit_per_minute = $5::int, expires_at = to_timestamp($6::bigint)
    where ${ofKey}`,
};

const endSecrets: SqlStatement = {
  name: 'end_api_key_secrets',
  text: `update api_keys k set ends_at = least(ends_at, to_timestamp($2::bigint)),
      revoked_at = case when $3::boolean then to_timestamp($2::bigint) end
    where ${ofKey} and revoked_at is null`,
};

const revokeThese: SqlStatement = {
  name: 'revoke_api_key_secrets',
  text: `update api_keys set revoked_at = to_timestamp($2::bigint) where id = any($1::int[]) and revoked_at is null`,
};

const revokeAllOf: SqlStatement = {
  name: 'revoke_api_keys_of_accounts',
  text: `update api_keys set revoked_at = to_timestamp($2::bigint)
    where account_id = any($1::int[]) and revoked_at is null`,
};

const findKeyNames: SqlStatement = {
  name: 'find_api_key_names',
  text: 'select id, name from api_keys where id = any($1::int[])',
};

const keyUses = apiKeys.pick('id', 'lastUsedAt');

const useKeys: SqlStatement = {
  name: 'use_api_keys',
  text: `update api_keys k set last_used_at = to_timestamp(used.last_used_at)
    from ${keyUses.sent('used')}
    where k.id = used.id
      and (k.last_used_at is null or k.last_used_at < to_timestamp(used.last_used_at))`,
};

export function creatorOf({ actorId, by }: AuditAuthor): KeyCreator {
  return {
    createdBy: actorId,
    createdByKey: by?.type === 'key' ? by.id : null,
    createdByPerson: by?.type === 'person' ? by.id : null,
  };
}

/** Returns the secret's id, which for a new key is also the key's id. */
export async function storeSecret(transaction: Queryable, seal: Seal, secret: NewSecret): Promise<number> {
  const { key, accountId, isFirst } = secret;
  const row = {
    ...secret,
    lookupHash: lookupHash(key),
    sealedKey: isFirst ? seal.seal(key, sealContext(accountId)) : null,
    lastFour: lastFour(key),
  };
  const [stored] = await writeRows(transaction, insertSecret, [row]);
  return Number(stored?.['id']);
}

/** Stores the first key, or a new secret of it. Call in the transaction that creates the account or revokes the old one. */
export async function storeFirstKey(
  transaction: Queryable,
  seal: Seal,
  accountId: number,
  key: string,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
  viewedAt: EpochSeconds | null = null,
): Promise<{ id: number; name: string }> {
  const [earlier] = await transaction.query(findFirstKey, [accountId]);
  const known = earlier === undefined ? null : apiKeys.parse(earlier);
  const keyId = known === null ? null : keyIdOf(known);
  const settings = known ?? { ...firstKeySettings, ...creatorOf(author) };
  const secret = { ...settings, key, keyId, accountId, isFirst: true, viewedAt, createdAt: now };
  const id = await storeSecret(transaction, seal, secret);
  return { id: keyId ?? id, name: settings.name };
}

const moveKeysTo: SqlStatement = {
  name: 'move_api_keys',
  text: 'update api_keys set account_id = $2::int where account_id = $1::int and not is_first',
};

/** Moves all keys from one test account to another, even revoked ones. Both must be locked. Tests have no first key. */
export async function moveKeys(transaction: Queryable, from: number, to: number): Promise<void> {
  await transaction.query(moveKeysTo, [from, to]);
}

/** Revokes all secrets of the first key. Returns the last four characters of those that were still valid, newest first. */
export async function revokeFirstKey(
  transaction: Queryable,
  accountId: number,
  now: EpochSeconds,
): Promise<string[]> {
  const revoked = await transaction.query(revokeFirst, [accountId, now]);
  const worked = revoked.filter((row) => row['is_newest'] === true || row['was_ending'] === true);
  return worked.sort((a, b) => Number(b['id']) - Number(a['id'])).map((row) => String(row['last_four']));
}

export async function listKeys(database: Queryable, accountIds: readonly number[]): Promise<StoredKey[]> {
  const rows = await database.query(listNewest, [numberArray(accountIds)]);
  return rows.map(parseKey);
}

function parseKey(row: Row): StoredKey {
  return { ...apiKeys.parse(row), keyCreatedAt: Number(row['key_created_at']) };
}

export async function listEndingSecrets(
  database: Queryable,
  accountIds: readonly number[],
  now: EpochSeconds,
): Promise<KeySecret[]> {
  const rows = await database.query(listEnding, [numberArray(accountIds), now]);
  return rows.map((row) => apiKeys.parse(row));
}

/** Returns the key's newest secret, or null if the key is revoked or unknown. */
export async function findStoredKey(database: Queryable, keyId: number): Promise<StoredKey | null> {
  const [row] = await database.query(findNewest, [keyId]);
  return row === undefined ? null : parseKey(row);
}

export async function changeKeySettings(
  transaction: Queryable,
  keyId: number,
  { name, scopes, allowedIps, rateLimitPerMinute, expiresAt }: KeySettings,
): Promise<void> {
  const lists = [scopes === null ? null : textArray(scopes), textArray(allowedIps)];
  await transaction.query(changeSecrets, [keyId, name, ...lists, rateLimitPerMinute, expiresAt]);
}

export async function revokeSecrets(
  transaction: Queryable,
  secrets: readonly KeySecret[],
  now: EpochSeconds,
): Promise<void> {
  const ids = numberArray(secrets.map(({ id }) => id));
  await transaction.query(revokeThese, [ids, now]);
}

/** Revokes every secret of the accounts, for good. */
export async function revokeKeysOf(
  transaction: Queryable,
  accountIds: readonly number[],
  now: EpochSeconds,
): Promise<void> {
  await transaction.query(revokeAllOf, [numberArray(accountIds), now]);
}

/** Ends all of the key's secrets at `at`. With `isNow`, revokes them. */
export async function endKeySecrets(
  transaction: Queryable,
  keyId: number,
  at: EpochSeconds,
  isNow: boolean,
): Promise<void> {
  await transaction.query(endSecrets, [keyId, at, isNow]);
}

export function keyIdOf({ id, keyId }: Pick<KeySecret, 'id' | 'keyId'>): number {
  return keyId ?? id;
}

export async function findApiKeyNames(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query(findKeyNames, [numberArray([...new Set(ids)])]);
  return new Map(rows.map((row) => [Number(row['id']), String(row['name'])]));
}

export async function openApiKey(database: Queryable, seal: Seal, accountId: number): Promise<string | null> {
  const [row] = await database.query(findSealedKey, [accountId]);
  return row === undefined ? null : seal.open(String(row['sealed_key']), sealContext(accountId));
}

/** Returns the first key in plain text and marks it as seen by its owner. null: there is none. */
export async function viewFirstKey(
  transaction: Queryable,
  seal: Seal,
  accountId: number,
  now: EpochSeconds,
): Promise<{ key: string; lastFour: string } | null> {
  const [row] = await transaction.query(viewKey, [accountId, now]);
  if (row === undefined) return null;
  const key = seal.open(String(row['sealed_key']), sealContext(accountId));
  return { key, lastFour: String(row['last_four']) };
}

export async function findKeyFacts(
  database: Queryable,
  accountId: number,
): Promise<RowOf<typeof keyFacts> | null> {
  const [row] = await database.query(findKey, [accountId]);
  return row === undefined ? null : keyFacts.parse(row);
}

export interface CurrentKey {
  readonly accountId: number;
  readonly username: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: EpochSeconds;
  readonly lastUsedAt: EpochSeconds | null;
}

/** Lists valid keys by account. For a restore, while nothing else runs. */
export async function listCurrentKeys(database: Queryable, now: EpochSeconds): Promise<CurrentKey[]> {
  const rows = await database.query(selectCurrentKeys, [now]);
  return rows.map((row) => ({
    ...currentKeys.parse(row),
    username: String(row['username']),
  }));
}

const sealedCopies = apiKeys.pick('id', 'accountId', 'sealedKey');

const listSealed: SqlStatement = {
  name: 'list_sealed_keys',
  text: `select ${sealedCopies.list('k')} from api_keys k
    where k.id > $1::int and k.sealed_key is not null order by k.id limit 200`,
};

const replaceSealed: SqlStatement = {
  name: 'replace_sealed_keys',
  text: `update api_keys k set sealed_key = new.sealed
    from unnest($1::int[], $2::text[], $3::text[]) as new (id, earlier, sealed)
    where k.id = new.id and k.sealed_key = new.earlier`,
};

/** Includes revoked keys, so that nothing stays sealed under an old SECRET_KEY. */
export const sealedKeys: SealedTexts = {
  async list(database, after) {
    const rows = await database.query(listSealed, [after]);
    return rows.map((row) => {
      const { id, accountId, sealedKey } = sealedCopies.parse(row);
      return { id, sealed: String(sealedKey), context: sealContext(accountId) };
    });
  },
  async replace(database, changes) {
    await database.query(replaceSealed, sealedChangeValues(changes));
  },
};

export async function noteKeysUsed(
  database: Queryable,
  uses: ReadonlyMap<number, EpochSeconds>,
): Promise<void> {
  if (uses.size === 0) return;
  // Sort, so that two processes which write the same keys do not deadlock.
  const sorted = [...uses].sort(([a], [b]) => a - b);
  await database.query(useKeys, keyUses.values(sorted.map(([id, lastUsedAt]) => ({ id, lastUsedAt }))));
}

/** Binds the sealed key to its account, so that swapped rows do not open. */
function sealContext(accountId: number): string {
  return `api key of account ${accountId}`;
}
