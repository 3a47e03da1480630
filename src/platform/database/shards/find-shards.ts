// How accounts are divided into shards. A shard (account group) is a schema with all account tables. An account belongs to
// the shard with the number (id modulo count). The shared schema has views over all shards under the same names, for reads
// across accounts. Writes name their account (Database.ofAccount).
// Invariant: an undivided database has neither the schemas nor the views.

import type { AccountDivision, Queryable, Row, SqlStatement } from '../database.ts';
import { SchemaMismatch } from '../schema-mismatch.ts';
import { locateGroups } from './citus.ts';

export const accountGroupsMax = 64;

/** @returns null if the accounts are not divided @throws SchemaMismatch if a shard's schema is missing */
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

export async function findDivisionIfAny(queryable: Queryable): Promise<AccountDivision | null> {
  const [table] = await run(queryable, "select to_regclass('account_groups') is not null as has");
  return table?.['has'] === true ? findDivision(queryable) : null;
}

const countGroups: SqlStatement = {
  name: 'count_account_groups',
  text: 'select greatest(count(*), 1)::int as count from account_groups',
};

/** For /readyz, because the accounts may have been divided since this process started. */
export async function accountGroupCount(queryable: Queryable): Promise<number> {
  const [row] = await queryable.query(countGroups);
  return Number(row?.['count']);
}

function run(queryable: Queryable, text: string): Promise<readonly Row[]> {
  return queryable.query({ name: '', text });
}
