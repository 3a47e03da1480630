// The account's own ledger: page by page, as monthly statements, and as a file.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { formatAmount } from '../../contract/amounts.ts';
import { isRefusal } from '../../contract/error-catalogue.ts';
import {
  cursorPageOf,
  ledgerExportSchema,
  ledgerFilterSchema,
  panelEntrySchema,
  statementListSchema,
} from '../../contract/panel-schemas.ts';
import { type FoundEntry, findEntriesDown, findEntriesUp } from '../../ledger/ledger-search.ts';
import { listStatements } from '../../ledger/statements.ts';
import { ledgerEntryView } from '../shapes/ledger-entry-view.ts';
import { ledgerCsv } from '../shapes/list-csv.ts';
import { endOfTime, type MonthSpan, numberMax, pageRows, readQuery } from '../shapes/list-filters.ts';
import type { PanelDependencies } from './panel-routes.ts';

const statementsMax = 36;
const exportRows = 500;

export function panelLedgerRoutes(app: FastifyInstance, dependencies: PanelDependencies): void {
  const { database, ledgerDays, currency } = dependencies;

  app.get(
    '/ledger',
    {
      config: { scopes: ['ledger:read'], codes: ['validation_failed'] },
      schema: {
        operationId: 'findLedgerEntries',
        summary: 'Ledger entries, newest first',
        querystring: ledgerFilterSchema,
        response: { 200: cursorPageOf(panelEntrySchema) },
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const filter = readQuery(query, (sent) => ({
        month: sent.month('month'),
        before: Math.min(numberMax, sent.number('before', numberMax)),
      }));
      if (isRefusal(filter)) return reply.refuse(filter);
      const span = await spanOf(account.id, filter.month);
      if (span === null) return reply.send({ data: [], next_before: null });
      const { items, nextBefore } = await findEntriesDown(database, account.id, null, {
        ...span,
        to: Math.min(span.to, account.entryCount, filter.before - 1),
        limit: pageRows,
      });
      return reply.send({
        data: items.map(({ entry, actor, customerReference }) => ({
          ...ledgerEntryView(entry, actor, currency),
          customer: customerReference,
        })),
        next_before: nextBefore,
      });
    },
  );

  app.get(
    '/statements',
    {
      config: { scopes: ['ledger:read'], codes: [] },
      schema: {
        operationId: 'listStatements',
        summary: 'Statements for the months with entries, newest first',
        response: { 200: statementListSchema },
      },
    },
    async ({ principal: { account, now } }, reply) => {
      const statements = (await listStatements(ledgerDays, account.id, now())).map((each) => ({
        month: each.month,
        opening: formatAmount(each.openingCents),
        credits: formatAmount(each.creditedCents),
        debits: formatAmount(each.debitedCents),
        charges: formatAmount(each.chargedCents),
        refunds: formatAmount(each.refundedCents),
        closing: formatAmount(each.closingCents),
        entries: each.entryCount,
      }));
      const moved = statements.filter(({ entries }) => entries > 0).reverse();
      return reply.send({ data: moved.slice(0, statementsMax) });
    },
  );

  app.get(
    '/ledger.csv',
    {
      config: { scopes: ['ledger:read'], codes: ['validation_failed'], takesLong: true },
      schema: {
        operationId: 'exportLedger',
        summary: 'The ledger as CSV, oldest first',
        description: 'Cells that a spreadsheet would take for a formula begin with an apostrophe.',
        querystring: ledgerExportSchema,
        produces: ['text/csv'],
      },
    },
    async ({ principal: { account }, query }, reply) => {
      const filter = readQuery(query, (sent) => ({ month: sent.month('month') }));
      if (isRefusal(filter)) return reply.refuse(filter);
      const span = await spanOf(account.id, filter.month);
      const name = `ledger-${account.username}${filter.month === null ? '' : `-${filter.month.month}`}.csv`;
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(Readable.from(ledgerCsv(pages(account.id, span), currency)));
    },
  );

  /** The numbers and moments of a month, or of everything; null: there are no entries. */
  async function spanOf(accountId: number, month: MonthSpan | null) {
    if (month === null) return { from: 1, to: numberMax, since: 0, until: endOfTime };
    const numbers = await ledgerDays.entrySpan(accountId, `${month.month}-01`, lastDayOf(month));
    return numbers === null ? null : { ...numbers, since: month.since, until: month.until };
  }

  async function* pages(
    accountId: number,
    span: { from: number; to: number; since: number; until: number } | null,
  ): AsyncGenerator<readonly FoundEntry[]> {
    if (span === null) return;
    let { from } = span;
    for (;;) {
      const page = await findEntriesUp(database, accountId, { ...span, from, limit: exportRows });
      if (page.length > 0) yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < exportRows) return;
      from = last.entry.number + 1;
    }
  }
}

function lastDayOf({ until }: MonthSpan): string {
  return new Date((until - 86_400) * 1000).toISOString().slice(0, 10);
}
