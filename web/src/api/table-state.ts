// Derives a table's state (loading, rows or error) from its query.

import type { UseQueryResult } from '@tanstack/react-query';

export function tableState<Row>(query: UseQueryResult<{ readonly data: readonly Row[] }>) {
  return {
    rows: query.data?.data,
    error: query.error,
    onRetry: () => void query.refetch(),
    outdated: query.isPlaceholderData,
  };
}
