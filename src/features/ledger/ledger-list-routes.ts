import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { daysOf, endOfTime, type ListQuery, numberMax } from '../../platform/http/list-query.ts';
import { wordsOf } from '../../platform/http/searched-words.ts';
import { type OwnedId, parseOwnedId, parseOwnNumber, publicId } from '../../shared/identifiers.ts';
import { ledgerListQuerySchema, wordsParameter } from '../../shared/list-schemas.ts';
import type { EpochSeconds } from '../../shared/times.ts';
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
  /** Passed in by the service, because features/orders imports the ledger. */
  readonly searchOrders: (
    database: Database,
    accountId: number,
    sought: { readonly text: string; readonly id: OwnedId | null; readonly now: EpochSeconds },
  ) => Promise<
    (
      to: number,
      limit: number,
    ) => Promise<{ readonly numbers: readonly number[]; readonly nextBefore: number | null }>
  >;
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
  const names = ['kind', 'order_id', 'created_from', 'created_to'];
  const read = (sent: ListQuery) => ({
    kind: sent.oneOf('kind', entryKinds),
    orderId: sent.number('order_id', 0) || null,
    created: sent.span('created_from', 'created_to'),
  });
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
    filters: { list: 'ledger', names, read: (sent) => ({ ...read(sent), words: '' }) },
    forPages: {
      querystring: {
        words: wordsParameter(
          'Words of the customer, as in the list of customers; the id of the customer or of the order; the number of the entry.',
        ),
      },
      item: panelEntrySchema,
      filters: {
        list: 'ledger',
        names: [...names, 'words'],
        read: (sent) => ({ ...read(sent), words: wordsOf(sent) }),
      },
      figures: { totals: ledgerTotalsSchema },
      figuresOf: async (listed, filter) => ({ totals: await ledgerTotals(dependencies, listed, filter) }),
    },
    read: ({ account }, page, total) => listLedger(database, account.id, page, total),
    finder: (listed, filter) =>
      filter.words === ''
        ? (position, limit) => findEntries(dependencies, listed, filter, position, limit)
        : entrySearcher(dependencies, listed, filter),
    view:
      ({ account }, isForPages) =>
      ({ entry, actor, customerReference, customerName, customerNumber }) => ({
        ...ledgerEntryView(entry, actor, currency),
        ...(isForPages &&
          customerNumber !== undefined && {
            customer: customerReference,
            customer_name: customerName,
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

/** Orders whose entries are read for one page. Each takes a search of its own. */
const ordersOfPage = 25;

/** The entry of a number, or the entries of the orders found, 25 orders for a page. */
async function entrySearcher(
  { database, searchOrders }: Pick<LedgerListRoutesDependencies, 'database' | 'searchOrders'>,
  { account, counters, now }: ListedAccount,
  { kind, orderId, created, words }: LedgerFilter,
): Promise<(position: string | null, limit: number) => Promise<FoundItems<FoundEntry>>> {
  const total = counters.entryCount;
  const { since, until } = created ?? { since: 0, until: endOfTime };
  const isWanted = ({ entry }: FoundEntry) =>
    (kind === null || entry.kind === kind) &&
    (orderId === null ||
      (entry.orderNumber !== null && publicId(account.id, entry.orderNumber) === orderId)) &&
    entry.createdAt >= since &&
    entry.createdAt < until;
  const number = /^\d{1,9}$/.test(words) ? Number(words) : 0;
  if (number >= 1 && number <= total) {
    const span = { from: number, to: number, since, until, limit: 1 };
    const { items } = await findEntriesDown(database, account.id, null, span);
    return async () => ({ items: items.filter(isWanted), next: null });
  }
  const id = parseOwnedId(words);
  const find = await searchOrders(database, account.id, {
    text: words,
    id: id?.accountId === account.id ? id : null,
    now,
  });
  return async (position, limit) => {
    const atOnce = Math.min(ordersOfPage, Math.max(1, Math.floor(limit / 2)));
    const { numbers, nextBefore } = await find(position === null ? numberMax : Number(position) - 1, atOnce);
    const ofOrders = await Promise.all(
      numbers.map((one) => findEntriesOfOrder(database, account.id, one, total)),
    );
    return {
      items: ofOrders
        .flat()
        .filter(isWanted)
        .sort((one, other) => other.entry.number - one.entry.number),
      next: nextBefore === null ? null : String(nextBefore),
    };
  };
}
