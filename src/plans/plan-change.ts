// A row of `plan_changes`: what happened to a customer's plan without an order. Together with the orders,
// these rows explain every plan: orders and changes of an account, each numbered 1, 2, 3 …, and `afterOrder`,
// which places each change between two orders. Written by the order batch alone, never changed. A plain order
// writes none.

import { describeTable, int, nullableInt, nullableTime, oneOf, type RowOf, time } from '../database/table.ts';

/** `trial`: a free trial began. `suspend`, `resume`: access stopped and returned; the plan's time runs on. */
const planChangeKinds = ['trial', 'suspend', 'resume'] as const;

export const planChanges = describeTable('plan_changes', {
  accountId: int('account_id'),
  number: int('number'),
  customerNumber: int('customer_number'),
  kind: oneOf('kind', planChangeKinds),
  createdAt: time('created_at'),
  /** The number of the account's newest order when it happened; 0: there was none. */
  afterOrder: int('after_order'),
  /** The administrator who made it; null where it is not known. */
  actorId: nullableInt('actor_id'),
  /** Of a trial: its package, and when it ends. */
  packageId: nullableInt('package_id'),
  expiresAt: nullableTime('expires_at'),
});

export type PlanChange = RowOf<typeof planChanges>;
