// The oracle, compared with examples worked out by hand. Date parses the expected times; the oracle does not use Date.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Oracle, OrderOutcome, Prices } from '../../proof/oracle/oracle.ts';
import { createOracle } from '../../proof/oracle/oracle.ts';
import { addMonths } from '../../proof/oracle/oracle-calendar.ts';

const shop = 1;
const rival = 2;
const wholesaler = 3;
const poor = 4;

const basic = 10;
const pro = 11;
const trial = 12;
const old = 13;
const gift = 14;

const january = at('2026-01-01T00:00:00Z');

describe('prices with a date', () => {
  const february = at('2026-02-01T00:00:00Z');
  const charged = (oracle: Oracle, now: number, months = 1, accountId = shop) =>
    accepted(order(oracle, { customer: `of-${accountId}-${now}-${months}`, now, months, accountId }))
      .priceCents;
  const schedule = (oracle: Oracle, from: number, prices: object, now = january) => {
    const outcome = oracle.schedulePrices({ packageId: basic, from, prices }, now);
    return 'code' in outcome ? outcome.code : outcome.replayed ? 'replayed' : 'scheduled';
  };

  test('an order pays the price of its second: the old one before, the new one in it, for the group and months named', () => {
    const oracle = createWorld();
    const before = [charged(oracle, january), charged(oracle, january, 3)];
    assert.equal(schedule(oracle, february, { reseller: { 1: 1_234n } }), 'scheduled');
    assert.equal(charged(oracle, february - 1), before[0]);
    assert.equal(charged(oracle, february), 1_234n);
    assert.equal(charged(oracle, february, 3), before[1]);
    assert.notEqual(charged(oracle, february, 1, wholesaler), 1_234n);
  });

  test('a renewal pays today’s price, a refund is of what was paid, the guard compares the new charge', () => {
    const oracle = createWorld();
    const noon = at('2026-01-16T12:00:00Z');
    order(oracle, {});
    const paid = accepted(order(oracle, { customer: 'bob' })).priceCents;
    schedule(oracle, noon, { reseller: { 1: 5_000n } });
    const renewed = oracle.renewOrder({ accountId: shop, orderId: '1', body: {} }, noon);
    assert.equal(accepted(renewed).priceCents, 5_000n);
    const body = { package_id: basic, customer: 'new', max_charge: '49.99' };
    assert.deepEqual(oracle.placeOrder({ accountId: shop, body }, noon), {
      code: 'price_changed',
      details: { max_charge: '49.99', charge: '50.00', currency: 'USD' },
    });
    const changed = accepted(order(oracle, { customer: 'bob', packageId: pro, now: noon }));
    assert.equal(changed.refundCents, paid / 2n);
  });

  test('a change of the prices holds over what has begun, in that very second too, and not over what comes later', () => {
    const oracle = createWorld();
    schedule(oracle, february, { reseller: { 1: 2_000n, 3: 5_000n } });
    schedule(oracle, february + 10, { reseller: { 1: 3_000n } });
    oracle.setPrices({ packageId: basic, prices: { reseller: { 1: 1_500n } } }, february - 5);
    assert.equal(charged(oracle, february - 5), 1_500n);
    assert.equal(charged(oracle, february), 2_000n);
    oracle.setPrices({ packageId: basic, prices: { reseller: { 1: 1_600n } } }, february);
    assert.equal(charged(oracle, february + 1), 1_600n);
    assert.equal(charged(oracle, february + 1, 3), 5_000n, 'what was not named stays');
    assert.equal(charged(oracle, february + 10), 3_000n);
  });

  test('what is shown as upcoming is complete, for the group, and gone in its second', () => {
    const oracle = createWorld();
    const upcomingOf = (accountId: number, now: number) =>
      oracle.packages(accountId, now).find(({ id }) => id === basic)?.upcoming;
    assert.deepEqual(upcomingOf(shop, january), []);
    schedule(oracle, february + 10, { reseller: { 12: 9_000n } });
    schedule(oracle, february, { reseller: { 1: 2_000n } });
    schedule(oracle, february + 5, { distributor: { 1: 700n } });
    const [first, second, ...more] = upcomingOf(shop, january) ?? [];
    assert.deepEqual([first?.from, second?.from, more], [february, february + 10, []]);
    assert.deepEqual([first?.prices[1], second?.prices[1], second?.prices[12]], [2_000n, 2_000n, 9_000n]);
    assert.equal(first?.prices[12], oracle.packages(shop, january)[0]?.prices[12]);
    assert.equal(upcomingOf(shop, february)?.length, 1);
    assert.equal(upcomingOf(wholesaler, january)?.length, 1);
  });

  test('only what is to come is scheduled and deleted, and a repeated request changes nothing', () => {
    const oracle = createWorld();
    const price = { reseller: { 1: 2_000n } };
    const remove = (from: number, now: number, packageId = basic) => {
      const outcome = oracle.unschedulePrices({ packageId, from }, now);
      return 'code' in outcome ? outcome.code : 'deleted';
    };
    assert.equal(schedule(oracle, january, price), 'validation_failed');
    assert.equal(schedule(oracle, february, price), 'scheduled');
    assert.equal(schedule(oracle, february, price), 'replayed');
    assert.equal(schedule(oracle, february, { reseller: { 1: 2_001n } }), 'price_already_scheduled');
    assert.equal(schedule(oracle, february, { ...price, distributor: { 1: 1n } }), 'price_already_scheduled');
    for (const packageId of [trial, old]) {
      const outcome = oracle.schedulePrices({ packageId, from: february, prices: price }, january);
      assert.equal('code' in outcome && outcome.code, 'package_unavailable');
    }
    assert.equal(remove(february, january, 999), 'package_not_found');
    assert.equal(remove(february + 1, january), 'price_not_found');
    assert.equal(remove(february, january), 'deleted');
    assert.equal(remove(february, january), 'price_not_found');
    assert.notEqual(charged(oracle, february), 2_000n);
    schedule(oracle, february, price);
    assert.equal(remove(february, february), 'price_has_begun');
    assert.equal(schedule(oracle, february, price, february + 1), 'replayed');
  });
});

