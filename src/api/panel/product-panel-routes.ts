// How the hand-off to the product goes, for the console: what waits, and which orders need attention. Where the product is, and
// what becomes of its orders, are routes of the administrator's API (product-admin-routes.ts).

import type { FastifyInstance } from 'fastify';
import { attentionCountSchema, waitingCallsSchema } from '../../contract/panel-schemas.ts';
import { formatTime } from '../../contract/times.ts';
import { findAccountNames } from '../../database/account-names.ts';
import { countWaitingProductCalls, listWaitingProductCalls } from '../../delivery/waiting-product-calls.ts';
import { countOrdersNeedingAttention } from '../../orders/order-attention.ts';
import type { PanelDependencies } from './panel-routes.ts';

/** For the operator; below /admin. */
export function productPanelRoutes(app: FastifyInstance, { database }: PanelDependencies): void {
  app.get(
    '/attention',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'countOrdersNeedingAttention',
        summary: 'How many orders need attention',
        response: { 200: attentionCountSchema },
      },
    },
    async (_request, reply) => reply.send(await countOrdersNeedingAttention(database)),
  );

  app.get(
    '/product-calls',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listWaitingProductCalls',
        summary: 'The calls that the product has not taken, those tried next first',
        response: { 200: waitingCallsSchema },
      },
    },
    async (_request, reply) => {
      const [waiting, attention, calls] = await Promise.all([
        countWaitingProductCalls(database),
        countOrdersNeedingAttention(database),
        listWaitingProductCalls(database),
      ]);
      const names = await findAccountNames(
        database,
        calls.map(({ accountId }) => accountId),
      );
      return reply.send({
        waiting,
        attention,
        data: calls.map((call) => ({
          id: call.id,
          account: { id: call.accountId, username: names.get(call.accountId) ?? '' },
          order_id: call.orderId,
          type: call.type,
          created_at: formatTime(call.createdAt),
          attempts: call.attempts,
          next_attempt_at: formatTime(call.nextAttemptAt),
          last_status: call.lastStatus,
          last_error: call.lastError,
        })),
      });
    },
  );
}
