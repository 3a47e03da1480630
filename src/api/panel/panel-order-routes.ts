// One of the account's orders as the panel looks at it: with its ledger entries. Their list is panel-order-list.ts; orders are
// previewed and placed by the API's own routes.

import type { FastifyInstance } from 'fastify';
import { refusal } from '../../contract/error-catalogue.ts';
import { parseOwnNumber } from '../../contract/identifiers.ts';
import { orderWithEntriesSchema } from '../../contract/panel-schemas.ts';
import { findEntriesOfOrder } from '../../ledger/ledger-search.ts';
import { ledgerEntryView } from '../shapes/ledger-entry-view.ts';
import { numberMax } from '../shapes/list-filters.ts';
import { orderView } from '../shapes/order-view.ts';
import type { PanelDependencies } from './panel-routes.ts';

export function panelOrderRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
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
      const order = number === null ? null : await orders.find(account.id, number);
      if (order === null) return reply.refuse(refusal('order_not_found'));
      const entries = await findEntriesOfOrder(database, account.id, order.number, numberMax);
      return reply.send({
        order: orderView(order, packages.current(), currency),
        entries: entries.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency)),
      });
    },
  );
}
