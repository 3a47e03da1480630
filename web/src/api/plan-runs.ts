import type { Customer } from './shapes.ts';

/** Also true while the plan is suspended, because its time runs on. */
export function runs({ days_left: daysLeft }: Customer['plan']): boolean {
  return daysLeft > 0;
}

export function hasStarted({ status, starts_at: start, expires_at: end }: Customer['plan']): boolean {
  return status !== 'expired' || start !== end;
}
