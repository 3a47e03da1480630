// The account's orders as the panel looks at them: found by a filter, and one with its ledger entries. Orders are
// previewed and placed by the API's own routes.

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { isRefusal, refusal } from '../../contract/error-catalogue.ts';
import { parseOwnNumber } from '../../contract/identifiers.ts';
import { cursorPageOf, orderFilterSchema, orderWithEntriesSchema } from '../../contract/panel-schemas.ts';
import { formatTime } from '../../contract/times.ts';
import { findEntriesOfOrder } from '../../ledger/ledger-search.ts';
import { findOrders } from '../../orders/order-search.ts';
import { customerNumberOf } from '../reseller/order-list-routes.ts';
import { ledgerEntryView } from '../shapes/ledger-entry-view.ts';
import { endOfTime, numberMax, pageRows, readQuery } from '../shapes/list-filters.ts';
import { orderView } from '../shapes/order-view.ts';
import type { PanelDependencies } from './panel-routes.ts';

const daySeconds = 86_400;

export function panelOrderRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  const { database, orders, packages, ledgerDays, currency } = dependencies;

  app.get(
    '/orders',
    {
      config: { scopes: ['orders:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'findOrders',
        summary: 'Orders that match a filter, newest first',
        querystring: orderFilterSchema,
        response: { 200: cursorPageOf(Type.Ref('Order')) },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const filter = readQuery(query, (sent) => ({
        customer: sent.text('customer').trim().toLowerCase(),
        kind: sent.oneOf('kind', ['activate', 'renew', 'change']),
        packageId: sent.number('package_id', 0),
        fromDay: sent.day('from'),
        toDay: sent.day('to'),
        before: sent.number('before', numberMax),
      }));
      if (isRefusal(filter)) return reply.refuse(filter);
      const nothing = { data: [], next_before: null };
      const customerNumber =
        filter.customer === '' ? null : await customerNumberOf(database, account.id, filter.customer);
      if (customerNumber === 0 || filter.packageId > numberMax) return reply.send(nothing);

      let span = { from: 1, to: account.orderCount };
      if (filter.fromDay !== null || filter.toDay !== null) {
        const day = (at: number | null) => (at === null ? '' : formatTime(at).slice(0, 10));
        const found = await ledgerDays.orderSpan(account.id, day(filter.fromDay), day(filter.toDay));
        if (found === null) return reply.send(nothing);
        span = found;
      }
      const found = await findOrders(database, account.id, {
        from: span.from,
        to: Math.min(span.to, filter.before - 1),
        customerNumber,
        kind: filter.kind,
        packageId: filter.packageId === 0 ? null : filter.packageId,
        since: filter.fromDay ?? 0,
        until: filter.toDay === null ? endOfTime : filter.toDay + daySeconds,
        limit: pageRows,
      });
      const data = found.orders.map((order) => orderView(order, packages.current(), currency));
      return reply.send({ data, next_before: found.nextBefore });
    },
  );

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
