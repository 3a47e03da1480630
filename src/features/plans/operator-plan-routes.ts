// The operator cancels any customer's plan or changes its package.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { bodyOf, idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { sentIdempotencyHeader } from '../../shared/idempotency-keys.ts';
import { parseRealOwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { customerView } from '../customers/customer-view.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { submitForAccount } from '../order-engine/submit-for-account.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { changePackageCommand, keyed } from '../orders/order-command.ts';
import { orderCodes, renewedOrderSchema } from '../orders/order-schemas.ts';
import { orderView } from '../orders/order-view.ts';
import { parsePackageChange } from '../orders/parse-order-request.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { parseCancelAt } from './parse-plan-request.ts';
import {
  cancelledPlanSchema,
  cancelPlanOfCustomerBodySchema,
  changePackageOfCustomerBodySchema,
} from './plan-schemas.ts';

interface OperatorPlanRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly currency: string;
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
}

export function operatorPlanRoutes(app: FastifyInstance, dependencies: OperatorPlanRoutesDependencies): void {
  app.post<WithId>(
    '/customers/:id/cancel',
    {
      config: {
        parsesBody: true,
        scopes: ['admin:credit'],
        codes: [
          'invalid_idempotency_key',
          'idempotency_conflict',
          'customer_not_found',
          'order_failed',
          'validation_failed',
        ],
        isReplayable: true,
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'cancelPlanOfCustomer',
        summary: 'Cancel the plan of any customer',
        description:
          'By the rules of the account’s own cancel: the refund goes to the account’s balance. The account gets the event plan.cancelled with by: operator. Its idempotency keys share the account’s name space.',
        body: cancelPlanOfCustomerBodySchema,
        response: { 200: cancelledPlanSchema },
      },
    },
    (request, reply) => cancelPlanOfCustomer(dependencies, request, reply),
  );

  app.post<WithId>(
    '/customers/:id/change-package',
    {
      config: {
        parsesBody: true,
        scopes: ['admin:credit'],
        codes: [...orderCodes, 'customer_not_found', 'invalid_package'],
        isReplayable: true,
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'changePackageOfCustomer',
        summary: 'Change the package of any customer',
        description:
          'An order of the account that you place: at the price of its group, from its balance, with the refund for unused time. The account gets the events order.completed and plan.changed, the latter with by: operator. Its idempotency keys share the account’s name space.',
        body: changePackageOfCustomerBodySchema,
        response: { 200: renewedOrderSchema },
      },
    },
    (request, reply) => changePackageOfCustomer(dependencies, request, reply),
  );
}

async function cancelPlanOfCustomer(
  { authenticateAgain, database, engine, customers, packages, now }: OperatorPlanRoutesDependencies,
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
) {
  const key = keyed(idempotencyKeyOf(request));
  const at = orRefuse(parseCancelAt(bodyOf(request)));
  const id = orRefuse(parseRealOwnedId(request.params.id), 'customer_not_found');
  const caller = orRefuse(await authenticateAgain(request));
  const outcome = expectOutcome(
    await submitForAccount(database, id.accountId, ({ accessVersion }) =>
      engine.submit({
        type: 'cancel',
        at,
        accountId: id.accountId,
        accessVersion,
        actorId: caller.account.id,
        by: caller.actor,
        byParty: 'operator',
        customerNumber: id.number,
        ...key,
      }),
    ),
    'plan_changed',
  );
  const changed = await customers.find(id.accountId, id.number);
  if (changed === null) throw new Error('The customer whose plan was canceled does not exist.');
  markReplayed(reply, outcome);
  return reply.send({
    customer: customerView(changed, packages.current(), now()),
    refund: formatAmount(outcome.refundCents),
    balance: formatAmount(outcome.balanceAfterCents),
  });
}

async function changePackageOfCustomer(
  { authenticateAgain, database, engine, packages, currency }: OperatorPlanRoutesDependencies,
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
) {
  const wanted = orRefuse(parsePackageChange(bodyOf(request), sentIdempotencyHeader(request.headers)));
  const id = orRefuse(parseRealOwnedId(request.params.id), 'customer_not_found');
  const caller = orRefuse(await authenticateAgain(request));
  const key = keyed(wanted.idempotencyKey);
  const by = { actorId: caller.account.id, by: caller.actor };
  const outcome = expectOutcome(
    await submitForAccount(database, id.accountId, (account) =>
      engine.submit(changePackageCommand(account, wanted, key, id.number, by)),
    ),
    'ordered',
  );
  markReplayed(reply, outcome);
  return reply.send({
    order: orderView(outcome.order, packages.current(), currency),
    balance: formatAmount(outcome.order.balanceAfterCents),
  });
}
