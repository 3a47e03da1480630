// The short form of the fuzzer: what openapi.json says is what every answer keeps to, for whatever is sent.
// long-fuzz.ts runs it for longer, from other seeds.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { type FuzzReport, fuzz, startFuzzedService } from '../machines/fuzzer.ts';

let service: TestService;
before(async () => {
  service = await startFuzzedService();
});
after(() => service.close());

const seed = 1;
const requestsMin = 1_200;

test('every answer to a spoilt request is one that openapi.json foresees', async () => {
  let count = 0;
  const report = await fuzz(service, seed, () => {
    count += 1;
    return count > requestsMin;
  });
  const blind = report.operations.filter((operation) => !hasSucceeded(report, operation));
  assert.deepEqual(blind, [], 'every operation has also succeeded');
  assert.ok(report.answers.size > 120, `${report.answers.size} kinds of answer were seen`);
});

function hasSucceeded({ answers }: FuzzReport, operation: string): boolean {
  return answers.has(`${operation} 200`) || answers.has(`${operation} 201`);
}
