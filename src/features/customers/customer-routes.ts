// GET /customers/{id}. Lists are in customer-list-routes.ts.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import type { CustomerReads } from './customer-reads.ts';
import { customerAnswerSchema } from './customer-schemas.ts';
import { customerView } from './customer-view.ts';

export interface CustomerRoutesDependencies {
  readonly customers: CustomerReads;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
}

export function customerRoutes(
  app: FastifyInstance,
  { customers, confirm, packages }: CustomerRoutesDependencies,
): void {
  app.get<{ Params: { id: string } }>(
    '/customers/:id',
    {
      ...confirm,
      config: { scopes: ['customers:read'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'getCustomer',
        summary: 'One customer',
        description:
          'With the plan as it stands now. Another account’s customer gets the same answer as one that does not exist.',
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const { account, now } = request.principal;
      const number = parseOwnNumber(request.params.id, account.id);
      const customer = orRefuse(
        number === null ? null : await customers.find(account.id, number),
        'customer_not_found',
      );
      return reply.send({ customer: customerView(customer, packages(), now()) });
    },
  );
}
