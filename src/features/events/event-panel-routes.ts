// The account's events for its page, newest first. The API's feed is in event-routes.ts.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { numberMax, type TimeSpan } from '../../platform/http/list-query.ts';
import { wordsOf } from '../../platform/http/searched-words.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { latestEventsFilterSchema, latestEventsSchema } from './event-panel-schemas.ts';
import { type EventType, eventTypes } from './event-schemas.ts';
import { eventView } from './event-view.ts';
import { readLatestEvents } from './latest-events.ts';

interface EventPanelRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
}

interface EventFilter {
  readonly type: EventType | null;
  readonly words: string;
  readonly span: TimeSpan | null;
}

const latestEvents: FilterableList<EventFilter> = {
  list: 'latest events',
  names: ['type', 'words', 'from', 'to'],
  read: (sent) => ({
    type: sent.oneOf('type', eventTypes),
    words: wordsOf(sent),
    span: sent.span('from', 'to'),
  }),
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
      const { areWritten, events, next } = await readLatestEvents(database, {
        accountId: account.id,
        ...filter,
        before,
        limit,
      });
      return reply.send({
        data: events.map(eventView),
        next_cursor: cursorAt(next === null ? null : String(next)),
        written: areWritten,
      });
    },
  );
}
