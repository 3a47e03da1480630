// Routes for what the endpoint's page asks before it sends events again. webhook-routes.ts has the other routes.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readQuery } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber, parseRowId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import { findAccountEvent } from '../events/account-feed.ts';
import { eventView } from '../events/event-view.ts';
import { countSince, findWaiting } from './redelivery-reads.ts';
import { eventAtWebhookSchema, sinceCountSchema, sinceFilterSchema } from './redelivery-schemas.ts';
import { findWebhook } from './webhook-store.ts';

interface RedeliveryRoutesDependencies {
  readonly database: Database;
}

export function redeliveryRoutes(app: FastifyInstance, { database }: RedeliveryRoutesDependencies): void {
  app.get<{ Params: { id: string; event_id: string } }>(
    '/webhooks/:id/events/:event_id',
    {
      config: { scopes: ['events:read'], codes: ['webhook_not_found', 'event_not_found'] },
      schema: {
        operationId: 'getEventAtWebhook',
        summary: 'What an endpoint was sent, and when it is sent it again',
        response: { 200: eventAtWebhookSchema },
      },
    },
    async ({ principal: { account }, params }, reply) => {
      const webhook = orRefuse(
        await findWebhook(database, account.id, parseRowId(params.id) ?? 0),
        'webhook_not_found',
      );
      const number = orRefuse(parseOwnNumber(params.event_id, account.id), 'event_not_found');
      const event = await findAccountEvent(database, account.id, number);
      const waiting = await findWaiting(database, webhook, { number, type: event?.type ?? null });
      return reply.send({
        event: event === null ? null : eventView(event),
        waiting:
          waiting === null || event === null
            ? null
            : { due_at: waiting.dueAt === null || waiting.dueAt === 0 ? null : formatTime(waiting.dueAt) },
      });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/webhooks/:id/since',
    {
      config: { scopes: ['events:read'], codes: ['webhook_not_found', 'validation_failed'] },
      schema: {
        operationId: 'countEventsSince',
        summary: 'How many events an endpoint would be sent again',
        querystring: sinceFilterSchema,
        response: { 200: sinceCountSchema },
      },
    },
    async ({ principal: { account }, params, query }, reply) => {
      const from = readQuery(query, (sent) => sent.moment('from')?.since ?? 0);
      const webhook = orRefuse(
        await findWebhook(database, account.id, parseRowId(params.id) ?? 0),
        'webhook_not_found',
      );
      const { count, isMore } = await countSince(database, webhook, account.id, from);
      return reply.send({ count, more: isMore });
    },
  );
}
