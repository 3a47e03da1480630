import { createContext, useContext } from 'react';
import { runs } from '../../api/plan-runs.ts';
import type { Customer, Months, Order } from '../../api/shapes.ts';

export type OrderIntent =
  | {
      readonly type: 'place';
      /** The customer's reference. If absent, the dialog asks for it. */
      readonly customer?: string;
      /** The name of the running package, which the dialog marks. */
      readonly runningPackage?: string;
    }
  | {
      readonly type: 'renew';
      readonly orderId: number;
      readonly customer: string;
      readonly packageId: number;
      readonly packageName: string;
      readonly months: Months;
    };

export function renewalOf({ id, customer, package: { id: packageId, name }, months }: Order): OrderIntent {
  return { type: 'renew', orderId: id, customer: customer.reference, packageId, packageName: name, months };
}

export function orderFor({ reference, plan }: Pick<Customer, 'reference' | 'plan'>): OrderIntent {
  return { type: 'place', customer: reference, ...(runs(plan) && { runningPackage: plan.package }) };
}

export const OpenOrderContext = createContext<(intent: OrderIntent) => void>(() => undefined);

export function useOpenOrder(): (intent: OrderIntent) => void {
  return useContext(OpenOrderContext);
}
