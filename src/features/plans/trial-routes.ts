// Administrators grant free trials, which move no money and are not orders.

import type { FastifyInstance } from 'fastify';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { parseCustomerReference } from '../../shared/customer-references.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { customerAnswerSchema } from '../customers/customer-schemas.ts';
import { customerView } from '../customers/customer-view.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { keyed } from '../orders/order-command.ts';
import { knowablePackageId, parseCustomerName } from '../orders/parse-order-request.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { grantTrialBodySchema } from './plan-schemas.ts';

interface TrialRoutesDependencies {
  readonly customers: CustomerReads;
  readonly engine: OrderEngine;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
}

export function accountTrialRoutes(
  app: FastifyInstance,
  { engine, customers, packages, now }: TrialRoutesDependencies,
): void {
  app.post<WithId & WithBody<typeof grantTrialBodySchema>>(
    '/accounts/:id/trials',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: [
          'validation_failed',
          'invalid_idempotency_key',
          'idempotency_conflict',
          'account_not_found',
          'account_closed',
          'invalid_package',
          'package_unavailable',
          'invalid_customer',
          'customer_not_yours',
          'customer_erased',
          'order_failed',
          'trial_already_granted',
        ],
        isReplayable: true,
      },
      schema: {
        operationId: 'grantTrial',
        summary: 'Give a customer of the account a free trial',
        description:
          'Charges nothing and makes no order. Creates the customer if absent. While the same trial runs, nothing more is given; once it has ended, a customer gets it again with again: true alone. Its idempotency keys share the account’s name space of plan changes.',
        body: grantTrialBodySchema,
        response: { 201: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const customerReference = orRefuse(parseCustomerReference(body.customer));
      const customerName = orRefuse(parseCustomerName(body.customer_name));
      const key = keyed(idempotencyKeyOf(request));
      const accountId = orRefuse(parseAccountId(request.params.id), 'account_not_found');
      const outcome = expectOutcome(
        await engine.submit({
          type: 'grant_trial',
          accountId,
          actorId: request.principal.account.id,
          by: request.principal.actor,
          packageId: knowablePackageId(body.package_id),
          customerReference,
          customerName,
          again: body.again ?? false,
          ...key,
        }),
        'granted',
      );
      const customer = await customers.find(outcome.accountId, outcome.customerNumber);
      if (customer === null) throw new Error('The customer who was given a trial does not exist.');
      markReplayed(reply, outcome);
      return reply.code(201).send({ customer: customerView(customer, packages.current(), now()) });
    },
  );
}
