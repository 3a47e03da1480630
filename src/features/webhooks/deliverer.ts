// Sends events to webhook endpoints, in one process under its job's lease. It follows the event stream, sends one after
// another per endpoint and in parallel across endpoints, and writes progress in batches.
// Invariant: an endpoint gets one request at a time. An event is passed only when it was answered 2xx, set aside or given
// up. A process without the lease stops.

import type { Database } from '../../platform/database/database.ts';
import type { JobContext, JobResult } from '../../platform/jobs/job-runner.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { extendStream, streamEnd } from '../events/event-stream.ts';
import { coalesce } from './coalesce.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { createRunMode } from './delivery-mode.ts';
import { switchOff } from './delivery-progress.ts';
import {
  type LoadedWebhook,
  listNewEvents,
  loadWebhooks,
  loadWebhooksById,
  newEventsAtOnce,
} from './delivery-reads.ts';
import { createEndpointRoster, type DeliveryFigures, type Endpoint } from './endpoint-roster.ts';
import { createEventFeeder } from './event-feeder.ts';
import { createEventSender } from './event-sender.ts';
import { createProgressWriter } from './progress-writer.ts';
import type { DeliveryStatus } from './webhook-schemas.ts';
import { operator } from './webhook-table.ts';

export interface DelivererDependencies {
  readonly database: Database;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly limits: DeliveryLimits;
  readonly onAttempt: (outcome: DeliveryStatus) => void;
  readonly onProblem: (error: unknown, webhookId: number) => void;
  readonly random?: () => number;
}

export interface Deliverer {
  /** Runs until the signal aborts or there are no endpoints. @throws LeaseLost, DatabaseUnavailable */
  run(context: JobContext): Promise<JobResult>;
  notify(): void;
  changed(id: number | null): void;
  figures(): DeliveryFigures;
}

interface Run {
  notify(): void;
  changed(id: number | null): void;
  figures(): DeliveryFigures;
}

const noFigures: DeliveryFigures = { inFlight: 0, backlog: 0, oldestAgeSeconds: 0 };

export function createDeliverer(dependencies: DelivererDependencies): Deliverer {
  let current: Run | null = null;
  return {
    async run(context) {
      // Move pending events to the stream first, because endpoints only get events that have a position.
      while ((await extendStream(dependencies.database)) > 0 && !context.signal.aborted);
      const run = createRun(dependencies, context);
      current = run;
      try {
        await run.end;
      } finally {
        if (current === run) current = null;
      }
      return { backlog: 0 };
    },
    notify: () => current?.notify(),
    changed: (id) => current?.changed(id),
    figures: () => current?.figures() ?? noFigures,
  };
}

function createRun(
  {
    database,
    outbound,
    seal,
    now,
    monotonicNow,
    limits,
    onAttempt,
    onProblem,
    random = Math.random,
  }: DelivererDependencies,
  { signal, leaseNumber }: JobContext,
): Run & { readonly end: Promise<void> } {
  const fence = { leaseNumber };
  const mode = createRunMode();
  const ended = Promise.withResolvers<void>();
  const idle = Promise.withResolvers<void>();
  const changes = new Set<number | null>();
  let streamTo = 0;

  const roster = createEndpointRoster(seal, onProblem);
  const writer = createProgressWriter({
    ...{ database, fence, limits, monotonicNow, onProblem: fail },
    onWritten: () => sender.dispatch(),
    onVoid: changed,
  });
  const feeder = createEventFeeder({
    ...{ database, limits, now, roster, writer, onProblem: fail },
    isSending: mode.isSending,
    onFed: (endpoint) => sender.wake(endpoint),
  });
  const sender = createEventSender({
    ...{ outbound, limits, now, monotonicNow, random, mode, feeder, writer, onAttempt, onProblem: fail },
    onSwitchOff: (endpoint, reason) => switchingOff(endpoint, reason).catch(fail),
    onIdle: idle.resolve,
  });
  const follow = coalesce(followStream, fail, limits.followMillisecondsMin);

  function put(loaded: LoadedWebhook): void {
    sender.wake(roster.put(loaded, streamTo));
  }

  function drop(id: number): void {
    const endpoint = roster.drop(id);
    if (endpoint === null) return;
    for (const { forget } of [sender, feeder, writer]) forget(endpoint);
  }

  function changed(id: number | null): void {
    changes.add(id);
    follow.ask();
  }

  async function takeChanges(): Promise<void> {
    const isAll = changes.delete(null);
    const ids = [...changes].flatMap((id) => id ?? []);
    changes.clear();
    if (!isAll && ids.length === 0) return;
    const found = isAll ? await loadWebhooks(database) : await loadWebhooksById(database, ids);
    const there = new Set(found.map(({ webhook }) => webhook.id));
    for (const id of isAll ? roster.ids() : ids) if (!there.has(id)) drop(id);
    for (const one of found) put(one);
  }

  async function switchingOff({ id, queue }: Endpoint, reason: 'gone' | 'failing'): Promise<void> {
    const { settings } = queue;
    drop(id);
    await writer.write();
    await switchOff(database, fence, settings, reason, now());
  }

  async function followStream(): Promise<void> {
    if (!mode.isSending()) return;
    await takeChanges();
    if (mode.is('loading')) {
      // Read the stream's position before the endpoints, so that no event is missed.
      streamTo = Number(await streamEnd(database));
      for (const one of await loadWebhooks(database)) put(one);
      if (mode.is('loading')) mode.become('delivering');
    }
    if (roster.size() === 0) return stop();
    while ((await extendStream(database)) > 0);
    for (;;) {
      const rows = await listNewEvents(database, streamTo);
      for (const { accountId, position, lastNumber } of rows) {
        streamTo = position;
        offer(accountId, lastNumber);
      }
      if (rows.length > 0) offer(operator, streamTo);
      if (rows.length < newEventsAtOnce) break;
    }
  }

  function offer(accountId: number, available: number): void {
    for (const endpoint of roster.ofAccount(accountId)) {
      endpoint.queue.available = Math.max(endpoint.queue.available, available);
      sender.wake(endpoint);
    }
  }

  const poll = setInterval(() => {
    sender.demoteSlow();
    follow.ask();
    for (const endpoint of roster.all()) if (!endpoint.isBusy) sender.wake(endpoint);
    sender.dispatch();
    writer.writeMoved();
  }, limits.pollMilliseconds);

  function stop(): void {
    if (!mode.isSending()) return;
    mode.become('draining');
    if (sender.inFlight() === 0) idle.resolve();
    const late = setTimeout(idle.resolve, limits.stopMilliseconds);
    idle.promise
      .then(close)
      .catch(fail)
      .finally(() => clearTimeout(late));
  }

  async function close(): Promise<void> {
    if (mode.is('draining')) mode.become('closing');
    await writer.write();
    if (mode.is('closing')) mode.become('ended');
    ended.resolve();
  }

  function fail(error: unknown): void {
    if (!mode.is('ended', 'failed')) mode.become('failed');
    ended.reject(error);
  }

  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  else follow.ask();

  return {
    notify: () => follow.ask(),
    changed,
    figures: () => roster.figures(now()),
    end: ended.promise.finally(() => {
      clearInterval(poll);
      writer.stop();
      signal.removeEventListener('abort', stop);
    }),
  };
}
