// Job metrics, as last read from the database. They never wait for a database that is away.

import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import type { JobState } from './job-leases.ts';
import type { Jobs } from './job-runner.ts';

export function observeJobs(registry: Registry, jobs: Pick<Jobs, 'known'>): void {
  const registers = [registry];
  const labelNames = ['kind'] as const;
  const gauge = (name: string, help: string, read: (state: JobState) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const state of jobs.known()) {
          const value = read(state);
          if (value !== null) this.set({ kind: state.kind }, value);
        }
      },
    });
  gauge(
    'sellthrough_job_last_success_timestamp_seconds',
    'When a run of the kind last succeeded, in any process.',
    ({ succeededAt }) => succeededAt,
  );
  gauge('sellthrough_job_backlog', 'What the last run left for the next one.', ({ backlog }) => backlog);
  new Counter({
    name: 'sellthrough_job_failures_total',
    help: 'Runs that failed, in all processes.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { kind, failureCount } of jobs.known()) this.inc({ kind }, failureCount);
    },
  });
}
