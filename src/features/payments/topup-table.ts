// The table topups as this feature writes it, and a top-up as lists read it.

import { describeTable, int, nullableText, nullableTime, type RowOf } from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { TopupStatus } from '../../shared/topup-words.ts';
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
  /** null: the payment has not come. */
  readonly creditedAt: EpochSeconds | null;
  /** "stripe:pi_…"; null: the payment has not come. */
  readonly paymentRef: string | null;
}
