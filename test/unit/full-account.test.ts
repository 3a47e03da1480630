// The last number that an account may use, and the first number that is refused (docs/decisions/0002-ids.md).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideOrders } from '../../src/features/order-engine/decisions/decide-orders.ts';
import type { OrderCommand } from '../../src/features/order-engine/decisions/order-commands.ts';
import { parseOwnedId, publicId } from '../../src/shared/identifiers.ts';
import { accountState, orderState } from '../harness/order-states.ts';

const numbers = { orderCount: 0, customerCount: 0, entryCount: 0, planChangeCount: 0, eventCount: 0 };

function outcomesOf(used: Partial<typeof numbers>, id = 7) {
  const ofTest = { testOf: 7, testState: 'current', testClock: 0 } as const;
  const account = accountState({ id, ...(id !== 7 && ofTest), ...numbers, ...used });
  const command: OrderCommand = {
    type: 'credit',
    accountId: id,
    amountCents: 100n,
    memo: null,
    actorId: 1,
    idempotencyKey: 'credit',
    keyIsMinted: false,
  };
  return decideOrders(orderState(account), [command], 0).outcomes;
}

test('an account uses 900,000,000 numbers of a kind, and the next one is refused', () => {
  for (const counter of Object.keys(numbers)) {
    assert.equal(outcomesOf({ [counter]: 899_999_999 })[0]?.type, 'credited', counter);
    assert.deepEqual(
      outcomesOf({ [counter]: 900_000_000 }),
      [{ type: 'refused', refusal: { code: 'order_failed', details: { reason: 'account_full' } } }],
      counter,
    );
  }
});

test('a test uses 10,000,000 numbers of a kind', () => {
  for (const counter of Object.keys(numbers)) {
    assert.equal(outcomesOf({ [counter]: 9_999_999 }, 5_000_001)[0]?.type, 'credited', counter);
    const [outcome] = outcomesOf({ [counter]: 10_000_000 }, 5_000_001);
    assert.ok(outcome?.type === 'refused', counter);
    assert.deepEqual(outcome.refusal, { code: 'order_failed', details: { reason: 'account_full' } });
  }
});

test('the last number of an account has an id of its own', () => {
  // The very last order may have two ledger entries.
  const id = publicId(7, 900_000_001);
  assert.deepEqual(parseOwnedId(String(id)), { accountId: 7, number: 900_000_001 });
});
