import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { History, SearchX, Send } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMay } from '../../api/person.ts';
import { changedParams } from '../../api/search-params.ts';
import type { Webhook } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { deliveriesQuery } from '../../api/webhook-queries.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { CursorPager } from '../../ui/pager.tsx';
import { DrawerLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryBadge, outcomeWord } from '../events/delivery-outcome.tsx';
import { eventWord } from '../events/event-words.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import { type KeyedDelivery, keyedDeliveries } from './delivery-key.ts';
import { RedeliverSinceDialog } from './redeliver-dialogs.tsx';

interface DeliverySearch {
  readonly status?: string;
  readonly cursor?: string;
  readonly open?: string;
}

const statuses = [
  { value: '', title: t`All` },
  { value: 'delivered', title: t`Delivered` },
  { value: 'failed', title: t`Failed` },
  { value: 'given_up', title: t`Gave up` },
] as const;

const rowKey = ({ key }: KeyedDelivery) => key;

const columns: readonly Column<KeyedDelivery>[] = [
  {
    title: t`Event`,
    grows: true,
    cell: ({ key, event_id: id, event_type: type, at, http_status, reason }) => (
      <TwoLines
        first={<DrawerLink id={key}>{eventWord(type)}</DrawerLink>}
        second={
          <>
            <span className="sm:hidden">
              <Time at={at} style="second" /> · {outcomeWord({ http_status, reason })}
            </span>
            <code className="font-mono max-sm:hidden">
              {type} · {id}
            </code>
          </>
        }
      />
    ),
  },
  { title: t`Result`, cell: ({ status }) => <DeliveryBadge status={status} /> },
  {
    title: t`Response`,
    from: 'md',
    cell: (row) => <span className="figures whitespace-nowrap">{outcomeWord(row)}</span>,
  },
  { title: t`Attempt`, from: 'lg', align: 'end', cell: ({ attempt }) => formatCount(attempt) },
  {
    title: t`Duration`,
    from: 'lg',
    align: 'end',
    cell: ({ milliseconds }) => (
      <span className="figures whitespace-nowrap">{formatMilliseconds(milliseconds)}</span>
    ),
  },
  { title: t`When`, from: 'sm', align: 'end', cell: ({ at }) => <Time at={at} style="second" /> },
];

export function DeliveryList({ webhook }: { readonly webhook: Webhook }) {
  const search: DeliverySearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const mayChange = useMay()('webhooks:write');
  const [isAsking, setIsAsking] = useState(false);
  const { status, cursor } = search;
  const query = useQuery(deliveriesQuery(webhook.id, { status, cursor }));
  const { data } = query;
  const rows = useMemo(() => data && keyedDeliveries(data.data), [data]);
  const opened = useOpenRow(rows, rowKey);
  const change = (changes: DeliverySearch) =>
    void navigate({
      to: '.',
      search: (now: DeliverySearch) => changedParams(now, changes),
      replace: true,
      resetScroll: false,
    });
  return (
    <Card
      title={t`Deliveries`}
      description={t`All attempts in the last 30 days, newest first. Test events aren’t listed; their result appears when you send one.`}
      lined
      action={
        mayChange ? (
          <Button icon={Send} onClick={() => setIsAsking(true)}>
            {t`Replay since …`}
          </Button>
        ) : undefined
      }
    >
      <FilterBar>
        <Choice
          label={t`Result`}
          value={statuses.find(({ value }) => value === status)?.value ?? ''}
          options={statuses}
          onChoose={(value) => change({ status: value })}
        />
      </FilterBar>
      <DataTable
        caption={t`Delivery attempts`}
        columns={columns}
        {...tableState(query)}
        rows={rows}
        rowKey={rowKey}
        openKey={opened.key}
        empty={
          status === undefined ? (
            <EmptyState icon={History} title={t`No deliveries yet`}>
              {webhook.enabled
                ? t`The next matching event is sent immediately.`
                : t`Endpoint disabled. New events are sent once you enable it.`}
            </EmptyState>
          ) : (
            <EmptyState
              icon={SearchX}
              title={t`No matching attempts`}
              action={<Button onClick={() => change({ status: '' })}>{t`Show all deliveries`}</Button>}
            />
          )
        }
        footer={<CursorPager list={data} cursor={cursor} />}
      />

      {opened.row === undefined ? null : (
        <DeliveryDrawer key={opened.row.key} webhook={webhook} delivery={opened.row} opened={opened} />
      )}
      {isAsking ? <RedeliverSinceDialog webhook={webhook} onClose={() => setIsAsking(false)} /> : null}
    </Card>
  );
}
