// What a package brings: its active plans and MRR now, and what was new and lost this month.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { businessQuery } from '../../api/business-queries.ts';
import { useMe } from '../../api/me.ts';
import { formatMoney } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { FigureLink } from '../../ui/page-links.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';

/** This month alone. */
export const packageBusinessQuery = businessQuery('/admin/v1', { months: 1 });

export function PackageFigures({ id }: { readonly id: number }) {
  const { currency } = useMe().account;
  const { data } = useQuery(packageBusinessQuery);
  const row = data?.packages.find((one) => one.package.id === id);
  const count = (plans: number | undefined) => data && formatCount(plans ?? 0);
  const packageId = { package_id: String(id) };
  return (
    <div className="mb-5">
      <Stats>
        <Stat
          name={t`Active plans`}
          value={
            data && (
              <FigureLink to="/admin/customers" search={{ state: 'active', ...packageId }}>
                {count(row?.active_plans)}
              </FigureLink>
            )
          }
        />
        <Stat name={t`MRR`} value={data && formatMoney(row?.mrr ?? '0.00', currency)} />
        <Stat name={t`New this month`} value={count(row?.new_plans)} />
        <Stat name={t`Lost this month`} value={count(row?.lost_plans)} />
      </Stats>
    </div>
  );
}
