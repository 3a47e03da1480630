// POST /customers/{id}/erase, for the account and for the operator.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { type Refusal, refusal } from '../../shared/error-catalog.ts';
import { type OwnedId, parseOwnNumber, parseRealOwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { customerAnswerSchema } from '../customers/customer-schemas.ts';
import { customerView } from '../customers/customer-view.ts';
import { actorOf } from '../identity/principal.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import type { EraseOutcome } from './erase-customer.ts';
import { eraseOnceIdle } from './erase-once-idle.ts';
import { logErasure } from './log-erasure.ts';

interface EraseRoutesDependencies {
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly packages: () => PackageCatalog;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
}

const description =
  'The reference becomes erased-<id>, and the name, external_ref, former references and reasons are removed, also from events, kept request bodies and the audit log: from these within minutes. Orders, amounts and ids stay, and repeated requests are answered as before. The plan must have ended. Cannot be undone; erasing again changes nothing.';
const codes = ['customer_not_found', 'order_failed', 'reference_taken'] as const;

export function eraseRoutes(app: FastifyInstance, dependencies: EraseRoutesDependencies): void {
  app.post<WithId>(
    '/customers/:id/erase',
    {
      config: { scopes: ['customers:write'], codes: [...codes, 'reset_in_progress'] },
      schema: {
        operationId: 'eraseCustomer',
        summary: 'Erase a customer',
        description,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const { id: accountId } = request.principal.account;
      const number = orRefuse(parseOwnNumber(request.params.id, accountId), 'customer_not_found');
      return reply.send(await erase(dependencies, { accountId, number }, request));
    },
  );
}

export function eraseAdminRoutes(
  app: FastifyInstance,
  dependencies: Omit<EraseRoutesDependencies, 'packages'> & {
    readonly packages: { readonly current: () => PackageCatalog };
  },
): void {
  const packages = () => dependencies.packages.current();
  app.post<WithId>(
    '/customers/:id/erase',
    {
      config: { scopes: ['admin:accounts'], codes },
      schema: {
        operationId: 'eraseCustomerOfAccount',
        summary: 'Erase any customer',
        description,
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const place = orRefuse(parseRealOwnedId(request.params.id), 'customer_not_found');
      return reply.send(await erase({ ...dependencies, packages }, place, request));
    },
  );
}

async function erase(
  { packages, now: realNow, ...dependencies }: EraseRoutesDependencies,
  place: OwnedId,
  { principal, log }: Pick<FastifyRequest, 'principal' | 'log'>,
) {
  const { now, ...author } = actorOf(principal);
  const describe = (customer: Customer) => customerView(customer, packages(), now);
  const outcome = await eraseOnceIdle(
    dependencies,
    { ...place, isRepeated: false, describe },
    { ...author, byParty: place.accountId === principal.account.id ? 'account' : 'operator' },
    { now, realNow: realNow() },
  );
  if (outcome.type !== 'erased') throw new RequestRefused(refusalOf(outcome));
  if (outcome.isNew) logErasure(log, outcome.customer);
  return { customer: describe(outcome.customer) };
}

function refusalOf({ type }: Exclude<EraseOutcome, { readonly type: 'erased' }>): Refusal {
  switch (type) {
    case 'order_pending':
    case 'plan_running':
      return refusal('order_failed', { reason: type });
    case 'renews_itself':
      return refusal('service_unavailable');
    default:
      return refusal(type);
  }
}
