// The kinds of data in an account's export: how each is read, in pages, and which columns its CSV has.
// Invariant: no password, key, secret, token or hash of one is in a row.

import type { Queryable } from '../../platform/database/database.ts';
import { csvOf } from '../../platform/http/csv.ts';
import { numberMax } from '../../platform/http/list-query.ts';
import { allPages, mapPages } from '../../platform/http/send-export.ts';
import type { CsvCell } from '../../shared/csv-text.ts';
import { type EpochSeconds, formatTime } from '../../shared/times.ts';
import { findTotpHolders } from '../auth/totp-store.ts';
import { customerCsv } from '../customers/customer-csv.ts';
import { customerView } from '../customers/customer-view.ts';
import { listEveryFormerReference } from '../customers/edit-customer.ts';
import { everyCustomer, findCustomers } from '../customers/list-customers.ts';
import { listEvents } from '../events/account-feed.ts';
import { eventView } from '../events/event-view.ts';
import { findAccountNames } from '../identity/account-names.ts';
import type { Account } from '../identity/account-table.ts';
import { findApiKeyNames } from '../identity/api-key-rows.ts';
import { findPeopleNames, listPeople } from '../identity/find-people.ts';
import { keyView } from '../keys/key-view.ts';
import { listAccountKeys } from '../keys/manage-keys.ts';
import { type FoundEntry, findEntriesUp } from '../ledger/find-entries.ts';
import { ledgerCsv } from '../ledger/ledger-csv.ts';
import { ledgerEntryView } from '../ledger/ledger-entry-view.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import { findOrders } from '../orders/list-orders.ts';
import { orderCsv } from '../orders/order-csv.ts';
import { orderView } from '../orders/order-view.ts';
import { listEveryAccountPrice } from '../packages/account-price-store.ts';
import type { PackageCatalog } from '../packages/package-catalog.ts';
import { writtenPriceList } from '../packages/written-prices.ts';
import { listTopups } from '../payments/topup-store.ts';
import { topupView } from '../payments/topup-view.ts';
import { personView } from '../people/person-view.ts';
import { listPlanChanges, planChangeRowView } from '../plans/list-plan-changes.ts';
import { listRequests } from '../request-log/find-requests.ts';
import { requestView } from '../request-log/request-view.ts';
import { listWebhooks } from '../webhooks/webhook-store.ts';
import { webhookView } from '../webhooks/webhook-view.ts';

const pageItems = 500;
const endOfTime = 253_402_300_800;

export interface AccountToExport {
  readonly account: Account;
  readonly packages: PackageCatalog;
  readonly currency: string;
  readonly now: EpochSeconds;
}

type Pages<Item> = AsyncIterable<readonly Item[]>;

export interface ExportedKind {
  readonly name: string;
  readonly about: string;
  /** Each reads the snapshot again. */
  readonly objects: () => Pages<object>;
  readonly csv: () => AsyncIterable<string>;
}

/** In the order of the manifest. `onEntries` gets each page of the ledger's file. */
export function kindsOfAccount(
  snapshot: Queryable,
  wanted: AccountToExport,
  onEntries: (entries: readonly FoundEntry[]) => void,
): readonly ExportedKind[] {
  return [
    ...customersAndOrders(snapshot, wanted),
    ...money(snapshot, wanted, onEntries),
    ...activity(snapshot, wanted),
    ...access(snapshot, wanted),
  ];
}

function customersAndOrders(
  snapshot: Queryable,
  { account, packages, currency, now }: AccountToExport,
): readonly ExportedKind[] {
  const { id } = account;
  const customers = () =>
    mapPages(
      allPages<Customer>(null, (position, limit) =>
        findCustomers(snapshot, id, { ...everyCustomer, now }, position, limit),
      ),
      (customer) => customerView(customer, packages, now),
    );
  const orders = () =>
    mapPages(orderPages(snapshot, account), (order) => orderView(order, packages, currency));
  const changes = () =>
    upwards(
      (after) => listPlanChanges(snapshot, id, after, pageItems),
      ({ number }) => number,
    );
  return [
    {
      name: 'customers',
      about: 'Customers with their plans, newest first.',
      objects: customers,
      csv: () => customerCsv(customers()),
    },
    kindOf(
      'former_references',
      'References that customers had before, and that still name them.',
      () => formerPages(snapshot, id),
      ['customer_id', 'reference'],
    ),
    { name: 'orders', about: 'Orders, newest first.', objects: orders, csv: () => orderCsv(orders()) },
    kindOf(
      'plan_changes',
      'What changed plans without an order, oldest first, with the plan right after it.',
      () => mapPages(changes(), planChangeRowView),
      [
        ...([
          'id',
          'at',
          'type',
          'by',
          'customer_id',
          'order_id',
          'package_id',
          'status',
          'expires_at',
        ] as const),
        ...(['refund', 'ledger_entry_id', 'renew_months', 'renew_max_charge', 'renew_hours_before'] as const),
        ...(['reason', 'code', 'idempotency_key'] as const),
      ],
    ),
  ];
}

