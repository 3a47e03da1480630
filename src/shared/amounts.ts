// Money: whole cents as bigint inside, decimal strings with two places outside. No floating point.

/** "12.34" for 1234n, "-0.05" for -5n. */
export function formatAmount(cents: bigint): string {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0');
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

const amountPattern = /^(-?)(\d{1,12})(?:\.(\d{1,2}))?$/;

/** Accepts "12", "12.3", "12.34", "-12.34"; null for anything else, including more than 12 digits before the point. */
export function parseAmount(text: unknown): bigint | null {
  const match = typeof text === 'string' ? amountPattern.exec(text) : null;
  if (match === null) return null;
  const [, sign, units = '', fraction = ''] = match;
  const cents = BigInt(units) * 100n + BigInt(fraction.padEnd(2, '0'));
  return sign === '-' ? -cents : cents;
}

/** floor(100 × (1 − price ÷ (monthly price × months))), at least 0. */
export function savingPercent(priceCents: bigint, monthlyPriceCents: bigint, months: number): number {
  const full = monthlyPriceCents * BigInt(months);
  if (full <= 0n || priceCents >= full) return 0;
  return Number(((full - priceCents) * 100n) / full);
}