describe('months are counted from the anchor', () => {
  const table: [string, number, string][] = [
    ['2026-01-31T12:00:00Z', 0, '2026-01-31T12:00:00Z'],
    ['2026-01-31T12:00:00Z', 1, '2026-02-28T12:00:00Z'],
    ['2026-01-31T12:00:00Z', 2, '2026-03-31T12:00:00Z'],
    ['2026-01-31T12:00:00Z', 3, '2026-04-30T12:00:00Z'],
    ['2026-01-31T12:00:00Z', 12, '2027-01-31T12:00:00Z'],
    ['2024-01-31T23:59:59Z', 1, '2024-02-29T23:59:59Z'],
    ['2024-02-29T00:00:00Z', 1, '2024-03-29T00:00:00Z'],
    ['2024-02-29T00:00:00Z', 12, '2025-02-28T00:00:00Z'],
    ['2024-02-29T00:00:00Z', 48, '2028-02-29T00:00:00Z'],
    ['2096-02-29T06:00:00Z', 48, '2100-02-28T06:00:00Z'],
    ['2000-02-28T06:00:00Z', 1, '2000-03-28T06:00:00Z'],
    ['2025-12-31T00:00:01Z', 2, '2026-02-28T00:00:01Z'],
    ['2025-11-30T00:00:00Z', 3, '2026-02-28T00:00:00Z'],
    ['1970-01-01T00:00:00Z', 1, '1970-02-01T00:00:00Z'],
    ['2026-05-31T08:30:00Z', 120, '2036-05-31T08:30:00Z'],
  ];
  for (const [anchor, months, end] of table) {
    test(`${anchor} + ${months} = ${end}`, () => assert.equal(iso(addMonths(at(anchor), months)), end));
  }

  test('every day from 2023 to 2029, plus 0, is itself', () => {
    for (let day = at('2023-01-01T05:06:07Z'); day < at('2029-01-01T00:00:00Z'); day += 86_400) {
      assert.equal(addMonths(day, 0), day);
    }
  });
});

