// The table topups as this feature writes it, and a top-up as lists read it.

import type { Row } from '../../platform/database/database.ts';
import { bigint, nullable, oneOf } from '../../platform/database/row-values.ts';
import { describeTable, int, nullableText, nullableTime, type RowOf } from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { type TopupStatus, topupStatuses } from '../../shared/topup-words.ts';
import { topupColumns } from '../order-engine/records/payment-tables.ts';

export const topupRows = describeTable('topups', {
  ...topupColumns,
  /** A random name that only we and the provider know. null: not paid at a provider. */
  providerKey: nullableText('provider_key'),
  sessionId: nullableText('session_id'),
  payUrl: nullableText('pay_url'),
  returnUrl: nullableText('return_url'),
  /** When to ask the provider next; in test mode, when a payment comes that is paid later. */
  checkAt: nullableTime('check_at'),
  checks: int('checks'),
});

export type TopupRow = RowOf<typeof topupRows>;

export interface ListedTopup extends Omit<TopupRow, 'status'> {
  readonly status: TopupStatus;
  readonly refundedCents: bigint;
  readonly disputedCents: bigint;
  /** When a part was last refunded or disputed, of what stays away. */
  readonly refundedAt: EpochSeconds | null;
  readonly disputedAt: EpochSeconds | null;
  /** null: the payment has not come. */
  readonly creditedAt: EpochSeconds | null;
  /** "stripe:pi_…"; null: the payment has not come. */
  readonly paymentRef: string | null;
  /** The number of the entry that credited it. */
  readonly entryNumber: number | null;
}

// The rule of topupState (payment-tables.ts) in SQL, so that lists can be filtered by it.
const standing = (value: string, kinds: string) => `(select ${value} from reversals r
      where r.account_id = t.account_id and r.topup_number = t.number and r.reinstated_at is null and r.kind ${kinds})`;
const sum = 'coalesce(sum(r.amount_cents), 0)::bigint';
const lastAt = 'extract(epoch from max(r.created_at))::bigint';
export const listedTopups = `(select ${topupRows.without('status').list('t')}, t.credited_at, t.payment_ref, t.entry_number, t.refunded_cents,
    t.disputed_cents, t.refunded_at, t.disputed_at, case when t.credited_at is null then t.status when t.disputed_cents > 0 then 'disputed'
      when t.refunded_cents = 0 then 'paid' when t.refunded_cents < t.amount_cents then 'partly_refunded'
      else 'refunded' end as status
  from (select t.*, p.created_at as credited_at, p.payment_ref, p.entry_number, ${standing(sum, "<> 'dispute'")} as refunded_cents,
      ${standing(sum, "= 'dispute'")} as disputed_cents, ${standing(lastAt, "<> 'dispute'")} as refunded_at,
      ${standing(lastAt, "= 'dispute'")} as disputed_at
    from topups t left join payments p on p.account_id = t.account_id and p.topup_number = t.number) t) t`;

export function parseListedTopup(row: Row): ListedTopup {
  return {
    ...topupRows.without('status').parse(row),
    status: oneOf(topupStatuses, row['status']),
    refundedCents: bigint(row['refunded_cents']),
    disputedCents: bigint(row['disputed_cents']),
    refundedAt: nullable(Number, row['refunded_at']),
    disputedAt: nullable(Number, row['disputed_at']),
    creditedAt: nullable(Number, row['credited_at']),
    paymentRef: nullable(String, row['payment_ref']),
    entryNumber: nullable(Number, row['entry_number']),
  };
}
