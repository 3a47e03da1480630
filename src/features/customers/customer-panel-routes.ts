// The customers of an account as the pages list them: by words, state, package and the end of their plan, a page at a time or
// all of them as CSV. And the customers of every account, for the operator.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { endOfTime, type ListQuery, numberMax, pageRows, readQuery } from '../../platform/http/list-query.ts';
import { refuseIf } from '../../platform/http/request-refused.ts';
import { allPages, mapPages } from '../../platform/http/send-export.ts';
import { parseOwnedId, parseRealOwnedId, publicId } from '../../shared/identifiers.ts';
import { cursorPageOf } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { findAccountNames } from '../identity/account-names.ts';
import type { ListOwner } from '../identity/list-owner.ts';
import { planStatuses } from '../order-engine/records/plan-life.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { customerCsv } from './customer-csv.ts';
import { accountCustomerSchema, customerFilterSchema, customerPageSchema } from './customer-panel-schemas.ts';
import { customerView, panelCustomerView } from './customer-view.ts';
import { type CustomerCursor, type CustomerQuery, countCustomers, findCustomers } from './list-customers.ts';
import { searchProblem, searchWords } from './search-words.ts';

interface CustomerPanelRoutesDependencies {
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly packages: PackageCatalogHolder;
}

/** What "all that match" takes at once: as many as a bulk of orders has. */
const rowsMax = 500;
const daySeconds = 86_400;

const orders = { '': 'newest', expires_at: 'expiry', '-expires_at': 'last_expiry' } as const;

interface Wanted extends Omit<CustomerQuery, 'id' | 'now' | 'words'> {
  readonly q: string;
  /** The plan runs now and ends within so many days; 0: whenever it ends. */
  readonly endsWithinDays: number;
}

