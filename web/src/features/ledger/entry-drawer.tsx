import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { orderQuery } from '../../api/queries.ts';
import type { LedgerEntry, Order, PanelLedgerEntry } from '../../api/shapes.ts';
import { language } from '../../text/language.ts';
import { formatSeriesDate } from '../../text/times.ts';
import { entryKindWord, orderKindWord, periodWord } from '../../text/words.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { Money } from '../../ui/money.tsx';
import type { OpenRow } from '../../ui/open-row.ts';
import { CustomerLink, OrderLink } from '../../ui/page-links.tsx';
import { priceRuleWords } from '../../ui/ruled-price.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { Time } from '../../ui/time.tsx';

interface EntryDrawerProps {
  readonly open: OpenRow<PanelLedgerEntry>;
  /** null means the signed-in account. */
  readonly accountId: number | null;
}

export default function EntryDrawer({ open, accountId }: EntryDrawerProps) {
  const { row: entry } = open;
  const orderId = entry?.order_id ?? null;
  const { data } = useQuery({ ...orderQuery(String(orderId), accountId), enabled: orderId !== null });
  if (entry === undefined) return null;
  return (
    <Drawer
      title={`${entryKindWord(entry.kind)} ${entry.number}`}
      description={<Time at={entry.created_at} />}
      opened={open}
      actions={
        hasReceipt(entry) ? (
          <ReceiptButton entry={entry} isOwn={accountId === null} />
        ) : orderId === null ? undefined : (
          <ButtonLink
            to={accountId === null ? '/orders/$orderId' : '/admin/orders/$orderId'}
            params={{ orderId: String(orderId) }}
          >
            {t`Open order`}
          </ButtonLink>
        )
      }
    >
      {/* The facts box clips overflow, so it must not shrink. */}
      <div className="shrink-0">
        <Facts
          facts={[
            ...factsOf(entry, orderId === null ? null : data?.order, accountId === null),
            ...(accountId === null ? counterFacts(entry, data?.entries ?? []) : []),
          ]}
        />
      </div>
    </Drawer>
  );
}

/** The other entries of the same order: the refund of a charge, or the charge that was refunded. */
function counterFacts({ id, order_id: orderId }: PanelLedgerEntry, entries: readonly LedgerEntry[]): Fact[] {
  return entries
    .filter((other) => other.id !== id)
    .map((other) => ({
      name: `${entryKindWord(other.kind)} ${other.number}`,
      value: (
        <TextLink to="/ledger" search={{ order_id: String(orderId), open: String(other.id) }}>
          <Money amount={other.amount} currency={other.currency} signed />
        </TextLink>
      ),
    }));
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

/** `order` is what was bought: undefined while it loads, null if the entry has none. */
function factsOf(entry: PanelLedgerEntry, order: Order | null | undefined, isOwn: boolean): Fact[] {
  const { amount, balance_after: after, currency, order_id: orderId, actor, memo } = entry;
  const { customer, customer_name: name, customer_id: customerId } = entry;
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
  if (order !== null) facts.push(...boughtFacts(order, entry.kind));
  if (customerId !== null) {
    facts.push({
      name: t`Customer`,
      value: (
        <CustomerLink id={customerId} isOperator={!isOwn}>
          {name || customer}
        </CustomerLink>
      ),
    });
  }
  if (actor !== null) facts.push({ name: t`By`, value: <bdi>{actor}</bdi> });
  if (memo !== null && memo !== '') facts.push({ name: t`Note`, value: <bdi>{memo}</bdi> });
  if (isOwn) {
    const month = entry.created_at.slice(0, 7);
    facts.push({
      name: t`Statement`,
      value: (
        <TextLink to="/ledger" search={{ month }}>
          {formatSeriesDate(month, 'long')}
        </TextLink>
      ),
    });
  }
  return facts;
}

function boughtFacts(order: Order | undefined, kind: string): Fact[] {
  const rule = order === undefined || kind !== 'charge' ? null : priceRuleWords(order);
  return [
    {
      name: t`Bought`,
      value: order && (
        <>
          <bdi>{order.package.name}</bdi>, {periodWord(order.months)}
        </>
      ),
    },
    { name: t`Type`, value: order && orderKindWord(order.kind) },
    ...(rule === null ? [] : [{ name: t`Price`, value: rule }]),
  ];
}
