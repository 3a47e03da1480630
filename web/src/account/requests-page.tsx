// The account's own requests to the API, newest first: what was asked, what was answered, how long it took.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Activity, RotateCw } from 'lucide-react';
import { requestsQuery } from '../api/queries.ts';
import { changedParams } from '../api/search-params.ts';
import type { RequestLine } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Choice } from '../ui/choice.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { type Column, DataTable, TwoLines } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FilterBar } from '../ui/filter-bar.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { CursorPager } from '../ui/pager.tsx';
import { Time } from '../ui/time.tsx';

const route = getRouteApi('/panel/requests');
const statuses = [
  { value: '', title: t`All` },
  { value: '2xx', title: t`Succeeded` },
  { value: '4xx', title: t`Refused` },
  { value: '5xx', title: t`Failed` },
] as const;

const columns: readonly Column<RequestLine>[] = [
  { title: t`Status`, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: t`Request`,
    grows: true,
    cell: ({ method, path, code, at }) => (
      <TwoLines
        first={
          <span className="font-mono text-[0.8125rem]" title={path}>
            <span className="text-soft">{method}</span> <bdi>{path}</bdi>
          </span>
        }
        second={
          <>
            <span className="sm:hidden">
              <Time at={at} style="second" />
              {code === null ? '' : ' · '}
            </span>
            {code === null ? '' : <code className="font-mono">{code}</code>}
          </>
        }
      />
    ),
  },
  { title: t`When`, from: 'sm', cell: ({ at }) => <Time at={at} style="second" /> },
  {
    title: t`From`,
    from: 'lg',
    cell: ({ address }) => (
      <code className="block max-w-40 truncate font-mono text-xs" title={address}>
        {address}
      </code>
    ),
  },
  {
    title: t`Took`,
    align: 'end',
    from: 'md',
    cell: ({ milliseconds }) => (
      <span className="figures whitespace-nowrap">
        <Trans>{milliseconds < 1 ? '< 1' : Math.round(milliseconds)} ms</Trans>
      </span>
    ),
  },
  {
    title: t`Id`,
    align: 'end',
    cell: ({ request_id: id }) => (
      <span className="inline-flex items-center gap-1">
        <code className="hidden max-w-28 truncate font-mono text-xs text-soft xl:block" title={id}>
          {id}
        </code>
        <CopyButton text={id} label={t`Copy request id ${id}`} />
      </span>
    ),
  },
];

export function RequestsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(requestsQuery(search));
  const status = statuses.find(({ value }) => value === search.status)?.value ?? '';
  return (
    <>
      <PageHeader
        title={t`Requests`}
        description={t`Requests made with your key in the last 7 days. Quote a request id when you report a problem.`}
        actions={
          <Button busy={query.isRefetching && !query.isPlaceholderData} onClick={() => void query.refetch()}>
            <RotateCw aria-hidden="true" className="size-4" />
            <Trans>Refresh</Trans>
          </Button>
        }
      />
      <Card flush>
        <FilterBar>
          <Choice
            label={t`Status`}
            value={status}
            options={statuses}
            onChoose={(value) =>
              void navigate({ search: changedParams(search, { status: value }), replace: true })
            }
          />
        </FilterBar>
        <DataTable
          caption={t`Requests`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ id }) => id}
          empty={
            status === '' ? (
              <EmptyState
                icon={Activity}
                title={t`No requests yet`}
                action={<ButtonLink to="/api-access">Make the first request</ButtonLink>}
              >
                <Trans>Each request made with your key appears here within a few seconds.</Trans>
              </EmptyState>
            ) : (
              <EmptyState
                icon={Activity}
                title={t`No request with this status`}
                action={
                  <ButtonLink to="/requests" search={{}}>
                    <Trans>Show all requests</Trans>
                  </ButtonLink>
                }
              />
            )
          }
          footer={<CursorPager list={query.data} before={search.before} />}
        />
      </Card>
    </>
  );
}

function StatusBadge({ status }: { readonly status: number }) {
  const tone = status < 400 ? 'good' : status < 500 ? 'warn' : 'bad';
  return (
    <Badge tone={tone}>
      <span className="figures">{status}</span>
    </Badge>
  );
}
