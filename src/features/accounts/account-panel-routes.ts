// The console's account list, with filters and orders. The admin API lists by page number (account-admin-routes.ts).

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithId } from '../../platform/http/route-params.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { parseAccountId } from '../../shared/identifiers.ts';
import { groups } from '../../shared/periods.ts';
import { formatTime } from '../../shared/times.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import { businessSpan } from '../business/business-figures.ts';
import { accountView } from '../identity/account-view.ts';
import { findAccount } from '../identity/find-accounts.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { accountListCsv } from './account-list-csv.ts';
import { findOutlooks, type OutlookDependencies } from './account-outlook.ts';
import { accountFilterSchema, accountOutlookSchema, foundAccountsSchema } from './account-panel-schemas.ts';
import {
  accountOrders,
  accountStates,
  countSearchedAccounts,
  type FoundAccount,
  searchAccounts,
} from './list-accounts.ts';

interface AccountPanelRoutesDependencies extends OutlookDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly exports: PerAccountConcurrency;
  readonly seal: Seal;
}

const foundAccounts = {
  list: 'accounts',
  names: ['q', 'group', 'state', 'balance_below', 'sort'],
  read: (sent: ListQuery) => ({
    search: sent.text('q').trim(),
    group: sent.oneOf('group', groups),
    state: sent.oneOf('state', accountStates),
    balanceBelow: sent.text('balance_below').trim(),
    order: sent.oneOf('sort', accountOrders) ?? 'newest',
  }),
};

export function accountPanelRoutes(app: FastifyInstance, dependencies: AccountPanelRoutesDependencies): void {
  const { database, currency, seal } = dependencies;

  app.get(
    '/accounts',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes, 'validation_failed'] },
      schema: {
        operationId: 'searchAccounts',
        summary: 'Accounts by name, group, state and balance, in several orders, as a page or as CSV',
        querystring: accountFilterSchema,
        response: { 200: foundAccountsSchema },
      },
    },
    async (request, reply) => {
      const { query, headers } = request;
      const format = readFormat(query, headers.accept, ['json', 'csv']);
      const page = readFilteredPage(seal, foundAccounts, 0, query, true);
      const { filter, position, limit, cursorAt } = page;
      const { balanceBelow } = filter;
      const balanceBelowCents = balanceBelow === '' ? null : parseAmount(balanceBelow);
      if (balanceBelow !== '' && balanceBelowCents === null) {
        const reason = 'must be an amount, such as 12.50';
        throw new RequestRefused(fieldRefusal('validation_failed', 'balance_below', reason));
      }
      const { today, month } = businessSpan(1, dependencies.now());
      const wanted = { ...filter, balanceBelowCents, days: { today, month } };
      if (filter.order === 'mrr') await dependencies.planSums.bringAllNearly();
      const find = (behind: string | null, rows: number) =>
        searchAccounts(database, { ...wanted, behind: behind ?? '', limit: rows });
      if (format === 'csv') {
        const pages = allPages(position, async (behind, rows) => {
          const { found, next } = await find(behind, rows);
          return { items: await viewsOf(found), next };
        });
        const turns = { exports: dependencies.exports, accountId: concurrencyOf(request) };
        return sendExport(reply, turns, format, 'accounts', accountListCsv(pages));
      }
      const [{ found, next }, total] = await Promise.all([
        find(position, limit),
        countSearchedAccounts(database, { ...wanted, behind: '', limit }),
      ]);
      return reply.send({ data: await viewsOf(found), next_cursor: cursorAt(next), total });
    },
  );

  async function viewsOf(found: readonly FoundAccount[]) {
    const ids = found.map(({ account }) => account.id);
    const [withTotp, outlooks] = await Promise.all([
      findTotpHolders(database, ids),
      findOutlooks(dependencies, ids),
    ]);
    return found.map(({ account, isHalted, lastOrderAt }) => ({
      ...accountView(account, currency, withTotp.has(account.id)),
      halted: isHalted,
      last_order_at: lastOrderAt === null ? null : formatTime(lastOrderAt),
      outlook: outlooks.get(account.id) ?? null,
    }));
  }

  app.get<WithId>(
    '/accounts/:id/outlook',
    {
      config: { scopes: ['admin:read'], codes: ['account_not_found'] },
      schema: {
        operationId: 'getAccountOutlook',
        summary: 'What an account brings a month, and when its balance runs out',
        response: { 200: accountOutlookSchema },
      },
    },
    async ({ params }, reply) => {
      const id = orRefuse(parseAccountId(params.id), 'account_not_found');
      orRefuse(await findAccount(database, id), 'account_not_found');
      return reply.send({ outlook: (await findOutlooks(dependencies, [id])).get(id) ?? null });
    },
  );
}
