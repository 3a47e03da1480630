// The console's top-ups: the list of the administrators' API with search by payment reference and CSV, and its sums.

import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { csvOf, type Pages } from '../../platform/http/csv.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { oneOfParameter } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { topupStatuses } from '../../shared/topup-words.ts';
import { findAccountNames } from '../identity/account-names.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { accountOfReference, findAskedAmounts, findTopupsOf } from './find-topups.ts';
import type { AllTopupsFilter } from './list-all-topups.ts';
import { listOpenProblems } from './payment-problems.ts';
import { type ListedTopupView, readTopups, readUnstated, topupFilters, viewTopups } from './read-topups.ts';
import { problemsMax, problemView } from './topup-admin-routes.ts';
import { allTopupsQuerySchema, allTopupsSchema } from './topup-admin-schemas.ts';
import { namedProblemSchema, topupSumsSchema } from './topup-panel-schemas.ts';
import { filterOfGroup, sumTopupsOfAll, type TopupGroup, topupGroups } from './topup-sums.ts';

interface TopupPanelRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly exports: PerAccountConcurrency;
  readonly now: () => EpochSeconds;
  readonly seal: Seal;
}

interface SearchedTopups extends AllTopupsFilter {
  readonly typed: string;
  /** Sent as the status. */
  readonly group: TopupGroup | null;
}

const filters: FilterableList<SearchedTopups> = {
  list: 'top-ups in the console',
  names: [...topupFilters.names, 'reference'],
  read: (sent) => {
    const status = sent.oneOf('status', [...topupStatuses, ...topupGroups]);
    const group = topupGroups.find((name) => name === status) ?? null;
    const statuses = topupStatuses.filter((name) => name === status);
    return {
      ...readUnstated(sent),
      statuses: statuses.length === 0 ? null : statuses,
      group,
      typed: sent.text('reference').trim(),
    };
  },
};

export function topupPanelRoutes(app: FastifyInstance, dependencies: TopupPanelRoutesDependencies): void {
  const { currency, database, exports, now, seal } = dependencies;

  app.get(
    '/topups',
    {
      config: { scopes: ['admin:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'searchTopups',
        summary: 'Top-ups of all accounts, newest first, as a page or as CSV',
        querystring: Type.Object({
          ...allTopupsQuerySchema.properties,
          status: oneOfParameter([...topupStatuses, ...topupGroups], 'A status, or the top-ups of a sum.'),
          reference: Type.Optional(
            Type.String({
              description:
                'An account’s bank reference, the provider’s name of a payment, or the id of a top-up.',
              maxLength: 255,
            }),
          ),
          format: Type.Optional(Type.String({ description: 'csv: all that match instead of a page.' })),
        }),
        response: { 200: allTopupsSchema },
      },
    },
    async (request, reply) => {
      const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
      const { filter, position, limit, cursorAt } = readFilteredPage(seal, filters, 0, request.query, true);
      const find = (from: string | null, rows: number) => findPage(filter, from, rows);
      if (format === 'csv') {
        const pages = allPages(position, async (from, rows) => {
          const { data, next } = await find(from, rows);
          return { items: data, next };
        });
        return sendExport(
          reply,
          { exports, accountId: concurrencyOf(request) },
          'csv',
          'top-ups',
          topupCsv(pages),
        );
      }
      const { data, next } = await find(position, limit);
      return reply.send({ data, next_cursor: cursorAt(next) });
    },
  );

  app.get(
    '/topup-sums',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'sumTopups',
        summary:
          'What was credited and what went back this month, what is pending, what failed, and what accounts owe',
        response: { 200: topupSumsSchema },
      },
    },
    async (_request, reply) => {
      const sums = await sumTopupsOfAll(database, now());
      const view = ({ count, cents }: { count: number; cents: bigint }) => ({
        count,
        amount: formatAmount(cents),
      });
      return reply.send({
        credited: view(sums.credited),
        refunded: view(sums.refunded),
        disputed: view(sums.disputed),
        pending: view(sums.pending),
        failed: view(sums.failed),
        failed_days: sums.failedDays,
        owed: view(sums.owed),
        more: sums.isCut,
      });
    },
  );

  app.get(
    '/payment-problems',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'listNamedPaymentProblems',
        summary: 'Payments that need attention, with the names of their accounts',
        response: { 200: Type.Object({ data: Type.Array(namedProblemSchema) }) },
      },
    },
    async (_request, reply) => {
      const problems = await listOpenProblems(database, 0, problemsMax);
      const [names, asked] = await Promise.all([
        findAccountNames(
          database,
          problems.map(({ accountId }) => accountId),
        ),
        findAskedAmounts(
          database,
          problems.filter(({ reason }) => reason === 'amount_differs'),
        ),
      ]);
      return reply.send({
        data: problems.map((problem) => ({
          ...problemView(problem),
          username: names.get(problem.accountId) ?? null,
          asked: asked.get(`${problem.accountId}.${problem.topupNumber}`) ?? null,
        })),
      });
    },
  );

  async function findPage({ typed, group, ...sent }: SearchedTopups, position: string | null, limit: number) {
    const filter = group === null ? sent : filterOfGroup(sent, group, now());
    if (typed === '') return readTopups({ database, currency }, filter, position, limit);
    const accountId = accountOfReference(typed);
    if (accountId === null) {
      const found = await findTopupsOf(database, typed, filter);
      return { data: await viewTopups({ database, currency }, found), next: null };
    }
    const isOther = filter.accountId !== null && filter.accountId !== accountId;
    if (isOther || filter.method === 'card') return { data: [], next: null };
    const ofAccount = { ...filter, accountId, method: 'bank_transfer' } as const;
    return readTopups({ database, currency }, ofAccount, position, limit);
  }
}

const columns = [
  'id',
  'account_id',
  'account',
  'method',
  'status',
  'amount',
  'refunded',
  'disputed',
  'currency',
  'reference',
  'created_at',
  'credited_at',
  'ledger_entry_id',
] as const;

function topupCsv(pages: Pages<ListedTopupView>): AsyncGenerator<string> {
  return csvOf(pages, columns, ({ topup, account }) => [
    String(topup.id),
    String(account.id),
    { text: account.username },
    topup.method,
    topup.status,
    topup.amount,
    topup.refunded,
    topup.disputed,
    topup.currency,
    { text: topup.reference ?? '' },
    topup.created_at,
    topup.credited_at ?? '',
    String(topup.ledger_entry_id ?? ''),
  ]);
}
