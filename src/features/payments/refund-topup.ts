// Refunds that the operator makes: the books move first, then the provider is asked. If it refuses, the money goes back to
// the balance.
// Invariant: the provider refunds only what the books already took, and a refund that it was asked for is asked again until
// it answers.

import { createHash, randomUUID } from 'node:crypto';
import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import { ranked } from '../../platform/database/database.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { BookingDependencies } from './book-payments.ts';
import type { PaymentGateways } from './payment-gateway.ts';
import { type PaymentProvider, ProviderRefused } from './payment-provider.ts';
import {
  addRefund,
  findRefund,
  listUnsentRefunds,
  type TopupRefund,
  writeRefundStatus,
} from './refund-rows.ts';
import { findTopup } from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';

export interface RefundDependencies extends BookingDependencies {
  readonly gateways: PaymentGateways;
}

export interface WantedRefund {
  readonly topup: ListedTopup;
  readonly amountCents: bigint;
  readonly reason: string | null;
  readonly allowReceivable: boolean;
  readonly idempotencyKey: string | null;
  readonly by: AuditAuthor;
}

/**
 * Refusals: topup_not_found (not paid), refund_too_large, insufficient_credit, order_failed, idempotency_conflict.
 * @returns the refund's status: "new" if the provider did not answer, and is asked again
 */
export async function refundTopup(
  dependencies: RefundDependencies,
  { topup, amountCents, reason, allowReceivable, idempotencyKey, by }: WantedRefund,
): Promise<TopupRefund['status'] | Refusal> {
  const { database, engine, now } = dependencies;
  const { accountId, number: topupNumber, paymentRef } = topup;
  if (paymentRef === null) return refusal('topup_not_found');
  const wanted: TopupRefund = {
    accountId,
    cause: `refund:${idempotencyKey === null ? randomUUID() : hashOf(topup, idempotencyKey)}`,
    topupNumber,
    amountCents,
    reason,
    status: 'new',
    createdAt: now(),
  };
  const found = await addRefund(database, wanted);
  if (found === null) return refusal('topup_not_found');
  const { refund } = found;
  if (refund.amountCents !== amountCents || refund.reason !== reason) return refusal('idempotency_conflict');
  if (refund.status !== 'new') return refund.status;
  const taken = await engine.submit({
    type: 'reverse_payment',
    accountId,
    topupNumber,
    cause: refund.cause,
    kind: 'refund',
    amountCents,
    allowReceivable,
    by,
  });
  if (taken.type === 'refused') return taken.refusal;
  const gateway = await dependencies.gateways.current();
  return send(dependencies, gateway?.provider ?? null, { refund, paymentRef, isFirst: !found.isTaken });
}

function hashOf({ accountId, number }: ListedTopup, idempotencyKey: string): string {
  return createHash('sha256')
    .update(`${accountId} ${number} ${idempotencyKey}`)
    .digest('base64url')
    .slice(0, 22);
}

interface Sending {
  readonly refund: TopupRefund;
  readonly paymentRef: string;
  /** False if an earlier attempt may have reached the provider. */
  readonly isFirst: boolean;
}

/** @throws ProviderAway */
async function send(
  { database, engine }: RefundDependencies,
  provider: PaymentProvider | null,
  { refund, paymentRef, isFirst }: Sending,
): Promise<TopupRefund['status']> {
  const { accountId, cause, amountCents } = refund;
  const write = async <Status extends 'sent' | 'failed' | 'by_hand'>(status: Status): Promise<Status> => {
    await writeRefundStatus(database, refund, status);
    return status;
  };
  // The process may have died after the money was given back.
  const state = await findRefund(ranked(database, 'lookups'), accountId, cause);
  if (state?.isGivenBack === true) return write('failed');
  const [name = '', paymentId = ''] = paymentRef.split(/:(.*)/s);
  if (provider === null || name !== provider.name) return write('by_hand');
  try {
    // The provider forgets after a day that it was asked, so look before asking again.
    if (isFirst || !(await provider.hasRefund(paymentId, cause)))
      await provider.refund({ paymentId, amountCents, cause });
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    const back = await engine.submit({ type: 'reinstate_payment', accountId, cause });
    // A halted account stays as it is until it is corrected, and the provider is asked again.
    return back.type === 'refused' ? 'new' : write('failed');
  }
  return write('sent');
}

const retrySeconds = 60;

/** Refunds whose provider did not answer, or whose process died. @throws ProviderAway @returns whether some are left */
export async function sendUnsentRefunds(
  dependencies: RefundDependencies,
  provider: PaymentProvider,
  limit: number,
  now: EpochSeconds,
): Promise<boolean> {
  const unsent = await listUnsentRefunds(dependencies.database, now - retrySeconds, limit);
  for (const refund of unsent) {
    const topup = await findTopup(dependencies.database, refund.accountId, refund.topupNumber);
    if (topup !== null && topup.paymentRef !== null)
      await send(dependencies, provider, { refund, paymentRef: topup.paymentRef, isFirst: false });
  }
  return unsent.length >= limit;
}
