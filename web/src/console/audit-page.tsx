// Who changed what, newest first, from what to what; and who signed in, or was refused.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMe } from '../api/me.ts';
import { auditQuery } from '../api/queries.ts';
import type { AuditEntry } from '../api/shapes.ts';
import { tableState } from '../api/table-state.ts';
import { formatMoney, fromCents } from '../text/amounts.ts';
import { formatUtc } from '../text/times.ts';
import { auditActionWord } from '../text/words.ts';
import { Card } from '../ui/card.tsx';
import { type Column, DataTable, TwoLines } from '../ui/data-table.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { NumberedPager } from '../ui/pager.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { Time } from '../ui/time.tsx';

const route = getRouteApi('/panel/admin/audit');

const columns: readonly Column<AuditEntry>[] = [
  { title: t`No.`, from: 'md', cell: ({ number }) => <span className="figures text-soft">{number}</span> },
  {
    title: t`What`,
    grows: true,
    cell: (entry) => (
      <>
        <TwoLines first={auditActionWord(entry.action)} second={<Subject subject={entry.subject} />} />
        <div className="text-xs text-soft sm:hidden">
          <Time at={entry.at} />
        </div>
        <div className="md:hidden">
          <Changes entry={entry} />
        </div>
      </>
    ),
  },
  { title: t`Change`, from: 'md', cell: (entry) => <Changes entry={entry} /> },
  {
    title: t`Who`,
    cell: ({ actor, by }) =>
      actor.username === '' ? (
        <span className="text-soft">
          <Trans>Not known</Trans>
        </span>
      ) : (
        <ActedBy account={actor.username} by={by} />
      ),
  },
  { title: t`When`, from: 'sm', cell: ({ at }) => <Time at={at} style="minute" /> },
];

export function AuditPage() {
  const search = route.useSearch();
  const query = useQuery(auditQuery(search));
  return (
    <>
      <PageHeader
        title={t`Audit log`}
        description={t`Append-only. A change of a key or password is noted, never its value. Sign-ins are here too: the first ones of each hour one by one, more of them by their number.`}
      />
      <Card flush>
        <DataTable
          caption={t`Audit log`}
          columns={columns}
          {...tableState(query)}
          rowKey={({ number }) => number}
          empty={
            <EmptyState icon={ScrollText} title={t`Nothing has been changed yet`}>
              <Trans>
                What administrators change, what accounts change about their own access, and who signs in, is
                listed here.
              </Trans>
            </EmptyState>
          }
          footer={<NumberedPager list={query.data} noun="changes" />}
        />
      </Card>
    </>
  );
}

/** A person of the account, or one of its keys; its own login is the account. */
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

function Changes({ entry: { before, after } }: { readonly entry: AuditEntry }) {
  const { currency } = useMe().account;
  const was = fieldsOf(before, currency);
  const is = fieldsOf(after, currency);
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => was[name] !== is[name],
  );
  return (
    <ul className="py-1 text-xs leading-5 md:w-64 lg:w-96">
      {names.map((name) => (
        <li key={name} className="wrap-anywhere">
          <span className="text-soft">{name.replaceAll('_', ' ')}</span>{' '}
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

/** The fields of a change as texts; objects within are flattened: "prices.reseller.monthly". */
function fieldsOf(value: unknown, currency: string, path = ''): Record<string, string> {
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

/** Amounts and times are those of the API; older entries hold cents and seconds. */
function textOf(value: unknown, path: string, currency: string): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '(none)' : value.map((item) => textOf(item, '', currency)).join(', ');
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (path === 'balance') return formatMoney(text, currency);
  if (path.endsWith('_at') && text.includes('T')) return formatUtc(text);
  const isWhole = /^-?\d{1,18}$/.test(text);
  if (isWhole && path.endsWith('_cents')) return formatMoney(fromCents(BigInt(text)), currency);
  if (isWhole && path.endsWith('_at')) return formatUtc(new Date(Number(text) * 1000).toISOString());
  return path === 'reason' ? text.replaceAll('_', ' ') : text;
}

/** An account leads to its page. */
function Subject({ subject }: { readonly subject: string }) {
  const [, before = '', accountId] = /^((?:(?:sign-in|key \d+) of )?)account (\d+)$/.exec(subject) ?? [];
  if (accountId === undefined) return <bdi>{subject}</bdi>;
  return (
    <>
      {before}
      <TextLink to="/admin/accounts/$accountId" params={{ accountId }}>
        <Trans>account {accountId}</Trans>
      </TextLink>
    </>
  );
}
