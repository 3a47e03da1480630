// Replays a customer's history without a database. A valid history passes, and each broken rule is named.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLife } from '../../src/features/order-engine/records/plan-life.ts';
import type { Plan } from '../../src/features/order-engine/records/plan-terms.ts';
import type { Recorded, Terms } from '../../src/features/verification/package-terms.ts';
import type { PastOrder } from '../../src/features/verification/past-orders.ts';
import { createPast, type Past } from '../../src/features/verification/past-packages.ts';
import {
  createReplay,
  type PastChange,
  type PresentCustomer,
} from '../../src/features/verification/replay-history.ts';
import { type Group, type Months, periodNames } from '../../src/shared/periods.ts';
import { addMonths } from '../../src/shared/times.ts';

const start = Date.UTC(2026, 0, 31) / 1000;
const day = 86_400;
const [basic, plus, trial] = [1, 2, 3];

const priced = (monthly: bigint): Terms['prices'] => {
  const each: Record<Months, bigint> = { 1: monthly, 3: 3n * monthly, 12: 10n * monthly };
  return { reseller: each, distributor: { 1: each[1] / 2n, 3: each[3] / 2n, 12: each[12] / 2n } };
};
const terms = (monthly: bigint, changed: Partial<Terms> = {}): Terms => ({
  isTrial: false,
  retired: false,
  durationDays: 30,
  periods: periodNames,
  prices: priced(monthly),
  ...changed,
});
const packages = new Map([
  [basic, { recorded: [], present: terms(1000n) }],
  [plus, { recorded: [], present: terms(2500n) }],
  [trial, { recorded: [], present: terms(0n, { isTrial: true, durationDays: 14 }) }],
]);
const unchanged = createPast(packages, new Map());

function order(number: number, at: number, changed: Partial<PastOrder> = {}): PastOrder {
  return {
    number,
    packageId: basic,
    months: 1,
    kind: 'activate',
    priceCents: 1000n,
    refundCents: 0n,
    balanceAfterCents: 0n,
    createdAt: at,
    expiresAt: addMonths(at, 1),
    fingerprint: '',
    priceRule: { name: 'group' },
    isHandedOver: false,
    isUnchecked: false,
    ...changed,
  };
}
const byOperator = {
  byParty: 'operator',
  isEmpty: false,
  isUnchecked: false,
  planStatus: null,
  isSuspended: null,
  orderNumber: null,
  refundCents: null,
  code: null,
  renewMonths: null,
  renewMaxCents: null,
  renewHoursBefore: null,
} as const;
const trialAt = (number: number, at: number, days = 14): PastChange => ({
  ...byOperator,
  number,
  kind: 'trial',
  createdAt: at,
  packageId: trial,
  expiresAt: at + days * day,
});
const statusAt = (number: number, kind: 'suspend' | 'resume', at: number): PastChange => ({
  ...byOperator,
  number,
  kind,
  createdAt: at,
  packageId: null,
  expiresAt: null,
});

/** Activated, renewed while running, and changed halfway through the second term. */
const middle = (addMonths(start, 1) + addMonths(start, 2)) / 2;
const changedAt = Math.floor(middle);
const unusedSeconds = BigInt(addMonths(start, 2) - changedAt);
const refund = (1000n * unusedSeconds) / BigInt(addMonths(start, 2) - addMonths(start, 1));
const threeOrders: readonly PastOrder[] = [
  order(1, start),
  order(4, start + 9 * day, { kind: 'renew', expiresAt: addMonths(start, 2) }),
  order(5, changedAt, { kind: 'change', packageId: plus, priceCents: 2500n, refundCents: refund }),
];
const endedPlan: Plan = {
  packageId: plus,
  anchorAt: changedAt,
  monthsRun: 1,
  expiresAt: addMonths(changedAt, 1),
  paidPeriods: [{ startsAt: changedAt, endsAt: addMonths(changedAt, 1), paidCents: 2500n }],
  lastOrder: 5,
};

