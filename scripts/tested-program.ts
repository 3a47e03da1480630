// The files that tests start again and again. build-tested-program.ts bundles them, which cuts a third off each start. A
// module that a test loads before the program is bundled too, so that both share it. Called by
// test/harness/child-environment.ts and the builder.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const testedProgramFolder = join(root, 'node_modules', '.cache', 'tested-program');

/** Files that are started or loaded by path. Everything else is bundled with them. */
export const bundledFiles: readonly string[] = [
  'src/main.ts',
  'src/sellthrough.ts',
  'src/platform/database/embedded/embedded-worker.ts',
  'src/features/payments/bank/bank-file-worker.ts',
  'test/harness/patient-ending.ts',
  'proof/machines/crash-points.ts',
  'proof/machines/fast-clock.ts',
  'proof/machines/patient-limits.ts',
  'proof/machines/quick-jobs.ts',
  'proof/machines/short-waits.ts',
];

export function bundledPath(file: string): string {
  if (!bundledFiles.includes(file))
    throw new Error(`${file} is not in the list of scripts/tested-program.ts.`);
  return join(testedProgramFolder, file.replace(/\.ts$/, '.mjs'));
}
