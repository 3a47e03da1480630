// GET /orders: page by page, or those that fit a filter.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { daysOf, endOfTime, type ListQuery, numberMax } from '../../platform/http/list-query.ts';
import { allPages, mapPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { filteredPageOf, orderListQuerySchema } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import { findCustomerNumber } from '../customers/find-customer.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { DailyTotals } from '../ledger/daily-totals.ts';
import { handoffStatuses } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderKinds } from '../order-engine/records/order-table.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { findOrders } from './list-orders.ts';
import { orderCsv } from './order-csv.ts';
import type { OrderReads } from './order-reads.ts';
import { orderView } from './order-view.ts';

export interface OrderListRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly orders: OrderReads;
  readonly dailyTotals: DailyTotals;
  readonly exports: PerAccountConcurrency;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
  readonly currency: string;
}

const orderList: FilterableList<ReturnType<typeof readFilter>> = {
  list: 'orders',
  names: ['customer', 'kind', 'status', 'package_id', 'idempotency_key', 'created_from', 'created_to'],
  read: readFilter,
};

function readFilter(sent: ListQuery) {
  return {
    customer: sent.text('customer').trim().toLowerCase() || null,
    kind: sent.oneOf('kind', orderKinds),
    status: sent.oneOf('status', handoffStatuses),
    packageId: sent.number('package_id', 0) || null,
    idempotencyKey: sent.text('idempotency_key') || null,
    created: sent.span('created_from', 'created_to'),
  };
}

export function orderListRoutes(app: FastifyInstance, dependencies: OrderListRoutesDependencies): void {
  const { seal, orders, exports, confirm, packages, currency } = dependencies;

  app.get(
    '/orders',
    {
      ...confirm,
      config: { scopes: ['orders:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'listOrders',
        summary: 'Orders, newest first',
        description:
          'Your own, page by page: page, per_page and total. A page past the end has no data. With a filter, or several that all must fit: by cursor, with next_cursor in place of the three.',
        querystring: orderListQuerySchema,
        response: { 200: filteredPageOf('Order') },
      },
    },
    async (request, reply) => {
      const { account } = request.principal;
      const { orderCount: total } = request.counters;
      const view = (order: OrderRecord) => orderView(order, packages(), currency);
      const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
      const filtered = readFilteredPage(seal, orderList, account.id, request.query, format === 'csv');
      if (filtered === null) {
        const page = parsePage(request.query);
        const list = await orders.list(account.id, page, total);
        return reply.send(pageAnswer(list.map(view), page, total));
      }
      const { filter, position, limit, cursorAt } = filtered;
      const find = (place: string | null, rows: number) =>
        findOwnOrders(dependencies, account.id, total, filter, place, rows);
      if (format === 'csv') {
        const pages = allPages(position, find);
        const csv = orderCsv(mapPages(pages, view));
        return sendExport(
          reply,
          { exports, accountId: concurrencyOf(request) },
          format,
          `orders-${account.username}`,
          csv,
        );
      }
      const found = await find(position, limit);
      return reply.send({ data: found.items.map(view), next_cursor: cursorAt(found.next) });
    },
  );
}

/** A page of what fits, newest first; a position is the number of the last order before it. */
async function findOwnOrders(
  { database, dailyTotals }: Pick<OrderListRoutesDependencies, 'database' | 'dailyTotals'>,
  accountId: number,
  total: number,
  { customer, packageId, kind, status, idempotencyKey, created }: ReturnType<typeof readFilter>,
  position: string | null,
  limit: number,
): Promise<{ items: readonly OrderRecord[]; next: string | null }> {
  const nothing = { items: [], next: null };
  const customerNumber = customer === null ? null : await customerNumberOf(database, accountId, customer);
  if (customerNumber === 0 || (packageId ?? 0) > numberMax) return nothing;
  const numbers =
    created === null ? { from: 1, to: total } : await dailyTotals.orderSpan(accountId, ...daysOf(created));
  if (numbers === null) return nothing;
  const { orders, nextBefore } = await findOrders(database, accountId, {
    from: numbers.from,
    to: Math.min(numbers.to, position === null ? numberMax : Number(position) - 1),
    customerNumber,
    kind,
    packageId,
    status,
    idempotencyKey,
    since: created?.since ?? 0,
    until: created?.until ?? endOfTime,
    limit,
  });
  return { items: orders, next: nextBefore === null ? null : String(nextBefore) };
}

/** By reference or id; 0: the account has no such customer. */
export async function customerNumberOf(
  database: Database,
  accountId: number,
  customer: string,
): Promise<number> {
  const number = await findCustomerNumber(database, accountId, customer);
  return number ?? parseOwnNumber(customer, accountId) ?? 0;
}
