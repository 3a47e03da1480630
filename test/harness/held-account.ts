// Holds an account, so that commands wait and are decided together in the next batch.

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';

/** Locks the account like another process's batch. Resolves to a function that releases it. */
export async function holdAccount(
  { database }: TestService,
  { id }: TestAccount,
): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held = database.ofAccount(id).transaction(async (transaction) => {
    await transaction.query({ name: '', text: 'select from accounts where id = $1 for update' }, [id]);
    locked.resolve();
    await gate.promise;
  });
  held.catch(locked.reject);
  await locked.promise;
  return () => {
    gate.resolve();
    return held;
  };
}

/** Waits until this many orders wait in the lanes, after the lanes have taken their batches. */
export async function queueReaches({ service }: TestService, depth: number): Promise<void> {
  const until = performance.now() + 60_000;
  while (service.engine.queueDepth() < depth) {
    assert.ok(performance.now() < until, `${service.engine.queueDepth()} orders wait, not ${depth}`);
    await nextTurn();
  }
  await nextTurn();
}
