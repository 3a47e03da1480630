// Sends the requests of a deliverer's run: one per endpoint, endpoints in parallel.

import type { Outbound, OutboundResult } from '../../platform/outbound/outbound.ts';
import { isLongFailing } from '../../platform/outbound/retry-schedule.ts';
import { signedHeaders } from '../../platform/outbound/webhook-signature.ts';
import { publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { eventText } from '../events/event-view.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import type { RunMode } from './delivery-mode.ts';
import { createDeliverySlots } from './delivery-slots.ts';
import {
  type EndpointQueue,
  isFailing,
  nextTask,
  type Settled,
  settle,
  type Task,
} from './endpoint-queue.ts';
import { type Endpoint, isOfTest } from './endpoint-roster.ts';
import type { EventFeeder } from './event-feeder.ts';
import type { ProgressWriter, Unwritten } from './progress-writer.ts';
import type { DeliveryStatus } from './webhook-schemas.ts';

export interface EventSender {
  wake(endpoint: Endpoint): void;
  dispatch(): void;
  demoteSlow(): void;
  forget(endpoint: Endpoint): void;
  inFlight(): number;
}

export interface EventSenderOptions {
  readonly outbound: Pick<Outbound, 'send'>;
  readonly limits: DeliveryLimits;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly random: () => number;
  readonly mode: RunMode;
  readonly feeder: EventFeeder;
  readonly writer: ProgressWriter;
  readonly onAttempt: (outcome: DeliveryStatus) => void;
  readonly onSwitchOff: (endpoint: Endpoint, reason: 'gone' | 'failing') => void;
  readonly onIdle: () => void;
  readonly onProblem: (error: unknown) => void;
}

export function createEventSender(options: EventSenderOptions): EventSender {
  const { outbound, limits, now, monotonicNow, random, mode, feeder, writer } = options;
  const { onAttempt, onSwitchOff, onIdle, onProblem } = options;
  const slots = createDeliverySlots<Endpoint>(limits, monotonicNow);

  function wake(endpoint: Endpoint): void {
    if (!mode.isSending() || endpoint.isGone || endpoint.keys === null) return;
    const { queue } = endpoint;
    feeder.feed(endpoint);
    if (endpoint.isBusy || slots.isWaiting(endpoint) || nextTask(queue, now(), monotonicNow()) === null)
      return;
    endpoint.isLaggard = endpoint.isSlow || isFailing(queue);
    slots.enter(endpoint);
    dispatch();
  }

  function dispatch(): void {
    while (mode.isSending() && writer.hasRoom()) {
      const endpoint = slots.begin();
      if (endpoint === null) return;
      const task = nextTask(endpoint.queue, now(), monotonicNow());
      if (task === null || endpoint.isGone) slots.end(endpoint);
      else void send(endpoint, task);
    }
  }

  async function send(endpoint: Endpoint, task: Task): Promise<void> {
    const { queue, keys } = endpoint;
    endpoint.isBusy = true;
    const at = now();
    const { url, previousUntil } = queue.settings;
    const { event } = task;
    const body = eventText(event);
    const isOverlap = previousUntil !== null && at < previousUntil;
    const signing = [keys?.current ?? [], (isOverlap && keys?.previous) || []].flat();
    const id = `evt_${publicId(event.accountId, event.number)}`;
    try {
      const result = await outbound.send({
        url,
        body,
        headers: signedHeaders({ id, body, keys: signing }, at),
      });
      if (mode.isSending() || mode.is('draining')) onResult(endpoint, queue, task, result);
    } catch (error) {
      onProblem(error);
    } finally {
      endpoint.isBusy = false;
      slots.end(endpoint);
      if (!mode.isSending() && slots.inFlight() === 0) onIdle();
      wake(endpoint);
      dispatch();
    }
  }

  function onResult(endpoint: Endpoint, queue: EndpointQueue, task: Task, result: OutboundResult): void {
    const isDelivered = result.type === 'answered' && result.status >= 200 && result.status < 300;
    endpoint.isSlow = result.milliseconds > limits.promptMilliseconds;
    // The owner changed the endpoint since, so this outcome no longer counts.
    if (endpoint.queue !== queue) return;
    const at = now();
    const settled = settle(queue, task, isDelivered, {
      now: at,
      monotonic: monotonicNow(),
      random: random(),
      shortDelays: limits.shortRetryMilliseconds,
    });
    if (queue.restsUntil !== null)
      setTimeout(() => wake(endpoint), Math.ceil(queue.restsUntil - monotonicNow())).unref();
    if (!isOfTest(endpoint)) onAttempt(settled.outcome);
    writer.add({ endpoint, queue, ...rowsOf(endpoint.id, task, result, settled, at) });
    const isGone = result.type === 'answered' && result.status === 410;
    if (isGone || (!isDelivered && isLongFailing(queue.failures, at)))
      onSwitchOff(endpoint, isGone ? 'gone' : 'failing');
  }

  return {
    wake,
    dispatch,
    demoteSlow: slots.demoteSlow,
    forget: slots.leave,
    inFlight: slots.inFlight,
  };
}

function rowsOf(
  webhookId: number,
  task: Task,
  result: OutboundResult,
  { outcome, setAside, ended }: Settled,
  at: EpochSeconds,
): Pick<Unwritten, 'attempt' | 'setAside' | 'ended'> {
  const { event } = task;
  const isAnswered = result.type === 'answered';
  return {
    attempt: {
      webhookId,
      accountId: event.accountId,
      eventNumber: event.number,
      eventType: event.type,
      attempt: task.step + 1 + (task.kind === 'head' ? task.shortRetries : 0),
      at,
      outcome,
      status: isAnswered ? result.status : null,
      reason: isAnswered ? null : result.reason,
      milliseconds: result.milliseconds,
      answer: isAnswered ? storable(result.answer) : '',
    },
    setAside: setAside.map(({ event: { accountId, number: eventNumber }, step, dueAt, version }) => ({
      webhookId,
      accountId,
      eventNumber,
      step,
      dueAt,
      version,
    })),
    ended: ended.map(({ event: { accountId, number: eventNumber }, version }) => ({
      webhookId,
      accountId,
      eventNumber,
      version,
    })),
  };
}

/** Replaces NUL, which PostgreSQL refuses. */
function storable(answer: string): string {
  return answer.replaceAll('\0', '\u{fffd}').toWellFormed();
}
