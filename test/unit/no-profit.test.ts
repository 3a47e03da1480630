// No chain of orders, cancels, holds, renewals and pending orders gives back more than was paid minus what was used. Tests
// all chains on a small grid, and long random ones. An account's worth is its balance plus its unused time; while an order
// is pending, the better of its two outcomes. No order, refusal or repeat may increase it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CustomerState } from '../../src/features/order-engine/decisions/customer-state.ts';
import { decideOrders } from '../../src/features/order-engine/decisions/decide-orders.ts';
import type { OrderCommand } from '../../src/features/order-engine/decisions/order-commands.ts';
import { type OrderState, paidKey } from '../../src/features/order-engine/decisions/order-state.ts';
import type { OrderRecord } from '../../src/features/order-engine/records/order-table.ts';
import { unusedCents } from '../../src/features/order-engine/records/plan-terms.ts';
import type { Package } from '../../src/features/packages/package-catalog.ts';
import { priceTable, steadyPrices } from '../../src/features/packages/price-lines.ts';
import { type Group, type Months, periodNames } from '../../src/shared/periods.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { accountState, orderState } from '../harness/order-states.ts';

type PriceOf = Readonly<Record<Months, bigint>>;

/** One order of a chain: package 1 or 2, or null to renew the last order. Only a renewal may leave `months` open. */
interface OrderMove {
  readonly packageId: number | null;
  readonly months: Months | null;
}

/** Changes without an order. With `jobs`, the service renews if a renewal is due. */
type LifeMove = 'cancel' | 'period_end' | 'suspend' | 'resume' | 'auto_renew' | 'auto_renew_off' | 'jobs';
type SettleMove = 'completed' | 'failed';
type Move = OrderMove | LifeMove | SettleMove;

interface Paid {
  readonly startsAt: number;
  readonly endsAt: number;
  readonly cents: bigint;
}

interface Position {
  readonly state: OrderState;
  /** Oldest first. Empty if no plan runs. */
  readonly paid: readonly Paid[];
  readonly packageId: number | null;
  readonly spentCents: bigint;
  readonly waiting: Waiting | null;
}

interface Waiting {
  readonly order: OrderRecord;
  readonly givenCents: bigint;
  readonly paid: readonly Paid[];
  readonly planBefore: CustomerState['plan'] | null;
}

const accountId = 7;
const trialId = 9;
const openingCents = 10n ** 12n;

const wantedChains = process.env['PROOF_CHAINS'];
const randomChains = Number(wantedChains ?? 400);
/** Each additional order makes fifteen times as many chains. */
const chainLength = wantedChains === undefined ? 3 : 4;
const starts = ['2027-01-31T12:00:00Z', '2028-02-29T23:59:59Z'].map((text) => Date.parse(text) / 1000);

/** Prices by the number of earlier orders: expensive first and cheap later, and the other way round. */
const pricePlans: readonly (readonly [first: PriceOf, second: PriceOf, later: bigint])[] = [
  [{ 1: 1000n, 3: 2700n, 12: 0n }, { 1: 2500n, 3: 7000n, 12: 0n }, 1n],
  [{ 1: 1n, 3: 2n, 12: 0n }, { 1: 99n, 3: 100n, 12: 0n }, 3n],
  [{ 1: 0n, 3: 5000n, 12: 0n }, { 1: 7n, 3: 0n, 12: 0n }, 1n],
  [{ 1: 9999n, 3: 1n, 12: 0n }, { 1: 3n, 3: 30_001n, 12: 0n }, 0n],
];

