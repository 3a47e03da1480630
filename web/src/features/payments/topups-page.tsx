// An account's top-ups, newest first, with filters in the URL.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { CreditCard } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { topupParams } from '../../api/list-params.ts';
import { useMe } from '../../api/me.ts';
import { topupsQuery } from '../../api/payment-queries.ts';
import { spanEnd, spanStart } from '../../text/days.ts';
import { withTexts } from '../../text/texts.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListCard, ListSelect, ListSpan } from '../../ui/list-card.tsx';
import { Money } from '../../ui/money.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { lazyEarly } from '../../ui/preload.ts';
import { useList } from '../../ui/use-list.ts';
import { AddFundsLink, ReceivableNotice, useMayAddFunds } from './funds-parts.tsx';
import { topupColumns, topupOnPhone } from './topup-columns.tsx';
import { topupMethodChoices, topupStatusChoices } from './topup-words.ts';

const AutoTopupCard = lazy(
  withTexts(async () => ({ default: (await import('./auto-topup-card.tsx')).AutoTopupCard })),
);
const AddFundsDialog = lazyEarly(withTexts(() => import('./add-funds-dialog.tsx')));

export function TopupsPage() {
  const { account, topups } = useMe();
  const mayAdd = useMayAddFunds();
  const list = useList(topupParams);
  const { status, method, from, to, cursor, open } = list.search;
  const query = useQuery(
    topupsQuery({ status, method, created_from: spanStart(from), created_to: spanEnd(to), cursor }),
  );
  const isEmpty = !list.isFiltered && cursor === undefined && query.data?.data.length === 0;
  const none = (
    <EmptyState
      icon={CreditCard}
      title={t`No top-ups yet`}
      action={mayAdd ? <AddFundsLink look="primary" /> : undefined}
    >
      {mayAdd
        ? t`Add funds by card or bank transfer. Orders are paid from your balance.`
        : topups.methods.length === 0
          ? t`The operator adds credit to your balance.`
          : undefined}
    </EmptyState>
  );
  return (
    <>
      <PageHeader
        title={t`Top-ups`}
        description={
          <Trans>
            Balance:{' '}
            <Money amount={account.balance} currency={account.currency} className="font-medium text-ink" />
          </Trans>
        }
        actions={isEmpty ? undefined : <AddFundsLink look="primary" />}
      />
      <div className="page-stack gap-5">
        <ReceivableNotice />
        {isEmpty ? (
          <Card flush>{none}</Card>
        ) : (
          <ListCard
            list={list}
            query={query}
            name="top-ups"
            caption={t`Top-ups`}
            columns={topupColumns}
            rowKey={({ id }) => id}
            phone={topupOnPhone}
            none={none}
            nothing={{ title: t`No matching top-ups`, all: t`Show all top-ups` }}
            says={(total) => plural(total, { one: '# top-up', other: '# top-ups' })}
          >
            <ListSelect list={list} name="status" label={t`Status`} options={topupStatusChoices} />
            <ListSelect list={list} name="method" label={t`Payment method`} options={topupMethodChoices} />
            <ListSpan list={list} what={t`Requested`} />
          </ListCard>
        )}
        <Suspense fallback={null}>
          <AutoTopupCard />
        </Suspense>
      </div>
      {open === 'add-funds' && mayAdd ? (
        <Suspense>
          <AddFundsDialog onClose={() => list.change({ open: '' })} />
        </Suspense>
      ) : null}
    </>
  );
}
