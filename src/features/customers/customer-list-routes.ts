// GET /customers, by page number, by cursor with filters, or as CSV; also for the customers of every account.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery } from '../../platform/http/list-query.ts';
import { wordsOf } from '../../platform/http/searched-words.ts';
import { allPages, mapPages, sendExport } from '../../platform/http/send-export.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { type OwnedId, parseOwnedId, parseRealOwnedId, realAccountIdMax } from '../../shared/identifiers.ts';
import { cursorPageOf, customerListQuerySchema, total } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type AccountList,
  type AccountListDependencies,
  accountListRoute,
  type ListedAccount,
  type ListOwner,
} from '../identity/account-lists.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { sumCountersOfAll } from '../identity/account-totals.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { customerStatuses, planStatuses } from '../order-engine/records/plan-life.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { allCustomersCsv, customerCsv } from './customer-csv.ts';
import {
  customerPageFilters,
  listedCustomerSchema,
  type PricedCustomerView,
  pricedCustomerSchema,
} from './customer-panel-schemas.ts';
import type { CustomerReads } from './customer-reads.ts';
import { customerView, panelCustomerView } from './customer-view.ts';
import { type CustomerFilter, countCustomers, everyCustomer, findCustomers } from './list-customers.ts';
import { searchWords } from './search-words.ts';

export interface CustomerListRoutesDependencies extends AccountListDependencies {
  readonly database: Database;
  readonly customers: CustomerReads;
  readonly packages: PackageCatalogHolder;
}

/** The limit for "all that match". It equals the size of a bulk. */
const rowsOfPagesMax = 500;
const daySeconds = 86_400;

interface CustomerListFilter extends Omit<CustomerFilter, 'words' | 'id' | 'now'> {
  readonly typed: string;
  /** Matches plans that run now and end within this many days; 0 matches any end. */
  readonly endsWithinDays: number;
}

const filters: FilterableList<CustomerListFilter> = {
  list: 'customers',
  names: ['q', 'status', 'active', 'package_id', 'external_ref', 'expires_from', 'expires_to'],
  read: (sent) => ({
    start: sent.text('q').trim() || null,
    status: sent.oneOf('status', customerStatuses),
    isActive: sent.boolean('active'),
    packageId: sent.number('package_id', 0) || null,
    externalRef: sent.text('external_ref') || null,
    expires: sent.span('expires_from', 'expires_to'),
    planStatus: null,
    autoRenew: null,
    order: 'newest',
    typed: '',
    endsWithinDays: 0,
  }),
};

const orders = { '': 'newest', expires_at: 'expiry', '-expires_at': 'last_expiry' } as const;

const filtersOfPages: FilterableList<CustomerListFilter> = {
  ...filters,
  names: [...filters.names, 'words', 'plan_status', 'auto_renew', 'ends_within', 'sort'],
  read: (sent: ListQuery) => ({
    ...filters.read(sent),
    typed: wordsOf(sent),
    planStatus: sent.oneOf('plan_status', planStatuses),
    autoRenew: sent.oneOf('auto_renew', ['on', 'off']),
    endsWithinDays: sent.number('ends_within', 0),
    order: orders[sent.oneOf('sort', ['expires_at', '-expires_at']) ?? ''],
  }),
  limitMax: rowsOfPagesMax,
};

export function customerListRoutes(
  app: FastifyInstance,
  dependencies: CustomerListRoutesDependencies,
  owner: ListOwner,
): void {
  accountListRoute(app, dependencies, owner, customerList(dependencies));
}

function customerList({
  database,
  customers,
  packages,
}: CustomerListRoutesDependencies): AccountList<CustomerListFilter, Customer> {
  const wanted = ({ account, now }: ListedAccount, filter: CustomerListFilter) => {
    const id = parseOwnedId(filter.typed);
    return filterAt(filter, id?.accountId === account.id ? id : null, now);
  };
  return {
    name: 'customers',
    scope: 'customers:read',
    counter: 'customerCount',
    documented: {
      own: {
        operationId: 'listCustomers',
        summary: 'Customers, newest first',
        description:
          'Your own, paged as orders are: by number without a filter, by cursor with one. With q or external_ref the order is not fixed.',
      },
      ofAccount: {
        operationId: 'listAccountCustomers',
        summary: 'Customers of an account, newest first',
        description: 'As the account sees them, with the same filters.',
      },
    },
    querystring: customerListQuerySchema,
    item: 'Customer',
    filters,
    forPages: {
      querystring: customerPageFilters,
      item: listedCustomerSchema,
      filters: filtersOfPages,
      figures: { total: Type.Optional(total) },
      figuresOf: async (listed, filter) => ({
        total: isUnfiltered(filter)
          ? listed.counters.customerCount
          : await countCustomers(database, listed.account.id, wanted(listed, filter)),
      }),
    },
    read: ({ account }, page, count) => customers.list(account.id, page, count),
    finder: (listed, filter) => {
      const at = wanted(listed, filter);
      return (position, limit) => findCustomers(database, listed.account.id, at, position, limit);
    },
    view:
      ({ now }, isForPages) =>
      (customer) =>
        (isForPages ? panelCustomerView : customerView)(customer, packages.current(), now),
    csv: (pages, { now }) =>
      customerCsv(mapPages(pages, (customer) => customerView(customer, packages.current(), now))),
  };
}

