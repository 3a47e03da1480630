// Compares each order with its ledger entries. A completed order cost its price less its refund, and a failed one nothing.

type Row = Readonly<Record<string, unknown>>;

export function settlementProblems(orders: readonly Row[], entries: readonly Row[]): string[] {
  const ofOrder = Map.groupBy(entries, (entry) => entry['order_id']);
  return orders.flatMap((order) => {
    const own = ofOrder.get(order['id']) ?? [];
    const total = own.reduce((sum, entry) => sum + centsOf(entry['amount']), 0n);
    const charges = own.filter(({ kind, amount }) => kind === 'charge' && amount !== '0.00').length;
    const wanted = wantedOf(order);
    if (wanted !== null && wanted.total === total && wanted.charges === charges) return [];
    return [`The order ${toText(order)} is not what its entries say: ${toText(own)}.`];
  });
}

function wantedOf({ price, refund, status }: Row): { total: bigint; charges: number } | null {
  const [priceCents, refundCents] = [centsOf(price), centsOf(refund)];
  // While an order is pending, no more of its refund is given than its price.
  const givenCents = refundCents < priceCents ? refundCents : priceCents;
  const charges = priceCents === 0n ? 0 : 1;
  if (status === 'completed') return { total: refundCents - priceCents, charges };
  if (status === 'pending') return { total: givenCents - priceCents, charges };
  // When an order fails, the part of the refund that was given is charged again.
  if (status === 'failed') return { total: 0n, charges: givenCents === 0n ? charges : charges + 1 };
  return null;
}

function centsOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''));
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}
