import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { orderQuery } from '../../api/queries.ts';
import type { PanelLedgerEntry } from '../../api/shapes.ts';
import { language } from '../../text/language.ts';
import { entryKindWord } from '../../text/words.ts';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { CustomerLink, OrderLink } from '../../ui/page-links.tsx';
import { priceRuleWords } from '../../ui/ruled-price.tsx';
import { Time } from '../../ui/time.tsx';

interface EntryDrawerProps {
  readonly open: OpenRow<PanelLedgerEntry>;
  /** null means the signed-in account. */
  readonly accountId: number | null;
}

export default function EntryDrawer({ open, accountId }: EntryDrawerProps) {
  const { row: entry } = open;
  const orderId = entry?.kind === 'charge' ? entry.order_id : null;
  const { data } = useQuery({ ...orderQuery(String(orderId), accountId), enabled: orderId !== null });
  const rule = orderId === null || data === undefined ? null : priceRuleWords(data.order);
  if (entry === undefined) return null;
  return (
    <Drawer
      title={`${entryKindWord(entry.kind)} ${entry.number}`}
      description={<Time at={entry.created_at} style="second" />}
      opened={open}
      actions={hasReceipt(entry) ? <ReceiptButton entry={entry} isOwn={accountId === null} /> : undefined}
    >
      <Facts facts={factsOf(entry, rule, accountId === null)} />
    </Drawer>
  );
}

function hasReceipt({ kind }: PanelLedgerEntry): boolean {
  return kind === 'credit' || kind === 'debit';
}

interface ReceiptButtonProps {
  readonly entry: PanelLedgerEntry;
  readonly isOwn: boolean;
}

function ReceiptButton({ entry: { id, kind }, isOwn }: ReceiptButtonProps) {
  return (
    <DownloadButton
      icon={FileText}
      path={`${isOwn ? '' : '/admin'}/ledger/${id}/receipt.pdf`}
      query={{ language }}
      file={`receipt-${id}.pdf`}
    >
      {kind === 'credit' ? t`Receipt as PDF` : t`Debit note as PDF`}
    </DownloadButton>
  );
}

function factsOf(entry: PanelLedgerEntry, rule: string | null, isOwn: boolean): Fact[] {
  const { amount, balance_after: after, currency, order_id: orderId, actor, memo } = entry;
  const { customer, customer_id: customerId } = entry;
  const facts: Fact[] = [
    { name: t`Amount`, value: <Money amount={amount} currency={currency} signed className="font-medium" /> },
    { name: t`Balance after`, value: <Money amount={after} currency={currency} /> },
  ];
  if (orderId !== null) {
    facts.push({
      name: t`Order`,
      value: (
        <OrderLink id={orderId} isOperator={!isOwn}>
          {String(orderId)}
        </OrderLink>
      ),
    });
  }
  if (rule !== null) facts.push({ name: t`Price`, value: rule });
  if (customerId !== null) {
    facts.push({
      name: t`Customer`,
      value: (
        <CustomerLink id={customerId} isOperator={!isOwn}>
          {customer}
        </CustomerLink>
      ),
    });
  }
  if (actor !== null) facts.push({ name: t`By`, value: <bdi>{actor}</bdi> });
  if (memo !== null && memo !== '') facts.push({ name: t`Note`, value: <bdi>{memo}</bdi> });
  return facts;
}
