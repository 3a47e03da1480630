// The account's events for its page, newest first. The API: event-routes.ts.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { numberMax, pageRows, readQuery } from '../../platform/http/list-query.ts';
import { readLatestEvents } from './account-feed.ts';
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
}
