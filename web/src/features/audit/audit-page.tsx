import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { ScrollText, X } from 'lucide-react';
import { useMemo } from 'react';
import { auditQuery } from '../../api/console-queries.ts';
import { auditParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import type { AuditEntry, FoundAuditEntry } from '../../api/shapes.ts';
import { formatMoney, fromCents } from '../../text/amounts.ts';
import { dayOf, spanEnd, spanStart } from '../../text/days.ts';
import { formatStated } from '../../text/times.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSearchField, ListSelect, ListSpan } from '../../ui/list-card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { AccountLink } from '../../ui/page-links.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { auditActionWord } from './audit-actions.ts';
import { auditFieldWord, auditValueWord } from './audit-words.ts';

/** `isFirstOfDay` keeps the date off the rows below it. */
function columnsOf(isFirstOfDay: (entry: AuditEntry) => boolean): readonly Column<FoundAuditEntry>[] {
  return [
    {
      title: t`No.`,
      from: 'xl',
      cell: ({ entry }) => <span className="figures text-soft">{entry.number}</span>,
    },
    {
      title: t`Event`,
      grows: true,
      cell: ({ entry, target }) => (
        <>
          <div className="py-0.5 leading-snug wrap-anywhere">
            <div>{auditActionWord(entry.action)}</div>
            <div className="text-xs text-soft">
              <Target target={target} />
            </div>
          </div>
          <div className="text-xs text-soft sm:hidden">
            <Time at={entry.at} />
          </div>
          <div className="lg:hidden">
            <Changes entry={entry} />
          </div>
        </>
      ),
    },
    {
      title: t`Change`,
      from: 'lg',
      cell: ({ entry }) => (
        <div className="lg:w-56 xl:w-72">
          <Changes entry={entry} />
        </div>
      ),
    },
    {
      title: t`Who`,
      cell: ({ entry: { action, actor, by } }) =>
        actor.username === '' ? (
          <span className="text-soft">{isOfPeople(action) ? t`Unknown` : t`System`}</span>
        ) : (
          <ActedBy account={actor.username} by={by} />
        ),
    },
    {
      title: t`When`,
      from: 'sm',
      align: 'end',
      cell: ({ entry }) => <Time at={entry.at} style={isFirstOfDay(entry) ? 'minute' : 'clock'} />,
    },
  ];
}

/** Sign-ins and refused actions can have an unknown person behind them. Without an actor, the service did everything else. */
function isOfPeople(action: string): boolean {
  return action.startsWith('sign_in.') || action.startsWith('deed.');
}

const actionOptions = [
  { value: '', title: t`All actions` },
  { value: 'account', title: t`Accounts and keys` },
  { value: 'person', title: t`Team` },
  { value: 'customer', title: t`Customers` },
  { value: 'order', title: t`Orders` },
  { value: 'package', title: t`Packages` },
  { value: 'webhook', title: t`Endpoints` },
  { value: 'product', title: t`Product` },
  { value: 'account.credit', title: t`Credits` },
  { value: 'account.view', title: t`“View as reseller” sessions` },
  { value: 'sign_in', title: t`Sign-ins` },
  { value: 'deed', title: t`Refused actions` },
];

export function AuditPage() {
  const list = useList(auditParams);
  const { from, to, ...rest } = list.search;
  const filter = { ...rest, from: spanStart(from), to: spanEnd(to) };
  const query = useQuery(auditQuery(filter));
  const columns = useMemo(() => {
    const days = new Map<string, number>();
    for (const { entry } of query.data?.data ?? []) {
      const day = dayOf(new Date(entry.at));
      if (!days.has(day)) days.set(day, entry.number);
    }
    const firsts = new Set(days.values());
    return columnsOf(({ number }) => firsts.has(number));
  }, [query.data]);
  return (
    <>
      <PageHeader
        title={t`Audit log`}
        description={t`A permanent record of changes and sign-ins. Secrets are never shown; repeated sign-ins are grouped hourly.`}
      />
      <ListCard
        list={list}
        query={query}
        csv={{ path: '/admin/audit', query: { ...filter, cursor: undefined }, name: 'audit-log' }}
        caption={t`Audit log`}
        columns={columns}
        rowKey={({ entry }) => entry.number}
        none={
          <EmptyState icon={ScrollText} title={t`No changes yet`}>
            {t`Changes by administrators, changes to account access and sign-ins appear here.`}
          </EmptyState>
        }
        nothing={{ title: t`No matches`, soFar: t`No matches so far`, all: t`Show the whole log` }}
      >
        <ListSearchField list={list} name="actor" label={t`Who (username)`} />
        <ListSearchField list={list} name="account" label={t`Account (username)`} />
        <ListSelect list={list} name="action" label={t`Action`} options={actionOptions} />
        <ListSpan list={list} what={t`Recorded`} />
        {rest.target === undefined ? null : (
          <Button onClick={() => list.change({ target: '' })}>
            <Trans>Only {targetText(rest.target, query.data?.data[0])}</Trans>
            <X aria-label={t`Remove`} className="size-4" />
          </Button>
        )}
      </ListCard>
    </>
  );
}

function targetText(target: string, first: FoundAuditEntry | undefined): string {
  return first === undefined || first.target.name === '' ? target.replace(':', ' ') : first.target.name;
}

/** The person or key that acted. The account's own login is shown as the account. */
function ActedBy({ account, by }: { readonly account: string; readonly by: AuditEntry['by'] }) {
  if (by === null || by.name === account) return <TwoLines first={<bdi>{account}</bdi>} second={null} />;
  const whose = <bdi>{by.name}</bdi>;
  return by.type === 'key' ? (
    <TwoLines first={<bdi>{account}</bdi>} second={<Trans>key {whose}</Trans>} />
  ) : (
    <TwoLines
      first={whose}
      second={
        <Trans>
          of <bdi>{account}</bdi>
        </Trans>
      }
    />
  );
}

function Changes({ entry: { action, actor, before, after } }: { readonly entry: AuditEntry }) {
  const { currency } = useMe().account;
  const was = fieldsOf(before, currency);
  const is = fieldsOf(after, currency);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    // A counter of 1 says nothing, nor does the username of the account that signed in.
    (name) =>
      was[name] !== is[name] &&
      !(name === 'within_the_hour' && is[name] === '1') &&
      !(name === 'username' && action === 'sign_in.accept' && is[name] === actor.username),
  );
  return (
    <ul className="py-1 text-xs leading-5">
      {names.map((name) => (
        <li key={name} className="wrap-anywhere">
          <span className="text-soft">{auditFieldWord(name)}</span>{' '}
          {was[name] === undefined ? null : (
            <del className="text-soft">
              <bdi>{was[name]}</bdi>
            </del>
          )}
          {was[name] === undefined || is[name] === undefined ? null : ' → '}
          {is[name] === undefined ? null : (
            <ins className="no-underline">
              <bdi>{is[name]}</bdi>
            </ins>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Flattens nested objects into names such as "prices.reseller.monthly". */
function fieldsOf(value: unknown, currency: string, path = ''): Record<string, string> {
  if (path.startsWith('limits.')) return { [path]: limitText(value) };
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { [path === '' ? 'value' : path.replace(/_cents$/, '')]: textOf(value, path, currency) };
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
      Object.entries(fieldsOf(inner, currency, path === '' ? name : `${path}.${name}`)),
    ),
  );
}

/** For values of the operator's limits, whose keys may equal other fields' names. null means unlimited. */
function limitText(value: unknown): string {
  if (value === null) return t`Unlimited`;
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  return String(value);
}

const moneyFields: ReadonlySet<string> = new Set([
  'balance',
  'prices',
  'auto_renew',
  'balance_below',
  'refund',
]);

/** Newer entries hold the API's amounts and times; older ones hold cents and seconds. */
function textOf(value: unknown, path: string, currency: string): string {
  if (Array.isArray(value)) {
    if (value.length > 0)
      return value.map((item) => textOf(item, path === 'periods' ? path : '', currency)).join(', ');
    return t`none`;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (moneyFields.has(path.split('.')[0] ?? '') && /^-?\d+\.\d\d$/.test(text))
    return formatMoney(text, currency);
  if (path.endsWith('_at') && text.includes('T')) return formatStated(text);
  const isWhole = /^-?\d{1,18}$/.test(text);
  if (isWhole && path.endsWith('_cents')) return formatMoney(fromCents(BigInt(text)), currency);
  if (isWhole && path.endsWith('_at')) return formatStated(new Date(Number(text) * 1000).toISOString());
  return path === '' ? text : auditValueWord(path, text);
}

function Target({ target }: { readonly target: FoundAuditEntry['target'] }) {
  const { type, id, name, account } = target;
  const whose = account === null ? null : <AccountLink id={account.id}>{account.username}</AccountLink>;
  const shown = <bdi>{name === '' ? id : name}</bdi>;
  switch (type) {
    case 'account':
      return whose ?? shown;
    case 'sign_in':
      return whose;
    case 'package':
      return (
        <TextLink to="/admin/packages/$packageId" params={{ packageId: String(id) }}>
          {shown}
        </TextLink>
      );
    case 'customer':
      return (
        <>
          {id === null ? (
            shown
          ) : (
            <TextLink to="/admin/customers/$customerId" params={{ customerId: String(id) }}>
              {shown}
            </TextLink>
          )}
          {whose === null ? null : <> · {whose}</>}
        </>
      );
    case 'order':
      return (
        <>
          <TextLink to="/admin/orders/$orderId" params={{ orderId: String(id) }}>
            <Trans>Order {id}</Trans>
          </TextLink>
          {whose === null ? null : <> · {whose}</>}
        </>
      );
    case 'key':
      return (
        <>
          {name === '' ? t`First key` : <Trans>Key {shown}</Trans>}
          {whose === null ? null : <> · {whose}</>}
        </>
      );
    case 'webhook':
      return <Trans>Endpoint {id}</Trans>;
    case 'product':
      return t`Product`;
    default:
      return (
        <>
          {shown}
          {whose === null ? null : <> · {whose}</>}
        </>
      );
  }
}
