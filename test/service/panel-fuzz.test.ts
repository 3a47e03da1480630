// The fuzzer on the panel's routes: every answer conforms to the panel's document.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FuzzedPanel, fuzzPanel, startFuzzedPanel } from '../../proof/machines/panel-fuzzer.ts';

let panel: FuzzedPanel;
before(async () => {
  panel = await startFuzzedPanel();
});
after(() => panel?.close());

/** `npm run proof` sends more, with another seed. */
const seed = Number(process.env['PROOF_SEED'] ?? 1);
const requestsMin = Number(process.env['PROOF_REQUESTS'] ?? 2200);

test('every answer to a spoilt request of the panel is one that the panel’s document foresees', async () => {
  let count = 0;
  const { answers, blind } = await fuzzPanel(panel, seed, () => {
    count += 1;
    return count > requestsMin;
  });
  assert.deepEqual(blind, [], 'every operation has also succeeded');
  assert.ok(answers.size > 100, `${answers.size} kinds of answer were seen`);
});
