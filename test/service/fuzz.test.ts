// The short form of the fuzzer: every answer conforms to openapi.json. long-fuzz.ts is the long form.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fuzz, startFuzzedService } from '../../proof/machines/fuzzer.ts';
import type { TestService } from '../../scripts/throwaway/test-service.ts';

let service: TestService;
before(async () => {
  service = await startFuzzedService();
});
after(() => service.close());

const seed = 2;
const requestsMin = 1_000;
/** At most this many requests, because it may take long until rare operations are drawn. */
const requestsMax = 8_000;

test('every answer to a spoilt request is one that openapi.json foresees', async () => {
  const report = await fuzz(
    service,
    seed,
    (so) => so.requests >= requestsMax || (so.requests >= requestsMin && so.blind.length === 0),
  );
  assert.deepEqual(report.blind, [], 'every operation has also succeeded');
  assert.ok(report.answers.size > 120, `${report.answers.size} kinds of answer were seen`);
});
