// GET /statements and GET /statements/{month}: the ledger by month as JSON, CSV or PDF.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { readFormat } from '../../platform/http/answer-format.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import { allPages, sendExport } from '../../platform/http/send-export.ts';
import type { PerAccountConcurrency } from '../../platform/limits/per-account-concurrency.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { refusal } from '../../shared/error-catalog.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { BrandHolder } from '../brand/brand-store.ts';
import { documentTranslator } from '../brand/document-language.ts';
import type { Account } from '../identity/account-table.ts';
import { concurrencyOf } from '../identity/whose-turn.ts';
import type { DailyTotals } from './daily-totals.ts';
import { type FoundEntry, findEntriesUp } from './find-entries.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { ledgerEntryView } from './ledger-entry-view.ts';
import { listStatements, type MonthlyStatement } from './monthly-statements.ts';
import { statementPdf } from './statement-pdf.ts';
import {
  monthParameterSchema,
  type StatementView,
  statementAnswerSchema,
  statementFormatSchema,
  statementsAnswerSchema,
} from './statement-schemas.ts';

export interface StatementRoutesDependencies {
  readonly database: Database;
  readonly dailyTotals: DailyTotals;
  readonly exports: PerAccountConcurrency;
  readonly currency: string;
  readonly pdfEntriesMax: number;
  readonly brand: BrandHolder;
  /** Used if the brand has no letterhead. */
  readonly statementIssuer: readonly string[];
}

export function statementRoutes(app: FastifyInstance, dependencies: StatementRoutesDependencies): void {
  const {
    database,
    dailyTotals,
    exports,
    currency,
    pdfEntriesMax,
    brand,
    statementIssuer: issuer,
  } = dependencies;

  app.get(
    '/statements',
    {
      config: { scopes: ['ledger:read'], codes: [] },
      schema: {
        operationId: 'listStatements',
        summary: 'Monthly statements, newest first',
        description:
          'From the month of the first entry to the present one. A month opens with what the one before it closed with.',
        response: { 200: statementsAnswerSchema },
      },
    },
    async ({ principal: { account, now } }, reply) => {
      const statements = await listStatements(dailyTotals, account.id, now());
      return reply.send({ data: statements.reverse().map((each) => statementView(each, currency)) });
    },
  );

  app.get<{ Params: { month: string } }>(
    '/statements/:month',
    {
      config: {
        scopes: ['ledger:read'],
        codes: ['invalid_filter', 'too_many_entries', 'statement_not_found'],
      },
      schema: {
        operationId: 'getStatement',
        summary: 'One statement with its entries, oldest first',
        description:
          'As JSON, CSV (the entries alone) or PDF, by format or else by the Accept header. The present month is not final; a month that is over never changes, and its PDF has the same bytes each time, in the same language (Accept-Language: en, de) and with the same letterhead.',
        params: monthParameterSchema,
        querystring: statementFormatSchema,
        response: { 200: statementAnswerSchema },
      },
    },
    async (request, reply) => {
      const { principal, params, query, headers } = request;
      const format = readFormat(query, headers.accept, ['json', 'csv', 'pdf']);
      const translator = orRefuse(documentTranslator(request, brand.current()));
      const { account } = principal;
      const now = principal.now();
      const statement = orRefuse(
        (await listStatements(dailyTotals, account.id, now)).find(({ month }) => month === params.month),
        'statement_not_found',
      );
      if (format === 'pdf' && statement.entryCount > pdfEntriesMax) {
        const details = { entries: statement.entryCount, entries_max: pdfEntriesMax };
        throw new RequestRefused(refusal('too_many_entries', details));
      }
      const whose = account.testOf === null ? account.username : 'test';
      const name = `statement-${whose}-${statement.month}`;
      const chunks = {
        json: () => statementJson(statement, account),
        csv: () => ledgerCsv(entriesOf(account, statement), currency),
        pdf: () => {
          const { username, displayName: accountName } = account;
          const letterhead = { brand: brand.current(), issuer };
          const head = { statement, letterhead, translator, accountName, username, currency, now };
          return statementPdf(head, entriesOf(account, statement));
        },
      }[format];
      return sendExport(reply, { exports, accountId: concurrencyOf(request) }, format, name, chunks());
    },
  );

  /** In pieces, because the whole could exceed the memory. */
  async function* statementJson(statement: MonthlyStatement, account: Account): AsyncGenerator<string> {
    const head = JSON.stringify(statementView(statement, currency));
    yield `{"statement":${head.slice(0, -1)},"entries":[`;
    let isFirst = true;
    for await (const page of entriesOf(account, statement)) {
      const entries = page.map(({ entry, actor }) => JSON.stringify(ledgerEntryView(entry, actor, currency)));
      yield `${isFirst ? '' : ','}${entries.join(',')}`;
      isFirst = false;
    }
    yield ']}}';
  }

  /** Oldest first. Leaves out entries that are newer than the sums, so that the statement adds up. */
  function entriesOf(
    { id }: Account,
    { month, entries }: MonthlyStatement,
  ): AsyncGenerator<readonly FoundEntry[]> {
    const { since, until } = spanOf(month);
    return allPages<FoundEntry>(null, async (position, limit) => {
      if (entries === null) return { items: [], next: null };
      const from = position === null ? entries.from : Number(position);
      const items = await findEntriesUp(database, id, { from, to: entries.to, since, until, limit });
      const last = items.at(-1);
      const isMore = last !== undefined && items.length === limit;
      return { items, next: isMore ? String(last.entry.number + 1) : null };
    });
  }
}

function spanOf(month: string): { since: EpochSeconds; until: EpochSeconds } {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return { since: Date.UTC(year, number - 1, 1) / 1000, until: Date.UTC(year, number, 1) / 1000 };
}

function statementView(statement: MonthlyStatement, currency: string): StatementView {
  return {
    month: statement.month,
    final: statement.isFinal,
    currency,
    opening: formatAmount(statement.openingCents),
    credits: formatAmount(statement.creditedCents),
    debits: formatAmount(statement.debitedCents),
    charges: formatAmount(statement.chargedCents),
    refunds: formatAmount(statement.refundedCents),
    closing: formatAmount(statement.closingCents),
    entry_count: statement.entryCount,
  };
}
