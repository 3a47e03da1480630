import type { Static } from 'typebox';
import { DatabaseUnavailable } from '../../platform/database/database.ts';
import type { Jobs } from '../../platform/jobs/job-runner.ts';
import { formatTime } from '../../shared/times.ts';
import type { healthSchema } from './overview-schemas.ts';

type JobView = Static<typeof healthSchema>['jobs'][number];

export async function listJobViews(jobs: Jobs): Promise<JobView[]> {
  const states = await jobs.list().catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return jobs.known();
  });
  const time = (seconds: number | null) => (seconds === null ? null : formatTime(seconds));
  return states.map((state) => ({
    kind: state.kind,
    running_on: state.runningOn,
    started_at: time(state.startedAt),
    finished_at: time(state.finishedAt),
    succeeded_at: time(state.succeededAt),
    next_run_at: time(state.nextRunAt),
    backlog: state.backlog,
    failures_in_a_row: state.failuresInARow,
    last_error: state.lastError,
    last_error_at: time(state.lastErrorAt),
  }));
}
