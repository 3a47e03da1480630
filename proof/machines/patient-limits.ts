// Loaded before the service (node --import): it waits longer for the server of the shared limits. On a machine that is busy with other
// things every other answer would come too late, and no minute be left in which the processes counted together.

import { defaultLimits } from '../../src/setup/config.ts';

const answerMilliseconds = Number(process.env['PATIENCE_MILLISECONDS']);
if (answerMilliseconds > 0) Object.assign(defaultLimits.sharedLimits, { answerMilliseconds });
