// Holds an account or a table, so that work waits for it: commands are then decided together in the next batch.

import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import type { Database } from '../../src/platform/database/database.ts';

/** Locks the account like another process's batch. Resolves to a function that releases it. */
export function holdAccount({ database }: TestService, { id }: TestAccount): Promise<() => Promise<void>> {
  return holdWith(database.ofAccount(id), 'select from accounts where id = $1 for update', [id]);
}

/** Runs a locking statement in a transaction of its own. Resolves to a function that ends the transaction. */
export async function holdWith(
  database: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const held = database.transaction(async (transaction) => {
    await transaction.query({ name: '', text }, values);
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
