import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { numberMax } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { findEntriesOfOrder } from '../ledger/find-entries.ts';
import { ledgerEntryView } from '../ledger/ledger-entry-view.ts';
import { type FindPlacingRequest, readOrderCourse } from './order-course.ts';
import { orderWithEntriesSchema } from './order-panel-schemas.ts';
import type { OrderReads } from './order-reads.ts';
import { type PanelOrderDependencies, panelOrderView } from './order-view.ts';

interface OrderPanelRoutesDependencies extends PanelOrderDependencies {
  readonly database: Database;
  readonly findPlacingRequest: FindPlacingRequest;
  readonly orders: OrderReads;
}

export function panelOrderRoutes(app: FastifyInstance, dependencies: OrderPanelRoutesDependencies): void {
  const { database, findPlacingRequest, orders, currency } = dependencies;

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
    async ({ principal: { account, scopes }, params }, reply) => {
      const number = parseOwnNumber(params.id, account.id);
      const order = orRefuse(
        number === null ? null : await orders.find(account.id, number),
        'order_not_found',
      );
      const [view, entries, course] = await Promise.all([
        panelOrderView(order, dependencies),
        findEntriesOfOrder(database, account.id, order.number, numberMax),
        readOrderCourse(
          { database, findPlacingRequest: scopes.has('keys:read') ? findPlacingRequest : null },
          order,
        ),
      ]);
      return reply.send({
        order: view,
        entries: entries.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency)),
        course,
      });
    },
  );
}
