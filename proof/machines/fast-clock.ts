// Loaded before the service (node --import): its clock runs ten days per second, equally in all processes of a proof, and
// the jobs for renewals and plan ends run every second. Outbound calls time out after a second.
// FAST_CLOCK_BEGAN: start in milliseconds. FAST_CLOCK_STOPS: when it stands still, so that everything due can finish.

import { defaultLimits } from '../../src/setup/config.ts';

const secondsPerSecond = 10 * 86_400;
const realNow = Date.now;
const began = process.env['FAST_CLOCK_BEGAN'];
const stops = Number(process.env['FAST_CLOCK_STOPS'] ?? Number.POSITIVE_INFINITY);

export function fastTime(beganAt: number, at: number): number {
  return beganAt + (at - beganAt) * secondsPerSecond;
}

if (began !== undefined) {
  Date.now = () => fastTime(Number(began), Math.min(realNow(), stops));
  defaultLimits.scheduledJobs.renewals.everySeconds = 1;
  defaultLimits.scheduledJobs.planEnds.everySeconds = 1;
  // The passing years must not delete what is compared at the end.
  defaultLimits.scheduledJobs.oldEvents.everySeconds = 1_000 * 365 * 86_400;
  // Endpoints that never answer must time out soon, except once the clock stands still: then there is no second attempt.
  if (stops === Number.POSITIVE_INFINITY) defaultLimits.outbound.callMilliseconds = 1_000;
  // Plans are renewed one after another, so that the process can die between any two of them.
  defaultLimits.renewals.plansAtOnce = 1;
}
