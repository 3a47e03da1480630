// How a statement reaches the tables of accounts where these are in several shards (find-shards.ts): the only place
// beside the drivers that knows whether the shards are on one server or on several (citus.ts). With one shard each scope
// is that one statement.

import { byGroup, isSpread, type Queryable, type Row, type SqlStatement } from '../database.ts';
import { numberArray } from '../sql-arrays.ts';

/** `together`: all accounts are on one server. `apart`: shards are on several, and cannot be joined with what is outside. */
export interface Forms<Form> {
  readonly together: Form;
  readonly apart: Form;
}

/** One text, or two under names of their own. */
export type ShardedStatement = SqlStatement | Forms<SqlStatement>;

/** Columns of the answer that the statement orders by: numbers, booleans, or text in collation "C". None of them null. */
export interface ShardOrder {
  readonly columns: readonly string[];
  /** Of all columns; ascending if it is not said. */
  readonly descending?: boolean;
}

export interface FirstRows extends ShardOrder {
  /** How many rows the statement answers with, if there are so many. */
  readonly limit: number;
}

export interface PageRows extends ShardOrder {
  /** How many rows the statement reads of its index, if there are so many. */
  readonly limit: number;
  /**
   * Of a statement that leaves rows out of those that it reads: the column that numbers the rows read, from 1. The row
   * numbered `limit` is answered in any case, so that it is known how far was read. Absent: each row that is read is
   * answered.
   */
  readonly place?: string;
}

/** `end`: the row up to which all shards were read; more may follow behind it. null: there is no more. */
export interface ShardPage {
  readonly rows: readonly Row[];
  readonly end: Row | null;
}

export interface RowsOfItems<Item> {
  readonly of: readonly Item[];
  readonly accountOf: (item: Item) => number;
  /** What the statement takes of the items, as arrays; its other values follow. */
  readonly columns: (items: readonly Item[]) => readonly unknown[];
  /** Puts the rows in the order of the items; each row belongs to the item of the same key. */
  readonly inOrder?: { readonly keyOf: (item: Item) => string; readonly keyOfRow: (row: Row) => string };
}

/**
 * Which shards a statement asks, and how their answers are put together:
 * - `account`: the shard of this account.
 * - `accounts`: the shards of these accounts; $1 is the array of their ids, the values follow.
 * - `of`: the same for anything that belongs to accounts.
 * - `every`: every shard; the rows shard after shard.
 * - `any`: a few rows in whichever shards have them.
 * - `holding`: what joins one account with rows outside the shards. Where shards are apart, this statement first
 *   finds the `account_id`.
 * - `first`: the first `limit` rows of all shards, each of which answers with its own first.
 * - `page`: a list that goes on page by page (`ShardPage`). Each shard reads up to `limit` rows behind the cursor, which is
 *   among the values. What lies behind the row where the first of them ended is left out: another shard may have rows
 *   before it. So there may be more than `limit` rows, and, if the statement leaves rows out, none.
 *
 * Where shards are together, `accounts`, `of`, `any`, `holding` and `page` are one statement to the views of all shards.
 */
export type ShardScope<Item> =
  | 'every'
  | 'any'
  | { readonly account: number }
  | { readonly accounts: readonly number[] }
  | { readonly holding: SqlStatement; readonly by: readonly unknown[] }
  | { readonly first: FirstRows }
  | RowsOfItems<Item>;

/** The form that fits where this database has its shards. For what is more than one statement. */
export function bySharding<Result>(database: Queryable, { together, apart }: Forms<() => Result>): Result {
  return database[isSpread] ? apart() : together();
}

