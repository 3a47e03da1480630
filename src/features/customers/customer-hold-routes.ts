import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithBody, WithId } from '../../platform/http/route-params.ts';
import { parseRealOwnedId } from '../../shared/identifiers.ts';
import { parseReason } from '../../shared/parse-reason.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { ListOwner } from '../identity/account-lists.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { panelChangeCustomerBodySchema } from './customer-panel-schemas.ts';
import type { CustomerReads } from './customer-reads.ts';
import { changeCustomerBodySchema, customerAnswerSchema } from './customer-schemas.ts';
import { customerView } from './customer-view.ts';

interface CustomerHoldRoutesDependencies {
  readonly customers: CustomerReads;
  readonly engine: OrderEngine;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
}

/** The panel's pages also send a reason, which only the audit log keeps. */
export function customerHoldRoutes(
  app: FastifyInstance,
  dependencies: CustomerHoldRoutesDependencies,
  { isForPages }: Pick<ListOwner, 'isForPages'>,
): void {
  app.patch<WithId & WithBody<typeof changeCustomerBodySchema>>(
    '/customers/:id',
    {
      config: { scopes: ['admin:accounts'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'changeCustomer',
        summary: 'Suspend a customer, or lift the suspension',
        description:
          'A suspended customer cannot log in: not by a link, nor by a code that was handed out before. Whether the plan is running is another matter: see plan.active.',
        body: isForPages ? panelChangeCustomerBodySchema : changeCustomerBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    (request, reply) => changeCustomer(dependencies, isForPages, request, reply),
  );
}

async function changeCustomer(
  { engine, customers, packages, now }: CustomerHoldRoutesDependencies,
  isForPages: boolean,
  request: FastifyRequest<WithId & WithBody<typeof changeCustomerBodySchema>>,
  reply: FastifyReply,
) {
  const { body } = request;
  const reason = isForPages ? orRefuse(parseReason(body)) : null;
  const id = orRefuse(parseRealOwnedId(request.params.id), 'customer_not_found');
  const outcome = await engine.submit({
    type: 'set_status',
    accountId: id.accountId,
    actorId: request.principal.account.id,
    by: request.principal.actor,
    customerNumber: id.number,
    status: body.status,
    reason,
  });
  const changed = orRefuse(
    outcome.type === 'status_set' ? await customers.find(id.accountId, id.number) : null,
    'customer_not_found',
  );
  return reply.send({ customer: customerView(changed, packages.current(), now()) });
}
