// The keys of accounts as they are stored: the hash they are looked up by, a sealed copy for their owner's eyes,
// and what may be shown of them. The only writer of api_keys. A revoked key stays, to be answered as revoked.

import type { EpochSeconds } from '../contract/times.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { nullable } from '../database/row-values.ts';
import { describeTable, int, nullableTime, type RowOf, text, time, writeRows } from '../database/table.ts';
import { type AuditAuthor, appendAudit } from '../journal/audit-log.ts';
import { lastFour, lookupHash } from './api-key.ts';
import { type Seal, type SealedTexts, sealedChangeValues } from './seal.ts';

const apiKeys = describeTable('api_keys', {
  id: int('id'),
  lookupHash: text('lookup_hash'),
  accountId: int('account_id'),
  sealedKey: text('sealed_key'),
  lastFour: text('last_four'),
  createdAt: time('created_at'),
  /** To the minute. */
  lastUsedAt: nullableTime('last_used_at'),
  viewedAt: nullableTime('viewed_at'),
});

const insertKey = apiKeys.without('id', 'lastUsedAt').insert('insert_api_key');

const revokeKeys: Statement = {
  name: 'revoke_api_keys',
  text: `update api_keys set revoked_at = to_timestamp($2::bigint) where account_id = $1::int and revoked_at is null
    returning last_four`,
};

const findSealedKey: Statement = {
  name: 'find_sealed_key',
  text: 'select sealed_key from api_keys where account_id = $1::int and revoked_at is null',
};

const keyFacts = apiKeys.pick('lastFour', 'createdAt', 'lastUsedAt', 'viewedAt');

const findKey: Statement = {
  name: 'find_api_key',
  text: `select ${keyFacts.list('k')} from api_keys k
    where account_id = $1::int and revoked_at is null`,
};

const currentKeys = apiKeys.pick('accountId', 'lastFour', 'createdAt', 'lastUsedAt');

const selectCurrentKeys: Statement = {
  name: 'list_current_keys',
  text: `select ${currentKeys.list('k')}, a.username from api_keys k join accounts a on a.id = k.account_id
    where k.revoked_at is null order by a.id`,
};

const viewKey: Statement = {
  name: 'view_api_key',
  text: `update api_keys set viewed_at = coalesce(viewed_at, to_timestamp($2::bigint))
    where account_id = $1::int and revoked_at is null returning sealed_key, last_four`,
};

const keyUses = apiKeys.pick('id', 'lastUsedAt');

const useKeys: Statement = {
  name: 'use_api_keys',
  text: `update api_keys k set last_used_at = to_timestamp(used.last_used_at)
    from ${keyUses.sent('used')}
    where k.id = used.id
      and (k.last_used_at is null or k.last_used_at < to_timestamp(used.last_used_at))`,
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
  const stored = {
    lookupHash: lookupHash(key),
    accountId,
    sealedKey: seal.seal(key, sealContext(accountId)),
    lastFour: lastFour(key),
    createdAt: now,
    viewedAt,
  };
  await writeRows(transaction, insertKey, [stored]);
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

/** What may be shown of the current key. null: the account has none. */
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
  readonly lastFour: string;
  readonly createdAt: EpochSeconds;
  readonly lastUsedAt: EpochSeconds | null;
}

/** Every key that is taken, by account. For a restore, beside which nothing runs. */
export async function listCurrentKeys(database: Queryable): Promise<CurrentKey[]> {
  const rows = await database.query(selectCurrentKeys);
  return rows.map((row) => ({
    ...currentKeys.parse(row),
    username: String(row['username']),
  }));
}

const sealedCopies = apiKeys.pick('id', 'accountId', 'sealedKey');

const listSealed: Statement = {
  name: 'list_sealed_keys',
  text: `select ${sealedCopies.list('k')} from api_keys k where k.id > $1::int order by k.id limit 200`,
};

const replaceSealed: Statement = {
  name: 'replace_sealed_keys',
  text: `update api_keys k set sealed_key = new.sealed
    from unnest($1::int[], $2::text[], $3::text[]) as new (id, earlier, sealed)
    where k.id = new.id and k.sealed_key = new.earlier`,
};

/** Of revoked keys too: whatever is sealed is sealed under a key that is known. */
export const sealedKeys: SealedTexts = {
  async list(database, after) {
    const rows = await database.query(listSealed, [after]);
    return rows.map((row) => {
      const { id, accountId, sealedKey: sealed } = sealedCopies.parse(row);
      return { id, sealed, context: sealContext(accountId) };
    });
  },
  async replace(database, changes) {
    await database.query(replaceSealed, sealedChangeValues(changes));
  },
};

/** Ids of keys to when they were last used. */
export async function noteKeysUsed(
  database: Queryable,
  uses: ReadonlyMap<number, EpochSeconds>,
): Promise<void> {
  if (uses.size === 0) return;
  // Sorted: two processes that note the same keys must not wait for each other in a circle.
  const sorted = [...uses].sort(([a], [b]) => a - b);
  await database.query(useKeys, keyUses.values(sorted.map(([id, lastUsedAt]) => ({ id, lastUsedAt }))));
}

/** Binds a sealed key to its account: swapped rows do not open. */
function sealContext(accountId: number): string {
  return `api key of account ${accountId}`;
}
