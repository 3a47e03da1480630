// Compares each order with its ledger entries: a completed one cost its price less its refund, a failed one nothing, a
// pending one has given nothing that may be taken back. Reads only the API's lists.

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

/** The expected sum of its entries, and the number of nonzero charges. */
function wantedOf({ price, refund, status }: Row): { total: bigint; charges: number } | null {
  const [priceCents, refundCents] = [centsOf(price), centsOf(refund)];
  // While pending, never more is given than taken.
  const givenCents = refundCents < priceCents ? refundCents : priceCents;
  const charges = priceCents === 0n ? 0 : 1;
  if (status === 'completed') return { total: refundCents - priceCents, charges };
  if (status === 'pending') return { total: givenCents - priceCents, charges };
  // The given part of the refund is charged again.
  if (status === 'failed') return { total: 0n, charges: givenCents === 0n ? charges : charges + 1 };
  return null;
}

function centsOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''));
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}
