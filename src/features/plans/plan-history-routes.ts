// GET /customers/{id}/history: the plan's history, newest first, with cursors.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { readHistory } from './plan-history-page.ts';
import { planHistoryQuerySchema, planHistorySchema } from './plan-schemas.ts';

export interface PlanHistoryRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly customers: CustomerReads;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
  readonly currency: string;
}

export function planHistoryRoutes(app: FastifyInstance, dependencies: PlanHistoryRoutesDependencies): void {
  const { customers, confirm } = dependencies;

  app.get<{ Params: { id: string } }>(
    '/customers/:id/history',
    {
      ...confirm,
      config: {
        scopes: ['customers:read'],
        codes: ['customer_not_found', 'invalid_filter', 'invalid_cursor'],
      },
      schema: {
        operationId: 'listPlanHistory',
        summary: 'What happened to a plan, newest first',
        description:
          'Orders and everything else: when, by whom, and the plan right before and after. Together they explain the plan as it is.',
        querystring: planHistoryQuerySchema,
        response: { 200: planHistorySchema },
      },
    },
    async (request, reply) => {
      const { account } = request.principal;
      const number = parseOwnNumber(request.params.id, account.id);
      const customer = orRefuse(
        number === null ? null : await customers.find(account.id, number),
        'customer_not_found',
      );
      const history = await readHistory(dependencies, customer, request.query);
      return reply.send(history);
    },
  );
}
