// The filters of the customer list: the URL parameters and the query that they make.

import { plural, t } from '@lingui/core/macro';
import type { Query } from '../../api/client.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { planStatusWord } from '../../text/words.ts';
import { SelectField } from '../../ui/field.tsx';
import { ListSearchField, ListSelect, ListSpan } from '../../ui/list-card.tsx';
import type { ListView } from '../../ui/list-views.ts';
import type { List } from '../../ui/use-list.ts';
import { PackageFilter } from '../orders/package-filter.tsx';

export interface CustomerFilterParams {
  readonly q?: string;
  readonly state?: string;
  readonly package_id?: string;
  /** A number of days, or "own", which uses `from` and `to`. */
  readonly ending?: string;
  readonly from?: string;
  readonly to?: string;
  readonly sort?: string;
  readonly renewal?: string;
}

const states = [
  { value: '', title: t`All statuses` },
  ...['active', 'suspended', 'cancelled', 'expired'].map((state) => ({
    value: state,
    title: planStatusWord(state),
  })),
];
const endings = [
  { value: '', title: t`Any end date` },
  { value: '7', title: plural(7, { one: 'Ends in # day', other: 'Ends in # days' }) },
  { value: '14', title: plural(14, { one: 'Ends in # day', other: 'Ends in # days' }) },
  { value: '30', title: plural(30, { one: 'Ends in # day', other: 'Ends in # days' }) },
  { value: 'own', title: t`Ends between …` },
];

const renewals = [
  { value: '', title: t`Any renewal` },
  { value: 'on', title: t`Auto-renew on` },
  { value: 'off', title: t`Auto-renew off` },
];

export const customerViews: readonly ListView[] = [
  { title: t`Expiring this week`, search: { ending: '7', sort: 'expires_at' } },
  { title: t`Auto-renew off`, search: { state: 'active', renewal: 'off' } },
  { title: t`Expired`, search: { state: 'expired' } },
];

export function customersWanted(search: CustomerFilterParams): Query {
  const { ending, from, to, ...rest } = search;
  const isOwn = ending === undefined || ending === 'own';
  return {
    words: rest.q,
    plan_status: rest.state,
    auto_renew: rest.renewal,
    package_id: rest.package_id,
    sort: rest.sort,
    ends_within: ending !== undefined && /^\d{1,3}$/.test(ending) ? ending : undefined,
    expires_from: isOwn ? spanStart(from) : undefined,
    expires_to: isOwn ? spanEnd(to) : undefined,
  };
}

export const noCustomers = {
  title: t`No matching customers`,
  soFar: t`No matching customers so far`,
  soFarHint: t`Older customers have not been searched yet.`,
  all: t`Show all customers`,
};

interface CustomerFiltersProps {
  readonly list: Pick<List<keyof CustomerFilterParams>, 'search' | 'change'>;
  readonly isOperator?: boolean;
}

export function CustomerFilters({ list, isOperator = false }: CustomerFiltersProps) {
  const { from, to, ending } = list.search;
  const hasOwnSpan = ending === 'own' || from !== undefined || to !== undefined;
  return (
    <>
      <ListSearchField list={list} name="q" label={t`Name, email or ID`} />
      <ListSelect list={list} name="state" label={t`Status`} options={states} />
      <ListSelect list={list} name="renewal" label={t`Auto-renewal`} options={renewals} />
      <PackageFilter list={list} isOperator={isOperator} />
      <SelectField
        label={t`Plan end`}
        unlabeled
        value={hasOwnSpan ? 'own' : (ending ?? '')}
        options={endings}
        // This filter also sorts by end, because people look for the plans that end next.
        onValue={(chosen) =>
          list.change({ ending: chosen, from: '', to: '', sort: chosen === '' ? '' : 'expires_at' })
        }
      />
      {hasOwnSpan ? <ListSpan list={list} what={t`Ends`} /> : null}
    </>
  );
}
