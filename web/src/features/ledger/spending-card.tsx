// Spending by package or kind, compared with the previous period and linked to the orders. Used by both overviews.

import { t } from '@lingui/core/macro';
import { PackageOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SpendingRow, Totals } from '../../api/shapes.ts';
import { formatMoney, fromCents, sumAmounts, toCents } from '../../text/amounts.ts';
import { changeShare } from '../../text/change-share.ts';
import { formatChange } from '../../text/language.ts';
import { spendingKindWord } from '../../text/words.ts';
import { Card } from '../../ui/card.tsx';
import { Choice } from '../../ui/choice.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { figures } from '../../ui/figures.tsx';
import { Money } from '../../ui/money.tsx';
import type { Span } from './series-card.tsx';

export type SpendingView = 'package' | 'kind';

/** One package with all kinds of orders, or one kind with all packages. */
export interface SpendingGroup {
  readonly key: string;
  readonly name: string;
  readonly orders: number;
  readonly spent: string;
  readonly before: string;
  readonly parts: readonly SpendingRow[];
}

interface SpendingCardProps {
  readonly title: string;
  /** null while the service computes it, undefined while it loads. */
  readonly spending: readonly SpendingRow[] | null | undefined;
  readonly totals: Totals | undefined;
  readonly error: Error | null;
  readonly currency: string;
  readonly span: Span;
  readonly moneyName?: string;
  readonly by: SpendingView;
  readonly onBy: (by: SpendingView) => void;
  readonly outdated: boolean;
  readonly link: (group: SpendingGroup) => ReactNode;
}

export function SpendingCard(props: SpendingCardProps) {
  const { title, spending, totals, error, currency, span, by, outdated, link, moneyName = t`Spent` } = props;
  const groups = spending === null || spending === undefined ? spending : groupsOf(spending, by);
  const money = (amount: string) => <Money amount={amount} currency={currency} />;
  const isCompared = totals !== undefined && shareOf(totals) !== null;
  const compared: readonly Column<SpendingGroup>[] = [
    { title: t`Before`, align: 'end', from: 'sm', cell: ({ before }) => money(before) },
    {
      title: t`Change`,
      align: 'end',
      from: 'sm',
      cell: (group) => <span className="figures whitespace-nowrap">{changeWords(group, currency)}</span>,
    },
  ];
  const columns: readonly Column<SpendingGroup>[] = [
    {
      title: by === 'package' ? t`Package` : t`Type`,
      grows: true,
      cell: (group) => (
        <div className="min-w-0 py-0.5 leading-snug">
          <div className="truncate">{link(group)}</div>
          <div className="text-xs text-soft">{partWords(group, by, currency)}</div>
        </div>
      ),
    },
    { title: t`Orders`, align: 'end', from: 'sm', cell: ({ orders }) => figures(orders) },
    { title: moneyName, align: 'end', cell: ({ spent }) => money(spent) },
    ...(isCompared ? compared : []),
  ];
  return (
    <Card
      title={title}
      description={totals === undefined ? undefined : totalWords(totals, span, currency)}
      action={
        <Choice
          label={t`Group by`}
          value={by}
          options={[
            { value: 'package', title: t`Package` },
            { value: 'kind', title: t`Type` },
          ]}
          onChoose={props.onBy}
        />
      }
      lined
    >
      {groups === null ? (
        <EmptyState icon={PackageOpen} title={t`Calculating`}>
          {t`Past orders are being totaled by package and type. This takes a few minutes, once.`}
        </EmptyState>
      ) : (
        <DataTable
          caption={by === 'package' ? t`Spending by package` : t`Spending by order type`}
          columns={columns}
          rows={groups}
          rowKey={({ key }) => key}
          error={error}
          outdated={outdated}
          phone={(group) =>
            isCompared
              ? t`Before ${formatMoney(group.before, currency)}; ${changeWords(group, currency)}`
              : ''
          }
          empty={<EmptyState icon={PackageOpen} title={t`No orders in this period`} />}
        />
      )}
    </Card>
  );
}

function groupsOf(spending: readonly SpendingRow[], by: SpendingView): SpendingGroup[] {
  const keyOf = (row: SpendingRow) => (by === 'package' ? String(row.package.id) : row.kind);
  const groups = [...Map.groupBy(spending, keyOf)].map(([key, parts]) => ({
    key,
    name: by === 'kind' ? spendingKindWord(key) : (parts[0]?.package.name ?? ''),
    orders: parts.reduce((sum, { orders }) => sum + orders, 0),
    spent: sumAmounts(parts.map(({ spent }) => spent)),
    before: sumAmounts(parts.map(({ previous }) => previous.spent)),
    parts,
  }));
  return groups.sort((one, other) => Number(toCents(other.spent) - toCents(one.spent)));
}

/** Such as "New $120.00 · Renewal $300.00". */
function partWords({ parts }: SpendingGroup, by: SpendingView, currency: string): string {
  return parts
    .filter(({ spent }) => toCents(spent) !== 0n)
    .map(
      ({ kind, package: { name }, spent }) =>
        `${by === 'package' ? spendingKindWord(kind) : name} ${formatMoney(spent, currency)}`,
    )
    .join(' · ');
}

function changeWords({ spent, before }: Pick<SpendingGroup, 'spent' | 'before'>, currency: string): string {
  const [now, then] = [toCents(spent), toCents(before)];
  const inMoney = formatMoney(fromCents(now - then), currency, true);
  const share = changeShare(now, then);
  return share === null ? inMoney : `${inMoney} (${formatChange(share)})`;
}

function shareOf({ spent, previous }: Totals): number | null {
  return changeShare(toCents(spent), toCents(previous.spent));
}

function totalWords(totals: Totals, span: Span, currency: string): string {
  const { spent, previous } = totals;
  if (shareOf(totals) === null) {
    const now = formatMoney(spent, currency);
    return span === 'days' ? t`${now} in the last 30 days.` : t`${now} in the last 12 months.`;
  }
  const before = formatMoney(previous.spent, currency);
  const change = changeWords({ spent, before: previous.spent }, currency);
  return span === 'days'
    ? t`${before} in the 30 days before: ${change}.`
    : t`${before} in the 12 months before: ${change}.`;
}
