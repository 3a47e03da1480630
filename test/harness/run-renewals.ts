// Runs the renewals job now, as if due, without a lease, as if one had been lost.

import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { renewDuePlans } from '../../src/features/plans/automatic-renewals.ts';

/** `engine`: another process's on the same database. */
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
