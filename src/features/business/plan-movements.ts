// What one order does to the figures of the business (docs/business.md has the definitions). Pure: no clock, no database.
// Invariant: the movements of an order depend on it and on the customer's completed order before it, so orders can be added
// in any order, each exactly once.

/** A completed order. Days are "2026-01-31", in UTC. */
export interface PlanTerm {
  readonly packageId: number;
  /** The price of a year at this rate: price × 12 ÷ months. */
  readonly yearCents: bigint;
  readonly priceCents: bigint;
  readonly end: string;
  readonly endsAt: number;
}

export interface CountedOrder extends PlanTerm {
  readonly isRenewal: boolean;
  readonly day: string;
  readonly createdAt: number;
  /** The first day of the month of the customer's first completed order. */
  readonly cohort: string;
  readonly before: PlanTerm | null;
}

export const planCounts = [
  'newPlans',
  'returnedPlans',
  'lostPlans',
  'duePlans',
  'movedInPlans',
  'movedOutPlans',
] as const;
export const planAmounts = [
  'newCents',
  'returnedCents',
  'lostCents',
  'raisedCents',
  'loweredCents',
  'movedInCents',
  'movedOutCents',
  'dueCents',
] as const;

export type PlanFigures = Readonly<
  Record<(typeof planCounts)[number], number> & Record<(typeof planAmounts)[number], bigint>
>;

export interface PlanMovement {
  readonly day: string;
  readonly packageId: number;
  readonly figures: Partial<PlanFigures>;
}

export interface CohortMovement {
  readonly cohort: string;
  readonly month: string;
  readonly plans: number;
  readonly yearCents: bigint;
}

export const noFigures: PlanFigures = {
  newPlans: 0,
  returnedPlans: 0,
  lostPlans: 0,
  duePlans: 0,
  movedInPlans: 0,
  movedOutPlans: 0,
  newCents: 0n,
  returnedCents: 0n,
  lostCents: 0n,
  raisedCents: 0n,
  loweredCents: 0n,
  movedInCents: 0n,
  movedOutCents: 0n,
  dueCents: 0n,
};

export function addFigures(one: PlanFigures, other: Partial<PlanFigures>): PlanFigures {
  const sum = { ...one };
  for (const name of planCounts) sum[name] += other[name] ?? 0;
  for (const name of planAmounts) sum[name] += other[name] ?? 0n;
  return sum;
}

export const monthOfDay = (day: string) => `${day.slice(0, 7)}-01`;

/** True if the customer was still one in the month of the order, so the end before was no loss. */
function continues(before: PlanTerm, order: CountedOrder): boolean {
  return monthOfDay(before.end) >= monthOfDay(order.day);
}

export function planMovements(order: CountedOrder): PlanMovement[] {
  const { before, day, packageId, yearCents } = order;
  const ending: PlanMovement = {
    day: order.end,
    packageId,
    figures: { duePlans: 1, lostPlans: 1, lostCents: yearCents, dueCents: order.priceCents },
  };
  if (before === null) return [{ day, packageId, figures: { newPlans: 1, newCents: yearCents } }, ending];
  if (!continues(before, order)) {
    return [{ day, packageId, figures: { returnedPlans: 1, returnedCents: yearCents } }, ending];
  }
  // A plan that was changed, or ordered again after a cancellation, never reached the end it had.
  const isReplaced = !order.isRenewal && order.createdAt < before.endsAt;
  const kept: PlanMovement = {
    day: before.end,
    packageId: before.packageId,
    figures: {
      duePlans: isReplaced ? -1 : 0,
      lostPlans: -1,
      lostCents: -before.yearCents,
      dueCents: -before.priceCents,
    },
  };
  return [kept, ...changeOf(before, order), ending];
}

function changeOf(before: PlanTerm, { day, packageId, yearCents }: CountedOrder): PlanMovement[] {
  const difference = yearCents - before.yearCents;
  const price = {
    raisedCents: difference > 0n ? difference : 0n,
    loweredCents: difference < 0n ? -difference : 0n,
  };
  if (before.packageId === packageId) return difference === 0n ? [] : [{ day, packageId, figures: price }];
  return [
    { day, packageId: before.packageId, figures: { movedOutPlans: 1, movedOutCents: before.yearCents } },
    { day, packageId, figures: { ...price, movedInPlans: 1, movedInCents: before.yearCents } },
  ];
}

export function cohortMovements(order: CountedOrder): CohortMovement[] {
  const { before, cohort, yearCents } = order;
  const at = (day: string, plans: number, cents: bigint): CohortMovement => ({
    cohort,
    month: monthOfDay(day),
    plans,
    yearCents: cents,
  });
  const ending = at(order.end, -1, -yearCents);
  if (before === null || !continues(before, order)) return [at(order.day, 1, yearCents), ending];
  return [at(order.day, 0, yearCents - before.yearCents), at(before.end, 1, before.yearCents), ending];
}