test(`on a small grid every chain of up to ${chainLength} orders leaves no more than it found`, (context) => {
  const moves: readonly Move[] = [
    { packageId: 1, months: 1 },
    { packageId: 1, months: 3 },
    { packageId: 2, months: 1 },
    { packageId: 2, months: 3 },
    { packageId: null, months: null },
    'cancel',
    'auto_renew',
    'jobs',
  ];
  let orders = 0;
  let changes = 0;

  function walk(position: Position, at: number, depth: number, prices: (typeof pricePlans)[number]): void {
    if (depth === chainLength) return;
    for (const move of moves) {
      const after = act(withPrices(position, prices, depth), move, at);
      if (after === null) continue;
      orders += 1;
      if (after.refunded) changes += 1;
      const waits = move === 'auto_renew' ? [at, dueAt(after.position, at)] : instants(after.position, at);
      for (const wait of waits) {
        holdsNoMore(after.position, at, wait);
        walk(after.position, wait, depth + 1, prices);
      }
    }
  }

  for (const start of starts) {
    for (const prices of pricePlans) walk(opening(), start, 0, prices);
  }
  context.diagnostic(`${orders} orders, ${changes} of them with a refund`);
  assert.ok(changes > 10 ** chainLength);
});

test(`on a small grid every chain of ${chainLength + 1} orders and answers to them leaves no more than it found`, (context) => {
  const packages: readonly Move[] = [
    { packageId: 1, months: 1 },
    { packageId: 2, months: 1 },
    { packageId: 2, months: 3 },
  ];
  const answers: readonly Move[] = ['completed', 'failed'];
  const moves = [...packages, { packageId: null, months: null }, 'cancel', ...answers] satisfies Move[];
  const counts = { completed: 0, failed: 0, others: 0 };
  let refusedWithARefund = 0;

  function walk(position: Position, at: number, depth: number, prices: (typeof pricePlans)[number]): void {
    if (depth > chainLength) return;
    for (const move of moves) {
      const after = act(withPrices(position, prices, depth), move, at);
      if (after === null) continue;
      counts[move === 'completed' || move === 'failed' ? move : 'others'] += 1;
      if (move === 'failed' && (position.waiting?.order.refundCents ?? 0n) > 0n) refusedWithARefund += 1;
      for (const wait of waits(after.position, at)) {
        holdsNoMore(after.position, at, wait);
        walk(after.position, wait, depth + 1, prices);
      }
    }
  }

  // While an order is pending: its own second, part of the old plan, all of it. The 72 hours do not matter here.
  const waits = (position: Position, at: number) =>
    position.waiting === null ? instants(position, at).slice(1) : instants(position, at);

  for (const start of starts) {
    for (const prices of pricePlans) walk(inMode(opening(), 'confirm'), start, 0, prices);
  }
  context.diagnostic(`${JSON.stringify(counts)}, ${refusedWithARefund} refused with a refund`);
  assert.ok(Math.min(counts.completed, counts.failed) > 10 ** chainLength && refusedWithARefund > 100);
});

