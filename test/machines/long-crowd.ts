// node test/machines/long-crowd.ts [--seconds 600] [--seed 1]
// The long form of the crowd in test/process/two-processes.test.ts: two processes of the service on one throwaway
// PostgreSQL, a fresh crowd with the next seed from time to time. The last line states what was done.

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { startThrowawayPostgres } from '../../scripts/throwaway-postgres.ts';
import { mintApiKey } from '../../src/accounts/api-key.ts';
import { runCrowd } from './crowd.ts';
import { startServiceProcess } from './service-process.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' } },
});
const secondsPerCrowd = 20;
const began = performance.now();
const secondsSince = (start: number) => (performance.now() - start) / 1000;
const adminKey = mintApiKey();
const postgres = await startThrowawayPostgres();
const environment = {
  PORT: '0',
  DATABASE_URL: postgres.url,
  SECRET_KEY: randomBytes(32).toString('hex'),
  ADMIN_API_KEY: adminKey,
};
const services = [await startServiceProcess({ environment }), await startServiceProcess({ environment })];
try {
  let [requests, entries] = [0, 0];
  const answers: Record<string, number> = {};
  let seed = Number(values.seed);
  for (; secondsSince(began) < Number(values.seconds); seed += 1) {
    const start = performance.now();
    const report = await runCrowd({
      addresses: services.map(({ address }) => address),
      adminKey,
      seed,
      isOver: () => secondsSince(start) > secondsPerCrowd,
    });
    requests += report.requests;
    entries += report.entries;
    for (const [label, count] of Object.entries(report.answers))
      answers[label] = (answers[label] ?? 0) + count;
    process.stdout.write(`seed ${seed}: ${requests} requests so far\n`);
  }
  process.stdout.write(`${JSON.stringify(answers)}\n`);
  process.stdout.write(
    `${requests} requests of crowds through two processes, ${entries} ledger entries: journal and ledger agree; ` +
      `seeds ${values.seed} to ${seed - 1}, ${Math.round(secondsSince(began))} s\n`,
  );
} finally {
  for (const { kill } of services) kill('SIGKILL');
  await Promise.all(services.map(({ gone }) => gone));
  await postgres.remove();
}
