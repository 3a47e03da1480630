// Sends events to endpoints: in one process at a time, under the lease of its job, for as long as there are endpoints.
// Follows the stream of all accounts' events, reads for each endpoint what is next, sends one after another to each and
// side by side to all, and writes down in batches how far it came.
// Always true: of one endpoint one request is under way; an event is passed only when it was answered 2xx, set aside or
// given up, and what was not written down when the process died is sent again. Whoever has lost the lease stops.

import type { KeyObject } from 'node:crypto';
import type { Database } from '../../platform/database/database.ts';
import type { JobContext, JobResult } from '../../platform/jobs/job-runner.ts';
import type { Outbound, OutboundResult } from '../../platform/outbound/outbound.ts';
import { isDue, isLongFailing } from '../../platform/outbound/retry-schedule.ts';
import { signedHeaders, signingKeyOf } from '../../platform/outbound/webhook-signature.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isTestAccount, publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { EventGap } from '../events/event-gaps.ts';
import { extendStream, streamEnd } from '../events/event-stream.ts';
import { eventText } from '../events/event-view.ts';
import { coalesce } from './coalesce.ts';
import type { Attempt } from './delivery-log.ts';
import { type EndedRetry, type Progress, type Retry, switchOff, writeProgress } from './delivery-progress.ts';
import {
  type LoadedWebhook,
  listNewEvents,
  loadWebhooks,
  loadWebhooksById,
  newEventsAtOnce,
  readDueRetries,
  readWantedEvents,
  readWantedOfAll,
} from './delivery-reads.ts';
import { createDeliverySlots, type SlotLimits } from './delivery-slots.ts';
import {
  createEndpointQueue,
  type EndpointQueue,
  isFailing,
  nextTask,
  settle,
  type Task,
  takeEvents,
  wantedEvents,
} from './endpoint-queue.ts';
import type { DeliveryStatus } from './webhook-schemas.ts';
import { operator, secretContext, type Webhook } from './webhook-table.ts';

export interface DeliveryLimits extends SlotLimits {
  /** Between two looks for what other processes told, and for what is due. */
  readonly pollMilliseconds: number;
  /** Between two looks, however much is told here. */
  readonly followMillisecondsMin: number;
  readonly writeMilliseconds: number;
  /** Before the schedule of an event begins, where its endpoint has just answered: between one attempt and the next. */
  readonly shortRetryMilliseconds: readonly number[];
  /** Attempts that wait to be written: at once, and before nothing more is sent. */
  readonly writtenAtOnce: number;
  readonly unwrittenMax: number;
  /** Cursors that moved over events of other types. */
  readonly skipMilliseconds: number;
  /** Events in memory, of all endpoints and of one. */
  readonly eventsHeldMax: number;
  readonly eventsOfEndpointMax: number;
  /** Endpoints that one statement reads for. */
  readonly endpointsPerRead: number;
  /** For what is under way, when it has to stop. */
  readonly stopMilliseconds: number;
}

export interface DelivererDependencies {
  readonly database: Database;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
  readonly monotonicNow: () => number;
  readonly limits: DeliveryLimits;
  readonly onAttempt: (outcome: DeliveryStatus) => void;
  /** A secret that cannot be opened here: its endpoint waits. */
  readonly onProblem: (error: unknown, webhookId: number) => void;
  /** From 0 to 1. */
  readonly random?: () => number;
}

/** Of the run in this process; all 0 where none is. */
export interface DeliveryFigures {
  readonly inFlight: number;
  /** Events that endpoints which are switched on have not passed; of some types they want none. */
  readonly backlog: number;
  readonly oldestAgeSeconds: number;
}

export interface Deliverer {
  /** Until the signal says stop, or there is no endpoint left. @throws LeaseLost, DatabaseUnavailable */
  run(context: JobContext): Promise<JobResult>;
  /** This process told events. */
  notify(): void;
  /** An endpoint was made, changed or deleted; null: any of them. */
  changed(id: number | null): void;
  figures(): DeliveryFigures;
}

