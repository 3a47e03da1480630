// The feed of events, for people: the newest first. Looking at it does not have events written; where none is, the page says what
// begins that.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Rss, SearchX } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import { eventQuery, eventsQuery } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import type { AccountEvent } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { type OpenRow, useOpenRow } from '../../ui/open-row.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { DrawerLink } from '../../ui/page-links.tsx';
import { CursorPager } from '../../ui/pager.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { EventJson, eventFacts, eventIdFact } from './event-facts.tsx';
import { eventSubject } from './event-subject.ts';
import { eventWord, eventWords } from './event-words.ts';

const route = getRouteApi('/panel/events');
const types = [
  { value: '', title: t`All types` },
  ...Object.entries(eventWords).map(([value, title]) => ({ value, title: `${title} (${value})` })),
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
    title: t`About`,
    from: 'sm',
    cell: (event) => <bdi className="block max-w-64 truncate lg:max-w-96">{eventSubject(event).text}</bdi>,
  },
  { title: t`When`, from: 'sm', align: 'end', cell: ({ created_at: at }) => <Time at={at} style="second" /> },
];

export function EventsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayChange = useMay()('webhooks:write');
  const { type, before } = search;
  const query = useQuery(eventsQuery({ type, before }));
  const opened = useOpenRow(query.data?.data, ({ id }) => id);
  const change = (changes: typeof search) =>
    void navigate({ search: changedParams(search, changes), replace: true });
  const isUnwritten = query.data?.written === false;
  return (
    <>
      <PageHeader
        title={t`Events`}
        description={t`What happened to your account, its customers and their plans, in the last 90 days.`}
      />
      <Card flush>
        {isUnwritten ? (
          <EmptyState
            icon={Rss}
            title={t`No events are written yet`}
            action={
              <>
                <ButtonLink to="/webhooks" look="primary">
                  {mayChange ? t`Set up an endpoint` : t`To the endpoints`}
                </ButtonLink>
                <ButtonLink to="/forecast">{mayChange ? t`Set up alerts` : t`To the alerts`}</ButtonLink>
              </>
            }
          >
            {t`Events are written from the moment the account makes a key of its own, an endpoint or alerts, or a program reads its feed through the API. Orders before that moment have none.`}
          </EmptyState>
        ) : (
          <>
            <FilterBar clear={type === undefined ? undefined : () => change({ type: '' })}>
              <SelectField
                label={t`Type of event`}
                unlabelled
                className="w-72"
                value={type ?? ''}
                options={types}
                onValue={(value) => change({ type: value })}
              />
            </FilterBar>
            <DataTable
              caption={t`Events`}
              columns={columns}
              {...tableState(query)}
              rowKey={({ id }) => id}
              openKey={opened.key}
              empty={
                type === undefined ? (
                  <EmptyState icon={Rss} title={t`No events yet`}>
                    {t`The next order, plan or payment is the first one.`}
                  </EmptyState>
                ) : (
                  <EmptyState
                    icon={SearchX}
                    title={t`No event of this type`}
                    action={<Button onClick={() => change({ type: '' })}>{t`Show all events`}</Button>}
                  />
                )
              }
              footer={<CursorPager list={query.data} before={before} />}
            />
          </>
        )}
      </Card>
      {opened.key === undefined ? null : <EventDrawer id={opened.key} opened={opened} />}
    </>
  );
}

function EventDrawer({ id, opened }: { readonly id: string; readonly opened: OpenRow<AccountEvent> }) {
  const { data, error, refetch } = useQuery({ ...eventQuery(id), enabled: opened.row === undefined });
  const event = opened.row ?? data?.event;
  return (
    <Drawer
      title={event === undefined ? t`Event` : eventWord(event.type)}
      description={event && <Time at={event.created_at} style="second" />}
      opened={opened}
    >
      {event !== undefined ? (
        <>
          <div className="shrink-0">
            <Facts facts={[...eventFacts(event), eventIdFact(event)]} />
          </div>
          <EventJson event={event} label={t`The event as JSON`} />
        </>
      ) : error === null ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </Drawer>
  );
}
