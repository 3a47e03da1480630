// The table plan_changes: changes of a plan without an order. Together with the orders (`afterOrder` gives the place among
// them) they explain every plan. Only the order batch writes it, and rows never change. Plain orders write none.

import {
  boolean,
  cents,
  describeTable,
  int,
  months,
  nullableInt,
  nullableText,
  nullableTime,
  oneOf,
  orNull,
  type RowOf,
  text,
  time,
} from '../../../platform/database/table.ts';
import { planStatuses } from './plan-life.ts';

/**
 * `suspend`, `resume`: by the operator or the account; the plan's time runs on. An account's `resume` also withdraws
 * `cancel_at_period_end`. `renewal_failed`: an automatic renewal was refused. `order_completed`, `order_failed`: an order
 * was settled.
 */
const planChangeKinds = [
  'trial',
  'suspend',
  'resume',
  'cancel',
  'cancel_at_period_end',
  'auto_renew',
  'auto_renew_off',
  'renewal_failed',
  'order_completed',
  'order_failed',
] as const;
export type PlanChangeKind = (typeof planChangeKinds)[number];

/** `service` makes automatic renewals. `product` answers orders. */
const parties = ['operator', 'account', 'service', 'product'] as const;

const columns = {
  accountId: int('account_id'),
  number: int('number'),
  customerNumber: int('customer_number'),
  kind: oneOf('kind', planChangeKinds),
  createdAt: time('created_at'),
  /** The account's newest order at that time; 0 if there was none. */
  afterOrder: int('after_order'),
  /** The administrator. null if none was involved or it is unknown. */
  actorId: nullableInt('actor_id'),
  byParty: oneOf('by_party', parties),
  /** The plan after the change. Rows of the first edition have these two only for trials. */
  packageId: nullableInt('package_id'),
  expiresAt: nullableTime('expires_at'),
  /** The status after the change; null in rows of the first edition. */
  planStatus: orNull(oneOf('plan_status', planStatuses)),
  /** Whether the customer was still suspended afterwards; null in rows of the first edition. */
  isSuspended: orNull(boolean('is_suspended')),
  orderNumber: nullableInt('order_number'),
  /** `cancel`: for the unused time. `order_completed`: what was held back. `order_failed`: the price. */
  refundCents: orNull(cents('refund_cents')),
  /** The ledger entry of the refund. null without a refund. */
  entryNumber: nullableInt('entry_number'),
  /** True if nothing changed. The row then only binds its key to the answer. */
  isEmpty: boolean('is_empty'),
  /** For an account's changes: the balance to return in a replay. For a settled order: the resulting balance. */
  balanceAfterCents: orNull(cents('balance_after_cents')),
  idempotencyKey: nullableText('idempotency_key'),
  fingerprint: nullableText('fingerprint'),
  reason: nullableText('reason'),
  code: nullableText('code'),
  renewMonths: orNull(months('renew_months')),
  renewMaxCents: orNull(cents('renew_max_cents')),
  renewHoursBefore: nullableInt('renew_hours_before'),
};

export const planChanges = describeTable('plan_changes', columns);

export const hashedPlanChanges = describeTable('plan_changes', { ...columns, rowHash: text('row_hash') });

export type PlanChange = RowOf<typeof planChanges>;
