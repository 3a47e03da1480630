import { createContext, useContext } from 'react';
import { runs } from '../../api/plan-runs.ts';
import type { Customer, Months, Order } from '../../api/shapes.ts';

export type OrderIntent =
  | {
      readonly type: 'place';
      /** The customer's reference. If absent, the dialog asks for it. */
      readonly customer?: string;
      readonly name?: string;
      /** The name of the running package, which the dialog marks. */
      readonly runningPackage?: string;
    }
  | {
      readonly type: 'renew';
      readonly orderId: number;
      readonly customer: string;
      readonly name: string;
      readonly packageId: number;
      readonly packageName: string;
      readonly months: Months;
    };

/** `name` is the customer’s. */
export function renewalOf({ id, customer, package: sold, months }: Order, name: string): OrderIntent {
  const { id: packageId, name: packageName } = sold;
  return { type: 'renew', orderId: id, customer: customer.reference, name, packageId, packageName, months };
}

export function orderFor({
  reference,
  name,
  plan,
}: Pick<Customer, 'reference' | 'name' | 'plan'>): OrderIntent {
  return { type: 'place', customer: reference, name, ...(runs(plan) && { runningPackage: plan.package }) };
}

export const OpenOrderContext = createContext<(intent: OrderIntent) => void>(() => undefined);

export function useOpenOrder(): (intent: OrderIntent) => void {
  return useContext(OpenOrderContext);
}
