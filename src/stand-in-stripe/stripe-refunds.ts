// Refunds and disputes. Events are keyed by refund and dispute; `amount_refunded` of a charge is cumulative, as at Stripe.

import {
  type Charge,
  type Dispute,
  disputeObject,
  disputeTransaction,
  type Metadata,
  type Refund,
  refundObject,
} from './stripe-objects.ts';
import { invalidRequest } from './stripe-refusal.ts';
import type { StripeState } from './stripe-state.ts';

export interface RefundValues {
  /** null: all that is left. */
  readonly amount: number | null;
  readonly reason: string | null;
  readonly metadata: Metadata;
  readonly status: 'pending' | 'succeeded';
}

export function createRefund(state: StripeState, charge: Charge, values: RefundValues): Refund {
  const left = charge.amount - charge.amount_refunded;
  const { amount = null, reason, metadata, status } = values;
  if (charge.status !== 'succeeded')
    throw invalidRequest(
      `This PaymentIntent (${charge.payment_intent}) does not have a successful charge to refund.`,
    );
  if (charge.disputed && standingDispute(state, charge))
    throw invalidRequest(`Charge ${charge.id} has been charged back; cannot issue a refund.`, {
      code: 'charge_disputed',
    });
  if (left === 0)
    throw invalidRequest(`Charge ${charge.id} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  if (amount !== null && amount < 1)
    throw invalidRequest('Invalid positive integer', { code: 'parameter_invalid_integer', param: 'amount' });
  if (amount !== null && amount > left)
    throw invalidRequest(
      `Refund amount (${shown(amount, charge.currency)}) is greater than ${
        left === charge.amount ? 'charge amount' : 'unrefunded amount on charge'
      } (${shown(left, charge.currency)})`,
      { param: 'amount' },
    );
  const refund = state.add(
    'refund',
    refundObject(state.made('re'), charge, { amount: amount ?? left, metadata, reason, status }),
  );
  if (status === 'succeeded') refund['balance_transaction'] = state.newId('txn');
  state.emit('refund.created', refund);
  changeRefunded(state, charge, refund.amount);
  return refund;
}

/** A refund can fail even after it has succeeded: the customer's bank sends the money back. */
export function settleRefund(state: StripeState, refund: Refund, status: 'succeeded' | 'failed'): void {
  if (refund.status === 'failed' || refund.status === status)
    throw invalidRequest(`Refund ${refund.id} is ${refund.status} already.`);
  const previous = { status: refund.status };
  refund.status = status;
  if (status === 'failed') {
    refund['failure_reason'] = 'lost_or_stolen_card';
    refund['failure_balance_transaction'] = state.newId('txn');
    changeRefunded(state, state.get('charge', refund.charge), -refund.amount);
    state.emit('refund.failed', refund);
  }
  state.emit('refund.updated', refund, previous);
  state.emit('charge.refund.updated', refund, previous);
}

function changeRefunded(state: StripeState, charge: Charge, difference: number): void {
  const previous = { amount_refunded: charge.amount_refunded, refunded: charge.refunded };
  charge.amount_refunded += difference;
  charge.refunded = charge.amount_refunded === charge.amount;
  state.emit(difference > 0 ? 'charge.refunded' : 'charge.updated', charge, previous);
}

function shown(cents: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);
}

/** An inquiry leaves the charge refundable; a lost dispute does not. */
function standingDispute(state: StripeState, charge: Charge): boolean {
  return state
    .all('dispute')
    .some(
      ({ charge: id, status, is_charge_refundable }) =>
        id === charge.id && !is_charge_refundable && status !== 'won',
    );
}

export interface DisputeValues {
  /** Default: all that was not refunded. */
  readonly amount?: number;
  readonly reason?: string;
  /** An inquiry takes no money until it becomes a dispute. */
  readonly isInquiry?: boolean;
}

export function openDispute(
  state: StripeState,
  charge: Charge,
  {
    amount = charge.amount - charge.amount_refunded,
    reason = 'fraudulent',
    isInquiry = false,
  }: DisputeValues,
): Dispute {
  if (charge.status !== 'succeeded' || amount < 1 || amount > charge.amount)
    throw invalidRequest(`A dispute of ${shown(amount, charge.currency)} does not fit charge ${charge.id}.`);
  charge.disputed = true;
  const made = disputeObject(state.made('du'), charge, { amount, reason, isInquiry });
  const dispute = state.add('dispute', made);
  state.emit('charge.dispute.created', dispute);
  if (!isInquiry) withdraw(state, dispute);
  return dispute;
}

export const disputeMoves = ['escalate', 'win', 'lose', 'close_inquiry'] as const;
export type DisputeMove = (typeof disputeMoves)[number];

export function moveDispute(state: StripeState, dispute: Dispute, move: DisputeMove): void {
  const isInquiry = dispute.status === 'warning_needs_response';
  const isFitting =
    move === 'escalate' || move === 'close_inquiry' ? isInquiry : dispute.status === 'needs_response';
  if (!isFitting) throw invalidRequest(`Dispute ${dispute.id} is ${dispute.status}: it cannot ${move}.`);
  const previous = { status: dispute.status };
  if (move === 'escalate') {
    dispute.status = 'needs_response';
    dispute.is_charge_refundable = false;
    state.emit('charge.dispute.updated', dispute, previous);
    withdraw(state, dispute);
    return;
  }
  if (move === 'close_inquiry') {
    dispute.status = 'warning_closed';
    state.get('charge', dispute.charge).disputed = false;
  } else dispute.status = move === 'win' ? 'won' : 'lost';
  if (move === 'win') transact(state, dispute, dispute.amount);
  state.emit('charge.dispute.closed', dispute, previous);
  if (move === 'win') state.emit('charge.dispute.funds_reinstated', dispute);
}

function withdraw(state: StripeState, dispute: Dispute): void {
  transact(state, dispute, -dispute.amount);
  state.emit('charge.dispute.funds_withdrawn', dispute);
}

function transact(state: StripeState, dispute: Dispute, amount: number): void {
  const transaction = disputeTransaction(state.made('txn'), dispute, amount);
  dispute.balance_transactions = [...dispute.balance_transactions, transaction];
}
