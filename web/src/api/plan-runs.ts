// Whether the time of a plan runs, for every page that shows one.

import type { Customer } from './shapes.ts';

/** Not whether it may be used: the time of a plan that is suspended runs on. */
export function runs({ days_left: daysLeft }: Customer['plan']): boolean {
  return daysLeft > 0;
}
