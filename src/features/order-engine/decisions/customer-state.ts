// A customer's row during a batch, with the plan and the plan's life as objects.

import type { CustomerRow, lifeRow } from '../records/customer-table.ts';
import type { PlanLife } from '../records/plan-life.ts';
import type { Plan } from '../records/plan-terms.ts';

export interface CustomerState extends Omit<CustomerRow, keyof Plan | keyof ReturnType<typeof lifeRow>> {
  readonly externalRef: string | null;
  readonly plan: Plan;
  readonly life: PlanLife;
}
