// The jobs that call the product, begun by this process. One look is not enough: it begins a few of the kinds that are due,
// and after a clock that moved all of them are.

import { setTimeout as pause } from 'node:timers/promises';
import type { TestService } from '../../scripts/throwaway/test-service.ts';
import { type CallMode, productCallsKinds } from '../../src/features/fulfilment/product-caller.ts';

type Running = Pick<TestService, 'service'>;

/** Until they run: those of real accounts, or with `also` of tests, for which there has to be an address. */
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
  for (const kind of Object.values(productCallsKinds)) await jobs.cancel(kind);
  await jobs.idle();
}
