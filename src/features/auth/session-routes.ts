import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import { plainAddress } from '../../shared/ip-addresses.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { formatTime } from '../../shared/times.ts';
import type { SessionStore } from './session-store.ts';
import { sessionExpiry, sessionId } from './session-store.ts';
import { sessionListSchema } from './sign-in-schemas.ts';

interface SessionRoutesDependencies {
  readonly now: () => EpochSeconds;
  readonly sessions: SessionStore;
}

const noContent = { 204: { type: 'null' } };

export function sessionRoutes(app: FastifyInstance, dependencies: SessionRoutesDependencies): void {
  const { sessions } = dependencies;

  app.get(
    '/sessions',
    {
      config: { scopes: [], codes: [] },
      schema: {
        operationId: 'listSessions',
        summary: 'Sessions, the most recently used first',
        response: { 200: sessionListSchema },
      },
    },
    (request, reply) => listSessions(dependencies, request, reply),
  );

  app.delete<{ Params: { id: string } }>(
    '/sessions/:id',
    {
      config: { scopes: [], codes: ['session_not_found'] },
      schema: { operationId: 'endSession', summary: 'End a session', response: noContent },
    },
    async (request, reply) => {
      const ended = await sessions.endById(request.person.id, request.params.id);
      if (!ended) throw new RequestRefused('session_not_found');
      return reply.code(204).send();
    },
  );

  app.delete(
    '/sessions',
    {
      config: { scopes: [], codes: [] },
      schema: { operationId: 'endOtherSessions', summary: 'End all other sessions', response: noContent },
    },
    async (request, reply) => {
      await sessions.endOthers(request.session);
      return reply.code(204).send();
    },
  );
}

async function listSessions(
  { sessions, now }: SessionRoutesDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const list = await sessions.list(request.person.id, now());
  const data = list.map((session) => ({
    id: sessionId(session),
    created_at: formatTime(session.createdAt),
    last_seen_at: formatTime(session.lastSeenAt),
    expires_at: formatTime(sessionExpiry(session, sessions.limits)),
    address: plainAddress(session.address),
    user_agent: session.userAgent,
    current: session.tokenHash === request.session.tokenHash,
  }));
  return reply.send({ data });
}
