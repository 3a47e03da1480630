import { toCents } from '../../text/amounts.ts';

/** The service's formula: floor(100 × (1 − price ÷ (monthly × months))), at least 0. null if there is no price. */
export function savingPercent(price: string | null, monthly: string | null, months: number): number | null {
  if (price === null || monthly === null) return null;
  const full = toCents(monthly) * BigInt(months);
  if (full === 0n) return null;
  const saved = full - toCents(price);
  return saved <= 0n ? 0 : Number((saved * 100n) / full);
}
