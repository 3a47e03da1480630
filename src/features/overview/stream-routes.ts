// The event stream of the pages: names of what changed, so that they need not poll.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRefusal } from '../../shared/error-catalog.ts';
import type { Scope } from '../../shared/scopes.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { Follower, PanelStreams } from './panel-streams.ts';
import { streamTopicsSchema, topicsOf } from './stream-schemas.ts';

interface StreamRoutesDependencies {
  readonly panelStreams: PanelStreams;
  readonly guard: Pick<Authenticator, 'authenticateAgain'>;
}

const streamType = 'text/event-stream';

export function streamRoutes(app: FastifyInstance, dependencies: StreamRoutesDependencies): void {
  app.get(
    '/stream',
    {
      config: { scopes: [], codes: [], hasView: true, isStream: true },
      schema: {
        operationId: 'followChanges',
        summary: 'Follow what changes',
        description:
          'With `Accept: text/event-stream`, a stream of events: `open`, then `changed` with the name of a topic as its data, and a comment after ten quiet seconds. It ends with the session and after 15 minutes. Otherwise the names of the topics.',
        response: { 200: streamTopicsSchema },
      },
    },
    (request, reply) => followChanges(dependencies, request, reply),
  );
}

async function followChanges(
  { panelStreams, guard }: StreamRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const topics = topicsOf(request.principal.scopes);
  if (request.headers.accept !== streamType) return reply.send({ topics: [...topics] });
  const stream = await panelStreams.open(followerOf(request, (again) => guard.authenticateAgain(again)));
  if (isRefusal(stream)) return reply.refuse(stream);
  const { socket } = request.raw;
  const leave = () => void stream.destroy();
  // The server keeps half-closed connections open (app.ts), but a page that closes its side has left.
  socket.once('end', leave);
  stream.once('close', () => socket.off('end', leave));
  // nginx would keep the events back.
  return reply.type(streamType).header('x-accel-buffering', 'no').send(stream);
}

function followerOf(
  request: FastifyRequest,
  authenticateAgain: (request: FastifyRequest) => ReturnType<Authenticator['authenticateAgain']>,
): Follower {
  const { account, actor } = request.principal;
  const rights = rightsOf(request.principal.scopes);
  let known = factsOf(request);
  return {
    accountId: account.id,
    sessionId: actor.type === 'person' ? actor.sessionId : '',
    topics: topicsOf(request.principal.scopes),
    async check() {
      const principal = await authenticateAgain(request);
      if (isRefusal(principal) || rightsOf(principal.scopes) !== rights) return null;
      const facts = factsOf(request);
      const before = known;
      known = facts;
      return (['account', 'person'] as const).filter((topic) => facts[topic] !== before[topic]);
    },
  };
}

const rightsOf = (scopes: ReadonlySet<Scope>) => [...scopes].sort().join();

/** What `/me` and `/person` show of the rows that every request reads. */
function factsOf({ principal, person, isTotpEnabled, session }: FastifyRequest) {
  const asText = (value: unknown) =>
    JSON.stringify(value, (_name, part) => (typeof part === 'bigint' ? `${part}` : part));
  return {
    account: asText([principal.account, person, isTotpEnabled]),
    person: asText([person, isTotpEnabled, session.confirmedAt]),
  };
}
