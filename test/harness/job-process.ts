// A process with one background job that never ends. Needs DATABASE_URL (migrated) and LEASE_SECONDS; prints "running N".

import { createJobs } from '../../src/platform/jobs/job-runner.ts';
import { defaultLimits } from '../../src/setup/config.ts';
import { connectDatabase } from '../../src/setup/open-database.ts';

const connectionString = process.env['DATABASE_URL'] ?? '';
const leaseSeconds = Number(process.env['LEASE_SECONDS']);
const database = await connectDatabase({ database: { kind: 'postgres', connectionString } });
const say = (line: string) => process.stdout.write(`${line}\n`);
const jobs = createJobs({
  database,
  now: null,
  monotonicNow: () => performance.now(),
  processName: `process ${process.pid}`,
  limits: { ...defaultLimits.jobs, leaseSeconds, renewMilliseconds: leaseSeconds * 250 },
  scheduled: [
    {
      kind: 'endless',
      everySeconds: 3_600,
      runSecondsMax: 3_600,
      run: ({ signal, leaseNumber }) =>
        new Promise((_, reject) => {
          say(`running ${leaseNumber}`);
          signal.addEventListener('abort', () => {
            say(`stopped: ${String(signal.reason.message)}`);
            reject(signal.reason);
          });
        }),
    },
  ],
  requested: [],
  onProblem: (error) => process.stderr.write(`${String(error)}\n`),
});
jobs.start();
// Keep the process alive, because jobs alone do not.
const alive = setInterval(() => undefined, 60_000);
process.on('SIGTERM', async () => {
  clearInterval(alive);
  await jobs.close();
  await database.close();
});
