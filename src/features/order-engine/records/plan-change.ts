// A row of `plan_changes`: what happened to a customer's plan without an order. Together with the orders,
// these rows explain every plan: orders and changes of an account, each numbered 1, 2, 3 …, and `afterOrder`,
// which places each change between two orders. Written by the order batch alone, never changed. A plain order
// writes none.

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
 * `trial`: a free trial began. `suspend`, `resume`: a hold was set and lifted, by the operator or by the account; the
 * plan's time runs on. `resume` of an account takes a `cancel_at_period_end` back as well. `renewal_failed`: a plan that
 * renews itself was refused. `order_completed`, `order_failed`: the product took an order that waited for it, or did not.
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

/** `operator`: an administrator. `service`: a plan that renews itself. `product`: its answer to an order. */
const parties = ['operator', 'account', 'service', 'product'] as const;

const columns = {
  accountId: int('account_id'),
  number: int('number'),
  customerNumber: int('customer_number'),
  kind: oneOf('kind', planChangeKinds),
  createdAt: time('created_at'),
  /** The number of the account's newest order when it happened; 0: there was none. */
  afterOrder: int('after_order'),
  /** The administrator who made it; null: nobody, or not known who. */
  actorId: nullableInt('actor_id'),
  byParty: oneOf('by_party', parties),
  /** Of the plan right after it. Rows of the first edition have them of trials alone. */
  packageId: nullableInt('package_id'),
  expiresAt: nullableTime('expires_at'),
  /** Right after it; null in rows of the first edition. */
  planStatus: orNull(oneOf('plan_status', planStatuses)),
  /** Whether a hold stood right after it; null as above. */
  isSuspended: orNull(boolean('is_suspended')),
  /** Of `order_completed` and `order_failed`. */
  orderNumber: nullableInt('order_number'),
  /** Of `cancel`: of the unused time. Of `order_completed`: what was held back. Of `order_failed`: the price. */
  refundCents: orNull(cents('refund_cents')),
  /** The ledger entry that gave the refund back; null: there was nothing to give. */
  entryNumber: nullableInt('entry_number'),
  /** Nothing changed, and the row holds what its key stands for. */
  isEmpty: boolean('is_empty'),
  /** Of an account's changes: what a replay answers. Of a settled order: what it left. */
  balanceAfterCents: orNull(cents('balance_after_cents')),
  idempotencyKey: nullableText('idempotency_key'),
  fingerprint: nullableText('fingerprint'),
  /** Of a suspension by the account, and of an order that failed. */
  reason: nullableText('reason'),
  /** Of `renewal_failed`: the error code. */
  code: nullableText('code'),
  /** Of `auto_renew`. */
  renewMonths: orNull(months('renew_months')),
  renewMaxCents: orNull(cents('renew_max_cents')),
  renewHoursBefore: nullableInt('renew_hours_before'),
};

export const planChanges = describeTable('plan_changes', columns);

/** As they are written: with the hash of order-engine/row-hashes.ts. */
export const hashedPlanChanges = describeTable('plan_changes', { ...columns, rowHash: text('row_hash') });

export type PlanChange = RowOf<typeof planChanges>;