describe('plans', () => {
  test('monthly orders from 31 January clamp and come back, and twelve of them end when a year ends', () => {
    const oracle = createWorld();
    const now = at('2026-01-31T12:00:00Z');
    const ends: string[] = [];
    for (let count = 0; count < 12; count += 1) ends.push(iso(accepted(order(oracle, { now })).expiresAt));
    assert.deepEqual(ends.slice(0, 4), [
      '2026-02-28T12:00:00Z',
      '2026-03-31T12:00:00Z',
      '2026-04-30T12:00:00Z',
      '2026-05-31T12:00:00Z',
    ]);
    const yearly = accepted(order(oracle, { now, customer: 'other', months: 12 }));
    assert.equal(ends[11], iso(yearly.expiresAt));
    assert.equal(ends[11], '2027-01-31T12:00:00Z');
  });

  test('kinds: activate, renew by order, change, and activate again once expired', () => {
    const oracle = createWorld();
    assert.equal(accepted(order(oracle, {})).kind, 'activate');
    assert.equal(accepted(order(oracle, { now: january + 5 })).kind, 'renew');
    assert.equal(accepted(order(oracle, { now: january + 9, packageId: pro })).kind, 'change');
    // The change began a full new month at 00:00:09. In its very last second the plan still runs.
    const end = at('2026-02-01T00:00:09Z');
    assert.equal(accepted(order(oracle, { now: end - 1, packageId: pro })).kind, 'renew');
    const later = at('2026-03-01T00:00:09Z');
    assert.equal(accepted(order(oracle, { now: later, packageId: pro })).kind, 'activate');
  });

  test('a plan whose expiry is now has expired: a new anchor, no refund', () => {
    const oracle = createWorld();
    order(oracle, { now: at('2026-01-31T00:00:00Z') });
    const now = at('2026-02-28T00:00:00Z');
    const before = oracle.customer(shop, 'ann', now - 1);
    assert.ok(!('code' in before));
    assert.deepEqual([before.plan.active, before.plan.daysLeft], [true, 1]);
    const after = oracle.customer(shop, 'ann', now);
    assert.ok(!('code' in after));
    assert.deepEqual([after.plan.active, after.plan.daysLeft], [false, 0]);

    const renewed = accepted(oracle.renewOrder({ accountId: shop, orderId: '1', body: undefined }, now));
    assert.equal(renewed.kind, 'renew');
    assert.equal(iso(renewed.expiresAt), '2026-03-28T00:00:00Z'); // the 31st is forgotten
    const view = oracle.customer(shop, 'ann', now);
    assert.ok(!('code' in view));
    assert.equal(iso(view.plan.startsAt), '2026-02-28T00:00:00Z');
    assert.equal(view.plan.daysLeft, 28);
  });

  test("renew adds the original's period on top of the expiry, or the months sent", () => {
    const oracle = createWorld();
    order(oracle, { months: 3 });
    const same = accepted(oracle.renewOrder({ accountId: shop, orderId: '1', body: {} }, january + 60));
    assert.deepEqual(
      [same.months, same.priceCents, iso(same.expiresAt)],
      [3, 2_700n, '2026-07-01T00:00:00Z'],
    );
    const month = accepted(
      oracle.renewOrder({ accountId: shop, orderId: '1', body: { months: 1 } }, january + 60),
    );
    assert.deepEqual([month.number, month.kind, iso(month.expiresAt)], [3, 'renew', '2026-08-01T00:00:00Z']);
    const year = accepted(
      oracle.renewOrder({ accountId: shop, orderId: '3', body: { period: 'yearly' } }, january + 60),
    );
    assert.deepEqual([year.period, iso(year.expiresAt)], ['yearly', '2027-08-01T00:00:00Z']);
  });

  test('a renewal never changes a plan: plan_changed while another runs, accepted once it has expired', () => {
    const oracle = createWorld();
    order(oracle, {});
    order(oracle, { packageId: pro, now: january + 1 });
    const renew = (now: number) => oracle.renewOrder({ accountId: shop, orderId: '1', body: {} }, now);
    assert.deepEqual(renew(january + 2), { code: 'order_failed', details: { reason: 'plan_changed' } });
    assert.equal(refusalOf(renew(at('2026-02-01T00:00:00Z'))), 'order_failed');
    const renewed = accepted(renew(at('2026-02-01T00:00:01Z')));
    assert.deepEqual([renewed.kind, renewed.packageId, renewed.refundCents], ['renew', basic, 0n]);
  });

  test('a retired package is refused to new orders and goes on by renew', () => {
    const oracle = createWorld();
    order(oracle, {});
    oracle.retirePackage({ packageId: basic });
    assert.equal(refusalOf(order(oracle, {})), 'package_unavailable');
    const renewed = accepted(oracle.renewOrder({ accountId: shop, orderId: '1', body: {} }, january));
    assert.equal(iso(renewed.expiresAt), '2026-03-01T00:00:00Z');
  });

  test('a period that is not sold is refused to orders and renewals, and a key answers all the same', () => {
    const oracle = createWorld();
    const first = accepted(order(oracle, { months: 3, key: 'k' }));
    oracle.setPeriods({ packageId: basic, periods: ['monthly', 'yearly'] });
    const refused = { code: 'invalid_months', details: { field: 'months', periods: 'monthly,yearly' } };
    assert.deepEqual(order(oracle, { months: 3 }), refused);
    assert.deepEqual(accepted(order(oracle, { months: 3, key: 'k' })), first);
    const renew = (body: object) => oracle.renewOrder({ accountId: shop, orderId: '1', body }, january);
    assert.deepEqual(renew({}), refused, 'the months of the order');
    const ofCustomer = { accountId: shop, customer: 'ann', body: {} };
    assert.deepEqual(oracle.renewCustomer(ofCustomer, january), refused);
    assert.equal(accepted(renew({ months: 12 })).months, 12);
    oracle.setPrices({ packageId: basic, prices: { reseller: { 3: 9n } } }, january);
    const [shown] = oracle.packages(shop, january);
    assert.deepEqual([shown?.price, Object.keys(shown?.prices ?? {})], [shown?.prices[1], ['1', '12']]);
  });

  test('exactly ten years ahead is accepted, a month more is term_too_long until a month has passed', () => {
    const oracle = createWorld();
    for (let year = 1; year <= 9; year += 1) accepted(order(oracle, { months: 12 }));
    for (let month = 1; month <= 11; month += 1) accepted(order(oracle, {}));
    const last = accepted(order(oracle, { customer: 'ann' }));
    assert.equal(iso(last.expiresAt), '2036-01-01T00:00:00Z');
    const tooLong = { code: 'order_failed', details: { reason: 'term_too_long' } };
    assert.deepEqual(order(oracle, {}), tooLong);
    assert.deepEqual(
      oracle.renewOrder({ accountId: shop, orderId: '1', body: { months: 1 } }, january),
      tooLong,
    );
    const aMonthOn = at('2026-02-01T00:00:00Z');
    assert.deepEqual(order(oracle, { now: aMonthOn - 1 }), tooLong);
    assert.equal(iso(accepted(order(oracle, { now: aMonthOn })).expiresAt), '2036-02-01T00:00:00Z');
  });

  test('a free trial lasts its days, gives no refund, and is replaced by a paid plan', () => {
    const oracle = createWorld();
    const granted = oracle.grantTrial({ accountId: shop, packageId: trial, customer: ' ANN ', now: january });
    assert.ok(!('code' in granted));
    assert.equal(granted.customer.reference, 'ann');
    assert.equal(iso(granted.customer.plan.expiresAt), '2026-01-08T00:00:00Z');
    assert.deepEqual(oracle.ledger(shop), []);
    const again = oracle.grantTrial({ accountId: shop, packageId: trial, customer: 'ann', now: january });
    assert.deepEqual(again, { ...granted, given: false }, 'it runs already');
    const elsewhere = oracle.grantTrial({
      accountId: rival,
      packageId: trial,
      customer: 'ann',
      now: january,
    });
    assert.deepEqual(elsewhere, { code: 'customer_not_yours', details: {} });
    const paid = accepted(order(oracle, { now: january + 60 }));
    assert.deepEqual(
      [paid.kind, paid.refundCents, iso(paid.expiresAt)],
      ['change', 0n, '2026-02-01T00:01:00Z'],
    );
  });

  test('a free trial is given once for each key, and to a customer who has had it only when asked for again', () => {
    const oracle = createWorld();
    const grant = (now: number, asked: { key?: string; again?: boolean } = {}) => {
      const outcome = oracle.grantTrial({
        accountId: shop,
        packageId: trial,
        customer: 'ann',
        now,
        ...asked,
      });
      if ('code' in outcome) return outcome.code;
      const what = outcome.replayed ? 'replayed' : outcome.given ? 'given' : 'running already';
      return `${what}, until ${iso(outcome.customer.plan.expiresAt).slice(0, 10)}`;
    };
    const later = at('2026-01-08T00:00:00Z');
    assert.equal(grant(january, { key: 'one' }), 'given, until 2026-01-08');
    assert.equal(grant(later - 1, { key: 'two' }), 'running already, until 2026-01-08');
    assert.equal(grant(later, { key: 'one' }), 'replayed, until 2026-01-08');
    assert.equal(grant(later, { key: 'two' }), 'replayed, until 2026-01-08');
    assert.equal(grant(later, { key: 'two', again: true }), 'idempotency_conflict');
    assert.equal(grant(later, { key: 'three' }), 'trial_already_granted');
    assert.equal(grant(later, { key: 'three', again: true }), 'given, until 2026-01-15');
    assert.equal(grant(later + 1), 'running already, until 2026-01-15');
  });
});

