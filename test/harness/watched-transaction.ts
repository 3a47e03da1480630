// A transaction with a word before each of its statements, whichever account group it is sent to.

import type { Queryable, Row, SqlStatement } from '../../src/platform/database/database.ts';

export type Watcher = (
  send: () => Promise<readonly Row[]>,
  statement: SqlStatement,
  values: readonly unknown[] | undefined,
) => Promise<readonly Row[]>;

export function watched<Watched extends Queryable>(queryable: Watched, watcher: Watcher): Watched {
  return {
    ...queryable,
    query: (statement, values) => watcher(() => queryable.query(statement, values), statement, values),
    ofAccount: (accountId) => watched(queryable.ofAccount(accountId), watcher),
    accountGroups: () => queryable.accountGroups().map((group) => watched(group, watcher)),
  };
}
