// What a package brings: its active plans and MRR now, and what was new and lost this month.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { businessQuery } from '../../api/business-queries.ts';
import { useMe } from '../../api/me.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatCount, formatSignedCount } from '../../text/language.ts';
import { FigureLink } from '../../ui/page-links.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';

/** This month alone. */
export const packageBusinessQuery = businessQuery('/admin/v1', { months: 1 });

export function PackageFigures({ id }: { readonly id: number }) {
  const { currency } = useMe().account;
  const { data } = useQuery(packageBusinessQuery);
  const row = data?.packages.find((one) => one.package.id === id);
  const count = (plans: number | undefined) => data && formatCount(plans ?? 0);
  const money = (amount: string | undefined) => formatMoney(amount ?? '0.00', currency);
  const packageId = { package_id: String(id) };
  const from = `${data?.months.at(-1)?.month}-01`;
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
          note={row && t`${formatSignedCount(row.active_plans - row.before.active_plans)} this month`}
        />
        <Stat
          name={t`MRR`}
          value={
            data && (
              <FigureLink to="/admin/revenue" search={packageId}>
                {money(row?.mrr)}
              </FigureLink>
            )
          }
          note={
            row &&
            t`${formatMoney(fromCents(toCents(row.mrr) - toCents(row.before.mrr)), currency, true)} this month`
          }
        />
        <Stat
          name={t`New this month`}
          value={
            data && (
              <FigureLink to="/admin/orders" search={{ kind: 'activate', from, ...packageId }}>
                {count(row?.new_plans)}
              </FigureLink>
            )
          }
          note={row && t`${money(row.new_mrr)} MRR`}
        />
        <Stat
          name={t`Lost this month`}
          value={
            data && (
              <FigureLink
                to="/admin/customers"
                search={{ state: 'expired', ending: 'own', from, ...packageId }}
              >
                {count(row?.lost_plans)}
              </FigureLink>
            )
          }
          note={row && t`${money(row.lost_mrr)} MRR`}
        />
      </Stats>
    </div>
  );
}