type Event = PastOrder | PastChange;
function replay(
  events: readonly Event[],
  present: Omit<PresentCustomer, 'life'> | null,
  { past = unchanged, group = 'reseller' }: { past?: Past; group?: Group } = {},
): string[] {
  const replayed = createReplay({ accountId: 7, number: 3, reference: 'one', group });
  const found = events.flatMap((event) =>
    'months' in event ? replayed.order(event, past) : replayed.change(event, past),
  );
  if (present !== null) found.push(...replayed.end({ ...present, life: plainLife }));
  return found.map(({ subject, problem }) => `${subject}: ${problem}`);
}

test('a history that follows the rules is content', () => {
  assert.deepEqual(replay(threeOrders, { status: 'active', plan: endedPlan }), []);
});

const autoRenewAt = (number: number, at: number, changed: Partial<PastChange> = {}): PastChange => ({
  ...byOperator,
  byParty: 'account',
  number,
  kind: 'auto_renew',
  createdAt: at,
  packageId: basic,
  expiresAt: addMonths(start, 1),
  planStatus: 'active',
  isSuspended: false,
  refundCents: 0n,
  renewMonths: 1,
  renewHoursBefore: 24,
  ...changed,
});

test('auto-renewal set twice, as earlier versions recorded it, is no deviation', () => {
  const events = [order(1, start), autoRenewAt(1, start + day), autoRenewAt(2, start + 2 * day)];
  assert.deepEqual(replay(events, null), []);
});

test('a trial, an order in the middle of it and a suspension explain each other', () => {
  const events: readonly Event[] = [
    trialAt(1, start),
    order(1, start + day, { kind: 'change' }),
    statusAt(2, 'suspend', start + 2 * day),
  ];
  const plan: Plan = {
    packageId: basic,
    anchorAt: start + day,
    monthsRun: 1,
    expiresAt: addMonths(start + day, 1),
    paidPeriods: [{ startsAt: start + day, endsAt: addMonths(start + day, 1), paidCents: 1000n }],
    lastOrder: 1,
  };
  assert.deepEqual(replay(events, { status: 'suspended', plan }), []);
  assert.deepEqual(
    replay([...events, statusAt(3, 'resume', start + 3 * day)], { status: 'active', plan }),
    [],
  );
});

const handedOver = (number: number, at: number, changed: Partial<PastOrder> = {}) =>
  order(number, at, { isHandedOver: true, ...changed });
const settledAt = (
  number: number,
  at: number,
  orderNumber: number,
  changed: Partial<PastChange> = {},
): PastChange => ({
  ...byOperator,
  number,
  kind: 'order_completed',
  createdAt: at,
  byParty: 'product',
  orderNumber,
  packageId: basic,
  expiresAt: addMonths(start, 1),
  planStatus: 'active',
  isSuspended: false,
  refundCents: 0n,
  ...changed,
});
const startedPlan: Plan = {
  packageId: basic,
  anchorAt: start,
  monthsRun: 1,
  expiresAt: addMonths(start, 1),
  paidPeriods: [{ startsAt: start, endsAt: addMonths(start, 1), paidCents: 1000n }],
  lastOrder: 1,
};
/** Refused, ordered again, suspended while pending, and accepted two days later. */
const takenLate: readonly Event[] = [
  handedOver(1, start - day, { expiresAt: addMonths(start - day, 1) }),
  settledAt(1, start - 5, 1, {
    kind: 'order_failed',
    expiresAt: start - day,
    planStatus: 'expired',
    refundCents: 1000n,
  }),
  handedOver(2, start),
  statusAt(2, 'suspend', start + day),
  settledAt(3, start + 2 * day, 2, { planStatus: 'suspended', isSuspended: true }),
];

test('an order that waited for the product makes the plan of its own second, and one that failed none', () => {
  assert.deepEqual(replay(takenLate, { status: 'suspended', plan: { ...startedPlan, lastOrder: 2 } }), []);
});