describe('money', () => {
  test('the refund is per paid period, from the price paid for each', () => {
    const oracle = createWorld();
    order(oracle, {}); // January, 31 days, 1000 cents
    oracle.setPrices({ packageId: basic, prices: flat(900n) });
    order(oracle, {}); // February, 28 days, 900 cents
    oracle.setGroup({ accountId: shop, group: 'distributor' });
    order(oracle, { months: 3 }); // March to May, 92 days, 900 cents
    // On 11 January, 21 of 31 days are unused: 21000/31 = 677.41…, so 677 cents, and two whole periods of 900.
    const change = accepted(order(oracle, { packageId: pro, now: at('2026-01-11T00:00:00Z') }));
    assert.equal(change.refundCents, 677n + 900n + 900n);
    assert.equal(change.priceCents, 2_500n); // the distributor's
    assert.equal(iso(change.expiresAt), '2026-02-11T00:00:00Z');
    assert.deepEqual(
      oracle.ledger(shop).map((entry) => [entry.kind, entry.amountCents, entry.balanceAfterCents]),
      [
        ['charge', -1_000n, 999_000n],
        ['charge', -900n, 998_100n],
        ['charge', -900n, 997_200n],
        ['refund', 2_477n, 999_677n],
        ['charge', -2_500n, 997_177n],
      ],
    );
    assert.equal(oracle.balance(shop).balanceCents, 997_177n);
  });

  const refunds: [string, 1 | 3 | 12, string, bigint][] = [
    ['the whole price in the same second', 1, '2026-01-01T00:00:00Z', 1_000n],
    // 1000 × 2678399 ÷ 2678400 = 999.99…
    ['a cent less a second later', 1, '2026-01-01T00:00:01Z', 999n],
    // 1000 × 1 ÷ 2678400
    ['nothing for the last second', 1, '2026-01-31T23:59:59Z', 0n],
    ['half of January', 1, '2026-01-16T12:00:00Z', 500n],
    // 90 days; 60 unused; 2700 × 60 ÷ 90
    ['two thirds of a quarter', 3, '2026-01-31T00:00:00Z', 1_800n],
    // 365 days; 334 unused; 10000 × 334 ÷ 365 = 9150.68…
    ['a year after its first month', 12, '2026-02-01T00:00:00Z', 9_150n],
  ];
  for (const [title, months, now, refundCents] of refunds) {
    test(`refund: ${title}`, () => {
      const oracle = createWorld();
      order(oracle, { months });
      const change = accepted(order(oracle, { packageId: pro, now: at(now) }));
      assert.equal(change.refundCents, refundCents);
      assert.equal(change.priceCents, 3_000n);
      const refunded = oracle.ledger(shop).filter((entry) => entry.kind === 'refund');
      assert.equal(refunded.length, refundCents === 0n ? 0 : 1);
    });
  }

  test('periods already used up give nothing; the clamped one is measured in its own seconds', () => {
    const oracle = createWorld();
    const anchor = at('2026-01-31T00:00:00Z');
    order(oracle, { now: anchor }); // to 28 February
    order(oracle, { now: anchor }); // to 31 March: 31 days
    // On 10 March, 21 of those 31 days are left.
    const change = accepted(order(oracle, { packageId: pro, now: at('2026-03-10T00:00:00Z') }));
    assert.equal(change.refundCents, 677n);
  });

  test('insufficient credit: required is net of the refund, a rejected order changes nothing', () => {
    const oracle = createWorld();
    order(oracle, { accountId: poor, key: 'first' }); // 1000 of 1005 cents
    const half = at('2026-01-16T12:00:00Z');
    const change = () => order(oracle, { accountId: poor, packageId: pro, now: half, key: 'second' });
    const refusal = {
      code: 'insufficient_credit',
      details: { balance: '0.05', required: '25.00', currency: 'USD' },
    };
    assert.deepEqual(change(), refusal);
    assert.deepEqual(order(oracle, { accountId: poor, customer: 'new', now: half }), {
      code: 'insufficient_credit',
      details: { balance: '0.05', required: '10.00', currency: 'USD' },
    });
    assert.deepEqual(oracle.customer(poor, 'new', half), { code: 'customer_not_found', details: {} });
    assert.equal(oracle.ledger(poor).length, 1);

    const credit = (amountCents: bigint) => oracle.credit({ accountId: poor, amountCents, actorId: 'admin' });
    credit(2_494n);
    assert.equal(refusalOf(change()), 'insufficient_credit'); // one cent short
    credit(1n);
    assert.equal(accepted(change()).refundCents, 500n); // the refused key was never bound
    assert.equal(oracle.balance(poor).balanceCents, 0n);
  });

  test('credit: debits stop at zero, a key is a replay or a conflict', () => {
    const oracle = createWorld();
    const by = { accountId: poor, actorId: 'admin' };
    assert.deepEqual(oracle.credit({ ...by, amountCents: -1_006n }), {
      code: 'insufficient_credit',
      details: { balance: '10.05', required: '10.06', currency: 'USD' },
    });
    const first = oracle.credit({ ...by, amountCents: -1_005n, memo: 'back', key: 'k' });
    const entries = oracle.ledger(poor).slice(-1);
    assert.deepEqual(first, { status: 201, replayed: false, balanceAfterCents: 0n, entries });
    oracle.credit({ ...by, amountCents: 7n });
    const again = oracle.credit({ ...by, amountCents: -1_005n, memo: 'back', key: 'k' });
    assert.deepEqual(again, { status: 201, replayed: true, balanceAfterCents: 0n, entries });
    assert.deepEqual(oracle.credit({ ...by, amountCents: 1n, key: 'k' }), {
      code: 'idempotency_conflict',
      details: {},
    });
    assert.equal(oracle.balance(poor).balanceCents, 7n);
  });

  test('a package priced 0.00 is ordered without a ledger entry', () => {
    const oracle = createWorld();
    assert.equal(accepted(order(oracle, { packageId: gift })).priceCents, 0n);
    assert.deepEqual(oracle.ledger(shop), []);
  });

  test("each group pays its price; an administrator the distributor's", () => {
    const oracle = createWorld();
    assert.equal(accepted(order(oracle, { packageId: pro })).priceCents, 3_000n);
    assert.equal(
      accepted(order(oracle, { accountId: wholesaler, packageId: pro, customer: 'w' })).priceCents,
      2_500n,
    );
    oracle.setGroup({ accountId: shop, group: 'administrator' });
    assert.equal(accepted(order(oracle, { packageId: pro })).priceCents, 2_500n);
  });
});

