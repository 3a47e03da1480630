// Lists open product calls, sends them again and closes them. product-caller.ts makes the calls.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { Done } from '../../platform/database/idempotent-change.ts';
import { filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { idempotencyKeyOf, markReplayed } from '../../platform/http/idempotency.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { fieldRefusal, type Refusal, refusal } from '../../shared/error-catalog.ts';
import { parseRealOwnedId } from '../../shared/identifiers.ts';
import { actorOf } from '../identity/principal.ts';
import { type CallChange, closeCallByHand, sendAllCallsAgain, sendCallAgain } from './open-product-calls.ts';
import {
  countOpenProductCalls,
  findProductCallOfOrder,
  listOpenProductCalls,
  openCallLists,
  type ProductCall,
} from './product-call-reads.ts';
import { productCallView } from './product-call-view.ts';
import {
  productCallAnswerSchema,
  productCallListSchema,
  productCallsQuerySchema,
  sentCallsSchema,
} from './product-schemas.ts';
import { findProduct } from './product-settings.ts';

interface ProductCallRoutesDependencies {
  readonly database: Database;
  readonly productCallsSoon: () => Promise<void>;
  readonly seal: Seal;
}

const changeConfig = { scopes: ['admin:accounts' as const], isReplayable: true };
const changeCodes = ['invalid_idempotency_key', 'idempotency_conflict'] as const;

export function productCallRoutes(app: FastifyInstance, dependencies: ProductCallRoutesDependencies): void {
  const { database, productCallsSoon } = dependencies;

  app.get(
    '/product-calls',
    {
      config: { scopes: ['admin:read'], codes: filteredListCodes },
      schema: {
        operationId: 'listProductCalls',
        summary: 'Calls that the product has not taken',
        description:
          'Of every account: those that need attention (oldest first), that fail now (first failed first), or all that wait (next attempt first). With order_id, the call of that order.',
        querystring: productCallsQuerySchema,
        response: { 200: productCallListSchema },
      },
    },
    (request, reply) => listProductCalls(dependencies, request, reply),
  );

  app.post(
    '/product-calls/send',
    {
      config: { ...changeConfig, codes: [...changeCodes, 'product_not_set'] },
      schema: {
        operationId: 'sendAllProductCallsAgain',
        summary: 'Send again all calls that need attention',
        description:
          'Each gets one more attempt now, and comes back to the list if the product does not take it. At most 10,000 a request, oldest first.',
        response: { 200: sentCallsSchema },
      },
    },
    async (request, reply) => {
      const change = changeOf(request);
      refuseIf(await productProblem());
      const done = orRefuse(await sendAllCallsAgain(database, change));
      await productCallsSoon();
      const { count } = await countOpenProductCalls(database, 'attention');
      markReplayed(reply, done);
      return reply.send({ calls: done.result, more: count > 0 });
    },
  );

  app.post<WithId>(
    '/product-calls/:id/send',
    {
      config: { ...changeConfig, codes: [...changeCodes, 'product_call_not_found', 'product_not_set'] },
      schema: {
        operationId: 'sendProductCallAgain',
        summary: 'Send a call again, now',
        description:
          'Sends a call that waits or needs attention, under the same id. If a later call carries the whole state, this one is superseded and the later one is sent. A finished call is returned unchanged.',
        response: { 200: productCallAnswerSchema },
      },
    },
    async (request, reply) => {
      const change = changeOf(request);
      const callId = orRefuse(parseCallId(request.params.id));
      refuseIf(await productProblem());
      const done = await sendCallAgain(database, callId, change);
      await productCallsSoon();
      return answer(reply, done);
    },
  );

  app.post<WithId>(
    '/product-calls/:id/done',
    {
      config: {
        ...changeConfig,
        codes: [...changeCodes, 'product_call_not_found', 'product_call_decides_order'],
      },
      schema: {
        operationId: 'closeProductCall',
        summary: 'Say that a call was done by hand',
        description:
          'For a change that you made in the product by hand: the call is no longer sent. If the product took a later call, or may have, one more call sends the present state. The call of a pending order cannot be closed this way: accept or fail the order.',
        response: { 200: productCallAnswerSchema },
      },
    },
    async (request, reply) => {
      const change = changeOf(request);
      const callId = orRefuse(parseCallId(request.params.id));
      return answer(reply, await closeCallByHand(database, callId, change));
    },
  );

  function changeOf(request: FastifyRequest): CallChange {
    return {
      ...actorOf(request.principal, ['admin:accounts']),
      idempotencyKey: idempotencyKeyOf(request),
    };
  }

  async function productProblem(): Promise<Refusal | null> {
    const { mode } = await findProduct(database);
    return mode === 'none' ? refusal('product_not_set') : null;
  }
}

async function listProductCalls(
  { seal, database }: ProductCallRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const page = readFilteredPage(
    seal,
    {
      list: 'product_calls',
      names: ['status', 'order_id'],
      read: (sent) => ({ list: sent.oneOf('status', openCallLists), orderId: sent.text('order_id') }),
    },
    request.principal.account.id,
    request.query,
    true,
  );
  const { list, orderId } = page.filter;
  if (orderId !== '') {
    const id = parseRealOwnedId(orderId);
    if (id === null || list !== null) {
      throw new RequestRefused(
        fieldRefusal('invalid_filter', 'order_id', 'must be the id of an order, without status'),
      );
    }
    const call = await findProductCallOfOrder(database, id.accountId, id.number);
    return reply.send({ data: call === null ? [] : [productCallView(call)], next_cursor: null });
  }
  const { calls, next } = await listOpenProductCalls(
    database,
    list ?? 'attention',
    page.position,
    page.limit,
  );
  return reply.send({ data: calls.map(productCallView), next_cursor: page.cursorAt(next) });
}

function parseCallId(text: string): string | Refusal {
  return /^call_\w{1,80}$/.test(text) ? text : refusal('product_call_not_found');
}

function answer(reply: FastifyReply, done: Done<ProductCall> | Refusal): FastifyReply {
  const { result, replayed } = orRefuse(done);
  markReplayed(reply, { replayed });
  return reply.send({ call: productCallView(result) });
}
