// What changes with every order: balance and counters, read together for all who ask in one turn.

import { createBatchedLookup } from '../database/batched-lookup.ts';
import type { Queryable, Statement } from '../database/database.ts';
import { bigint } from '../database/row-values.ts';
import { numberArray } from '../database/sql-arrays.ts';

export interface AccountCounters {
  readonly balanceCents: bigint;
  readonly orderCount: number;
  readonly customerCount: number;
  readonly entryCount: number;
  readonly accessVersion: number;
}

export interface AccountReads {
  /** The account must exist. */
  getCounters(accountId: number): Promise<AccountCounters>;
}

const findCounters: Statement = {
  name: 'find_account_counters',
  text: `select wanted.position, a.balance_cents, a.order_count, a.customer_count, a.entry_count,
      a.access_version
    from unnest($1::int[]) with ordinality wanted (id, position) join accounts a on a.id = wanted.id`,
};

export function createAccountReads(database: Queryable): AccountReads {
  const lookup = createBatchedLookup<number>(database, findCounters, (ids) => [numberArray(ids)]);
  return {
    async getCounters(accountId) {
      const row = await lookup.find(accountId);
      if (row === null) throw new Error(`Account ${accountId} does not exist.`);
      return {
        balanceCents: bigint(row['balance_cents']),
        orderCount: Number(row['order_count']),
        customerCount: Number(row['customer_count']),
        entryCount: Number(row['entry_count']),
        accessVersion: Number(row['access_version']),
      };
    },
  };
}