test('at random prices and seconds no long chain makes a profit', (context) => {
  const cents = fc.oneof(fc.bigInt(0n, 20n), fc.bigInt(0n, 100_000n), fc.bigInt(0n, 10n ** 10n));
  const priceOf = fc.record({ 1: cents, 3: cents, 12: cents });
  const wait = fc.oneof(
    fc.constantFrom<(position: Position, at: number) => number>(
      (_position, at) => at,
      (_position, at) => at + 1,
      ({ paid }, at) => Math.max(at, (paid.at(-1)?.endsAt ?? at) - 1),
      ({ paid }, at) => Math.max(at, paid.at(-1)?.endsAt ?? at),
      ({ paid }, at) => Math.max(at, paid[0]?.endsAt ?? at),
      dueAt,
      dueAt,
      ({ paid }, at) =>
        Math.max(at, Math.floor(((paid[0]?.startsAt ?? at) + (paid.at(-1)?.endsAt ?? at)) / 2)),
    ),
    fc.nat(50 * 86_400).map((seconds) => (_position: Position, at: number) => at + seconds),
  );
  const link = fc.record({
    jobsRun: fc.boolean(),
    mode: fc.constantFrom<OrderState['productMode']>('none', 'notify', 'confirm', 'confirm'),
    answer: fc.constantFrom<SettleMove | null>('completed', 'failed', 'failed', null),
    move: fc.oneof(
      {
        weight: 2,
        arbitrary: fc.record({
          packageId: fc.constantFrom(1, 2, 1, 2, null, trialId),
          months: fc.constantFrom<Months>(1, 3, 12),
        }),
      },
      fc.constantFrom<LifeMove>(
        ...(['cancel', 'cancel', 'cancel', 'auto_renew', 'auto_renew', 'auto_renew'] as const),
        ...(['period_end', 'suspend', 'resume', 'auto_renew_off'] as const),
      ),
    ),
    first: priceOf,
    second: priceOf,
    percentOff: fc.constantFrom(null, null, 0, 1_250, 10_000),
    wait,
  });
  const start = fc.integer({ min: 1_700_000_000, max: 1_900_000_000 });
  const heldAfter = fc.constantFrom(null, 1, 1, 86_400, 10 * 86_400);
  let [refunds, cancels, renewals, refused, taken, held, own] = [0, 0, 0, 0, 0, 0, 0];
  const chain = fc.array(link, { minLength: 1, maxLength: 50, size: 'max' });
  fc.assert(
    fc.property(start, heldAfter, chain, (startAt, holdsAfter, links) => {
      let position = opening();
      let at = startAt;
      const heldFrom = holdsAfter === null ? null : startAt + holdsAfter;
      for (const { jobsRun, mode, answer, move, first, second, percentOff, wait: next } of links) {
        position = inMode(position, mode);
        for (const one of [answer, jobsRun ? 'jobs' : null, move] as const) {
          const priced = withPrices(position, [first, second, 1n], 0);
          const after = one === null ? null : act(withRules(priced, { heldFrom, percentOff }), one, at);
          if (after === null) continue;
          const ordered = after.position.state.orders[0];
          if (ordered !== position.state.orders[0]) {
            if (ordered?.priceRule.name === 'held') held += 1;
            if (ordered?.priceRule.name === 'account') own += 1;
          }
          position = after.position;
          if (after.refunded) refunds += 1;
          if (one === 'failed') refused += 1;
          if (one === 'completed') taken += 1;
          if (one === 'cancel') cancels += 1;
          if (one === 'jobs') renewals += 1;
        }
        const later = next(position, at);
        holdsNoMore(position, at, later);
        at = later;
      }
      const account = accountOf(position);
      assert.equal(openingCents - account.balanceCents, position.spentCents, 'no money from nowhere');
    }),
    { numRuns: randomChains, seed },
  );
  context.diagnostic(
    `${randomChains} chains with ${refunds} refunds, ${cancels} cancels, ${renewals} renewals by itself, ${taken} orders taken and ${refused} refused after waiting, ${held} at a held price and ${own} at an account's own, seed ${seed}`,
  );
  for (const count of [refunds, cancels, renewals, taken, refused, own]) assert.ok(count > randomChains / 2);
  assert.ok(held > randomChains / 4);
});

test('a clock that is set back does not make a refund larger than what was paid', () => {
  const seconds = fc.integer({ min: -100 * 86_400, max: 100 * 86_400 });
  fc.assert(
    fc.property(fc.array(seconds, { minLength: 2, maxLength: 12 }), (jumps) => {
      let at = 1_800_000_000;
      let position = opening();
      for (const [index, jump] of jumps.entries()) {
        const before = accountOf(position).balanceCents;
        const paid = position.paid.reduce((sum, { cents }) => sum + cents, 0n);
        // The packages alternate, so every order begins a new run.
        const move: OrderMove = { packageId: 1 + (accountOf(position).orderCount % 2), months: 3 };
        const priced = withPrices(
          position,
          [{ 1: 10n, 3: 1000n, 12: 0n }, { 1: 10n, 3: 3000n, 12: 0n }, 1n],
          0,
        );
        const isCancel = index % 3 === 2;
        const command = isCancel ? lifeCommandOf('cancel', priced.state) : commandOf(move, priced.state);
        const { outcomes, changes } = decideOrders(priced.state, [command], at);
        const [outcome] = outcomes;
        at += jump;
        if (isCancel && outcome?.type === 'refused') continue;
        if (outcome?.type === 'plan_changed') {
          assert.ok(outcome.refundCents <= paid);
          position = { ...position, state: applied(priced.state, changes), paid: [] };
          continue;
        }
        assert.ok(outcome?.type === 'ordered');
        assert.ok(outcome.order.refundCents <= paid);
        assert.ok(outcome.order.balanceAfterCents <= before + paid);
        position = {
          ...position,
          state: applied(priced.state, changes),
          paid: [{ startsAt: at, endsAt: outcome.order.expiresAt, cents: outcome.order.priceCents }],
        };
      }
    }),
    { numRuns: 300, seed },
  );
});

