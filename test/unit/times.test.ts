// The calendar (src/shared/times.ts), compared with examples, the database's months, and the oracle's own calendar.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addMonths as addMonthsOfOracle } from '../../proof/oracle/oracle-calendar.ts';
import { addMonths, daysLeft, formatTime, parseTime } from '../../src/shared/times.ts';
import '../harness/fixed-seed.ts';

describe('months are added from the anchor, to the last day where the month is shorter', () => {
  const table: [anchor: string, months: number, end: string][] = [
    ['2026-01-31T12:00:00Z', 0, '2026-01-31T12:00:00Z'],
    ['2026-01-31T12:00:00Z', 1, '2026-02-28T12:00:00Z'],
    ['2026-01-31T12:00:00Z', 2, '2026-03-31T12:00:00Z'],
    ['2028-01-31T12:00:00Z', 1, '2028-02-29T12:00:00Z'],
    ['2028-02-29T00:00:00Z', 12, '2029-02-28T00:00:00Z'],
    ['2028-02-29T23:59:59Z', 48, '2032-02-29T23:59:59Z'],
    ['2096-02-29T06:00:00Z', 48, '2100-02-28T06:00:00Z'],
    ['2026-12-31T23:59:59Z', 2, '2027-02-28T23:59:59Z'],
    ['2026-11-15T00:00:00Z', 3, '2027-02-15T00:00:00Z'],
    ['2026-03-31T01:30:00Z', 120, '2036-03-31T01:30:00Z'],
    ['1970-01-01T00:00:00Z', 1, '1970-02-01T00:00:00Z'],
  ];
  for (const [anchor, months, end] of table) {
    test(`${anchor} + ${months} = ${end}`, () =>
      assert.equal(formatTime(addMonths(Date.parse(anchor) / 1000, months)), end));
  }

  test('any anchor from 1970 to 2200, any number of months to 240, as the oracle counts', () => {
    const anchor = fc.integer({ min: 0, max: Date.UTC(2200, 0, 1) / 1000 });
    fc.assert(
      fc.property(anchor, fc.nat(240), (from, months) =>
        assert.equal(addMonths(from, months), addMonthsOfOracle(from, months)),
      ),
      { numRuns: 5000 },
    );
  });

  test('every month end of a leap cycle', () => {
    for (let month = 0; month < 60; month += 1) {
      const lastDay = Date.UTC(2027, month + 1, 0, 23, 59, 59) / 1000;
      for (let months = 0; months <= 24; months += 1)
        assert.equal(addMonths(lastDay, months), addMonthsOfOracle(lastDay, months));
    }
  });
});

test('times are shown in whole seconds, in UTC', () => {
  assert.equal(formatTime(0), '1970-01-01T00:00:00Z');
  assert.equal(formatTime(1_768_478_400), '2026-01-15T12:00:00Z');
  assert.equal(formatTime(Date.UTC(2028, 1, 29, 23, 59, 59) / 1000), '2028-02-29T23:59:59Z');
});

test('days left are rounded up, and 0 once the plan has expired', () => {
  const end = 1_800_000_000;
  const table: [secondsBefore: number, days: number][] = [
    [86_401, 2],
    [86_400, 1],
    [1, 1],
    [0, 0],
    [-1, 0],
    [-86_400 * 9, 0],
    [86_400 * 31, 31],
  ];
  for (const [before, days] of table) {
    const left = daysLeft(end, end - before);
    assert.equal(left, days, `${before} seconds before`);
    assert.ok(!Object.is(left, -0), 'never minus zero');
  }
});

test('a time is read as it is written, and in no other form', () => {
  for (const text of ['1970-01-01T00:00:00Z', '2028-02-29T23:59:59Z', '9999-12-31T23:59:59Z']) {
    assert.equal(formatTime(parseTime(text) ?? Number.NaN), text);
  }
  const others =
    `2027-02-29T00:00:00Z 2027-13-01T00:00:00Z 2027-01-01T24:00:00Z 2027-01-01T00:00:60Z 2027-01-01T00:00:00
    2027-01-01T00:00:00.0Z 2027-01-01T00:00:00z 2027-01-01T00:00:00+00:00 2027-01-01T00:00Z 2027-01-01 27-01-01T00:00:00Z
    +002027-01-01T00:00:00Z x`.split(/\s+/);
  for (const other of [...others, '', ' 2027-01-01T00:00:00Z', 1_798_761_600, null, undefined])
    assert.equal(parseTime(other), null, String(other));
});
