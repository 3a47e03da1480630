// Says which rule set the price of an order or a preview.

import { t } from '@lingui/core/macro';
import type { Order } from '../api/shapes.ts';
import { formatPercent } from './amounts.ts';
import { formatTime } from './times.ts';

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
