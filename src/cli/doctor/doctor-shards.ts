// doctor's check of shards: each must have the same tables, indexes, triggers and constraint.

import type { Queryable } from '../../platform/database/database.ts';
import { SchemaMismatch } from '../../platform/database/schema-mismatch.ts';
import { findDivisionIfAny } from '../../platform/database/shards/find-shards.ts';
import { ownGroupConstraint } from '../../platform/database/shards/shard-views.ts';
import { accountTables } from '../../platform/database/shards/sharded-tables.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';
import type { Config } from '../../setup/config.ts';

const name = 'account groups';

const findIncomplete = `with groups as (select s, s::regnamespace as oid from unnest($1::text[]) s),
    parts as (
      select g.s, 'table ' || c.relname as part from groups g join pg_class c on c.relnamespace = g.oid and c.relkind = 'r'
      union all
      select g.s, 'index ' || c.relname from groups g join pg_class c on c.relnamespace = g.oid and c.relkind = 'i'
        join pg_index i on i.indexrelid = c.oid and i.indisvalid
      union all
      select g.s, 'trigger ' || t.tgname || ' of ' || c.relname from groups g
        join pg_class c on c.relnamespace = g.oid
        join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled <> 'D'
      union all
      select g.s, 'rule of ' || c.relname || ' that rows are of its accounts' from groups g
        join pg_class c on c.relnamespace = g.oid
        join pg_constraint k on k.conrelid = c.oid and k.conname = '${ownGroupConstraint}'
      union all
      select g.s, 'function ' || p.proname from groups g join pg_proc p on p.pronamespace = g.oid),
    wanted as (
      select distinct part from parts
      union select 'table ' || t from unnest($2::text[]) t
      union select 'rule of ' || t || ' that rows are of its accounts' from unnest($2::text[]) t)
  select g.s as schema, w.part from groups g cross join wanted w
  where not exists (select 1 from parts p where p.s = g.s and p.part = w.part)
  union all
  select current_schema()::text, 'view ' || t from unnest($2::text[]) t
  where not exists (select 1 from pg_class c where c.relname = t and c.relkind = 'v'
    and c.relnamespace = current_schema()::regnamespace)
  order by 1, 2`;

/** An undivided database has no schemas. @returns the shards' schemas, or the problem that prevents their use */
export async function findGroups(
  database: Queryable,
): Promise<{ readonly schemas: readonly string[]; readonly problem: string | null }> {
  try {
    return { schemas: (await findDivisionIfAny(database))?.groups ?? [], problem: null };
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error;
    return { schemas: [], problem: error.message.replace(/\.$/, '') };
  }
}

export async function checkGroups(
  { accountGroups }: Config,
  database: Queryable,
  { schemas: groups, problem }: Awaited<ReturnType<typeof findGroups>>,
): Promise<Check[]> {
  if (problem !== null) return [{ name, state: 'fail', says: problem }];
  const count = Math.max(groups.length, 1);
  if (accountGroups !== null && accountGroups !== count) {
    const says = `ACCOUNT_GROUPS is ${accountGroups}, but the accounts of this database are in ${count === 1 ? 'one group' : `${count} groups`}`;
    return [{ name, state: 'fail', says }];
  }
  if (groups.length === 0) return [];
  const rows = await database.query({ name: '', text: findIncomplete }, [groups, Object.keys(accountTables)]);
  const [first] = rows;
  if (first === undefined) return [{ name, state: 'ok', says: `${count}, all complete` }];
  const more = rows.length === 1 ? '' : ` (and ${rows.length - 1} more)`;
  const says = `there is no ${first['part']} in ${first['schema']}${more}: restore it from a backup`;
  return [{ name, state: 'fail', says }];
}
