// One customer of any account for the console: details, orders, plan history. Changes are in the administrator's API.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { numberMax, pageRows } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseRealOwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { listLoginLinks } from '../customer-portal/login-link-log.ts';
import { loginLinkView } from '../customer-portal/login-link-view.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { panelCustomerView } from '../customers/customer-view.ts';
import { findAccountNames } from '../identity/account-names.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { findOrders } from '../orders/list-orders.ts';
import { orderView } from '../orders/order-view.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { readHistory } from '../plans/plan-history-page.ts';
import { planHistoryQuerySchema, planHistorySchema } from '../plans/plan-schemas.ts';
import { customerOfAnyAccountSchema } from './overview-schemas.ts';

interface AnyCustomerRoutesDependencies {
  readonly currency: string;
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
  readonly seal: Seal;
}

export function anyCustomerRoutes(app: FastifyInstance, dependencies: AnyCustomerRoutesDependencies): void {
  const { database, seal, customers, packages, currency, now } = dependencies;

  app.get<WithId>(
    '/customers/:id',
    {
      config: { scopes: ['admin:read'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'getCustomerOfAnyAccount',
        summary: 'One customer of any account and their latest orders',
        response: { 200: customerOfAnyAccountSchema },
      },
    },
    async ({ params }, reply) => {
      const customer = orRefuse(await find(params.id), 'customer_not_found');
      const { accountId, number } = customer;
      const [{ orders }, names] = await Promise.all([
        findOrders(database, accountId, {
          from: 1,
          to: numberMax,
          customerNumber: number,
          kind: null,
          packageId: null,
          since: 0,
          until: now() + 1,
          limit: pageRows,
        }),
        findAccountNames(database, [accountId]),
      ]);
      const numbers = orders.map((order) => order.number);
      const links = await listLoginLinks(database, customer, numbers, now());
      return reply.send({
        customer: {
          ...panelCustomerView(customer, packages.current(), now()),
          account: { id: accountId, username: names.get(accountId) ?? '' },
        },
        orders: orders.map((order) => orderView(order, packages.current(), currency)),
        login_links: links.map((link) => loginLinkView(link, true)),
      });
    },
  );

  app.get<WithId>(
    '/customers/:id/history',
    {
      config: {
        scopes: ['admin:read'],
        codes: ['customer_not_found', 'invalid_filter', 'invalid_cursor'],
      },
      schema: {
        operationId: 'listPlanHistoryOfAnyAccount',
        summary: 'What happened to the plan of a customer of any account, newest first',
        querystring: planHistoryQuerySchema,
        response: { 200: planHistorySchema },
      },
    },
    async ({ params, query }, reply) => {
      const customer = orRefuse(await find(params.id), 'customer_not_found');
      const catalog = () => packages.current();
      const history = await readHistory({ database, seal, packages: catalog, currency }, customer, query);
      return reply.send(history);
    },
  );

  async function find(text: string): Promise<Customer | null> {
    const id = parseRealOwnedId(text);
    return id === null ? null : customers.find(id.accountId, id.number);
  }
}
