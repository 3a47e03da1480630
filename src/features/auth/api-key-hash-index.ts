// Which keys there are, by their hashes, so that a key that somebody holds is never taken for one that was made up: after a
// start as little as later, beside a flood from its own address as little as without one. Read in the background, a page
// at a time behind everything else; what changes afterwards is read when somebody would be refused for not knowing it. Used
// by api-key-cache.ts.
// Always true: to be known opens nothing, it only lets a key be looked up; a key that is missing here is looked up within
// the limit of its address.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { createHashSet } from './hash-set.ts';

export interface ApiKeyHashIndex {
  has(hash: string): boolean;
  add(hash: string): void;
  /** Reads every key that is taken. */
  readAll(): void;
  /** An account is new or was changed: its keys are read with the next settled(). */
  noteChange(accountId: number): void;
  /** Resolves when all that is to be read has been read, or could not be. */
  settled(): Promise<void>;
  close(): void;
}

/** 34 MB of them. Beyond it keys are looked up within the limit of their address. */
const keysMax = 2_000_000;
/** Well below the 50 ms that a piece of reading may take of the embedded database. */
const pageMax = 2_000;
/** Beyond it all are read anew. */
const changedMax = 1_000;
const retryMilliseconds = 2_000;

const listHashes: SqlStatement = {
  name: 'list_key_hashes',
  text: `select id, lookup_hash from api_keys where revoked_at is null and id > $1::int order by id limit ${pageMax}`,
};

const findHashes: SqlStatement = {
  name: 'find_key_hashes',
  text: 'select lookup_hash from api_keys where revoked_at is null and account_id = any($1::int[])',
};

/** @param onProblem told of what could not be read; it is tried again */
export function createApiKeyHashIndex(
  database: Database,
  onProblem: (error: unknown) => void,
): ApiKeyHashIndex {
  const hashes = createHashSet(keysMax);
  const changed = new Set<number>();
  /** The last secret that was read; null: all have been. */
  let after: number | null = null;
  let reading: Promise<void> | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  function addAll(rows: readonly Row[]): void {
    for (const row of rows) hashes.add(String(row['lookup_hash']));
  }

  async function readChanged(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    try {
      addAll(await database.query(findHashes, [numberArray(ids)], 'lookups'));
    } catch (error) {
      for (const id of ids) changed.add(id);
      throw error;
    }
  }

  async function readPage(from: number): Promise<void> {
    const rows = await database.query(listHashes, [from], 'reads');
    addAll(rows);
    // Begun anew meanwhile.
    if (after !== from) return;
    after = rows.length < pageMax ? null : Number(rows.at(-1)?.['id']);
  }

  async function readOn(): Promise<void> {
    while (!isClosed) {
      if (changed.size > 0) await readChanged();
      else if (after !== null) await readPage(after);
      else return;
    }
  }

  function read(): void {
    clearTimeout(retry);
    retry = undefined;
    reading ??= readOn().then(
      () => {
        reading = null;
        // Wanted at the very moment in which nothing was left.
        if (!isClosed && (changed.size > 0 || after !== null)) read();
      },
      (error: unknown) => {
        reading = null;
        if (isClosed) return;
        onProblem(error);
        retry = setTimeout(read, retryMilliseconds).unref();
      },
    );
  }

  return {
    has: hashes.has,
    add: hashes.add,
    readAll() {
      after = 0;
      read();
    },
    noteChange(accountId) {
      if (changed.size >= changedMax) {
        changed.clear();
        after = 0;
      } else changed.add(accountId);
    },
    async settled() {
      if (retry === undefined && (changed.size > 0 || after !== null)) read();
      await reading;
    },
    close() {
      isClosed = true;
      clearTimeout(retry);
    },
  };
}
