// From a presented key to its principal: a cache before the database. An entry is dropped when its account
// changes (NOTIFY); while changes cannot be heard, the cache is bypassed. Keys that are not known are never
// kept, so nobody can fill it. Look-ups of one turn of the event loop travel as one query.

import type { EpochSeconds } from '../contract/times.ts';
import { createBatchedLookup } from '../database/batched-lookup.ts';
import type { Queryable } from '../database/database.ts';
import { textArray } from '../database/sql-arrays.ts';
import { findAccountsByKey } from './account-store.ts';
import { accounts } from './account-table.ts';
import { type AllowList, createAllowList } from './allow-list.ts';
import { isApiKey, lookupHash } from './api-key.ts';
import { keyPrincipal, type Principal } from './principal.ts';

export interface KeyHolder {
  readonly principal: Principal;
  readonly isRevoked: boolean;
  readonly allowList: AllowList;
}

export interface KeyDirectory {
  /** Who holds this key; null for a key that is not known. @throws DatabaseUnavailable */
  find(key: string): Promise<KeyHolder | null> | KeyHolder | null;
  /** The same, from the database. */
  findFresh(key: string): Promise<KeyHolder | null>;
  forgetAccount(accountId: number): void;
  /** Changes are not heard (true) or heard again (false): nothing cached before counts. */
  setDeaf(deaf: boolean): void;
}

const holdersMax = 20_000;

export function createKeyDirectory(database: Queryable, now: () => EpochSeconds): KeyDirectory {
  const lookup = createBatchedLookup<string>(database, findAccountsByKey, (hashes) => [textArray(hashes)]);
  const holders = new Map<string, KeyHolder>();
  const hashesOfAccount = new Map<number, Set<string>>();
  let deaf = false;
  // Moves with everything heard: a look-up that began before may have read what is no longer true.
  let generation = 0;

  async function load(hash: string): Promise<KeyHolder | null> {
    const began = generation;
    const row = await lookup.find(hash);
    if (row === null) return null;
    const account = accounts.parse(row);
    const holder = {
      principal: keyPrincipal(account, Number(row['key_id']), now),
      isRevoked: row['is_revoked'] === true,
      allowList: createAllowList(account.allowedIps),
    };
    if (!deaf && began === generation) remember(hash, holder);
    return holder;
  }

  function remember(hash: string, holder: KeyHolder): void {
    if (holders.size >= holdersMax) forgetAll();
    holders.set(hash, holder);
    const { id } = holder.principal.account;
    const hashes = hashesOfAccount.get(id) ?? new Set();
    hashesOfAccount.set(id, hashes.add(hash));
  }

  function forgetAll(): void {
    generation += 1;
    holders.clear();
    hashesOfAccount.clear();
  }

  function forgetAccount(accountId: number): void {
    generation += 1;
    for (const hash of hashesOfAccount.get(accountId) ?? []) holders.delete(hash);
    hashesOfAccount.delete(accountId);
  }

  return {
    find(key) {
      const hash = lookupHash(key);
      // What is known needs no look at its shape.
      return holders.get(hash) ?? (isApiKey(key) ? load(hash) : null);
    },
    async findFresh(key) {
      if (!isApiKey(key)) return null;
      const hash = lookupHash(key);
      const known = holders.get(hash);
      if (known !== undefined) forgetAccount(known.principal.account.id);
      return load(hash);
    },
    forgetAccount,
    setDeaf(isDeaf) {
      deaf = isDeaf;
      forgetAll();
    },
  };
}
