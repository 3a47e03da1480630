// A plan's history, newest first: who changed what, and the plan before and after.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { planHistoryQuery } from '../../api/log-queries.ts';
import { useMe } from '../../api/me.ts';
import type { PlanHistoryItem } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { formatMoney } from '../../text/amounts.ts';
import { periodWord, planStatusWord, renewalFailureWord } from '../../text/words.ts';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { OrderLink } from '../../ui/page-links.tsx';
import { CursorPager } from '../../ui/pager.tsx';
import { Time } from '../../ui/time.tsx';

const types: Readonly<Record<string, string>> = {
  activated: t`Plan started`,
  renewed: t`Renewed`,
  changed: t`Package changed`,
  trial_started: t`Free trial given`,
  suspended: t`Suspended`,
  resumed: t`Resumed`,
  cancelled: t`Canceled`,
  cancelled_at_period_end: t`Canceled at the end of the period`,
  auto_renew_set: t`Auto-renew turned on`,
  auto_renew_removed: t`Auto-renew turned off`,
  renewal_failed: t`Renewal refused`,
  order_placed: t`Order sent to the product`,
  order_completed: t`Order confirmed by the product`,
  order_failed: t`Order refused by the product`,
};
const parties: Readonly<Record<string, string>> = {
  account: t`You`,
  operator: t`The operator`,
  service: t`System`,
  product: t`Product`,
};

const partiesOfConsole: Readonly<Record<string, string>> = {
  ...parties,
  account: t`The account`,
  operator: t`An administrator`,
};

interface PlanHistoryProps {
  readonly customerId: string;
  readonly cursor: string | undefined;
  readonly isOperator?: boolean;
}

export function PlanHistory({ customerId, cursor, isOperator = false }: PlanHistoryProps) {
  const { currency } = useMe().account;
  const query = useQuery(planHistoryQuery(customerId, cursor, isOperator));
  return (
    <Card title={t`History`} description={t`Orders and other activity, newest first.`} lined>
      <DataTable
        caption={t`History of this customer`}
        columns={columnsOf(currency, isOperator)}
        {...tableState(query)}
        rowKey={(item) => `${item.at} ${item.type} ${item.order?.id ?? ''} ${item.to.expires_at}`}
        empty={<EmptyState icon={History} title={t`No activity yet`} />}
        footer={<CursorPager list={query.data} cursor={cursor} />}
      />
    </Card>
  );
}

function columnsOf(currency: string, isOperator: boolean): readonly Column<PlanHistoryItem>[] {
  return [
    {
      title: t`Event`,
      grows: true,
      cell: (item) => (
        <TwoLines
          first={
            item.order === undefined ? (
              (types[item.type] ?? item.type)
            ) : (
              <OrderLink id={item.order.id} row isOperator={isOperator}>
                {types[item.type] ?? item.type}
              </OrderLink>
            )
          }
          second={
            <>
              <span className="sm:hidden">
                <Time at={item.at} />
                {detailOf(item, currency) === '' ? '' : ' · '}
              </span>
              <bdi>{detailOf(item, currency)}</bdi>
            </>
          }
        />
      ),
    },
    {
      title: t`By`,
      from: 'md',
      cell: ({ by }) => (
        <span className="whitespace-nowrap">{(isOperator ? partiesOfConsole : parties)[by] ?? by}</span>
      ),
    },
    { title: t`Before`, from: 'lg', cell: ({ from }) => <State state={from} /> },
    {
      title: t`After`,
      from: 'md',
      cell: ({ type, to, order }) =>
        type === 'order_placed' && order !== undefined && ['expired', 'cancelled'].includes(to.status) ? (
          <PendingState packageName={order.package.name} />
        ) : (
          <State state={to} />
        ),
    },
    { title: t`When`, from: 'sm', align: 'end', cell: ({ at }) => <Time at={at} /> },
  ];
}

/** While an order is pending, show the package that the customer waits for instead of the earlier plan. */
function PendingState({ packageName }: { readonly packageName: string }) {
  return (
    <TwoLines first={<bdi className="block max-w-40 truncate">{packageName}</bdi>} second={t`Pending`} />
  );
}

function State({ state }: { readonly state: PlanHistoryItem['from'] }) {
  if (state === null) return <span className="text-soft">–</span>;
  return (
    <TwoLines
      first={<bdi className="block max-w-40 truncate">{state.package}</bdi>}
      second={
        <Trans>
          {planStatusWord(state.status)}, until <Time at={state.expires_at} style="day" />
        </Trans>
      }
    />
  );
}

function detailOf(
  { order, refund, reason, code, auto_renew: autoRenew }: PlanHistoryItem,
  currency: string,
): string {
  const parts = [
    order === undefined
      ? ''
      : `${order.package.name}, ${periodWord(order.months)}, ${formatMoney(order.price, currency)}`,
    refund === undefined || refund === '0.00' ? '' : t`${formatMoney(refund, currency)} refunded`,
    reason ?? '',
    code === undefined ? '' : renewalFailureWord(code),
    autoRenew === undefined
      ? ''
      : autoRenew.max_charge === null
        ? periodWord(autoRenew.months)
        : t`${periodWord(autoRenew.months)}, for at most ${formatMoney(autoRenew.max_charge, currency)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
