// The sign-in page of a demo on this machine: one press instead of a password. Only a service that began as a demo has these
// routes (src/setup/demo-visitors.ts).
// Invariant: without a demo's marker in the database, or for a request that may come from elsewhere, they do not exist.

import type { FastifyInstance } from 'fastify';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { beginSession } from './begin-session.ts';
import { isDirectChange } from './direct-visit.ts';
import type { KnownAddresses } from './known-addresses.ts';
import type { LookAround } from './look-around.ts';
import type { SessionGuard } from './session-auth.ts';
import type { SessionStore } from './session-store.ts';
import type { SignInLog } from './sign-in-log.ts';
import { lookAroundAnswerSchema, lookAroundBodySchema } from './sign-in-schemas.ts';

interface LookAroundRoutesDependencies {
  readonly guard: SessionGuard;
  readonly knownAddresses: KnownAddresses;
  readonly now: () => EpochSeconds;
  readonly sessions: SessionStore;
  readonly signIns: SignInLog;
}

export function lookAroundRoutes(
  app: FastifyInstance,
  lookAround: LookAround,
  dependencies: LookAroundRoutesDependencies,
): void {
  app.post<WithBody<typeof lookAroundBodySchema>>(
    '/look-around',
    {
      config: { scopes: [], codes: ['validation_failed', 'not_found'] },
      schema: {
        operationId: 'lookAround',
        summary: 'Enter a demo without a password',
        body: lookAroundBodySchema,
        response: { 200: lookAroundAnswerSchema },
      },
    },
    async (request, reply) => {
      if (!isDirectChange(request) || (await lookAround.state()) !== 'ready')
        throw new RequestRefused('not_found');
      const { role } = request.body;
      if (role === 'customer') {
        const path = await lookAround.customerPath();
        if (path === null) throw new RequestRefused('not_found');
        return reply.send({ path });
      }
      const found = await lookAround.find(role);
      if (found === null || found.account.blocked) throw new RequestRefused('not_found');
      await beginSession(dependencies, request, reply, found);
      return reply.send({ path: role === 'operator' ? '/panel/admin' : '/panel/' });
    },
  );
}
