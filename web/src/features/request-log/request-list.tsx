// Requests with an account's keys of the last seven days: filters in the address, and a drawer for each. On the account's own
// page "Requests", and for the operator on the account's page.
// The route needs these texts of the address: requestParams.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { type ReactNode, useCallback } from 'react';
import { keysQuery, refusalCountsQuery, requestsQuery } from '../../api/queries.ts';
import { changedParams } from '../../api/search-params.ts';
import type { RequestLine } from '../../api/shapes.ts';
import { tableState } from '../../api/table-state.ts';
import { dayOf, spanEnd, spanStart } from '../../text/days.ts';
import { formatCount } from '../../text/language.ts';
import { keyNameWord } from '../../text/words.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type Column, DataTable, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { DrawerLink } from '../../ui/page-links.tsx';
import { CursorPager } from '../../ui/pager.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { SpanFilter } from '../../ui/span-filter.tsx';
import { ColumnChoice, useTableLayout } from '../../ui/table-layout.tsx';
import { Time } from '../../ui/time.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import type { requestParams } from './request-params.ts';
import { StatusBadge } from './status-badge.tsx';

type RequestSearch = Partial<Record<(typeof requestParams)[number], string>>;

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
    cell: ({ id, method, path, code, at }) => (
      <TwoLines
        first={
          <DrawerLink id={id}>
            <span className="font-mono text-[0.8125rem]" title={path}>
              <span className="text-soft">{method}</span> <bdi>{path}</bdi>
            </span>
          </DrawerLink>
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
    id: 'key',
    title: t`Key`,
    from: 'lg',
    cell: ({ key }) => (
      <bdi className="block max-w-40 truncate">{key === null ? '–' : keyNameWord(key.name)}</bdi>
    ),
  },
  {
    id: 'address',
    title: t`From`,
    from: 'lg',
    cell: ({ address }) => (
      <code className="block max-w-40 truncate font-mono text-xs" title={address}>
        {address}
      </code>
    ),
  },
  {
    id: 'took',
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
    id: 'request_id',
    title: t`Id`,
    from: 'xl',
    isExtra: true,
    cell: ({ request_id: id }) => <code className="font-mono text-xs text-soft">{id}</code>,
  },
];

interface RequestListProps {
  /** null: the own account. */
  readonly accountId: number | null;
  /** What to say while there was no request at all. */
  readonly first?: ReactNode;
}

export function RequestList({ accountId, first }: RequestListProps) {
  const search: RequestSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { status, code, key, method, path, request_id, before } = search;
  const filters = { status, code, key, method, path, request_id };
  const span = { from: spanStart(search.from), to: spanEnd(search.to) };
  const query = useQuery(requestsQuery(accountId, { ...filters, ...span, before }));
  const rows = query.data?.data;
  const open = useOpenRow(rows, ({ id }) => id);
  const layout = useTableLayout('requests');
  const keysPath = accountId === null ? '/keys' : `/admin/v1/accounts/${accountId}/keys`;
  const { data: keys } = useQuery(keysQuery(keysPath));
  const weekAgo = dayOf(new Date(Date.now() - 7 * 86_400_000));
  const { data: refusals } = useQuery(refusalCountsQuery(accountId, { from: weekAgo }));

  const change = (changes: RequestSearch) =>
    void navigate({
      to: '.',
      search: (now: RequestSearch) => changedParams(now, changes),
      replace: true,
      resetScroll: false,
    });
  const onRequestId = useCallback(
    (requestId: string) => {
      void navigate({
        to: '.',
        search: (now: RequestSearch) => changedParams(now, { request_id: requestId }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  const none = { status: '', code: '', key: '', method: '', path: '', request_id: '', from: '', to: '' };
  const isFiltered = [...Object.values(filters), search.from, search.to].some((value) => value !== undefined);
  const codes = refusals?.data.map((one) => ({
    value: one.code,
    title: `${one.code} (${formatCount(one.count)})`,
  }));
  return (
    <Card flush>
      <FilterBar
        clear={isFiltered ? () => change(none) : undefined}
        end={<ColumnChoice layout={layout} columns={columns} />}
      >
        <SearchField label={t`Request id`} value={request_id ?? ''} onSearch={onRequestId} />
        <Choice
          label={t`Status`}
          value={statuses.find(({ value }) => value === status)?.value ?? ''}
          options={statuses}
          onChoose={(value) => change({ status: value })}
        />
        <SelectField
          label={t`Error code`}
          unlabelled
          className="w-52"
          value={code ?? ''}
          options={withPresent([{ value: '', title: t`All error codes` }, ...(codes ?? [])], code)}
          onValue={(value) => change({ code: value })}
        />
        {keys !== undefined && (keys.data.length > 1 || key !== undefined) ? (
          <SelectField
            label={t`Key`}
            unlabelled
            className="w-40"
            value={key ?? ''}
            options={withPresent(
              [
                { value: '', title: t`All keys` },
                ...keys.data.map(({ id, name }) => ({ value: String(id), title: keyNameWord(name) })),
              ],
              key,
            )}
            onValue={(value) => change({ key: value })}
          />
        ) : null}
        <SpanFilter from={search.from} to={search.to} what={t`Sent`} onSpan={(ends) => change(ends)} />
      </FilterBar>
      <DataTable
        caption={t`Requests`}
        columns={columns}
        {...tableState(query)}
        rowKey={({ id }) => id}
        layout={layout}
        openKey={open.key}
        empty={
          isFiltered || first === undefined ? (
            <EmptyState
              icon={Activity}
              title={isFiltered ? t`No such request in the last 7 days` : t`No request in the last 7 days`}
              action={
                isFiltered ? <Button onClick={() => change(none)}>{t`Show all requests`}</Button> : undefined
              }
            >
              {t`Requests are kept for 7 days.`}
            </EmptyState>
          ) : (
            first
          )
        }
        footer={<CursorPager list={query.data} before={before} />}
      />
      {open.key === undefined ? null : <RequestDrawer accountId={accountId} number={open.key} steps={open} />}
    </Card>
  );
}

/** With what is chosen, also where it is not among them. */
function withPresent(options: readonly { value: string; title: string }[], present: string | undefined) {
  const isThere = present === undefined || options.some(({ value }) => value === present);
  return isThere ? options : [...options, { value: present, title: present }];
}
