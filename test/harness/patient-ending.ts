// Loaded before the service (node --import): it ends as ever, but what it would wait for at most takes longer than any test. So
// a process that has ended did not end because one of these times was over, however busy the machine is.

import { defaultLimits } from '../../src/setup/config.ts';

const milliseconds = 24 * 3_600_000;
Object.assign(defaultLimits, { drainMilliseconds: milliseconds });
Object.assign(defaultLimits.gracefulDrain, {
  askedTwiceMilliseconds: milliseconds,
  millisecondsMax: milliseconds,
});
