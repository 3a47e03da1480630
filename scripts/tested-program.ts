// The program as tests start it again and again: the files of this list, bundled (build-tested-program.ts), which takes two
// thirds of the time that a start from the sources takes. What a test loads before the program is bundled with it, so that
// both have the same modules. Called by test/harness/child-environment.ts and the builder.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

export const testedProgramFolder = join(root, 'node_modules', '.cache', 'tested-program');

/** What is started or loaded by its path; everything else comes with these. */
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

/** Where the bundle has a file of the list. */
export function bundledPath(file: string): string {
  if (!bundledFiles.includes(file))
    throw new Error(`${file} is not in the list of scripts/tested-program.ts.`);
  return join(testedProgramFolder, file.replace(/\.ts$/, '.mjs'));
}