interface Endpoint {
  readonly id: number;
  readonly accountId: number;
  queue: EndpointQueue;
  attemptCount: number;
  /** Numbers that no event has, because of a restore. */
  readonly gap: EventGap | null;
  /** Of the secret, and of the one before it; null: it cannot be opened here. */
  keys: { readonly current: KeyObject; readonly previous: KeyObject | null } | null;
  isBusy: boolean;
  /** The last answer took long. */
  isSlow: boolean;
  /** It was switched off or deleted. */
  isGone: boolean;
  isLaggard: boolean;
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
      // What waits for its place in the stream waits for no endpoint.
      while ((await extendStream(dependencies.database)) > 0 && !context.signal.aborted);
      const run = createRun(dependencies, context);
      current = run;
      try {
        await run.end;
      } finally {
        if (current === run) current = null;
      }
      // Whatever is left, the next run begins with.
      return { backlog: 0 };
    },
    notify: () => current?.notify(),
    changed: (id) => current?.changed(id),
    figures: () => current?.figures() ?? noFigures,
  };
}

interface Unwritten {
  readonly endpoint: Endpoint;
  readonly queue: EndpointQueue;
  readonly attempt: Omit<Attempt, 'number'>;
  readonly setAside: readonly Retry[];
  readonly ended: readonly EndedRetry[];
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
  const endpoints = new Map<number, Endpoint>();
  const byAccount = new Map<number, Set<Endpoint>>();
  const slots = createDeliverySlots<Endpoint>(limits, monotonicNow);
  const hungry = new Set<Endpoint>();
  const changes = new Set<number | null>();
  /** Their cursors moved, and nothing was sent. */
  const moved = new Set<Endpoint>();
  const goneRetries: EndedRetry[] = [];
  const unwritten: Unwritten[] = [];
  let streamTo = 0;
  let isLoaded = false;
  /** Nothing more is sent. */
  let isStopped = false;
  /** Nothing more is written down. */
  let isOver = false;
  const ended = Promise.withResolvers<void>();
  const idle = Promise.withResolvers<void>();

  function fail(error: unknown): void {
    isStopped = true;
    isOver = true;
    ended.reject(error);
  }

  // ------------------------------------------------------------------------------------- endpoints

  function put({ webhook, eventCount, gap, retriesDueAt }: LoadedWebhook): void {
    const available = webhook.accountId === operator ? streamTo : eventCount;
    const known = endpoints.get(webhook.id);
    const endpoint: Endpoint = known ?? {
      id: webhook.id,
      accountId: webhook.accountId,
      queue: createEndpointQueue(webhook, available),
      attemptCount: webhook.attemptCount,
      gap,
      keys: null,
      isBusy: false,
      isSlow: false,
      isGone: false,
      isLaggard: false,
    };
    if (known === undefined) {
      endpoints.set(webhook.id, endpoint);
      const siblings = byAccount.get(webhook.accountId) ?? new Set();
      byAccount.set(webhook.accountId, siblings.add(endpoint));
    } else if (known.queue.settings.queueVersion !== webhook.queueVersion) {
      // Its owner moved it: what was in memory, and what is under way, is void.
      known.queue = createEndpointQueue(webhook, Math.max(available, known.queue.available));
      known.attemptCount = Math.max(known.attemptCount, webhook.attemptCount);
    } else {
      known.queue.settings = webhook;
    }
    endpoint.keys = openKeys(webhook);
    const { queue } = endpoint;
    // What was asked for by a person comes before what waits in memory.
    if (!endpoint.isBusy) queue.retries.length = 0;
    // What is not written yet is known here alone.
    queue.retriesDueAt = earlier(queue.retriesDueAt, retriesDueAt);
    wake(endpoint);
  }

  function openKeys(webhook: Webhook): Endpoint['keys'] {
    const { accountId, sealedSecret, sealedPreviousSecret } = webhook;
    const open = (sealed: string) => signingKeyOf(seal.open(sealed, secretContext(accountId)));
    try {
      const previous = sealedPreviousSecret === null ? null : open(sealedPreviousSecret);
      return { current: open(sealedSecret), previous };
    } catch (error) {
      onProblem(error, webhook.id);
      return null;
    }
  }

  function drop(id: number): void {
    const endpoint = endpoints.get(id);
    if (endpoint === undefined) return;
    endpoint.isGone = true;
    endpoints.delete(id);
    const siblings = byAccount.get(endpoint.accountId);
    siblings?.delete(endpoint);
    if (siblings?.size === 0) byAccount.delete(endpoint.accountId);
    slots.leave(endpoint);
    hungry.delete(endpoint);
    moved.delete(endpoint);
  }

