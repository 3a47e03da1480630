// Chooses what sends the requests: wrk if it is installed, otherwise autocannon.

import { spawnSync } from 'node:child_process';
import { findAutocannonGenerator } from './autocannon-load.ts';
import type { Stage } from './bench-stage.ts';
import type { LoadGenerator } from './load.ts';
import { createWrkGenerator } from './wrk-load.ts';

/** @throws Error with a sentence when there is neither */
export async function findLoadGenerator(stage: Stage): Promise<LoadGenerator> {
  // wrk's exit code is 1 even for --version.
  const { stdout } = spawnSync('wrk', ['--version'], { encoding: 'utf8' });
  const version = /^wrk (?:\S+\/)?(\d[\d.]*)/.exec(stdout ?? '')?.[1];
  if (version !== undefined) return createWrkGenerator(stage, 'wrk', version);
  process.stdout.write('wrk was not found (apt-get install wrk): using autocannon.\n');
  const autocannon = await findAutocannonGenerator();
  if (autocannon !== null) return autocannon;
  throw new Error(
    'There is no load generator: "apt-get install wrk", or install the development dependencies.',
  );
}
