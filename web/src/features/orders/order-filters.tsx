// The filters that the lists of one account's orders and of all orders share.

import { t } from '@lingui/core/macro';
import { spanEnd, spanStart } from '../../text/days.ts';
import { orderStatusWord } from '../../text/words.ts';
import { ListSelect, ListSpan } from '../../ui/list-card.tsx';
import type { List } from '../../ui/use-list.ts';
import { PackageFilter } from './package-filter.tsx';

const names = ['status', 'kind', 'package_id', 'from', 'to'] as const;

type Name = (typeof names)[number];

const statuses = [
  { value: '', title: t`All statuses` },
  ...['completed', 'pending', 'failed'].map((status) => ({ value: status, title: orderStatusWord(status) })),
];
const kinds = [
  { value: '', title: t`All types` },
  { value: 'activate', title: t`New` },
  { value: 'renew', title: t`Renewal` },
  { value: 'change', title: t`Change` },
];

export function ordersWanted({ status, kind, package_id, from, to }: { readonly [One in Name]?: string }) {
  return { kind, status, package_id, created_from: spanStart(from), created_to: spanEnd(to) };
}

export const noOrders = {
  title: t`No matching orders`,
  soFar: t`No matches so far`,
  soFarHint: t`Older orders have not been searched yet.`,
  all: t`Show all orders`,
};

interface OrderFiltersProps {
  readonly list: Pick<List<Name>, 'search' | 'change'>;
  readonly isOperator: boolean;
}

export function OrderFilters({ list, isOperator }: OrderFiltersProps) {
  return (
    <>
      <ListSelect list={list} name="status" label={t`Status`} options={statuses} />
      <ListSelect list={list} name="kind" label={t`Type`} options={kinds} />
      <PackageFilter list={list} isOperator={isOperator} />
      <ListSpan list={list} what={t`Ordered`} />
    </>
  );
}
