// What changes with every order: balance and counters, read together for all who ask in one turn.

import { createBatchedLookup } from '../database/batched-lookup.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { numberArray } from '../database/sql-arrays.ts';
import { type AccountCounters, accountCounters } from './account-table.ts';

export interface AccountReads {
  /** The account must exist. */
  getCounters(accountId: number): Promise<AccountCounters>;
}

const findCounters: Statement = {
  name: 'find_account_counters',
  text: `select wanted.position, ${accountCounters.list('a')}
    from unnest($1::int[]) with ordinality wanted (id, position) join accounts a on a.id = wanted.id`,
};

export function createAccountReads(database: Queryable): AccountReads {
  const lookup = createBatchedLookup<number>(database, findCounters, (ids) => [numberArray(ids)]);
  return {
    async getCounters(accountId) {
      const row = await lookup.find(accountId);
      if (row === null) throw new Error(`Account ${accountId} does not exist.`);
      return accountCounters.parse(row);
    },
  };
}
