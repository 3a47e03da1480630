// GET /customers, GET /customers/{id}.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { PackageCatalog } from '../../catalog/package-catalog.ts';
import { refusal } from '../../contract/error-catalogue.ts';
import { parseOwnNumber } from '../../contract/identifiers.ts';
import { pageAnswer, parsePage } from '../../contract/pages.ts';
import { customerAnswerSchema, pageOf, pageQuerySchema } from '../../contract/schemas.ts';
import type { CustomerReads } from '../../plans/customer-store.ts';
import { customerView } from '../shapes/customer-view.ts';

export interface CustomerRoutesDependencies {
  readonly customers: CustomerReads;
  /** Options of a route that reads: see api/doors/key-door.ts. */
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
}

export function customerRoutes(
  app: FastifyInstance,
  { customers, confirm, packages }: CustomerRoutesDependencies,
): void {
  app.get(
    '/customers',
    {
      ...confirm,
      config: { scopes: ['customers:read'], codes: [] },
      schema: {
        operationId: 'listCustomers',
        summary: 'Customers, newest first',
        description: 'Your own, page by page. A page past the end has no data.',
        querystring: pageQuerySchema,
        response: { 200: pageOf('Customer') },
      },
    },
    async (request, reply) => {
      const { account, now } = request.principal;
      const page = parsePage(request.query);
      const { customerCount: total } = request.counters;
      const list = await customers.list(account.id, page, total);
      const data = list.map((customer) => customerView(customer, packages(), now()));
      return reply.send(pageAnswer(data, page, total));
    },
  );

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
      const customer = number === null ? null : await customers.find(account.id, number);
      if (customer === null) return reply.refuse(refusal('customer_not_found'));
      return reply.send({ customer: customerView(customer, packages(), now()) });
    },
  );
}
