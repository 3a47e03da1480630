export const periods = [
  { months: 1, period: 'monthly' },
  { months: 3, period: 'quarterly' },
  { months: 12, period: 'yearly' },
] as const;

export type Months = (typeof periods)[number]['months'];
export type Period = (typeof periods)[number]['period'];
export const periodNames: readonly Period[] = periods.map(({ period }) => period);

/** Whether running plans follow a new price or keep what they paid. */
export const plansAtNewPrice = ['new', 'held'] as const;
export type PlansAtNewPrice = (typeof plansAtNewPrice)[number];

export const groups = ['reseller', 'distributor'] as const;
export type Group = (typeof groups)[number];

export function isMonths(value: unknown): value is Months {
  return value === 1 || value === 3 || value === 12;
}

export function monthsOfPeriod(value: unknown): Months | null {
  return periods.find(({ period }) => period === value)?.months ?? null;
}

export function periodOfMonths(months: Months): Period {
  return months === 1 ? 'monthly' : months === 3 ? 'quarterly' : 'yearly';
}

/** For database values: anything but 1, 3 or 12 is a corrupt row. */
export function expectMonths(value: number): Months {
  if (!isMonths(value)) throw new Error(`${value} is not a period of months that is sold`);
  return value;
}