test('a plan that was cancelled does not run again for a clock that is behind', () => {
  const start = 1_800_000_000;
  const prices: PriceOf = { 1: 1000n, 3: 3000n, 12: 0n };
  const at = (position: Position, move: Move, now: number) => {
    const priced = withPrices(position, [prices, prices, 1n], 0);
    const command = typeof move === 'object' ? commandOf(move, priced.state) : null;
    const wanted = command ?? lifeCommandOf('cancel', priced.state);
    const { outcomes, changes } = decideOrders(priced.state, [wanted], now);
    return { outcome: outcomes[0], position: { ...position, state: applied(priced.state, changes) } };
  };
  const ordered = at(opening(), { packageId: 1, months: 1 }, start);
  const cancelled = at(ordered.position, 'cancel', start + 10);
  const again = at(cancelled.position, { packageId: 1, months: 1 }, start + 8);
  assert.ok(again.outcome?.type === 'ordered');
  const { kind, expiresAt } = again.outcome.order;
  assert.equal(kind, 'activate');
  assert.ok(expiresAt <= start + 10 + 31 * 86_400, 'one month for one price');
  assert.equal(at(cancelled.position, 'cancel', start + 8).outcome?.type, 'refused');
});

interface After {
  readonly position: Position;
  readonly refunded: boolean;
}

/** Returns null if the move had no effect. */
function act(position: Position, move: Move, at: number): After | null {
  if (move === 'completed' || move === 'failed') return settle(position, move, at);
  if (position.waiting !== null && isRefusedWhilePending(move))
    return refusedWhilePending(position, move, at);
  if (typeof move === 'object') return order(position, move, at);
  if (position.state.customers.length === 0) return null;
  return move === 'jobs' ? renewByItself(position, at) : changeLife(position, move, at);
}

function order(position: Position, move: OrderMove, at: number): After | null {
  const { state } = position;
  if (move.packageId === null && state.orders.length === 0) return null;
  const { outcomes, changes } = decideOrders(state, [commandOf(move, state)], at);
  const [outcome] = outcomes;
  const after = applied(state, changes);
  const runs = position.paid.some(({ endsAt }) => endsAt > at) || isTrialRunning(state, at);
  if (outcome?.type === 'granted') {
    return { position: { ...position, state: after, paid: [], packageId: trialId }, refunded: false };
  }
  if (outcome?.type === 'refused') {
    assert.equal(outcome.refusal.code, 'order_failed', JSON.stringify(outcome.refusal));
    return null;
  }
  assert.ok(outcome?.type === 'ordered');
  const { kind, packageId } = outcome.order;
  const runsTheSame = runs && position.packageId === packageId;
  assert.equal(kind, move.packageId === null || runsTheSame ? 'renew' : runs ? 'change' : 'activate');
  return ordered({ ...position, state: after }, outcome.order, { from: position, runsTheSame, at });
}

function isRefusedWhilePending(move: OrderMove | LifeMove): boolean {
  return move !== 'suspend' && move !== 'resume';
}

