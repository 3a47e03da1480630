// Loaded before the service (node --import): waits longer for the shared limits' server. Otherwise, on a busy machine, late
// answers would leave no whole minute of shared counting.

import { defaultLimits } from '../../src/setup/config.ts';

const answerMilliseconds = Number(process.env['PATIENCE_MILLISECONDS']);
if (answerMilliseconds > 0) Object.assign(defaultLimits.sharedLimits, { answerMilliseconds });
