// The keys of accounts as they are stored: the hash they are looked up by, a sealed copy for their owner's eyes,
// and what may be shown of them. The only writer of api_keys. A revoked key stays, to be answered as revoked.

import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { numberArray } from '../database/sql-arrays.ts';
import { type AuditAuthor, appendAudit } from '../journal/audit-log.ts';
import { lastFour, lookupHash, type Seal } from './api-key.ts';

const insertKey: Statement = {
  name: 'insert_api_key',
  text: `insert into api_keys (lookup_hash, account_id, sealed_key, last_four, created_at, viewed_at)
    values ($1, $2::int, $3, $4, to_timestamp($5::bigint), to_timestamp($6::bigint))`,
};

const revokeKeys: Statement = {
  name: 'revoke_api_keys',
  text: `update api_keys set revoked_at = to_timestamp($2::bigint) where account_id = $1::int and revoked_at is null
    returning last_four`,
};

const findSealedKey: Statement = {
  name: 'find_sealed_key',
  text: 'select sealed_key from api_keys where account_id = $1::int and revoked_at is null',
};

const findKey: Statement = {
  name: 'find_api_key',
  text: `select last_four, created_at, last_used_at, viewed_at from api_keys
    where account_id = $1::int and revoked_at is null`,
};

const viewKey: Statement = {
  name: 'view_api_key',
  text: `update api_keys set viewed_at = coalesce(viewed_at, to_timestamp($2::bigint))
    where account_id = $1::int and revoked_at is null returning sealed_key, last_four`,
};

const useKeys: Statement = {
  name: 'use_api_keys',
  text: `update api_keys k set last_used_at = to_timestamp(used.at)
    from unnest($1::int[], $2::bigint[]) used (id, at)
    where k.id = used.id and k.revoked_at is null
      and (k.last_used_at is null or k.last_used_at < to_timestamp(used.at))`,
};

/** In the transaction that makes the account or revokes its earlier key. */
export async function storeKey(
  transaction: Queryable,
  seal: Seal,
  accountId: number,
  key: string,
  now: EpochSeconds,
  viewedAt: EpochSeconds | null = null,
) {
  const sealed = seal.seal(key, sealContext(accountId));
  await transaction.query(insertKey, [lookupHash(key), accountId, sealed, lastFour(key), now, viewedAt]);
}

/** Revokes the account's current key; its last four characters, null where it has none. */
export async function revokeKey(
  transaction: Queryable,
  accountId: number,
  now: EpochSeconds,
): Promise<string | null> {
  const [revoked] = await transaction.query(revokeKeys, [accountId, now]);
  return nullable(String, revoked?.['last_four']);
}

/** The account's current key in the clear, from its sealed copy. null: it has none. */
export async function openApiKey(database: Queryable, seal: Seal, accountId: number): Promise<string | null> {
  const [row] = await database.query(findSealedKey, [accountId]);
  return row === undefined ? null : seal.open(String(row['sealed_key']), sealContext(accountId));
}

/** The account's current key for its owner's eyes; the audit log notes it. null: it has none. */
export function revealApiKey(
  database: Database,
  seal: Seal,
  id: number,
  { now, ...author }: AuditAuthor & { readonly now: EpochSeconds },
): Promise<string | null> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query(viewKey, [id, now]);
    if (row === undefined) return null;
    await appendAudit(
      transaction,
      {
        ...author,
        action: 'account.reveal_api_key',
        subject: `account ${id}`,
        before: null,
        after: { last_four: String(row['last_four']) },
      },
      now,
    );
    return seal.open(String(row['sealed_key']), sealContext(id));
  });
}

export interface KeyFacts {
  readonly lastFour: string;
  readonly createdAt: EpochSeconds;
  /** To the minute. */
  readonly lastUsedAt: EpochSeconds | null;
  readonly viewedAt: EpochSeconds | null;
}

/** What may be shown of the current key. null: the account has none. */
export async function findKeyFacts(database: Queryable, accountId: number): Promise<KeyFacts | null> {
  const [row] = await database.query(findKey, [accountId]);
  if (row === undefined) return null;
  return {
    lastFour: String(row['last_four']),
    createdAt: Number(row['created_at']),
    lastUsedAt: nullable(Number, row['last_used_at']),
    viewedAt: nullable(Number, row['viewed_at']),
  };
}

/** Ids of keys to when they were last used. */
export async function noteKeysUsed(
  database: Queryable,
  uses: ReadonlyMap<number, EpochSeconds>,
): Promise<void> {
  if (uses.size === 0) return;
  // Sorted: two processes that note the same keys must not wait for each other in a circle.
  const sorted = [...uses].sort(([a], [b]) => a - b);
  await database.query(useKeys, [
    numberArray(sorted.map(([id]) => id)),
    numberArray(sorted.map(([, at]) => at)),
  ]);
}

/** Binds a sealed key to its account: swapped rows do not open. */
function sealContext(accountId: number): string {
  return `api key of account ${accountId}`;
}
