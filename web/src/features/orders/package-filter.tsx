// Filters a list by package. Resellers can choose packages on offer, operators all packages.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { packageNamesQuery } from '../../api/queries.ts';
import { ListSelect } from '../../ui/list-card.tsx';
import type { List } from '../../ui/use-list.ts';

interface PackageFilterProps {
  readonly list: Pick<List<'package_id'>, 'search' | 'change'>;
  readonly isOperator: boolean;
}

export function PackageFilter({ list, isOperator }: PackageFilterProps) {
  const { data: packages } = useQuery(packageNamesQuery(isOperator));
  const options = [
    { value: '', title: t`All packages` },
    ...(packages?.data ?? []).map(({ id, name }) => ({ value: String(id), title: name })),
  ];
  return <ListSelect list={list} name="package_id" label={t`Package`} options={options} />;
}
