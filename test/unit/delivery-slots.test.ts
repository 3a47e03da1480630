// Whose turn a delivery is: hundreds of hanging or failing endpoints do not delay endpoints that work.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeliverySlots } from '../../src/features/webhooks/delivery-slots.ts';

const limits = {
  promptMax: 256,
  laggardsMax: 64,
  laggardsOfAccountMax: 8,
  inFlightMax: 1_024,
  promptMilliseconds: 1_000,
};

interface Endpoint {
  readonly accountId: number;
  readonly name: string;
  readonly isLaggard: boolean;
}

const many = (count: number, name: string, isLaggard = false): Endpoint[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${name} ${index}`, isLaggard, accountId: index }));

function beginAll(slots: ReturnType<typeof createDeliverySlots<Endpoint>>): Endpoint[] {
  const begun: Endpoint[] = [];
  for (let next = slots.begin(); next !== null; next = slots.begin()) begun.push(next);
  return begun;
}

test('three hundred endpoints that hang hold up a healthy one for a second, and never again', () => {
  let now = 0;
  const slots = createDeliverySlots<Endpoint>(limits, () => now);
  const hanging = many(300, 'hangs');
  for (const endpoint of hanging) slots.enter(endpoint);
  assert.equal(beginAll(slots).length, 256);
  const healthy = { name: 'healthy', isLaggard: false, accountId: 1_000 };
  slots.enter(healthy);
  assert.deepEqual(beginAll(slots), []);
  now = 1_000;
  slots.demoteSlow();
  assert.ok(beginAll(slots).includes(healthy), 'after a second the others are laggards');
  slots.end(healthy);
  // Ten seconds later all of them have failed and want to try again.
  for (const one of hanging) slots.enter({ ...one, name: `${one.name} again`, isLaggard: true });
  slots.enter(healthy);
  assert.equal(beginAll(slots)[0], healthy);
});

test('of laggards a few are under way at once, in turn', () => {
  const slots = createDeliverySlots<Endpoint>(limits, () => 0);
  const laggards = many(100, 'fails', true);
  for (const endpoint of laggards) slots.enter(endpoint);
  assert.deepEqual(beginAll(slots), laggards.slice(0, 64));
  const [first] = laggards;
  if (first !== undefined) {
    slots.end(first);
    slots.enter(first);
  }
  assert.deepEqual(beginAll(slots), [laggards[64]], 'anyone who had its turn waits behind the others');
});

test('accounts take the slots of laggards in turn, each its share: many that hang keep a slow one of another waiting for one turn', () => {
  const slots = createDeliverySlots<Endpoint>(limits, () => 0);
  const ofAccount = (accountId: number, count: number) =>
    many(count, `of ${accountId}`, true).map((endpoint) => ({ ...endpoint, accountId }));
  const hanging = ofAccount(1, 100);
  for (const endpoint of hanging) slots.enter(endpoint);
  assert.deepEqual(beginAll(slots), hanging.slice(0, 8), 'the others are kept for other accounts');
  const [slow] = ofAccount(2, 1);
  assert.ok(slow !== undefined);
  slots.enter(slow);
  assert.deepEqual(beginAll(slots), [slow]);
  for (let accountId = 3; accountId <= 12; accountId += 1)
    for (const endpoint of ofAccount(accountId, 100)) slots.enter(endpoint);
  assert.equal(beginAll(slots).length, 64 - 9, 'all slots are taken');
  slots.end(slow);
  slots.enter(slow);
  const [other] = ofAccount(13, 1);
  assert.ok(other !== undefined);
  slots.leave(slow);
  assert.equal(slots.isWaiting(slow), false);
  slots.enter(other);
  slots.enter(slow);
  const next = Array.from({ length: 12 }, () => {
    const begun = slots.begin();
    assert.ok(begun !== null);
    slots.end(begun);
    return begun;
  });
  assert.ok(next.includes(other) && next.includes(slow), 'twelve turns serve every account that waits');
});

test('however many hang, so many are under way and no more', () => {
  let now = 0;
  const slots = createDeliverySlots<Endpoint>(limits, () => now);
  for (const endpoint of many(5_000, 'hangs')) slots.enter(endpoint);
  for (; now < 9_000; now += 1_000) {
    beginAll(slots);
    slots.demoteSlow();
    assert.ok(slots.inFlight() <= limits.inFlightMax);
  }
  assert.equal(slots.inFlight(), limits.inFlightMax);
});
