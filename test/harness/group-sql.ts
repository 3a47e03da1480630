// Statements of tests that no part of the service sends, to tables that are an account's: such a table is there once
// for each account group.

import type { Queryable, Row } from '../../src/database/database.ts';

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
export async function sqlOfAll({ database }: { readonly database: Queryable }, text: string): Promise<void> {
  for (const group of database.accountGroups()) await group.query({ name: '', text });
}
