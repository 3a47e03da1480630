// Look-ups that arrive in one turn of the event loop travel as one query: a hundred requests that read
// a balance at the same moment cost the database one statement.
// The statement takes arrays and returns, for every key that was found, its place in them in `position`
// (1, 2, 3 … as `unnest … with ordinality` counts). `accountOf`: where the key is of one account, and looked up in its group.

import { byGroup, type Queryable, type Row, type SqlStatement } from './database.ts';

export interface BatchedLookup<Key> {
  /** The row of this key, or null. @throws DatabaseUnavailable */
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