/** The plan cannot be changed meanwhile, and an attempt by the service is postponed. */
function refusedWhilePending(position: Position, move: OrderMove | LifeMove, at: number): After | null {
  const { state } = position;
  if (move === 'jobs') {
    const life = state.customers[0]?.life;
    if (life === undefined || life.renewAt === null || life.endsAtPeriodEnd || life.renewAt > at) return null;
  }
  const command =
    typeof move === 'object'
      ? commandOf(move, state)
      : move === 'jobs'
        ? renewalOf(state, 'a')
        : lifeCommandOf(move, state);
  const { outcomes, changes } = decideOrders(state, [command], at);
  const [outcome] = outcomes;
  assert.ok(outcome?.type === 'refused', `${JSON.stringify(move)}: ${outcome?.type}`);
  assert.deepEqual(
    [outcome.refusal.code, outcome.refusal.details],
    ['order_failed', { reason: 'order_pending' }],
  );
  assert.equal(changes.entries.length, 0);
  return { position: { ...position, state: applied(state, changes) }, refunded: false };
}

/** Accepted: as if never pending. Refused: as if it had never existed. A second answer changes nothing. */
function settle(position: Position, outcome: SettleMove, at: number): After | null {
  const { state, waiting } = position;
  if (waiting === null) return null;
  const { order, givenCents, paid, planBefore } = waiting;
  const before = accountOf(position).balanceCents;
  const command = settleOf(order.number, outcome);
  const other = settleOf(order.number, outcome === 'failed' ? 'completed' : 'failed');
  const { outcomes, changes } = decideOrders(state, [command, other, command], at);
  assert.deepEqual(
    outcomes.map((one) =>
      one.type === 'refused' ? one.refusal.code : one.type === 'settled' && one.replayed,
    ),
    [false, 'order_already_settled', true],
  );
  const after = applied(state, changes);
  const [plan] = after.customers.map((customer) => customer.plan);
  const { balanceCents } = accountOf({ ...position, state: after });
  const wasHeld = held(position, at);
  if (outcome === 'failed') {
    assert.equal(balanceCents, before + order.priceCents - givenCents);
    if (planBefore !== null) assert.deepEqual(plan, planBefore, 'the plan is as before');
    assert.ok(plan === undefined || plan.expiresAt <= at || planBefore !== null);
    const next = {
      ...position,
      state: after,
      waiting: null,
      spentCents: position.spentCents - order.priceCents + givenCents,
    };
    assert.ok(held(next, at) <= wasHeld, 'a refusal gives no profit');
    return { position: next, refunded: false };
  }
  const restCents = order.refundCents - givenCents;
  assert.equal(balanceCents, before + restCents);
  assert.equal(plan?.expiresAt, order.expiresAt, 'the terms are of the order’s second');
  const spentCents = position.spentCents - restCents;
  const next = { state: after, paid, packageId: order.packageId, spentCents, waiting: null };
  assert.ok(held(next, at) <= wasHeld, 'a yes gives no profit');
  return { position: next, refunded: restCents > 0n };
}

function ordered(
  position: Position,
  record: OrderRecord,
  { from, runsTheSame, at }: { from: Position; runsTheSame: boolean; at: number },
): After {
  const { kind, packageId, priceCents, refundCents, expiresAt, balanceAfterCents } = record;
  const before = accountOf(from).balanceCents;
  const waits = position.state.productMode === 'confirm';
  // No refund may be spent that may have to be taken back.
  const givenCents = waits && refundCents > priceCents ? priceCents : refundCents;
  assert.equal(balanceAfterCents, before + givenCents - priceCents);
  assert.equal(accountOf(position).balanceCents, balanceAfterCents);
  if (kind === 'change') assert.ok(isFloorOfUnused(refundCents, position.paid, at));
  else assert.equal(refundCents, 0n);

  const endedBefore = position.paid.at(-1)?.endsAt ?? at;
  const period = { startsAt: runsTheSame ? endedBefore : at, endsAt: expiresAt, cents: priceCents };
  assert.ok(period.endsAt > period.startsAt);
  const paid = runsTheSame ? [...position.paid, period] : [period];
  const spentCents = position.spentCents + priceCents - givenCents;
  const planBefore = from.state.customers[0]?.plan ?? null;
  const waiting = waits ? { order: record, givenCents, paid, planBefore } : null;
  if (waits && planBefore !== null) assert.deepEqual(position.state.customers[0]?.plan, planBefore);
  const next = waits
    ? { ...position, spentCents, waiting }
    : { state: position.state, paid, packageId, spentCents, waiting };
  assert.ok(held(next, at) <= before + worth(position.paid, at), 'an order gives no profit');
  return { position: next, refunded: givenCents > 0n };
}

