// Figures of deliveries for the pages of the endpoints and events. They follow the real clock, in test mode too.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber, parseRowId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { countDeliveries, listDeliveriesOfEvent, sumDeliveries } from './delivery-figures.ts';
import {
  deliveriesOfEventSchema,
  deliveryCountsSchema,
  deliveryFiguresSchema,
} from './redelivery-schemas.ts';
import { findWebhook } from './webhook-store.ts';
import { deliveryView } from './webhook-view.ts';

interface DeliveryFigureRoutesDependencies {
  readonly database: Database;
  readonly now: () => EpochSeconds;
}

const daySeconds = 86_400;
const countedDays = 7;
const summedDays = 30;

export function deliveryFigureRoutes(
  app: FastifyInstance,
  { database, now }: DeliveryFigureRoutesDependencies,
): void {
  app.get(
    '/webhooks/figures',
    {
      config: { scopes: ['events:read'], codes: [] },
      schema: {
        operationId: 'countDeliveries',
        summary: 'How many attempts each endpoint took and refused in the last seven days',
        response: { 200: deliveryCountsSchema },
      },
    },
    async ({ principal: { account } }, reply) => {
      const counts = await countDeliveries(database, account.id, now() - countedDays * daySeconds);
      return reply.send({
        days: countedDays,
        data: [...counts].map(([id, { delivered, failed, isMore }]) => ({
          webhook_id: id,
          delivered,
          failed,
          more: isMore,
        })),
      });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/webhooks/:id/figures',
    {
      config: { scopes: ['events:read'], codes: ['webhook_not_found'] },
      schema: {
        operationId: 'getDeliveryFigures',
        summary: 'An endpoint’s attempts of the last 30 days: results by day and durations',
        response: { 200: deliveryFiguresSchema },
      },
    },
    async ({ principal: { account }, params }, reply) => {
      const webhook = orRefuse(
        await findWebhook(database, account.id, parseRowId(params.id) ?? 0),
        'webhook_not_found',
      );
      const at = now();
      const today = at - (at % daySeconds);
      const since = today - (summedDays - 1) * daySeconds;
      const figures = await sumDeliveries(database, webhook.id, { since, now: at });
      return reply.send({
        delivered: figures.delivered,
        failed: figures.failed,
        more: figures.isMore,
        median_milliseconds: figures.medianMilliseconds,
        p95_milliseconds: figures.p95Milliseconds,
        days: figures.days,
      });
    },
  );

  app.get<{ Params: { event_id: string } }>(
    '/events/:event_id/deliveries',
    {
      config: { scopes: ['events:read'], codes: ['event_not_found'] },
      schema: {
        operationId: 'listDeliveriesOfEvent',
        summary: 'The attempts to deliver an event, newest first',
        description: 'Found among the latest 2,000 attempts of each endpoint.',
        response: { 200: deliveriesOfEventSchema },
      },
    },
    async ({ principal: { account }, params }, reply) => {
      const number = orRefuse(parseOwnNumber(params.event_id, account.id), 'event_not_found');
      const attempts = await listDeliveriesOfEvent(database, account.id, number);
      return reply.send({
        data: attempts.map((attempt) => ({ ...deliveryView(attempt), webhook_id: attempt.webhookId })),
      });
    },
  );
}
