// The account's events, the newest first, as its page shows them, and what the page of an endpoint asks before something is
// sent again. Events and endpoints themselves are those of the API (events/event-routes.ts, webhooks/webhook-routes.ts).

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { numberMax, pageRows, readQuery } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber, parseRowId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import { countSince, findWaiting } from '../webhooks/redelivery-reads.ts';
import { eventAtWebhookSchema, sinceCountSchema, sinceFilterSchema } from '../webhooks/redelivery-schemas.ts';
import { findWebhook } from '../webhooks/webhook-store.ts';
import { findAccountEvent, readLatestEvents } from './account-feed.ts';
import { latestEventsFilterSchema, latestEventsSchema } from './event-panel-schemas.ts';
import { eventTypes } from './event-schemas.ts';
import { eventView } from './event-view.ts';

interface EventPanelRoutesDependencies {
  readonly database: Database;
}

export function eventPanelRoutes(app: FastifyInstance, { database }: EventPanelRoutesDependencies): void {
  app.get(
    '/events',
    {
      config: { scopes: ['events:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'listLatestEvents',
        summary: 'Events, newest first',
        description: 'Looking at them begins nothing: of an account without a listener none is written.',
        querystring: latestEventsFilterSchema,
        response: { 200: latestEventsSchema },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const sent = readQuery(query, (each) => ({
        type: each.oneOf('type', eventTypes),
        before: Math.min(numberMax, each.number('before', numberMax)),
      }));
      const question = { accountId: account.id, ...sent, limit: pageRows };
      const { areWritten, events, hasMore } = await readLatestEvents(database, question);
      return reply.send({
        data: events.map(eventView),
        next_before: hasMore ? (events.at(-1)?.number ?? null) : null,
        written: areWritten,
      });
    },
  );

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
        // Older ones are kept no more.
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