test('an order that gave back more than it cost gives the rest when it is taken', () => {
  const year = addMonths(start, 12);
  const events: readonly Event[] = [
    order(1, start, { packageId: plus, months: 12, priceCents: 25_000n, expiresAt: year }),
    handedOver(2, start, { kind: 'change', refundCents: 25_000n }),
    settledAt(1, start + day, 2, { refundCents: 24_000n }),
  ];
  assert.deepEqual(replay(events, { status: 'active', plan: { ...startedPlan, lastOrder: 2 } }), []);
  assert.deepEqual(
    replay([...events.slice(0, 2), settledAt(1, start + day, 2, { refundCents: 25_000n })], null),
    ['plan change 1: not by the rules: it gave 25000 cents back, but 24000 were owed'],
  );
});

test('a renewal of a plan that has ended begins a new run, also of a retired package', () => {
  const late = start + 60 * day;
  const retiredNow: Recorded<Terms> = {
    at: start + 40 * day,
    before: terms(1000n),
    after: terms(1000n, { retired: true }),
  };
  const past = createPast(
    new Map([[basic, { recorded: [retiredNow], present: terms(1000n, { retired: true }) }]]),
    new Map(),
  );
  assert.deepEqual(replay([order(1, start), order(2, late, { kind: 'renew' })], null, { past }), []);
  assert.deepEqual(replay([order(1, start), order(2, late)], null, { past }), [
    'order 2: not by the rules: it is refused: package_unavailable, retired',
  ]);
});

test('an order, a renewal and an auto-renewal are judged by the periods sold around their second', () => {
  const noMonths = terms(1000n, { periods: ['quarterly', 'yearly'] });
  const restricted: Recorded<Terms> = { at: start + 40 * day, before: terms(1000n), after: noMonths };
  const past = createPast(new Map([[basic, { recorded: [restricted], present: noMonths }]]), new Map());
  const problem =
    'not by the rules: it is refused: invalid_months, must be a period that the package is sold for: quarterly, yearly';
  const renewal = (at: number) => [order(1, start), order(2, at, { kind: 'renew' })];
  assert.deepEqual(replay(renewal(start + 40 * day + 300), null, { past }), []);
  assert.deepEqual(replay(renewal(start + 40 * day + 301), null, { past }), [`order 2: ${problem}`]);
  const late = start + 41 * day;
  assert.deepEqual(replay([order(1, late)], null, { past }), [`order 1: ${problem}`]);
  const quarter = order(1, late, { months: 3, priceCents: 3000n, expiresAt: addMonths(late, 3) });
  const set = (renewMonths: Months) => autoRenewAt(1, late, { renewMonths, expiresAt: addMonths(late, 3) });
  assert.deepEqual(replay([quarter, set(3)], null, { past }), []);
  assert.deepEqual(replay([quarter, set(1)], null, { past }), [`plan change 1: ${problem}`]);
});

const changedOrder = (index: number, changed: Partial<PastOrder>) =>
  threeOrders.map((one, place) => (place === index ? { ...one, ...changed } : one));

