// Makes the shards' tables one database: views over all shards in the shared schema, common sequences, a check that each row
// is in its account's shard, and functions bound to their shard.
// Invariant: views that are dropped are created again in the same transaction.

import type { AccountDivision, Queryable, Row } from '../database.ts';
import { quoteName } from '../quote-name.ts';
import { SchemaMismatch } from '../schema-mismatch.ts';
import { accountTables } from './sharded-tables.ts';

export interface Right {
  readonly role: string;
  readonly privilege: string;
}

/** A view of the shared schema over something other than a shard's table. */
export interface OwnView {
  /** Quoted for SQL, with its options. */
  readonly head: string;
  readonly name: string;
  readonly definition: string;
  readonly rights: readonly Right[];
}

/** Drops every view of the shared schema. @returns those that are not over shard tables, in the order to recreate them */
export async function takeViewsDown(
  transaction: Queryable,
  shared: AccountDivision['shared'],
): Promise<OwnView[]> {
  const rows = await run(
    transaction,
    `select c.relname as name, pg_get_viewdef(c.oid) as definition, array_to_string(c.reloptions, ', ') as options
     from pg_class c where c.relkind = 'v' and c.relnamespace = current_schema()::regnamespace
       -- Extensions look after theirs.
       and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     order by c.oid`,
  );
  const views: OwnView[] = [];
  for (const row of rows) {
    const name = String(row['name']);
    if (name in accountTables) continue;
    const quoted = `${shared}.${quoteName(name)}`;
    const options = row['options'] === null ? '' : ` with (${row['options']})`;
    const rights = await rightsOn(transaction, quoted);
    views.push({
      name: quoted,
      head: `create view ${quoted}${options} as`,
      definition: String(row['definition']),
      rights,
    });
  }
  for (const row of rows.toReversed())
    await run(transaction, `drop view ${shared}.${quoteName(String(row['name']))}`);
  return views;
}

/** @throws SchemaMismatch if a shard lacks a table that the first one has */
export async function putViewsUp(
  transaction: Queryable,
  division: AccountDivision,
  others: readonly OwnView[],
): Promise<void> {
  const { shared, groups } = division;
  for (const [name, owner] of Object.entries(accountTables)) {
    const present = await groupsWith(transaction, groups, name);
    // A later migration creates this table.
    if (present.length === 0) continue;
    if (present.length < groups.length) {
      const missing = groups.filter((group) => !present.includes(group));
      throw new SchemaMismatch(`There is no table ${name} in ${missing.join(', ')}.`);
    }
    await shareNumbers(transaction, division, name);
    for (const [number, group] of groups.entries())
      await keepToOwn(transaction, `${group}.${name}`, { owner, count: groups.length, number });
    const rows = groups.map((group) => `select * from ${group}.${name}`);
    await run(transaction, `create view ${shared}.${name} as ${rows.join(' union all ')}`);
    const rights = await rightsOn(transaction, `${groups[0]}.${name}`);
    await grant(transaction, `${shared}.${name}`, rights, ['SELECT']);
  }
  for (const { head, name, definition, rights } of others) {
    await run(transaction, `${head} ${definition}`);
    await grant(transaction, name, rights, null);
  }
  for (const group of groups) await keepFunctionsToOwn(transaction, group, shared);
}

async function groupsWith(
  transaction: Queryable,
  groups: readonly string[],
  name: string,
): Promise<readonly string[]> {
  const rows = await transaction.query(
    {
      name: '',
      text: `select g as name from unnest($1::text[]) with ordinality as l (g, place)
        where to_regclass(g || '.' || $2) is not null order by place`,
    },
    [groups, name],
  );
  return rows.map((row) => String(row['name']));
}

