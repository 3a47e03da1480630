import type { UseQueryResult } from '@tanstack/react-query';

export function tableState<Row>(query: UseQueryResult<{ readonly data: readonly Row[] }>) {
  return {
    rows: query.data?.data,
    error: query.error,
    onRetry: () => void query.refetch(),
    outdated: query.isPlaceholderData,
  };
}
