// node test/proof/long-fuzz.ts [--seconds 600] [--seed 1]
// The long form of fuzz.test.ts, on the database that TEST_DATABASE names. A new service from time to time, with
// the next seed: customers would fill up. The last line states seeds, requests, kinds of answer and duration.

import { parseArgs } from 'node:util';
import { fuzz, startFuzzedService } from './fuzzer.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } },
});
const requestsPerSeed = 20_000;
const began = performance.now();
const secondsSince = () => (performance.now() - began) / 1000;
const answers = new Map<string, number>();
let requests = 0;
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
  }
  process.stdout.write(`seed ${seed}: ${requests} requests so far, ${answers.size} kinds of answer\n`);
}
for (const [label, times] of [...answers].sort())
  process.stdout.write(`${String(times).padStart(8)} ${label}\n`);
process.stdout.write(
  `${JSON.stringify({ seeds: seed - Number(values.seed), requests, kinds: answers.size, seconds: Math.round(secondsSince()) })}\n`,
);
