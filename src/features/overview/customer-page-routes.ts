// One of the account's customers for the panel, with orders and login links. customer-list-routes.ts lists customers.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { numberMax, pageRows } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import { formatTime } from '../../shared/times.ts';
import { listLoginLinks } from '../customer-portal/login-link-log.ts';
import { loginLinkView } from '../customer-portal/login-link-view.ts';
import { createLoginLink } from '../customer-portal/login-links.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { madeLoginLinkSchema } from '../customers/customer-schemas.ts';
import { sumCustomerSpending } from '../customers/customer-spending.ts';
import { panelCustomerView } from '../customers/customer-view.ts';
import { findLastOrderNumber } from '../customers/find-customer.ts';
import { actorOf } from '../identity/principal.ts';
import { orderStatus } from '../order-engine/records/order-table.ts';
import { findOrders } from '../orders/list-orders.ts';
import { orderView } from '../orders/order-view.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { customerWithOrdersSchema } from './overview-schemas.ts';

interface CustomerPageRoutesDependencies {
  readonly currency: string;
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly linkValidSeconds: number;
  readonly packages: PackageCatalogHolder;
  readonly publicUrl: () => string;
}

export function panelCustomerRoutes(
  app: FastifyInstance,
  dependencies: CustomerPageRoutesDependencies,
): void {
  const { database, customers, packages, publicUrl, linkValidSeconds, currency } = dependencies;

  app.get<WithId>(
    '/customers/:id',
    {
      config: { scopes: ['customers:read', 'orders:read'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'getCustomerWithOrders',
        summary: 'One customer and their latest orders',
        response: { 200: customerWithOrdersSchema },
      },
    },
    async ({ principal: { account, now }, params }, reply) => {
      const number = parseOwnNumber(params.id, account.id);
      const customer = orRefuse(
        number === null ? null : await customers.find(account.id, number),
        'customer_not_found',
      );
      const { orders } = await findOrders(database, account.id, {
        from: 1,
        to: numberMax,
        customerNumber: customer.number,
        kind: null,
        packageId: null,
        since: 0,
        until: now() + 1,
        limit: pageRows,
      });
      // The order to renew. A failed order never became the customer's plan.
      const last = orders.find((order) => orderStatus(order) === 'completed');
      const numbers = orders.map((order) => order.number);
      const [links, spending] = await Promise.all([
        listLoginLinks(database, customer, numbers, now()),
        sumCustomerSpending(database, customer),
      ]);
      return reply.send({
        customer: panelCustomerView(customer, packages.current(), now()),
        suspended: customer.suspended,
        order_pending: customer.pendingOrder !== null,
        orders: orders.map((order) => orderView(order, packages.current(), currency)),
        last_order_id: last === undefined ? null : publicId(account.id, last.number),
        login_links: links.map((link) => loginLinkView(link, false)),
        spending: spending && { orders: spending.orders, total: formatAmount(spending.cents) },
      });
    },
  );

  app.post<WithId>(
    '/customers/:id/login-link',
    {
      config: { scopes: ['customers:write'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'createLoginLink',
        summary: 'A new login link for the customer',
        description:
          'Belongs to the customer’s last order, or to the trial if there is none; earlier unused links of that order or trial die.',
        response: { 201: madeLoginLinkSchema },
      },
    },
    async ({ principal, params }, reply) => {
      const { account, now } = principal;
      const number = parseOwnNumber(params.id, account.id);
      const customer = orRefuse(
        number === null ? null : await customers.find(account.id, number),
        'customer_not_found',
      );
      const orderNumber = (await findLastOrderNumber(database, customer)) ?? 0;
      const at = now();
      const order = { accountId: account.id, customerNumber: customer.number, number: orderNumber };
      const { by = null } = actorOf(principal);
      const maker = { by, isOperator: false };
      const token = await createLoginLink(database, order, linkValidSeconds, at, maker);
      return reply.code(201).send({
        login_url: `${publicUrl()}/login/${token}`,
        expires_at: formatTime(at + linkValidSeconds),
      });
    },
  );
}
