// Top-ups of all accounts, with filters and a drawer where they are refunded.

import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { CreditCard } from 'lucide-react';
import { Suspense } from 'react';
import { paymentParams } from '../../api/list-params.ts';
import { allTopupsPath, allTopupsQuery, paymentsQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import type { ListedTopup } from '../../api/shapes.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { type Column, TwoLines } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSearchField, ListSelect, ListSpan } from '../../ui/list-card.tsx';
import { useOpenRow } from '../../ui/open-row.ts';
import { lazyEarly } from '../../ui/preload.ts';
import { DrawerLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';
import { useList } from '../../ui/use-list.ts';
import { TopupAmount, TopupStatusBadge, topupOnPhone } from './topup-columns.tsx';
import { TopupStats } from './topup-stats.tsx';
import { topupMethodChoices, topupMethodWord, topupStatusChoices } from './topup-words.ts';

const AnyTopupDrawer = lazyEarly(async () => ({
  default: (await import('./any-topup-drawer.tsx')).AnyTopupDrawer,
}));

const columns: readonly Column<ListedTopup>[] = [
  {
    title: t`Account`,
    grows: true,
    cell: ({ topup, account }) => (
      <TwoLines
        first={<DrawerLink id={topup.id}>{account.username}</DrawerLink>}
        second={
          <>
            {topupMethodWord(topup.method)}
            {topup.reference === null ? null : <bdi className="max-sm:hidden">{` · ${topup.reference}`}</bdi>}
          </>
        }
      />
    ),
  },
  { title: t`Status`, from: 'sm', cell: ({ topup }) => <TopupStatusBadge topup={topup} /> },
  {
    id: 'created',
    title: t`Requested`,
    from: 'sm',
    cell: ({ topup: { created_at: at } }) => <Time at={at} />,
  },
  {
    id: 'credited',
    title: t`Credited`,
    from: 'lg',
    cell: ({ topup: { credited_at: at } }) => (at === null ? '–' : <Time at={at} />),
  },
  { title: t`Amount`, align: 'end', cell: ({ topup }) => <TopupAmount topup={topup} /> },
];

/** With the groups that the sums above link to. */
const statusChoices = [
  ...topupStatusChoices,
  { value: 'credited_this_month', title: t`Credited this month` },
  { value: 'refunded_this_month', title: t`Refunded this month` },
  { value: 'disputed_this_month', title: t`Disputed this month` },
  { value: 'pending', title: t`Waiting or on its way` },
  { value: 'recently_failed', title: t`Failed in the last 30 days` },
];

const rowKey = ({ topup }: ListedTopup) => topup.id;

export function AllTopups() {
  const list = useList(paymentParams);
  const { q, status, method, account_id, from, to, cursor } = list.search;
  const span = { created_from: spanStart(from), created_to: spanEnd(to) };
  const wanted = { reference: q, status, method, account_id, ...span };
  const query = useQuery(allTopupsQuery({ ...wanted, cursor }));
  const opened = useOpenRow(query.data?.data, rowKey);
  return (
    <>
      <TopupStats />
      <ListCard
        list={list}
        query={query}
        name="all-top-ups"
        csv={{ path: allTopupsPath, query: wanted, name: 'top-ups' }}
        caption={t`Top-ups of all accounts`}
        columns={columns}
        rowKey={rowKey}
        phone={({ topup }) => topupOnPhone(topup)}
        openKey={opened.key}
        none={
          <EmptyState icon={CreditCard} title={t`No top-ups yet`} action={<SetUp />}>
            {t`Payments by card and bank transfer appear here.`}
          </EmptyState>
        }
        nothing={{ title: t`No matching top-ups`, all: t`Show all top-ups` }}
      >
        <ListSearchField list={list} name="q" label={t`Payment reference or top-up ID`} />
        <ListSelect list={list} name="status" label={t`Status`} options={statusChoices} />
        <ListSelect list={list} name="method" label={t`Payment method`} options={topupMethodChoices} />
        <ListSpan list={list} what={t`Requested`} />
      </ListCard>
      {opened.key === undefined ? null : (
        <Suspense>
          <AnyTopupDrawer opened={opened} />
        </Suspense>
      )}
    </>
  );
}

/** Offered while accounts have no way to pay. */
function SetUp() {
  const { data } = useQuery(paymentsQuery);
  const mayChange = useMay()('admin:packages');
  const methods = data && Object.values(data.payments.methods);
  if (!mayChange || methods === undefined || methods.some((method) => method.enabled)) return null;
  return (
    <ButtonLink look="primary" to="/admin/payments" search={{ tab: 'settings' }}>
      {t`Set up payments`}
    </ButtonLink>
  );
}
