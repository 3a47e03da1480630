// Renews many customers through the bulk endpoint (docs/bulk.md), in small groups to show progress.
// Invariant: each renewal keeps its idempotency key until the page is left. No renewal is charged more than was shown.

import { ApiError } from '../../api/client.ts';
import { renewInBulk } from '../../api/commands.ts';
import { mintIdempotencyKey } from '../../api/random-text.ts';
import type { BulkAnswerResult, Renewal } from '../../api/shapes.ts';

const atOnce = 20;

const keys = new Map<number, string>();
/** Renewals whose answer was lost. A retry must repeat the same request, because it may have succeeded. */
const unanswered = new Map<number, DueRenewal>();

export type RenewalResult =
  | { readonly type: 'renewed'; readonly expiresAt: string; readonly isPending: boolean }
  | {
      readonly type: 'refused';
      readonly code: string;
      readonly reason: string | null;
    };

export interface DueRenewal {
  readonly customerId: number;
  readonly orderId: number;
  readonly charge: string;
}

export function dueRenewals(renewals: readonly Renewal[]): readonly DueRenewal[] {
  return renewals.flatMap(({ customer_id: customerId, order_id: orderId, charge }) =>
    orderId === null || charge === null
      ? []
      : [unanswered.get(customerId) ?? { customerId, orderId, charge }],
  );
}

export async function renewAll(
  due: readonly DueRenewal[],
  onResults: (results: ReadonlyMap<number, RenewalResult>) => void,
): Promise<void> {
  for (let from = 0; from < due.length; from += atOnce) {
    const some = due.slice(from, from + atOnce);
    onResults(await renewSome(some));
  }
}

async function renewSome(due: readonly DueRenewal[]): Promise<ReadonlyMap<number, RenewalResult>> {
  for (const one of due) unanswered.set(one.customerId, one);
  try {
    const { results } = await renewInBulk(
      due.map(({ orderId, charge }) => ({
        renew: orderId,
        max_charge: charge,
        idempotency_key: keyOf(orderId),
      })),
    );
    for (const [place, { customerId }] of due.entries()) {
      if ((results[place]?.status ?? 500) < 500) unanswered.delete(customerId);
    }
    return new Map(due.map(({ customerId }, place) => [customerId, resultOf(results[place])]));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = { type: 'refused', code: error.code, reason: null } as const;
    return new Map(due.map(({ customerId }) => [customerId, refused]));
  }
}

function keyOf(orderId: number): string {
  const key = keys.get(orderId) ?? mintIdempotencyKey();
  keys.set(orderId, key);
  return key;
}

function resultOf(result: BulkAnswerResult | undefined): RenewalResult {
  if (result?.order !== undefined) {
    const { expires_at: expiresAt, status } = result.order;
    return { type: 'renewed', expiresAt, isPending: status !== 'completed' };
  }
  const { code = 'network', details } = result?.error ?? {};
  const reason = details?.['reason'];
  return { type: 'refused', code, reason: typeof reason === 'string' ? reason : null };
}
