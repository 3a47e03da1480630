// Runs a background job of a test service at once.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { defaultLimits, type Limits } from '../../src/setup/config.ts';

type Kind = keyof Limits['scheduledJobs'];

const neverSeconds = 50 * 365 * 86_400;

/** A moved clock makes all jobs due. With these limits it is only those that the tests need. */
export function onlyJobs(...wanted: readonly Kind[]): Limits['scheduledJobs'] {
  const jobs = { ...defaultLimits.scheduledJobs };
  for (const kind of Object.keys(jobs) as Kind[])
    if (!wanted.includes(kind)) jobs[kind] = { ...jobs[kind], everySeconds: neverSeconds };
  return jobs;
}

/** A moved clock makes all jobs due, and only a few run at once, so the scheduler is asked until this one ran. */
export async function runJob({ service: { jobs }, database }: TestService, kind: string): Promise<void> {
  const runs = async () => {
    const text = `select lease_number, leased_by from jobs where kind = '${kind}'`;
    const [row] = await database.query({ name: '', text });
    return row?.['leased_by'] === null || row === undefined ? Number(row?.['lease_number'] ?? 0) : 0;
  };
  const before = await runs();
  await jobs.hasten(kind);
  while ((await runs()) <= before) {
    await jobs.look();
    await jobs.idle();
  }
}
