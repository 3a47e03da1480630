// Reads an account's balance and counters, which change with every order. All callers of one event-loop turn share a query.

import { createBatchedLookup } from '../../platform/database/batched-lookup.ts';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { numberArray } from '../../platform/database/sql-arrays.ts';
import { type AccountCounters, accountCounters } from './account-table.ts';

export interface AccountReads {
  /** Returns null for a deleted test account. */
  findCounters(accountId: number): Promise<AccountCounters | null>;
  getCounters(accountId: number): Promise<AccountCounters>;
}

const selectCounters: SqlStatement = {
  name: 'find_account_counters',
  text: `select wanted.position, ${accountCounters.list('a')}
    from unnest($1::int[]) with ordinality wanted (id, position) join accounts a on a.id = wanted.id`,
};

export function createAccountReads(database: Queryable): AccountReads {
  const lookup = createBatchedLookup<number>(
    database,
    selectCounters,
    (ids) => [numberArray(ids)],
    (id) => id,
  );
  async function findCounters(accountId: number): Promise<AccountCounters | null> {
    const row = await lookup.find(accountId);
    return row === null ? null : accountCounters.parse(row);
  }
  return {
    findCounters,
    async getCounters(accountId) {
      const found = await findCounters(accountId);
      if (found === null) throw new Error(`Account ${accountId} does not exist.`);
      return found;
    },
  };
}
