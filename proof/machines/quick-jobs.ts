// Loaded before the service (node --import): jobs are taken over and retried soon.

import { defaultLimits } from '../../src/setup/config.ts';

Object.assign(defaultLimits.jobs, {
  leaseSeconds: 1,
  renewMilliseconds: 300,
  pollMilliseconds: 500,
  pollMillisecondsMin: 200,
  retrySecondsMin: 0,
});
