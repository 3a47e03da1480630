// GET /api/admin/v1/orders: the orders of all accounts, by cursor or as CSV.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery } from '../../platform/http/list-query.ts';
import { wordsOf } from '../../platform/http/searched-words.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import { parseRealOwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import { allOrdersQuerySchema, total, wordsParameter } from '../../shared/list-schemas.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { FoundItems, ListOwner } from '../identity/account-lists.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { sumCountersOfAll } from '../identity/account-totals.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { handoffStatuses } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderKinds } from '../order-engine/records/order-table.ts';
import { findAllOrders, type OrderPlace } from './list-all-orders.ts';
import { allOrdersCsv } from './order-csv.ts';
import { type OrderListRoutesDependencies, orderFinder } from './order-list-routes.ts';
import { allOrdersSchema, type ListedOrderView } from './order-schemas.ts';
import type { OrderTimes } from './order-times.ts';
import { orderView } from './order-view.ts';

interface AllOrdersRouteDependencies extends OrderListRoutesDependencies {
  readonly orderTimes: OrderTimes;
  readonly now: () => EpochSeconds;
}

interface AllOrdersFilter extends ReturnType<typeof readFilter> {
  readonly words: string;
}
type FindOrders = (position: string | null, limit: number) => Promise<FoundItems<OrderRecord>>;

const names = ['account_id', 'kind', 'status', 'package_id', 'created_from', 'created_to'];

function readFilter(sent: ListQuery) {
  return {
    accountId: sent.number('account_id', 0) || null,
    kind: sent.oneOf('kind', orderKinds),
    status: sent.oneOf('status', handoffStatuses),
    packageId: sent.number('package_id', 0) || null,
    created: sent.span('created_from', 'created_to'),
  };
}

const filters: FilterableList<AllOrdersFilter> = {
  list: 'orders of all',
  names,
  read: (sent) => ({ ...readFilter(sent), words: '' }),
};

const filtersOfPages: FilterableList<AllOrdersFilter> = {
  ...filters,
  names: [...names, 'words'],
  read: (sent) => ({ ...readFilter(sent), words: wordsOf(sent) }),
};

/** The panel's pages also search, and count all orders. */
export function allOrdersRoute(
  app: FastifyInstance,
  dependencies: AllOrdersRouteDependencies,
  { isForPages }: Pick<ListOwner, 'isForPages'>,
): void {
  const words = wordsParameter(
    'The id of an order or of a customer. With an account, as in the list of its orders.',
  );
  app.get(
    '/orders',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'listAllOrders',
        summary: 'Orders of all accounts',
        description: 'Newest first, by cursor. Without the orders of tests.',
        querystring: isForPages
          ? Type.Object({ ...allOrdersQuerySchema.properties, words })
          : allOrdersQuerySchema,
        response: {
          200: isForPages
            ? Type.Object({ ...allOrdersSchema.properties, total: Type.Optional(total) })
            : allOrdersSchema,
        },
      },
    },
    (request, reply) => sendAllOrders(dependencies, isForPages, request, reply),
  );
}

async function sendAllOrders(
  dependencies: AllOrdersRouteDependencies,
  isForPages: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { seal, lists, exports, orderTimes, database } = dependencies;
  const { query, headers } = request;
  const format = readFormat(query, headers.accept, ['json', 'csv']);
  const list = isForPages ? filtersOfPages : filters;
  const { filter, position, limit, cursorAt } = readFilteredPage(seal, list, 0, query, true);
  const { words } = filter;
  // Names and keys are indexed by account. An id says which account it belongs to.
  const accountId = filter.accountId ?? (words === '' ? null : (parseRealOwnedId(words)?.accountId ?? 0));
  // Without the orders from before an upgrade, a program would take part of the list for all of it.
  if (accountId === null && !(await orderTimes.bringAllNearly()))
    throw new Overloaded('The orders of before an upgrade are still being sorted by time.');
  const find =
    accountId === null
      ? inAll(dependencies, filter)
      : await inAccount(dependencies, { ...filter, accountId });
  if (format === 'csv') {
    // Exports are counted separately, so that lists can run meanwhile.
    lists.end(reply);
    const turns = { exports, accountId: concurrencyOf(request) };
    const pages = viewsOf(dependencies, allPages(position, find));
    return sendExport(reply, turns, format, 'orders', allOrdersCsv(pages));
  }
  const isCounted = isForPages && Object.values(filter).every((one) => one === null || one === '');
  const [{ items, next }, figures] = await Promise.all([
    find(position, limit),
    isCounted ? sumCountersOfAll(database) : null,
  ]);
  return reply.send({
    data: await viewOf(dependencies, items),
    next_cursor: cursorAt(next),
    ...(isForPages && { total: figures?.orders ?? null }),
  });
}

function inAll(
  { database }: AllOrdersRouteDependencies,
  { kind, packageId, status, created }: AllOrdersFilter,
): FindOrders {
  const { since, until } = created ?? { since: 0, until: endOfTime };
  return async (position, limit) => {
    const wanted = { kind, packageId, status, since, until };
    const { orders, next } = await findAllOrders(database, wanted, parsePlace(position), limit);
    return { items: orders, next: next === null ? null : formatPlace(next) };
  };
}

/** The orders of one account have better indexes. */
async function inAccount(
  dependencies: AllOrdersRouteDependencies,
  { accountId, ...filter }: AllOrdersFilter & { readonly accountId: number },
): Promise<FindOrders> {
  const { database, now } = dependencies;
  const account = accountId <= realAccountIdMax ? await findAccount(database, accountId) : null;
  if (account === null) return async () => ({ items: [], next: null });
  const listed = { account, counters: account, now: now() };
  return orderFinder(dependencies, listed, { ...filter, customer: null, idempotencyKey: null });
}

async function* viewsOf(
  dependencies: AllOrdersRouteDependencies,
  pages: AsyncIterable<readonly OrderRecord[]>,
): AsyncGenerator<readonly ListedOrderView[]> {
  for await (const page of pages) yield await viewOf(dependencies, page);
}

async function viewOf(
  { database, packages, currency }: AllOrdersRouteDependencies,
  orders: readonly OrderRecord[],
): Promise<readonly ListedOrderView[]> {
  const ids = [...new Set(orders.map(({ accountId }) => accountId))];
  const names = await findAccountNames(database, ids);
  return orders.map((order) => ({
    ...orderView(order, packages.current(), currency),
    account: { id: order.accountId, username: names.get(order.accountId) ?? '' },
  }));
}

function formatPlace({ createdAt, accountId, number }: OrderPlace): string {
  return `${createdAt}.${accountId}.${number}`;
}

function parsePlace(position: string | null): OrderPlace | null {
  const [createdAt = 0, accountId = 0, number = 0] = position?.split('.').map(Number) ?? [];
  return position === null ? null : { createdAt, accountId, number };
}