const broken: readonly (readonly [rule: string, events: readonly Event[], says: RegExp])[] = [
  [
    'an end',
    changedOrder(1, { expiresAt: addMonths(start, 2) + 1 }),
    /^order 4: .*its terms end at 2026-03-31/,
  ],
  ['a refund', changedOrder(2, { refundCents: refund + 1n }), /^order 5: .*but \d+ were unused$/],
  ['a refund where nothing is due', changedOrder(0, { refundCents: 1n }), /^order 1: .*but 0 were unused$/],
  ['a kind', changedOrder(2, { kind: 'activate' }), /^order 5: .*of kind activate, but it was change$/],
  ['an activation of a running plan', changedOrder(1, { kind: 'activate' }), /^order 4: .*but it was renew$/],
  ['a renewal before any order', changedOrder(0, { kind: 'renew' }), /^order 1: .*was not ordered before$/],
  ['a price', changedOrder(0, { priceCents: 999n }), /^order 1: .*999 cents were never the price/],
  [
    'a package that does not exist',
    changedOrder(0, { packageId: 9 }),
    /^order 1: .*refused: invalid_package/,
  ],
  [
    'the order of a trial package',
    changedOrder(0, { packageId: trial }),
    /^order 1: .*refused: package_unavailable/,
  ],
  [
    'a term beyond ten years',
    [order(1, start), ...Array.from({ length: 11 }, (_, index) => yearly(index))],
    /^order 11: .*refused: order_failed, term_too_long$/,
  ],
  [
    'the renewal of a package that was replaced',
    [...threeOrders, order(6, changedAt + 1, { kind: 'renew' })],
    /^order 6: .*refused: order_failed, plan_changed$/,
  ],
  [
    'a trial of another length',
    [trialAt(1, start, 15)],
    /^plan change 1: .*lasts 15 days, but the package's 14$/,
  ],
  [
    'a trial beside a running plan',
    [order(1, start), trialAt(1, start + 1)],
    /^plan change 1: .*plan_running$/,
  ],
  [
    'a trial in a trial',
    [trialAt(1, start), trialAt(2, start + 1)],
    /^plan change 2: .*was running already$/,
  ],
  [
    'a trial of an unknown package',
    [{ ...trialAt(1, start, 30), packageId: basic }],
    /^plan change 1: .*package_unavailable, not_a_trial$/,
  ],
  [
    'a suspension of a suspended customer',
    [order(1, start), statusAt(1, 'suspend', start), statusAt(2, 'suspend', start)],
    /^plan change 2: .*suspended already$/,
  ],
  ['a suspension of no customer', [statusAt(1, 'suspend', start)], /^plan change 1: .*customer_not_found$/],
  [
    'an order while another one waits',
    [handedOver(1, start), handedOver(2, start + 1, { kind: 'renew' })],
    /^order 2: .*refused: order_failed, order_pending$/,
  ],
  [
    'a trial while an order waits',
    [handedOver(1, start), trialAt(1, start + 1)],
    /^plan change 1: .*refused: order_failed, order_pending$/,
  ],
  [
    'the end of an order that did not wait',
    [order(1, start), settledAt(1, start + 1, 1)],
    /^plan change 1: .*no such order was waiting for the product$/,
  ],
  [
    'a second end of an order',
    [handedOver(1, start), settledAt(1, start + 1, 1), settledAt(2, start + 2, 1, { kind: 'order_failed' })],
    /^plan change 2: .*no such order was waiting for the product$/,
  ],
  [
    'an order that was taken with terms of another second',
    [handedOver(1, start), settledAt(1, start + day, 1, { expiresAt: addMonths(start, 1) + day })],
    /^plan change 1: .*another plan than the order makes of it$/,
  ],
  [
    'an order that failed and left its plan',
    [
      handedOver(1, start),
      settledAt(1, start + 1, 1, {
        kind: 'order_failed',
        refundCents: 1000n,
        expiresAt: addMonths(start, 1),
      }),
    ],
    /^plan change 1: .*another plan than the order makes of it$/,
  ],
];

function yearly(index: number): PastOrder {
  return order(index + 2, start + index + 1, {
    kind: 'renew',
    months: 12,
    priceCents: 10_000n,
    expiresAt: addMonths(start, 1 + 12 * (index + 1)),
  });
}

for (const [rule, events, says] of broken) {
  test(`${rule} that breaks the rules is reported`, () => {
    const found = replay(events, null);
    assert.match(found[0] ?? '', says);
    assert.match(found[0] ?? '', /not by the rules/);
  });
}

