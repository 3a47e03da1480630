// When attempts are repeated and how an endpoint's queue changes: the whole logic, without database and sockets.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createEndpointQueue,
  type EndpointQueue,
  nextTask,
  settle,
  takeEvents,
  wantedEvents,
} from '../../src/features/webhooks/endpoint-queue.ts';
import type { Webhook } from '../../src/features/webhooks/webhook-table.ts';
import {
  isDue,
  isLongFailing,
  nextAttemptAt,
  noFailures,
  oneMoreFailure,
} from '../../src/platform/outbound/retry-schedule.ts';

const [minute, hour, day] = [60, 3_600, 86_400];

describe('the schedule', () => {
  test('is that of the contract: ten attempts', () => {
    const delays = [
      5,
      5 * minute,
      30 * minute,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
    ];
    for (const [index, delay] of delays.entries()) assert.equal(nextAttemptAt(index + 1, 0, 0), delay);
    assert.equal(nextAttemptAt(10, 0, 0), null);
  });

  test('those that failed together come back apart: up to a tenth earlier, and a minute at most', () => {
    for (let step = 1; step < 10; step += 1) {
      const [latest, earliest] = [nextAttemptAt(step, 0, 0) ?? 0, nextAttemptAt(step, 0, 1) ?? 0];
      assert.ok(latest - earliest <= Math.min(minute, latest / 10));
    }
    assert.equal(nextAttemptAt(1, 0, 0.99), 5);
  });

  test('a clock that is set back never makes an event wait longer than the schedule', () => {
    assert.equal(isDue(10 * day, 0), true);
    assert.equal(isDue(day, 0), false);
    assert.equal(isDue(null, 0), true);
  });

  test('five days of nothing but failures, and not one failure and a jump of the clock', () => {
    let failures = oneMoreFailure(noFailures, 0);
    assert.equal(isLongFailing(oneMoreFailure(failures, 5 * day), 5 * day), false, 'it jumped');
    for (let at = 12 * hour; at < 5 * day; at += 12 * hour) {
      failures = oneMoreFailure(failures, at);
      assert.equal(isLongFailing(failures, at), false);
    }
    failures = oneMoreFailure(failures, 5 * day);
    assert.equal(isLongFailing(failures, 5 * day), true);
    assert.equal(isLongFailing(noFailures, 5 * day), false);
  });
});

const webhook: Webhook = {
  id: 1,
  accountId: 2,
  url: 'https://shop.example.com',
  types: [],
  description: null,
  enabled: true,
  sealedSecret: '',
  sealedPreviousSecret: null,
  previousUntil: null,
  createdAt: 0,
  queueVersion: 1,
  cursor: 0,
  attemptCount: 0,
  headStep: 0,
  dueAt: null,
  ...noFailures,
  disabledAt: null,
  disabledReason: null,
};

const event = (number: number) => ({
  accountId: 2,
  number,
  type: 'plan.expired' as const,
  createdAt: 0,
  data: '{}',
});

/** Sends `count` events, of which `refuses` refuses some. Returns what was sent, in order. */
function deliver(count: number, refuses: (number: number, now: number) => boolean, lastsSeconds: number) {
  const queue: EndpointQueue = createEndpointQueue(webhook, count);
  const sent: { number: number; now: number; kind: string }[] = [];
  const givenUp: number[] = [];
  for (let now = 0; now <= lastsSeconds; now += 1) {
    for (;;) {
      const wanted = wantedEvents(queue, 10) - queue.events.length;
      const more = Array.from({ length: Math.max(0, Math.min(wanted, count - queue.readTo)) }, (_, index) => {
        const number = queue.readTo + 1 + index;
        return { cursor: number, event: event(number) };
      });
      if (more.length > 0) takeEvents(queue, more, more.at(-1)?.cursor ?? 0);
      const task = nextTask(queue, now, now * 1_000);
      if (task === null) break;
      const { number } = task.event;
      sent.push({ number, now, kind: task.kind });
      const times = { now, monotonic: now * 1_000, random: 0, shortDelays: [] };
      const settled = settle(queue, task, !refuses(number, now), times);
      if (settled.outcome === 'given_up') givenUp.push(number);
      // The deliverer reads these again after writing them.
      for (const one of settled.setAside) queue.retries.push(one);
    }
  }
  return { queue, sent, givenUp };
}

