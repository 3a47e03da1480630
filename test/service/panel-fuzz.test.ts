// The fuzzer on the panel's routes: what panel-openapi.json says is what every answer keeps to.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { fuzzPanel, startFuzzedPanel } from '../machines/panel-fuzzer.ts';

let service: TestService;
before(async () => {
  service = await startFuzzedPanel();
});
after(() => service.close());

/** `npm run proof` sends more, from another seed. */
const seed = Number(process.env['PROOF_SEED'] ?? 1);
const requestsMin = Number(process.env['PROOF_REQUESTS'] ?? 500);

test('every answer to a spoilt request of the panel is one that panel-openapi.json foresees', async () => {
  let count = 0;
  const { answers, operations } = await fuzzPanel(service, seed, () => {
    count += 1;
    return count > requestsMin;
  });
  const blind = operations.filter((id) => ![200, 201, 204].some((status) => answers.has(`${id} ${status}`)));
  assert.deepEqual(blind, [], 'every operation has also succeeded');
  assert.ok(answers.size > 100, `${answers.size} kinds of answer were seen`);
});
