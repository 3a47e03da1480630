// Loaded before the service (node --import): its jobs die with their processes and with its database all the time, and not of
// their own work, so they are taken over and begin again soon. It acts from outside: the product knows nothing of it.

import { defaultLimits } from '../../src/setup/config.ts';

Object.assign(defaultLimits.jobs, {
  leaseSeconds: 1,
  renewMilliseconds: 300,
  pollMilliseconds: 500,
  pollMillisecondsMin: 200,
  retrySecondsMin: 0,
});
