// What a cancel at once would give back, as the previews of an account's own cancel and of the operator's answer it.

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
