// Lists tables and sequences from PostgreSQL's own catalog, so that backup and restore never miss a new table.
// Invariant: a divided database lists the same tables as an undivided one, each with the rows of all shards, so a backup
// does not depend on the number of shards.

import { type Queryable, StatementFailed } from '../database.ts';
import { quoteName } from '../quote-name.ts';
import { findDivisionIfAny } from '../shards/find-shards.ts';
import { accountReferences } from '../shards/sharded-tables.ts';

export interface Table {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The columns of the primary key, so that the same state is always listed in the same order. */
  readonly orderBy: string;
}

export interface Sequence {
  readonly table: string;
  readonly column: string;
  readonly last: string | null;
}

const migrationsTable = 'schema_migrations';
/** Not in backups: jobs belong to an installation, and account_groups describes its division into shards. */
const jobsTable = 'jobs';
const groupsTable = 'account_groups';

const selectTables = `select c.relname as name, c.oid::int as oid,
    array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
      and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
    array(select format_type(a.atttypid, a.atttypmod) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
      and not a.attisdropped and a.attgenerated = '' order by a.attnum) as types,
    array(select quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end
      from pg_index i cross join unnest(i.indkey::int[]) with ordinality as k (attnum, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary order by k.place) as order_by,
    array(select f.confrelid::int from pg_constraint f where f.conrelid = c.oid and f.contype = 'f') as needs
  from pg_class c where c.relkind = 'r'
    and c.relnamespace in (current_schema()::regnamespace, coalesce($1, current_schema()::text)::regnamespace)
  order by c.relname`;

/** The first shard's schema: its account tables represent those of all shards. null on an undivided database. */
async function firstGroup(queryable: Queryable): Promise<string | null> {
  return (await findDivisionIfAny(queryable))?.groups[0] ?? null;
}

/** Each one after the tables it references. */
export async function listTables(queryable: Queryable): Promise<Table[]> {
  const rows = await queryable.query({ name: '', text: selectTables }, [await firstGroup(queryable)]);
  const oids = new Map(rows.map((row) => [String(row['name']), Number(row['oid'])]));
  const referredTo = (name: string) =>
    accountReferences.filter(({ table }) => table === name).map(({ refersTo }) => oids.get(refersTo) ?? 0);
  const waiting = rows
    .filter(({ name }) => name !== migrationsTable && name !== jobsTable && name !== groupsTable)
    .map((row) => ({
      oid: Number(row['oid']),
      needs: [...texts(row['needs']).map(Number), ...referredTo(String(row['name']))],
      table: {
        name: String(row['name']),
        columns: texts(row['columns']).map((name, index) => ({
          name,
          type: texts(row['types'])[index] ?? '',
        })),
        orderBy: texts(row['order_by']).join(', '),
      },
    }));
  const sorted: typeof waiting = [];
  while (sorted.length < waiting.length) {
    const placed = new Set(sorted.map(({ oid }) => oid));
    const known = new Set(waiting.map(({ oid }) => oid));
    const next = waiting.filter(
      (one) =>
        !placed.has(one.oid) &&
        one.needs.every((need) => placed.has(need) || need === one.oid || !known.has(need)),
    );
    if (next.length === 0) throw new Error('Tables refer to each other in a circle.');
    sorted.push(...next);
  }
  return sorted.map(({ table }) => table);
}

/** All shards number a column from one sequence. It is found through the default of the column, which depends on it. */
const numberedColumns = `(
    select c.relname::text as table_name, a.attname::text as column_name, a.attnum,
      coalesce(
        pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass,
        (select d.refobjid::regclass from pg_attrdef f join pg_depend d on d.classid = 'pg_attrdef'::regclass
          and d.objid = f.oid and d.refclassid = 'pg_class'::regclass
          join pg_class s on s.oid = d.refobjid and s.relkind = 'S'
          where f.adrelid = c.oid and f.adnum = a.attnum limit 1)) as sequence
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r'
      and c.relnamespace in (current_schema()::regnamespace, coalesce($1, current_schema()::text)::regnamespace)
  ) columns`;

const selectSequences = `select table_name as table, column_name as column, pg_sequence_last_value(sequence)::text as last
  from ${numberedColumns} where sequence is not null order by table_name, attnum`;

const skipInSequences = `select setval(sequence, coalesce(pg_sequence_last_value(sequence), 0) + $2::int)
  from ${numberedColumns} where sequence is not null`;

export async function skipSequences(queryable: Queryable, count: number): Promise<void> {
  await queryable.query({ name: '', text: skipInSequences }, [await firstGroup(queryable), count]);
}

export async function listSequences(queryable: Queryable): Promise<Sequence[]> {
  const rows = await queryable.query({ name: '', text: selectSequences }, [await firstGroup(queryable)]);
  return rows.map((row) => ({
    table: String(row['table']),
    column: String(row['column']),
    last: row['last'] === null ? null : String(row['last']),
  }));
}

/** @returns an empty list if the database has no record of migrations */
export async function listMigrations(queryable: Queryable): Promise<{ name: string; checksum: string }[]> {
  const [found] = await queryable.query({
    name: '',
    text: `select to_regclass('${migrationsTable}') is not null as has`,
  });
  if (found?.['has'] !== true) return [];
  const rows = await queryable.query({
    name: '',
    text: `select name, checksum from ${migrationsTable} order by number`,
  });
  return rows.map((row) => ({ name: String(row['name']), checksum: String(row['checksum']) }));
}

export async function findContent(queryable: Queryable, tables: readonly Table[]): Promise<string | null> {
  for (const { name } of tables) {
    const [row] = await queryable.query({
      name: '',
      text: `select exists (select 1 from ${quoteName(name)}) as has`,
    });
    if (row?.['has'] === true) return name;
  }
  return null;
}

export function isDataProblem(error: unknown): error is StatementFailed {
  return error instanceof StatementFailed && /^2[23]/.test(error.code);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