function renewByItself(position: Position, at: number): After | null {
  const { state } = position;
  const life = state.customers[0]?.life;
  if (life === undefined || life.renewAt === null || life.endsAtPeriodEnd || life.renewAt > at) return null;
  const { outcomes, changes } = decideOrders(state, [renewalOf(state, 'a'), renewalOf(state, 'b')], at);
  const [outcome, again] = outcomes;
  assert.equal(again?.type, 'not_due');
  assert.ok(outcome?.type === 'ordered', outcome?.type);
  assert.deepEqual([outcome.order.kind, outcome.order.packageId], ['renew', position.packageId]);
  const runsTheSame = position.paid.some(({ endsAt }) => endsAt > at);
  const next = { ...position, state: applied(state, changes) };
  return ordered(next, outcome.order, { from: position, runsTheSame, at });
}

/** Only a cancel moves money. It refunds what is unused, and after that nothing is. */
function changeLife(position: Position, move: Exclude<LifeMove, 'jobs'>, at: number): After | null {
  const { state } = position;
  const before = accountOf(position).balanceCents;
  const { outcomes, changes } = decideOrders(state, [lifeCommandOf(move, state)], at);
  const [outcome] = outcomes;
  const runs = position.paid.some(({ endsAt }) => endsAt > at);
  const runsTrial = isTrialRunning(state, at);
  if (outcome?.type === 'refused') {
    const needsPlan = move === 'cancel' || move === 'period_end' || move === 'auto_renew';
    assert.ok(needsPlan && !runs, `${move}: ${JSON.stringify(outcome.refusal)}`);
    assert.ok(!runsTrial || move === 'auto_renew');
    return null;
  }
  assert.ok(outcome?.type === 'plan_changed');
  const { refundCents, balanceAfterCents } = outcome;
  const after = { ...position, state: applied(state, changes) };
  assert.deepEqual(
    [accountOf(after).balanceCents, balanceAfterCents],
    [before + refundCents, balanceAfterCents],
  );
  assert.equal(balanceAfterCents, before + refundCents);
  if (move !== 'cancel') {
    assert.equal(refundCents, 0n);
    return { position: after, refunded: false };
  }
  assert.ok(runs || runsTrial);
  assert.ok(isFloorOfUnused(refundCents, position.paid, at));
  const spentCents = position.spentCents - refundCents;
  const ended = { ...after, paid: [], packageId: null, spentCents };
  assert.ok(held(ended, at) <= before + worth(position.paid, at), 'a cancel gives no profit');
  return { position: ended, refunded: refundCents > 0n };
}

/** The worth: the balance plus what unused time would refund. */
function held(position: Position, at: number): bigint {
  const { waiting, paid } = position;
  const { balanceCents } = accountOf(position);
  if (waiting === null) return balanceCents + worth(paid, at);
  const { order, givenCents } = waiting;
  const refused = balanceCents + order.priceCents - givenCents + worth(paid, at);
  const taken = balanceCents + order.refundCents - givenCents + worth(waiting.paid, at);
  return refused > taken ? refused : taken;
}

