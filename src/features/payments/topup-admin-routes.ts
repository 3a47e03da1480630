// Top-ups of all accounts, refunds, and payments that need attention: for administrators.

import type { FastifyInstance } from 'fastify';
import { ranked } from '../../platform/database/database.ts';
import { readFilteredPage } from '../../platform/http/cursor-page.ts';
import { idempotencyKeyOf, readableKeyFirst } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseRealOwnedId, parseRowId, publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { actorOf } from '../identity/principal.ts';
import { dismissProblem, listOpenProblems, type PaymentProblem } from './payment-problems.ts';
import { ProviderAway } from './payment-provider.ts';
import { findPaymentSettings } from './payment-settings.ts';
import { readTopups, topupFilters } from './read-topups.ts';
import { type RefundDependencies, refundTopup } from './refund-topup.ts';
import {
  allTopupsQuerySchema,
  allTopupsSchema,
  dismissBodySchema,
  paymentProblemAnswerSchema,
  paymentProblemsSchema,
  refundBodySchema,
  refundedSchema,
} from './topup-admin-schemas.ts';
import { findTopup } from './topup-store.ts';
import { topupView } from './topup-view.ts';

interface TopupAdminRoutesDependencies extends RefundDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly seal: Seal;
  readonly onProviderProblem: (error: Error) => void;
}

export const problemsMax = 1_000;

export function topupAdminRoutes(app: FastifyInstance, dependencies: TopupAdminRoutesDependencies): void {
  listRoute(app, dependencies);
  refundRoute(app, dependencies);
  problemRoutes(app, dependencies);
}

function listRoute(app: FastifyInstance, { database, seal, currency }: TopupAdminRoutesDependencies): void {
  app.get(
    '/topups',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter', 'invalid_cursor'] },
      schema: {
        operationId: 'listAllTopups',
        summary: 'Top-ups of all accounts',
        description: 'Newest first, by cursor.',
        querystring: allTopupsQuerySchema,
        response: { 200: allTopupsSchema },
      },
    },
    async (request, reply) => {
      const { filter, position, limit, cursorAt } = readFilteredPage(
        seal,
        topupFilters,
        0,
        request.query,
        true,
      );
      const { data, next } = await readTopups({ database, currency }, filter, position, limit);
      return reply.send({ data, next_cursor: cursorAt(next) });
    },
  );
}

function refundRoute(app: FastifyInstance, dependencies: TopupAdminRoutesDependencies): void {
  const { database, currency, authenticateAgain } = dependencies;
  const lookups = ranked(database, 'lookups');

  app.post<WithId & WithBody<typeof refundBodySchema>>(
    '/topups/:id/refunds',
    {
      preValidation: readableKeyFirst,
      config: {
        scopes: ['admin:credit'],
        codes: [
          'validation_failed',
          'topup_not_found',
          'refund_too_large',
          'insufficient_credit',
          'order_failed',
          'invalid_idempotency_key',
          'idempotency_conflict',
        ],
        isReplayable: true,
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'refundTopup',
        summary: 'Refund a top-up',
        description:
          'Takes the amount from the balance, then has the provider send it back. Transfers are sent back by hand. Safe to retry with the same idempotency key.',
        body: refundBodySchema,
        response: { 201: refundedSchema },
      },
    },
    async (request, reply) => {
      const { amount, reason = null, allow_receivable: allowReceivable = false } = request.body;
      const idempotencyKey = idempotencyKeyOf(request);
      const amountCents = parseAmount(amount);
      if (amountCents === null || amountCents <= 0n)
        throw new RequestRefused(fieldRefusal('validation_failed', 'amount', 'must be above zero'));
      const { accountId, number } = orRefuse(parseRealOwnedId(request.params.id), 'topup_not_found');
      const topup = orRefuse(await findTopup(lookups, accountId, number), 'topup_not_found');
      // The password check may have taken a while, so check the caller's rights again.
      const caller = orRefuse(await authenticateAgain(request));
      const by = { actorId: caller.account.id, by: caller.actor };
      const wanted = { topup, amountCents, reason, allowReceivable, idempotencyKey, by };
      const status = orRefuse(await refunded(wanted));
      const after = orRefuse(await findTopup(lookups, accountId, number), 'topup_not_found');
      return reply.code(201).send({
        topup: topupView(after, currency, await findPaymentSettings(lookups)),
        refund: { amount: formatAmount(amountCents), status },
      });
    },
  );

  async function refunded(wanted: Parameters<typeof refundTopup>[1]) {
    try {
      return await refundTopup(dependencies, wanted);
    } catch (error) {
      if (!(error instanceof ProviderAway)) throw error;
      dependencies.onProviderProblem(error);
      return 'new' as const;
    }
  }
}

function problemRoutes(app: FastifyInstance, { database }: TopupAdminRoutesDependencies): void {
  app.get(
    '/payment-problems',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listPaymentProblems',
        summary: 'Payments that need attention',
        description: 'Money that came or went at the provider and could not be booked, oldest first.',
        response: { 200: paymentProblemsSchema },
      },
    },
    async (_request, reply) => {
      const problems = await listOpenProblems(database, 0, problemsMax);
      return reply.send({ data: problems.map(problemView) });
    },
  );

  app.post<WithId & WithBody<typeof dismissBodySchema>>(
    '/payment-problems/:id/dismiss',
    {
      preValidation: readableKeyFirst,
      config: {
        scopes: ['admin:credit'],
        codes: ['validation_failed', 'payment_problem_not_found', 'invalid_idempotency_key'],
        // A second time changes nothing, with a key or without.
        isReplayable: true,
      },
      schema: {
        operationId: 'dismissPaymentProblem',
        summary: 'Dismiss a payment that needs attention',
        description: 'After you have seen to it. It books nothing.',
        body: dismissBodySchema,
        response: { 200: paymentProblemAnswerSchema },
      },
    },
    async (request, reply) => {
      const id = orRefuse(parseRowId(request.params.id), 'payment_problem_not_found');
      const { note } = request.body;
      const problem = orRefuse(await dismissProblem(database, id, note, actorOf(request.principal)));
      return reply.send({ problem: problemView(problem) });
    },
  );
}

export function problemView(problem: PaymentProblem) {
  const { id, reason, objectRef, accountId, topupNumber, amountCents, currency, createdAt } = problem;
  return {
    id,
    reason,
    reference: objectRef,
    topup_id: publicId(accountId, topupNumber),
    account_id: accountId,
    amount: formatAmount(amountCents),
    currency,
    created_at: formatTime(createdAt),
  };
}
