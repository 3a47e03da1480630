// What each account spent in a range of days, by the same sums as the operator's figures (spending-totals.ts).

import type { FastifyInstance } from 'fastify';
import { dayRange, numberMax, readQuery } from '../../platform/http/list-query.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { dayOf } from '../../shared/times.ts';
import { accountSpendingFilterSchema, accountSpendingSchema } from './spending-schemas.ts';
import type { SpendingReads } from './spending-totals.ts';
import { spendingKinds } from './spending-totals.ts';
import { figuresOf } from './spending-view.ts';

interface AccountSpendingRoutesDependencies {
  readonly now: () => EpochSeconds;
  readonly spending: SpendingReads;
}

const usualDays = 30;
const daysMax = 36 * 31;
const accountsMax = 100;

export function accountSpendingRoutes(
  app: FastifyInstance,
  { spending, now }: AccountSpendingRoutesDependencies,
): void {
  app.get(
    '/spending',
    {
      config: { scopes: ['admin:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'listSpendingOfAccounts',
        summary: 'What each account spent, ordered or got back, the most first',
        querystring: accountSpendingFilterSchema,
        response: { 200: accountSpendingSchema },
      },
    },
    async ({ query }, reply) => {
      const filter = readFilter(query, now());
      const { from, to } = filter;
      const found = await spending.byAccount({ ...filter, limit: accountsMax });
      return reply.send({
        from,
        to,
        count_of_accounts: found?.countOfAccounts ?? 0,
        totals: found && figuresOf(found.together),
        data:
          found?.accounts.map((account) => ({
            account: { id: account.id, username: account.username, display_name: account.displayName },
            ...figuresOf(account),
          })) ?? null,
      });
    },
  );
}

function readFilter(query: unknown, now: EpochSeconds) {
  const read = readQuery(query, (sent) => {
    const packageId = sent.number('package_id', 0) || null;
    return {
      ...dayRange(sent, now, { usual: usualDays, max: daysMax }),
      packageId: packageId && Math.min(packageId, numberMax),
      kind: sent.oneOf('kind', spendingKinds),
      by: sent.oneOf('sort', ['spent', 'orders', 'refunded']) ?? ('spent' as const),
    };
  });
  return { ...read, from: dayOf(read.from), to: dayOf(read.to), today: dayOf(now) };
}
