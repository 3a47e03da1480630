// What the ledger has to say of each order, by what became of it: one that is completed cost its price less its refund,
// one that failed cost nothing, one that waits for the product has given nothing that may have to be taken back; and
// none is two of these. Compares the lists of the API with each other and knows nothing of how the service works.

/** A row of a list of the API. */
type Row = Readonly<Record<string, unknown>>;

/** Of all orders and all entries of one account: a sentence for each order that is not what its entries say. */
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

/** What its entries add up to, and how many of them are charges of more than nothing. */
function wantedOf({ price, refund, status }: Row): { total: bigint; charges: number } | null {
  const [priceCents, refundCents] = [centsOf(price), centsOf(refund)];
  // While it waits, never more is given back than is taken.
  const givenCents = refundCents < priceCents ? refundCents : priceCents;
  const charges = priceCents === 0n ? 0 : 1;
  if (status === 'completed') return { total: refundCents - priceCents, charges };
  if (status === 'pending') return { total: givenCents - priceCents, charges };
  // What was given of the refund is charged again.
  if (status === 'failed') return { total: 0n, charges: givenCents === 0n ? charges : charges + 1 };
  return null;
}

function centsOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''));
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}
