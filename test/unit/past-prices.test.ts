// Which prices may have applied around a second, by a package's audit log, with scheduled, deleted and unlogged changes.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceTable } from '../../src/features/packages/price-lines.ts';
import type { Terms } from '../../src/features/verification/package-terms.ts';
import { createPast } from '../../src/features/verification/past-packages.ts';
import { type PackageEntry, withScheduled } from '../../src/features/verification/past-prices.ts';
import { periodNames } from '../../src/shared/periods.ts';

const day = 86_400;
const slackSeconds = 300;
const basic = 1;

/** Monthly and yearly prices for resellers. All other prices are 5. */
const terms = (monthly: number, yearly = 100): Terms => ({
  isTrial: false,
  retired: false,
  durationDays: 30,
  periods: periodNames,
  prices: priceTable((group, months) => {
    if (group === 'distributor') return 5n;
    return BigInt({ 1: monthly, 3: 5, 12: yearly }[months]);
  }),
});
const created: PackageEntry = { kind: 'changed', at: 0, before: null, after: terms(10) };
const changed = (days: number, before: Terms, after: Terms): PackageEntry => ({
  kind: 'changed',
  at: days * day,
  before,
  after,
});
const scheduled = (days: number, fromDays: number, monthly: number): PackageEntry => ({
  kind: 'scheduled',
  at: days * day,
  from: fromDays * day,
  prices: { reseller: { 1: BigInt(monthly) } },
});
const deleted = (at: number, fromDays: number, monthly: number): PackageEntry => ({
  kind: 'deleted',
  at,
  from: fromDays * day,
  prices: { reseller: { 1: BigInt(monthly) } },
});

function around(entries: readonly PackageEntry[], present: Terms | null, at: number): string {
  const recorded = withScheduled(entries, present, slackSeconds);
  const past = createPast(new Map([[basic, { recorded, present }]]), new Map());
  const prices = new Set(past.termsAround(basic, at).map(({ prices: { reseller } }) => reseller[1]));
  return [...prices].sort((a, b) => Number(a - b)).join(' ');
}

test('a scheduled price held from its second on, the one before until then; for five minutes it may be either', () => {
  const entries = [created, scheduled(1, 10, 11), scheduled(2, 20, 12)];
  const cases: readonly (readonly [at: number, prices: string])[] = [
    [5 * day, '10'],
    [10 * day - slackSeconds - 1, '10'],
    [10 * day - slackSeconds, '10 11'],
    [10 * day + slackSeconds, '10 11'],
    [10 * day + slackSeconds + 1, '11'],
    [19 * day, '11'],
    [21 * day, '12'],
  ];
  for (const [at, prices] of cases) assert.equal(around(entries, terms(12), at), prices, `at ${at}`);
});

test('scheduled out of order, they begin in the order of their seconds, and only once', () => {
  const entries = [created, scheduled(1, 20, 12), scheduled(2, 10, 11), changed(30, terms(12), terms(13))];
  assert.equal(around(entries, terms(13), 15 * day), '11');
  assert.equal(around(entries, terms(13), 25 * day), '12');
  assert.equal(around(entries, terms(13), 31 * day), '13');
});

test('a change in between holds until the next one begins, and keeps what it did not name', () => {
  const entries = [created, scheduled(1, 10, 11), scheduled(1, 20, 12), changed(15, terms(11), terms(9, 90))];
  assert.equal(around(entries, terms(12, 90), 12 * day), '11');
  assert.equal(around(entries, terms(12, 90), 16 * day), '9');
  assert.equal(around(entries, terms(12, 90), 21 * day), '12');
  const recorded = withScheduled(entries, terms(12, 90), slackSeconds);
  assert.equal(recorded.at(-1)?.after?.prices.reseller[12], 90n);
});

test('what was deleted never held, unless a faster clock may have sold at it', () => {
  const early = [created, scheduled(1, 10, 11), deleted(5 * day, 10, 11)];
  for (const at of [5 * day, 10 * day, 11 * day]) assert.equal(around(early, terms(10), at), '10');
  const late = [created, scheduled(1, 10, 11), deleted(10 * day - slackSeconds, 10, 11)];
  assert.equal(around(late, terms(10), 10 * day), '10 11');
  assert.equal(around(late, terms(10), 11 * day), '10');
  const again = [...early, scheduled(6, 10, 14)];
  assert.equal(around(again, terms(14), 11 * day), '14');
});

test('where someone changed a price without a note, both count, before and after one that begins', () => {
  const entries = [created, scheduled(1, 10, 11)];
  assert.equal(around(entries, terms(77), 5 * day), '10');
  assert.equal(around(entries, terms(77), 11 * day), '11 77');
  const yearly = withScheduled(entries, terms(11, 77), slackSeconds).flatMap(({ before, after }) =>
    [before, after].map((state) => state?.prices.reseller[12]),
  );
  assert.deepEqual(yearly, [undefined, 100n, 77n, 100n]);
  assert.equal(around([scheduled(1, 10, 11)], terms(11), 11 * day), '11', 'a package without notes');
});
