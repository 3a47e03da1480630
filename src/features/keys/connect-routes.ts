// A test key for the page "Connect", without asking for the password: it spends nothing.

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, refuseIf } from '../../platform/http/request-refused.ts';
import type { RateLimiter } from '../../platform/limits/rate-limiter.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { actorOf } from '../identity/principal.ts';
import { createKey, type NewKey } from './manage-keys.ts';

interface ConnectRoutesDependencies {
  readonly database: Database;
  readonly limiter: RateLimiter;
  readonly seal: Seal;
}

const testKeySchema = Type.Object({
  api_key: Type.String({ description: 'It is not shown again.' }),
});

const settings: NewKey = {
  name: 'Connect',
  mode: 'test',
  scopes: null,
  allowedIps: [],
  rateLimitPerMinute: null,
  expiresAt: null,
};

export function connectRoutes(
  app: FastifyInstance,
  { database, seal, limiter }: ConnectRoutesDependencies,
): void {
  app.post(
    '/connect/test-key',
    {
      config: { scopes: ['keys:write'], codes: ['too_many_keys', 'account_not_found'] },
      schema: {
        operationId: 'createConnectTestKey',
        summary: 'Create a test key to try the API with',
        description:
          'Named Connect, with every scope of the test account. It spends nothing, so no password is asked.',
        response: { 201: testKeySchema },
      },
    },
    async (request, reply) => {
      refuseIf(await limiter.admitAccessChange(request.person.id, 'grant', reply));
      const { now, ...author } = actorOf(request.principal, ['keys:write']);
      const asked = { accountId: request.principal.account.id, idempotencyKey: null, author, now };
      const made = orRefuse(await createKey(database, seal, settings, asked));
      return reply.code(201).send({ api_key: made.result.apiKey ?? '' });
    },
  );
}
