export const orderParams = [
  'q',
  'customer',
  'status',
  'kind',
  'package_id',
  'from',
  'to',
  'cursor',
  'open',
] as const;

export const allOrderParams = [
  'q',
  'account_id',
  'status',
  'kind',
  'package_id',
  'from',
  'to',
  'cursor',
  'open',
] as const;

export const customerParams = [
  'q',
  'state',
  'renewal',
  'package_id',
  'ending',
  'from',
  'to',
  'sort',
  'cursor',
  'open',
] as const;

export const ledgerParams = ['q', 'month', 'kind', 'order_id', 'from', 'to', 'cursor', 'open'] as const;
export const requestParams = [
  'status',
  'code',
  'key',
  'method',
  'path',
  'request_id',
  'from',
  'to',
  'cursor',
  'open',
] as const;
export const topupParams = ['status', 'method', 'from', 'to', 'cursor', 'open'] as const;
export const paymentParams = ['q', ...topupParams, 'account_id'] as const;
export const overviewParams = ['span', 'view', 'by'] as const;
export const consoleOverviewParams = [
  ...overviewParams,
  'tab',
  'code',
  'months',
  'growth',
  'accounts',
] as const;
export const eventParams = ['q', 'type', 'from', 'to', 'cursor', 'open'] as const;

export const accountParams = ['q', 'group', 'state', 'balance_below', 'sort', 'cursor'] as const;
export const revenueParams = ['from', 'to', 'package_id', 'kind', 'sort'] as const;
export const auditParams = ['actor', 'account', 'action', 'target', 'from', 'to', 'cursor'] as const;
export const allCustomerParams = [...customerParams, 'account_id'] as const;

export type ListSearch<Names extends readonly string[]> = { readonly [Name in Names[number]]?: string };

const places: readonly string[] = ['cursor', 'open', 'sort'];

export function filtersOf<const Names extends readonly string[]>(
  names: Names,
  search: ListSearch<Names>,
): ListSearch<Names> {
  const filtering = names
    .filter((name) => !places.includes(name))
    .flatMap((name: Names[number]) => (search[name] === undefined ? [] : [[name, search[name]]]));
  return Object.fromEntries(filtering);
}

/** Removes the list's parameters but keeps the page's others, such as its tab. */
export function withoutList<Search extends object>(names: readonly string[], search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([name]) => !names.includes(name))) as Search;
}
