// Runs the plan-ends job now, as if it were due, without a lease, like a process that lost its lease.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { notePlanEnds } from '../../src/features/plans/plan-ends.ts';

export async function runPlanEnds({ database, clock, service }: TestService): Promise<void> {
  await notePlanEnds(
    {
      database,
      note: (end) => service.engine.submit({ type: 'note_plan_end', ...end }),
      now: () => clock.seconds,
      monotonicNow: () => 0,
      limits: { plansAtOnce: 2, restMillisecondsMax: 0 },
    },
    new AbortController().signal,
  );
}
