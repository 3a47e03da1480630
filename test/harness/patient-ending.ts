// Loaded before the service (node --import). Makes the limits of a shutdown longer than any test, and those of the requests
// that it meets longer than a busy machine takes.

import { defaultLimits } from '../../src/setup/config.ts';

const milliseconds = 24 * 3_600_000;
Object.assign(defaultLimits, { drainMilliseconds: milliseconds });
Object.assign(defaultLimits.gracefulDrain, {
  askedTwiceMilliseconds: milliseconds,
  millisecondsMax: milliseconds,
});

const requestMilliseconds = 250_000;
Object.assign(defaultLimits.http, {
  headersMilliseconds: requestMilliseconds,
  requestMilliseconds,
  idleMilliseconds: requestMilliseconds,
});
Object.assign(defaultLimits.engine, { waitMilliseconds: requestMilliseconds });
