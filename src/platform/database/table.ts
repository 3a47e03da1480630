// Describes each table once. Column lists, `unnest` parameters, casts and the parser are derived from it at start.
// Rows are sent as one array per column, so that one prepared statement serves any number of rows.

import type { JsonObject } from '../../shared/json.ts';
import { expectMonths, type Months } from '../../shared/periods.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { Queryable, Row, SqlStatement } from './database.ts';
import { bigint, nullable, oneOf as oneOfThese } from './row-values.ts';
import { nullableNumberArray, numberArray, textArray } from './sql-arrays.ts';

export interface Column<Value> {
  readonly name: string;
  readonly arrayType: string;
  /** Returns SQL that converts the sent value to the column's type. null: no cast is needed. */
  readonly cast: ((value: string) => string) | null;
  toArray(values: readonly Value[]): string;
  /** @throws Error if the column has another type */
  parse(value: unknown): Value;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type Described<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never;
};

export type RowOf<Of> = Of extends Table<infer These> ? Described<These> : never;

export interface Write<Item> {
  readonly statement: SqlStatement;
  values(rows: readonly Item[]): unknown[];
}

/** Each method covers all columns; `pick` and `without` make a narrower table. */
export interface Table<Of extends Columns> {
  readonly names: readonly string[];
  /** "o.account_id, o.number, …". With a prefix, for joining two tables: "o.number as x_number, …". */
  list(alias: string, prefix?: string): string;
  parse(row: Row, prefix?: string): Described<Of>;
  /** "unnest($1::int[], $2::text[]) alias (account_id, reference)", filled by values(). */
  sent(alias: string): string;
  /** Like sent(), with a column `position` that counts from 1. */
  sentInOrder(alias: string): string;
  /** The select list that casts sent rows for storage: "alias.account_id, to_timestamp(alias.created_at), …". */
  arrived(alias: string): string;
  values(rows: readonly Described<Of>[]): unknown[];
  /** `ending`: for example "on conflict …" or "returning …". */
  insert(statementName: string, ending?: string): Write<Described<Of>>;
  /** Updates all columns but `keys` in the rows that `keys` identify. The table's alias is `t`. */
  update(statementName: string, keys: readonly (keyof Of & string)[], ending?: string): Write<Described<Of>>;
  pick<Name extends keyof Of & string>(...names: readonly Name[]): Table<Pick<Of, Name>>;
  without<Name extends keyof Of & string>(...names: readonly Name[]): Table<Omit<Of, Name>>;
}

export function describeTable<Of extends Columns>(tableName: string, columns: Of): Table<Of> {
  const entries: readonly [string, Column<unknown>][] = Object.entries(columns);
  const names = entries.map(([, { name }]) => name);
  const namesIn = names.join(', ');
  const parameters = entries.map(([, { arrayType }], index) => `$${index + 1}::${arrayType}`).join(', ');
  const arriving = ({ name, cast }: Column<unknown>, alias: string) =>
    cast === null ? `${alias}.${name}` : cast(`${alias}.${name}`);
  const only = <Kept extends Columns>(isKept: (key: string) => boolean) =>
    describeTable(tableName, Object.fromEntries(entries.filter(([key]) => isKept(key))) as unknown as Kept);

  const readers = new Map<string, readonly (readonly [string, string, Column<unknown>['parse']])[]>();
  const readersOf = (prefix: string) => {
    let found = readers.get(prefix);
    if (found === undefined) {
      found = entries.map(([key, { name, parse }]) => [key, `${prefix}${name}`, parse] as const);
      readers.set(prefix, found);
    }
    return found;
  };

  const table: Table<Of> = {
    names,
    list: (alias, prefix = '') =>
      names.map((name) => `${alias}.${name}${prefix === '' ? '' : ` as ${prefix}${name}`}`).join(', '),
    parse(row, prefix = '') {
      const parsed: Record<string, unknown> = {};
      for (const [key, name, parse] of readersOf(prefix)) parsed[key] = parse(row[name]);
      return parsed as Described<Of>;
    },
    sent: (alias) => `unnest(${parameters}) ${alias} (${namesIn})`,
    sentInOrder: (alias) => `unnest(${parameters}) with ordinality ${alias} (${namesIn}, position)`,
    arrived: (alias) => entries.map(([, column]) => arriving(column, alias)).join(', '),
    values: (rows: readonly Readonly<Record<string, unknown>>[]) =>
      entries.map(([key, { toArray }]) => toArray(rows.map((row) => row[key]))),
    insert: (statementName, ending = '') => ({
      statement: {
        name: statementName,
        text: `insert into ${tableName} (${namesIn})
    select ${table.arrived('row')} from ${table.sent('row')} ${ending}`,
      },
      values: table.values,
    }),
    update(statementName, keys, ending = '') {
      const isKey = (key: string) => keys.includes(key);
      const where = entries.filter(([key]) => isKey(key)).map(([, { name }]) => `t.${name} = row.${name}`);
      const set = entries
        .filter(([key]) => !isKey(key))
        .map(([, column]) => `${column.name} = ${arriving(column, 'row')}`);
      return {
        statement: {
          name: statementName,
          text: `update ${tableName} t set ${set.join(', ')}
    from ${table.sent('row')} where ${where.join(' and ')} ${ending}`,
        },
        values: table.values,
      };
    },
    pick: (...kept) => only((key) => kept.some((name) => name === key)),
    without: (...left) => only((key) => !left.some((name) => name === key)),
  };
  return table;
}

