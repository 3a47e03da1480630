// Hashes of all existing keys, so that a real key never counts as a guess, even during a flood from its address. It is read
// in pages in the background. Used by api-key-cache.ts.
// Invariant: a hash allows only a look-up. If one is missing, the look-up counts against the address's limit.

import type { Database, Row, SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { createHashSet } from './hash-set.ts';

export interface ApiKeyHashIndex {
  has(hash: string): boolean;
  add(hash: string): void;
  readAll(): void;
  noteChange(accountId: number): void;
  settled(): Promise<void>;
  close(): void;
}

/** This many hashes take 34 MB. With more keys, look-ups count against the address's limit. */
const keysMax = 2_000_000;
const pageMax = 2_000;
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

/** Reports failed reads to `onProblem` and retries them. */
export function createApiKeyHashIndex(
  database: Database,
  onProblem: (error: unknown) => void,
): ApiKeyHashIndex {
  const hashes = createHashSet(keysMax);
  const changed = new Set<number>();
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
        // Another read was requested just as this one ended.
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
