// Customers, of whichever account: whether one may log in, and who is behind a login code that came to the product.
// Called by admin-routes.ts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { bodyOf, idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { sentIdempotencyHeader } from '../../shared/idempotency-keys.ts';
import { parseRealOwnedId, publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import { exchangeHandler } from '../customer-portal/login-code-routes.ts';
import { exchangeCodeBodySchema } from '../customer-portal/login-code-schemas.ts';
import { createLoginLink } from '../customer-portal/login-links.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { submitForAccount } from '../order-engine/submit-for-account.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { changePackageCommand, keyed } from '../orders/order-command.ts';
import { orderCodes } from '../orders/order-routes.ts';
import { renewedOrderSchema } from '../orders/order-schemas.ts';
import { orderView } from '../orders/order-view.ts';
import { parsePackageChange } from '../orders/parse-order-request.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { parseCancelAt } from '../plans/parse-plan-request.ts';
import {
  cancelledPlanSchema,
  cancelPlanOfCustomerBodySchema,
  changePackageOfCustomerBodySchema,
} from '../plans/plan-schemas.ts';
import type { CustomerReads } from './customer-reads.ts';
import { changeCustomerBodySchema, customerAnswerSchema, madeLoginLinkSchema } from './customer-schemas.ts';
import { customerView } from './customer-view.ts';
import { findLastOrderNumber } from './find-customer.ts';

interface CustomerHoldRoutesDependencies {
  readonly authenticateAgain: Authenticator['authenticateAgain'];
  readonly currency: string;
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly linkValidSeconds: number;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
  readonly publicUrl: () => string;
}

export function customerAdminRoutes(
  app: FastifyInstance,
  dependencies: CustomerHoldRoutesDependencies,
): void {
  const { database, customers, packages, now } = dependencies;

  app.post(
    '/login-codes/exchange',
    {
      config: { scopes: ['product'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'exchangeLoginCode',
        summary: 'The customer behind a one-time login code',
        description:
          'For the product at PRODUCT_URL, which a customer who used a login link opened with ?code=…. A code works once, within a minute. A customer who was suspended since is not let in: there is no such customer then.',
        body: exchangeCodeBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    exchangeHandler({ database, customers, packages: () => packages.current(), now }),
  );

  app.patch<WithId & WithBody<typeof changeCustomerBodySchema>>(
    '/customers/:id',
    {
      config: { scopes: ['admin:accounts'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'changeCustomer',
        summary: 'Suspend a customer, or lift the suspension',
        description:
          'A suspended customer cannot log in: not by a link, nor by a code that was handed out before. Whether the plan is running is another matter: see plan.active.',
        body: changeCustomerBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    (request, reply) => changeCustomer(dependencies, request, reply),
  );

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

  app.post<WithId>(
    '/customers/:id/login-link',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['customer_not_found'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'createLoginLinkOfCustomer',
        summary: 'Make a login link for any customer',
        description:
          'Works once, for a short time; an earlier unused link of the customer’s last order, or of the trial, stops working. Recorded in the audit log, without the link.',
        response: { 201: madeLoginLinkSchema },
      },
    },
    (request, reply) => createLoginLinkOfCustomer(dependencies, request, reply),
  );
}

async function changeCustomer(
  { engine, customers, packages, now }: CustomerHoldRoutesDependencies,
  request: FastifyRequest<WithId & WithBody<typeof changeCustomerBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  const id = orRefuse(parseRealOwnedId(request.params.id), 'customer_not_found');
  const outcome = await engine.submit({
    type: 'set_status',
    accountId: id.accountId,
    actorId: request.principal.account.id,
    by: request.principal.actor,
    customerNumber: id.number,
    status: body.status,
  });
  // An account that does not exist has no customer either.
  const changed = orRefuse(
    outcome.type === 'status_set' ? await customers.find(id.accountId, id.number) : null,
    'customer_not_found',
  );
  return reply.send({ customer: customerView(changed, packages.current(), now()) });
}

async function cancelPlanOfCustomer(
  { authenticateAgain, database, engine, customers, packages, now }: CustomerHoldRoutesDependencies,
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
  { authenticateAgain, database, engine, packages, currency }: CustomerHoldRoutesDependencies,
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

async function createLoginLinkOfCustomer(
  {
    customers,
    authenticateAgain,
    database,
    now,
    linkValidSeconds,
    publicUrl,
  }: CustomerHoldRoutesDependencies,
  request: FastifyRequest<WithId>,
  reply: FastifyReply,
) {
  const id = parseRealOwnedId(request.params.id);
  const customer = orRefuse(
    id === null ? null : await customers.find(id.accountId, id.number),
    'customer_not_found',
  );
  const caller = orRefuse(await authenticateAgain(request));
  const orderNumber = (await findLastOrderNumber(database, customer)) ?? 0;
  const { accountId, number: customerNumber } = customer;
  const at = now();
  const { actorId, by = null } = actorOf(caller);
  const expiresAt = formatTime(at + linkValidSeconds);
  const token = await createLoginLink(
    database,
    { accountId, customerNumber, number: orderNumber },
    linkValidSeconds,
    at,
    { by, isOperator: true },
    {
      actorId,
      by,
      action: 'customer.login_link',
      subject: `customer ${publicId(accountId, customerNumber)}`,
      before: null,
      after: { expires_at: expiresAt },
    },
  );
  return reply.code(201).send({ login_url: `${publicUrl()}/login/${token}`, expires_at: expiresAt });
}
