// Sets auto-renewal of many plans with several requests at a time.
// Invariant: identical requests for a customer use the same idempotency key until one succeeds.

import { ApiError } from '../../api/client.ts';
import { removeAutoRenew, setAutoRenew } from '../../api/commands.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { Months } from '../../api/shapes.ts';

const atOnce = 4;

/** `terms` null turns auto-renewal off. */
export interface RenewalWish {
  readonly customerId: number;
  readonly terms: { readonly months: Months; readonly max_charge: string | null } | null;
}

export type WishResult =
  | { readonly type: 'done' }
  | { readonly type: 'refused'; readonly code: string; readonly reason: string | null };

/** Hours before the plan's end; equals the service's default. */
const hoursBefore = 24;
const keys = new Map<string, string>();

export async function sendEach(
  wishes: readonly RenewalWish[],
  onResult: (customerId: number, result: WishResult) => void,
): Promise<void> {
  const waiting = [...wishes];
  const work = async () => {
    for (let wish = waiting.shift(); wish !== undefined; wish = waiting.shift()) {
      onResult(wish.customerId, await sendOne(wish));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function sendOne(wish: RenewalWish): Promise<WishResult> {
  const { customerId, terms } = wish;
  const name = JSON.stringify(wish);
  const key = keys.get(name) ?? mintIdempotencyKey();
  keys.set(name, key);
  try {
    if (terms === null) await removeAutoRenew(customerId, key);
    else await setAutoRenew(customerId, { ...terms, hours_before: hoursBefore }, key);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { type: 'refused', code: error.code, reason: error.detail('reason') || null };
  }
  // The request succeeded, so the same request later is a new one.
  keys.delete(name);
  return { type: 'done' };
}
