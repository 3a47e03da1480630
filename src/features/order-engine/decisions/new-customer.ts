// Makes a new customer, for a first order or a trial.

import type { EpochSeconds } from '../../../shared/times.ts';
import { plainLife } from '../records/plan-life.ts';
import type { Plan } from '../records/plan-terms.ts';
import type { CustomerState } from './customer-state.ts';
import type { GrantTrial, PlaceOrder } from './order-commands.ts';

export function newCustomer(
  {
    customerReference: reference,
    customerName,
  }: Pick<PlaceOrder | GrantTrial, 'customerReference' | 'customerName'>,
  plan: Plan,
  now: EpochSeconds,
): Omit<CustomerState, 'accountId' | 'number'> {
  return {
    reference,
    name: customerName ?? reference,
    status: 'active',
    createdAt: now,
    plan,
    life: plainLife,
    externalRef: null,
  };
}
