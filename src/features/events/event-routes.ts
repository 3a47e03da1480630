// GET /events and GET /events/{id}: the account's feed, oldest first.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused, refuseIf } from '../../platform/http/request-refused.ts';
import { refusal } from '../../shared/error-catalog.ts';
import { parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import { type EventWaits, findAccountEvent, readFeed } from './account-feed.ts';
import { eventAnswerSchema, feedQuerySchema, feedSchema } from './event-schemas.ts';
import { eventView } from './event-view.ts';
import { feedCodes, notYours, readFeedQuery } from './feed-request.ts';

export interface EventRoutesDependencies {
  readonly database: Database;
  readonly eventWaits: EventWaits;
  readonly monotonicNow: () => number;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly stillProblem: Authenticator['stillProblem'];
}

export function eventRoutes(
  app: FastifyInstance,
  { database, eventWaits, monotonicNow, confirm, stillProblem }: EventRoutesDependencies,
): void {
  app.get(
    '/events',
    {
      ...confirm,
      // The first read starts recording, so an administrator who views the account must not read the feed.
      config: { scopes: ['events:read'], codes: feedCodes, hasView: false },
      schema: {
        operationId: 'readEvents',
        summary: 'The feed of events, oldest first',
        description:
          'What happened to the account, its customers and their plans. Send the last id you have as after: nothing is missed, and nothing comes twice. Events are written from the first read of the feed, or the first additional key, endpoint or alert; kept for 90 days, or as long as the operator set.',
        querystring: feedQuerySchema,
        response: { 200: feedSchema },
      },
    },
    async (request, reply) => {
      const { account } = request.principal;
      const question = readFeedQuery(request.query);
      const { type, limit, waitSeconds } = question;
      const after = question.after === null ? 0 : parseOwnNumber(question.after, account.id);
      if (after === null) throw new RequestRefused(notYours);
      const until = monotonicNow() + waitSeconds * 1_000;
      let mayWait = true;
      let hasWaited = false;
      for (let looked = after; ; ) {
        const found = await readFeed(database, { accountId: account.id, after: looked, type, limit });
        if (found.type === 'unknown') throw new RequestRefused(notYours);
        if (found.type === 'gone') {
          const oldest = found.oldest === null ? {} : { oldest: publicId(account.id, found.oldest) };
          throw new RequestRefused(refusal('events_gone', oldest));
        }
        const leftSeconds = (until - monotonicNow()) / 1_000;
        if (found.events.length > 0 || leftSeconds <= 0 || !mayWait || request.raw.destroyed) {
          refuseIf(hasWaited ? await stillProblem(request) : null);
          const last = found.lookedTo === 0 ? null : publicId(account.id, found.lookedTo);
          return reply.send({
            data: found.events.map(eventView),
            next_after: last,
            has_more: found.hasMore,
            last_id: found.lastNumber === 0 ? null : publicId(account.id, found.lastNumber),
          });
        }
        looked = found.lookedTo;
        hasWaited = true;
        mayWait = await eventWaits.wait(account.id, looked, leftSeconds);
      }
    },
  );

  app.get<{ Params: { id: string } }>(
    '/events/:id',
    {
      ...confirm,
      config: { scopes: ['events:read'], codes: ['event_not_found'] },
      schema: {
        operationId: 'getEvent',
        summary: 'One event',
        description: 'As the feed had it: what it shows of a customer or an order is as it was then.',
        response: { 200: eventAnswerSchema },
      },
    },
    async (request, reply) => {
      const { account } = request.principal;
      const number = parseOwnNumber(request.params.id, account.id);
      const event = orRefuse(
        number === null ? null : await findAccountEvent(database, account.id, number),
        'event_not_found',
      );
      return reply.send({ event: eventView(event) });
    },
  );
}
