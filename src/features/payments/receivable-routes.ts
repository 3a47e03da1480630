// What accounts owe: listed and written off by administrators.
// Invariant: with one idempotency key a receivable is written off once.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { pageOf, pageQuerySchema } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import { formatTime } from '../../shared/times.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { keyed } from '../orders/order-command.ts';
import { listReceivables, type Receivable } from './list-receivables.ts';
import { type ReceivableView, writeOffBodySchema, writtenOffSchema } from './receivable-schemas.ts';

interface ReceivableRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly currency: string;
  readonly database: Database;
  readonly engine: OrderEngine;
}

export function receivableRoutes(
  app: FastifyInstance,
  { database, engine, currency, authenticateAgain }: ReceivableRoutesDependencies,
): void {
  app.get(
    '/receivables',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listReceivables',
        summary: 'Accounts that owe money, the most first',
        description:
          'An account owes what a payment that went back left uncovered. The next credits settle it.',
        querystring: pageQuerySchema,
        response: { 200: pageOf('Receivable') },
      },
    },
    async (request, reply) => {
      const page = parsePage(request.query);
      const { receivables, total } = await listReceivables(database, page);
      return reply.send(
        pageAnswer(
          receivables.map((one) => receivableView(one, currency)),
          page,
          total,
        ),
      );
    },
  );

  app.post<WithId & WithBody<typeof writeOffBodySchema>>(
    '/accounts/:id/receivable/write-offs',
    {
      preValidation: readableKeyFirst,
      config: {
        scopes: ['admin:credit'],
        codes: [
          'validation_failed',
          'account_not_found',
          'invalid_idempotency_key',
          'idempotency_conflict',
          'order_failed',
        ],
        isReplayable: true,
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'writeOffReceivable',
        summary: 'Write off what an account owes',
        description:
          'Moves no money: what is written off is no longer owed, the oldest first. Safe to retry with the same idempotency key.',
        body: writeOffBodySchema,
        response: { 201: writtenOffSchema },
      },
    },
    async (request, reply) => {
      const key = keyed(idempotencyKeyOf(request));
      const { amount, memo } = request.body;
      const amountCents = amount === undefined ? null : parseAmount(amount);
      if (amountCents === 0n || (amountCents === null && amount !== undefined)) {
        throw new RequestRefused(fieldRefusal('validation_failed', 'amount', 'must be above zero'));
      }
      const accountId = orRefuse(parseAccountId(request.params.id), 'account_not_found');
      // The password check may have taken a while, so check the caller's rights again.
      const caller = orRefuse(await authenticateAgain(request));
      const outcome = expectOutcome(
        await engine.submit({
          type: 'write_off_receivable',
          accountId,
          amountCents,
          memo,
          by: { actorId: caller.account.id, by: caller.actor },
          ...key,
        }),
        'written_off',
      );
      markReplayed(reply, outcome);
      return reply.code(201).send({
        written_off: formatAmount(outcome.writtenOffCents),
        receivable: formatAmount(outcome.receivableCents),
        currency,
      });
    },
  );
}

function receivableView(
  { accountId, username, displayName, receivableCents, balanceCents, since }: Receivable,
  currency: string,
): ReceivableView {
  return {
    account: { id: accountId, username, display_name: displayName },
    receivable: formatAmount(receivableCents),
    balance: formatAmount(balanceCents),
    currency,
    since: formatTime(since),
  };
}
