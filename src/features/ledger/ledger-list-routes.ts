import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { daysOf, endOfTime, numberMax } from '../../platform/http/list-query.ts';
import { parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import { ledgerListQuerySchema } from '../../shared/list-schemas.ts';
import {
  type AccountList,
  type AccountListDependencies,
  accountListRoute,
  type FoundItems,
  type ListedAccount,
  type ListOwner,
} from '../identity/account-lists.ts';
import { entryKinds } from '../order-engine/records/ledger-entry.ts';
import type { DailyTotals } from './daily-totals.ts';
import { type FoundEntry, findEntriesDown, findEntriesOfOrder, type ListedEntry } from './find-entries.ts';
import { ledgerCsv } from './ledger-csv.ts';
import { ledgerEntryView } from './ledger-entry-view.ts';
import { ledgerTotalsSchema, panelEntrySchema } from './ledger-panel-schemas.ts';
import { type LedgerFilter, ledgerTotals } from './ledger-totals.ts';
import { listLedger } from './list-ledger.ts';

export interface LedgerListRoutesDependencies extends AccountListDependencies {
  readonly database: Database;
  readonly dailyTotals: DailyTotals;
  readonly currency: string;
}

export function ledgerListRoutes(
  app: FastifyInstance,
  dependencies: LedgerListRoutesDependencies,
  owner: ListOwner,
): void {
  accountListRoute(app, dependencies, owner, ledgerList(dependencies));
}

function ledgerList(dependencies: LedgerListRoutesDependencies): AccountList<LedgerFilter, ListedEntry> {
  const { database, currency } = dependencies;
  const filters: AccountList<LedgerFilter, ListedEntry>['filters'] = {
    list: 'ledger',
    names: ['kind', 'order_id', 'created_from', 'created_to'],
    read: (sent) => ({
      kind: sent.oneOf('kind', entryKinds),
      orderId: sent.number('order_id', 0) || null,
      created: sent.span('created_from', 'created_to'),
    }),
  };
  return {
    name: 'ledger',
    scope: 'ledger:read',
    counter: 'entryCount',
    documented: {
      own: {
        operationId: 'listLedger',
        summary: 'Ledger entries, newest first',
        description:
          'Every movement of your balance: the balance is the latest balance_after. Paged as orders are: by number without a filter, by cursor with one.',
      },
      ofAccount: {
        operationId: 'listAccountLedger',
        summary: 'Ledger of an account, newest first',
        description:
          'Every movement of its balance, with the same filters. The balance is the latest balance_after.',
      },
    },
    querystring: ledgerListQuerySchema,
    item: 'LedgerEntry',
    filters,
    forPages: {
      querystring: {},
      item: panelEntrySchema,
      filters,
      figures: { totals: ledgerTotalsSchema },
      figuresOf: async (listed, filter) => ({ totals: await ledgerTotals(dependencies, listed, filter) }),
    },
    read: ({ account }, page, total) => listLedger(database, account.id, page, total),
    finder: (listed, filter) => (position, limit) =>
      findEntries(dependencies, listed, filter, position, limit),
    view:
      ({ account }, isForPages) =>
      ({ entry, actor, customerReference, customerNumber }) => ({
        ...ledgerEntryView(entry, actor, currency),
        ...(isForPages &&
          customerNumber !== undefined && {
            customer: customerReference,
            customer_id: customerNumber === null ? null : publicId(account.id, customerNumber),
          }),
      }),
    csv: (pages) => ledgerCsv(pages, currency),
  };
}

async function findEntries(
  { database, dailyTotals }: Pick<LedgerListRoutesDependencies, 'database' | 'dailyTotals'>,
  { account, counters }: ListedAccount,
  { kind, orderId, created }: LedgerFilter,
  position: string | null,
  limit: number,
): Promise<FoundItems<FoundEntry>> {
  const total = counters.entryCount;
  const below = position === null ? numberMax : Number(position);
  const { since, until } = created ?? { since: 0, until: endOfTime };
  if (orderId !== null) {
    const orderNumber = parseOwnNumber(String(orderId), account.id);
    const found =
      orderNumber === null ? [] : await findEntriesOfOrder(database, account.id, orderNumber, total);
    const items = found
      .filter(({ entry }) => (kind === null || entry.kind === kind) && entry.number < below)
      .filter(({ entry: { createdAt } }) => createdAt >= since && createdAt < until)
      .reverse();
    const page = items.slice(0, limit);
    const last = items.length > limit ? page.at(-1) : undefined;
    return { items: page, next: last === undefined ? null : String(last.entry.number) };
  }
  const numbers =
    created === null ? { from: 1, to: total } : await dailyTotals.entrySpan(account.id, ...daysOf(created));
  if (numbers === null) return { items: [], next: null };
  const { items, nextBefore } = await findEntriesDown(database, account.id, kind, {
    from: numbers.from,
    to: Math.min(numbers.to, below - 1),
    since,
    until,
    limit,
  });
  return { items, next: nextBefore === null ? null : String(nextBefore) };
}
