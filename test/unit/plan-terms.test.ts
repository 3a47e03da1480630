// Plan arithmetic (src/features/order-engine/records/plan-terms.ts) on examples that can be checked with a calendar.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  extendPlan,
  isRunning,
  isTooLong,
  type Plan,
  startPlan,
  startTrial,
  unusedCents,
} from '../../src/features/order-engine/records/plan-terms.ts';

const day = 86_400;

describe('a run of renewals keeps the day of its anchor', () => {
  const table: [anchor: string, months: number[], ends: string[]][] = [
    [
      '2026-01-31T12:00:00Z',
      [1, 1, 1],
      ['2026-02-28T12:00:00Z', '2026-03-31T12:00:00Z', '2026-04-30T12:00:00Z'],
    ],
    ['2028-01-31T00:00:00Z', [1, 1], ['2028-02-29T00:00:00Z', '2028-03-31T00:00:00Z']],
    [
      '2028-02-29T23:59:59Z',
      [12, 12, 12, 12],
      ['2029-02-28T23:59:59Z', '2030-02-28T23:59:59Z', '2031-02-28T23:59:59Z', '2032-02-29T23:59:59Z'],
    ],
    ['2027-11-30T06:00:00Z', [3, 1], ['2028-02-29T06:00:00Z', '2028-03-30T06:00:00Z']],
    [
      '2026-12-31T23:59:59Z',
      [1, 1, 12],
      ['2027-01-31T23:59:59Z', '2027-02-28T23:59:59Z', '2028-02-29T23:59:59Z'],
    ],
  ];
  for (const [anchor, months, ends] of table) {
    test(`${anchor} and ${months.join(' + ')} months`, () => {
      const [first = 1, ...others] = months;
      let plan = startPlan(1, first, 100n, at(anchor));
      const found = [iso(plan.expiresAt)];
      for (const more of others) {
        plan = extendPlan(plan, more, 100n, at(anchor));
        found.push(iso(plan.expiresAt));
      }
      assert.deepEqual(found, ends);
      assert.equal(plan.anchorAt, at(anchor));
      assert.equal(
        plan.monthsRun,
        months.reduce((sum, one) => sum + one),
      );
    });
  }

  test('twelve months one by one, however late each comes, end with the year', () => {
    const anchor = at('2027-08-31T10:00:00Z');
    let plan = startPlan(1, 1, 1000n, anchor);
    for (let count = 1; count < 12; count += 1) plan = extendPlan(plan, 1, 1000n, plan.expiresAt - 1);
    assert.equal(plan.expiresAt, startPlan(1, 12, 9600n, anchor).expiresAt);
  });
});

test('a plan runs up to the second of its expiry, without it', () => {
  const plan = startPlan(1, 1, 100n, at('2026-01-15T12:00:00Z'));
  const end = at('2026-02-15T12:00:00Z');
  assert.deepEqual(
    [end - 1, end, end + 1].map((now) => isRunning(plan, now)),
    [true, false, false],
  );
});

describe('ten years ahead is as far as a plan may reach', () => {
  const table: [now: string, anchor: string, months: number, tooLong: boolean][] = [
    ['2026-01-15T12:00:00Z', '2026-01-15T12:00:00Z', 120, false],
    ['2026-01-15T12:00:00Z', '2026-01-15T12:00:01Z', 120, true],
    ['2026-01-15T12:00:01Z', '2026-01-15T12:00:01Z', 121, true],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z', 120, false],
    ['2027-02-15T12:00:00Z', '2026-01-15T12:00:00Z', 132, false],
    ['2027-01-15T11:59:59Z', '2026-01-15T12:00:00Z', 132, true],
  ];
  for (const [now, anchor, months, tooLong] of table) {
    test(`at ${now} a run of ${months} months from ${anchor} is ${tooLong ? '' : 'not '}too long`, () => {
      assert.equal(isTooLong(startPlan(1, months, 0n, at(anchor)), at(now)), tooLong);
    });
  }
});

describe('what unused time is worth', () => {
  const start = at('2026-01-01T00:00:00Z');
  // 31 days for 10.00, followed by 28 days for 7.00.
  const plan = extendPlan(startPlan(1, 1, 1000n, start), 1, 700n, start);
  const table: [after: number, cents: bigint][] = [
    [0, 1700n],
    [1, 1699n], // 999.9996… is 999
    [15 * day, 1216n], // 1000 × 16 ÷ 31 = 516.1
    [31 * day - 1, 700n], // one second of 2,678,400 is worth less than a cent
    [31 * day, 700n],
    [31 * day + 1, 699n],
    [45 * day, 350n],
    [59 * day - 1, 0n],
    [59 * day, 0n],
    [400 * day, 0n],
    [-day, 1700n], // if the clock is set back, not more than was paid
  ];
  for (const [after, cents] of table) {
    test(`${after} seconds after its start it is ${cents} cents`, () =>
      assert.equal(unusedCents(plan, start + after), cents));
  }

  test('each period is rounded down by itself', () => {
    // No period is partly used: the first is over, and the second and third have not begun.
    const three = [1, 1].reduce((run) => extendPlan(run, 1, 333n, start), startPlan(1, 1, 333n, start));
    assert.equal(unusedCents(three, start + 31 * day), 666n);
    assert.equal(unusedCents(three, start + 10 * day), 666n + (333n * 21n) / 31n);
  });

  test('amounts far beyond 2^53 are exact', () => {
    const dear = startPlan(1, 1, 10n ** 18n + 1n, start);
    assert.equal(unusedCents(dear, start + 1), ((10n ** 18n + 1n) * (31n * 86_400n - 1n)) / (31n * 86_400n));
  });

  test('a free trial is worth nothing, and lasts whole days', () => {
    const trial = startTrial(9, 14, start);
    assert.equal(trial.expiresAt, start + 14 * day);
    assert.equal(unusedCents(trial, start), 0n);
  });
});

test('extending forgets the periods that are over, and only those', () => {
  const start = at('2026-01-01T00:00:00Z');
  const two = extendPlan(startPlan(1, 1, 10n, start), 1, 20n, start);
  const paidOf = (plan: Plan) => plan.paidPeriods.map(({ paidCents }) => paidCents);
  assert.deepEqual(paidOf(extendPlan(two, 1, 30n, start + 31 * day - 1)), [10n, 20n, 30n]);
  assert.deepEqual(paidOf(extendPlan(two, 1, 30n, start + 31 * day)), [20n, 30n]);
  assert.deepEqual(paidOf(two), [10n, 20n], 'the plan that was extended is as it was');
});

function at(text: string): number {
  return Date.parse(text) / 1000;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}
