// The console's list of accounts, with filters and in two orders. The administrator's API has them by page
// (admin/account-admin-routes.ts).

import type { FastifyInstance } from 'fastify';
import { accountOrders, accountStates, searchAccounts } from '../../accounts/account-search.ts';
import { parseAmount } from '../../contract/amounts.ts';
import { fieldRefusal, isRefusal } from '../../contract/error-catalogue.ts';
import { accountFilterSchema, foundAccountsSchema } from '../../contract/panel-schemas.ts';
import { groups } from '../../contract/periods.ts';
import { findTotpHolders } from '../../identity/totp-store.ts';
import { accountView } from '../shapes/admin-views.ts';
import { pageRows, readQuery } from '../shapes/list-filters.ts';
import type { PanelDependencies } from './panel-routes.ts';

export function accountPanelRoutes(app: FastifyInstance, { database, currency }: PanelDependencies): void {
  app.get(
    '/accounts',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'searchAccounts',
        summary: 'Accounts by name, group, state and balance, newest first or by name',
        querystring: accountFilterSchema,
        response: { 200: foundAccountsSchema },
      },
    },
    async ({ query }, reply) => {
      const filter = readQuery(query, (sent) => ({
        search: sent.text('q').trim(),
        group: sent.oneOf('group', groups),
        state: sent.oneOf('state', accountStates),
        balanceBelow: sent.text('balance_below').trim(),
        order: sent.oneOf('sort', accountOrders) ?? 'newest',
        behind: sent.text('before'),
      }));
      if (isRefusal(filter)) return reply.refuse(filter);
      const { balanceBelow, order, behind } = filter;
      const balanceBelowCents = balanceBelow === '' ? null : parseAmount(balanceBelow);
      if (balanceBelow !== '' && balanceBelowCents === null) {
        const reason = 'must be an amount, such as 12.50';
        return reply.refuse(fieldRefusal('validation_failed', 'balance_below', reason));
      }
      if (order === 'newest' && !/^(?:[1-9]\d{0,8})?$/.test(behind)) {
        return reply.refuse(
          fieldRefusal('validation_failed', 'before', 'must be next_before of the page before'),
        );
      }
      const { found, next } = await searchAccounts(database, {
        ...filter,
        balanceBelowCents,
        limit: pageRows,
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
        next_before: next,
      });
    },
  );
}
