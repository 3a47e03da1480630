// One description of each table: which columns it has, how their values travel to the database and how they are read.
// What a statement needs of it (the list of columns, the parameters of `unnest`, the casts, the parser) is derived
// once, at start: nothing has to be kept in step by hand. Each feature describes its own tables.
//
// Rows travel by columns: one array for each, which `unnest` makes rows of again, so that a statement of any number of
// rows is one prepared statement.

import type { EpochSeconds } from '../contract/times.ts';
import type { Row, Statement } from './database.ts';
import { bigint, nullable, oneOf as oneOfThese } from './row-values.ts';
import { nullableNumberArray, numberArray, textArray } from './sql-arrays.ts';

export interface Column<Value> {
  /** Its name in the database. */
  readonly name: string;
  /** The type of the parameter that carries its values. */
  readonly arrayType: string;
  /** From a value as it travelled to the column's own; null: it is that already. */
  readonly cast: ((value: string) => string) | null;
  toArray(values: readonly Value[]): string;
  /** From what the driver hands out. @throws Error where the column is of another kind */
  parse(value: unknown): Value;
}

/** What a row is called in the program, and its columns. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

export type Described<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends Column<infer Value> ? Value : never;
};

/** The row that a table's description makes. */
export type RowOf<Of> = Of extends Table<infer These> ? Described<These> : never;

/** A statement that writes any number of rows at once. */
export interface Write<Item> {
  readonly statement: Statement;
  values(rows: readonly Item[]): unknown[];
}

export interface Table<Of extends Columns> {
  /** "o.account_id, o.number, …", for `select`; with a prefix "o.number as x_number, …", where two tables are joined. */
  list(alias: string, prefix?: string): string;
  parse(row: Row, prefix?: string): Described<Of>;
  /** "unnest($1::int[], $2::text[]) wanted (account_id, reference)": rows that are looked up; values() fills it. */
  wanted<Name extends keyof Of & string>(...names: readonly Name[]): string;
  /** Arrays of these columns, in this order. */
  values<Name extends keyof Of & string>(
    rows: readonly Pick<Described<Of>, Name>[],
    ...names: readonly Name[]
  ): unknown[];
  insert(statementName: string): Write<Described<Of>>;
  /** Sets `changed` in the rows that `keys` name. */
  update<Key extends keyof Of & string, Name extends keyof Of & string>(
    statementName: string,
    keys: readonly Key[],
    changed: readonly Name[],
  ): Write<Pick<Described<Of>, Key | Name>>;
  /** The same table with some of its columns only. */
  pick<Name extends keyof Of & string>(...names: readonly Name[]): Table<Pick<Of, Name>>;
}

export function describeTable<Of extends Columns>(tableName: string, columns: Of): Table<Of> {
  const entries = Object.entries(columns);
  const column = (name: string): Column<unknown> => {
    const found = columns[name];
    if (found === undefined) throw new Error(`${tableName} has no ${name}.`);
    return found;
  };
  const namesIn = (names: readonly string[]) => names.map((name) => column(name).name).join(', ');
  const parameters = (names: readonly string[]) =>
    names.map((name, index) => `$${index + 1}::${column(name).arrayType}`).join(', ');
  const arriving = (name: string, row = '') => {
    const { cast, name: inDatabase } = column(name);
    return cast === null ? `${row}${inDatabase}` : cast(`${row}${inDatabase}`);
  };
  const toArrays =
    (names: readonly string[]) =>
    (rows: readonly Readonly<Record<string, unknown>>[]): unknown[] =>
      names.map((name) => column(name).toArray(rows.map((row) => row[name])));

  return {
    list: (alias, prefix = '') =>
      entries
        .map(([, { name }]) => `${alias}.${name}${prefix === '' ? '' : ` as ${prefix}${name}`}`)
        .join(', '),
    parse(row, prefix = '') {
      const parsed: Record<string, unknown> = {};
      for (const [key, { name, parse }] of entries) parsed[key] = parse(row[`${prefix}${name}`]);
      return parsed as Described<Of>;
    },
    wanted: (...names) => `unnest(${parameters(names)}) wanted (${namesIn(names)})`,
    values: (rows, ...names) => toArrays(names)(rows),
    insert(statementName) {
      const names = Object.keys(columns);
      return {
        statement: {
          name: statementName,
          text: `insert into ${tableName} (${namesIn(names)})
    select ${names.map((name) => arriving(name)).join(', ')}
    from unnest(${parameters(names)}) row (${namesIn(names)})`,
        },
        values: toArrays(names),
      };
    },
    update(statementName, keys, changed) {
      const names = [...keys, ...changed];
      const set = changed.map((name) => `${column(name).name} = ${arriving(name, 'row.')}`);
      const where = keys.map((name) => `t.${column(name).name} = row.${column(name).name}`);
      return {
        statement: {
          name: statementName,
          text: `update ${tableName} t set ${set.join(', ')}
    from unnest(${parameters(names)}) row (${namesIn(names)})
    where ${where.join(' and ')}`,
        },
        values: toArrays(names),
      };
    },
    pick(...names) {
      const picked = Object.fromEntries(names.map((name) => [name, column(name)]));
      return describeTable(tableName, picked as Pick<Of, (typeof names)[number]>);
    },
  };
}

// ------------------------------------------------------------------------------------- kinds of columns

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

/** Whole cents. */
export function cents(name: string): Column<bigint> {
  return { name, arrayType: 'bigint[]', cast: null, toArray: numberArray, parse: bigint };
}

/** A whole second; travels as seconds since 1970. */
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

/** One of a closed list of words. */
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

/** Whether a column holds anything: for reading alone. */
export function isSet(name: string): Column<boolean> {
  return { ...boolean(name), parse: (value) => value !== null };
}

function toTimestamp(value: string): string {
  return `to_timestamp(${value})`;
}
