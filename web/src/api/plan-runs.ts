// Whether the time of a plan runs, for every page that shows one.

import type { Customer } from './shapes.ts';

/** Not whether it may be used: the time of a plan that is suspended runs on. */
export function runs({ days_left: daysLeft }: Customer['plan']): boolean {
  return daysLeft > 0;
}

/** False while a first order waits for the operator's product, and after the product refused it. */
export function hasStarted({ status, starts_at: start, expires_at: end }: Customer['plan']): boolean {
  return status !== 'expired' || start !== end;
}
