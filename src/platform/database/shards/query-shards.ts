// Sends statements to account tables in shards. Apart from the drivers, only this file knows whether shards are on one
// server or several (citus.ts). On an undivided database every scope runs a single statement.

import { byGroup, isSpread, type Queryable, type Row, type SqlStatement } from '../database.ts';
import { numberArray } from '../sql-arrays.ts';

/** `together`: for shards on one server. `apart`: for several servers, where shards cannot be joined with other tables. */
export interface Forms<Form> {
  readonly together: Form;
  readonly apart: Form;
}

export type ShardedStatement = SqlStatement | Forms<SqlStatement>;

/** Columns that the statement orders by: numbers, booleans, or text in collation "C". None may be null. */
export interface ShardOrder {
  readonly columns: readonly string[];
  readonly descending?: boolean;
}

export interface FirstRows extends ShardOrder {
  readonly limit: number;
}

export interface PageRows extends ShardOrder {
  /** How many index rows the statement reads at most. */
  readonly limit: number;
  /**
   * For a statement that returns only some rows: the column with the number of each row, from 1. It must return row `limit`.
   */
  readonly place?: string;
}

/** `end`: the row up to which all shards were read, if more rows may follow. null: the list is complete. */
export interface ShardPage {
  readonly rows: readonly Row[];
  readonly end: Row | null;
}

export interface RowsOfItems<Item> {
  readonly of: readonly Item[];
  readonly accountOf: (item: Item) => number;
  /** The statement's array parameters, made from the items. `values` follow them. */
  readonly columns: (items: readonly Item[]) => readonly unknown[];
  readonly inOrder?: { readonly keyOf: (item: Item) => string; readonly keyOfRow: (row: Row) => string };
}

/**
 * Which shards a statement asks, and how their answers are merged:
 * - `account`: the shard of this account.
 * - `accounts`: the shards of these accounts. $1 is the array of their ids; the values follow it.
 * - `of`: the shards of these items, each of which belongs to an account.
 * - `every`: every shard. The rows of one shard follow those of another.
 * - `any`: a few rows that may be in any shard.
 * - `holding`: joins one account with shared tables. If shards are apart, this statement first finds the `account_id`.
 * - `first`: the first `limit` rows of all shards, merged from the first rows of each.
 * - `page`: a cursor page (`ShardPage`). Each shard reads up to `limit` rows after the cursor. Rows beyond the earliest
 * end of these reads are dropped, because another shard may have rows before them. So a page may have more than `limit`
 * rows or, with a filter, none.
 * If shards are together, `accounts`, `of`, `any`, `holding` and `page` are one statement to the views over all shards.
 */
export type ShardScope<Item> =
  | 'every'
  | 'any'
  | { readonly account: number }
  | { readonly accounts: readonly number[] }
  | { readonly holding: SqlStatement; readonly by: readonly unknown[] }
  | { readonly first: FirstRows }
  | RowsOfItems<Item>;

/** For work that takes more than one statement. */
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

function everyShard(
  database: Queryable,
  statement: SqlStatement,
  values: readonly unknown[],
): Promise<readonly (readonly Row[])[]> {
  return Promise.all(database.accountGroups().map((shard) => shard.query(statement, values)));
}

/** Asks the views if all shards are on one server. Over several servers, a view would first fetch all rows of its tables. */
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