/** Waiting adds no worth, and the plan's unused time is worth what the records say. */
function holdsNoMore(position: Position, at: number, later: number): void {
  assert.ok(held(position, later) <= held(position, at));
  const plan = position.state.customers[0]?.plan;
  if (plan === undefined) return;
  for (const now of [at, later]) assert.equal(unusedCents(plan, now), worth(position.paid, now));
}

/** refund ≤ unused < refund + 1 cent, computed without rounding, because at most one period is partly used. */
function isFloorOfUnused(refundCents: bigint, paid: readonly Paid[], at: number): boolean {
  const whole = paid.filter(({ startsAt }) => startsAt >= at).reduce((sum, { cents }) => sum + cents, 0n);
  const partly = paid.find(({ startsAt, endsAt }) => startsAt < at && at < endsAt);
  if (partly === undefined) return refundCents === whole;
  const length = BigInt(partly.endsAt - partly.startsAt);
  const exact = whole * length + partly.cents * BigInt(partly.endsAt - at);
  return refundCents * length <= exact && exact < (refundCents + 1n) * length;
}

function worth(paid: readonly Paid[], at: number): bigint {
  let cents = 0n;
  for (const period of paid) {
    const length = BigInt(period.endsAt - period.startsAt);
    const unused = BigInt(Math.min(Math.max(period.endsAt - at, 0), period.endsAt - period.startsAt));
    cents += (period.cents * unused) / length;
  }
  return cents;
}

function instants({ paid }: Position, at: number): readonly number[] {
  const [first, last] = [paid[0], paid.at(-1)];
  if (first === undefined || last === undefined) return [at];
  const middle = Math.floor((first.startsAt + last.endsAt) / 2);
  const all = [at, at + 1, middle, last.endsAt - 1, last.endsAt];
  return [...new Set(all.filter((instant) => instant >= at))];
}

function opening(): Position {
  const state = orderState(accountState({ id: accountId, balanceCents: openingCents }));
  return { state, paid: [], packageId: null, spentCents: 0n, waiting: null };
}

function inMode(position: Position, productMode: OrderState['productMode']): Position {
  return { ...position, state: { ...position.state, productMode } };
}

function dueAt({ state }: Position, at: number): number {
  return Math.max(at, state.customers[0]?.life.renewAt ?? at);
}

/** The prices at this step. From the second order on they are `later` times as high. */
function withPrices(
  position: Position,
  [first, second, later]: readonly [PriceOf, PriceOf, bigint],
  depth: number,
): Position {
  const at = (prices: PriceOf): PriceOf =>
    depth === 0 ? prices : { 1: prices[1] * later, 3: prices[3] * later, 12: prices[12] * later };
  const packages = new Map([
    [1, packageOf(1, at(first), false)],
    [2, packageOf(2, at(second), false)],
    [trialId, packageOf(trialId, { 1: 0n, 3: 0n, 12: 0n }, true)],
  ]);
  return { ...position, state: { ...position.state, packages } };
}

/** From `heldFrom` on, running plans keep what they paid. Every price of the account is `percentOff` lower. */
function withRules(
  position: Position,
  { heldFrom, percentOff }: { readonly heldFrom: number | null; readonly percentOff: number | null },
): Position {
  const { state } = position;
  const packages = [...state.packages.values()].map((one): Package => {
    const beforeCents = (group: Group, months: Months) => one.priceLines[group][months][0].cents;
    const heldSteps = priceTable((group, months) =>
      heldFrom === null ? [] : [{ from: heldFrom, beforeCents: beforeCents(group, months) }],
    );
    return { ...one, heldSteps };
  });
  const list = { id: 1, from: 0, until: null, percentOff, priceOf: () => undefined };
  return {
    ...position,
    state: {
      ...state,
      packages: new Map(packages.map((one) => [one.id, one])),
      accountPrices: new Map(percentOff === null ? [] : [[accountId, [list]]]),
      paidOrders: Map.groupBy(state.orders, paidKey),
    },
  };
}