describe('idempotency', () => {
  test('a replay is the first answer forever, however the same data is spelled', () => {
    const oracle = createWorld();
    const body = { package_id: basic, customer: 'Ann@Example.com', customer_name: 'Ann' };
    const first = oracle.placeOrder({ accountId: shop, body, headerKey: 'k' }, january);
    assert.ok(!('code' in first));
    assert.equal(first.balanceAfterCents, 999_000n);
    order(oracle, { customer: 'ann@example.com', packageId: pro });
    oracle.retirePackage({ packageId: basic });
    oracle.setGroup({ accountId: shop, group: 'distributor' });
    const spellings = [
      { ...body, idempotency_key: 'k' },
      { ...body, months: 1, period: 'monthly', return_login: true },
      { ...body, customer: '  ANN@example.COM ', customer_name: ' Ann ', unknown: { a: 1 } },
    ];
    for (const spelling of spellings) {
      const testAccount = oracle.placeOrder(
        { accountId: shop, body: spelling, headerKey: 'k' },
        january + 9_999_999,
      );
      assert.deepEqual(testAccount, { ...first, replayed: true });
    }
    assert.equal(oracle.orders(shop).total, 2);
  });

  test('the same key with other data is a conflict; keys are per account and case-sensitive', () => {
    const oracle = createWorld();
    const body = { package_id: basic, customer: 'ann', customer_name: 'Ann' };
    const send = (changes: object, accountId = shop) =>
      oracle.placeOrder({ accountId, body: { ...body, idempotency_key: 'k', ...changes } }, january);
    accepted(send({}));
    const conflict = { code: 'idempotency_conflict', details: {} };
    const others = [
      { package_id: pro },
      { package_id: 999 },
      { package_id: trial },
      { customer: 'bob' },
      { months: 3 },
      { period: 'yearly' },
      { customer_name: 'Anna' },
    ];
    for (const other of others) assert.deepEqual(send(other), conflict);
    assert.equal(refusalOf(send({ months: 2 })), 'invalid_months');
    assert.deepEqual(
      oracle.renewOrder({ accountId: shop, orderId: '1', body: {}, headerKey: 'k' }, january),
      conflict,
    );
    assert.equal(accepted(send({ idempotency_key: 'K' })).number, 2);
    assert.equal(accepted(send({ customer: 'bob' }, rival)).number, 1);
  });

  test('renew replays by order and resolved months', () => {
    const oracle = createWorld();
    order(oracle, { months: 3 });
    order(oracle, { months: 3, customer: 'bob' });
    const renew = (orderId: string, body: unknown) =>
      oracle.renewOrder({ accountId: shop, orderId, body, headerKey: 'r' }, january);
    const first = renew('1', undefined);
    assert.deepEqual(renew('1', { months: 3 }), { ...first, replayed: true });
    for (const [orderId, body] of [
      ['1', { months: 1 }],
      ['2', {}],
      ['77', {}],
      ['01', {}],
    ] as const) {
      assert.equal(refusalOf(renew(orderId, body)), 'idempotency_conflict');
    }
    assert.equal(oracle.orders(shop).total, 3);
  });
});

