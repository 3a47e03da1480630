// The console's view of the hand-off. Settings and actions are routes of the admin API.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { formatAmount } from '../../shared/amounts.ts';
import type { BoundedCount } from '../../shared/list-schemas.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { listHeldOrders, sumProductCalls } from './product-call-figures.ts';
import { countOpenProductCalls, listOpenProductCalls } from './product-call-reads.ts';
import { failingView, productCallView } from './product-call-view.ts';
import {
  attentionCountSchema,
  heldOrdersSchema,
  productFiguresSchema,
  waitingCallsSchema,
} from './product-panel-schemas.ts';

interface ProductPanelRoutesDependencies {
  readonly database: Database;
  readonly countPaymentProblems: () => Promise<BoundedCount>;
  readonly now: () => EpochSeconds;
}

const listedMax = 20;
const figuresDays = 7;

export function productPanelRoutes(
  app: FastifyInstance,
  { database, countPaymentProblems, now }: ProductPanelRoutesDependencies,
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

  app.get(
    '/product-figures',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getProductFigures',
        summary: 'How the product answered the calls of the last days that are still kept',
        response: { 200: productFiguresSchema },
      },
    },
    async (_request, reply) => {
      const figures = await sumProductCalls(database, now() - figuresDays * 86_400);
      return reply.send({
        days: figuresDays,
        accepted: figures.accepted,
        refused: figures.refused,
        failed: figures.failed,
        median_milliseconds: figures.medianMilliseconds,
        accepted_at: figures.acceptedAt === null ? null : formatTime(figures.acceptedAt),
        more: figures.isCut,
      });
    },
  );

  app.get(
    '/held-orders',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listHeldOrders',
        summary: 'What the pending orders hold whose calls need attention',
        response: { 200: heldOrdersSchema },
      },
    },
    async (_request, reply) => {
      const { orders, isCut } = await listHeldOrders(database);
      return reply.send({
        total: formatAmount(orders.reduce((sum, { priceCents }) => sum + priceCents, 0n)),
        count: orders.length,
        more: isCut,
        data: orders.map(({ id, priceCents }) => ({ order_id: id, amount: formatAmount(priceCents) })),
      });
    },
  );
}