export function queryShards(
  database: Queryable,
  statement: ShardedStatement,
  values: readonly unknown[],
  scope: { readonly page: PageRows },
): Promise<ShardPage>;
export function queryShards<Item>(
  database: Queryable,
  statement: ShardedStatement,
  values: readonly unknown[],
  scope: ShardScope<Item>,
): Promise<readonly Row[]>;
export async function queryShards<Item>(
  database: Queryable,
  statement: ShardedStatement,
  values: readonly unknown[],
  scope: ShardScope<Item> | { readonly page: PageRows },
): Promise<readonly Row[] | ShardPage> {
  const form = formOf(database, statement);
  if (scope === 'every') return (await everyShard(database, form, values)).flat();
  if (scope === 'any') return (await wholeOrEvery(database, form, values)).flat();
  if ('account' in scope) return database.ofAccount(scope.account).query(form, values);
  if ('accounts' in scope)
    return ofItems(database, form, values, {
      of: [...new Set(scope.accounts)],
      accountOf: (id) => id,
      columns: (ids) => [numberArray(ids)],
    });
  if ('holding' in scope) return (await holding(database, scope)).query(form, values);
  if ('first' in scope) return firstOf(await everyShard(database, form, values), scope.first);
  if ('page' in scope) return pageOf(await wholeOrEvery(database, form, values), scope.page);
  return ofItems(database, form, values, scope);
}

function formOf(database: Queryable, statement: ShardedStatement): SqlStatement {
  if (!('together' in statement)) return statement;
  return database[isSpread] ? statement.apart : statement.together;
}

/** The answers, shard by shard. */
function everyShard(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[],
): Promise<readonly (readonly Row[])[]> {
  return Promise.all(database.accountGroups().map((shard) => shard.query(statement, values)));
}

/** On one server the views have it in one answer; over several, a view would fetch all rows of its tables first. */
async function wholeOrEvery(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[],
): Promise<readonly (readonly Row[])[]> {
  return database[isSpread]
    ? everyShard(database, statement, values)
    : [await database.query(statement, values)];
}

async function ofItems<Item>(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[],
  { of, accountOf, columns, inOrder }: RowsOfItems<Item>,
): Promise<readonly Row[]> {
  if (!database[isSpread]) return database.query(statement, [...columns(of), ...values]);
  const asked = byGroup(database, of, accountOf).map(([accountId, items]) =>
    database.ofAccount(accountId).query(statement, [...columns(items), ...values]),
  );
  const rows = (await Promise.all(asked)).flat();
  if (inOrder === undefined) return rows;
  const { keyOf, keyOfRow } = inOrder;
  const places = new Map(of.map((item, place) => [keyOf(item), place]));
  const placeOf = (row: Row) => places.get(keyOfRow(row)) ?? 0;
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

async function holding(
  database: Queryable,
  { holding: findAccountId, by }: { readonly holding: SqlStatement; readonly by: readonly unknown[] },
): Promise<Queryable> {
  if (!database[isSpread]) return database;
  const [row] = await database.query(findAccountId, by);
  // If there is none, any shard finds nothing.
  return database.ofAccount(Number(row?.['account_id'] ?? 0));
}

function firstOf(answers: readonly (readonly Row[])[], first: FirstRows): readonly Row[] {
  const [only = [], ...others] = answers;
  return others.length === 0 ? only : answers.flat().sort(comparing(first)).slice(0, first.limit);
}

function pageOf(answers: readonly (readonly Row[])[], page: PageRows): ShardPage {
  const { limit, place } = page;
  const isCut = (rows: readonly Row[]) =>
    place === undefined ? rows.length >= limit : Number(rows.at(-1)?.[place]) === limit;
  const compare = comparing(page);
  const [end = null] = answers.flatMap((rows) => (isCut(rows) ? rows.slice(-1) : [])).sort(compare);
  const [only = [], ...others] = answers;
  if (others.length === 0) return { rows: only, end };
  const isRead = (row: Row) => end === null || compare(row, end) <= 0;
  return { rows: answers.flat().filter(isRead).sort(compare), end };
}

function comparing({ columns, descending = false }: ShardOrder): (one: Row, other: Row) => number {
  const [before, behind] = descending ? [1, -1] : [-1, 1];
  return (one, other) => {
    for (const column of columns) {
      const [value, compared] = [sortable(one[column]), sortable(other[column])];
      if (value < compared) return before;
      if (value > compared) return behind;
    }
    return 0;
  };
}

function sortable(value: unknown): number | bigint | string {
  return typeof value === 'bigint' || typeof value === 'string' ? value : Number(value);
}
