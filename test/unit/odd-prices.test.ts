// Which scheduled prices lead to a question: likely typing errors do, usual changes do not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CentsByGroup, oddities, priceChanges } from '../../web/src/features/packages/odd-prices.ts';

const before: CentsByGroup = {
  reseller: { monthly: 1_000n, quarterly: 2_700n, yearly: 9_600n },
  distributor: { monthly: 800n, quarterly: 2_160n, yearly: 7_200n },
};
const withReseller = (prices: Partial<CentsByGroup['reseller']>): CentsByGroup => ({
  ...before,
  reseller: { ...before.reseller, ...prices },
});
const words = (after: CentsByGroup, old: CentsByGroup | null = before) =>
  oddities(old, after).map((odd) => `${'group' in odd ? `${odd.group} ` : ''}${odd.period} ${odd.type}`);

test('usual changes are not odd: a fifth more, half off, half as much again, and what stays', () => {
  assert.deepEqual(words(before), []);
  assert.deepEqual(words(withReseller({ monthly: 1_200n })), []);
  assert.deepEqual(words(withReseller({ monthly: 1_500n, quarterly: 4_050n, yearly: 14_400n })), []);
  assert.deepEqual(
    words({ ...before, distributor: { monthly: 400n, quarterly: 1_080n, yearly: 3_600n } }),
    [],
  );
});

const odd: readonly (readonly [title: string, after: CentsByGroup, expected: readonly string[]])[] = [
  [
    'a price of nothing',
    { ...before, distributor: { ...before.distributor, yearly: 0n } },
    ['distributor yearly free'],
  ],
  [
    'a cent more than half as much again',
    withReseller({ yearly: 14_401n }),
    ['reseller yearly leap', 'reseller yearly longer_dearer'],
  ],
  [
    'a cent less than half',
    { ...before, distributor: { ...before.distributor, yearly: 3_599n } },
    ['distributor yearly leap'],
  ],
  [
    'a reseller’s price below the distributor’s',
    withReseller({ monthly: 799n }),
    ['monthly distributor_dearer', 'reseller quarterly longer_dearer', 'reseller yearly longer_dearer'],
  ],
  ['a year dearer than twelve months', withReseller({ yearly: 12_001n }), ['reseller yearly longer_dearer']],
];

for (const [title, after, expected] of odd) {
  test(`${title} is odd`, () => assert.deepEqual(words(after), expected));
}

test('what was odd before and does not change is not asked about again', () => {
  const odder = withReseller({ yearly: 13_000n });
  assert.deepEqual(words({ ...odder, distributor: { ...before.distributor, monthly: 750n } }, odder), []);
});

test('of a new package nothing leaps, and the rest is said all the same', () => {
  assert.deepEqual(words(withReseller({ monthly: 0n }), null), [
    'reseller monthly free',
    'monthly distributor_dearer',
    'reseller quarterly longer_dearer',
    'reseller yearly longer_dearer',
  ]);
});

test('changes are named price by price, with what was before', () => {
  assert.deepEqual(priceChanges(before, withReseller({ quarterly: 3_000n })), [
    { group: 'reseller', period: 'quarterly', before: 2_700n, after: 3_000n },
  ]);
});
