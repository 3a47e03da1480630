// The seed of everything random in a test. The same in every run of `npm test`, so that a failure comes back in
// the next run; `npm run proof` gives another one each time (PROOF_SEED).

import fc from 'fast-check';

export const fixedSeed = Number(process.env['PROOF_SEED'] ?? 20_260_101);

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fixedSeed });