function money(
  snapshot: Queryable,
  { account: { id }, currency }: AccountToExport,
  onEntries: (entries: readonly FoundEntry[]) => void,
): readonly ExportedKind[] {
  const entries = () =>
    upwards(
      (after) =>
        findEntriesUp(snapshot, id, {
          ...{ from: after + 1, to: numberMax, since: 0, until: endOfTime, limit: pageItems },
        }),
      ({ entry }) => entry.number,
    );
  const counted = async function* () {
    for await (const page of entries()) {
      onEntries(page);
      yield page.map(({ entry, actor }) => ledgerEntryView(entry, actor, currency));
    }
  };
  const prices = async () =>
    (await listEveryAccountPrice(snapshot, id)).map((list) => ({
      ...writtenPriceList(list),
      created_at: formatTime(list.createdAt),
    }));
  return [
    {
      name: 'ledger',
      about: 'Every movement of the balance, oldest first. The amounts add up to the balance.',
      objects: counted,
      csv: () => ledgerCsv(entries(), currency),
    },
    kindOf(
      'topups',
      'Payments of the account, newest first.',
      () => mapPages(topupPages(snapshot, id), (topup) => topupView(topup, currency, noBank)),
      [
        ...(['id', 'created_at', 'status', 'method', 'amount', 'refunded', 'disputed', 'currency'] as const),
        ...(['reference', 'credited_at', 'ledger_entry_id'] as const),
      ],
    ),
    kindOf(
      'prices',
      'The account’s own price lists, oldest first. Without one, the prices of the group apply.',
      () => onePage(prices),
      ['id', 'from', 'until', 'percent_off', 'prices', 'memo', 'created_at'],
    ),
  ];
}

function activity(snapshot: Queryable, { account: { id } }: AccountToExport): readonly ExportedKind[] {
  const events = () =>
    upwards(
      (after) => listEvents(snapshot, id, after, pageItems),
      ({ number }) => number,
    );
  return [
    kindOf('events', 'Events that are kept, oldest first.', () => mapPages(events(), eventView), [
      ...(['id', 'type', 'created_at', 'data'] as const),
    ]),
    kindOf(
      'requests',
      'Requests with the account’s keys that are kept, newest first.',
      () => mapPages(requestPages(snapshot, id), (line) => ({ ...requestView(line), key_id: line.keyId })),
      [
        ...(['id', 'at', 'method', 'path', 'status', 'code', 'request_id', 'milliseconds'] as const),
        ...(['address', 'key_id'] as const),
      ],
    ),
  ];
}

function access(snapshot: Queryable, { account, now }: AccountToExport): readonly ExportedKind[] {
  const webhooks = async () =>
    (await listWebhooks(snapshot, account.id)).map((webhook) => webhookView(webhook, now));
  return [
    kindOf('people', 'Who may sign in for the account.', () => onePage(() => peopleOf(snapshot, account)), [
      ...(['id', 'username', 'email', 'role', 'status', 'totp_enabled', 'last_sign_in_at'] as const),
      'created_at',
    ]),
    kindOf(
      'keys',
      'API keys that were not revoked, also those of test mode, with the last four characters of each.',
      () => onePage(() => keysOf(snapshot, account, now)),
      [
        ...(['id', 'name', 'mode', 'status', 'scopes', 'allowed_ips', 'rate_limit_per_minute'] as const),
        ...(['last_four', 'created_at', 'last_used_at', 'expires_at'] as const),
      ],
    ),
    kindOf('webhooks', 'Endpoints that get events.', () => onePage(webhooks), [
      ...(['id', 'url', 'types', 'description', 'enabled', 'created_at', 'disabled_at'] as const),
      'disabled_reason',
    ]),
  ];
}

