// The console's account list, with filters and two orders. The admin API lists by page number (account-admin-routes.ts).

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import type { ListQuery } from '../../platform/http/list-query.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { groups } from '../../shared/periods.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import { accountView } from '../identity/account-view.ts';
import { accountFilterSchema, foundAccountsSchema } from './account-panel-schemas.ts';
import { accountOrders, accountStates, searchAccounts } from './list-accounts.ts';

interface AccountPanelRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
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

export function accountPanelRoutes(
  app: FastifyInstance,
  { database, currency, seal }: AccountPanelRoutesDependencies,
): void {
  app.get(
    '/accounts',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes, 'validation_failed'] },
      schema: {
        operationId: 'searchAccounts',
        summary: 'Accounts by name, group, state and balance, newest first or by name',
        querystring: accountFilterSchema,
        response: { 200: foundAccountsSchema },
      },
    },
    async ({ query }, reply) => {
      const page = readFilteredPage(seal, foundAccounts, 0, query, true);
      const { filter, position, limit, cursorAt } = page;
      const { balanceBelow } = filter;
      const balanceBelowCents = balanceBelow === '' ? null : parseAmount(balanceBelow);
      if (balanceBelow !== '' && balanceBelowCents === null) {
        const reason = 'must be an amount, such as 12.50';
        throw new RequestRefused(fieldRefusal('validation_failed', 'balance_below', reason));
      }
      const { found, next } = await searchAccounts(database, {
        ...filter,
        balanceBelowCents,
        behind: position ?? '',
        limit,
      });
      const withTotp = await findTotpHolders(
        database,
        found.map(({ account }) => account.id),
      );
      return reply.send({
        data: found.map(({ account, isHalted }) => ({
          ...accountView(account, currency, withTotp.has(account.id)),
          halted: isHalted,
        })),
        next_cursor: cursorAt(next),
      });
    },
  );
}
