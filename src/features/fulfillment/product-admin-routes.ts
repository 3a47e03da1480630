// The product's settings, and unanswered orders that an administrator accepts or fails. Does not call the product.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFilteredPage } from '../../platform/http/cursor-page.ts';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseRealOwnedId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import type { HandoffOutcome } from '../order-engine/records/order-handoff.ts';
import { expectOutcome } from '../orders/expect-outcome.ts';
import { orderAnswerSchema } from '../orders/order-schemas.ts';
import { orderView } from '../orders/order-view.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { type AttentionOrder, listOrdersNeedingAttention } from './order-attention.ts';
import {
  type AttentionOrderView,
  attentionListSchema,
  attentionQuerySchema,
  failOrderBodySchema,
  type ProductView,
  productAnswerSchema,
  setProductBodySchema,
} from './product-schemas.ts';
import { findProduct, type ProductSettings, removeProduct, setProduct } from './product-settings.ts';

interface ProductAdminRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly outbound: Outbound;
  readonly packages: PackageCatalogHolder;
  readonly productCallsSoon: () => Promise<void>;
  readonly seal: Seal;
}

const secretBytes = { min: 24, max: 64 } as const;
const settleCodes = [
  'invalid_idempotency_key',
  'order_not_found',
  'order_already_settled',
  'order_failed',
] as const;

export function productAdminRoutes(app: FastifyInstance, dependencies: ProductAdminRoutesDependencies): void {
  productSettingsRoutes(app, dependencies);
  orderAttentionRoutes(app, dependencies);
}

function productSettingsRoutes(app: FastifyInstance, dependencies: ProductAdminRoutesDependencies): void {
  const { database } = dependencies;

  app.get(
    '/product',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getProduct',
        summary: 'The product that orders are handed to',
        description: 'All but its secret.',
        response: { 200: productAnswerSchema },
      },
    },
    async (_request, reply) => reply.send({ product: productView(await findProduct(database)) }),
  );

  app.put<WithBody<typeof setProductBodySchema>>(
    '/product',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'setProduct',
        summary: 'Name the product that orders are handed to',
        description:
          'From the next order on. Orders that are pending stay so until the product has answered, or you decide about them; with the mode none they need your attention at once.',
        body: setProductBodySchema,
        response: { 200: productAnswerSchema },
      },
    },
    (request, reply) => setProductHandler(dependencies, request, reply),
  );

  app.delete(
    '/product',
    {
      config: {
        scopes: ['admin:packages'],
        codes: [],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'removeProduct',
        summary: 'Hand orders to no product any more',
        description:
          'Sets the mode to none and deletes address and secret. Pending orders then need your attention: only you can settle them.',
        response: { 200: productAnswerSchema },
      },
    },
    async (request, reply) => {
      await removeProduct(database, actorOf(request.principal));
      return reply.send({ product: productView(await findProduct(database)) });
    },
  );
}

