// The events of all accounts in one order, for the operator. Ascending within each account.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { type OwnedId, parseRealOwnedId, publicId } from '../../shared/identifiers.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { EventWaits } from './account-feed.ts';
import { findAccountEvent } from './account-feed.ts';
import { eventAnswerSchema, feedQuerySchema, feedSchema } from './event-schemas.ts';
import { eventView } from './event-view.ts';
import { feedCodes, notYours, readFeedQuery } from './feed-request.ts';
import { readWholeFeed } from './whole-feed.ts';

interface EventAdminRoutesDependencies {
  readonly database: Database;
  readonly eventWaits: EventWaits;
  readonly monotonicNow: () => number;
  readonly stillProblem: Authenticator['stillProblem'];
}

export function eventAdminRoutes(
  app: FastifyInstance,
  { database, eventWaits, monotonicNow, stillProblem }: EventAdminRoutesDependencies,
): void {
  app.get(
    '/events',
    {
      config: { scopes: ['admin:read'], codes: feedCodes },
      schema: {
        operationId: 'readAllEvents',
        summary: 'The events of all accounts, in one order',
        description:
          'As the feed of an account, for all of them: those of each account ascend, and nothing comes twice. The first time that anyone asks, the events of all accounts begin to be written. With a type, a page may be short, or empty, and go on.',
        querystring: feedQuerySchema,
        response: { 200: feedSchema },
      },
    },
    async (request, reply) => {
      const question = readFeedQuery(request.query);
      const { type, limit, waitSeconds } = question;
      const after = question.after === null ? null : parseRealOwnedId(question.after);
      if (question.after !== null && after === null) throw new RequestRefused(notYours);
      const until = monotonicNow() + waitSeconds * 1_000;
      let mayWait = true;
      let hasWaited = false;
      for (let looked = after; ; ) {
        const found = await readWholeFeed(database, { after: looked, type, limit });
        if (found.type === 'unknown') throw new RequestRefused(notYours);
        if (found.type === 'gone') throw new RequestRefused('events_gone');
        if (
          found.events.length > 0 ||
          found.hasMore ||
          monotonicNow() >= until ||
          !mayWait ||
          request.raw.destroyed
        ) {
          refuseIf(hasWaited ? await stillProblem(request) : null);
          return reply.send({
            data: found.events.map(eventView),
            next_after: idOf(found.lookedTo),
            has_more: found.hasMore,
            last_id: idOf(found.last),
          });
        }
        looked = found.lookedTo;
        hasWaited = true;
        mayWait = await eventWaits.rest();
      }
    },
  );

  app.get<WithId>(
    '/events/:id',
    {
      config: { scopes: ['admin:read'], codes: ['event_not_found'] },
      schema: {
        operationId: 'getEventOfAnyAccount',
        summary: 'One event of any account',
        description: 'As its account’s feed has it.',
        response: { 200: eventAnswerSchema },
      },
    },
    async (request, reply) => {
      const named = parseRealOwnedId(request.params.id);
      const event = orRefuse(
        named === null ? null : await findAccountEvent(database, named.accountId, named.number),
        'event_not_found',
      );
      return reply.send({ event: eventView(event) });
    },
  );
}

function idOf(place: OwnedId | null): number | null {
  return place === null ? null : publicId(place.accountId, place.number);
}
