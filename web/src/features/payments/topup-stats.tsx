// Sums above the top-ups of all accounts, each linked to its rows.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useMe } from '../../api/me.ts';
import { topupSumsQuery } from '../../api/payment-queries.ts';
import type { TopupSums } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { FigureLink } from '../../ui/page-links.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';

export function TopupStats() {
  const { currency } = useMe().account;
  const { data } = useQuery(topupSumsQuery);
  const more = data?.more === true ? '+' : '';
  const amount = (sum: TopupSums['credited']) => `${formatMoney(sum.amount, currency)}${more}`;
  const topups = ({ count }: TopupSums['credited']) => plural(count, { one: '# top-up', other: '# top-ups' });
  const wentBack = ({ refunded, disputed }: TopupSums) =>
    [
      {
        ...refunded,
        status: 'refunded_this_month',
        words: t`${formatMoney(refunded.amount, currency)} refunded`,
      },
      {
        ...disputed,
        status: 'disputed_this_month',
        words: t`${formatMoney(disputed.amount, currency)} disputed`,
      },
    ].filter(({ count }) => count > 0);
  return (
    <Stats>
      <Stat
        name={t`Credited this month`}
        value={
          data && (
            <FigureLink to="." search={{ status: 'credited_this_month' }}>
              {amount(data.credited)}
            </FigureLink>
          )
        }
        note={
          data && (
            <>
              {topups(data.credited)}
              {wentBack(data).map(({ status, words }) => (
                <Fragment key={status}>
                  {' · '}
                  <span className="whitespace-nowrap">
                    <FigureLink to="." search={{ status }}>
                      {words}
                    </FigureLink>
                  </span>
                </Fragment>
              ))}
            </>
          )
        }
      />
      <Stat
        name={t`Waiting for payment`}
        value={
          data && (
            <FigureLink to="." search={{ status: 'pending' }}>
              {amount(data.pending)}
            </FigureLink>
          )
        }
        note={data && topups(data.pending)}
      />
      <Stat
        name={t`Failed`}
        value={
          data && (
            <FigureLink to="." search={{ status: 'recently_failed' }}>
              {amount(data.failed)}
            </FigureLink>
          )
        }
        note={data && t`${topups(data.failed)} in the last ${data.failed_days} days`}
      />
      <Stat
        name={t`Owed by accounts`}
        value={
          data && (
            <FigureLink to="." search={{ tab: 'receivables' }}>
              {formatMoney(data.owed.amount, currency)}
            </FigureLink>
          )
        }
        note={data && plural(data.owed.count, { one: '# account', other: '# accounts' })}
      />
    </Stats>
  );
}
