// Runs the tests' SQL on account tables, which exist once per account group.

import type { Database, Queryable, Row } from '../../src/platform/database/database.ts';
import { bySharding } from '../../src/platform/database/shards/query-shards.ts';

export function sqlOf(
  { database }: { readonly database: Queryable },
  { id }: { readonly id: number },
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return database.ofAccount(id).query({ name: '', text }, values);
}

export async function sqlOfAll({ database }: { readonly database: Database }, text: string): Promise<void> {
  for (const group of database.accountGroups()) await sqlAtOnce(group, [text]);
}

export async function sqlAtOnce(group: Database, statements: readonly string[]): Promise<void> {
  await bySharding<Promise<unknown>>(group, {
    together: () => group.query({ name: '', text: statements.join('; ') }),
    apart: () =>
      group.transaction(async (transaction) => {
        // Citus changes a table's triggers only with this setting. It forwards DDL as the whole text that it was sent.
        const each = statements.flatMap((text) => text.split(/;\s*/)).filter((text) => text !== '');
        for (const text of ['set local citus.enable_unsafe_triggers = on', ...each])
          await transaction.query({ name: '', text });
      }),
  });
}
