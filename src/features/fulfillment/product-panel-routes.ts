// The console's view of the hand-off. Settings and actions are routes of the admin API.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import type { BoundedCount } from '../../shared/list-schemas.ts';
import { countOpenProductCalls, listOpenProductCalls } from './product-call-reads.ts';
import { failingView, productCallView } from './product-call-view.ts';
import { attentionCountSchema, waitingCallsSchema } from './product-panel-schemas.ts';

interface ProductPanelRoutesDependencies {
  readonly database: Database;
  readonly countPaymentProblems: () => Promise<BoundedCount>;
}

const listedMax = 20;

export function productPanelRoutes(
  app: FastifyInstance,
  { database, countPaymentProblems }: ProductPanelRoutesDependencies,
): void {
  app.get(
    '/attention',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'countOrdersNeedingAttention',
        summary: 'How many calls need attention, and how many fail now',
        response: { 200: attentionCountSchema },
      },
    },
    async (_request, reply) => {
      const [{ count, more }, failing, payments] = await Promise.all([
        countOpenProductCalls(database, 'attention'),
        countOpenProductCalls(database, 'failing'),
        countPaymentProblems(),
      ]);
      return reply.send({ count, more, failing: failingView(failing), payments });
    },
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
      const [waiting, attention, failing, { calls }] = await Promise.all([
        countOpenProductCalls(database, 'waiting'),
        countOpenProductCalls(database, 'attention'),
        countOpenProductCalls(database, 'failing'),
        listOpenProductCalls(database, 'waiting', null, listedMax),
      ]);
      return reply.send({
        waiting: { count: waiting.count, more: waiting.more },
        attention: { count: attention.count, more: attention.more },
        failing: failingView(failing),
        data: calls.map(productCallView),
      });
    },
  );
}
