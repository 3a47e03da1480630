// What lets into an account, taken away by an administrator: its key, which is replaced, and its sessions in the panel.
// Called by admin-routes.ts.

import type { FastifyInstance } from 'fastify';
import { resetApiKey } from '../../accounts/account-store.ts';
import { actorOf } from '../../accounts/principal.ts';
import { endedSessionsSchema, newKeySchema } from '../../contract/admin-schemas.ts';
import { refusal } from '../../contract/error-catalogue.ts';
import { parseRowId } from '../../contract/identifiers.ts';
import type { AdminRoutesDependencies, WithId } from './admin-routes.ts';

export function accountAccessRoutes(
  app: FastifyInstance,
  { database, seal, sessions, forgetAccount }: AdminRoutesDependencies,
): void {
  app.post<WithId>(
    '/accounts/:id/api-key',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['account_not_found'],
        danger: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'resetApiKey',
        summary: 'Replace the API key',
        description: 'The old key is revoked at once.',
        response: { 201: newKeySchema },
      },
    },
    async (request, reply) => {
      const id = parseRowId(request.params.id);
      const key = id === null ? null : await resetApiKey(database, seal, id, actorOf(request.principal));
      if (id === null || key === null) return reply.refuse(refusal('account_not_found'));
      forgetAccount(id);
      return reply.code(201).send({ api_key: key });
    },
  );

  app.post<WithId>(
    '/accounts/:id/end-sessions',
    {
      config: { scopes: ['admin:accounts'], codes: ['account_not_found'] },
      schema: {
        operationId: 'endAccountSessions',
        summary: 'End all sessions of an account',
        description: 'Whoever is signed in to its panel has to sign in again. Its password and its key stay.',
        response: { 200: endedSessionsSchema },
      },
    },
    async (request, reply) => {
      const id = parseRowId(request.params.id);
      const ended = id === null ? null : await sessions.endAll(id, actorOf(request.principal));
      if (ended === null) return reply.refuse(refusal('account_not_found'));
      return reply.send({ ended });
    },
  );
}
