// node proof/machines/long-fuzz.ts [--seconds 600] [--seed 1]
// The long form of fuzz.test.ts, with a new service and seed from time to time. The last line gives the totals.

import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fuzz, startFuzzedService } from './fuzzer.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } },
});
const requestsPerSeed = 20_000;
const growthMaxMegabytes = 24;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
const heapMegabytes = () => {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1_048_576;
};
const began = performance.now();
const secondsSince = () => (performance.now() - began) / 1000;
const answers = new Map<string, number>();
let requests = 0;
/** The heap after the first seed, when all one-time allocations are made. */
let firstHeap: number | null = null;
let lastHeap = 0;
let seed = Number(values.seed);
for (; secondsSince() < Number(values.seconds); seed += 1) {
  const service = await startFuzzedService();
  try {
    let count = 0;
    const report = await fuzz(service, seed, () => {
      count += 1;
      return count > requestsPerSeed || secondsSince() > Number(values.seconds);
    });
    requests += report.requests;
    for (const [label, times] of report.answers) answers.set(label, (answers.get(label) ?? 0) + times);
  } finally {
    await service.close();
    // The test harness keeps the log; it is not the service's memory.
    service.logLines.length = 0;
  }
  lastHeap = heapMegabytes();
  firstHeap ??= lastHeap;
  process.stdout.write(`seed ${seed}: ${requests} requests so far, ${answers.size} kinds of answer\n`);
}
for (const [label, times] of [...answers].sort())
  process.stdout.write(`${String(times).padStart(8)} ${label}\n`);
const growth = lastHeap - (firstHeap ?? lastHeap);
const heap =
  seed - Number(values.seed) < 2
    ? 'one seed alone says nothing about the heap'
    : `the heap ${growth < 0 ? 'shrank' : 'grew'} by ${Math.abs(growth).toFixed(1)} MB from the first seed to the last`;
process.stdout.write(
  `${requests} requests, ${answers.size} kinds of answer: none of 500 or above, none against the documented ` +
    `schema; ${heap}; seeds ${values.seed} to ${seed - 1}, ${Math.round(secondsSince())} s\n`,
);
process.exitCode = growth > growthMaxMegabytes ? 1 : 0;