describe('the renewal of a customer', () => {
  const renew = (oracle: Oracle, customer: number | string, body: object = {}, headerKey?: string) =>
    oracle.renewCustomer({ accountId: shop, customer, body, headerKey }, january);

  test('goes by the last completed order: its package, its months unless others are named', () => {
    const oracle = createWorld();
    order(oracle, { months: 3 });
    order(oracle, { packageId: pro, months: 12 });
    const byReference = accepted(renew(oracle, 'ann'));
    assert.deepEqual([byReference.packageId, byReference.months, byReference.kind], [pro, 12, 'renew']);
    const byNumber = accepted(renew(oracle, 1, { months: 1 }));
    assert.deepEqual([byNumber.packageId, byNumber.months], [pro, 1]);
    assert.equal(accepted(renew(oracle, 'ann')).months, 1, 'which is the last one by now');
  });

  test('is the same request by number and by reference, and with or without the months that it came to', () => {
    const oracle = createWorld();
    order(oracle, { months: 3 });
    const first = renew(oracle, 'ann', {}, 'r');
    accepted(order(oracle, { months: 12 }));
    for (const again of [renew(oracle, 1, {}, 'r'), renew(oracle, 'ann', { months: 3 }, 'r')]) {
      assert.deepEqual(again, { ...first, replayed: true });
    }
    assert.equal(refusalOf(renew(oracle, 'ann', { months: 12 }, 'r')), 'idempotency_conflict');
    assert.equal(refusalOf(renew(oracle, 'no-such', {}, 'r')), 'idempotency_conflict');
    const byOrder = oracle.renewOrder({ accountId: shop, orderId: '1', body: {}, headerKey: 'r' }, january);
    assert.equal(refusalOf(byOrder), 'idempotency_conflict', 'a renewal of an order is another request');
  });

  test('never goes by an order that waits or failed', () => {
    const oracle = createWorld();
    order(oracle, { months: 1 });
    oracle.setProductMode({ mode: 'confirm' });
    const pending = accepted(order(oracle, { packageId: pro, months: 12 }));
    assert.equal(refusalOf(renew(oracle, 'ann')), 'order_failed');
    const settle = { accountId: shop, outcome: 'failed', reason: null, by: 'product' } as const;
    oracle.settleOrder({ ...settle, orderNumber: pending.number }, january);
    const first = accepted(order(oracle, { customer: 'bob', packageId: pro }));
    oracle.settleOrder({ ...settle, orderNumber: first.number }, january);
    oracle.setProductMode({ mode: 'none' });
    const renewed = accepted(renew(oracle, 'ann'));
    assert.deepEqual([renewed.packageId, renewed.months], [basic, 1]);
    assert.equal(refusalOf(renew(oracle, 'bob')), 'order_not_found', 'nothing was ever bought');
  });

  test('is refused for a free trial, and for the customers of others', () => {
    const oracle = createWorld();
    oracle.grantTrial({ accountId: shop, packageId: trial, customer: 'ann', now: january });
    assert.equal(refusalOf(renew(oracle, 'ann')), 'package_unavailable');
    order(oracle, { accountId: rival, customer: 'bob' });
    assert.equal(refusalOf(renew(oracle, 'bob')), 'customer_not_found');
    assert.equal(refusalOf(renew(oracle, 7)), 'customer_not_found');
  });
});