const states: readonly (readonly [what: string, changed: Partial<Plan>, says: RegExp])[] = [
  ['package', { packageId: basic }, /its package is 1, not 2$/],
  ['start', { anchorAt: changedAt + 1 }, /its start is /],
  ['months', { monthsRun: 2 }, /its length in months is 2, not 1$/],
  ['end', { expiresAt: endedPlan.expiresAt + 1 }, /its end is /],
  ['last order', { lastOrder: 4 }, /its last order is 4, not 5$/],
  ['missing paid period', { paidPeriods: [] }, /a paid plan has no paid period$/],
  [
    'second paid period',
    { paidPeriods: [...endedPlan.paidPeriods, ...endedPlan.paidPeriods] },
    /2 paid periods do not fit the orders, which make 1$/,
  ],
  [
    'price of a paid period',
    { paidPeriods: endedPlan.paidPeriods.map((period) => ({ ...period, paidCents: 2501n })) },
    /paid period 1 does not fit the orders$/,
  ],
];
for (const [what, changed, says] of states) {
  test(`a customer's row with another ${what} is reported`, () => {
    const found = replay(threeOrders, { status: 'active', plan: { ...endedPlan, ...changed } });
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', says);
    assert.match(found[0] ?? '', /^customer 3: not by the rules: /);
  });
}

test('a plan that an order still waits to change is reported where nothing says so, and the other way round', () => {
  const none: Plan = { ...startedPlan, monthsRun: 0, expiresAt: start, paidPeriods: [], lastOrder: null };
  const waiting = replay([handedOver(1, start)], { status: 'active', plan: none });
  assert.equal(waiting.length, 1);
  assert.match(waiting[0] ?? '', /what is set about the plan \(.*an order that waits\) is not/);
});

test("a customer's status that no change made is reported, and so is a plan that nothing made", () => {
  assert.match(
    replay(threeOrders, { status: 'suspended', plan: endedPlan })[0] ?? '',
    /is suspended, but the changes/,
  );
  assert.match(replay([], { status: 'active', plan: endedPlan })[0] ?? '', /no order and no change/);
});

test('an order may have cost what the package cost around its second, for a group the account had then', () => {
  const raised: Recorded<Terms> = { at: start + 30 * day, before: terms(1000n), after: terms(2000n) };
  const regrouped: Recorded<Group> = { at: start + 60 * day, before: 'reseller', after: 'distributor' };
  const past = createPast(
    new Map([[basic, { recorded: [raised], present: terms(2000n) }]]),
    new Map([[7, [regrouped]]]),
  );
  const wasFine = (at: number, priceCents: bigint) =>
    replay([order(1, at, { priceCents })], null, { past, group: 'distributor' }).length === 0;
  const cases: readonly (readonly [days: number, cents: bigint, isFine: boolean])[] = [
    [0, 1000n, true],
    [0, 2000n, false],
    [0, 500n, false],
    [30, 1000n, true],
    [30, 2000n, true],
    [31, 1000n, false],
    [31, 2000n, true],
    [60, 1000n, true],
    [60, 2000n, true],
    [61, 1000n, true],
    [61, 2000n, false],
  ];
  for (const [days, cents, isFine] of cases) {
    assert.equal(wasFine(start + days * day, cents), isFine, `${cents} cents after ${days} days`);
  }
});

test('where someone changed a price without a note, both prices may have held', () => {
  const noted: Recorded<Terms> = { at: start + 30 * day, before: terms(1500n), after: terms(2000n) };
  const created: Recorded<Terms> = { at: start, before: null, after: terms(1000n) };
  const past = createPast(
    new Map([[basic, { recorded: [created, noted], present: terms(2500n) }]]),
    new Map(),
  );
  const prices = (days: number) =>
    past.termsAround(basic, start + days * day).map(({ prices: at }) => at.reseller[1]);
  assert.deepEqual(prices(10), [1000n, 1500n]);
  assert.deepEqual(prices(40), [2000n, 2500n]);
  assert.deepEqual(past.termsAround(9, start), []);
});
