import { t } from '@lingui/core/macro';
import { FileText, Undo2 } from 'lucide-react';
import { useMay } from '../../api/person.ts';
import type { ListedTopup } from '../../api/shapes.ts';
import { toCents } from '../../text/amounts.ts';
import { language } from '../../text/language.ts';
import { wordOf } from '../../text/words.ts';
import { Actions } from '../../ui/actions.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Copied } from '../../ui/copied.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { AccountLink } from '../../ui/page-links.tsx';
import { Time } from '../../ui/time.tsx';
import { problemWords } from './problem-words.ts';
import { RefundDialog, refundable } from './refund-dialog.tsx';
import { TopupStatusBadge } from './topup-columns.tsx';
import { topupMethodWord } from './topup-words.ts';

export function AnyTopupDrawer({ opened }: { readonly opened: OpenRow<ListedTopup> }) {
  const mayRefund = useMay()('admin:credit');
  const { row } = opened;
  if (row === undefined) return null;
  const { topup, account, needs_attention: reason } = row;
  return (
    <Drawer
      title={t`Top-up ${topup.id}`}
      description={<Time at={topup.created_at} style="second" />}
      opened={opened}
      actions={
        <>
          <ButtonLink to="/admin/payments" search={{ account_id: String(account.id) }}>
            {t`All of this account`}
          </ButtonLink>
          {topup.ledger_entry_id === null ? null : (
            <DownloadButton
              icon={FileText}
              path={`/admin/ledger/${topup.ledger_entry_id}/receipt.pdf`}
              query={{ language }}
              file={`receipt-${topup.ledger_entry_id}.pdf`}
            >
              {t`Receipt as PDF`}
            </DownloadButton>
          )}
          <Actions
            actions={[
              {
                id: 'refund',
                title: t`Refund`,
                icon: Undo2,
                look: 'danger',
                isOffered: mayRefund && refundable(topup) > 0n,
                dialog: (onClose) => <RefundDialog listed={row} onClose={onClose} />,
              },
            ]}
          />
        </>
      }
    >
      {reason === null ? null : (
        <div className="mb-4">
          <Notice tone="warn">
            <strong>{problemWords[reason].title}.</strong> {problemWords[reason].todo}
          </Notice>
        </div>
      )}
      <Facts facts={factsOf(row)} />
      {row.refunds.length === 0 ? null : <Refunds listed={row} />}
    </Drawer>
  );
}

function factsOf({ topup, account }: ListedTopup): readonly Fact[] {
  const money = (amount: string) => <Money amount={amount} currency={topup.currency} />;
  return [
    { name: t`Account`, value: <AccountLink id={account.id}>{account.username}</AccountLink> },
    { name: t`Status`, value: <TopupStatusBadge topup={topup} /> },
    { name: t`Amount`, value: money(topup.amount) },
    { name: t`Payment method`, value: topupMethodWord(topup.method) },
    ...(topup.credited_at === null ? [] : [{ name: t`Credited`, value: <Time at={topup.credited_at} /> }]),
    ...(toCents(topup.refunded) === 0n ? [] : [{ name: t`Refunded`, value: money(topup.refunded) }]),
    ...(toCents(topup.disputed) === 0n ? [] : [{ name: t`Disputed`, value: money(topup.disputed) }]),
    ...(topup.reference === null
      ? []
      : [
          {
            name: topup.method === 'card' ? t`Provider’s ID` : t`Payment reference`,
            value: <Copied text={topup.reference} label={t`Copy payment reference`} />,
          },
        ]),
  ];
}

const refundWord = wordOf({
  new: t`The provider hasn’t answered yet`,
  sent: t`Sent back to the card`,
  failed: t`Refused by the provider`,
  by_hand: t`Transfer it yourself`,
});

function Refunds({ listed: { topup, refunds } }: { readonly listed: ListedTopup }) {
  return (
    <section aria-labelledby="refunds" className="mt-5">
      <h3 id="refunds" className="mb-2 font-medium">
        {t`Refunds`}
      </h3>
      <ul className="flex flex-col gap-3">
        {refunds.map(({ amount, status, reason, created_at: at }) => (
          <li key={`${at} ${amount} ${status}`} className="flex justify-between gap-3">
            <div className="min-w-0">
              <div>{refundWord(status)}</div>
              <div className="text-xs wrap-anywhere text-soft">
                <Time at={at} /> {reason === null ? null : <bdi>{reason}</bdi>}
              </div>
            </div>
            <Money amount={amount} currency={topup.currency} />
          </li>
        ))}
      </ul>
    </section>
  );
}
