import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { ranked } from '../../platform/database/database.ts';
import { orRefuse, refuseIf } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { Refusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { resetApiKey } from '../accounts/account-store.ts';
import type { SessionStore } from '../auth/session-store.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { actorOf, administratorProblem, type Principal } from '../identity/principal.ts';
import { endedSessionsSchema, newKeySchema } from './key-schemas.ts';

interface AccountAccessRoutesDependencies {
  readonly database: Database;
  readonly forgetAccount: (accountId: number) => void;
  readonly seal: Seal;
  readonly sessions: SessionStore;
}

export function accountAccessRoutes(
  app: FastifyInstance,
  { database, seal, sessions, forgetAccount }: AccountAccessRoutesDependencies,
): void {
  const lookups = ranked(database, 'lookups');

  app.post<WithId>(
    '/accounts/:id/api-key',
    {
      config: {
        scopes: ['admin:accounts'],
        codes: ['account_not_found', 'account_closed'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'resetApiKey',
        summary: 'Replace the API key',
        description: 'The old key is revoked at once.',
        response: { 201: newKeySchema },
      },
    },
    async (request, reply) => {
      const id = parseAccountId(request.params.id);
      refuseIf(await accessProblem(request.principal, id));
      const caller = actorOf(request.principal, ['admin:accounts']);
      const known = orRefuse(id, 'account_not_found');
      const done = orRefuse(await resetApiKey(database, seal, known, caller), 'account_not_found');
      forgetAccount(known);
      return reply.code(201).send({ api_key: done.apiKey });
    },
  );

  app.post<WithId>(
    '/accounts/:id/end-sessions',
    {
      config: { scopes: ['admin:accounts'], codes: ['account_not_found'] },
      schema: {
        operationId: 'endAccountSessions',
        summary: 'End all sessions of an account',
        description: 'Ends all sessions of the account’s panel. Its password and its key stay.',
        response: { 200: endedSessionsSchema },
      },
    },
    async (request, reply) => {
      const id = parseAccountId(request.params.id);
      refuseIf(await accessProblem(request.principal, id));
      const ended = orRefuse(
        id === null ? null : await sessions.endAll(id, actorOf(request.principal)),
        'account_not_found',
      );
      return reply.send({ ended });
    },
  );

  async function accessProblem(principal: Principal, id: number | null): Promise<Refusal | null> {
    const account = id === null ? null : await findAccount(lookups, id);
    return account === null ? null : administratorProblem(principal, account);
  }
}