  const takeChanges = async (): Promise<void> => {
    const isAll = changes.delete(null);
    const ids = [...changes].flatMap((id) => id ?? []);
    changes.clear();
    if (!isAll && ids.length === 0) return;
    const found = isAll ? await loadWebhooks(database) : await loadWebhooksById(database, ids);
    const there = new Set(found.map(({ webhook }) => webhook.id));
    for (const id of isAll ? [...endpoints.keys()] : ids) if (!there.has(id)) drop(id);
    for (const one of found) put(one);
  };

  // ------------------------------------------------------------------------------------- what is there

  const follow = coalesce(
    async () => {
      if (isStopped) return;
      await takeChanges();
      if (!isLoaded) {
        // Before the endpoints: what is told from here on is heard.
        streamTo = Number(await streamEnd(database));
        for (const one of await loadWebhooks(database)) put(one);
        isLoaded = true;
      }
      if (endpoints.size === 0) return stop();
      while ((await extendStream(database)) > 0);
      for (;;) {
        const rows = await listNewEvents(database, streamTo);
        for (const { accountId, position, lastNumber } of rows) {
          streamTo = position;
          for (const endpoint of byAccount.get(accountId) ?? []) {
            endpoint.queue.available = Math.max(endpoint.queue.available, lastNumber);
            wake(endpoint);
          }
        }
        if (rows.length > 0) {
          for (const endpoint of byAccount.get(operator) ?? []) {
            endpoint.queue.available = Math.max(endpoint.queue.available, streamTo);
            wake(endpoint);
          }
        }
        if (rows.length < newEventsAtOnce) break;
      }
    },
    fail,
    limits.followMillisecondsMin,
  );

  const prefetch = () =>
    Math.max(2, Math.min(limits.eventsOfEndpointMax, Math.floor(limits.eventsHeldMax / endpoints.size)));

  const feed = coalesce(async () => {
    while (hungry.size > 0 && !isStopped) {
      const some = [...hungry].slice(0, limits.endpointsPerRead);
      for (const endpoint of some) hungry.delete(endpoint);
      await feedRetries(some.filter(({ queue }) => wantsRetries(queue)));
      await feedEvents(some.filter(({ queue }) => wantsEvents(queue)));
      for (const endpoint of some) wake(endpoint);
    }
  }, fail);

  const wantsRetries = ({ retries, retriesDueAt }: EndpointQueue) =>
    retriesDueAt !== null && retries.length === 0 && isDue(retriesDueAt, now());

  const wantsEvents = (queue: EndpointQueue) => {
    const wanted = wantedEvents(queue, prefetch());
    const few = queue.headStep === 0 ? wanted / 2 : wanted - 1;
    return queue.events.length <= few && queue.readTo < queue.available;
  };

  async function feedRetries(some: readonly Endpoint[]): Promise<void> {
    if (some.length === 0) return;
    // What was set aside by now is among them, and what is done is not.
    await write();
    const read = await readDueRetries(
      database,
      some.map(({ id }) => id),
      (dueAt) => isDue(dueAt, now()),
    );
    for (const { id: webhookId, queue } of some) {
      const due = read.get(webhookId);
      if (due === undefined || queue.retries.length > 0) continue;
      queue.retries.push(...due.retries);
      queue.retriesDueAt = due.nextDueAt;
      goneRetries.push(...due.gone.map((gone) => ({ webhookId, ...gone })));
    }
  }

