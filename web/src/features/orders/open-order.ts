// How any page opens the order dialog.

import { createContext, useContext } from 'react';
import type { Months } from '../../api/shapes.ts';

export type OrderIntent =
  | {
      readonly type: 'place';
      /** Reference of the customer the order is for; absent: asked. */
      readonly customer?: string;
      /** The name of the package that runs now, to mark it. */
      readonly runningPackage?: string;
    }
  | {
      readonly type: 'renew';
      readonly orderId: number;
      readonly customer: string;
      readonly packageName: string;
      readonly months: Months;
    };

export const OpenOrderContext = createContext<(intent: OrderIntent) => void>(() => undefined);

export function useOpenOrder(): (intent: OrderIntent) => void {
  return useContext(OpenOrderContext);
}
