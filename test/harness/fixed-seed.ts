// The seed of everything random in a test: constant in `npm test`, new each time in `npm run proof` (PROOF_SEED).

import fc from 'fast-check';

export const fixedSeed = Number(process.env['PROOF_SEED'] ?? 20_260_101);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });
