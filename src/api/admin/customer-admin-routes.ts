// Customers, of whichever account: whether one may log in, and who is behind a login code that came to the product.
// Called by admin-routes.ts.

import type { FastifyInstance } from 'fastify';
import { changeCustomerBodySchema, exchangeCodeBodySchema } from '../../contract/admin-schemas.ts';
import { customerAnswerSchema } from '../../contract/customer-schemas.ts';
import { isRefusal, refusal } from '../../contract/error-catalogue.ts';
import { parseRealOwnedId } from '../../contract/identifiers.ts';
import { createBodyReader } from '../../http/body-reader.ts';
import { exchangeHandler } from '../product/login-code-routes.ts';
import { customerView } from '../shapes/customer-view.ts';
import type { AdminRoutesDependencies, WithId } from './admin-routes.ts';

const readCustomerChange = createBodyReader(changeCustomerBodySchema);

export function customerAdminRoutes(
  app: FastifyInstance,
  { database, engine, customers, packages, now }: AdminRoutesDependencies,
): void {
  app.post(
    '/login-codes/exchange',
    {
      config: { scopes: ['product'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'exchangeLoginCode',
        summary: 'The customer behind a one-time login code',
        description:
          'For the product at PRODUCT_URL, which a customer who used a login link opened with ?code=…. A code works once, within a minute. A customer who was suspended since is not let in: there is no such customer then.',
        body: exchangeCodeBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    exchangeHandler({ database, customers, packages: () => packages.current(), now }),
  );

  app.patch<WithId>(
    '/customers/:id',
    {
      config: { scopes: ['admin:accounts'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'changeCustomer',
        summary: 'Suspend a customer, or lift the suspension',
        description:
          'A suspended customer cannot log in: not by a link, nor by a code that was handed out before. Whether the plan is running is another matter: see plan.active.',
        body: changeCustomerBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const body = readCustomerChange(request.body);
      if (isRefusal(body)) return reply.refuse(body);
      const id = parseRealOwnedId(request.params.id);
      if (id === null) return reply.refuse(refusal('customer_not_found'));
      const outcome = await engine.submit({
        type: 'set_status',
        accountId: id.accountId,
        actorId: request.principal.account.id,
        by: request.principal.actor,
        customerNumber: id.number,
        status: body.status,
      });
      // An account that does not exist has no customer either.
      const changed = outcome.type === 'status_set' ? await customers.find(id.accountId, id.number) : null;
      if (changed === null) return reply.refuse(refusal('customer_not_found'));
      return reply.send({ customer: customerView(changed, packages.current(), now()) });
    },
  );
}
