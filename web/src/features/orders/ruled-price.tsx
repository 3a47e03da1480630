// The price of an order or a preview, and the rule that set it unless it is the group's price.

import type { Order } from '../../api/shapes.ts';
import { priceRuleWords } from '../../text/price-rule.ts';
import { Money } from '../../ui/money.tsx';

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
