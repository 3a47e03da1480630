// Makes a Queryable from a function that answers statements. All accounts are in one group.

import { isSpread, type Queryable } from '../../src/platform/database/database.ts';

export function queryableOf(query: Queryable['query']): Queryable {
  const queryable: Queryable = {
    query,
    ofAccount: () => queryable,
    accountGroups: () => [queryable],
    [isSpread]: false,
  };
  return queryable;
}
