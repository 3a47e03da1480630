// Shows what an order would do, for the account's own order and for the operator's change of package.

import { formatAmount } from '../../shared/amounts.ts';
import { periodOfMonths } from '../../shared/periods.ts';
import { formatTime } from '../../shared/times.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderPreview } from '../order-engine/preview-orders.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import type { OrderPreviewView } from './order-schemas.ts';
import { priceRuleView } from './order-view.ts';

export function orderPreviewView(
  { startsAt, balanceCents }: Pick<OrderPreview, 'startsAt' | 'balanceCents'>,
  { order, replayed }: Extract<OrderOutcome, { readonly type: 'ordered' }>,
  packages: PackageCatalog,
  currency: string,
): OrderPreviewView {
  const { kind, packageId, months, priceCents, refundCents, balanceAfterCents, expiresAt } = order;
  const chargeCents = priceCents - refundCents;
  return {
    kind,
    package: { id: packageId, name: packages.byId.get(packageId)?.name ?? '' },
    months,
    period: periodOfMonths(months),
    price: formatAmount(priceCents),
    ...priceRuleView(order.priceRule),
    refund: formatAmount(refundCents),
    charge: formatAmount(chargeCents),
    currency,
    // In a replay, this is the balance before the order. A pending order holds back more than its charge.
    balance: formatAmount(replayed ? balanceAfterCents + chargeCents : balanceCents),
    balance_after: formatAmount(balanceAfterCents),
    starts_at: formatTime(startsAt),
    expires_at: formatTime(expiresAt),
  };
}
