// What an order would do, as previews answer it: those of an account's own order and of the operator's change of package.

import type { PackageCatalog } from '../../catalog/package-catalog.ts';
import { formatAmount } from '../../contract/amounts.ts';
import type { OrderPreviewView } from '../../contract/order-schemas.ts';
import { periodOfMonths } from '../../contract/periods.ts';
import { formatTime } from '../../contract/times.ts';
import type { OrderPreview } from '../../orders/order-batch.ts';
import type { OrderOutcome } from '../../orders/order-commands.ts';

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
    refund: formatAmount(refundCents),
    charge: formatAmount(chargeCents),
    currency,
    // Of an order that stands already: the one before it. An order that waits for the product holds back more than its charge.
    balance: formatAmount(replayed ? balanceAfterCents + chargeCents : balanceCents),
    balance_after: formatAmount(balanceAfterCents),
    starts_at: formatTime(startsAt),
    expires_at: formatTime(expiresAt),
  };
}
