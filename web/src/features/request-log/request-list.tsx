// API requests that are kept, with filters and drawers. The route must accept requestParams.

import { plural, t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { Activity } from 'lucide-react';
import type { ReactNode } from 'react';
import { requestParams } from '../../api/list-params.ts';
import { requestFiguresQuery, requestsQuery } from '../../api/log-queries.ts';
import { useMe } from '../../api/me.ts';
import { keysQuery, refusalCountsQuery } from '../../api/queries.ts';
import type { RequestFigures, RequestLine } from '../../api/shapes.ts';
import { dayOf, spanEnd, spanStart } from '../../text/days.ts';
import { formatCount, formatMilliseconds } from '../../text/language.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSelect, ListSpan } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { DrawerLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { OutcomeChoice, outcomeCount, outcomeOf } from './outcome-choice.tsx';
import { RequestDrawer } from './request-drawer.tsx';
import { RequestFiguresCard } from './request-figures-card.tsx';
import { StatusBadge } from './status-badge.tsx';

const columns: readonly Column<RequestLine>[] = [
  { title: t`Status`, cell: ({ status }) => <StatusBadge status={status} /> },
  {
    title: t`Request`,
    grows: true,
    cell: ({ id, method, path, code, at }) => (
      <TwoLines
        first={
          <DrawerLink id={id}>
            <span className="font-mono text-[0.8125rem] break-all max-sm:whitespace-normal" title={path}>
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
    cell: ({ key }) => <bdi className="block max-w-40 truncate">{key === null ? '–' : key.name}</bdi>,
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
    title: t`Duration`,
    align: 'end',
    from: 'md',
    cell: ({ milliseconds }) => (
      <span className="figures whitespace-nowrap">
        {milliseconds < 1 ? '<\u00a0' : ''}
        {formatMilliseconds(Math.max(1, Math.round(milliseconds)))}
      </span>
    ),
  },
  {
    id: 'request_id',
    title: t`ID`,
    from: 'xl',
    isExtra: true,
    cell: ({ request_id: id }) => <code className="font-mono text-xs text-soft">{id}</code>,
  },
];

interface RequestListProps {
  /** null means the signed-in account. */
  readonly accountId: number | null;
  readonly first?: ReactNode;
}

/** The service answers for 400 days at most, today included. */
const refusalDaysMax = 399;

export function RequestList({ accountId, first }: RequestListProps) {
  const list = useList(requestParams);
  const { status, code, key, path, request_id: requestId, from, to, cursor } = list.search;
  const span = { from: spanStart(from), to: spanEnd(to) };
  const query = useQuery(requestsQuery(accountId, { ...list.filters, ...span, cursor }));
  const { status: _status, ...terms } = list.filters;
  const isOwn = accountId === null;
  const { data: figures } = useQuery({ ...requestFiguresQuery({ ...terms, ...span }), enabled: isOwn });
  const hasFigures = isOwn && (list.isFiltered || figures?.requests !== 0);
  const outcome = outcomeOf(status);
  const choose = (value: string) => list.change({ status: value });
  const open = useOpenRow(query.data?.data, ({ id }) => id);
  const keysPath = accountId === null ? '/keys' : `/admin/v1/accounts/${accountId}/keys`;
  const { data: keys } = useQuery(keysQuery(keysPath));
  const { request_log_days: days } = useMe().kept;
  const firstDay = dayOf(new Date(Date.now() - Math.min(days, refusalDaysMax) * 86_400_000));
  const { data: refusals } = useQuery(refusalCountsQuery(accountId, { from: firstDay }));
  const codes = (refusals?.data ?? []).map((one) => ({
    value: one.code,
    title: `${one.code} (${formatCount(one.count)})`,
  }));
  return (
    <div className="page-stack gap-5">
      {hasFigures ? <RequestFiguresCard figures={figures} outcome={outcome} onChoose={choose} /> : null}
      <ListCard
        list={list}
        query={query}
        total={countOf(figures, status)}
        says={(total) => plural(total, { one: '# request', other: '# requests' })}
        name="requests"
        caption={t`Requests`}
        columns={columns}
        rowKey={({ id }) => id}
        openKey={open.key}
        none={
          list.isFiltered || first === undefined ? (
            <EmptyState
              icon={Activity}
              title={list.isFiltered ? t`No matching requests` : t`No requests`}
              action={
                list.isFiltered ? (
                  <ButtonLink to="." search={list.all}>
                    {t`Show all requests`}
                  </ButtonLink>
                ) : undefined
              }
            >
              {plural(days, { one: 'Requests are kept for # day.', other: 'Requests are kept for # days.' })}
            </EmptyState>
          ) : (
            first
          )
        }
      >
        <SearchField
          label={t`Path or ID`}
          value={path ?? requestId ?? ''}
          onSearch={(text) => list.change(searchFor(text))}
        />
        {isOwn ? null : <OutcomeChoice outcome={outcome} onChoose={choose} />}
        <ListSelect
          list={list}
          name="code"
          label={t`Error code`}
          options={withPresent([{ value: '', title: t`All error codes` }, ...codes], code)}
        />
        {keys !== undefined && (keys.data.length > 1 || key !== undefined) ? (
          <ListSelect
            list={list}
            name="key"
            label={t`Key`}
            options={withPresent(
              [
                { value: '', title: t`All keys` },
                ...keys.data.map(({ id, name }) => ({ value: String(id), title: name })),
              ],
              key,
            )}
          />
        ) : null}
        <ListSpan list={list} what={t`Sent`} />
      </ListCard>
      {open.key === undefined ? null : <RequestDrawer accountId={accountId} number={open.key} steps={open} />}
    </div>
  );
}

/** null: not known, such as for a single status, or there are no requests. */
function countOf(figures: RequestFigures | undefined, status: string | undefined): number | null {
  if (figures === undefined || figures.requests === 0) return null;
  const outcome = outcomeOf(status);
  if (outcome !== '') return outcomeCount(figures, outcome);
  return status === undefined ? figures.requests : null;
}

/** Ids of customers and orders are in the path; what has a dash or a letter and no slash is the id of a request. */
function searchFor(text: string) {
  const isPath = text === '' || /^\d+$/.test(text) || text.includes('/') || /^[a-z_]+$/.test(text);
  return isPath ? { path: text, request_id: '' } : { path: '', request_id: text };
}

function withPresent(options: readonly { value: string; title: string }[], present: string | undefined) {
  const isThere = present === undefined || options.some(({ value }) => value === present);
  return isThere ? options : [...options, { value: present, title: present }];
}
