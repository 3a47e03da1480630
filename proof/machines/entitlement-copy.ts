// The product's view of each customer: the last call that it accepted. Compared with the service's entitlements.

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

export interface EntitlementCopy {
  begin(client: Pick<ApiClient, 'get'>): Promise<void>;
  /** Repeats of a call change nothing. */
  take(callId: string, reference: string, plan: ToldPlan): void;
  /** The administrator has set up this customer by hand, so the product's state is unknown. */
  forget(reference: string): void;
  problems(
    client: Pick<ApiClient, 'get'>,
  ): Promise<{ readonly compared: number; readonly problems: string[] }>;
}

export function createEntitlementCopy(): EntitlementCopy {
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
        // A failed order creates the customer without a plan, so the product may not know that customer.
        if (has === undefined && !one.active) continue;
        const [is, last] = [shown(one), has === undefined ? 'nothing' : shown(has)];
        if (is !== last) problems.push(`${one.reference} is ${is}, and the product has ${last}.`);
      }
      return { compared, problems };
    },
  };
}

function shown({ status, package: { id }, starts_at: from, expires_at: until }: ToldPlan): string {
  return `${status} ${id} from ${from} until ${until}`;
}

async function readEntitlements(client: Pick<ApiClient, 'get'>): Promise<Iterable<Entitlement>> {
  const all = new Map<string, Entitlement>();
  for (let after: string | null = null; ; ) {
    const query: string = after === null ? '' : `?after=${encodeURIComponent(after)}`;
    const { status, body, text }: Answer = await client.get(`/api/product/v1/entitlements${query}`);
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
