// One customer of any account, for the console: who they are, what was ordered for them, what happened to their plan. What an
// administrator does to them are routes of the administrator's API.

import type { FastifyInstance } from 'fastify';
import { isRefusal, refusal } from '../../contract/error-catalogue.ts';
import { parseRealOwnedId } from '../../contract/identifiers.ts';
import { customerOfAnyAccountSchema } from '../../contract/panel-schemas.ts';
import { planHistoryQuerySchema, planHistorySchema } from '../../contract/plan-schemas.ts';
import { findAccountNames } from '../../database/account-names.ts';
import { listLoginLinks } from '../../identity/login-link-log.ts';
import { findOrders } from '../../orders/order-search.ts';
import type { Customer } from '../../plans/customer-table.ts';
import type { WithId } from '../admin/admin-routes.ts';
import { readHistory } from '../reseller/plan-history-routes.ts';
import { numberMax, pageRows } from '../shapes/list-filters.ts';
import { loginLinkView } from '../shapes/login-link-view.ts';
import { orderView } from '../shapes/order-view.ts';
import { panelCustomerView } from './overview-routes.ts';
import type { PanelDependencies } from './panel-routes.ts';

export function anyCustomerRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
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
      const customer = await find(params.id);
      if (customer === null) return reply.refuse(refusal('customer_not_found'));
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
      const customer = await find(params.id);
      if (customer === null) return reply.refuse(refusal('customer_not_found'));
      const catalog = () => packages.current();
      const history = await readHistory({ database, seal, packages: catalog, currency }, customer, query);
      return isRefusal(history) ? reply.refuse(history) : reply.send(history);
    },
  );

  async function find(text: string): Promise<Customer | null> {
    const id = parseRealOwnedId(text);
    return id === null ? null : customers.find(id.accountId, id.number);
  }
}