describe('the queue of an endpoint', () => {
  test('that answers gets everything once, in order', () => {
    const { sent, queue } = deliver(25, () => false, 0);
    assert.deepEqual(
      sent.map(({ number }) => number),
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    assert.equal(queue.cursor, 25);
  });

  test('nothing passes an event that failed once', () => {
    const { sent } = deliver(3, (number, now) => number === 1 && now < 5, 10);
    assert.deepEqual(
      sent.map(({ number, now }) => [number, now]),
      [
        [1, 0],
        [1, 5],
        [2, 5],
        [3, 5],
      ],
    );
  });

  test('a poisoned event is passed after its second failure, tried on its own schedule, and given up after ten', () => {
    const { sent, givenUp } = deliver(5, (number) => number === 2, 4 * day);
    const others = sent.filter(({ number }) => number !== 2);
    assert.deepEqual(
      others.map(({ number, now }) => [number, now]),
      [
        [1, 0],
        [3, 5],
        [4, 5],
        [5, 5],
      ],
    );
    const tries = sent.filter(({ number }) => number === 2).map(({ now }) => now);
    assert.equal(tries.length, 10);
    assert.deepEqual(tries.slice(0, 3), [0, 5, 5 + 5 * minute]);
    assert.deepEqual(givenUp, [2]);
  });

  test('several poisoned events in a row are passed as well', () => {
    const { sent } = deliver(6, (number) => number >= 2 && number <= 4, day);
    const fine = sent.filter(({ number }) => [1, 5, 6].includes(number)).map(({ number }) => number);
    assert.deepEqual(fine, [1, 5, 6]);
    assert.ok((sent.find(({ number }) => number === 6)?.now ?? day) < 3 * hour);
  });

  test('for an endpoint that is down one event is tried on the schedule, with one behind it; then all go out in order', () => {
    const { sent } = deliver(20, (_number, now) => now < 3 * hour, 8 * hour);
    const down = sent.filter(({ now }) => now < 3 * hour);
    assert.deepEqual(
      down.filter(({ kind }) => kind === 'head').map(({ number, now }) => [number, now]),
      [
        [1, 0],
        [1, 5],
        [1, 305],
        [1, 2_105],
        [1, 9_305],
      ],
    );
    assert.equal(down.filter(({ kind }) => kind === 'probe').length, 4);
    const up = sent.filter(({ now }) => now >= 3 * hour).map(({ number }) => number);
    assert.deepEqual(
      up,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  test('that has just answered is tried again after 0.2 s and 1 s, and then by the schedule; nothing passes', () => {
    const queue = createEndpointQueue(webhook, 3);
    takeEvents(
      queue,
      [1, 2, 3].map((number) => ({ cursor: number, event: event(number) })),
      3,
    );
    const sent: [number: number, milliseconds: number][] = [];
    for (let monotonic = 0, tries = 0; monotonic <= 7_000; monotonic += 100) {
      const now = Math.floor(monotonic / 1_000);
      for (let task = nextTask(queue, now, monotonic); task !== null; ) {
        sent.push([task.event.number, monotonic]);
        if (task.event.number === 2) tries += 1;
        const isDelivered = task.event.number !== 2 || tries > 3;
        settle(queue, task, isDelivered, { now, monotonic, random: 0, shortDelays: [200, 1_000] });
        task = nextTask(queue, now, monotonic);
      }
    }
    assert.deepEqual(sent, [
      [1, 0],
      [2, 0],
      [2, 200],
      [2, 1_200],
      [2, 6_000],
      [3, 6_000],
    ]);
  });

  test('that has not answered yet waits for the schedule at once', () => {
    const queue = createEndpointQueue(webhook, 1);
    takeEvents(queue, [{ cursor: 1, event: event(1) }], 1);
    const task = nextTask(queue, 0, 0);
    assert.ok(task !== null);
    settle(queue, task, false, { now: 0, monotonic: 0, random: 0, shortDelays: [200, 1_000] });
    assert.equal(nextTask(queue, 4, 4_000), null);
    assert.equal(nextTask(queue, 5, 5_000)?.step, 1);
  });
});
