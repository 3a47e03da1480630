// Submits a request's orders to the engine, and again if the caller's rights have changed meanwhile.
// Invariant: the orders reach the engine in the given order, even after such a change.

import type { FastifyRequest } from 'fastify';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import type { Account } from '../identity/account-table.ts';
import { atTestClock, type Principal } from '../identity/principal.ts';
import type { OrderCommand, OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';

/** Returns the outcome of a command, or why its caller may no longer order. Throws like the engine's submit. */
export type SubmitOrder = (command: (account: Account) => OrderCommand) => Promise<OrderOutcome | Refusal>;

export interface SubmitDependencies {
  readonly engine: OrderEngine;
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Principal | Refusal>;
}

/** How often an order is submitted in total while the caller's rights keep changing, which is rare. */
const accessChangesMax = 5;

export function createSubmitter(
  { engine, authenticateAgain }: SubmitDependencies,
  request: FastifyRequest,
): SubmitOrder {
  let caller: Principal | Refusal = request.principal;
  /** A running check of the caller's rights. All orders that met the same change share it. */
  let asking: Promise<void> | null = null;

  async function askAgain(): Promise<void> {
    try {
      caller = await authenticateAgain(request);
    } finally {
      asking = null;
    }
  }

  return async (command) => {
    for (let changes = 0; changes < accessChangesMax; changes += 1) {
      const asked: Principal | Refusal = caller;
      if (isRefusal(asked)) return asked;
      const outcome = await engine.submit(command(asked.account));
      if (outcome.type !== 'access_changed') {
        // The rest of the answer must show the state at the time of the decision.
        if (outcome.testClock !== undefined) {
          request.principal = atTestClock(request.principal, outcome.testClock);
        }
        return outcome;
      }
      if (caller === asked) {
        asking ??= askAgain();
        await asking;
      }
    }
    return refusal('service_unavailable');
  };
}
