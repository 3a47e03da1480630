// The filters above the list of customers, as the address holds them, and what the service is asked for by them.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import type { Query } from '../../api/client.ts';
import { packageNamesQuery } from '../../api/queries.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { planStatusWord } from '../../text/words.ts';
import { SelectField } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { SpanFilter } from '../../ui/span-filter.tsx';

export interface CustomerFilterParams {
  readonly q?: string;
  readonly state?: string;
  readonly package_id?: string;
  /** Days, or "own": the two times beside it. */
  readonly ending?: string;
  readonly from?: string;
  readonly to?: string;
  readonly sort?: string;
}

const states = ['active', 'suspended', 'cancelled', 'expired'].map((state) => ({
  value: state,
  title: planStatusWord(state),
}));
const endings = [
  { value: '', title: t`Any end` },
  { value: '7', title: plural(7, { one: 'Ends within # day', other: 'Ends within # days' }) },
  { value: '14', title: plural(14, { one: 'Ends within # day', other: 'Ends within # days' }) },
  { value: '30', title: plural(30, { one: 'Ends within # day', other: 'Ends within # days' }) },
  { value: 'own', title: t`Ends between …` },
];

/** Without the place of a page. */
export function customersWanted(search: CustomerFilterParams): Query {
  const { ending, from, to, ...rest } = search;
  const isOwn = ending === undefined || ending === 'own';
  return {
    q: rest.q,
    state: rest.state,
    package_id: rest.package_id,
    sort: rest.sort,
    ends_within: ending !== undefined && /^\d{1,3}$/.test(ending) ? ending : undefined,
    expires_from: isOwn ? spanStart(from) : undefined,
    expires_to: isOwn ? spanEnd(to) : undefined,
  };
}

interface CustomerFiltersProps {
  readonly search: CustomerFilterParams;
  readonly onChange: (changed: CustomerFilterParams) => void;
  readonly onSearch: (q: string) => void;
  /** Also by packages that are no longer on offer. */
  readonly isOperator?: boolean;
}

export function CustomerFilters({ search, onChange, onSearch, isOperator = false }: CustomerFiltersProps) {
  const { data: packages } = useQuery(packageNamesQuery(isOperator));
  const { from, to } = search;
  const hasOwnSpan = search.ending === 'own' || from !== undefined || to !== undefined;
  const ending = hasOwnSpan ? 'own' : (search.ending ?? '');
  return (
    <>
      <SearchField label={t`Name, e-mail or id`} value={search.q ?? ''} onSearch={onSearch} />
      <SelectField
        label={t`State`}
        unlabelled
        value={search.state ?? ''}
        options={[{ value: '', title: t`All states` }, ...states]}
        onValue={(state) => onChange({ state })}
      />
      <SelectField
        label={t`Package`}
        unlabelled
        className="max-w-52"
        value={search.package_id ?? ''}
        options={[
          { value: '', title: t`All packages` },
          ...(packages?.data ?? []).map(({ id, name }) => ({ value: String(id), title: name })),
        ]}
        onValue={(id) => onChange({ package_id: id })}
      />
      <SelectField
        label={t`End of the plan`}
        unlabelled
        className="max-sm:basis-full"
        value={ending}
        options={endings}
        // Whoever asks what ends soon wants to see first what ends first.
        onValue={(chosen) =>
          onChange({
            ending: chosen,
            from: '',
            to: '',
            sort: chosen === '' ? '' : 'expires_at',
          })
        }
      />
      {hasOwnSpan ? <SpanFilter from={from} to={to} what={t`Ends`} onSpan={onChange} /> : null}
    </>
  );
}
