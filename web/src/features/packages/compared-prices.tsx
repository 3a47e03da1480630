// Shows what an account pays for a package beside its group's price, one line per period.

import { t } from '@lingui/core/macro';
import type { ComparedPrice } from '../../api/shapes.ts';
import { formatMoney, toCents } from '../../text/amounts.ts';
import { numberLocale } from '../../text/language.ts';
import { periodWord } from '../../text/words.ts';
import { Money } from '../../ui/money.tsx';

interface ComparedPricesProps {
  readonly prices: readonly ComparedPrice[];
  readonly currency: string;
}

export function ComparedPrices({ prices, currency }: ComparedPricesProps) {
  return (
    <dl className="inline-grid grid-cols-[auto_auto_auto] gap-x-3 py-1 text-left text-xs leading-5 whitespace-nowrap text-soft">
      {prices.map((one) => {
        const group = formatMoney(one.group_price, currency);
        return (
          <div key={one.months} className="contents">
            <dt>{periodWord(one.months)}</dt>
            <dd className="text-right text-ink">
              <Money amount={one.price} currency={currency} />
            </dd>
            <dd>
              {one.price_rule === 'group' ? t`Group price` : t`Group ${group}`}
              {changeWords(toCents(one.price), toCents(one.group_price))}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const percents = new Intl.NumberFormat(numberLocale, {
  style: 'percent',
  signDisplay: 'exceptZero',
  maximumFractionDigits: 1,
});

/** Formats the difference, for example " (−12.5%)". Returns no text if there is nothing to compare. */
export function changeWords(price: bigint, ofGroup: bigint): string {
  if (price === ofGroup || ofGroup === 0n) return '';
  return ` (${percents.format(Number(price - ofGroup) / Number(ofGroup)).replace('-', '−')})`;
}
