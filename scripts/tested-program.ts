// The files that tests start again and again, bundled by build-tested-program.ts, which cuts a third off each start. What a
// test loads before the program is bundled with it, so that both share the same modules. Called by
// test/harness/child-environment.ts and the builder.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const testedProgramFolder = join(root, 'node_modules', '.cache', 'tested-program');

/** Started or loaded by path; everything else is bundled with these. */
export const bundledFiles: readonly string[] = [
  'src/main.ts',
  'src/sellthrough.ts',
  'src/platform/database/embedded/embedded-worker.ts',
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
