// GET /customers, by page number, by cursor with filters, or as CSV; also for the customers of every account.

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { endOfTime, type ListQuery } from '../../platform/http/list-query.ts';
import { mapPages } from '../../platform/http/send-export.ts';
import { type OwnedId, parseOwnedId, parseRealOwnedId } from '../../shared/identifiers.ts';
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
import type { Customer } from '../order-engine/records/customer-table.ts';
import { customerStatuses, planStatuses } from '../order-engine/records/plan-life.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { customerCsv } from './customer-csv.ts';
import {
  accountCustomerSchema,
  customerPageFilters,
  listedCustomerSchema,
} from './customer-panel-schemas.ts';
import type { CustomerReads } from './customer-reads.ts';
import { customerView, panelCustomerView } from './customer-view.ts';
import { type CustomerFilter, countCustomers, everyCustomer, findCustomers } from './list-customers.ts';
import { searchWords, wordsOf } from './search-words.ts';

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

export function allCustomersRoute(
  app: FastifyInstance,
  {
    database,
    seal,
    packages,
    now,
  }: Pick<CustomerListRoutesDependencies, 'database' | 'seal' | 'packages'> & {
    readonly now: () => EpochSeconds;
  },
): void {
  app.get(
    '/customers',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'findAllCustomers',
        summary: 'Customers of every account that fit, newest first',
        querystring: Type.Object({ ...customerListQuerySchema.properties, ...customerPageFilters }),
        response: { 200: cursorPageOf(accountCustomerSchema) },
      },
    },
    async (request, reply) => {
      const list = { ...filtersOfPages, list: 'customers of all' };
      const { filter, position, limit, cursorAt } = readFilteredPage(seal, list, 0, request.query, true);
      const at = now();
      const wanted = filterAt({ ...filter, order: 'newest' }, parseRealOwnedId(filter.typed), at);
      const { items, next } = await findCustomers(database, null, wanted, position, limit);
      const names = await findAccountNames(
        database,
        items.map(({ accountId }) => accountId),
      );
      return reply.send({
        data: items.map((customer) => ({
          ...panelCustomerView(customer, packages.current(), at),
          account: { id: customer.accountId, username: names.get(customer.accountId) ?? '' },
        })),
        next_cursor: cursorAt(next),
      });
    },
  );
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
