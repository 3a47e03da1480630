// Loads events and retries into the endpoint queues of a deliverer's run.

import type { Database } from '../../platform/database/database.ts';
import { isDue } from '../../platform/outbound/retry-schedule.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { coalesce } from './coalesce.ts';
import type { DeliveryLimits } from './delivery-limits.ts';
import { readDueRetries, readWantedEvents, readWantedOfAll } from './delivery-reads.ts';
import { type EndpointQueue, takeEvents, wantedEvents } from './endpoint-queue.ts';
import type { Endpoint, EndpointRoster } from './endpoint-roster.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { operator } from './webhook-table.ts';

export interface EventFeeder {
  feed(endpoint: Endpoint): void;
  forget(endpoint: Endpoint): void;
}

export interface EventFeederOptions {
  readonly database: Database;
  readonly limits: DeliveryLimits;
  readonly now: () => EpochSeconds;
  readonly roster: EndpointRoster;
  readonly writer: ProgressWriter;
  readonly isSending: () => boolean;
  readonly onFed: (endpoint: Endpoint) => void;
  readonly onProblem: (error: unknown) => void;
}

export function createEventFeeder(options: EventFeederOptions): EventFeeder {
  const { database, limits, now, roster, writer, isSending, onFed, onProblem } = options;
  const hungry = new Set<Endpoint>();

  const prefetch = () =>
    Math.max(2, Math.min(limits.eventsOfEndpointMax, Math.floor(limits.eventsHeldMax / roster.size())));

  const feeding = coalesce(async () => {
    while (hungry.size > 0 && isSending()) {
      const some = [...hungry].slice(0, limits.endpointsPerRead);
      for (const endpoint of some) hungry.delete(endpoint);
      await feedRetries(some.filter(({ queue }) => wantsRetries(queue)));
      await feedEvents(some.filter(({ queue }) => wantsEvents(queue)));
      for (const endpoint of some) onFed(endpoint);
    }
  }, onProblem);

  const wantsRetries = ({ retries, retriesDueAt }: EndpointQueue) =>
    retriesDueAt !== null && retries.length === 0 && isDue(retriesDueAt, now());

  const wantsEvents = (queue: EndpointQueue) => {
    const wanted = wantedEvents(queue, prefetch());
    const few = queue.headStep === 0 ? wanted / 2 : wanted - 1;
    return queue.events.length <= few && queue.readTo < queue.available;
  };

  async function feedRetries(some: readonly Endpoint[]): Promise<void> {
    if (some.length === 0) return;
    // Write first, so that the read includes events that were just set aside and leaves out finished ones.
    await writer.write();
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
      writer.addEnded(due.gone.map((gone) => ({ webhookId, ...gone })));
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
      // Skip the answer if a failed probe moved the queue back meanwhile, or the owner changed the endpoint.
      if (read === undefined || endpoint.queue !== queue || queue.readTo !== after) continue;
      const was = queue.cursor;
      takeEvents(queue, read.events, read.readTo);
      if (queue.cursor !== was) writer.noteMoved(endpoint);
    }
  }

  return {
    feed(endpoint) {
      if (!wantsEvents(endpoint.queue) && !wantsRetries(endpoint.queue)) return;
      hungry.add(endpoint);
      feeding.ask();
    },
    forget: (endpoint) => hungry.delete(endpoint),
  };
}
