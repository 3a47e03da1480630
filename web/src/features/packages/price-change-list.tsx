// Old and new prices side by side, with warnings, before saving.

import { t } from '@lingui/core/macro';
import { ArrowRight } from 'lucide-react';
import type { AdminPackage, Group, PeriodName, ScheduledPrices } from '../../api/shapes.ts';
import { formatMoney, fromCents, toCents } from '../../text/amounts.ts';
import { formatChange } from '../../text/language.ts';
import { groupWord, periods } from '../../text/words.ts';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type CentsByGroup, type Oddity, oddities, type PriceChange, priceChanges } from './odd-prices.ts';

type Prices = AdminPackage['prices'];

interface PriceChangeListProps {
  readonly before: Prices | null;
  readonly after: Prices;
  readonly currency: string;
}

export function PriceChangeList({ before, after, currency }: PriceChangeListProps) {
  const [old, next] = [before && centsOf(before), centsOf(after)];
  const changes = priceChanges(old, next);
  const odd = oddities(old, next);
  return (
    <div aria-live="polite" className="flex flex-col gap-3 empty:hidden">
      {changes.length === 0 || old === null ? null : (
        <ul aria-label={t`What changes`} className="max-w-2xl">
          {changes.map((change) => (
            <li
              key={`${change.group} ${change.period}`}
              className="flex flex-wrap items-baseline justify-between gap-x-4 border-t border-line py-1.5"
            >
              <span>{whose(change)}</span>
              <PriceStep change={change} currency={currency} />
            </li>
          ))}
        </ul>
      )}
      {odd.length === 0 ? null : (
        <Notice tone="warn">
          <p className="font-medium">{t`Double-check these prices`}</p>
          <ul className="list-disc pl-4">
            {odd.map((one) => {
              const words = oddWords(one, currency);
              return <li key={words}>{words}</li>;
            })}
          </ul>
        </Notice>
      )}
    </div>
  );
}

interface PriceStepProps {
  readonly change: Pick<PriceChange, 'before' | 'after'>;
  readonly currency: string;
}

/** For example "$10.00 → $12.00 +20%". */
export function PriceStep({ change: { before, after }, currency }: PriceStepProps) {
  if (before === null) return <Money amount={fromCents(after)} currency={currency} />;
  return (
    <span className="figures inline-flex flex-wrap items-baseline gap-x-1.5 whitespace-nowrap">
      <span className="text-soft">
        <span className="sr-only">{t`Before`} </span>
        <Money amount={fromCents(before)} currency={currency} />
      </span>
      <ArrowRight aria-hidden="true" className="size-3.5 self-center text-soft" />
      <span>
        <span className="sr-only">{t`After`} </span>
        <Money amount={fromCents(after)} currency={currency} className="font-medium" />
      </span>
      {before === 0n ? null : (
        <span className="text-xs text-soft">{formatChange(Number(after - before) / Number(before))}</span>
      )}
    </span>
  );
}

export function isOdd(before: Prices | null, after: Prices): boolean {
  return oddities(before && centsOf(before), centsOf(after)).length > 0;
}

export function withNamed(prices: Prices, named: ScheduledPrices['prices']): Prices {
  return {
    reseller: { ...prices.reseller, ...named.reseller },
    distributor: { ...prices.distributor, ...named.distributor },
  };
}

function centsOf(prices: Prices): CentsByGroup {
  const ofGroup = ({ monthly, quarterly, yearly }: Prices[Group]) => ({
    monthly: toCents(monthly),
    quarterly: toCents(quarterly),
    yearly: toCents(yearly),
  });
  return { reseller: ofGroup(prices.reseller), distributor: ofGroup(prices.distributor) };
}

function titleOf(period: PeriodName): string {
  return periods.find((one) => one.period === period)?.title ?? period;
}

function whose({ group, period }: { readonly group: Group; readonly period: PeriodName }): string {
  return `${groupWord(group)}, ${titleOf(period).toLowerCase()}`;
}

function oddWords(oddity: Oddity, currency: string): string {
  const money = (cents: bigint) => formatMoney(fromCents(cents), currency);
  switch (oddity.type) {
    case 'free':
      return t`${whose(oddity)}: would be free.`;
    case 'leap': {
      const change = formatChange(oddity.share);
      return oddity.share < 0
        ? t`${whose(oddity)}: less than half of the current price (${change}).`
        : t`${whose(oddity)}: more than 50% higher than the current price (${change}).`;
    }
    case 'distributor_dearer':
      return t`${titleOf(oddity.period)}: distributors would pay ${money(oddity.distributor)}, more than resellers (${money(oddity.reseller)}).`;
    case 'longer_dearer':
      return t`${whose(oddity)}: ${money(oddity.price)} is more than the same months paid monthly (${money(oddity.byMonth)}).`;
    default:
      return oddity satisfies never;
  }
}
