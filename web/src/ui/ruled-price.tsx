// Shows the price of an order or a preview, and the rule that set it unless it is the group's price.

import { t } from '@lingui/core/macro';
import type { Order } from '../api/shapes.ts';
import { numberLocale } from '../text/language.ts';
import { formatTime } from '../text/times.ts';
import { Money } from './money.tsx';

interface RuledPriceProps {
  readonly of: Pick<Order, 'price' | 'currency' | 'price_rule' | 'price_from' | 'percent_off'>;
}

export function RuledPrice({ of }: RuledPriceProps) {
  const words = priceRuleWords(of);
  const price = <Money amount={of.price} currency={of.currency} />;
  if (words === null) return price;
  return (
    <span className="block text-right">
      {price}
      <span className="block text-xs text-soft">{words}</span>
    </span>
  );
}

type Ruled = Pick<Order, 'price_rule' | 'price_from' | 'percent_off'>;

/** Returns null for the price of the group, and for rules that these pages do not know. */
export function priceRuleWords({
  price_rule: rule,
  price_from: from,
  percent_off: off,
}: Ruled): string | null {
  if (from === undefined) return null;
  const day = formatTime(from, 'day', 0);
  if (rule === 'held') return t`Held price (since ${day})`;
  if (rule !== 'account') return null;
  return off === undefined
    ? t`Account price of ${day}`
    : t`Account price of ${day} (${formatPercent(off)} off)`;
}

const percents = new Intl.NumberFormat(numberLocale, { style: 'percent', maximumFractionDigits: 2 });

export function formatPercent(percent: string): string {
  return percents.format(Number(percent) / 100);
}
