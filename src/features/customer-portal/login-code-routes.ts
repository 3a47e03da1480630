// POST /login-codes/exchange, for the product, and the older route for administrators.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Database, ranked } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { isToken } from '../../platform/secrets/one-time-token.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { customerAnswerSchema } from '../customers/customer-schemas.ts';
import { customerView } from '../customers/customer-view.ts';
import type { KeyMode } from '../identity/api-key.ts';
import { findAccount } from '../identity/find-accounts.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import type { PackageCatalog, PackageCatalogHolder } from '../packages/package-catalog.ts';
import { exchangeCodeBodySchema } from './login-code-schemas.ts';
import { exchangeCode } from './login-links.ts';

export interface LoginCodeRoutesDependencies {
  readonly database: Database;
  readonly customers: CustomerReads;
  readonly packages: () => PackageCatalog;
  readonly now: () => EpochSeconds;
}

export function loginCodeRoutes(
  app: FastifyInstance,
  { database, customers, packages, now }: LoginCodeRoutesDependencies,
): void {
  app.post(
    '/login-codes/exchange',
    {
      config: { scopes: ['product'], codes: ['validation_failed', 'customer_not_found'] },
      schema: {
        operationId: 'exchangeCodeForCustomer',
        summary: 'The customer behind a one-time login code',
        description:
          'For the product at PRODUCT_URL, which a customer who used a login link opened with ?code=…. A code works once, within a minute. A customer who was suspended since is not let in: there is no such customer then.',
        body: exchangeCodeBodySchema,
        response: { 200: customerAnswerSchema },
      },
    },
    exchangeHandler({ database, customers, packages, now }),
  );
}

/** Test codes work only with test keys, and live codes only with live keys. */
function exchangeHandler({ database, customers, packages, now }: LoginCodeRoutesDependencies) {
  return async (
    request: FastifyRequest<WithBody<typeof exchangeCodeBodySchema>>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { mode } = request.principal;
    const customer = orRefuse(
      await findCodeHolder({ database, customers, now }, request.body.code, mode),
      'customer_not_found',
    );
    const { accountId } = customer;
    const testClock = mode === 'test' ? (await findAccount(database, accountId))?.testClock : null;
    return reply.send({ customer: customerView(customer, packages(), testClock ?? now()) });
  };
}

async function findCodeHolder(
  { database, customers, now }: Pick<LoginCodeRoutesDependencies, 'database' | 'customers' | 'now'>,
  code: string,
  mode: KeyMode,
): Promise<Customer | null> {
  const found = isToken(code) ? await exchangeCode(ranked(database, 'lookups'), code, mode, now()) : null;
  return found && customers.find(found.accountId, found.customerNumber);
}

interface LoginCodeAdminRoutesDependencies {
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
}

export function loginCodeAdminRoutes(
  app: FastifyInstance,
  { customers, database, now, packages }: LoginCodeAdminRoutesDependencies,
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
}
