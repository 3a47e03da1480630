// The table plan_changes: changes of a plan without an order. With the orders, placed by `afterOrder`, they explain every
// plan. Only the order batch writes it; rows never change. Plain orders write none.

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
 * `suspend`, `resume`: a hold by the operator or the account; the plan's time runs on. An account's `resume` also withdraws
 * `cancel_at_period_end`. `renewal_failed`: an automatic renewal was refused. `order_completed`, `order_failed`: the
 * settlement of an order.
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

/** `service`: automatic renewals. `product`: its answer to an order. */
const parties = ['operator', 'account', 'service', 'product'] as const;

const columns = {
  accountId: int('account_id'),
  number: int('number'),
  customerNumber: int('customer_number'),
  kind: oneOf('kind', planChangeKinds),
  createdAt: time('created_at'),
  /** The account's newest order at that time; 0: none. */
  afterOrder: int('after_order'),
  /** An administrator; null: none, or unknown. */
  actorId: nullableInt('actor_id'),
  byParty: oneOf('by_party', parties),
  /** After the change. First-edition rows have them only for trials. */
  packageId: nullableInt('package_id'),
  expiresAt: nullableTime('expires_at'),
  /** After the change; null in first-edition rows. */
  planStatus: orNull(oneOf('plan_status', planStatuses)),
  /** Whether a hold remained; null as above. */
  isSuspended: orNull(boolean('is_suspended')),
  orderNumber: nullableInt('order_number'),
  /** `cancel`: of the unused time. `order_completed`: what was held back. `order_failed`: the price. */
  refundCents: orNull(cents('refund_cents')),
  /** The refund's ledger entry; null: no refund. */
  entryNumber: nullableInt('entry_number'),
  /** Nothing changed: the row only binds its key. */
  isEmpty: boolean('is_empty'),
  /** For an account's changes: the replay's answer. For a settled order: the result. */
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
