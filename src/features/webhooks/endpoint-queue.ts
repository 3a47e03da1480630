// One endpoint as the deliverer holds it in memory: which event it gets next, and what becomes of the queue after an
// attempt. No I/O: the deliverer reads events into it, sends what `nextTask` says, and writes down what `settle` returns.
// Always true: events go out in their order while the endpoint answers. One that fails twice is passed by the first event
// behind it that succeeds (it was the event), and otherwise keeps everything waiting (it is the endpoint).

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

/** An event that waits for its endpoint, and where it stands: the endpoint's cursor, once it has passed it. */
export interface QueuedEvent {
  readonly cursor: number;
  readonly event: AccountEvent;
}

/** An event on a schedule of its own. */
export interface SetAside {
  readonly event: AccountEvent;
  readonly step: number;
  readonly dueAt: EpochSeconds;
  /** Of its row: another one means that somebody has asked for it again. */
  readonly version: number;
}

export type Task =
  /** The first of the queue. */
  | {
      readonly kind: 'head';
      readonly event: AccountEvent;
      readonly step: number;
      /** Made before its schedule began. */
      readonly shortRetries: number;
    }
  /** One behind it, to see whether it is the event or the endpoint. */
  | { readonly kind: 'probe'; readonly event: AccountEvent; readonly step: number; readonly index: number }
  | {
      readonly kind: 'retry';
      readonly event: AccountEvent;
      readonly step: number;
      readonly version: number;
    };

export interface EndpointQueue {
  /** What its owner decided, as last read. */
  settings: Webhook;
  readonly events: QueuedEvent[];
  /** Up to where events were read, those of other types included. */
  readTo: number;
  /** Up to where they are known to be there. */
  available: number;
  cursor: number;
  headStep: number;
  dueAt: EpochSeconds | null;
  /** At this step of the head an event behind it was tried as well. */
  isProbed: boolean;
  /** Its last event was delivered by this process, so one failure says little about it. */
  isAnswering: boolean;
  /** Of the head, made before its schedule began. */
  shortRetries: number;
  /** By the monotonic clock: the head rests until then. */
  restsUntil: number | null;
  failures: Failures;
  /** Due, or about to be: the first few that are set aside. */
  readonly retries: SetAside[];
  /** When the first of all that are set aside, and not in `retries`, is due; null: there is none. */
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

/** null: there is nothing to send now. `monotonic`: milliseconds. */
export function nextTask(queue: EndpointQueue, now: EpochSeconds, monotonic: number): Task | null {
  const { events, headStep, retries, shortRetries, restsUntil } = queue;
  const isFailing = headStep > 0;
  // Asked for by a person, who expects it at once, or set aside and due: then only while the endpoint answers.
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

/** How many events it should hold now; more are read when it has fewer and there are more. */
export function wantedEvents(queue: EndpointQueue, prefetch: number): number {
  if (queue.headStep === 0) return prefetch;
  return wantsProbe(queue) ? queue.headStep : 1;
}

/** What was read behind `readTo`, in order; `readTo`: up to where nothing was left out. */
export function takeEvents(queue: EndpointQueue, read: readonly QueuedEvent[], readTo: number): void {
  const { types } = queue.settings;
  for (const one of read) {
    if (types.length === 0 || types.includes(one.event.type)) queue.events.push(one);
  }
  queue.readTo = Math.max(queue.readTo, readTo);
  if (queue.events.length === 0) queue.cursor = queue.readTo;
}

/** What became of an attempt, to be written down. */
export interface Settled {
  readonly outcome: 'delivered' | 'failed' | 'given_up';
  /** From now on, or still, on a schedule of their own. */
  readonly setAside: readonly SetAside[];
  /** No more. */
  readonly ended: readonly Pick<SetAside, 'event' | 'version'>[];
}

export interface SettleTimes {
  readonly now: EpochSeconds;
  /** Milliseconds. */
  readonly monotonic: number;
  /** From 0 to 1. */
  readonly random: number;
  /** Before the schedule begins, where the endpoint has just answered: milliseconds from one attempt to the next. */
  readonly shortDelays: readonly number[];
}

/** Moves the queue on. */
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
  // Those between were tried as well when they were next, and failed; none of them has a schedule yet.
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

/** The events up to this one are behind the endpoint. */
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
  // It answers: what waits goes out now.
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

/** An endpoint that is down may stay so for days: what waits for it is read again when it is wanted. */
function keepHeadOnly(queue: EndpointQueue): void {
  const second = queue.events[1];
  if (second === undefined) return;
  queue.events.length = 1;
  queue.readTo = queue.events[0]?.cursor ?? queue.cursor;
}

/** Whether it failed lately: of the slots it gets a small share. */
export function isFailing({ failures }: EndpointQueue): boolean {
  return failures.failingSince !== null;
}
