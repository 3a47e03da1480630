// Loaded before the service (node --import): extends its shutdown limits beyond any test, so that a process on a busy
// machine never ends because of them.

import { defaultLimits } from '../../src/setup/config.ts';

const milliseconds = 24 * 3_600_000;
Object.assign(defaultLimits, { drainMilliseconds: milliseconds });
Object.assign(defaultLimits.gracefulDrain, {
  askedTwiceMilliseconds: milliseconds,
  millisecondsMax: milliseconds,
});
