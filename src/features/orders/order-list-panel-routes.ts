// The orders of an account as the pages list them: found by what was typed, status, kind, package and time, a page at a time or
// all of them as CSV.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import {
  daysOf,
  endOfTime,
  type ListQuery,
  numberMax,
  pageRows,
  readQuery,
} from '../../platform/http/list-query.ts';
import { refuseIf } from '../../platform/http/request-refused.ts';
import { allPages, mapPages } from '../../platform/http/send-export.ts';
import { parseOwnedId } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { searchProblem } from '../customers/search-words.ts';
import type { Account } from '../identity/account-table.ts';
import type { ListOwner } from '../identity/list-owner.ts';
import type { DailyTotals } from '../ledger/daily-totals.ts';
import { handoffStatuses } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderKinds } from '../order-engine/records/order-table.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { findOrders } from './list-orders.ts';
import { orderCsv } from './order-csv.ts';
import { customerNumberOf } from './order-list-routes.ts';
import { orderFilterSchema, orderPageSchema } from './order-panel-schemas.ts';
import { orderView } from './order-view.ts';
import { resolveOrderSearch } from './parse-order-query.ts';

interface OrderListPanelRoutesDependencies {
  readonly currency: string;
  readonly dailyTotals: DailyTotals;
  readonly database: Database;
  readonly packages: PackageCatalogHolder;
}

type Wanted = ReturnType<typeof wantedOf>;
type Found = { readonly items: readonly OrderRecord[]; readonly next: number | null };

export function orderListRoutesOf(
  app: FastifyInstance,
  dependencies: OrderListPanelRoutesDependencies,
  owner: ListOwner,
): void {
  const { packages, currency } = dependencies;
  const view = (order: OrderRecord) => orderView(order, packages.current(), currency);

  app.get(
    `${owner.path}/orders`,
    {
      config: { scopes: owner.scopes('orders:read'), codes: ['validation_failed', ...owner.codes] },
      schema: {
        operationId: `findOrders${owner.suffix}`,
        summary: 'Orders that match a filter, newest first',
        querystring: orderFilterSchema,
        response: { 200: orderPageSchema },
      },
    },
    async (request, reply) => {
      const sent = readWanted(request.query);
      const account = await owner.find(request);
      const find = await finderOf(dependencies, account, sent, owner.now(request));
      const { items, next } = await find(sent.before, pageRows);
      const total = isUnfiltered(sent) ? account.orderCount : null;
      return reply.send({ data: items.map(view), next_before: next, total });
    },
  );

  app.get(
    `${owner.path}/orders.csv`,
    {
      config: {
        scopes: owner.scopes('orders:read'),
        codes: ['validation_failed', ...owner.codes],
        takesLong: true,
      },
      schema: {
        operationId: `exportOrders${owner.suffix}`,
        summary: 'The orders that match a filter, as CSV',
        description: 'Cells that a spreadsheet would take for a formula begin with an apostrophe.',
        querystring: orderFilterSchema,
        produces: ['text/csv'],
      },
    },
    async (request, reply) => {
      const sent = readWanted(request.query);
      const account = await owner.find(request);
      const find = await finderOf(dependencies, account, sent, owner.now(request));
      const pages = allPages<OrderRecord, number>(null, (before, rows) => find(before ?? numberMax, rows));
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="orders-${account.username}.csv"`)
        .send(Readable.from(orderCsv(mapPages(pages, view))));
    },
  );
}

function readWanted(query: unknown) {
  const wanted = readQuery(query, wantedOf);
  refuseIf(searchProblem('q', wanted.q));
  return wanted;
}

function wantedOf(sent: ListQuery) {
  return {
    q: sent.text('q').trim(),
    customer: sent.text('customer').trim().toLowerCase(),
    kind: sent.oneOf('kind', orderKinds),
    status: sent.oneOf('status', handoffStatuses),
    packageId: sent.number('package_id', 0),
    idempotencyKey: sent.text('idempotency_key') || null,
    from: sent.moment('from'),
    to: sent.moment('to'),
    before: sent.number('before', numberMax),
  };
}

function isUnfiltered({ q, customer, kind, status, packageId, idempotencyKey, from, to }: Wanted): boolean {
  const isAny = [kind, status, idempotencyKey, from, to].every((each) => each === null);
  return isAny && q === '' && customer === '' && packageId === 0;
}

/** What was typed is resolved once; then page by page. */
async function finderOf(
  { database, dailyTotals }: OrderListPanelRoutesDependencies,
  account: Account,
  { q, customer, kind, status, packageId, idempotencyKey, from, to }: Wanted,
  now: EpochSeconds,
): Promise<(before: number, limit: number) => Promise<Found>> {
  const nothing = async () => ({ items: [], next: null });
  const span = { since: from?.since ?? 0, until: to?.until ?? endOfTime };
  if (packageId > numberMax || span.since >= span.until) return nothing;
  const customerNumber = customer === '' ? null : await customerNumberOf(database, account.id, customer);
  if (customerNumber === 0) return nothing;
  const isAnyTime = from === null && to === null;
  const numbers = isAnyTime
    ? { from: 1, to: account.orderCount }
    : await dailyTotals.orderSpan(account.id, ...daysOf(span));
  if (numbers === null) return nothing;
  const id = parseOwnedId(q);
  const search = await resolveOrderSearch(database, account.id, {
    text: q,
    id: id?.accountId === account.id ? id : null,
    now,
  });
  return async (before, limit) => {
    const { orders: items, nextBefore: next } = await findOrders(database, account.id, {
      from: numbers.from,
      to: Math.min(numbers.to, before - 1),
      customerNumber,
      search,
      kind,
      packageId: packageId === 0 ? null : packageId,
      idempotencyKey,
      status,
      ...span,
      limit,
    });
    return { items, next };
  };
}
