// Warns about prices of an account that are far from those of its group.

import { plural, t } from '@lingui/core/macro';
import type { PeriodName } from '../../api/shapes.ts';
import { formatMoney, fromCents } from '../../text/amounts.ts';
import { periods } from '../../text/words.ts';
import { classNames } from '../../ui/class-names.ts';
import { Notice } from '../../ui/notice.tsx';
import { changeWords } from '../packages/compared-prices.tsx';
import { distanceOf } from './own-prices.ts';

export interface OwnPrice {
  readonly packageName: string;
  readonly period: PeriodName;
  readonly price: bigint;
  readonly ofGroup: bigint;
}

const shownMax = 6;

interface DistantPricesProps {
  readonly prices: readonly OwnPrice[];
  readonly currency: string;
  readonly className?: string;
}

export function DistantPrices({ prices, currency, className }: DistantPricesProps) {
  const found = distantPrices(prices);
  const more = found.length - shownMax;
  return (
    <div aria-live="polite" className={classNames('empty:hidden', className)}>
      {found.length === 0 ? null : (
        <Notice tone="warn">
          <p className="font-medium">{t`Double-check these prices`}</p>
          <ul className="list-disc pl-4">
            {found.slice(0, shownMax).map((one) => (
              <li key={`${one.packageName} ${one.period}`}>{wordsOf(one, currency)}</li>
            ))}
            {more > 0 ? <li>{plural(more, { one: '# more price', other: '# more prices' })}</li> : null}
          </ul>
        </Notice>
      )}
    </div>
  );
}

export function distantPrices(prices: readonly OwnPrice[]): readonly OwnPrice[] {
  return prices.filter(({ price, ofGroup }) => distanceOf(price, ofGroup) !== null);
}

function wordsOf({ packageName, period, price, ofGroup }: OwnPrice, currency: string): string {
  const title = periods.find((one) => one.period === period)?.title.toLowerCase() ?? period;
  const what = `${packageName}, ${title}`;
  const group = formatMoney(fromCents(ofGroup), currency);
  if (price === 0n) return t`${what}: free. The group pays ${group}.`;
  const own = formatMoney(fromCents(price), currency);
  const change = changeWords(price, ofGroup);
  return price < ofGroup
    ? t`${what}: ${own} is less than half of the group’s ${group}${change}.`
    : t`${what}: ${own} is more than one and a half times the group’s ${group}${change}.`;
}