interface AllCustomersFilter extends CustomerListFilter {
  readonly accountId: number | null;
}

const filtersOfAll: FilterableList<AllCustomersFilter> = {
  ...filtersOfPages,
  list: 'customers of all',
  names: [...filtersOfPages.names, 'account_id'],
  read: (sent) => ({ ...filtersOfPages.read(sent), accountId: sent.number('account_id', 0) || null }),
};

interface AllCustomersRouteDependencies
  extends Pick<CustomerListRoutesDependencies, 'database' | 'exports' | 'lists' | 'seal' | 'packages'> {
  readonly now: () => EpochSeconds;
  /** All asked for in one turn of the event loop share a query. */
  readonly orders: { find(accountId: number, number: number): Promise<LastOrder | null> };
}

interface LastOrder {
  readonly priceCents: bigint;
  readonly months: number;
}

export function allCustomersRoute(app: FastifyInstance, dependencies: AllCustomersRouteDependencies): void {
  app.get(
    '/customers',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'findAllCustomers',
        summary:
          'Customers of every account that fit, those of the newest account first, or by the end of their plan',
        querystring: Type.Object({
          account_id: Type.Optional(Type.Unsafe<string>({ type: 'integer', minimum: 1 })),
          ...customerListQuerySchema.properties,
          ...customerPageFilters,
        }),
        response: {
          200: Type.Object({
            ...cursorPageOf(pricedCustomerSchema).properties,
            total: Type.Optional(total),
          }),
        },
      },
    },
    (request, reply) => sendAllCustomers(dependencies, request, reply),
  );
}

async function sendAllCustomers(
  { database, seal, packages, now, lists, exports, orders: orderReads }: AllCustomersRouteDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { query, headers } = request;
  const format = readFormat(query, headers.accept, ['json', 'csv']);
  const page = readFilteredPage(seal, filtersOfAll, 0, query, true);
  const { accountId, ...filter } = page.filter;
  const at = now();
  const typed = parseRealOwnedId(filter.typed);
  const id = accountId === null || typed?.accountId === accountId ? typed : null;
  // A file of all accounts is not sorted: each of its pages would read every account.
  const isSorted = accountId !== null || format !== 'csv';
  const wanted = filterAt({ ...filter, order: isSorted ? filter.order : 'newest' }, id, at);
  const find = async (position: string | null, limit: number) =>
    accountId !== null && accountId > realAccountIdMax
      ? { items: [], next: null }
      : findCustomers(database, accountId, wanted, position, limit);
  const view = async (items: readonly Customer[]): Promise<readonly PricedCustomerView[]> => {
    const ids = [...new Set(items.map((customer) => customer.accountId))];
    const [names, last] = await Promise.all([
      findAccountNames(database, ids),
      Promise.all(
        items.map(({ accountId: of, lastOrder }) =>
          lastOrder === null ? null : orderReads.find(of, lastOrder),
        ),
      ),
    ]);
    return items.map((customer, index) => ({
      ...panelCustomerView(customer, packages.current(), at),
      account: { id: customer.accountId, username: names.get(customer.accountId) ?? '' },
      price: priceView(last[index] ?? null),
    }));
  };
  if (format === 'csv') {
    // Exports are counted separately, so that lists can run meanwhile.
    lists.end(reply);
    const turns = { exports, accountId: concurrencyOf(request) };
    const pages = viewPages(allPages(page.position, find), view);
    return sendExport(reply, turns, format, 'customers', allCustomersCsv(pages));
  }
  const [{ items, next }, count] = await Promise.all([
    find(page.position, page.limit),
    countOf(database, accountId, filter, wanted),
  ]);
  return reply.send({ data: await view(items), next_cursor: page.cursorAt(next), total: count });
}

function priceView(order: LastOrder | null): PricedCustomerView['price'] {
  return order === null ? null : { amount: formatAmount(order.priceCents), months: order.months };
}

async function* viewPages(
  pages: AsyncIterable<readonly Customer[]>,
  view: (items: readonly Customer[]) => Promise<readonly PricedCustomerView[]>,
): AsyncGenerator<readonly PricedCustomerView[]> {
  for await (const items of pages) yield await view(items);
}

/** null if they are not counted, as with most filters. */
async function countOf(
  database: Database,
  accountId: number | null,
  filter: CustomerListFilter,
  wanted: CustomerFilter,
): Promise<number | null> {
  if (accountId !== null) {
    if (accountId > realAccountIdMax) return 0;
    if (!isUnfiltered(filter)) return countCustomers(database, accountId, wanted);
    return (await findAccount(database, accountId))?.customerCount ?? 0;
  }
  return isUnfiltered(filter) ? (await sumCountersOfAll(database)).customers : null;
}

function filterAt(
  { typed, endsWithinDays, ...filter }: CustomerListFilter,
  id: OwnedId | null,
  now: EpochSeconds,
): CustomerFilter {
  return {
    ...everyCustomer,
    ...filter,
    ...(endsWithinDays > 0 && {
      expires: { since: now + 1, until: Math.min(endOfTime, now + endsWithinDays * daySeconds + 1) },
    }),
    words: searchWords(typed),
    id,
    now,
  };
}

function isUnfiltered({ order: _order, typed, endsWithinDays, ...rest }: CustomerListFilter): boolean {
  return typed === '' && endsWithinDays === 0 && Object.values(rest).every((one) => one === null);
}
