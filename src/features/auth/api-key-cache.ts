// Caches the principal of each key. A NOTIFY drops an account's entries; without the LISTEN connection the cache is
// bypassed. Unknown keys are never cached, so the cache cannot be flooded.

import type { Database } from '../../platform/database/database.ts';
import type { RowOf } from '../../platform/database/table.ts';
import { type AllowList, createAllowList } from '../../shared/allow-list.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type Account, accounts } from '../identity/account-table.ts';
import { isApiKey, lookupHash } from '../identity/api-key.ts';
import { endOf, heldSecrets } from '../identity/api-key-rows.ts';
import { createKeyLookup } from '../identity/find-accounts.ts';
import { keyPrincipal, type Principal } from '../identity/principal.ts';
import { createApiKeyHashIndex } from './api-key-hash-index.ts';

export interface CachedKey {
  readonly principal: Principal;
  /** null if the key is valid. A revoked key stays revoked. */
  readonly ended: () => 'revoked' | 'expired' | null;
  /** Both the account's and the key's own list must allow the address. */
  readonly allowList: AllowList;
}

export interface ApiKeyCache {
  findCached(key: string): CachedKey | null;
  /** True if the key is known or being looked up. Then a look-up does not count as a guess. */
  isFamiliar(key: string): boolean;
  isFamiliarAtLast(key: string): Promise<boolean>;
  /** Shares a query with concurrent look-ups. @throws DatabaseUnavailable */
  find(key: string): Promise<CachedKey | null>;
  findFresh(key: string): Promise<CachedKey | null>;
  forgetAccount(accountId: number): void;
  learnAccount(accountId: number): void;
  learnKeys(): void;
  close(): void;
  /** True while the LISTEN connection is lost: then no cached entry is used. */
  setStale(stale: boolean): void;
}

interface LookUp {
  readonly generation: number;
  readonly found: Promise<CachedKey | null>;
}

const cachedKeysMax = 20_000;

export function createApiKeyCache(
  database: Database,
  now: () => EpochSeconds,
  onProblem: (error: unknown) => void = () => undefined,
): ApiKeyCache {
  const lookup = createKeyLookup(database);
  const cachedKeys = new Map<string, CachedKey>();
  const known = createApiKeyHashIndex(database, onProblem);
  const beingFound = new Map<string, LookUp>();
  const hashesOfAccount = new Map<number, Set<string>>();
  let stale = false;
  // Incremented with every notification. A look-up that began earlier may have read outdated rows.
  let generation = 0;

  async function load(hash: string): Promise<CachedKey | null> {
    const began = generation;
    const row = await lookup.find(hash);
    if (row === null) return null;
    known.add(hash);
    const isOperators = row['is_operators'] === true;
    const cachedKey = cachedKeyOf(accounts.parse(row), heldSecrets.parse(row, 'k_'), isOperators, now);
    if (!stale && began === generation) remember(hash, cachedKey);
    return cachedKey;
  }

  function remember(hash: string, cachedKey: CachedKey): void {
    if (cachedKeys.size >= cachedKeysMax) forgetAll();
    cachedKeys.set(hash, cachedKey);
    const { id } = cachedKey.principal.account;
    const hashes = hashesOfAccount.get(id) ?? new Set();
    hashesOfAccount.set(id, hashes.add(hash));
  }

  function forgetAll(): void {
    generation += 1;
    cachedKeys.clear();
    hashesOfAccount.clear();
  }

  function drop(accountId: number): void {
    generation += 1;
    for (const hash of hashesOfAccount.get(accountId) ?? []) cachedKeys.delete(hash);
    hashesOfAccount.delete(accountId);
  }

  /** True if no notification has come since the look-up began, so its result is current. */
  function isBeingFound(hash: string): boolean {
    return !stale && beingFound.get(hash)?.generation === generation;
  }

  return {
    findCached: (key) => cachedKeys.get(lookupHash(key)) ?? null,
    isFamiliar(key) {
      const hash = lookupHash(key);
      return known.has(hash) || isBeingFound(hash);
    },
    async isFamiliarAtLast(key) {
      await known.settled();
      return known.has(lookupHash(key));
    },
    find(key) {
      const hash = lookupHash(key);
      const earlier = beingFound.get(hash);
      if (earlier !== undefined && isBeingFound(hash)) return earlier.found;
      const found = load(hash).finally(() => {
        if (beingFound.get(hash)?.found === found) beingFound.delete(hash);
      });
      beingFound.set(hash, { generation, found });
      return found;
    },
    async findFresh(key) {
      if (!isApiKey(key, 'any')) return null;
      const hash = lookupHash(key);
      const cachedKey = cachedKeys.get(hash);
      if (cachedKey !== undefined) drop(cachedKey.principal.account.id);
      return load(hash);
    },
    forgetAccount(accountId) {
      drop(accountId);
      known.noteChange(accountId);
    },
    learnAccount: known.noteChange,
    learnKeys: known.readAll,
    close: known.close,
    setStale(isStale) {
      stale = isStale;
      forgetAll();
      if (!isStale) known.readAll();
    },
  };
}

function cachedKeyOf(
  account: Account,
  secret: RowOf<typeof heldSecrets>,
  isOperators: boolean,
  now: () => EpochSeconds,
): CachedKey {
  const lists = [account.allowedIps, secret.allowedIps].map(createAllowList);
  return {
    principal: keyPrincipal(account, secret, isOperators, now),
    ended: () => endOf(secret, now()),
    allowList: { allows: (address) => lists.every((list) => list.allows(address)) },
  };
}
