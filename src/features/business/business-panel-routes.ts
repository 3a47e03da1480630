// The console's accounts by MRR or by the day on which they run out: the administrators' list, with who is blocked.

import type { FastifyInstance } from 'fastify';
import { readQuery } from '../../platform/http/list-query.ts';
import { listedAccountsQuerySchema, listedAccountsSchema } from './business-panel-schemas.ts';
import { type AccountListDependencies, readAccountSort, readListedAccounts } from './business-routes.ts';
import { accountView } from './business-view.ts';

interface BusinessPanelRoutesDependencies extends AccountListDependencies {
  readonly currency: string;
}

export function businessPanelRoutes(
  app: FastifyInstance,
  dependencies: BusinessPanelRoutesDependencies,
): void {
  app.get(
    '/business-accounts',
    {
      config: { scopes: ['admin:read'], codes: ['invalid_filter'] },
      schema: {
        operationId: 'listAccountsByBusiness',
        summary: 'The first 100 accounts by MRR, or by the day on which their balance runs out',
        querystring: listedAccountsQuerySchema,
        response: { 200: listedAccountsSchema },
      },
    },
    async ({ query }, reply) => {
      const by = readQuery(query, readAccountSort, 'invalid_filter');
      const { today, isReady, found } = await readListedAccounts(dependencies, by);
      return reply.send({
        as_of: today,
        ready: isReady,
        currency: dependencies.currency,
        accounts: found.map((one) => ({ ...accountView(one), blocked: one.isBlocked })),
      });
    },
  );
}
