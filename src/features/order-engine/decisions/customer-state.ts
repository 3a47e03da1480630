// A customer while a batch decides: the row of the table with its plan and the plan's life taken together.

import type { CustomerRow, lifeRow } from '../records/customer-table.ts';
import type { PlanLife } from '../records/plan-life.ts';
import type { Plan } from '../records/plan-terms.ts';

/** A customer's row, with the columns of the plan as the plan, and those of its life as its life. */
export interface CustomerState extends Omit<CustomerRow, keyof Plan | keyof ReturnType<typeof lifeRow>> {
  /** The account's own id of the customer, which no command changes. */
  readonly externalRef: string | null;
  readonly plan: Plan;
  readonly life: PlanLife;
}
