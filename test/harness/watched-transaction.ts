// Wraps transactions so that a function is called before each statement, in any account group.

import type { Database, Queryable, Row, SqlStatement } from '../../src/platform/database/database.ts';

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

/** For the option `wrapDatabase`: watches the statements of all transactions. */
export const watchedTransactions =
  (watcher: Watcher) =>
  (database: Database): Database => ({
    ...database,
    transaction: (work, options) =>
      database.transaction((transaction) => work(watched(transaction, watcher)), options),
  });
