// The account's events for its page, newest first. The API's feed is in event-routes.ts.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { numberMax } from '../../platform/http/list-query.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { readLatestEvents } from './account-feed.ts';
import { latestEventsFilterSchema, latestEventsSchema } from './event-panel-schemas.ts';
import { type EventType, eventTypes } from './event-schemas.ts';
import { eventView } from './event-view.ts';

interface EventPanelRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
}

const latestEvents: FilterableList<EventType | null> = {
  list: 'latest events',
  names: ['type'],
  read: (sent) => sent.oneOf('type', eventTypes),
};

export function eventPanelRoutes(
  app: FastifyInstance,
  { database, seal }: EventPanelRoutesDependencies,
): void {
  app.get(
    '/events',
    {
      config: { scopes: ['events:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'listLatestEvents',
        summary: 'Events, newest first',
        description: 'Looking at them begins nothing: of an account without a listener none is written.',
        querystring: latestEventsFilterSchema,
        response: { 200: latestEventsSchema },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const { filter, position, limit, cursorAt } = readFilteredPage(
        seal,
        latestEvents,
        account.id,
        query,
        true,
      );
      const before = position === null ? numberMax : Number(position);
      const question = { accountId: account.id, type: filter, before, limit };
      const { areWritten, events, hasMore } = await readLatestEvents(database, question);
      return reply.send({
        data: events.map(eventView),
        next_cursor: cursorAt(hasMore ? String(events.at(-1)?.number) : null),
        written: areWritten,
      });
    },
  );
}
