// Loaded before the service (node --import). Makes the limits of a shutdown longer than any test, and those of requests
// longer than a busy machine takes.

import { patientLimits, patientMilliseconds } from '../../scripts/throwaway/patience.ts';
import { defaultLimits } from '../../src/setup/config.ts';

const milliseconds = 24 * 3_600_000;
Object.assign(defaultLimits, { drainMilliseconds: milliseconds });
Object.assign(defaultLimits.gracefulDrain, {
  askedTwiceMilliseconds: milliseconds,
  millisecondsMax: milliseconds,
});

Object.assign(defaultLimits.http, {
  headersMilliseconds: patientMilliseconds,
  requestMilliseconds: patientMilliseconds,
  idleMilliseconds: patientMilliseconds,
});
Object.assign(defaultLimits.engine, patientLimits.engine);
