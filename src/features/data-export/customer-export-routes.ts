// GET /customers/{id}/export, for the account and for the operator: a file with everything about one customer.

import type { FastifyInstance, FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import { type OwnedId, parseOwnNumber, parseRealOwnedId, publicId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import type { Account } from '../identity/account-table.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { customerExport } from './customer-export.ts';
import { customerExportSchema, operatorsCustomerExportSchema } from './customer-export-schemas.ts';

interface CustomerExportRoutesDependencies {
  readonly currency: string;
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly exports: PerAccountConcurrency;
  readonly packages: PackageCatalogHolder;
}

export function customerExportRoutes(
  app: FastifyInstance,
  dependencies: CustomerExportRoutesDependencies,
  confirm: { readonly preHandler: preHandlerAsyncHookHandler },
): void {
  app.get<WithId>(
    '/customers/:id/export',
    {
      ...confirm,
      config: {
        scopes: ['customers:read', 'orders:read', 'ledger:read', 'events:read'],
        codes: ['customer_not_found'],
      },
      schema: {
        operationId: 'exportCustomer',
        summary: 'Everything about a customer, as one file',
        description:
          'For a customer who asks which data you have. Also of an erased customer: what is left. The request log and answers of your endpoints are not in it: they are deleted after days. An account can have two exports at once.',
        response: { 200: customerExportSchema },
      },
    },
    async (request, reply) => {
      const { account, now } = request.principal;
      const number = orRefuse(parseOwnNumber(request.params.id, account.id), 'customer_not_found');
      const wanted = { account, place: { accountId: account.id, number }, now: now(), isForOperator: false };
      return send(dependencies, wanted, request, reply);
    },
  );
}

export function customerExportAdminRoutes(
  app: FastifyInstance,
  dependencies: CustomerExportRoutesDependencies & { readonly now: () => EpochSeconds },
): void {
  const { database, now } = dependencies;
  app.get<WithId>(
    '/customers/:id/export',
    {
      config: { scopes: ['admin:read'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'exportCustomerOfAccount',
        summary: 'Everything about any customer, as one file',
        description:
          'What the account gets, and the calls to the product and the entries of the audit log about the customer.',
        response: { 200: operatorsCustomerExportSchema },
      },
    },
    async (request, reply) => {
      const place = orRefuse(parseRealOwnedId(request.params.id), 'customer_not_found');
      const account = orRefuse(await findAccount(database, place.accountId), 'customer_not_found');
      return send(dependencies, { account, place, now: now(), isForOperator: true }, request, reply);
    },
  );
}

async function send(
  { currency, customers, database, exports, packages }: CustomerExportRoutesDependencies,
  wanted: {
    readonly account: Account;
    readonly place: OwnedId;
    readonly now: EpochSeconds;
    readonly isForOperator: boolean;
  },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { account, place, now, isForOperator } = wanted;
  const customer = orRefuse(await customers.find(place.accountId, place.number), 'customer_not_found');
  const chunks = customerExport(database, {
    ...{ account, customer, packages: packages.current(), currency, now, isForOperator },
  });
  const name = `customer-${publicId(place.accountId, place.number)}`;
  return sendExport(reply, { exports, accountId: concurrencyOf(request) }, 'file', name, chunks);
}
