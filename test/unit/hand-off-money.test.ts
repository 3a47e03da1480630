// Pending orders in random histories: accepted, they equal immediate orders; refused, they change nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decideOrders } from '../../src/features/order-engine/decisions/decide-orders.ts';
import type { OrderCommand, OrderOutcome } from '../../src/features/order-engine/decisions/order-commands.ts';
import type { OrderState } from '../../src/features/order-engine/decisions/order-state.ts';
import type { Package } from '../../src/features/packages/package-catalog.ts';
import { priceTable, steadyPrices } from '../../src/features/packages/price-lines.ts';
import { periodNames } from '../../src/shared/periods.ts';
import type { ProductMode } from '../../src/shared/product-states.ts';
import { fixedSeed as seed } from '../harness/fixed-seed.ts';
import { accountState, orderState } from '../harness/order-states.ts';

const start = 1_800_000_000;
const opening = 1_000_000n;
const monthly = [1_000n, 2_500n, 0n];

function packageOf(id: number, cents: bigint): Package {
  return {
    id,
    name: `Package ${id}`,
    description: null,
    features: [],
    limits: { accounts: 1, postsPerDay: 1, aiImagesPerMonth: 1 },
    createdAt: 0,
    isTrial: false,
    durationDays: 30,
    periods: periodNames,
    retired: false,
    ...steadyPrices(priceTable((_group, months) => cents * BigInt(months))),
  };
}

function openingState(productMode: ProductMode): OrderState {
  return orderState(accountState({ balanceCents: opening }), {
    packages: new Map(monthly.map((cents, index) => [index + 1, packageOf(index + 1, cents)])),
    productMode,
  });
}

function carriedOut(
  state: OrderState,
  command: OrderCommand,
  at: number,
): { state: OrderState; outcome: OrderOutcome } {
  const { outcomes, changes } = decideOrders(state, [command], at);
  const [outcome] = outcomes;
  assert.ok(outcome);
  for (const { balanceAfterCents } of changes.entries) assert.ok(balanceAfterCents >= 0n);
  const settled = new Map(changes.settledHandoffs.map(({ orderNumber, status }) => [orderNumber, status]));
  const orders = [...state.orders, ...changes.orders].map((order) => ({
    ...order,
    handoff: settled.get(order.number) ?? order.handoff,
  }));
  const [customer = state.customers[0]] = [
    ...changes.changedLives,
    ...changes.changedCustomers,
    ...changes.newCustomers,
  ];
  const customers = customer === undefined ? [] : [customer];
  const [account = state.accounts[0]] = changes.accounts;
  assert.ok(account);
  return { state: { ...state, orders, customers, accounts: [account] }, outcome };
}

interface Move {
  readonly packageId: number;
  readonly months: 1 | 3 | 12;
  readonly after: number;
  readonly takes: number;
}

const day = 86_400;
const moves = fc.array(
  fc.record({
    packageId: fc.integer({ min: 1, max: monthly.length }),
    months: fc.constantFrom(1 as const, 3 as const, 12 as const),
    after: fc.integer({ min: 0, max: 40 * day }),
    takes: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 12 },
);

function place({ packageId, months }: Move, index: number): OrderCommand {
  return {
    type: 'place',
    accountId: 1,
    accessVersion: 1,
    idempotencyKey: `k-${index}`,
    keyIsMinted: false,
    maxChargeCents: null,
    packageId,
    months,
    customerReference: 'one',
    customerName: null,
    loginLink: null,
  };
}

const settle = (orderNumber: number, outcome: 'completed' | 'failed'): OrderCommand => ({
  type: 'settle_order',
  accountId: 1,
  orderNumber,
  outcome,
  reason: null,
  by: null,
});

const balanceOf = ({ accounts }: OrderState) => accounts[0]?.balanceCents;
const planOf = ({ customers }: OrderState) => customers[0]?.plan;

test('orders that are taken, however late, come to what they come to without a product', () => {
  fc.assert(
    fc.property(moves, (history) => {
      let [plain, waiting] = [openingState('none'), openingState('confirm')];
      let at = start;
      for (const [index, move] of history.entries()) {
        at += move.after;
        const ordered = carriedOut(plain, place(move, index), at);
        const handedOver = carriedOut(waiting, place(move, index), at);
        assert.equal(handedOver.outcome.type, ordered.outcome.type);
        [plain, waiting] = [ordered.state, handedOver.state];
        if (handedOver.outcome.type !== 'ordered' || ordered.outcome.type !== 'ordered') continue;
        const { number, kind, refundCents, expiresAt } = handedOver.outcome.order;
        const should = ordered.outcome.order;
        assert.deepEqual([kind, refundCents, expiresAt], [should.kind, should.refundCents, should.expiresAt]);
        const late = at + Math.floor(move.takes * (history[index + 1]?.after ?? 0));
        waiting = carriedOut(waiting, settle(number, 'completed'), late).state;
        assert.equal(balanceOf(waiting), balanceOf(plain));
        assert.deepEqual(planOf(waiting), planOf(plain));
      }
    }),
    { seed, numRuns: 300 },
  );
});

test('orders that are refused leave the balance and the plan as they were, and so do their replays', () => {
  fc.assert(
    fc.property(moves, fc.array(fc.boolean()), (history, refusals) => {
      let state = openingState('confirm');
      let at = start;
      for (const [index, move] of history.entries()) {
        at += move.after;
        const before = { balance: balanceOf(state), plan: planOf(state) };
        const handedOver = carriedOut(state, place(move, index), at);
        state = handedOver.state;
        if (handedOver.outcome.type !== 'ordered') continue;
        const { number, balanceAfterCents } = handedOver.outcome.order;
        assert.equal(balanceOf(state), balanceAfterCents);
        // The balance never rises: nothing may be spendable that a refusal would have to take back.
        assert.ok(balanceAfterCents <= (before.balance ?? 0n));
        const isRefused = refusals[index] ?? true;
        const outcome = isRefused ? 'failed' : 'completed';
        state = carriedOut(state, settle(number, outcome), at + move.after).state;
        if (isRefused) {
          assert.equal(balanceOf(state), before.balance);
          if (before.plan !== undefined) assert.deepEqual(planOf(state), before.plan);
          else assert.ok((planOf(state)?.expiresAt ?? at) <= at);
        }
        const settledOnce = balanceOf(state);
        for (const again of ['completed', 'failed'] as const) {
          const repeated = carriedOut(state, settle(number, again), at + move.after);
          assert.equal(repeated.outcome.type, again === outcome ? 'settled' : 'refused');
          assert.equal(balanceOf(repeated.state), settledOnce);
        }
      }
    }),
    { seed, numRuns: 300 },
  );
});
