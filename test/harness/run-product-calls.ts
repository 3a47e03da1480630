// The job that calls the product, begun by this process. One look is not enough: it begins a few of the kinds that are due,
// and after a clock that moved all of them are.

import { setTimeout as pause } from 'node:timers/promises';
import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { productCallsKind } from '../../src/delivery/product-caller.ts';

/** Until it runs. */
export async function beginProductCalls({ service: { jobs } }: Pick<TestService, 'service'>): Promise<void> {
  for (;;) {
    await jobs.look();
    const state = (await jobs.list()).find(({ kind }) => kind === productCallsKind);
    if (state?.runningOn != null) return;
    await pause(10);
  }
}
