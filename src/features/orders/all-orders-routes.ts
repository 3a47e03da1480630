// GET /api/admin/v1/orders: the orders of all accounts, by cursor or as CSV.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery } from '../../platform/http/list-query.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import { wordsOf } from '../../platform/http/searched-words.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { Awaitable } from '../../shared/awaitable.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseRealOwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import { allOrdersQuerySchema, total, wordsParameter } from '../../shared/list-schemas.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { FoundItems, ListedAccount, ListOwner } from '../identity/account-lists.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { sumCountersOfAll } from '../identity/account-totals.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { handoffStatuses } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderKinds } from '../order-engine/records/order-table.ts';
import { findAllOrders, type OrderPlace } from './list-all-orders.ts';
import { allOrdersCsv } from './order-csv.ts';
import { countOrdersOf, type OrderListRoutesDependencies, orderFinder } from './order-list-routes.ts';
import { panelListedOrderSchema } from './order-panel-schemas.ts';
import { allOrdersSchema, type ListedOrderView, type OrderView } from './order-schemas.ts';
import type { OrderTimes } from './order-times.ts';
import { orderView, panelOrderView } from './order-view.ts';
import { type CustomersOfWords, findCustomersOfWords, findOrdersOfCustomers } from './search-all-orders.ts';

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
    'Words of the customer, or the id of an order or customer. With an account also a key, as in the list of its orders.',
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
            ? Type.Object({
                ...allOrdersSchema.properties,
                data: Type.Array(panelListedOrderSchema),
                total: Type.Optional(total),
                partial: Type.Optional(
                  Type.Boolean({ description: 'More customers match than orders were looked up for.' }),
                ),
              })
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
  const { database, seal, lists, exports, orderTimes, packages, currency, now } = dependencies;
  const view = (order: OrderRecord) => orderView(order, packages.current(), currency);
  const panelView = (order: OrderRecord) => panelOrderView(order, dependencies);
  const { query, headers } = request;
  const format = readFormat(query, headers.accept, ['json', 'csv']);
  const list = isForPages ? filtersOfPages : filters;
  const { filter, position, limit, cursorAt } = readFilteredPage(seal, list, 0, query, true);
  const { words } = filter;
  // An id says which account it belongs to.
  const accountId = filter.accountId ?? parseRealOwnedId(words)?.accountId ?? null;
  const customers =
    accountId === null && words !== '' ? await findCustomersOfWords(database, words, now()) : null;
  // Without the orders from before an upgrade, a program would take part of the list for all of it.
  if (accountId === null && customers === null && !(await orderTimes.bringAllNearly()))
    throw new Overloaded('The orders of before an upgrade are still being sorted by time.');
  const listed = accountId === null ? null : await listedAccount(dependencies, accountId);
  const ofAccount = { ...filter, customer: null, idempotencyKey: null };
  const find =
    accountId === null
      ? inAll(dependencies, filter, customers)
      : listed === null
        ? async () => ({ items: [], next: null })
        : await orderFinder(dependencies, listed, ofAccount);
  if (format === 'csv') {
    // A file cannot say that it lacks orders.
    if (customers?.isPartial) {
      const reason = 'more customers match than are searched: narrow the words or choose an account';
      throw new RequestRefused(fieldRefusal('invalid_filter', 'words', reason));
    }
    // Exports are counted separately, so that lists can run meanwhile.
    lists.end(reply);
    const turns = { exports, accountId: concurrencyOf(request) };
    const pages = viewsOf(dependencies, allPages(position, find), view);
    return sendExport(reply, turns, format, 'orders', allOrdersCsv(pages));
  }
  const [{ items, next }, counted] = await Promise.all([
    find(position, limit),
    isForPages ? countOf(dependencies, listed, filter) : null,
  ]);
  return reply.send({
    data: await withAccounts(dependencies, items, isForPages ? panelView : view),
    next_cursor: cursorAt(next),
    ...(isForPages && { total: counted, partial: customers?.isPartial ?? false }),
  });
}

/** `customers`: those whose orders are searched; null for all. */
function inAll(
  { database }: AllOrdersRouteDependencies,
  { kind, packageId, status, created }: AllOrdersFilter,
  customers: CustomersOfWords | null,
): FindOrders {
  const { since, until } = created ?? { since: 0, until: endOfTime };
  return async (position, limit) => {
    const wanted = { kind, packageId, status, since, until };
    const place = parsePlace(position);
    const { orders, next } =
      customers === null
        ? await findAllOrders(database, wanted, place, limit)
        : await findOrdersOfCustomers(database, customers, wanted, place, limit);
    return { items: orders, next: next === null ? null : formatPlace(next) };
  };
}

/** null if there is no such account. Its orders have better indexes than those of all. */
async function listedAccount(
  { database, now }: AllOrdersRouteDependencies,
  accountId: number,
): Promise<ListedAccount | null> {
  const account = accountId <= realAccountIdMax ? await findAccount(database, accountId) : null;
  return account && { account, counters: account, now: now() };
}

/** null: not counted. Over all accounts, only the unfiltered list is. */
async function countOf(
  dependencies: AllOrdersRouteDependencies,
  listed: ListedAccount | null,
  { accountId, ...filter }: AllOrdersFilter,
): Promise<number | null> {
  if (listed !== null)
    return countOrdersOf(dependencies, listed, { ...filter, customer: null, idempotencyKey: null });
  const isUnfiltered = accountId === null && Object.values(filter).every((one) => one === null || one === '');
  return isUnfiltered ? (await sumCountersOfAll(dependencies.database)).orders : null;
}

async function* viewsOf(
  dependencies: AllOrdersRouteDependencies,
  pages: AsyncIterable<readonly OrderRecord[]>,
  view: (order: OrderRecord) => OrderView,
): AsyncGenerator<readonly ListedOrderView[]> {
  for await (const page of pages) yield await withAccounts(dependencies, page, view);
}

async function withAccounts<View>(
  { database }: Pick<AllOrdersRouteDependencies, 'database'>,
  orders: readonly OrderRecord[],
  view: (order: OrderRecord) => Awaitable<View>,
): Promise<readonly (View & Pick<ListedOrderView, 'account'>)[]> {
  const ids = [...new Set(orders.map(({ accountId }) => accountId))];
  const [names, views] = await Promise.all([
    findAccountNames(database, ids),
    Promise.all(orders.map(async (order) => ({ order, view: await view(order) }))),
  ]);
  return views.map(({ order: { accountId }, view }) => ({
    ...view,
    account: { id: accountId, username: names.get(accountId) ?? '' },
  }));
}

function formatPlace({ createdAt, accountId, number }: OrderPlace): string {
  return `${createdAt}.${accountId}.${number}`;
}

function parsePlace(position: string | null): OrderPlace | null {
  const [createdAt = 0, accountId = 0, number = 0] = position?.split('.').map(Number) ?? [];
  return position === null ? null : { createdAt, accountId, number };
}
