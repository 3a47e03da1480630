import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { numberMax } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { findEntriesOfOrder } from '../ledger/find-entries.ts';
import { ledgerEntryView } from '../ledger/ledger-entry-view.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { readOrderCourse } from './order-course.ts';
import { orderWithEntriesSchema } from './order-panel-schemas.ts';
import type { OrderReads } from './order-reads.ts';
import { orderView } from './order-view.ts';

interface OrderPanelRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly orders: OrderReads;
  readonly packages: PackageCatalogHolder;
}

export function panelOrderRoutes(app: FastifyInstance, dependencies: OrderPanelRoutesDependencies): void {
  const { database, orders, packages, currency } = dependencies;

  app.get<{ Params: { id: string } }>(
    '/orders/:id',
    {
      config: { scopes: ['orders:read', 'ledger:read'], codes: ['order_not_found'] },
      schema: {
        operationId: 'getOrderWithEntries',
        summary: 'One order and its ledger entries',
        response: { 200: orderWithEntriesSchema },
      },
    },
    async ({ principal: { account }, params }, reply) => {
      const number = parseOwnNumber(params.id, account.id);
      const order = orRefuse(
        number === null ? null : await orders.find(account.id, number),
        'order_not_found',
      );
      const [entries, course] = await Promise.all([
        findEntriesOfOrder(database, account.id, order.number, numberMax),
        readOrderCourse(database, order),
      ]);
      return reply.send({
        order: orderView(order, packages.current(), currency),
        entries: entries.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency)),
        course,
      });
    },
  );
}
