// Loaded before the service (node --import): its clock is ahead by what the file SHARED_CLOCK says in milliseconds, and the
// jobs of payments run every second. All processes of a proof read the same file.

import { readFileSync } from 'node:fs';
import { defaultLimits } from '../../src/setup/config.ts';

const file = process.env['SHARED_CLOCK'];
const lookMilliseconds = 50;
const realNow = Date.now;

if (file !== undefined) {
  let aheadMilliseconds = 0;
  const look = () => {
    // Empty for an instant while it is written.
    aheadMilliseconds = Number(readFileSync(file, 'utf8')) || aheadMilliseconds;
  };
  look();
  setInterval(look, lookMilliseconds).unref();
  Date.now = () => realNow() + aheadMilliseconds;
  defaultLimits.scheduledJobs.payments.everySeconds = 1;
  defaultLimits.scheduledJobs.autoTopups.everySeconds = 1;
}
