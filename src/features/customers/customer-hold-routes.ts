// Customers, of whichever account: whether one may log in, and who is behind a login code that came to the product.
// Called by admin-routes.ts.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { createBodyReader } from '../../platform/http/body-reader.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { isRefusal, refusal } from '../../shared/error-catalogue.ts';
import { parseRealOwnedId, publicId } from '../../shared/identifiers.ts';
import { isJsonObject } from '../../shared/json.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import type { Authenticator } from '../auth/api-key-auth.ts';
import { exchangeHandler } from '../customer-portal/login-code-routes.ts';
import { exchangeCodeBodySchema } from '../customer-portal/login-code-schemas.ts';
import { createLoginLink } from '../customer-portal/login-links.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { submitForAccount } from '../order-engine/submit-for-account.ts';
import { changePackageCommand, keyed } from '../orders/order-command.ts';
import { orderCodes } from '../orders/order-routes.ts';
import { renewedOrderSchema } from '../orders/order-schemas.ts';
import { orderView } from '../orders/order-view.ts';
import {
  parseIdempotencyKey,
  parsePackageChange,
  sentIdempotencyHeader,
} from '../orders/parse-order-request.ts';
import { refuseOutcome } from '../orders/refuse-outcome.ts';
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

const readCustomerChange = createBodyReader(changeCustomerBodySchema);

export function customerAdminRoutes(
  app: FastifyInstance,
  {
    database,
    engine,
    customers,
    packages,
    currency,
    publicUrl,
    linkValidSeconds,
    now,
    authenticateAgain,
  }: CustomerHoldRoutesDependencies,
): void {
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

  app.patch<WithId>(
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
    async (request, reply) => {
      const body = readCustomerChange(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const id = parseRealOwnedId(request.params.id);
      if (id === null) return reply.refuse(refusal('customer_not_found'));
      const outcome = await engine.submit({
        type: 'set_status',
        accountId: id.accountId,
        actorId: request.principal.account.id,
        by: request.principal.actor,
        customerNumber: id.number,
        status: body.status,
      });
      // An account that does not exist has no customer either.
      const changed = outcome.type === 'status_set' ? await customers.find(id.accountId, id.number) : null;
      if (changed === null) return reply.refuse(refusal('customer_not_found'));
      return reply.send({ customer: customerView(changed, packages.current(), now()) });
    },
  );

  app.post<WithId>(
    '/customers/:id/cancel',
    {
      config: {
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
    async (request, reply) => {
      const body = isJsonObject(request.body) ? request.body : {};
      const sent = parseIdempotencyKey(body, sentIdempotencyHeader(request.headers));
      if (isRefusal(sent)) return reply.refuse(sent);
      const at = parseCancelAt(body);
      if (isRefusal(at)) return reply.refuse(at);
      const id = parseRealOwnedId(request.params.id);
      if (id === null) return reply.refuse(refusal('customer_not_found'));
      const caller = await authenticateAgain(request);
      if (isRefusal(caller)) return reply.refuse(caller);
      const key = keyed(sent);
      const outcome = await submitForAccount(database, id.accountId, ({ accessVersion }) =>
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
      );
      if (isRefusal(outcome)) return reply.refuse(outcome);
      if (outcome.type !== 'plan_changed') return refuseOutcome(reply, outcome);
      const changed = await customers.find(id.accountId, id.number);
      if (changed === null) throw new Error('The customer whose plan was canceled does not exist.');
      if (outcome.replayed) reply.header('idempotent-replayed', 'true');
      return reply.send({
        customer: customerView(changed, packages.current(), now()),
        refund: formatAmount(outcome.refundCents),
        balance: formatAmount(outcome.balanceAfterCents),
      });
    },
  );

  app.post<WithId>(
    '/customers/:id/change-package',
    {
      config: {
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
    async (request, reply) => {
      const body = isJsonObject(request.body) ? request.body : {};
      const wanted = parsePackageChange(body, sentIdempotencyHeader(request.headers));
      if (isRefusal(wanted)) return reply.refuse(wanted);
      const id = parseRealOwnedId(request.params.id);
      if (id === null) return reply.refuse(refusal('customer_not_found'));
      const caller = await authenticateAgain(request);
      if (isRefusal(caller)) return reply.refuse(caller);
      const key = keyed(wanted.idempotencyKey);
      const by = { actorId: caller.account.id, by: caller.actor };
      const outcome = await submitForAccount(database, id.accountId, (account) =>
        engine.submit(changePackageCommand(account, wanted, key, id.number, by)),
      );
      if (isRefusal(outcome)) return reply.refuse(outcome);
      if (outcome.type !== 'ordered') return refuseOutcome(reply, outcome);
      if (outcome.replayed) reply.header('idempotent-replayed', 'true');
      return reply.send({
        order: orderView(outcome.order, packages.current(), currency),
        balance: formatAmount(outcome.order.balanceAfterCents),
      });
    },
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
    async (request, reply) => {
      const id = parseRealOwnedId(request.params.id);
      const customer = id === null ? null : await customers.find(id.accountId, id.number);
      if (customer === null) return reply.refuse(refusal('customer_not_found'));
      const caller = await authenticateAgain(request);
      if (isRefusal(caller)) return reply.refuse(caller);
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
    },
  );
}
