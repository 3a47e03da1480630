// Statements of tests that no part of the service sends, to tables that are an account's: such a table is there once
// for each account group.

import type { Database, Queryable, Row } from '../../src/platform/database/database.ts';
import { bySharding } from '../../src/platform/database/shards/query-shards.ts';

/** Sends the text as the account's group sees it. */
export function sqlOf(
  { database }: { readonly database: Queryable },
  { id }: { readonly id: number },
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return database.ofAccount(id).query({ name: '', text }, values);
}

/** Sends the text to every account group. */
export async function sqlOfAll({ database }: { readonly database: Database }, text: string): Promise<void> {
  for (const group of database.accountGroups()) await sqlAtOnce(group, [text]);
}

/** Statements that may change triggers, all or none of them. */
export async function sqlAtOnce(group: Database, statements: readonly string[]): Promise<void> {
  await bySharding<Promise<unknown>>(group, {
    together: () => group.query({ name: '', text: statements.join('; ') }),
    apart: () =>
      group.transaction(async (transaction) => {
        // Citus changes the trigger of a table where it was told that this is wanted, and hands on what makes or changes a
        // table as the whole text that it was sent.
        const each = statements.flatMap((text) => text.split(/;\s*/)).filter((text) => text !== '');
        for (const text of ['set local citus.enable_unsafe_triggers = on', ...each])
          await transaction.query({ name: '', text });
      }),
  });
}
