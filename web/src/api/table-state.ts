// What a table has to know of the query behind its rows. Called by every page that shows a list.

import type { UseQueryResult } from '@tanstack/react-query';

/** For `DataTable`: its rows, and how they are doing. */
export function tableState<Row>(query: UseQueryResult<{ readonly data: readonly Row[] }>) {
  return {
    rows: query.data?.data,
    error: query.error,
    onRetry: () => void query.refetch(),
    outdated: query.isPlaceholderData,
  };
}
