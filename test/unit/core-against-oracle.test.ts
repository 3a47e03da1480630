// Compares the service's core with the independent oracle on random histories, until every kind of outcome has occurred, or
// for MODEL_SECONDS. A failure prints the shrunk history and its MODEL_SEED.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeFailure, searchCore } from '../../proof/oracle/core-model.ts';
import {
  type Distribution,
  formatDistribution,
  missingLabels,
  rarePaymentLabels,
} from '../../proof/oracle/history-report.ts';
import { fixedSeed } from '../harness/fixed-seed.ts';

const wantedSeconds = process.env['MODEL_SECONDS'];
const seconds = Number(wantedSeconds ?? 0);
const searchesMax = 50;
const firstSeed = Number(process.env['MODEL_SEED'] ?? fixedSeed);

test('on random histories the core answers as the oracle does, alone and in any batches', (context) => {
  const distribution: Distribution = new Map();
  const until = performance.now() + seconds * 1000;
  let operations = 0;
  let decided = 0;
  let seed = firstSeed;
  // With MODEL_SECONDS the run may be too short for all kinds to occur.
  const missing = () =>
    wantedSeconds === undefined
      ? [...missingLabels(distribution), ...rarePaymentLabels(distribution, 1)]
      : [];
  do {
    const search = searchCore(seed, distribution);
    assert.ok(search.failing === null, search.failing === null ? '' : describeFailure(search.failing, seed));
    operations += search.operations;
    decided += search.decided;
    seed += 1;
  } while (performance.now() < until || (missing().length > 0 && seed - firstSeed < searchesMax));

  context.diagnostic(`${operations} operations, ${decided} decisions, seeds ${firstSeed} to ${seed - 1}`);
  context.diagnostic(`\n${formatDistribution(distribution)}`);
  assert.deepEqual(missing(), []);
});

interface Finished {
  readonly error: Error | null;
  readonly stdout: string;
  readonly stderr: string;
}

const printedBytesMax = 2 ** 26;

test('the long form runs and finds no divergence either @nightly', async () => {
  const script = fileURLToPath(new URL('../../proof/machines/long-core.ts', import.meta.url));
  const options = ['--operations', '1000', '--seed', '7'];
  // Asynchronous, so that a waiting reporter gets the previous test's result at once.
  const { error, stdout, stderr } = await new Promise<Finished>((resolve) => {
    const printed = { maxBuffer: printedBytesMax };
    execFile(process.execPath, [script, ...options], printed, (...[error, stdout, stderr]) =>
      resolve({ error, stdout, stderr }),
    );
  });
  assert.equal(error, null, stdout + stderr);
  assert.match(stdout.trimEnd(), /\n1000 operations, 0 divergences, seed 7, [\d.]+ s$/);
});
