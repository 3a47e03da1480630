// POST /customers/{id}/cancel, suspend, resume; PUT and DELETE /customers/{id}/auto-renew.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bodyOf, idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { parseReason } from '../../shared/parse-reason.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { customerAnswerSchema } from '../customers/customer-schemas.ts';
import { customerView } from '../customers/customer-view.ts';
import type { Account } from '../identity/account-table.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderOutcome, PlanChangeCommand } from '../order-engine/decisions/order-commands.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { keyed } from '../orders/order-command.ts';
import { createSubmitter, type SubmitDependencies } from '../orders/submit-commands.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { parseAutoRenew, parseCancelAt } from './parse-plan-request.ts';
import {
  autoRenewBodySchema,
  cancelledPlanSchema,
  cancelPlanBodySchema,
  suspendPlanBodySchema,
} from './plan-schemas.ts';

export interface PlanRoutesDependencies extends SubmitDependencies {
  readonly customers: CustomerReads;
  readonly packages: () => PackageCatalog;
}

const commonCodes = [
  'invalid_idempotency_key',
  'idempotency_conflict',
  'customer_not_found',
  'order_failed',
  'test_full',
] as const;

export function planRoutes(app: FastifyInstance, dependencies: PlanRoutesDependencies): void {
  app.post<WithId>(
    '/customers/:id/cancel',
    {
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: [...commonCodes, 'validation_failed'],
        isReplayable: true,
      },
      schema: {
        operationId: 'cancelPlan',
        summary: 'Cancel a plan',
        description:
          'now: the plan ends at once, and what is unused of it is given back, as when a package is changed. period_end: it runs to its end and does not renew itself; resume takes that back.',
        body: cancelPlanBodySchema,
        response: { 200: cancelledPlanSchema },
      },
    },
    (request, reply) => cancelPlan(dependencies, request, reply),
  );

  app.post<WithId>(
    '/customers/:id/suspend',
    {
      config: {
        parsesBody: true,
        scopes: ['customers:write'],
        codes: [...commonCodes, 'validation_failed'],
        isReplayable: true,
        isBodyOptional: true,
      },
      schema: {
        operationId: 'suspendCustomer',
        summary: 'Suspend a customer',
        description:
          'The customer cannot log in, and is not let into the product, until you resume them. The plan’s time runs on, and orders for them still work.',
        body: suspendPlanBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const key = keyed(idempotencyKeyOf(request));
      const reason = orRefuse(parseReason(bodyOf(request)));
      const outcome = await submit(dependencies, request, (common) => ({
        ...common,
        ...key,
        type: 'suspend',
        reason,
      }));
      return answerCustomer(dependencies, request, reply, outcome);
    },
  );

  app.post<WithId>(
    '/customers/:id/resume',
    {
      config: { scopes: ['customers:write'], codes: commonCodes, isReplayable: true },
      schema: {
        operationId: 'resumeCustomer',
        summary: 'Lift a suspension, or take back a cancel at the period’s end',
        description:
          'Both, where both stand: auto-renewal is then as it was. A suspension by the operator stays, and a plan that was cancelled at once does not come back.',
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const key = keyed(idempotencyKeyOf(request));
      const outcome = await submit(dependencies, request, (common) => ({
        ...common,
        ...key,
        type: 'resume',
      }));
      return answerCustomer(dependencies, request, reply, outcome);
    },
  );

  app.put<WithId>(
    '/customers/:id/auto-renew',
    {
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: [
          ...commonCodes,
          'invalid_months',
          'invalid_max_charge',
          'validation_failed',
          'package_unavailable',
        ],
        isReplayable: true,
      },
      schema: {
        operationId: 'setAutoRenew',
        summary: 'Let a plan renew itself',
        description:
          'Once for each end, at the price of that moment. If it is refused, for credit for instance, it is tried again every six hours until the end. Needs a running plan that is no free trial; takes back a cancel at the period’s end.',
        body: autoRenewBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    (request, reply) => setAutoRenew(dependencies, request, reply),
  );

  app.delete<WithId>(
    '/customers/:id/auto-renew',
    {
      config: { scopes: ['orders:write'], codes: commonCodes, isReplayable: true },
      schema: {
        operationId: 'removeAutoRenew',
        summary: 'A plan no longer renews itself',
        description: 'The plan runs to its end.',
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const key = keyed(idempotencyKeyOf(request));
      const outcome = await submit(dependencies, request, (common) => ({
        ...common,
        ...key,
        type: 'set_auto_renew',
        autoRenew: null,
      }));
      return answerCustomer(dependencies, request, reply, outcome);
    },
  );
}

async function cancelPlan(
  dependencies: PlanRoutesDependencies,
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
) {
  const key = keyed(idempotencyKeyOf(request));
  const at = orRefuse(parseCancelAt(bodyOf(request)));
  const outcome = await submit(dependencies, request, (common) => ({
    ...common,
    ...key,
    type: 'cancel',
    at,
  }));
  const changed = expectOutcome(outcome, 'plan_changed');
  markReplayed(reply, changed);
  return reply.send({
    customer: await viewOf(dependencies, changed, request),
    refund: formatAmount(changed.refundCents),
    balance: formatAmount(changed.balanceAfterCents),
  });
}

async function setAutoRenew(
  dependencies: PlanRoutesDependencies,
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
) {
  const key = keyed(idempotencyKeyOf(request));
  const autoRenew = orRefuse(parseAutoRenew(bodyOf(request)));
  const outcome = await submit(dependencies, request, (common) => ({
    ...common,
    ...key,
    type: 'set_auto_renew',
    autoRenew,
  }));
  return answerCustomer(dependencies, request, reply, outcome);
}

function submit(
  dependencies: PlanRoutesDependencies,
  request: FastifyRequest<WithId>,
  command: (common: ReturnType<typeof commonOf>) => PlanChangeCommand,
) {
  return createSubmitter(dependencies, request)((account) => command(commonOf(request, account)));
}

/** Reads the customer again, because the command's result lacks some fields. Customers are never deleted. */
async function viewOf(
  { customers, packages }: PlanRoutesDependencies,
  { customer: { accountId, number } }: Changed,
  { principal: { now } }: FastifyRequest,
) {
  const customer = await customers.find(accountId, number);
  if (customer === null) throw new Error(`Customer ${number} of account ${accountId} is not there.`);
  return customerView(customer, packages(), now());
}

async function answerCustomer(
  dependencies: PlanRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  outcome: Awaited<ReturnType<typeof submit>>,
): Promise<FastifyReply> {
  const changed = expectOutcome(outcome, 'plan_changed');
  markReplayed(reply, changed);
  return reply.send({ customer: await viewOf(dependencies, changed, request) });
}

type Changed = Extract<OrderOutcome, { readonly type: 'plan_changed' }>;

/** No customer has the number 0, so foreign and malformed ids are treated like missing customers. */
function commonOf({ params, principal }: FastifyRequest<WithId>, account: Account) {
  const { actorId, by } = actorOf(principal);
  const customerNumber = parseOwnNumber(params.id, account.id) ?? 0;
  return {
    accountId: account.id,
    accessVersion: account.accessVersion,
    actorId,
    by: by ?? null,
    customerNumber,
  };
}
