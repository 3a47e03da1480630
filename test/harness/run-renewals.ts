// Runs the renewals job now, as if it were due, without a lease, like a process that lost its lease.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { renewDuePlans } from '../../src/features/plans/automatic-renewals.ts';

/** `engine` may be that of another process on the same database. */
export async function runRenewals(
  { database, clock, service }: TestService,
  { engine }: Pick<TestService['service'], 'engine'> = service,
): Promise<void> {
  await renewDuePlans(
    {
      database,
      engine,
      now: () => clock.seconds,
      monotonicNow: () => 0,
      limits: { plansAtOnce: 2, restMillisecondsMax: 0 },
    },
    new AbortController().signal,
  );
}