describe('the first refusal in the documented order is the outcome', () => {
  // Most bodies have several faults. A line names the fault that decides the answer.
  const badType = { customer_name: 5, return_login: 'yes' };
  const badKey = { idempotency_key: 'with space' };
  const badPackage = { package_id: '10' };
  const badCustomer = { customer: 'a b' };
  const badMonths = { months: 2 };
  const table: [string, unknown, string][] = [
    ['no object', [], 'invalid_json'],
    ['null', null, 'invalid_json'],
    [
      'wrong types',
      { ...badType, ...badKey, ...badPackage, ...badCustomer, ...badMonths },
      'invalid_json customer_name',
    ],
    ['return_login', { ...badKey, return_login: null }, 'invalid_json return_login'],
    [
      'key',
      { ...badKey, ...badPackage, ...badCustomer, ...badMonths },
      'invalid_idempotency_key idempotency_key',
    ],
    ["package_id's type", { ...badPackage, ...badCustomer, ...badMonths }, 'invalid_package package_id'],
    ['package_id missing', { ...badCustomer, ...badMonths }, 'invalid_package package_id'],
    ['package_id no integer', { package_id: 1.5, ...badCustomer }, 'invalid_package package_id'],
    [
      'customer',
      { package_id: 999, ...badCustomer, ...badMonths, customer_name: '\u0007x' },
      'invalid_customer customer',
    ],
    [
      'customer_name',
      { package_id: 999, customer: 'ann', ...badMonths, customer_name: 'a\u0007x' },
      'invalid_customer customer_name',
    ],
    ['months', { package_id: 999, customer: 'theirs', ...badMonths }, 'invalid_months months'],
    [
      'months against period',
      { package_id: 999, customer: 'theirs', months: 1, period: 'yearly' },
      'invalid_months months',
    ],
    ['period', { package_id: 999, customer: 'theirs', period: 'Monthly' }, 'invalid_months period'],
    ['a used key', { package_id: 999, customer: 'theirs', idempotency_key: 'used' }, 'idempotency_conflict'],
    ['package unknown', { package_id: 999, customer: 'theirs' }, 'invalid_package package_id'],
    ['trial', { package_id: trial, customer: 'theirs' }, 'package_unavailable package_id'],
    ['retired', { package_id: old, customer: 'theirs' }, 'package_unavailable package_id'],
    ['a period not sold', { package_id: pro, customer: 'theirs', months: 3 }, 'invalid_months months'],
    ["another's customer", { package_id: pro, customer: 'theirs' }, 'customer_not_yours'],
    ['term before credit', { package_id: basic, customer: 'far' }, 'order_failed'],
    ['a change from far, to the last cent', { package_id: pro, customer: 'far' }, 'accepted'],
    ['credit last', { package_id: pro, customer: 'fresh' }, 'insufficient_credit'],
  ];
  // "theirs" is the rival's customer, "used" a key that was used, and "far" has a plan of exactly ten years.
  const oracle = createWorld();
  oracle.placeOrder({ accountId: rival, body: { package_id: gift, customer: 'theirs' } }, january);
  oracle.placeOrder(
    { accountId: poor, body: { package_id: gift, customer: 'mine' }, headerKey: 'used' },
    january,
  );
  oracle.setPrices({ packageId: basic, prices: flat(0n) });
  for (let year = 0; year < 10; year += 1) order(oracle, { accountId: poor, customer: 'far', months: 12 });
  oracle.setPrices({ packageId: basic, prices: flat(50_000n) });
  oracle.setPrices({ packageId: pro, prices: flat(1_005n) });
  oracle.setPeriods({ packageId: pro, periods: ['monthly', 'yearly'] });
  for (const [title, body, expected] of table) {
    test(`${title}: ${expected}`, () => {
      const outcome = oracle.placeOrder({ accountId: poor, body }, january);
      const field = 'code' in outcome ? new Map(Object.entries(outcome.details)).get('field') : undefined;
      const text = field === undefined ? refusalOf(outcome) : `${refusalOf(outcome)} ${field}`;
      assert.equal(text, expected);
    });
  }

  test('a closed account gets that refusal first; reads still see its state', () => {
    oracle.setApiEnabled({ accountId: poor, apiEnabled: false });
    assert.equal(refusalOf(oracle.placeOrder({ accountId: poor, body: null }, january)), 'api_disabled');
    oracle.setBlocked({ accountId: poor, blocked: true });
    const renewal = { accountId: poor, orderId: 'x', body: null };
    assert.equal(refusalOf(oracle.renewOrder(renewal, january)), 'account_blocked');
    assert.equal(oracle.balance(poor).currency, 'USD');
  });

  test('renew: the body before the order, the order before the plan', () => {
    const fresh = createWorld();
    order(fresh, {});
    const renew = (orderId: string, body: unknown, accountId = shop) =>
      refusalOf(fresh.renewOrder({ accountId, orderId, body }, january));
    assert.equal(renew('9', []), 'invalid_json');
    assert.equal(renew('9', { idempotency_key: 1, months: 2 }), 'invalid_idempotency_key');
    assert.equal(renew('9', { months: '1' }), 'invalid_months');
    for (const id of ['9', '0', '01', '+1', '-1', '1.0', '', ' 1', '1e0', '9'.repeat(400)]) {
      assert.equal(renew(id, {}), 'order_not_found');
    }
    assert.equal(renew('1', {}, rival), 'order_not_found');
    assert.equal(renew('1', { package_id: '?', customer: 5, customer_name: 5, return_login: 5 }), 'accepted');
  });
});

