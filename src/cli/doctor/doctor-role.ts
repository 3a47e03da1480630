// doctor's check of the PostgreSQL role: able to do what the service does, and unable to disable the ledger's protection
// (docs/postgresql.md).

import type { Queryable, Row } from '../../platform/database/database.ts';
import type { Check } from '../../setup/checks/doctor-check.ts';

const name = 'database role';

const role = `select current_user::text as role,
    (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
    has_schema_privilege(current_schema(), 'create') as may_create,
    (select count(*)::int from pg_class c where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace)
      as tables,
    array(select s::text from unnest($1::text[]) s where not has_schema_privilege(s::regnamespace, 'usage')) as closed_schemas,
    array(select distinct c.relname::text from pg_class c join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
      where (c.relnamespace = current_schema()::regnamespace or c.relnamespace = any($1::text[]::regnamespace[]))
        and pg_has_role(c.relowner, 'usage') order by 1) as protected,
    array(select distinct c.relname::text from pg_class c where c.relkind = 'r'
      and (c.relnamespace = current_schema()::regnamespace or c.relnamespace = any($1::text[]::regnamespace[])) and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
        and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')) order by 1) as closed`;

export async function checkRole(database: Queryable, groups: readonly string[]): Promise<Check> {
  const [row = {}] = await database.query({ name: '', text: role }, [groups]);
  return roleCheck(row);
}

function roleCheck({
  role: who,
  is_superuser: isSuperuser,
  may_create: mayCreate,
  tables,
  ...row
}: Row): Check {
  const closed = texts(row['closed']);
  const owned = texts(row['protected']);
  const schemas = texts(row['closed_schemas']);
  if (schemas.length > 0)
    return { name, state: 'fail', says: `${who} needs USAGE on the schema ${schemas.join(', ')}: grant it` };
  if (closed.length > 0)
    return {
      name,
      state: 'fail',
      says: `${who} needs SELECT, INSERT, UPDATE and DELETE on ${closed.join(', ')}: grant them`,
    };
  if (tables === 0 && mayCreate !== true) {
    const says = `${who} may not create tables: run "sellthrough migrate" as the owner of the database first`;
    return { name, state: 'fail', says };
  }
  const better = 'give the service a role that owns nothing (docs/postgresql.md)';
  if (isSuperuser === true) {
    const says = `${who} is a superuser, who can rewrite the ledger and reach beyond the database: ${better}`;
    return { name, state: 'warn', says };
  }
  if (owned.length > 0) {
    const says = `${who} owns the tables and could switch off what keeps the ledger append-only: ${better}`;
    return { name, state: 'warn', says };
  }
  return tables === 0
    ? { name, state: 'ok', says: `${who} is not a superuser` }
    : { name, state: 'ok', says: `${who} does not own the append-only tables` };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