function kindOf<View extends object>(
  name: string,
  about: string,
  views: () => Pages<View>,
  columns: readonly (keyof View & string)[],
): ExportedKind {
  const cells = (view: View) => columns.map((column) => cellOf(view[column]));
  return { name, about, objects: views, csv: () => csvOf(views(), columns, cells) };
}

const number = /^-?[0-9]{1,20}(?:\.[0-9]{1,20})?$/;

/** All but numbers are written as texts, which cannot become formulas. */
function cellOf(value: unknown): CsvCell {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return { text: value.join(' ') };
  if (typeof value === 'object') return { text: JSON.stringify(value) };
  const text = String(value);
  return number.test(text) ? text : { text };
}

/** Pages of rows that have ascending numbers. */
async function* upwards<Item>(
  read: (after: number) => Promise<readonly Item[]>,
  numberOf: (item: Item) => number,
): AsyncGenerator<readonly Item[]> {
  for (let after = 0; ; ) {
    const page = await read(after);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageItems) return;
    after = numberOf(last);
  }
}

async function* onePage<Item>(read: () => Promise<readonly Item[]>): AsyncGenerator<readonly Item[]> {
  yield await read();
}

/** The operator’s bank details are shown only while a top-up is open. */
const noBank = { bankHolder: null, bankIban: null, bankBic: null };

/** Without a filter the numbers are walked down, so this begins at the newest order. */
async function* orderPages(snapshot: Queryable, { id: accountId, orderCount }: Account) {
  for (let to: number | null = orderCount; to !== null && to > 0; ) {
    const found: Awaited<ReturnType<typeof findOrders>> = await findOrders(snapshot, accountId, {
      ...{ from: 1, to, customerNumber: null, kind: null, packageId: null },
      ...{ since: 0, until: endOfTime, limit: pageItems },
    });
    if (found.orders.length > 0) yield found.orders;
    to = found.nextBefore === null ? null : found.nextBefore - 1;
  }
}

async function* formerPages(snapshot: Queryable, accountId: number) {
  for (let after = ''; ; ) {
    const page = await listEveryFormerReference(snapshot, accountId, after, pageItems);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageItems) return;
    after = last.reference;
  }
}

async function* topupPages(snapshot: Queryable, accountId: number) {
  const every = { status: null, method: null, since: 0, until: endOfTime };
  for (let below = numberMax; ; ) {
    const page = await listTopups(snapshot, accountId, every, { below, limit: pageItems });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageItems) return;
    below = last.number;
  }
}

async function* requestPages(snapshot: Queryable, accountId: number) {
  const every = {
    ...{ since: 0, until: endOfTime, statusMin: 0, statusMax: 999, code: null, keyId: null },
    ...{ method: null, pathPart: null, requestId: null, limit: pageItems },
  };
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await listRequests(snapshot, accountId, { ...every, before });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageItems) return;
    before = last.number;
  }
}

async function peopleOf(snapshot: Queryable, account: Account) {
  const people = await listPeople(snapshot, account.id);
  const holders = await findTotpHolders(
    snapshot,
    people.map((person) => person.id),
  );
  return people.map((person) => {
    const status = person.passwordHash === null ? 'invited' : 'active';
    return personView(person, account, holders.has(person.id), status);
  });
}

async function keysOf(snapshot: Queryable, account: Account, now: EpochSeconds) {
  const keys = await listAccountKeys(snapshot, account.id, now);
  const idsOf = (of: (key: (typeof keys)[number]) => number | null) => keys.flatMap((key) => of(key) ?? []);
  const names = {
    showsForeign: false,
    usernames: await findAccountNames(
      snapshot,
      idsOf(({ createdBy }) => createdBy),
    ),
    keyNames: await findApiKeyNames(
      snapshot,
      idsOf(({ createdByKey }) => createdByKey),
    ),
    peopleNames: await findPeopleNames(
      snapshot,
      idsOf(({ createdByPerson }) => createdByPerson),
    ),
  };
  return keys.map((key) => keyView(key, account, names, now));
}
