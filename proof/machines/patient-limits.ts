// Loaded before the service (node --import): waits longer for the shared limits' server. On a busy machine answers would be
// late too often to leave a minute of shared counting.

import { defaultLimits } from '../../src/setup/config.ts';

const answerMilliseconds = Number(process.env['PATIENCE_MILLISECONDS']);
if (answerMilliseconds > 0) Object.assign(defaultLimits.sharedLimits, { answerMilliseconds });
