// How many rows and bytes test accounts hold, and their budgets. Only transactions of tests update it.
// Invariant: a row of test_usage lives as long as its account, so tests that are not deleted yet still count.

import type { Queryable, SqlStatement } from '../../../platform/database/database.ts';
import { bigint } from '../../../platform/database/row-values.ts';
import { numberArray } from '../../../platform/database/sql-arrays.ts';

export interface TestBudget {
  readonly rowsMax: number;
  readonly bytesMax: number;
  /** The limit for all tests together, including reset ones that are not deleted yet. */
  readonly allBytesMax: number;
}

export interface TestUsage {
  readonly rows: number;
  readonly bytes: number;
}

export interface TestSpace {
  readonly budget: TestBudget;
  readonly ofAccounts: ReadonlyMap<number, TestUsage>;
  readonly allBytes: number;
}

export type FullBudget = 'account' | 'all';

/** Includes the row's share of indexes, but no texts. */
export const testRowBytes = 256;
const bytesPerRowMax = 1_024;
const accountsFilled = 50;
const diskShare = 10;

/** `diskBytes` is the size of the embedded database's disk; null for a PostgreSQL server. */
export function createTestBudget(rowsMax: number, diskBytes: number | null): TestBudget {
  const bytesMax = rowsMax * bytesPerRowMax;
  const ofDisk = diskBytes === null ? Number.MAX_SAFE_INTEGER : Math.floor(diskBytes / diskShare);
  return { rowsMax, bytesMax, allBytesMax: Math.min(bytesMax * accountsFilled, ofDisk) };
}

export function fullBudget(
  { budget, ofAccounts, allBytes }: TestSpace,
  accountId: number,
  more: TestUsage,
): FullBudget | null {
  const { rows, bytes } = ofAccounts.get(accountId) ?? nothing;
  if (rows + more.rows >= budget.rowsMax || bytes + more.bytes >= budget.bytesMax) return 'account';
  return allBytes + more.bytes >= budget.allBytesMax ? 'all' : null;
}

const nothing: TestUsage = { rows: 0, bytes: 0 };

const loadUsage: SqlStatement = {
  name: 'load_test_usage',
  text: `select t.all_bytes, u.account_id, u.row_count, u.byte_count
    from (select coalesce(sum(byte_count), 0)::bigint as all_bytes from test_usage) t
    left join test_usage u on u.account_id = any($1::int[])`,
};

/** Call after locking the accounts. */
export async function loadTestSpace(
  database: Queryable,
  accountIds: readonly number[],
  budget: TestBudget,
): Promise<TestSpace> {
  const rows = await database.query(loadUsage, [numberArray(accountIds)]);
  const known = rows.filter((row) => row['account_id'] !== null);
  const usage = known.map(
    (row) =>
      [
        Number(row['account_id']),
        { rows: Number(bigint(row['row_count'])), bytes: Number(bigint(row['byte_count'])) },
      ] as const,
  );
  return { budget, ofAccounts: new Map(usage), allBytes: Number(bigint(rows[0]?.['all_bytes'])) };
}

// In the order of accounts, as batches lock them.
const addUsage: SqlStatement = {
  name: 'add_test_usage',
  text: `insert into test_usage as u (account_id, row_count, byte_count)
    select * from unnest($1::int[], $2::bigint[], $3::bigint[]) added (account_id, row_count, byte_count)
      order by account_id
    on conflict (account_id) do update
      set row_count = u.row_count + excluded.row_count, byte_count = u.byte_count + excluded.byte_count`,
};

export async function addTestUsage(
  database: Queryable,
  added: readonly (TestUsage & { readonly accountId: number })[],
): Promise<void> {
  if (added.length === 0) return;
  await database.query(addUsage, [
    numberArray(added.map(({ accountId }) => accountId)),
    numberArray(added.map(({ rows }) => rows)),
    numberArray(added.map(({ bytes }) => bytes)),
  ]);
}

const deleteUsage: SqlStatement = {
  name: 'delete_test_usage',
  text: 'delete from test_usage where account_id = $1::int',
};

/** Call in the transaction that deletes the account's row. */
export async function dropTestUsage(transaction: Queryable, accountId: number): Promise<void> {
  await transaction.query(deleteUsage, [accountId]);
}

// Processes of an older version delete test accounts without this.
const deleteStray: SqlStatement = {
  name: 'delete_stray_test_usage',
  text: `delete from test_usage u where not exists (select 1 from accounts a where a.id = u.account_id)`,
};

export async function dropStrayTestUsage(database: Queryable): Promise<void> {
  await database.query(deleteStray);
}