function orderAttentionRoutes(
  app: FastifyInstance,
  { database, seal, engine, packages, currency }: ProductAdminRoutesDependencies,
): void {
  app.get(
    '/orders/attention',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter', 'invalid_cursor'] },
      schema: {
        operationId: 'listOrdersNeedingAttention',
        summary: 'Orders that the product has not answered',
        description:
          'Of every account, those that have waited longest first: the product was asked for 72 hours, or there is none any more. Accept or fail each.',
        querystring: attentionQuerySchema,
        response: { 200: attentionListSchema },
      },
    },
    async (request, reply) => {
      const list = { list: 'attention', names: [], read: () => null };
      const { account } = request.principal;
      const page = readFilteredPage(seal, list, account.id, request.query, true);
      const { items, next } = await listOrdersNeedingAttention(database, page.position, page.limit);
      return reply.send({ data: items.map(attentionView), next_cursor: page.cursorAt(next) });
    },
  );

  app.post<WithId>(
    '/orders/:id/accept',
    {
      config: { scopes: ['admin:credit'], codes: settleCodes, isReplayable: true },
      schema: {
        operationId: 'acceptOrder',
        summary: 'Complete an order in the product’s place',
        description:
          'Works on any pending order. An order that is already completed is answered with 200 and `Idempotent-Replayed: true` for any key, because an order is settled once. The product is not called again.',
        response: { 200: orderAnswerSchema },
      },
    },
    (request, reply) => settle(request, reply, 'completed', null),
  );

  app.post<WithId & WithBody<typeof failOrderBodySchema>>(
    '/orders/:id/fail',
    {
      config: { scopes: ['admin:credit'], codes: ['validation_failed', ...settleCodes], isReplayable: true },
      schema: {
        operationId: 'failOrder',
        summary: 'Fail an order in the product’s place',
        description:
          'Works on any pending order: the charge is refunded, the plan is restored, and the product is notified. An order that has already failed is answered with 200 and `Idempotent-Replayed: true` for any key.',
        body: failOrderBodySchema,
        response: { 200: orderAnswerSchema },
      },
    },
    async (request, reply) => {
      const { body } = request;
      return settle(request, reply, 'failed', body.reason);
    },
  );

  async function settle(
    request: FastifyRequest<WithId>,
    reply: FastifyReply,
    wanted: HandoffOutcome,
    reason: string | null,
  ): Promise<FastifyReply> {
    // The key is only validated, because an order can be settled only once anyway.
    idempotencyKeyOf(request);
    const id = orRefuse(parseRealOwnedId(request.params.id), 'order_not_found');
    const { actorId, by = null } = actorOf(request.principal);
    const outcome = await engine.submit({
      type: 'settle_order',
      accountId: id.accountId,
      orderNumber: id.number,
      outcome: wanted,
      reason,
      by: { actorId, by },
    });
    if (outcome.type === 'refused' && outcome.refusal.code === 'account_not_found') {
      throw new RequestRefused('order_not_found');
    }
    const settled = expectOutcome(outcome, 'settled');
    markReplayed(reply, settled);
    return reply.send({ order: orderView(settled.order, packages.current(), currency) });
  }

  function attentionView({ order, username, call }: AttentionOrder): AttentionOrderView {
    const { id, type, attempts, firstAttemptAt, lastStatus, lastError } = call;
    return {
      order: orderView(order, packages.current(), currency),
      account: { id: order.accountId, username },
      call: {
        id,
        type,
        attempts,
        first_attempt_at: firstAttemptAt === null ? null : formatTime(firstAttemptAt),
        last_status: lastStatus,
        last_error: lastError,
      },
    };
  }
}

async function setProductHandler(
  { outbound, database, seal, productCallsSoon }: ProductAdminRoutesDependencies,
  request: FastifyRequest<WithBody<typeof setProductBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  const { mode, url, secret = null, test_url: testUrl, test_secret: testSecret = null } = body;
  for (const [field, address] of [
    ['url', url],
    ['test_url', testUrl ?? null],
  ] as const) {
    const problem = address === null ? null : await outbound.problemOf(address);
    if (problem !== null) throw new RequestRefused(fieldRefusal('validation_failed', field, problem));
  }
  for (const [field, sent] of [
    ['secret', secret],
    ['test_secret', testSecret],
  ] as const) {
    if (sent === null || isSecret(sent)) continue;
    throw new RequestRefused(fieldRefusal('validation_failed', field, 'must hold 24 to 64 bytes in base64'));
  }
  const test =
    testUrl === undefined ? {} : { test: testUrl === null ? null : { url: testUrl, secret: testSecret } };
  const set = await setProduct(database, seal, { mode, url, secret, ...test }, actorOf(request.principal));
  if (set === null) {
    const { secretSealed } = await findProduct(database);
    const field = secret === null && secretSealed === null ? 'secret' : 'test_secret';
    throw new RequestRefused(fieldRefusal('validation_failed', field, 'is needed the first time'));
  }
  await productCallsSoon();
  return reply.send({ product: productView(set) });
}

function productView({ mode, url, secretSealed, testUrl }: ProductSettings): ProductView {
  const tests = testUrl === null ? {} : { test_url: testUrl };
  return { mode, url, has_secret: secretSealed !== null, ...tests };
}

function isSecret(secret: string): boolean {
  const { length } = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return length >= secretBytes.min && length <= secretBytes.max;
}
