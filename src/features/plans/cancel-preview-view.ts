// Shows the refund of a cancel, for the account itself and for the operator.

import { formatAmount } from '../../shared/amounts.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';

export function cancelPreviewView({
  refundCents,
  balanceAfterCents,
}: Extract<OrderOutcome, { readonly type: 'plan_changed' }>) {
  return {
    refund: formatAmount(refundCents),
    balance: formatAmount(balanceAfterCents - refundCents),
    balance_after: formatAmount(balanceAfterCents),
  };
}
