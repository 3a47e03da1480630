// How the engine shares its time between live orders and those of test mode, on a simulated clock.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import type { OrderCommand } from '../../src/features/order-engine/decisions/order-commands.ts';
import { createOrderEngine } from '../../src/features/order-engine/order-engine.ts';
import { createTestBudget } from '../../src/features/order-engine/records/test-usage.ts';
import { orderEventData } from '../../src/features/orders/order-event-data.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { Overloaded } from '../../src/shared/overloaded.ts';
import { testModeOf } from '../harness/test-mode.ts';

const batchMilliseconds = 10;
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

interface Batch {
  readonly mode: 'real' | 'test';
  readonly size: number;
  readonly movesClock: boolean;
}

async function scene(changes: Partial<typeof defaultLimits.engine.tests> = {}) {
  const live = await service.createReseller({ credit: '1000.00' });
  const tests = await testModeOf(service, live);
  let time = 0;
  const batches: Batch[] = [];
  const rests: number[] = [];
  const engine = createOrderEngine({
    database: service.database,
    currency: 'USD',
    cancelRefund: 'unused',
    testBudget: createTestBudget(100_000, null),
    orderEventData,
    now: () => service.clock.seconds,
    monotonicNow: () => time,
    rest: async (milliseconds) => {
      rests.push(milliseconds);
      time += milliseconds;
    },
    packages: service.service.packages.current,
    reloadPackages: service.service.packages.reload,
    limits: {
      ...defaultLimits.engine,
      waitMilliseconds: 1_000_000,
      laneCount: 1,
      tests: { ...defaultLimits.engine.tests, ...changes },
    },
    events: {
      onBatch(commands) {
        const isTest = commands.every(({ accountId }) => accountId === tests.id);
        const isReal = commands.every(({ accountId }) => accountId === live.id);
        assert.ok(isTest !== isReal, 'a batch is of real orders or of tests');
        const movesClock = commands.some(({ type }) => type === 'move_test_clock');
        batches.push({ mode: isTest ? 'test' : 'real', size: commands.length, movesClock });
        time += batchMilliseconds;
      },
      onBatchBroken: (error) => assert.fail(String(error)),
    },
  });
  let count = 0;
  const credit = (accountId: number): OrderCommand => {
    count += 1;
    return {
      type: 'credit',
      accountId,
      actorId: live.id,
      amountCents: 1n,
      memo: null,
      idempotencyKey: `credit-${count}`,
      keyIsMinted: true,
    };
  };
  return {
    engine,
    batches,
    rests,
    real: () => engine.submit(credit(live.id)),
    test: () => engine.submit(credit(tests.id)),
    moveClock: (stepsMax: number) =>
      engine.submit({
        type: 'move_test_clock',
        accountId: tests.id,
        idempotencyKey: 'move',
        keyIsMinted: false,
        to: { type: 'duration', duration: { months: 0, seconds: 60 } },
        stepsMax,
        holdSeconds: 10,
        orderKeys: 'auto_move',
      }),
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

test('without real orders tests do not rest', async () => {
  const { engine, rests, batches, test: place } = await scene();
  for (let count = 0; count < 5; count += 1) await place();
  assert.deepEqual(rests, []);
  assert.equal(batches.length, 5);
  await engine.drain();
});

test('beside real orders tests rest four times as long as their batch took, until real orders have stayed away for a second', async () => {
  const { engine, rests, real, test: place } = await scene();
  await real();
  for (let count = 0; count < 6; count += 1) await place();
  await engine.drain();
  // The last command is answered before the rest that follows it.
  const wanted = 4 * batchMilliseconds;
  assert.ok(rests.length >= 5, `${rests}`);
  assert.ok(rests.every((rest) => rest === wanted));

  const later = await scene();
  await later.real();
  later.pass(900);
  // Two commands come within a second after the real order, and one comes later.
  for (let count = 0; count < 3; count += 1) await later.test();
  assert.equal(later.rests.length, 2);
  await later.engine.drain();
});

test('real orders that never end keep no test waiting forever, and batches never mix', async () => {
  const { engine, batches, real, test: place } = await scene();
  let isOver = false;
  const stream = (async () => {
    while (!isOver) await Promise.all([real(), real(), real()]);
  })();
  await Promise.all(Array.from({ length: 20 }, place));
  for (let count = 0; count < 5; count += 1) await place();
  isOver = true;
  await stream;
  await engine.drain();
  assert.ok(batches.some(({ mode }) => mode === 'real'));
  assert.ok(batches.some(({ mode }) => mode === 'test'));
});

test('a flood of tests is refused beyond its own limit, and real orders are taken', async () => {
  const { engine, real, test: place } = await scene({ queueDepthMax: 50 });
  const flood = Array.from({ length: 80 }, () =>
    place().then(
      () => 'taken',
      (error: unknown) => error,
    ),
  );
  const order = await real();
  assert.equal(order.type, 'credited');
  const outcomes = await Promise.all(flood);
  assert.equal(outcomes.filter((outcome) => outcome === 'taken').length, 50);
  assert.equal(outcomes.filter((outcome) => outcome instanceof Overloaded).length, 30);
  assert.equal(engine.queueDepth(), 0);
  await engine.drain();
});

test('a batch of tests holds no more of them than it may', async () => {
  const { engine, batches, test: place } = await scene({ batchOrdersMax: 4 });
  await Promise.all(Array.from({ length: 9 }, place));
  const sizes = batches.map(({ size }) => size);
  assert.ok(Math.max(...sizes) <= 4, `${sizes}`);
  await engine.drain();
});

test('a clock that may take as many steps as a batch has orders is moved in a batch of its own', async () => {
  const { engine, batches, test: place, moveClock } = await scene({ batchOrdersMax: 4 });
  await Promise.all([place(), place(), moveClock(4), place()]);
  assert.deepEqual(
    batches.filter(({ movesClock }) => movesClock).map(({ size }) => size),
    [1],
  );
  await engine.drain();
});
