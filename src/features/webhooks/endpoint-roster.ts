import type { KeyObject } from 'node:crypto';
import { signingKeyOf } from '../../platform/outbound/webhook-signature.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { EventGap } from '../events/event-gaps.ts';
import type { LoadedWebhook } from './delivery-reads.ts';
import { createEndpointQueue, type EndpointQueue } from './endpoint-queue.ts';
import { operator, secretContext, type Webhook } from './webhook-table.ts';

export interface Endpoint {
  readonly id: number;
  readonly accountId: number;
  queue: EndpointQueue;
  attemptCount: number;
  /** Event numbers that a restore skipped, so they have no events. */
  readonly gap: EventGap | null;
  keys: { readonly current: KeyObject; readonly previous: KeyObject | null } | null;
  isBusy: boolean;
  isSlow: boolean;
  isGone: boolean;
  isLaggard: boolean;
}

export interface DeliveryFigures {
  readonly inFlight: number;
  /** Events that enabled endpoints have not passed yet, including types that they do not want. */
  readonly backlog: number;
  readonly oldestAgeSeconds: number;
}

export interface EndpointRoster {
  all(): Iterable<Endpoint>;
  ofAccount(accountId: number): Iterable<Endpoint>;
  ids(): number[];
  size(): number;
  /** The operator's endpoints have events up to position `streamTo`. */
  put(loaded: LoadedWebhook, streamTo: number): Endpoint;
  drop(id: number): Endpoint | null;
  figures(now: EpochSeconds): DeliveryFigures;
}

export function createEndpointRoster(
  seal: Seal,
  onProblem: (error: unknown, webhookId: number) => void,
): EndpointRoster {
  const endpoints = new Map<number, Endpoint>();
  const byAccount = new Map<number, Set<Endpoint>>();
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

  return {
    all: () => endpoints.values(),
    ofAccount: (accountId) => byAccount.get(accountId) ?? [],
    ids: () => [...endpoints.keys()],
    size: () => endpoints.size,

    put({ webhook, eventCount, gap, retriesDueAt }, streamTo) {
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
        // The owner changed its address or types, so its queue and running request no longer count.
        known.queue = createEndpointQueue(webhook, Math.max(available, known.queue.available));
        known.attemptCount = Math.max(known.attemptCount, webhook.attemptCount);
      } else {
        known.queue.settings = webhook;
      }
      endpoint.keys = openKeys(webhook);
      const { queue } = endpoint;
      // A person may have asked for events, which come before those in memory. So forget those.
      if (!endpoint.isBusy) queue.retries.length = 0;
      // The due time in memory may be earlier and not written yet, so keep the earlier one.
      queue.retriesDueAt = earlier(queue.retriesDueAt, retriesDueAt);
      return endpoint;
    },

    drop(id) {
      const endpoint = endpoints.get(id);
      if (endpoint === undefined) return null;
      endpoint.isGone = true;
      endpoints.delete(id);
      const siblings = byAccount.get(endpoint.accountId);
      siblings?.delete(endpoint);
      if (siblings?.size === 0) byAccount.delete(endpoint.accountId);
      return endpoint;
    },

    figures(now) {
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
      const oldestAgeSeconds = oldest === null ? 0 : Math.max(0, now - oldest);
      return { inFlight, backlog, oldestAgeSeconds };
    },
  };
}

/** Metrics leave out tests, because their events use another clock. */
export function isOfTest({ accountId }: Endpoint): boolean {
  return isTestAccount(accountId);
}

function backlogOf({ gap, queue: { available, cursor } }: Endpoint): number {
  const skipped = gap === null ? 0 : Math.min(available, gap.last + 1) - Math.max(cursor, gap.first - 1);
  return Math.max(0, available - cursor - Math.max(0, skipped));
}

function earlier(one: EpochSeconds | null, other: EpochSeconds | null): EpochSeconds | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
