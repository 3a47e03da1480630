// An account's ledger as the pages show it: what fits page by page with its totals, as monthly statements, and as a file. The
// list and the file are registered twice: for the account, and for the operator who looks at it.

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import {
  daysOf,
  endOfTime,
  type ListQuery,
  numberMax,
  pageRows,
  readQuery,
  type TimeSpan,
} from '../../platform/http/list-query.ts';
import { formatAmount } from '../../shared/amounts.ts';
import { parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import type { Account } from '../identity/account-table.ts';
import { type ListOwner, ownLists } from '../identity/list-owner.ts';
import { type EntryKind, entryKinds } from '../order-engine/records/ledger-entry.ts';
import type { DailyTotals } from './daily-totals.ts';
import { type FoundEntry, findEntriesDown, findEntriesOfOrder, findEntriesUp } from './find-entries.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { ledgerEntryView } from './ledger-entry-view.ts';
import {
  ledgerExportSchema,
  ledgerFilterSchema,
  ledgerPageSchema,
  statementListSchema,
} from './ledger-panel-schemas.ts';
import { listStatements } from './monthly-statements.ts';

interface LedgerPanelRoutesDependencies {
  readonly currency: string;
  readonly dailyTotals: DailyTotals;
  readonly database: Database;
}

const statementsMax = 36;
const exportRows = 500;
/** Entries of a day that is not whole which are added up one by one for the totals. */
const addedUpMax = 5_000;
const daySeconds = 86_400;

interface LedgerFilter {
  readonly kind: EntryKind | null;
  readonly orderId: number | null;
  /** null: all of it. */
  readonly span: TimeSpan | null;
  /** "2026-11", where one was asked for. */
  readonly month: string | null;
}

function filterOf(sent: ListQuery): LedgerFilter {
  const month = sent.month('month');
  const span = sent.span('from', 'to');
  return {
    kind: sent.oneOf('kind', entryKinds),
    orderId: sent.number('order_id', 0) || null,
    span: month ?? span,
    month: month?.month ?? null,
  };
}

type Totals = Record<EntryKind, bigint> & { entries: number };

export function ledgerListRoutes(
  app: FastifyInstance,
  dependencies: LedgerPanelRoutesDependencies,
  owner: ListOwner,
): void {
  const { currency } = dependencies;
  const { find, totalsOf, pages } = filteredLedger(dependencies);

  app.get(
    `${owner.path}/ledger`,
    {
      config: { scopes: owner.scopes('ledger:read'), codes: ['validation_failed', ...owner.codes] },
      schema: {
        operationId: `findLedgerEntries${owner.suffix}`,
        summary: 'Ledger entries, newest first, with the totals of their time',
        querystring: ledgerFilterSchema,
        response: { 200: ledgerPageSchema },
      },
    },
    async (request, reply) => {
      const filter = readQuery(request.query, (sent) => ({
        ...filterOf(sent),
        before: Math.min(numberMax, sent.number('before', numberMax)),
      }));
      const account = await owner.find(request);
      const [{ items, nextBefore }, totals] = await Promise.all([
        find(account, filter, filter.before),
        totalsOf(account, filter),
      ]);
      return reply.send({
        data: items.map(({ entry, actor, customerReference, customerNumber }) => ({
          ...ledgerEntryView(entry, actor, currency),
          customer: customerReference,
          customer_id: customerNumber === null ? null : publicId(account.id, customerNumber),
        })),
        next_before: nextBefore,
        totals: totals === null ? null : totalsView(totals),
      });
    },
  );

  app.get(
    `${owner.path}/ledger.csv`,
    {
      config: {
        scopes: owner.scopes('ledger:read'),
        codes: ['validation_failed', ...owner.codes],
        takesLong: true,
      },
      schema: {
        operationId: `exportLedger${owner.suffix}`,
        summary: 'The ledger, or what fits, as CSV, oldest first',
        description: 'Cells that a spreadsheet would take for a formula begin with an apostrophe.',
        querystring: ledgerExportSchema,
        produces: ['text/csv'],
      },
    },
    async (request, reply) => {
      const filter = readQuery(request.query, filterOf);
      const account = await owner.find(request);
      const name = `ledger-${account.username}${filter.month === null ? '' : `-${filter.month}`}.csv`;
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(Readable.from(ledgerCsv(pages(account, filter), currency)));
    },
  );
}

/** Entries as a filter finds them. */
function filteredLedger({ database, dailyTotals }: LedgerPanelRoutesDependencies) {
  async function find(account: Account, filter: LedgerFilter, before: number) {
    const { kind, orderId } = filter;
    if (orderId !== null) {
      const items = (await ofOrder(account, filter)).filter(({ entry }) => entry.number < before).reverse();
      return { items, nextBefore: null };
    }
    const span = await spanOf(account.id, filter.span);
    if (span === null) return { items: [], nextBefore: null };
    const to = Math.min(span.to, account.entryCount, before - 1);
    return findEntriesDown(database, account.id, kind, { ...span, to, limit: pageRows });
  }

  /** Those of the filter's order, oldest first: a handful. */
  async function ofOrder(account: Account, { kind, orderId, span }: LedgerFilter): Promise<FoundEntry[]> {
    const number = parseOwnNumber(String(orderId), account.id);
    if (number === null) return [];
    const { since, until } = span ?? { since: 0, until: endOfTime };
    return (await findEntriesOfOrder(database, account.id, number, account.entryCount)).filter(
      ({ entry }) =>
        (kind === null || entry.kind === kind) && entry.createdAt >= since && entry.createdAt < until,
    );
  }

  /** Of whole UTC days from their sums, of the others at the ends from their entries; null: those are too many. */
  async function totalsOf(account: Account, filter: LedgerFilter): Promise<Totals | null> {
    const totals: Totals = { credit: 0n, debit: 0n, charge: 0n, refund: 0n, entries: 0 };
    const add = (found: readonly FoundEntry[]) => {
      for (const { entry } of found) {
        totals[entry.kind] += entry.amountCents < 0n ? -entry.amountCents : entry.amountCents;
        totals.entries += 1;
      }
    };
    if (filter.orderId !== null) {
      add(await ofOrder(account, filter));
      return totals;
    }
    const span = filter.span ?? { since: 0, until: endOfTime };
    const [firstDay, lastDay] = daysOf(span);
    const days = await dailyTotals.sums(account.id, 'day', firstDay === '' ? '1970-01-01' : firstDay);
    for (const day of days) {
      if (lastDay !== '' && day.date > lastDay) break;
      const begin = Date.parse(`${day.date}T00:00:00Z`) / 1000;
      if (begin >= span.since && begin + daySeconds <= span.until) {
        totals.credit += day.creditedCents;
        totals.debit += day.debitedCents;
        totals.charge += day.chargedCents;
        totals.refund += day.refundedCents;
        totals.entries += day.entryCount;
        continue;
      }
      const { from, to } = day.entries;
      if (to - from >= addedUpMax) return null;
      add(await findEntriesUp(database, account.id, { from, to, ...span, limit: addedUpMax }));
    }
    return totals;
  }

  /** The numbers and moments of a span, or of everything; null: there are no entries. */
  async function spanOf(accountId: number, span: TimeSpan | null) {
    if (span === null) return { from: 1, to: numberMax, since: 0, until: endOfTime };
    const numbers = await dailyTotals.entrySpan(accountId, ...daysOf(span));
    return numbers === null ? null : { ...numbers, since: span.since, until: span.until };
  }

  async function* pages(account: Account, filter: LedgerFilter): AsyncGenerator<readonly FoundEntry[]> {
    if (filter.orderId !== null) {
      yield await ofOrder(account, filter);
      return;
    }
    const span = await spanOf(account.id, filter.span);
    if (span === null) return;
    let { from } = span;
    for (;;) {
      const page = await findEntriesUp(database, account.id, { ...span, from, limit: exportRows });
      const fits = page.filter(({ entry }) => filter.kind === null || entry.kind === filter.kind);
      if (fits.length > 0) yield fits;
      const last = page.at(-1);
      if (last === undefined || page.length < exportRows) return;
      from = last.entry.number + 1;
    }
  }

  return { find, totalsOf, pages };
}

function totalsView({ credit, debit, charge, refund, entries }: Totals) {
  return {
    credits: formatAmount(credit),
    debits: formatAmount(debit),
    charges: formatAmount(charge),
    refunds: formatAmount(refund),
    entries,
  };
}

export function panelLedgerRoutes(app: FastifyInstance, dependencies: LedgerPanelRoutesDependencies): void {
  const { dailyTotals } = dependencies;
  ledgerListRoutes(app, dependencies, ownLists);

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
      const statements = (await listStatements(dailyTotals, account.id, now())).map((each) => ({
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
}
