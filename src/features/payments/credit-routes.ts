// Credits or debits an account's balance.
// Invariant: with one idempotency key the money moves once.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import { idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { creditedView } from '../ledger/ledger-entry-view.ts';
import { creditedSchema } from '../ledger/ledger-schemas.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { keyed } from '../orders/order-command.ts';
import { creditBodySchema } from './payment-schemas.ts';

interface CreditRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly creditConfirmedAboveCents: bigint;
  readonly currency: string;
  readonly database: Database;
  readonly engine: OrderEngine;
}

export function accountCreditRoutes(
  app: FastifyInstance,
  { database, engine, currency, creditConfirmedAboveCents, authenticateAgain }: CreditRoutesDependencies,
): void {
  const lookups = ranked(database, 'lookups');

  app.post<WithId & WithBody<typeof creditBodySchema>>(
    '/accounts/:id/credit',
    {
      preValidation: readableKeyFirst,
      config: {
        scopes: ['admin:credit'],
        codes: [
          'validation_failed',
          'account_not_found',
          'invalid_idempotency_key',
          'idempotency_conflict',
          'insufficient_credit',
          'account_closed',
          'order_failed',
        ],
        isReplayable: true,
        sensitiveAction: { passwordField: 'current_password', ifMovedAboveCents: creditConfirmedAboveCents },
      },
      schema: {
        operationId: 'creditAccount',
        summary: 'Credit or debit an account',
        description: 'A negative amount debits. Safe to retry with the same idempotency key.',
        body: creditBodySchema,
        response: { 201: creditedSchema },
      },
    },
    async (request, reply) => {
      const key = keyed(idempotencyKeyOf(request));
      const { body } = request;
      const amountCents = parseAmount(body.amount);
      if (amountCents === null || amountCents === 0n) {
        throw new RequestRefused(fieldRefusal('validation_failed', 'amount', 'must not be zero'));
      }
      const accountId = orRefuse(parseAccountId(request.params.id), 'account_not_found');
      // The password check before a large credit may have taken a while, so check the caller's rights again.
      const caller = orRefuse(await authenticateAgain(request));
      const outcome = expectOutcome(
        await engine.submit({
          type: 'credit',
          accountId,
          actorId: caller.account.id,
          by: caller.actor,
          amountCents,
          memo: body.memo ?? null,
          ...key,
        }),
        'credited',
      );
      markReplayed(reply, outcome);
      // If this is a replay, another administrator may have made the credit.
      const { actorId } = outcome.entry;
      const { account } = request.principal;
      // The credit is done. Read a single account, so that the answer does not wait behind lists.
      const actor =
        actorId === null ? null : actorId === account.id ? account : await findAccount(lookups, actorId);
      return reply.code(201).send(creditedView(outcome, actor?.username ?? null, currency));
    },
  );
}
