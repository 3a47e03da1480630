// The event feed, newest first. Opening it does not start recording; without recorded events, it says what does.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Rss } from 'lucide-react';
import { eventParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import { useMay } from '../../api/person.ts';
import type { AccountEvent } from '../../api/shapes.ts';
import { eventQuery, eventsQuery } from '../../api/webhook-queries.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ListCard, ListSearchField, ListSelect, ListSpan } from '../../ui/list-card.tsx';
import { type OpenRow, useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DrawerLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { EventDeliveries } from './event-deliveries.tsx';
import { EventJson, eventFacts, eventIdFact } from './event-facts.tsx';
import { eventSubject } from './event-subject.ts';
import { eventWord, eventWords } from './event-words.ts';

const types = [
  { value: '', title: t`All types` },
  ...Object.entries(eventWords).map(([value, title]) => ({ value, title })),
];

const columns: readonly Column<AccountEvent>[] = [
  {
    title: t`Event`,
    grows: true,
    cell: (event) => (
      <TwoLines
        first={<DrawerLink id={event.id}>{eventWord(event.type)}</DrawerLink>}
        second={
          <>
            <span className="sm:hidden">
              <Time at={event.created_at} style="second" /> · <bdi>{eventSubject(event).text}</bdi>
            </span>
            <code className="font-mono max-sm:hidden">{event.type}</code>
          </>
        }
      />
    ),
  },
  {
    id: 'subject',
    title: t`Subject`,
    from: 'sm',
    cell: (event) => <bdi className="block max-w-64 truncate lg:max-w-96">{eventSubject(event).text}</bdi>,
  },
  {
    id: 'when',
    title: t`When`,
    from: 'sm',
    align: 'end',
    cell: ({ created_at: at }) => <Time at={at} style="second" />,
  },
];

export function EventsPage() {
  const list = useList(eventParams);
  const { event_days: days } = useMe().kept;
  const mayChange = useMay()('webhooks:write');
  const { q, type, from, to, cursor } = list.search;
  const query = useQuery(eventsQuery({ words: q, type, from: spanStart(from), to: spanEnd(to), cursor }));
  const opened = useOpenRow(query.data?.data, ({ id }) => id);
  return (
    <>
      <PageHeader
        title={t`Events`}
        description={t`Activity of your account, customers and plans in the last ${days} days.`}
      />
      {query.data?.written === false ? (
        <Card flush>
          <EmptyState
            icon={Rss}
            title={t`No events yet`}
            action={
              <>
                <ButtonLink to="/webhooks" look="primary">
                  {mayChange ? t`Set up an endpoint` : t`Go to endpoints`}
                </ButtonLink>
                <ButtonLink to="/forecast">{mayChange ? t`Set up alerts` : t`Go to alerts`}</ButtonLink>
              </>
            }
          >
            {t`Events are recorded once you create a key, an endpoint or alerts, or read the feed through the API. Earlier orders have none.`}
          </EmptyState>
        </Card>
      ) : (
        <ListCard
          list={list}
          query={query}
          name="events"
          caption={t`Events`}
          columns={columns}
          rowKey={({ id }) => id}
          openKey={opened.key}
          none={
            <EmptyState icon={Rss} title={t`No events yet`}>
              {t`The next order, plan change or payment will be the first.`}
            </EmptyState>
          }
          nothing={{
            title: t`No matching events`,
            all: t`Show all events`,
            soFar: t`No matching events so far`,
            soFarHint: t`Older events have not been searched yet. Go on with “Older”.`,
          }}
        >
          <ListSearchField list={list} name="q" label={t`Customer, order or amount`} />
          <ListSelect list={list} name="type" label={t`Event type`} options={types} />
          <ListSpan list={list} what={t`Recorded`} />
        </ListCard>
      )}
      {opened.key === undefined ? null : <EventDrawer id={opened.key} opened={opened} />}
    </>
  );
}

function EventDrawer({ id, opened }: { readonly id: string; readonly opened: OpenRow<AccountEvent> }) {
  const { data, error, refetch } = useQuery({ ...eventQuery(id), enabled: opened.row === undefined });
  const event = opened.row ?? data?.event;
  const customer = event === undefined ? null : eventSubject(event).customer;
  return (
    <Drawer
      title={event === undefined ? t`Event` : eventWord(event.type)}
      description={event && <Time at={event.created_at} />}
      opened={opened}
      actions={
        customer === null ? undefined : (
          <ButtonLink to="/events" search={{ q: String(customer.id) }}>
            {t`Events of this customer`}
          </ButtonLink>
        )
      }
    >
      {event !== undefined ? (
        <>
          <div className="shrink-0">
            <Facts facts={[...eventFacts(event), eventIdFact(event)]} />
          </div>
          <EventDeliveries event={event} />
          <EventJson event={event} label={t`Event as JSON`} />
        </>
      ) : error === null ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Drawer>
  );
}
