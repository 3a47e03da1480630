// POST /accounts/{id}/close, for the operator.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import { idempotencyKeyOf, markReplayed, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { orRefuse, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { accountView } from '../identity/account-view.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { scopeProblem } from '../identity/principal.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { shutAccount } from './close-account.ts';
import { type ClosedAccountView, closeAccountBodySchema, closedAccountSchema } from './closing-schemas.ts';
import { settleClosing } from './settle-closing.ts';

interface CloseAccountRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly currency: string;
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly forgetAccount: (accountId: number) => void;
  readonly now: () => EpochSeconds;
}

type CloseRequest = FastifyRequest<WithId & WithBody<typeof closeAccountBodySchema>>;

export function closeAccountRoutes(app: FastifyInstance, dependencies: CloseAccountRoutesDependencies): void {
  app.post<WithId & WithBody<typeof closeAccountBodySchema>>(
    '/accounts/:id/close',
    {
      preValidation: readableKeyFirst,
      config: {
        scopes: ['admin:accounts'],
        codes: [
          'validation_failed',
          'account_not_found',
          'account_not_closable',
          'invalid_idempotency_key',
          'idempotency_conflict',
        ],
        isReplayable: true,
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'closeAccount',
        summary: 'Close an account for good',
        description:
          'Takes the balance with one ledger entry, revokes all keys, ends sign-ins, and switches webhooks, alerts and automatic top-ups off. Its data stays readable. Refused while a plan runs or anything is open. Also takes the scope admin:credit. Cannot be undone; closing again changes nothing and answers the same.',
        body: closeAccountBodySchema,
        response: { 200: closedAccountSchema },
      },
    },
    (request, reply) => close(dependencies, request, reply),
  );
}

async function close(
  { authenticateAgain, currency, database, engine, forgetAccount, now }: CloseAccountRoutesDependencies,
  request: CloseRequest,
  reply: FastifyReply,
) {
  const idempotencyKey = idempotencyKeyOf(request);
  const { balance, memo } = request.body;
  const accountId = orRefuse(parseAccountId(request.params.id), 'account_not_found');
  // The password check may have taken a while, so check the caller's rights again.
  const caller = orRefuse(await authenticateAgain(request));
  refuseIf(scopeProblem(caller, ['admin:credit']));
  const takes = ['admin:accounts', 'admin:credit'] as const;
  const author = { actorId: caller.account.id, by: caller.actor, takes };
  const asked = { accountId, balance, memo, idempotencyKey, author, now: now() };
  const done = orRefuse(await shutAccount(database, asked));
  forgetAccount(accountId);
  const closing = await settleClosing({ database, engine }, accountId);
  const account = await findAccount(ranked(database, 'lookups'), accountId);
  if (closing === null || account === null) throw new Error(`Account ${accountId} was closed and is not.`);
  markReplayed(reply, done);
  const view: ClosedAccountView = {
    account: accountView(account, currency, false),
    balance: closing.balance,
    amount: closing.amount,
    written_off: closing.writtenOff,
    currency,
    memo: closing.memo,
  };
  return reply.send(view);
}
