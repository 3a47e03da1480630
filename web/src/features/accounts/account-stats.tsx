// The figures at the top of an account's page, each linked to its rows.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { accountOutlookQuery } from '../../api/console-queries.ts';
import type { Account } from '../../api/shapes.ts';
import { formatMoney } from '../../text/amounts.ts';
import { formatCount } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { FigureLink } from '../../ui/page-links.tsx';
import { Stat, Stats } from '../../ui/stat.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { isSoon } from '../business/soon.ts';
import type { Outlook } from './account-outlook.tsx';

export function AccountStats({ account }: { readonly account: Account | undefined }) {
  const { data } = useQuery({
    ...accountOutlookQuery(account?.id ?? 0),
    enabled: account !== undefined,
  });
  const outlook = data?.outlook;
  const money = (amount: string) => formatMoney(amount, account?.currency ?? '');
  const note = outlook === null ? t`Still being calculated` : '';
  return (
    <Stats>
      <Stat
        name={t`Balance`}
        value={account && money(account.balance)}
        note={
          account === undefined ? (
            ''
          ) : (
            <TextLink to="/admin/payments" search={{ account_id: String(account.id) }}>{t`Top-ups`}</TextLink>
          )
        }
      />
      <Stat
        name={t`Balance runs out`}
        value={outlook === null ? '–' : outlook && <Day of={outlook} />}
        note={outlook ? t`Renewals, 90 days: ${money(outlook.due)}` : note}
      />
      <Stat
        name={t`MRR`}
        value={
          outlook === null
            ? '–'
            : outlook && (
                <FigureLink to="." search={{ tab: 'business' }} resetScroll={false}>
                  {money(outlook.mrr)}
                </FigureLink>
              )
        }
        note={
          outlook ? plural(outlook.active_plans, { one: '# active plan', other: '# active plans' }) : note
        }
      />
      <Stat
        name={t`Customers`}
        value={
          account && (
            <FigureLink to="." search={{ tab: 'customers' }} resetScroll={false}>
              {formatCount(account.customer_count)}
            </FigureLink>
          )
        }
        note={
          account === undefined ? (
            ''
          ) : (
            <TextLink to="." search={{ tab: 'orders' }} resetScroll={false}>
              {plural(account.order_count, { one: '# order', other: '# orders' })}
            </TextLink>
          )
        }
      />
    </Stats>
  );
}

function Day({ of: { runs_out_on: day, active_plans: plans } }: { readonly of: Outlook }) {
  if (day === null) return plans === 0 ? '–' : t`Covered`;
  const words = formatSeriesDate(day, 'short');
  return isSoon(day) ? <span className="text-warn">{words}</span> : words;
}