  async function feedEvents(some: readonly Endpoint[]): Promise<void> {
    const asked = some.map((endpoint) => {
      const { queue } = endpoint;
      return {
        endpoint,
        queue,
        after: queue.readTo,
        wanted: wantedEvents(queue, prefetch()) - queue.events.length,
      };
    });
    const ofAccounts = asked.filter(({ endpoint }) => endpoint.accountId !== operator);
    const granted = await readWantedEvents(
      database,
      ofAccounts.map(({ endpoint: { accountId }, queue: { available }, after, wanted }) => ({
        accountId,
        after,
        wanted,
        available,
      })),
    );
    const answers = [...ofAccounts.map((one, index) => ({ ...one, granted: granted[index] }))];
    for (const one of asked.filter(({ endpoint }) => endpoint.accountId === operator)) {
      answers.push({
        ...one,
        granted: await readWantedOfAll(database, { ...one, available: one.queue.available }),
      });
    }
    for (const { endpoint, queue, after, granted: read } of answers) {
      // A probe that failed meanwhile has turned it back, or its owner has moved it.
      if (read === undefined || endpoint.queue !== queue || queue.readTo !== after) continue;
      const was = queue.cursor;
      takeEvents(queue, read.events, read.readTo);
      if (queue.cursor !== was) moved.add(endpoint);
    }
  }

  // ------------------------------------------------------------------------------------- sending

  /** Looks what the endpoint needs next: events, or its turn. */
  function wake(endpoint: Endpoint): void {
    if (isStopped || endpoint.isGone || endpoint.keys === null) return;
    const { queue } = endpoint;
    if (wantsEvents(queue) || wantsRetries(queue)) {
      hungry.add(endpoint);
      feed.ask();
    }
    if (endpoint.isBusy || slots.isWaiting(endpoint) || nextTask(queue, now(), monotonicNow()) === null)
      return;
    endpoint.isLaggard = endpoint.isSlow || isFailing(queue);
    slots.enter(endpoint);
    dispatch();
  }

  function dispatch(): void {
    while (!isStopped && unwritten.length < limits.unwrittenMax) {
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
      if (!isOver) onResult(endpoint, queue, task, result);
    } catch (error) {
      fail(error);
    } finally {
      endpoint.isBusy = false;
      slots.end(endpoint);
      if (isStopped && slots.inFlight() === 0) idle.resolve();
      wake(endpoint);
      dispatch();
    }
  }

  function onResult(endpoint: Endpoint, queue: EndpointQueue, task: Task, result: OutboundResult): void {
    const { milliseconds } = result;
    const isDelivered = result.type === 'answered' && result.status >= 200 && result.status < 300;
    endpoint.isSlow = milliseconds > limits.promptMilliseconds;
    // Its owner has moved it since.
    if (endpoint.queue !== queue) return;
    const at = now();
    const {
      outcome,
      setAside,
      ended: endedRetries,
    } = settle(queue, task, isDelivered, {
      now: at,
      monotonic: monotonicNow(),
      random: random(),
      shortDelays: limits.shortRetryMilliseconds,
    });
    if (queue.restsUntil !== null)
      setTimeout(() => wake(endpoint), Math.ceil(queue.restsUntil - monotonicNow())).unref();
    if (!isOfTest(endpoint)) onAttempt(outcome);
    const { id: webhookId } = endpoint;
    const { event } = task;
    unwritten.push({
      endpoint,
      queue,
      attempt: {
        webhookId,
        accountId: event.accountId,
        eventNumber: event.number,
        eventType: event.type,
        attempt: task.step + 1 + (task.kind === 'head' ? task.shortRetries : 0),
        at,
        outcome,
        status: result.type === 'answered' ? result.status : null,
        reason: result.type === 'failed' ? result.reason : null,
        milliseconds,
        answer: result.type === 'answered' ? storable(result.answer) : '',
      },
      setAside: setAside.map(({ event: { accountId, number: eventNumber }, step, dueAt, version }) => ({
        webhookId,
        accountId,
        eventNumber,
        step,
        dueAt,
        version,
      })),
      ended: endedRetries.map(({ event: { accountId, number: eventNumber }, version }) => ({
        webhookId,
        accountId,
        eventNumber,
        version,
      })),
    });
    if (unwritten.length >= limits.writtenAtOnce) writing.ask();
    else writeSoon();
    const isGone = result.type === 'answered' && result.status === 410;
    if (isGone || (!isDelivered && isLongFailing(queue.failures, at))) {
      switchingOff(endpoint, isGone ? 'gone' : 'failing').catch(fail);
    }
  }

  async function switchingOff(endpoint: Endpoint, reason: 'gone' | 'failing'): Promise<void> {
    const { settings } = endpoint.queue;
    drop(endpoint.id);
    await write();
    await switchOff(database, fence, settings, reason, now());
  }

  // ------------------------------------------------------------------------------------- writing

