import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { daysOf, endOfTime, type ListQuery, numberMax } from '../../platform/http/list-query.ts';
import { wordsOf } from '../../platform/http/searched-words.ts';
import { mapPages } from '../../platform/http/send-export.ts';
import { parseOwnedId, parseOwnNumber } from '../../shared/identifiers.ts';
import { orderListQuerySchema, total, wordsParameter } from '../../shared/list-schemas.ts';
import { findCustomerNumber } from '../customers/find-customer.ts';
import {
  type AccountList,
  type AccountListDependencies,
  accountListRoute,
  type FoundItems,
  type ListedAccount,
  type ListOwner,
} from '../identity/account-lists.ts';
import type { DailyTotals, NumberSpan } from '../ledger/daily-totals.ts';
import { handoffStatuses } from '../order-engine/records/order-handoff.ts';
import { type OrderRecord, orderKinds } from '../order-engine/records/order-table.ts';
import { countFittingOrders, findOrders } from './list-orders.ts';
import { orderCsv } from './order-csv.ts';
import { orderOfPageSchema } from './order-panel-schemas.ts';
import type { OrderReads } from './order-reads.ts';
import { orderView, type PanelOrderDependencies, panelOrderView } from './order-view.ts';
import { resolveOrderSearch } from './parse-order-query.ts';

export interface OrderListRoutesDependencies extends AccountListDependencies, PanelOrderDependencies {
  readonly database: Database;
  readonly orders: OrderReads;
  readonly dailyTotals: DailyTotals;
}

export interface OrderListFilter extends ReturnType<typeof readFilter> {
  readonly words: string;
}

const filterNames = [
  'customer',
  'kind',
  'status',
  'package_id',
  'idempotency_key',
  'created_from',
  'created_to',
];

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

export function orderListRoutes(
  app: FastifyInstance,
  dependencies: OrderListRoutesDependencies,
  owner: ListOwner,
): void {
  accountListRoute(app, dependencies, owner, orderList(dependencies));
}

function orderList(dependencies: OrderListRoutesDependencies): AccountList<OrderListFilter, OrderRecord> {
  const { orders, packages, currency } = dependencies;
  const view = (order: OrderRecord) => orderView(order, packages.current(), currency);
  return {
    name: 'orders',
    scope: 'orders:read',
    counter: 'orderCount',
    documented: {
      own: {
        operationId: 'listOrders',
        summary: 'Orders, newest first',
        description:
          'Your own, page by page: page, per_page and total. A page past the end has no data. With a filter, or several that all must fit: by cursor, with next_cursor in place of the three.',
      },
      ofAccount: {
        operationId: 'listAccountOrders',
        summary: 'Orders of an account, newest first',
        description: 'As the account sees them, with the same filters.',
      },
    },
    querystring: orderListQuerySchema,
    item: 'Order',
    filters: {
      list: 'orders',
      names: filterNames,
      read: (sent) => ({ ...readFilter(sent), words: '' }),
    },
    forPages: {
      querystring: {
        words: wordsParameter(
          'Words of the customer, as in the list of customers; the id of the customer or of the order; an idempotency key.',
        ),
      },
      item: orderOfPageSchema,
      filters: {
        list: 'orders',
        names: [...filterNames, 'words'],
        read: (sent) => ({ ...readFilter(sent), words: wordsOf(sent) }),
      },
      figures: { total: Type.Optional(total) },
      figuresOf: async (listed, filter) => ({ total: await countOrdersOf(dependencies, listed, filter) }),
    },
    read: ({ account }, page, count) => orders.list(account.id, page, count),
    finder: (listed, filter) => orderFinder(dependencies, listed, filter),
    view: (_listed, isForPages) => (isForPages ? (order) => panelOrderView(order, dependencies) : view),
    csv: (pages) => orderCsv(mapPages(pages, view)),
  };
}

type OrderFinderDependencies = Pick<OrderListRoutesDependencies, 'database' | 'dailyTotals'>;

/** null if they are not counted: those of a search, and where too many orders would have to be read. */
export async function countOrdersOf(
  dependencies: OrderFinderDependencies,
  { account, counters }: ListedAccount,
  filter: OrderListFilter,
): Promise<number | null> {
  const { customer, idempotencyKey, words, packageId, kind, status, created } = filter;
  if (Object.values(filter).every((one) => one === null || one === '')) return counters.orderCount;
  if (customer !== null || idempotencyKey !== null || words !== '') return null;
  const numbers = await numbersOf(dependencies, account.id, counters.orderCount, created);
  if (numbers === null || (packageId ?? 0) > numberMax) return 0;
  const { since, until } = created ?? { since: 0, until: endOfTime };
  const wanted = { ...numbers, kind, packageId, status, since, until };
  return countFittingOrders(dependencies.database, account.id, wanted);
}

/** Order numbers of the created span; null if no order is in it. */
async function numbersOf(
  { dailyTotals }: OrderFinderDependencies,
  accountId: number,
  count: number,
  created: OrderListFilter['created'],
): Promise<NumberSpan | null> {
  return created === null ? { from: 1, to: count } : dailyTotals.orderSpan(accountId, ...daysOf(created));
}

/** Looks up the filter's ids once, before the first page. */
export async function orderFinder(
  dependencies: OrderFinderDependencies,
  { account, counters, now }: ListedAccount,
  { customer, packageId, kind, status, idempotencyKey, created, words }: OrderListFilter,
): Promise<(position: string | null, limit: number) => Promise<FoundItems<OrderRecord>>> {
  const { database } = dependencies;
  const nothing = async () => ({ items: [], next: null });
  const customerNumber = customer === null ? null : await customerNumberOf(database, account.id, customer);
  if (customerNumber === 0 || (packageId ?? 0) > numberMax) return nothing;
  const numbers = await numbersOf(dependencies, account.id, counters.orderCount, created);
  if (numbers === null) return nothing;
  const id = parseOwnedId(words);
  const search = await resolveOrderSearch(database, account.id, {
    text: words,
    id: id?.accountId === account.id ? id : null,
    now,
  });
  return async (position, limit) => {
    const { orders, nextBefore } = await findOrders(database, account.id, {
      from: numbers.from,
      to: Math.min(numbers.to, position === null ? numberMax : Number(position) - 1),
      customerNumber,
      search,
      kind,
      packageId,
      status,
      idempotencyKey,
      since: created?.since ?? 0,
      until: created?.until ?? endOfTime,
      limit,
    });
    return { items: orders, next: nextBefore === null ? null : String(nextBefore) };
  };
}

/** Finds the customer by reference or id. Returns 0 if the account has no such customer. */
async function customerNumberOf(database: Database, accountId: number, customer: string): Promise<number> {
  const number = await findCustomerNumber(database, accountId, customer);
  return number ?? parseOwnNumber(customer, accountId) ?? 0;
}
