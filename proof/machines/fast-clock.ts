// Loaded before the service (node --import): its clock runs ten days in a second, the same in every process of a proof, and
// the jobs that renew plans and note their ends come round each second and die with its process. It acts from outside: the
// product knows nothing of it. Calls to the outside are given up after a second, and events are kept for ever.
// FAST_CLOCK_BEGAN: when, in milliseconds; FAST_CLOCK_STOPS: when it stands still, for a quiet end.

import { defaultLimits } from '../../src/setup/config.ts';

const secondsPerSecond = 10 * 86_400;
const realNow = Date.now;
const began = process.env['FAST_CLOCK_BEGAN'];
const stops = Number(process.env['FAST_CLOCK_STOPS'] ?? Number.POSITIVE_INFINITY);

/** What the service's clock shows at a moment of the real one, in milliseconds. */
export function fastTime(beganAt: number, at: number): number {
  return beganAt + (at - beganAt) * secondsPerSecond;
}

if (began !== undefined) {
  Date.now = () => fastTime(Number(began), Math.min(realNow(), stops));
  defaultLimits.scheduledJobs.renewals.everySeconds = 1;
  defaultLimits.scheduledJobs.planEnds.everySeconds = 1;
  // The years that pass are not meant to cost anything that is compared at the end.
  defaultLimits.eventsKeptSeconds = 1_000 * 365 * 86_400;
  // Whoever never answers has not answered soon. In the quiet end there is no time for a second try.
  if (stops === Number.POSITIVE_INFINITY) defaultLimits.outbound.callMilliseconds = 1_000;
  // One after the other: more moments between two of them at which it can die.
  defaultLimits.renewals.plansAtOnce = 1;
}
