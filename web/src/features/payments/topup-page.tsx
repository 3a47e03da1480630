// One top-up. The provider's page returns here, and the page refetches until the money has come.

import { t } from '@lingui/core/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FileText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { topupQuery } from '../../api/payment-queries.ts';
import { useMay } from '../../api/person.ts';
import type { Topup } from '../../api/shapes.ts';
import { toCents } from '../../text/amounts.ts';
import { language } from '../../text/language.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Copied } from '../../ui/copied.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { BackLink, PageHeader } from '../../ui/page-header.tsx';
import { PageProblem } from '../../ui/page-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Time } from '../../ui/time.tsx';
import { BankDetails } from './bank-details.tsx';
import { CancelTopupDialog } from './cancel-topup-dialog.tsx';
import { AddFundsLink, ReceivableNotice } from './funds-parts.tsx';
import { TopupStatusBadge } from './topup-columns.tsx';
import { TopupState } from './topup-state.tsx';
import { topupMethodWord } from './topup-words.ts';

const route = getRouteApi('/panel/top-ups/$topupId');

export function TopupPage() {
  const { topupId } = route.useParams();
  const { state } = route.useSearch();
  const may = useMay();
  const { data, error, refetch } = useQuery(topupQuery(topupId));
  const [isCanceling, setIsCanceling] = useState(false);
  useFreshOnceCredited(data?.topup.credited_at);
  const back = <BackLink to="/top-ups">{t`Top-ups`}</BackLink>;
  const title = t`Top-up ${topupId}`;
  if (error !== null && data === undefined)
    return <PageProblem title={title} back={back} error={error} onRetry={() => void refetch()} />;
  const topup = data?.topup;
  const isConfirming = state === 'confirming' && topup?.status === 'open';
  const isOver = topup !== undefined && !['open', 'processing'].includes(topup.status);
  return (
    <>
      <PageHeader
        title={title}
        mark={
          <>
            <CopyButton text={topupId} label={t`Copy top-up ID`} />
            {topup === undefined || isConfirming ? null : <TopupStatusBadge topup={topup} />}
          </>
        }
        back={back}
        actions={
          topup?.status === 'open' && !isConfirming && may('topups:write') ? (
            <Button look="danger" onClick={() => setIsCanceling(true)}>
              {t`Cancel top-up`}
            </Button>
          ) : isOver ? (
            <>
              {typeof topup.ledger_entry_id === 'number' ? (
                <ReceiptButton id={topup.ledger_entry_id} />
              ) : null}
              <AddFundsLink />
            </>
          ) : undefined
        }
      />
      <div className="page-stack gap-5">
        {topup === undefined ? (
          <Skeleton className="h-18 w-full" />
        ) : (
          <TopupState topup={topup} isConfirming={isConfirming} />
        )}
        <ReceivableNotice />
        {topup?.bank === undefined ? null : (
          <Card title={t`Bank details`}>
            <BankDetails bank={topup.bank} topup={topup} />
          </Card>
        )}
        <Card>
          <Facts columns={2} facts={factsOf(topup)} />
        </Card>
      </div>
      {isCanceling && topup !== undefined ? (
        <CancelTopupDialog topup={topup} onClose={() => setIsCanceling(false)} />
      ) : null}
    </>
  );
}

function ReceiptButton({ id }: { readonly id: number }) {
  return (
    <DownloadButton
      icon={FileText}
      path={`/ledger/${id}/receipt.pdf`}
      query={{ language }}
      file={`receipt-${id}.pdf`}
    >
      {t`Receipt as PDF`}
    </DownloadButton>
  );
}

/** Refetches the rest of the page when the credit has come, such as the balance in the navigation. */
function useFreshOnceCredited(creditedAt: string | null | undefined): void {
  const client = useQueryClient();
  const shown = useRef(creditedAt);
  useEffect(() => {
    const hasCome = shown.current === null && typeof creditedAt === 'string';
    shown.current = creditedAt;
    if (hasCome) void client.invalidateQueries();
  }, [creditedAt, client]);
}

function factsOf(topup: Topup | undefined): readonly Fact[] {
  const money = (amount: string) => topup && <Money amount={amount} currency={topup.currency} />;
  const { reference = null, expires_at: until = null, credited_at: at = null } = topup ?? {};
  const isWaiting = topup?.status === 'open';
  return [
    { name: t`Amount`, value: topup && money(topup.amount) },
    { name: t`Payment method`, value: topup && topupMethodWord(topup.method) },
    { name: t`Requested`, value: topup && <Time at={topup.created_at} /> },
    ...(at === null ? [] : [{ name: t`Credited`, value: <Time at={at} /> }]),
    ...(isWaiting && until !== null ? [{ name: t`Expires`, value: <Time at={until} /> }] : []),
    ...(topup !== undefined && toCents(topup.refunded) > 0n
      ? [{ name: t`Refunded`, value: money(topup.refunded) }]
      : []),
    ...(topup !== undefined && toCents(topup.disputed) > 0n
      ? [{ name: t`Disputed`, value: money(topup.disputed) }]
      : []),
    ...(reference === null || topup?.bank !== undefined
      ? []
      : [
          {
            name: t`Payment reference`,
            value: <Copied text={reference} label={t`Copy payment reference`} />,
          },
        ]),
  ];
}
