// Begins and ends an administrator's read-only view of a reseller's panel. The view uses the panel's own routes, through the
// session guard (docs/decisions/0052-view-as-reseller.md).

import type { FastifyInstance } from 'fastify';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { formatTime } from '../../shared/times.ts';
import { actorOf } from '../identity/principal.ts';
import type { AccountViews } from './account-views.ts';
import { begunViewSchema } from './sign-in-schemas.ts';

interface AccountViewRoutesDependencies {
  readonly views: AccountViews;
}

export function accountViewRoutes(app: FastifyInstance, { views }: AccountViewRoutesDependencies): void {
  app.post<WithId>(
    '/accounts/:id/view',
    {
      config: { scopes: ['admin:read'], codes: ['account_not_found'] },
      schema: {
        operationId: 'beginAccountView',
        summary: 'Look at the panel of an account, read only',
        description:
          'For an hour, this session alone: what it sends with x-view-account is answered as the owner of the account sees it. No administrator’s account is looked at.',
        response: { 201: begunViewSchema },
      },
    },
    async (request, reply) => {
      const until = orRefuse(
        await views.begin(request.session, request.params.id, actorOf(request.principal)),
      );
      return reply.code(201).send({ until: formatTime(until) });
    },
  );

  app.delete<WithId>(
    '/accounts/:id/view',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'endAccountView',
        summary: 'Stop viewing the account',
        response: { 204: { type: 'null' } },
      },
    },
    async (request, reply) => {
      await views.end(request.session, request.params.id);
      return reply.code(204).send();
    },
  );
}
