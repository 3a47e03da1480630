// From a request to the engine: its orders are submitted in the name of whoever sent it, and once more whenever that
// caller's rights moved meanwhile. Called by order-routes.ts for one order, by bulk-routes.ts for many.
// Always true: orders that one submitter was given in some order reach the engine in that order, after a change of rights too.

import type { FastifyRequest } from 'fastify';
import { isRefusal, type Refusal, refusal } from '../../shared/error-catalogue.ts';
import type { Account } from '../identity/account-table.ts';
import { atTestClock, type Principal } from '../identity/principal.ts';
import type { OrderCommand, OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';

/** The outcome of one command, or why its caller may no longer order. Throws what the engine's submit throws. */
export type SubmitOrder = (command: (account: Account) => OrderCommand) => Promise<OrderOutcome | Refusal>;

export interface SubmitDependencies {
  readonly engine: OrderEngine;
  /** The caller, read afresh: its rights moved while its order was under way. */
  readonly authenticateAgain: (request: FastifyRequest) => Promise<Principal | Refusal>;
}

/** How often an order is tried again because its account's rights changed meanwhile; people change them, so few will do. */
const accessChangesMax = 5;

export function createSubmitter(
  { engine, authenticateAgain }: SubmitDependencies,
  request: FastifyRequest,
): SubmitOrder {
  let caller: Principal | Refusal = request.principal;
  /** Under way: orders that met the same change wait for one answer. */
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
        // The rest of the answer is of the time at which it was decided.
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
