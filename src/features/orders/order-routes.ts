import type { FastifyInstance, FastifyReply, preHandlerAsyncHookHandler } from 'fastify';
import { bodyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { mintToken } from '../../platform/secrets/one-time-token.ts';
import { formatAmount } from '../../shared/amounts.ts';
import type { Refusal } from '../../shared/error-catalog.ts';
import { sentIdempotencyHeader } from '../../shared/idempotency-keys.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { OrderOutcome } from '../order-engine/decisions/order-commands.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { expectOutcome } from './expect-outcome.ts';
import { keyed, placeCommand, renewCommand } from './order-command.ts';
import type { OrderReads } from './order-reads.ts';
import {
  orderAnswerSchema,
  orderCodes,
  placedOrderSchema,
  placeOrderBodySchema,
  renewedOrderSchema,
  renewOrderBodySchema,
} from './order-schemas.ts';
import { orderView } from './order-view.ts';
import { parseOrderRequest, parseRenewRequest } from './parse-order-request.ts';
import { createSubmitter, type SubmitDependencies } from './submit-commands.ts';

export interface OrderRoutesDependencies extends SubmitDependencies {
  readonly orders: OrderReads;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
  readonly currency: string;
  readonly publicUrl: () => string;
  readonly linkValidSeconds: number;
}

export function orderRoutes(app: FastifyInstance, dependencies: OrderRoutesDependencies): void {
  const { orders, confirm, packages, currency, publicUrl, linkValidSeconds } = dependencies;

  app.post(
    '/orders',
    {
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: [...orderCodes, 'invalid_package', 'invalid_customer', 'customer_not_yours'],
        isReplayable: true,
      },
      schema: {
        operationId: 'placeOrder',
        summary: 'Place an order',
        description:
          'Activates a package for a customer and deducts the price. Creates the customer if absent. Safe to retry forever with the same idempotency key.',
        body: placeOrderBodySchema,
        response: { 201: placedOrderSchema },
      },
    },
    async (request, reply) => {
      const wanted = orRefuse(parseOrderRequest(bodyOf(request), sentIdempotencyHeader(request.headers)));
      const key = keyed(wanted.idempotencyKey);
      const link = wanted.returnLogin ? mintToken() : null;
      const loginLink = link && { tokenHash: link.tokenHash, validSeconds: linkValidSeconds };

      const outcome = await createSubmitter(
        dependencies,
        request,
      )((account) => placeCommand(account, wanted, key, loginLink));
      return answer(reply, outcome, link && `${publicUrl()}/login/${link.token}`);
    },
  );

  app.post<{ Params: { id: string } }>(
    '/orders/:id/renew',
    {
      config: {
        parsesBody: true,
        scopes: ['orders:write'],
        codes: [...orderCodes, 'order_not_found'],
        isReplayable: true,
        isBodyOptional: true,
      },
      schema: {
        operationId: 'renewOrder',
        summary: 'Renew an order',
        description:
          'Adds one period of the order’s package on top of the customer’s current expiry and charges today’s price for the group. The body may be absent or {}; a list is refused: in PHP an empty one is json_encode(new stdClass()).',
        body: renewOrderBodySchema,
        response: { 201: renewedOrderSchema },
      },
    },
    async (request, reply) => {
      const wanted = orRefuse(parseRenewRequest(bodyOf(request), sentIdempotencyHeader(request.headers)));
      // No order has the number 0, so a foreign or malformed id is treated like a missing order.
      const orderNumber = parseOwnNumber(request.params.id, request.principal.account.id) ?? 0;
      const key = keyed(wanted.idempotencyKey);

      const outcome = await createSubmitter(
        dependencies,
        request,
      )((account) => renewCommand(account, wanted, key, orderNumber));
      return answer(reply, outcome, null);
    },
  );

  app.get<{ Params: { id: string } }>(
    '/orders/:id',
    {
      ...confirm,
      config: { scopes: ['orders:read'], codes: ['order_not_found'] },
      schema: {
        operationId: 'getOrder',
        summary: 'One order',
        description: 'Another account’s order gets the same answer as one that does not exist.',
        response: { 200: orderAnswerSchema },
      },
    },
    async (request, reply) => {
      const number = parseOwnNumber(request.params.id, request.principal.account.id);
      const order = orRefuse(
        number === null ? null : await orders.find(request.principal.account.id, number),
        'order_not_found',
      );
      return reply.send({ order: orderView(order, packages(), currency) });
    },
  );

  function answer(
    reply: FastifyReply,
    outcome: OrderOutcome | Refusal,
    loginUrl: string | null,
  ): FastifyReply {
    const { order, replayed } = expectOutcome(outcome, 'ordered');
    markReplayed(reply, { replayed });
    return reply.code(201).send({
      order: orderView(order, packages(), currency),
      balance: formatAmount(order.balanceAfterCents),
      ...(loginUrl === null ? {} : { login_url: loginUrl }),
    });
  }
}
