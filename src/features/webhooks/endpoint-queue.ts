// One endpoint's state in the deliverer, without I/O: the deliverer loads events, sends `nextTask` and writes what `settle`
// returns.
// Invariant: events are sent in order while the endpoint answers. If an event failed twice but a later one succeeds, the
// event is at fault and is set aside. If both fail, the endpoint is at fault and everything waits.

import {
  type Failures,
  isDue,
  nextAttemptAt,
  noFailures,
  oneMoreFailure,
} from '../../platform/outbound/retry-schedule.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { AccountEvent } from '../events/event-log.ts';
import type { Webhook } from './webhook-table.ts';

export interface QueuedEvent {
  readonly cursor: number;
  readonly event: AccountEvent;
}

export interface SetAside {
  readonly event: AccountEvent;
  readonly step: number;
  readonly dueAt: EpochSeconds;
  /** Changes when a person asks to send the event again. */
  readonly version: number;
}

export type Task =
  | {
      readonly kind: 'head';
      readonly event: AccountEvent;
      readonly step: number;
      readonly shortRetries: number;
    }
  /** Sends a later event, to find out whether the failed event or the endpoint is at fault. */
  | { readonly kind: 'probe'; readonly event: AccountEvent; readonly step: number; readonly index: number }
  | {
      readonly kind: 'retry';
      readonly event: AccountEvent;
      readonly step: number;
      readonly version: number;
    };

export interface EndpointQueue {
  settings: Webhook;
  readonly events: QueuedEvent[];
  /** The last number read, including events of types that the endpoint does not want. */
  readTo: number;
  /** Events are known to exist up to this number. */
  available: number;
  cursor: number;
  headStep: number;
  dueAt: EpochSeconds | null;
  isProbed: boolean;
  /** This process delivered the endpoint's last event, so a single failure means little. */
  isAnswering: boolean;
  shortRetries: number;
  restsUntil: number | null;
  failures: Failures;
  /** The first few events that were set aside and are due or nearly due. */
  readonly retries: SetAside[];
  retriesDueAt: EpochSeconds | null;
}

export function createEndpointQueue(settings: Webhook, available: number): EndpointQueue {
  return {
    settings,
    events: [],
    readTo: settings.cursor,
    available,
    cursor: settings.cursor,
    headStep: settings.headStep,
    dueAt: settings.dueAt,
    isProbed: false,
    isAnswering: false,
    shortRetries: 0,
    restsUntil: null,
    failures: {
      failuresInARow: settings.failuresInARow,
      failingSince: settings.failingSince,
      failedAt: settings.failedAt,
    },
    retries: [],
    retriesDueAt: null,
  };
}

/** Returns null if there is nothing to send now. `monotonic` is in milliseconds. */
export function nextTask(queue: EndpointQueue, now: EpochSeconds, monotonic: number): Task | null {
  const { events, headStep, retries, shortRetries, restsUntil } = queue;
  const isFailing = headStep > 0;
  // Events that a person asked for come first. Scheduled retries wait until the endpoint answers.
  const retry = retries.find(({ step, dueAt }) => isDue(dueAt, now) && (step === 0 || !isFailing));
  if (retry !== undefined) return { kind: 'retry', ...retry };
  const [head] = events;
  if (head === undefined) return null;
  if (restsUntil !== null && monotonic < restsUntil) return null;
  if (!isFailing || isDue(queue.dueAt, now))
    return { kind: 'head', event: head.event, step: headStep, shortRetries };
  if (!wantsProbe(queue)) return null;
  const index = Math.min(headStep - 1, events.length - 1);
  const probed = events[index];
  return probed === undefined || index === 0 ? null : { kind: 'probe', event: probed.event, step: 0, index };
}

function wantsProbe({ headStep, isProbed }: EndpointQueue): boolean {
  return headStep >= 2 && !isProbed;
}

export function wantedEvents(queue: EndpointQueue, prefetch: number): number {
  if (queue.headStep === 0) return prefetch;
  return wantsProbe(queue) ? queue.headStep : 1;
}

/** `read` must continue after `readTo` in order and without gaps, up to the new `readTo`. */
export function takeEvents(queue: EndpointQueue, read: readonly QueuedEvent[], readTo: number): void {
  const { types } = queue.settings;
  for (const one of read) {
    if (types.length === 0 || types.includes(one.event.type)) queue.events.push(one);
  }
  queue.readTo = Math.max(queue.readTo, readTo);
  if (queue.events.length === 0) queue.cursor = queue.readTo;
}

