// GET /customers, GET /customers/{id}.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { allPages, mapPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { customerListQuerySchema, filteredPageOf } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { customerStatuses } from '../order-engine/records/plan-life.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { customerCsv } from './customer-csv.ts';
import type { CustomerReads } from './customer-reads.ts';
import { customerAnswerSchema } from './customer-schemas.ts';
import { customerView } from './customer-view.ts';
import { type CustomerFilter, filterCustomers } from './filter-customers.ts';

export interface CustomerRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly customers: CustomerReads;
  readonly exports: PerAccountConcurrency;
  /** Options of a route that reads: see auth/api-key-auth.ts. */
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly packages: () => PackageCatalog;
}

const customerList: FilterableList<Omit<CustomerFilter, 'now'>> = {
  list: 'customers',
  names: ['q', 'status', 'active', 'package_id', 'external_ref', 'expires_from', 'expires_to'],
  read: (sent) => ({
    start: sent.text('q').trim() || null,
    status: sent.oneOf('status', customerStatuses),
    isActive: sent.boolean('active'),
    packageId: sent.number('package_id', 0) || null,
    externalRef: sent.text('external_ref') || null,
    expires: sent.span('expires_from', 'expires_to'),
  }),
};

export function customerRoutes(
  app: FastifyInstance,
  { database, seal, customers, exports, confirm, packages }: CustomerRoutesDependencies,
): void {
  app.get(
    '/customers',
    {
      ...confirm,
      config: { scopes: ['customers:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'listCustomers',
        summary: 'Customers, newest first',
        description:
          'Your own, paged as orders are: by number without a filter, by cursor with one. With q or external_ref the order is not fixed.',
        querystring: customerListQuerySchema,
        response: { 200: filteredPageOf('Customer') },
      },
    },
    async (request, reply) => {
      const { account, now } = request.principal;
      const view = (customer: Customer) => customerView(customer, packages(), now());
      const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
      const filtered = readFilteredPage(seal, customerList, account.id, request.query, format === 'csv');
      if (filtered === null) {
        const page = parsePage(request.query);
        const { customerCount: total } = request.counters;
        const list = await customers.list(account.id, page, total);
        return reply.send(pageAnswer(list.map(view), page, total));
      }
      const { position, limit, cursorAt } = filtered;
      const filter = { ...filtered.filter, now: now() };
      const find = (place: string | null, rows: number) =>
        filterCustomers(database, account.id, filter, place, rows);
      if (format === 'csv') {
        const csv = customerCsv(mapPages(allPages(position, find), view));
        return sendExport(
          reply,
          { exports, accountId: concurrencyOf(request) },
          format,
          `customers-${account.username}`,
          csv,
        );
      }
      const found = await find(position, limit);
      return reply.send({ data: found.items.map(view), next_cursor: cursorAt(found.next) });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/customers/:id',
    {
      ...confirm,
      config: { scopes: ['customers:read'], codes: ['customer_not_found'] },
      schema: {
        operationId: 'getCustomer',
        summary: 'One customer',
        description:
          'With the plan as it stands now. Another account’s customer gets the same answer as one that does not exist.',
        response: { 200: customerAnswerSchema },
      },
    },
    async (request, reply) => {
      const { account, now } = request.principal;
      const number = parseOwnNumber(request.params.id, account.id);
      const customer = orRefuse(
        number === null ? null : await customers.find(account.id, number),
        'customer_not_found',
      );
      return reply.send({ customer: customerView(customer, packages(), now()) });
    },
  );
}
