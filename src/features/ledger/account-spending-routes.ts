// What each account spent in a range of days, by the same sums as the operator's figures (spending-totals.ts).

import type { FastifyInstance } from 'fastify';
import { readFormat } from '../../platform/http/answer-format.ts';
import { csvOf } from '../../platform/http/csv.ts';
import { dayRange, numberMax, readQuery } from '../../platform/http/list-query.ts';
import { sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { dayOf } from '../../shared/times.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { accountSpendingFilterSchema, accountSpendingSchema } from './spending-schemas.ts';
import type { AccountSpending, SpendingReads } from './spending-totals.ts';
import { spendingKinds } from './spending-totals.ts';
import { figuresOf } from './spending-view.ts';

interface AccountSpendingRoutesDependencies {
  readonly currency: string;
  readonly exports: PerAccountConcurrency;
  readonly now: () => EpochSeconds;
  readonly spending: SpendingReads;
}

const usualDays = 30;
const daysMax = 36 * 31;
const accountsMax = 100;

export function accountSpendingRoutes(
  app: FastifyInstance,
  { spending, exports, currency, now }: AccountSpendingRoutesDependencies,
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
    async (request, reply) => {
      const { query, headers } = request;
      const format = readFormat(query, headers.accept, ['json', 'csv']);
      const filter = readFilter(query, now());
      const { from, to } = filter;
      const limit = format === 'csv' ? numberMax : accountsMax;
      const found = await spending.byAccount({ ...filter, limit });
      if (format === 'csv') {
        if (found === null) throw new Overloaded('Past orders are still being totaled.');
        const turns = { exports, accountId: concurrencyOf(request) };
        return sendExport(reply, turns, format, 'revenue', revenueCsv(found.accounts, currency));
      }
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

function revenueCsv(accounts: readonly AccountSpending[], currency: string): AsyncGenerator<string> {
  async function* pages() {
    yield accounts;
  }
  const header = [
    'account_id',
    'username',
    'display_name',
    'orders',
    'charged',
    'refunded',
    'spent',
    'currency',
  ];
  return csvOf(pages(), header, (account) => {
    const { orders, charged, refunded, spent } = figuresOf(account);
    return [
      String(account.id),
      { text: account.username },
      { text: account.displayName },
      ...[String(orders), charged, refunded, spent, currency],
    ];
  });
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
