// Everything that is kept about one customer, as pieces of one JSON object. Each list is read in pages, so a customer with any
// number of orders needs the memory of one page.
// Not in it: the request log and answers of webhook endpoints, which belong to the account and are deleted after days.

import type { Database, Queryable } from '../../platform/database/database.ts';
import { numberMax } from '../../platform/http/list-query.ts';
import { publicId } from '../../shared/identifiers.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { auditView } from '../audit/audit-view.ts';
import { searchAudit } from '../audit/search-audit-log.ts';
import { listLoginLinks } from '../customer-portal/login-link-log.ts';
import { loginLinkView } from '../customer-portal/login-link-view.ts';
import { listCustomerSessions } from '../customer-portal/login-links.ts';
import { customerView } from '../customers/customer-view.ts';
import { listFormerReferences } from '../customers/edit-customer.ts';
import { eventView } from '../events/event-view.ts';
import { eventsAboutCustomer } from '../events/events-about-customer.ts';
import { productCallsOfCustomer } from '../fulfillment/product-call-reads.ts';
import { productCallView } from '../fulfillment/product-call-view.ts';
import type { Account } from '../identity/account-table.ts';
import { type FoundEntry, findEntriesOfOrder, findEntriesUp } from '../ledger/find-entries.ts';
import { ledgerEntryView } from '../ledger/ledger-entry-view.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { findOrders } from '../orders/list-orders.ts';
import { orderView } from '../orders/order-view.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { type HistoryCursor, type HistoryItem, listPlanHistory, newest } from '../plans/plan-history.ts';
import { historyItemView } from '../plans/plan-history-page.ts';

const pageItems = 200;
const linksMax = 1_000;
const endOfTime = 253_402_300_800;

export interface CustomerToExport {
  readonly account: Pick<Account, 'id' | 'username'>;
  readonly customer: Customer;
  readonly packages: PackageCatalog;
  readonly currency: string;
  readonly now: EpochSeconds;
  /** The operator also gets calls to the product, the audit log, and names of the operator's people. */
  readonly isForOperator: boolean;
}

type Pages = AsyncIterable<readonly object[]>;

export async function* customerExport(database: Database, wanted: CustomerToExport): AsyncGenerator<string> {
  const { account, customer, packages, now, isForOperator } = wanted;
  const head = {
    exported_at: formatTime(now),
    account: { id: account.id, username: account.username },
    customer: customerView(customer, packages, now),
    former_references: await listFormerReferences(database, customer),
  };
  yield JSON.stringify(head).slice(0, -1);
  const lists: readonly (readonly [name: string, pages: Pages])[] = [
    ['orders', ordersOf(database, wanted)],
    ['history', historyOf(database, wanted)],
    ['ledger', ledgerOf(database, wanted)],
    ['events', eventsOf(database, customer)],
    ['login_links', loginLinksOf(database, wanted)],
    ['sessions', sessionsOf(database, wanted)],
    ...(isForOperator
      ? ([
          ['product_calls', callsOf(database, customer)],
          ['audit_log', auditOf(database, customer, head.former_references)],
        ] as const)
      : []),
  ];
  for (const [name, pages] of lists) {
    yield `,${JSON.stringify(name)}:[`;
    let isFirst = true;
    for await (const page of pages) {
      if (page.length === 0) continue;
      yield `${isFirst ? '' : ','}${JSON.stringify(page).slice(1, -1)}`;
      isFirst = false;
    }
    yield ']';
  }
  yield '}';
}

async function* ordersOf(
  database: Queryable,
  { customer, packages, currency }: CustomerToExport,
): AsyncGenerator<readonly object[]> {
  for (let to: number | null = numberMax; to !== null && to > 0; ) {
    const found: Awaited<ReturnType<typeof findOrders>> = await findOrders(database, customer.accountId, {
      ...{ from: 1, to, customerNumber: customer.number, kind: null, packageId: null },
      ...{ since: 0, until: endOfTime, limit: pageItems },
    });
    yield found.orders.map((order) => orderView(order, packages, currency));
    to = found.nextBefore === null ? null : found.nextBefore - 1;
  }
}

async function* historyPages(database: Database, customer: Customer): AsyncGenerator<readonly HistoryItem[]> {
  for (let before: HistoryCursor | null = newest; before !== null; ) {
    const page: Awaited<ReturnType<typeof listPlanHistory>> = await listPlanHistory(
      database,
      customer,
      before,
      pageItems,
    );
    yield page.items;
    before = page.next;
  }
}

async function* historyOf(
  database: Database,
  { customer, packages, currency }: CustomerToExport,
): AsyncGenerator<readonly object[]> {
  for await (const items of historyPages(database, customer))
    yield items.map((item) => historyItemView(item, packages, currency));
}

/** Entries have no customer. They are found by their orders, and by cancels, which name their refund. */
async function* ledgerOf(
  database: Database,
  { customer, currency }: CustomerToExport,
): AsyncGenerator<readonly object[]> {
  for await (const items of historyPages(database, customer))
    for (const item of items) {
      const entries = await entriesOf(database, customer.accountId, item);
      yield entries.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency));
    }
}

async function entriesOf(
  database: Database,
  accountId: number,
  { what }: HistoryItem,
): Promise<readonly FoundEntry[]> {
  if (!('change' in what)) return findEntriesOfOrder(database, accountId, what.order.number, numberMax);
  const { kind, entryNumber } = what.change;
  if (kind !== 'cancel' || entryNumber === null) return [];
  const one = { from: entryNumber, to: entryNumber, since: 0, until: endOfTime, limit: 1 };
  return findEntriesUp(database, accountId, one);
}

async function* eventsOf(
  database: Queryable,
  { accountId, number }: Customer,
): AsyncGenerator<readonly object[]> {
  for await (const events of eventsAboutCustomer(database, accountId, publicId(accountId, number)))
    yield events.map(eventView);
}

async function* loginLinksOf(
  database: Queryable,
  { customer, now, isForOperator }: CustomerToExport,
): AsyncGenerator<readonly object[]> {
  const { orders } = await findOrders(database, customer.accountId, {
    ...{ from: 1, to: numberMax, customerNumber: customer.number, kind: null, packageId: null },
    ...{ since: 0, until: endOfTime, limit: linksMax },
  });
  const numbers = orders.map(({ number }) => number);
  const links = await listLoginLinks(database, customer, numbers, now, linksMax);
  yield links.map((link) => loginLinkView(link, isForOperator));
}

async function* sessionsOf(
  database: Queryable,
  { customer, now }: CustomerToExport,
): AsyncGenerator<readonly object[]> {
  const sessions = await listCustomerSessions(database, customer, now);
  yield sessions.map(({ createdAt, expiresAt }) => ({
    created_at: formatTime(createdAt),
    expires_at: formatTime(expiresAt),
  }));
}

async function* callsOf(database: Queryable, customer: Customer): AsyncGenerator<readonly object[]> {
  for await (const calls of productCallsOfCustomer(database, customer)) yield calls.map(productCallView);
}

async function* auditOf(
  database: Queryable,
  { accountId, number, reference }: Customer,
  former: readonly string[],
): AsyncGenerator<readonly object[]> {
  const names = [publicId(accountId, number), reference, ...former];
  for (let before: number | null = numberMax; before !== null; ) {
    const page: Awaited<ReturnType<typeof searchAudit>> = await searchAudit(database, {
      ...{ actor: null, accountId: null, action: 'customer', since: 0, until: endOfTime },
      ...{ subjects: names.map((name) => `customer ${name}`), before, limit: pageItems },
    });
    yield page.entries.map(auditView);
    before = page.nextBefore;
  }
}
