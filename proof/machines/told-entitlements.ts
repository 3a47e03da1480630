// What a product has of each customer: what the last call said that it took, whatever became of the answer. Compared with the
// entitlements of the service. Used by unreliable-product.ts.

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, ApiClient } from '../../scripts/throwaway/api-client.ts';

export interface ToldPlan {
  readonly status: string;
  readonly package: { readonly id: number };
  readonly starts_at: string;
  readonly expires_at: string;
}

interface Entitlement extends ToldPlan {
  readonly reference: string;
  readonly active: boolean;
}

export interface ToldEntitlements {
  /** As a product does when it is connected: what there is before the first call. */
  begin(client: Pick<ApiClient, 'get'>): Promise<void>;
  /** The product has taken a call; the second time it is the same one. */
  take(callId: string, reference: string, plan: ToldPlan): void;
  /** It was set up by hand, and nobody knows how. */
  forget(reference: string): void;
  /** A sentence for each customer of whom the product has something else. */
  problems(
    client: Pick<ApiClient, 'get'>,
  ): Promise<{ readonly compared: number; readonly problems: string[] }>;
}

export function createToldEntitlements(): ToldEntitlements {
  const known = new Map<string, ToldPlan | 'unknown'>();
  const taken = new Set<string>();
  return {
    async begin(client) {
      for (const one of await readEntitlements(client)) {
        if (!known.has(one.reference)) known.set(one.reference, one);
      }
    },
    take(callId, reference, plan) {
      if (taken.has(callId)) return;
      taken.add(callId);
      known.set(reference, plan);
    },
    forget(reference) {
      known.set(reference, 'unknown');
    },
    async problems(client) {
      const problems: string[] = [];
      let compared = 0;
      for (const one of await readEntitlements(client)) {
        const has = known.get(one.reference);
        if (has === 'unknown') continue;
        compared += 1;
        // An order that failed has made the customer, and nothing was given.
        if (has === undefined && !one.active) continue;
        const [is, told] = [shown(one), has === undefined ? 'nothing' : shown(has)];
        if (is !== told) problems.push(`${one.reference} is ${is}, and the product has ${told}.`);
      }
      return { compared, problems };
    },
  };
}

function shown({ status, package: { id }, starts_at: from, expires_at: until }: ToldPlan): string {
  return `${status} ${id} from ${from} until ${until}`;
}

/** Each customer as it was read last. */
async function readEntitlements(client: Pick<ApiClient, 'get'>): Promise<Iterable<Entitlement>> {
  const all = new Map<string, Entitlement>();
  for (let after: string | null = null; ; ) {
    const query: string = after === null ? '' : `?after=${encodeURIComponent(after)}`;
    const { status, body, text }: Answer = await client.get(`/api/product/v1/entitlements${query}`);
    // A busy machine: the request is sent again, as clients do.
    if (status === 503) {
      await pause(100);
      continue;
    }
    assert.equal(status, 200, text);
    for (const one of body.data) all.set(one.reference, one);
    if (body.has_more !== true) return all.values();
    after = body.next_after;
  }
}