export interface Settled {
  readonly outcome: 'delivered' | 'failed' | 'given_up';
  /** Events that are now set aside, each with its own schedule. */
  readonly setAside: readonly SetAside[];
  readonly ended: readonly Pick<SetAside, 'event' | 'version'>[];
}

export interface SettleTimes {
  readonly now: EpochSeconds;
  readonly monotonic: number;
  readonly random: number;
  readonly shortDelays: readonly number[];
}

export function settle(queue: EndpointQueue, task: Task, isDelivered: boolean, times: SettleTimes): Settled {
  const { now, monotonic, random, shortDelays } = times;
  queue.failures = isDelivered ? noFailures : oneMoreFailure(queue.failures, now);
  if (task.kind === 'retry') return settleRetry(queue, task, isDelivered, now, random);
  if (isDelivered) return settleDelivered(queue, task, now);
  if (task.kind === 'probe') {
    queue.isProbed = true;
    keepHeadOnly(queue);
    return { outcome: 'failed', setAside: [], ended: [] };
  }
  const shortDelay = shortDelays[queue.shortRetries];
  if (queue.isAnswering && shortDelay !== undefined) {
    queue.shortRetries += 1;
    queue.restsUntil = monotonic + shortDelay;
    return { outcome: 'failed', setAside: [], ended: [] };
  }
  queue.isAnswering = false;
  queue.restsUntil = null;
  queue.headStep += 1;
  queue.isProbed = false;
  const dueAt = nextAttemptAt(queue.headStep, now, random);
  if (dueAt === null) {
    passBy(queue, 0);
    return { outcome: 'given_up', setAside: [], ended: [] };
  }
  queue.dueAt = dueAt;
  return { outcome: 'failed', setAside: [], ended: [] };
}

function settleDelivered(
  queue: EndpointQueue,
  task: Exclude<Task, { kind: 'retry' }>,
  now: EpochSeconds,
): Settled {
  const index = task.kind === 'probe' ? task.index : 0;
  // The events before the probed one failed too when it was their turn, but have no schedule yet.
  const passed = queue.events.slice(0, index).map(({ event }, place) => ({
    event,
    step: place === 0 ? queue.headStep : 1,
    dueAt: place === 0 ? (queue.dueAt ?? now) : now,
    version: 1,
  }));
  queue.isAnswering = true;
  passBy(queue, index);
  for (const one of passed) comeBackAt(queue, one.dueAt);
  return { outcome: 'delivered', setAside: passed, ended: [] };
}

function passBy(queue: EndpointQueue, index: number): void {
  const passed = queue.events.splice(0, index + 1).at(-1);
  queue.cursor = queue.events.length === 0 ? queue.readTo : (passed?.cursor ?? queue.cursor);
  queue.headStep = 0;
  queue.dueAt = null;
  queue.isProbed = false;
  queue.shortRetries = 0;
  queue.restsUntil = null;
}

function settleRetry(
  queue: EndpointQueue,
  { event, step, version }: Extract<Task, { kind: 'retry' }>,
  isDelivered: boolean,
  now: EpochSeconds,
  random: number,
): Settled {
  const index = queue.retries.findIndex((one) => one.event === event);
  if (index >= 0) queue.retries.splice(index, 1);
  // The endpoint answers again, so send its first event now.
  if (isDelivered && queue.headStep > 0) queue.dueAt = now;
  const dueAt = isDelivered ? null : nextAttemptAt(step + 1, now, random);
  if (dueAt === null) {
    return { outcome: isDelivered ? 'delivered' : 'given_up', setAside: [], ended: [{ event, version }] };
  }
  comeBackAt(queue, dueAt);
  return { outcome: 'failed', setAside: [{ event, step: step + 1, dueAt, version }], ended: [] };
}

function comeBackAt(queue: EndpointQueue, at: EpochSeconds): void {
  queue.retriesDueAt = Math.min(queue.retriesDueAt ?? at, at);
}

/** The endpoint may be down for days, so later events are dropped here and read again when needed. */
function keepHeadOnly(queue: EndpointQueue): void {
  const second = queue.events[1];
  if (second === undefined) return;
  queue.events.length = 1;
  queue.readTo = queue.events[0]?.cursor ?? queue.cursor;
}

/** An endpoint that failed last only gets the laggards' slots. */
export function isFailing({ failures }: EndpointQueue): boolean {
  return failures.failingSince !== null;
}