function packageOf(id: number, prices: PriceOf, isTrial: boolean): Package {
  const limits = { accounts: 1, postsPerDay: 1, aiImagesPerMonth: 1 };
  const both = { reseller: prices, distributor: prices };
  return {
    id,
    name: `P${id}`,
    description: null,
    features: [],
    limits,
    durationDays: 14,
    periods: periodNames,
    isTrial,
    retired: false,
    createdAt: 0,
    ...steadyPrices(both),
  };
}

function settleOf(orderNumber: number, outcome: SettleMove): OrderCommand {
  return { type: 'settle_order', accountId, orderNumber, outcome, reason: null, by: null };
}

function renewalOf(state: OrderState, process: string): OrderCommand {
  return {
    type: 'renew_automatically',
    accountId,
    accessVersion: 1,
    idempotencyKey: `auto_${process}_${state.accounts[0]?.orderCount}`,
    keyIsMinted: true,
    customerNumber: 1,
    dueAt: state.customers[0]?.life.renewAt ?? 0,
    isBlocked: false,
  };
}

function lifeCommandOf(move: Exclude<LifeMove, 'jobs'>, state: OrderState): OrderCommand {
  const count = state.accounts[0]?.planChangeCount ?? 0;
  const keyed = { accountId, accessVersion: 1, idempotencyKey: `life_${count}`, keyIsMinted: true };
  const common = { ...keyed, actorId: accountId, customerNumber: 1 };
  if (move === 'cancel') return { type: 'cancel', ...common, at: 'now' };
  if (move === 'period_end') return { type: 'cancel', ...common, at: move };
  if (move === 'suspend') return { type: 'suspend', ...common, reason: null };
  if (move === 'resume') return { type: 'resume', ...common };
  const autoRenew = { months: 1, maxChargeCents: null, hoursBefore: 1 + 60 * (count % 8) } as const;
  return { type: 'set_auto_renew', ...common, autoRenew: move === 'auto_renew' ? autoRenew : null };
}

function commandOf({ packageId, months }: OrderMove, state: OrderState): OrderCommand {
  const count = state.accounts[0]?.orderCount ?? 0;
  if (packageId === trialId) {
    return {
      type: 'grant_trial',
      accountId,
      actorId: 1,
      packageId,
      customerReference: 'c',
      customerName: null,
      again: true,
      idempotencyKey: `auto_trial_${state.accounts[0]?.planChangeCount ?? 0}`,
      keyIsMinted: true,
    };
  }
  const keyed = { accountId, accessVersion: 1, idempotencyKey: `auto_${count}`, keyIsMinted: true };
  if (packageId === null)
    return { type: 'renew', ...keyed, orderNumber: count, months, maxChargeCents: null };
  return {
    type: 'place',
    ...keyed,
    packageId,
    customerReference: 'c',
    customerName: null,
    months: months ?? 1,
    maxChargeCents: null,
    loginLink: null,
  };
}

/** Keeps only the last order, which may be renewed or pending. */
function applied(state: OrderState, changes: ReturnType<typeof decideOrders>['changes']): OrderState {
  const customers = [...changes.newCustomers, ...changes.changedCustomers, ...changes.changedLives].slice(-1);
  return {
    ...state,
    accounts: changes.accounts.length > 0 ? changes.accounts : state.accounts,
    customers: customers.length > 0 ? customers : state.customers,
    orders: (changes.orders.length > 0 ? changes.orders.slice(-1) : state.orders).map((order) => ({
      ...order,
      handoff: changes.settledHandoffs.at(-1)?.status ?? order.handoff,
    })),
  };
}

function accountOf({ state }: Position) {
  const [account] = state.accounts;
  assert.ok(account);
  return account;
}

function isTrialRunning(state: OrderState, at: number): boolean {
  const plan = state.customers[0]?.plan;
  return plan !== undefined && plan.packageId === trialId && at < plan.expiresAt;
}
