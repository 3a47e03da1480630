// What an account has done, as the account itself sees it: its ledger, its orders and its customers, a page at a time.
// Called by admin-routes.ts.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { pageOf, pageQuerySchema } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { CustomerReads } from '../customers/customer-reads.ts';
import { customerView } from '../customers/customer-view.ts';
import type { AccountReads } from '../identity/account-reads.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { ledgerEntryView } from '../ledger/ledger-entry-view.ts';
import { listLedger } from '../ledger/list-ledger.ts';
import type { OrderReads } from '../orders/order-reads.ts';
import { orderView } from '../orders/order-view.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';

interface AccountHistoryRoutesDependencies {
  readonly accounts: AccountReads;
  readonly currency: string;
  readonly customers: CustomerReads;
  readonly database: Database;
  readonly now: () => EpochSeconds;
  readonly orders: OrderReads;
  readonly packages: PackageCatalogHolder;
}

export function accountHistoryRoutes(
  app: FastifyInstance,
  { database, accounts, orders, customers, packages, currency, now }: AccountHistoryRoutesDependencies,
): void {
  app.get<WithId>(
    '/accounts/:id/ledger',
    listSchema(
      'listAccountLedger',
      'Ledger of an account',
      'Every movement of its balance. The balance is the latest balance_after.',
      'LedgerEntry',
    ),
    (request, reply) =>
      sendList(request, reply, 'entryCount', async (accountId, page, total) =>
        (await listLedger(database, accountId, page, total)).map(({ entry, actor }) =>
          ledgerEntryView(entry, actor, currency),
        ),
      ),
  );

  app.get<WithId>(
    '/accounts/:id/orders',
    listSchema('listAccountOrders', 'Orders of an account', 'As the account sees them.', 'Order'),
    (request, reply) =>
      sendList(request, reply, 'orderCount', async (accountId, page, total) =>
        (await orders.list(accountId, page, total)).map((order) =>
          orderView(order, packages.current(), currency),
        ),
      ),
  );

  app.get<WithId>(
    '/accounts/:id/customers',
    listSchema('listAccountCustomers', 'Customers of an account', 'As the account sees them.', 'Customer'),
    (request, reply) =>
      sendList(request, reply, 'customerCount', async (accountId, page, total) =>
        (await customers.list(accountId, page, total)).map((customer) =>
          customerView(customer, packages.current(), now()),
        ),
      ),
  );

  async function sendList(
    request: FastifyRequest<WithId>,
    reply: FastifyReply,
    counter: 'entryCount' | 'orderCount' | 'customerCount',
    list: (accountId: number, page: ReturnType<typeof parsePage>, total: number) => Promise<unknown[]>,
  ): Promise<FastifyReply> {
    const id = parseAccountId(request.params.id);
    const account = orRefuse(id === null ? null : await findAccount(database, id), 'account_not_found');
    const page = parsePage(request.query);
    const { [counter]: total } = await accounts.getCounters(account.id);
    const data = await list(account.id, page, total);
    return reply.send(pageAnswer(data, page, total));
  }
}

function listSchema(operationId: string, summary: string, description: string, item: string) {
  return {
    config: { scopes: ['admin:read'] as const, codes: ['account_not_found'] as const },
    schema: {
      operationId,
      summary: `${summary}, newest first`,
      description,
      querystring: pageQuerySchema,
      response: { 200: pageOf(item) },
    },
  };
}
