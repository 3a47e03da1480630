// From a presented key to its principal: a cache before the database. An entry is dropped when its account
// changes (NOTIFY); while changes cannot be heard, the cache is bypassed. Keys that are not known are never
// kept, so nobody can fill it. Look-ups of one turn of the event loop travel as one query; whoever asks for one has
// asked the limits first.

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
  /** Why the key opens nothing now; null: it may. A revoked one stays revoked. */
  readonly ended: () => 'revoked' | 'expired' | null;
  /** Of the account and of the key: both have to allow it. */
  readonly allowList: AllowList;
}

export interface ApiKeyCache {
  /** Who holds this key, as it is remembered; null: nothing is. */
  findCached(key: string): CachedKey | null;
  /**
   * Whether somebody holds this key or held it when it was found here, or it is being looked up: to find it is no further
   * guess.
   */
  isFamiliar(key: string): boolean;
  /** The same once everything is known that can be: after a start, or a change that was heard of. */
  isFamiliarAtLast(key: string): Promise<boolean>;
  /** From the database, with others who ask for it now; null for a key that is not known. @throws DatabaseUnavailable */
  find(key: string): Promise<CachedKey | null>;
  /** From the database as it is from now on. */
  findFresh(key: string): Promise<CachedKey | null>;
  /** It was changed: what is remembered of it is dropped, and its key is learned when that matters. */
  forgetAccount(accountId: number): void;
  /** It was made: its key is learned when that matters. */
  learnAccount(accountId: number): void;
  /** Reads in the background which keys there are. */
  learnKeys(): void;
  close(): void;
  /** Changes are not heard (true) or heard again (false): nothing cached before counts. */
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
  // Moves with everything heard: a look-up that began before may have read what is no longer true.
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

  /** Nothing was heard since: whoever asks now is told what they would read themselves. */
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