export async function writeRows<Item>(
  database: Queryable,
  { statement, values }: Write<Item>,
  rows: readonly Item[],
): Promise<readonly Row[]> {
  return rows.length === 0 ? [] : database.query(statement, values(rows));
}

export function int(name: string): Column<number> {
  return { name, arrayType: 'int[]', cast: null, toArray: numberArray, parse: Number };
}

export function nullableInt(name: string): Column<number | null> {
  return {
    name,
    arrayType: 'int[]',
    cast: null,
    toArray: nullableNumberArray,
    parse: (value) => nullable(Number, value),
  };
}

/** For counts beyond 2^31. */
export function int8(name: string): Column<number> {
  return { ...int(name), arrayType: 'bigint[]' };
}

export function cents(name: string): Column<bigint> {
  return { name, arrayType: 'bigint[]', cast: null, toArray: numberArray, parse: bigint };
}

/** A time in whole seconds. It is sent as epoch seconds. */
export function time(name: string): Column<EpochSeconds> {
  return { name, arrayType: 'bigint[]', cast: toTimestamp, toArray: numberArray, parse: Number };
}

export function nullableTime(name: string): Column<EpochSeconds | null> {
  return {
    name,
    arrayType: 'bigint[]',
    cast: toTimestamp,
    toArray: nullableNumberArray,
    parse: (value) => nullable(Number, value),
  };
}

export function text(name: string): Column<string> {
  return { name, arrayType: 'text[]', cast: null, toArray: textArray, parse: String };
}

export function nullableText(name: string): Column<string | null> {
  return {
    name,
    arrayType: 'text[]',
    cast: null,
    toArray: textArray,
    parse: (value) => nullable(String, value),
  };
}

export function texts(name: string): Column<readonly string[]> {
  return {
    name,
    arrayType: 'text[]',
    cast: (value) => `${value}::text[]`,
    toArray: (values) => textArray(values.map(textArray)),
    parse: (value) => (Array.isArray(value) ? value.map(String) : []),
  };
}

/** A list of texts without spaces. It is sent as one string, because Citus accepts no arrays of texts in an update. */
export function words(name: string): Column<readonly string[]> {
  return {
    ...texts(name),
    cast: (value) => `string_to_array(${value}, ' ')`,
    toArray: (values) => textArray(values.map((value) => value.join(' '))),
  };
}

/** Some of these words, in this order. */
export function someOf<const Word extends string>(
  name: string,
  of: readonly Word[],
): Column<readonly Word[]> {
  return {
    ...words(name),
    parse: (value) => (Array.isArray(value) ? of.filter((word) => value.includes(word)) : []),
  };
}

export function oneOf<const Word extends string>(name: string, words: readonly Word[]): Column<Word> {
  return {
    name,
    arrayType: 'text[]',
    cast: null,
    toArray: textArray,
    parse: (value) => oneOfThese(words, value),
  };
}

export function boolean(name: string): Column<boolean> {
  return {
    name,
    arrayType: 'boolean[]',
    cast: null,
    toArray: (values) => `{${values.join(',')}}`,
    parse: (value) => value === true,
  };
}

export function months(name: string): Column<Months> {
  return {
    name,
    arrayType: 'smallint[]',
    cast: null,
    toArray: numberArray,
    parse: (value) => expectMonths(Number(value)),
  };
}

export function orNull<Value>(column: Column<Value>): Column<Value | null> {
  const element = (value: Value | null) => (value === null ? 'null' : column.toArray([value]).slice(1, -1));
  return {
    ...column,
    toArray: (values) => `{${values.map(element).join(',')}}`,
    parse: (value) => nullable(column.parse, value),
  };
}

export function json(name: string): Column<JsonObject> {
  return {
    name,
    arrayType: 'text[]',
    cast: (value) => `${value}::jsonb`,
    toArray: (values) => textArray(values.map((value) => JSON.stringify(value))),
    parse: (value) => value as JsonObject,
  };
}

export function nullableJson(name: string): Column<JsonObject | null> {
  return {
    ...json(name),
    toArray: (values) => textArray(values.map((value) => (value === null ? null : JSON.stringify(value)))),
    parse: (value) => nullable((found) => found as JsonObject, value),
  };
}

/** Only for reading: true if the column is not null. */
export function isSet(name: string): Column<boolean> {
  return { ...boolean(name), parse: (value) => value !== null };
}

function toTimestamp(value: string): string {
  return `to_timestamp(${value})`;
}
