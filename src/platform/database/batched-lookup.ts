// Batches the look-ups of one event-loop turn into one query. Each row has the 1-based `position` of its key in the
// parameter arrays. Pass `accountOf` if keys must be looked up in their account's shard.

import { byGroup, type Queryable, type Row, type SqlStatement } from './database.ts';

export interface BatchedLookup<Key> {
  find(key: Key): Promise<Row | null>;
}

const lookupsPerQueryMax = 500;

export function createBatchedLookup<Key>(
  database: Queryable,
  statement: SqlStatement,
  parameters: (keys: readonly Key[]) => readonly unknown[],
  accountOf: ((key: Key) => number) | null = null,
): BatchedLookup<Key> {
  interface Waiting {
    key: Key;
    resolve(row: Row | null): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];

  async function run(queryable: Queryable, some: readonly Waiting[]): Promise<void> {
    try {
      const rows = await queryable.query(statement, parameters(some.map(({ key }) => key)));
      const found = new Map(rows.map((row) => [Number(row['position']), row]));
      for (const [index, { resolve }] of some.entries()) resolve(found.get(index + 1) ?? null);
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  function runInGroups(some: readonly Waiting[]): void {
    if (accountOf === null) return void run(database, some);
    for (const [accountId, ofGroup] of byGroup(database, some, ({ key }) => accountOf(key)))
      void run(database.ofAccount(accountId), ofGroup);
  }

  function runAll(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += lookupsPerQueryMax) {
      runInGroups(all.slice(from, from + lookupsPerQueryMax));
    }
  }

  return {
    find(key) {
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(runAll);
        waiting.push({ key, resolve, reject });
      });
    },
  };
}
