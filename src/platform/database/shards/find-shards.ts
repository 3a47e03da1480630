// Account groups: how one database is divided so that several servers may share its work. A group is a schema with all
// tables that are an account's; an account belongs to the group of its number modulo their count. Under the same names
// the shared schema has views of all groups: what reads of many accounts finds them there, and what writes names its
// account (Database.ofAccount). Here is what a start asks; split-into-shards.ts makes them.
// Always true: a database of one group has neither schemas nor views, and its statements are as they are written.

import type { AccountDivision, Queryable, Row, SqlStatement } from '../database.ts';
import { SchemaMismatch } from '../schema-mismatch.ts';
import { locateGroups } from './citus.ts';

export const accountGroupsMax = 64;

/** How the accounts of this database are divided; null: they are one group. @throws SchemaMismatch a group's schema is missing */
export async function findDivision(queryable: Queryable): Promise<AccountDivision | null> {
  const rows = await run(
    queryable,
    `select quote_ident(current_schema()) as shared, quote_ident(g.schema_name) as schema,
       g.schema_name in (select nspname from pg_namespace) as is_there
     from account_groups g order by g.number`,
  );
  const [first] = rows;
  if (first === undefined) return null;
  const missing = rows.filter((row) => row['is_there'] !== true).map((row) => String(row['schema']));
  if (missing.length > 0) {
    throw new SchemaMismatch(
      `The accounts of this database are in ${rows.length} groups, and there is no schema ${missing.join(', ')}: restore it before the service starts.`,
    );
  }
  const division = { shared: String(first['shared']), groups: rows.map((row) => String(row['schema'])) };
  const locate = (asked: Queryable) => locateGroups(asked, division);
  const servers = await locate(queryable);
  return servers === null ? division : { ...division, locate, servers };
}

/** The same where the schema may be older than account groups, or there is none yet. */
export async function findDivisionIfAny(queryable: Queryable): Promise<AccountDivision | null> {
  const [table] = await run(queryable, "select to_regclass('account_groups') is not null as has");
  return table?.['has'] === true ? findDivision(queryable) : null;
}

const countGroups: SqlStatement = {
  name: 'count_account_groups',
  text: 'select greatest(count(*), 1)::int as count from account_groups',
};

/** In how many groups the accounts are now: what /readyz asks, of a process that may have been away. */
export async function accountGroupCount(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query(countGroups);
  return Number(row?.['count']);
}

function run(queryable: Queryable, text: string): Promise<readonly Row[]> {
  return queryable.query({ name: '', text });
}
