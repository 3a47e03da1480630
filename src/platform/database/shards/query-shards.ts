// What is read of all accounts, where they are in several groups (find-shards.ts): each group is asked, and what they
// answer is put together. Of one group it is that one statement. Called by jobs and lists that walk over all accounts.

import { byGroup, type Queryable, type Row, type SqlStatement } from '../database.ts';
import { numberArray } from '../sql-arrays.ts';

/** The rows of every group, group after group. */
export async function fromEveryGroup(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const groups = database.accountGroups();
  const [first, ...others] = await Promise.all(groups.map((group) => group.query(statement, values)));
  return first === undefined || others.length === 0 ? (first ?? []) : [first, ...others].flat();
}

/**
 * A few rows of whichever groups have them. The view of all groups knows, but where those are on several servers it is made
 * of all their rows first: there each group is asked.
 */
export async function fromAnyGroup(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return database.isSpread ? fromEveryGroup(database, statement, values) : database.query(statement, values);
}

/** What is asked about several accounts, of their groups alone; the rows are in the order of the groups. */
export async function fromTheirGroups<Item>(
  database: Queryable,
  items: readonly Item[],
  accountOf: (item: Item) => number,
  statement: SqlStatement,
  values: (items: readonly Item[]) => readonly unknown[],
): Promise<readonly Row[]> {
  const asked = byGroup(database, items, accountOf).map(([accountId, ofGroup]) =>
    database.ofAccount(accountId).query(statement, values(ofGroup)),
  );
  return (await Promise.all(asked)).flat();
}

/** The rows of these accounts by a statement that takes their ids; where all groups are on one server, their view has them. */
export function ofAccounts(
  database: Queryable,
  ids: readonly number[],
  statement: SqlStatement,
): Promise<readonly Row[]> {
  const wanted = [...new Set(ids)];
  if (!database.isSpread) return database.query(statement, [numberArray(wanted)]);
  return fromTheirGroups(
    database,
    wanted,
    (id) => id,
    statement,
    (some) => [numberArray(some)],
  );
}

/**
 * The first `limit` rows of all groups in the order of these columns, ascending numbers; each group answers in that order,
 * and with as many rows if it has them.
 */
export async function firstOfEveryGroup(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[],
  { columns, limit }: { readonly columns: readonly string[]; readonly limit: number },
): Promise<readonly Row[]> {
  const rows = await fromEveryGroup(database, statement, values);
  if (database.accountGroups().length === 1) return rows;
  const compare = (one: Row, other: Row) => {
    for (const column of columns) {
      const difference = Number(one[column]) - Number(other[column]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  return rows.toSorted(compare).slice(0, limit);
}

/**
 * For statements that join one account with what is nobody's: where the groups are on several servers, the group of the
 * account whose `account_id` this statement finds. Elsewhere the account is found with the rest.
 */
export async function groupThatHas(
  database: Queryable,
  findAccountId: SqlStatement,
  values: readonly unknown[],
): Promise<Queryable> {
  if (!database.isSpread) return database;
  const [row] = await database.query(findAccountId, values);
  // Where there is none, any group finds nothing.
  return database.ofAccount(Number(row?.['account_id'] ?? 0));
}
