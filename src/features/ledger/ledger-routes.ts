// GET /ledger: the account's own ledger, page by page, or what fits a filter.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { type FilterableList, filteredListCodes, readFilteredPage } from '../../platform/http/cursor-page.ts';
import {
  daysOf,
  endOfTime,
  type ListQuery,
  numberMax,
  type TimeSpan,
} from '../../platform/http/list-query.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { parseOwnNumber } from '../../shared/identifiers.ts';
import { filteredPageOf, ledgerListQuerySchema } from '../../shared/list-schemas.ts';
import { pageAnswer, parsePage } from '../../shared/pages.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import { type EntryKind, entryKinds } from '../order-engine/records/ledger-entry.ts';
import type { DailyTotals } from './daily-totals.ts';
import { type FoundEntry, findEntriesDown, findEntriesOfOrder } from './find-entries.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { ledgerEntryView } from './ledger-entry-view.ts';
import { listLedger } from './list-ledger.ts';

export interface LedgerRoutesDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly dailyTotals: DailyTotals;
  readonly exports: PerAccountConcurrency;
  readonly confirm: { readonly preHandler: preHandlerAsyncHookHandler };
  readonly currency: string;
}

interface LedgerFilter {
  readonly kind: EntryKind | null;
  readonly orderId: number | null;
  readonly created: TimeSpan | null;
}

const ledgerList: FilterableList<LedgerFilter> = {
  list: 'ledger',
  names: ['kind', 'order_id', 'created_from', 'created_to'],
  read: (sent: ListQuery) => ({
    kind: sent.oneOf('kind', entryKinds),
    orderId: sent.number('order_id', 0) || null,
    created: sent.span('created_from', 'created_to'),
  }),
};

export function ledgerRoutes(app: FastifyInstance, dependencies: LedgerRoutesDependencies): void {
  const { database, seal, exports, confirm, currency } = dependencies;

  app.get(
    '/ledger',
    {
      ...confirm,
      config: { scopes: ['ledger:read'], codes: [...filteredListCodes] },
      schema: {
        operationId: 'listLedger',
        summary: 'Ledger entries, newest first',
        description:
          'Every movement of your balance: the balance is the latest balance_after. Paged as orders are: by number without a filter, by cursor with one.',
        querystring: ledgerListQuerySchema,
        response: { 200: filteredPageOf('LedgerEntry') },
      },
    },
    async (request, reply) => {
      const { account } = request.principal;
      const { entryCount: total } = request.counters;
      const format = readFormat(request.query, request.headers.accept, ['json', 'csv']);
      const filtered = readFilteredPage(seal, ledgerList, account.id, request.query, format === 'csv');
      const view = ({ entry, actor }: Pick<FoundEntry, 'entry' | 'actor'>) =>
        ledgerEntryView(entry, actor, currency);
      if (filtered === null) {
        const page = parsePage(request.query);
        const list = await listLedger(database, account.id, page, total);
        return reply.send(pageAnswer(list.map(view), page, total));
      }
      const { filter, position, limit, cursorAt } = filtered;
      const find = (place: string | null, rows: number) =>
        findOwnEntries(dependencies, account.id, total, filter, place, rows);
      if (format === 'csv') {
        const pages = allPages(position, find);
        const csv = ledgerCsv(pages, currency);
        return sendExport(
          reply,
          { exports, accountId: concurrencyOf(request) },
          format,
          `ledger-${account.username}`,
          csv,
        );
      }
      const found = await find(position, limit);
      return reply.send({ data: found.items.map(view), next_cursor: cursorAt(found.next) });
    },
  );
}

/** A page of what fits, newest first; a position is the number of the last entry before it. */
async function findOwnEntries(
  { database, dailyTotals }: Pick<LedgerRoutesDependencies, 'database' | 'dailyTotals'>,
  accountId: number,
  total: number,
  { kind, orderId, created }: LedgerFilter,
  position: string | null,
  limit: number,
): Promise<{ items: readonly FoundEntry[]; next: string | null }> {
  const below = position === null ? numberMax : Number(position);
  const { since, until } = created ?? { since: 0, until: endOfTime };
  if (orderId !== null) {
    const orderNumber = parseOwnNumber(String(orderId), accountId);
    const found =
      orderNumber === null ? [] : await findEntriesOfOrder(database, accountId, orderNumber, total);
    const items = found
      .filter(({ entry }) => (kind === null || entry.kind === kind) && entry.number < below)
      .filter(({ entry: { createdAt } }) => createdAt >= since && createdAt < until)
      .reverse();
    const page = items.slice(0, limit);
    const last = items.length > limit ? page.at(-1) : undefined;
    return { items: page, next: last === undefined ? null : String(last.entry.number) };
  }
  const numbers =
    created === null ? { from: 1, to: total } : await dailyTotals.entrySpan(accountId, ...daysOf(created));
  if (numbers === null) return { items: [], next: null };
  const { items, nextBefore } = await findEntriesDown(database, accountId, kind, {
    from: numbers.from,
    to: Math.min(numbers.to, below - 1),
    since,
    until,
    limit,
  });
  return { items, next: nextBefore === null ? null : String(nextBefore) };
}
