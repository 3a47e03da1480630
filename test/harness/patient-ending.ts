// Loaded before the service (node --import). It makes the shutdown limits longer than any test.

import { defaultLimits } from '../../src/setup/config.ts';

const milliseconds = 24 * 3_600_000;
Object.assign(defaultLimits, { drainMilliseconds: milliseconds });
Object.assign(defaultLimits.gracefulDrain, {
  askedTwiceMilliseconds: milliseconds,
  millisecondsMax: milliseconds,
});
