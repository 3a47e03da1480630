// node proof/machines/long-crowd.ts [--seconds 600] [--seed 1] [--test-mode] [--citus]
// The long form of two-processes.test.ts or, with --test-mode, of test-mode-crowd.test.ts. The last line gives the totals.

import { parseArgs } from 'node:util';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { startCitusPlace } from './citus-place.ts';
import { runCrowd } from './crowd.ts';
import { startCrowdPlace } from './crowd-place.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    'test-mode': { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
  },
});
const secondsPerCrowd = 20;
const began = performance.now();
const secondsSince = (start: number) => (performance.now() - start) / 1000;
const postgres = values.citus ? await startCitusPlace() : await startThrowawayPostgres();
const settings = 'environment' in postgres ? postgres.environment : {};
const place = await startCrowdPlace(postgres.url, settings);
try {
  const testMode = values['test-mode'] ? { testMode: await place.witnesses() } : {};
  let [requests, entries, searched, crossed, deliveries] = [0, 0, 0, 0, 0];
  const answers: Record<string, number> = {};
  let seed = Number(values.seed);
  for (; secondsSince(began) < Number(values.seconds); seed += 1) {
    const start = performance.now();
    const report = await runCrowd({
      addresses: place.addresses,
      adminKey: place.adminKey,
      seed,
      isOver: () => secondsSince(start) > secondsPerCrowd,
      ...testMode,
    });
    requests += report.requests;
    entries += report.entries;
    searched += report.traces?.searched ?? 0;
    crossed += report.traces?.crossed ?? 0;
    deliveries += report.traces?.deliveries ?? 0;
    for (const [label, count] of Object.entries(report.answers))
      answers[label] = (answers[label] ?? 0) + count;
    process.stdout.write(`seed ${seed}: ${requests} requests so far\n`);
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`);
  const traces = `, and no trace of tests in ${searched} characters, ${crossed} ids and ${deliveries} deliveries`;
  process.stdout.write(
    `${requests} requests of crowds through two processes, ${entries} ledger entries: journal and ledger agree` +
      `${values['test-mode'] ? traces : ''}; ` +
      `seeds ${values.seed} to ${seed - 1}, ${Math.round(secondsSince(began))} s\n`,
  );
} finally {
  await place.close();
  await postgres.remove();
}
