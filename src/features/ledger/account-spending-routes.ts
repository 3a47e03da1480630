// What each account spent in some days, of one package or kind or of all: where the operator's figures lead to. From the same
// sums as the figures (src/features/ledger/spending-totals.ts), so that they add up.

import type { FastifyInstance } from 'fastify';
import { numberMax, readQuery } from '../../platform/http/list-query.ts';
import { orRefuse } from '../../platform/http/request-refused.ts';
import { fieldRefusal, isRefusal, type Refusal } from '../../shared/error-catalogue.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { accountSpendingFilterSchema, accountSpendingSchema } from './spending-schemas.ts';
import type { SpendingReads } from './spending-totals.ts';
import { spendingKinds } from './spending-totals.ts';
import { figuresOf } from './spending-view.ts';

interface AccountSpendingRoutesDependencies {
  readonly now: () => EpochSeconds;
  readonly spending: SpendingReads;
}

const usualDays = 30;
/** As many months as the figures have, whole. */
const daysMax = 36 * 31;
const accountsMax = 100;
const daySeconds = 86_400;

/** For the operator; below /admin. */
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
      const filter = orRefuse(readFilter(query, now()));
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
    const to = sent.day('to') ?? now - (now % daySeconds);
    const packageId = sent.number('package_id', 0) || null;
    return {
      from: sent.day('from') ?? to - (usualDays - 1) * daySeconds,
      to,
      // No package has such an id, and the database takes no such number.
      packageId: packageId && Math.min(packageId, numberMax),
      kind: sent.oneOf('kind', spendingKinds),
      by: sent.oneOf('sort', ['spent', 'orders', 'refunded']) ?? ('spent' as const),
    };
  });
  if (isRefusal(read)) return read;
  const problem = spanProblem(read.from, read.to);
  const dayOf = (at: EpochSeconds) => formatTime(at).slice(0, 10);
  return problem ?? { ...read, from: dayOf(read.from), to: dayOf(read.to), today: dayOf(now) };
}

function spanProblem(from: EpochSeconds, to: EpochSeconds): Refusal | null {
  if (from > to) return fieldRefusal('validation_failed', 'to', 'must not be before from');
  if (to - from < daysMax * daySeconds) return null;
  return fieldRefusal('validation_failed', 'from', `must be fewer than ${daysMax} days before to`);
}