export function customerListRoutes(
  app: FastifyInstance,
  dependencies: CustomerPanelRoutesDependencies,
  owner: ListOwner,
): void {
  const { database, packages } = dependencies;

  app.get(
    `${owner.path}/customers`,
    {
      config: { scopes: owner.scopes('customers:read'), codes: ['validation_failed', ...owner.codes] },
      schema: {
        operationId: `findCustomers${owner.suffix}`,
        summary: 'Customers that fit, newest first or by the end of their plan',
        querystring: customerFilterSchema,
        response: { 200: customerPageSchema },
      },
    },
    async (request, reply) => {
      const sent = readWanted(request.query);
      const account = await owner.find(request);
      const { wanted, cursor, limit } = sent;
      const query = queryOf(wanted, account.id, owner.now(request));
      const before = cursor === null ? null : { ...cursor, accountId: account.id };
      const [{ customers, next }, total] = await Promise.all([
        findCustomers(database, account.id, query, before, limit),
        isUnfiltered(wanted) ? account.customerCount : countCustomers(database, account.id, query),
      ]);
      return reply.send({
        data: customers.map((customer) => panelCustomerView(customer, packages.current(), query.now)),
        next_before: next === null ? null : formatCursor(next, query.order),
        total,
      });
    },
  );

  app.get(
    `${owner.path}/customers.csv`,
    {
      config: {
        scopes: owner.scopes('customers:read'),
        codes: ['validation_failed', ...owner.codes],
        takesLong: true,
      },
      schema: {
        operationId: `exportCustomers${owner.suffix}`,
        summary: 'The customers that fit, as CSV',
        description: 'Cells that a spreadsheet would take for a formula begin with an apostrophe.',
        querystring: customerFilterSchema,
        produces: ['text/csv'],
      },
    },
    async (request, reply) => {
      const sent = readWanted(request.query);
      const account = await owner.find(request);
      const query = queryOf(sent.wanted, account.id, owner.now(request));
      const pages = allPages<Parameters<typeof customerView>[0], CustomerCursor>(
        null,
        async (cursor, rows) => {
          const { customers: items, next } = await findCustomers(database, account.id, query, cursor, rows);
          return { items, next };
        },
      );
      const views = mapPages(pages, (customer) => customerView(customer, packages.current(), query.now));
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="customers-${account.username}.csv"`)
        .send(Readable.from(customerCsv(views)));
    },
  );
}

export function allCustomersRoute(app: FastifyInstance, dependencies: CustomerPanelRoutesDependencies): void {
  const { database, packages, now } = dependencies;

  app.get(
    '/customers',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'findAllCustomers',
        summary: 'Customers of every account that fit',
        querystring: customerFilterSchema,
        response: { 200: cursorPageOf(accountCustomerSchema) },
      },
    },
    async (request, reply) => {
      const filter = readQuery(request.query, (sent) => ({
        wanted: wantedOf(sent),
        before: sent.number('before', Number.MAX_SAFE_INTEGER),
      }));
      const { q } = filter.wanted;
      refuseIf(searchProblem('q', q));
      const cursor = parseRealOwnedId(String(filter.before));
      const { customers, next } = await findCustomers(
        database,
        null,
        { ...queryOf(filter.wanted, 0, now()), id: parseRealOwnedId(q), order: 'newest' },
        cursor === null ? null : { ...cursor, expiresAt: 0 },
        pageRows,
      );
      const names = await findAccountNames(
        database,
        customers.map(({ accountId }) => accountId),
      );
      return reply.send({
        data: customers.map((customer) => ({
          ...panelCustomerView(customer, packages.current(), now()),
          account: { id: customer.accountId, username: names.get(customer.accountId) ?? '' },
        })),
        next_before: next === null ? null : publicId(next.accountId, next.number),
      });
    },
  );
}

function readWanted(query: unknown) {
  const sent = readQuery(query, (each) => {
    const wanted = wantedOf(each);
    return { wanted, cursor: cursorOf(each, wanted.order), limit: each.number('limit', pageRows) };
  });
  refuseIf(searchProblem('q', sent.wanted.q));
  return { ...sent, limit: Math.min(rowsMax, sent.limit) };
}

function wantedOf(sent: ListQuery): Wanted {
  const [from, to] = [sent.moment('expires_from'), sent.moment('expires_to')];
  return {
    q: sent.text('q').trim(),
    state: sent.oneOf('state', planStatuses),
    packageId: sent.number('package_id', 0) || null,
    expires: from === null && to === null ? null : { since: from?.since ?? 0, until: to?.until ?? endOfTime },
    endsWithinDays: sent.number('ends_within', 0),
    order: orders[sent.oneOf('sort', ['expires_at', '-expires_at']) ?? ''],
  };
}

function queryOf({ q, endsWithinDays, ...wanted }: Wanted, accountId: number, now: number): CustomerQuery {
  const id = parseOwnedId(q);
  return {
    ...wanted,
    ...(endsWithinDays > 0 && {
      expires: { since: now + 1, until: Math.min(endOfTime, now + endsWithinDays * daySeconds + 1) },
    }),
    // No package has such an id: none is found, and the database takes no such number.
    packageId: wanted.packageId === null ? null : Math.min(wanted.packageId, numberMax),
    words: searchWords(q),
    id: id?.accountId === accountId ? id : null,
    now,
  };
}

function isUnfiltered({ q, state, packageId, expires, endsWithinDays }: Wanted): boolean {
  return q === '' && endsWithinDays === 0 && state === null && packageId === null && expires === null;
}

/** By the end of the plan a page goes on behind an end and a number: "1790000000.17". */
function formatCursor({ number, expiresAt }: CustomerCursor, order: CustomerQuery['order']): number | string {
  return order === 'newest' ? number : `${expiresAt}.${number}`;
}

function cursorOf(sent: ListQuery, order: CustomerQuery['order']): Omit<CustomerCursor, 'accountId'> | null {
  if (order === 'newest') {
    const before = sent.number('before', 0);
    return before === 0 ? null : { number: Math.min(numberMax, before), expiresAt: 0 };
  }
  const cursor = sent.pair('before');
  return cursor && { expiresAt: Math.min(endOfTime, cursor[0]), number: Math.min(numberMax, cursor[1]) };
}