  let timer: NodeJS.Timeout | undefined;
  function writeSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing.ask();
    }, limits.writeMilliseconds);
  }

  const writing = coalesce(writeAll, fail);

  /** What there is now; resolves when it is written. */
  function write(): Promise<void> {
    return writing.ask();
  }

  async function writeAll(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const done = unwritten.splice(0);
    const gone = goneRetries.splice(0);
    if (done.length + gone.length + moved.size === 0) return;
    const touched = new Map<Endpoint, EndpointQueue>(
      [...moved].map((endpoint) => [endpoint, endpoint.queue]),
    );
    moved.clear();
    for (const { endpoint, queue } of done) touched.set(endpoint, queue);
    const attempts = done.map(({ endpoint, attempt }) => {
      endpoint.attemptCount += 1;
      return { ...attempt, number: endpoint.attemptCount };
    });
    const written = await writeProgress(database, fence, {
      progress: [...touched].map(([endpoint, queue]) => progressOf(endpoint, queue)),
      attempts,
      setAside: done.flatMap(({ setAside }) => setAside),
      ended: [...done.flatMap(({ ended: over }) => over), ...gone],
    });
    for (const [endpoint] of touched) {
      if (!written.has(endpoint.id) && !endpoint.isGone) changed(endpoint.id);
    }
    dispatch();
  }

  // ------------------------------------------------------------------------------------- its life

  function changed(id: number | null): void {
    changes.add(id);
    follow.ask();
  }

  let movedWrittenAt = monotonicNow();
  const poll = setInterval(() => {
    slots.demoteSlow();
    follow.ask();
    for (const endpoint of endpoints.values()) if (!endpoint.isBusy) wake(endpoint);
    dispatch();
    if (monotonicNow() - movedWrittenAt < limits.skipMilliseconds || moved.size === 0) return;
    movedWrittenAt = monotonicNow();
    writing.ask();
  }, limits.pollMilliseconds);

  let isStopping = false;
  /** What is under way may end; then it is written down. */
  function stop(): void {
    if (isStopping) return;
    isStopping = true;
    isStopped = true;
    if (slots.inFlight() === 0) idle.resolve();
    const late = setTimeout(idle.resolve, limits.stopMilliseconds);
    idle.promise
      .then(() => {
        isOver = true;
        return write();
      })
      .then(ended.resolve, ended.reject)
      .finally(() => clearTimeout(late));
  }

  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  else follow.ask();

  return {
    notify: () => follow.ask(),
    changed,
    figures() {
      let backlog = 0;
      let oldest: EpochSeconds | null = null;
      let inFlight = 0;
      for (const endpoint of endpoints.values()) {
        if (isOfTest(endpoint)) continue;
        const { queue } = endpoint;
        if (endpoint.isBusy) inFlight += 1;
        backlog += backlogOf(endpoint);
        const at = queue.events[0]?.event.createdAt;
        if (at !== undefined) oldest = Math.min(oldest ?? at, at);
      }
      const oldestAgeSeconds = oldest === null ? 0 : Math.max(0, now() - oldest);
      return { inFlight, backlog, oldestAgeSeconds };
    },
    end: ended.promise.finally(() => {
      isStopped = true;
      clearInterval(poll);
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }),
  };
}

/** Figures leave them out: their events tell the time of another clock. */
function isOfTest({ accountId }: Endpoint): boolean {
  return isTestAccount(accountId);
}

/** Events behind its cursor, whatever their types. */
function backlogOf({ gap, queue: { available, cursor } }: Endpoint): number {
  const skipped = gap === null ? 0 : Math.min(available, gap.last + 1) - Math.max(cursor, gap.first - 1);
  return Math.max(0, available - cursor - Math.max(0, skipped));
}

function progressOf({ id, attemptCount }: Endpoint, queue: EndpointQueue): Progress {
  const { settings, cursor, headStep, dueAt, failures } = queue;
  return { id, queueVersion: settings.queueVersion, cursor, attemptCount, headStep, dueAt, ...failures };
}

function earlier(one: EpochSeconds | null, other: EpochSeconds | null): EpochSeconds | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** The database takes any text but this letter. */
function storable(answer: string): string {
  return answer.replaceAll('\0', '\u{fffd}').toWellFormed();
}
