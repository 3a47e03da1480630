// Runs the jobs that call the product. The scheduler starts only a few due jobs at a time, so it is asked until they run.

import { setTimeout as pause } from 'node:timers/promises';
import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { type CallMode, productCallsKinds } from '../../src/features/fulfillment/product-caller.ts';
import { deliveriesKind } from '../../src/features/webhooks/delivery-progress.ts';
import { defaultLimits } from '../../src/setup/config.ts';

/** A moved clock wakes no one, so tests that move it let the caller look for due calls often. */
export const impatientCalls = { ...defaultLimits.productCalls, pollMilliseconds: 20, writeMilliseconds: 5 };

type Running = Pick<TestService, 'service'>;

/** Waits until the jobs run: for real accounts and, with `also`, for tests, which need an address. */
export async function beginProductCalls({ service: { jobs } }: Running, also?: 'test'): Promise<void> {
  const modes: readonly CallMode[] = also === undefined ? ['live'] : ['live', also];
  for (;;) {
    await jobs.look();
    const states = await jobs.list();
    const isRunning = (mode: CallMode) =>
      states.some(({ kind, runningOn }) => kind === productCallsKinds[mode] && runningOn !== null);
    if (modes.every(isRunning)) return;
    await pause(10);
  }
}

export async function endProductCalls({ service: { jobs } }: Running): Promise<void> {
  // The job of the endpoints also runs until it is cancelled.
  for (const kind of [...Object.values(productCallsKinds), deliveriesKind]) await jobs.cancel(kind);
  await jobs.idle();
}