/** A migration creates a table with one sequence per shard. This replaces them by one sequence for all shards. */
async function shareNumbers(
  transaction: Queryable,
  { shared, groups }: AccountDivision,
  name: string,
): Promise<void> {
  const rows = await transaction.query(
    {
      name: '',
      text: `select quote_ident(attname) as column, s.seqmax::text as last from pg_attribute
          join pg_sequence s on s.seqrelid = pg_get_serial_sequence($1 || '.' || $2, attname)::regclass
        where attrelid = ($1 || '.' || $2)::regclass and attidentity <> ''`,
    },
    [groups[0], name],
  );
  for (const row of rows) {
    const column = String(row['column']);
    const sequence = sequenceName(shared, name, column);
    await run(transaction, `create sequence ${sequence} maxvalue ${row['last']}`);
    const rights = await rightsOn(transaction, `${groups[0]}.${name}`);
    await grantNumbers(transaction, sequence, rights);
    for (const group of groups) {
      await run(transaction, `alter table ${group}.${name} alter ${column} drop identity`);
      await run(
        transaction,
        `alter table ${group}.${name} alter ${column} set default nextval('${sequence}')`,
      );
    }
    const newest = groups.map((group) => `select max(${column}) as number from ${group}.${name}`);
    await run(
      transaction,
      `select setval('${sequence}', max(number)) from (${newest.join(' union all ')}) n having max(number) is not null`,
    );
  }
}

export function sequenceName(shared: string, table: string, column: string): string {
  return `${shared}.${table}_${column}_seq`;
}

export async function grantNumbers(
  transaction: Queryable,
  sequence: string,
  rights: readonly Right[],
): Promise<void> {
  await grant(transaction, `sequence ${sequence}`, rights, ['INSERT'], 'usage, select');
  await grant(transaction, `sequence ${sequence}`, rights, ['SELECT'], 'select');
}

async function keepToOwn(
  transaction: Queryable,
  table: string,
  { owner, count, number }: { readonly owner: string; readonly count: number; readonly number: number },
): Promise<void> {
  const [row] = await transaction.query(
    {
      name: '',
      text: 'select exists (select 1 from pg_constraint where conrelid = $1::regclass and conname = $2) as has',
    },
    [table, ownGroupConstraint],
  );
  if (row?.['has'] === true) return;
  await run(
    transaction,
    `alter table ${table} add constraint ${ownGroupConstraint} check (${owner} % ${count} = ${number})`,
  );
}

export const ownGroupConstraint = 'of_its_account_group';

/** Makes each function read the tables of its own shard, wherever it is called from. */
async function keepFunctionsToOwn(transaction: Queryable, group: string, shared: string): Promise<void> {
  const rows = await transaction.query(
    {
      name: '',
      text: 'select oid::regprocedure::text as name from pg_proc where pronamespace = $1::regnamespace',
    },
    [group],
  );
  for (const row of rows)
    await run(transaction, `alter function ${row['name']} set search_path = ${group}, ${shared}, pg_temp`);
}

export async function rightsOn(queryable: Queryable, name: string): Promise<Right[]> {
  const rows = await queryable.query(
    {
      name: '',
      text: `select case a.grantee when 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as role,
          a.privilege_type as privilege
        from pg_class c cross join aclexplode(c.relacl) a
        where c.oid = $1::regclass and a.grantee <> c.relowner order by 1, 2`,
    },
    [name],
  );
  return rows.map((row) => ({ role: String(row['role']), privilege: String(row['privilege']) }));
}

/** Repeats the grants of `rights`, or only those in `privileges` unless null. `given`: the privilege to grant instead of each. */
export async function grant(
  transaction: Queryable,
  what: string,
  rights: readonly Right[],
  privileges: readonly string[] | null,
  given?: string,
): Promise<void> {
  for (const { role, privilege } of rights) {
    if (privileges !== null && !privileges.includes(privilege)) continue;
    await run(transaction, `grant ${given ?? privilege} on ${what} to ${role}`);
  }
}

export function run(queryable: Queryable, text: string): Promise<readonly Row[]> {
  return queryable.query({ name: '', text });
}