describe('what may be sent', () => {
  const customers: [string, string][] = [
    ['ann', 'ann'],
    ['  A.n_n-1 ', 'a.n_n-1'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), 'refused'],
    ['', 'refused'],
    ['   ', 'refused'],
    ['a+b', 'refused'],
    ['Ann@Example.COM', 'ann@example.com'],
    ['a@b@c.com', 'refused'],
    ['@c.com', 'refused'],
    ['a@', 'refused'],
    ['a b@c.com', 'refused'],
    ['ann@exämple.com', 'refused'],
    ['\u212aim', 'refused'],
    [longAddress(), longAddress()],
    [`x${longAddress()}`, 'refused'],
  ];
  for (const [sent, expected] of customers) {
    test(`customer ${JSON.stringify(sent.slice(0, 30))} (${sent.length})`, () => {
      const outcome = order(createWorld(), { customer: sent });
      assert.equal('code' in outcome ? 'refused' : outcome.order.customerReference, expected);
      if (!('code' in outcome)) assert.equal(outcome.order.email, expected.includes('@') ? expected : '');
    });
  }

  const keys: [unknown, string | undefined, string][] = [
    ['k', undefined, 'k'],
    [undefined, '!~', '!~'],
    ['same', 'same', 'same'],
    ['k'.repeat(80), undefined, 'k'.repeat(80)],
    ['one', 'two', 'refused'],
    ['k'.repeat(81), undefined, 'refused'],
    ['', undefined, 'refused'],
    [undefined, '', 'refused'],
    ['', 'k', 'refused'],
    [null, undefined, 'refused'],
    [7, '7', 'refused'],
    ['a b', undefined, 'refused'],
    ['k\n', undefined, 'refused'],
    ['ké', undefined, 'refused'],
  ];
  for (const [bodyKey, headerKey, expected] of keys) {
    test(`keys ${JSON.stringify([bodyKey, headerKey]).slice(0, 40)}`, () => {
      const body = { package_id: basic, customer: 'ann', idempotency_key: bodyKey };
      const outcome = createWorld().placeOrder({ accountId: shop, body, headerKey }, january);
      if (expected === 'refused') assert.equal(refusalOf(outcome), 'invalid_idempotency_key');
      else assert.equal(accepted(outcome).idempotencyKey, expected);
    });
  }

  test('a customer_name has 120 characters and names new customers only', () => {
    const oracle = createWorld();
    const send = (customer_name: string) =>
      oracle.placeOrder(
        { accountId: shop, body: { package_id: basic, customer: 'ann', customer_name } },
        january,
      );
    assert.equal(refusalOf(send('é'.repeat(121))), 'invalid_customer');
    accepted(send(` ${'😀'.repeat(120)} `));
    accepted(send('Other'));
    const view = oracle.customer(shop, 'ann', january);
    assert.ok(!('code' in view));
    assert.equal(view.name, '😀'.repeat(120));
  });

  test('pages are clamped, newest first, and end in empty ones', () => {
    const oracle = createWorld();
    for (let count = 1; count <= 130; count += 1) order(oracle, { customer: `c${count}`, packageId: gift });
    const first = oracle.orders(shop);
    assert.deepEqual([first.page, first.perPage, first.total, first.data.length], [1, 25, 130, 25]);
    assert.deepEqual([first.data[0]?.number, first.data[24]?.number], [130, 106]);
    const clamped: [unknown, unknown, number, number, number][] = [
      ['2', '100', 2, 100, 30],
      ['0', '101', 1, 100, 100],
      ['-3', '0', 1, 25, 25],
      ['x', '', 1, 25, 25],
      ['7', '25', 7, 25, 0],
      [6, 25, 6, 25, 5],
    ];
    for (const [page, limit, pageExpected, perPage, rows] of clamped) {
      const listed = oracle.orders(shop, page, limit);
      assert.deepEqual([listed.page, listed.perPage, listed.data.length], [pageExpected, perPage, rows]);
    }
    assert.deepEqual(
      oracle.customers(shop, 1, 2, january).data.map((item) => item.reference),
      ['c130', 'c129'],
    );
    assert.equal(oracle.customers(rival, 1, 2, january).total, 0);
    assert.deepEqual(oracle.order(rival, 1), { code: 'order_not_found', details: {} });
  });
});

function createWorld(): Oracle {
  const base = { trial: false, retired: false, durationDays: 30 };
  const cheap = { 1: 1_000n, 3: 2_700n, 12: 10_000n };
  return createOracle({
    packages: [
      { ...base, id: basic, name: 'Basic', prices: { reseller: cheap, distributor: cheap } },
      {
        ...base,
        id: pro,
        name: 'Pro',
        prices: {
          reseller: { 1: 3_000n, 3: 8_000n, 12: 30_000n },
          distributor: { 1: 2_500n, 3: 7_000n, 12: 25_000n },
        },
      },
      { ...base, id: trial, name: 'Trial', trial: true, durationDays: 7, prices: flat(0n) },
      { ...base, id: old, name: 'Old', retired: true, prices: flat(100n) },
      { ...base, id: gift, name: 'Gift', prices: flat(0n) },
    ],
    accounts: [
      { id: shop, group: 'reseller', balanceCents: 1_000_000n },
      { id: rival, group: 'reseller', balanceCents: 1_000_000n },
      { id: wholesaler, group: 'distributor', balanceCents: 1_000_000n },
      { id: poor, group: 'reseller', balanceCents: 1_005n },
    ],
  });
}

/** By default the shop orders Basic for "ann" on 1 January 2026. */
function order(
  oracle: Oracle,
  given: {
    accountId?: number;
    packageId?: number;
    customer?: string;
    months?: number;
    key?: string;
    now?: number;
  },
): OrderOutcome {
  const body = {
    package_id: given.packageId ?? basic,
    customer: given.customer ?? 'ann',
    months: given.months ?? 1,
  };
  return oracle.placeOrder(
    { accountId: given.accountId ?? shop, body, headerKey: given.key },
    given.now ?? january,
  );
}

function accepted(outcome: OrderOutcome) {
  assert.ok(!('code' in outcome), `refused: ${refusalOf(outcome)}`);
  return outcome.order;
}

function refusalOf(outcome: OrderOutcome): string {
  return 'code' in outcome ? outcome.code : 'accepted';
}

function flat(cents: bigint): Prices {
  const prices = { 1: cents, 3: cents, 12: cents };
  return { reseller: prices, distributor: prices };
}

/** An address of 64 + 1 + 63 + 1 + 63 + 1 + 61 = 254 characters. */
function longAddress(): string {
  return `${'x'.repeat(64)}@${'y'.repeat(63)}.${'y'.repeat(63)}.${'y'.repeat(61)}`;
}

function at(text: string): number {
  return Date.parse(text) / 1_000;
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
