// The table `accounts`. account-store.ts writes identity and rights; only the order batch writes balance and counters.

import {
  boolean,
  cents,
  describeTable,
  int,
  isSet,
  nullableInt,
  nullableText,
  nullableTime,
  oneOf,
  orNull,
  type RowOf,
  text,
  time,
  words,
} from '../../platform/database/table.ts';
import { groups } from '../../shared/periods.ts';

/** Of a test account: in use; being deleted; or emptied by the previous version and to be deleted. */
const testStates = ['current', 'discarded', 'clean'] as const;

const allAccounts = describeTable('accounts', {
  id: int('id'),
  username: text('username'),
  displayName: text('display_name'),
  /** The address of the own login (people-table.ts). */
  email: nullableText('email'),
  searchText: text('search_text'),
  group: oneOf('group_name', groups),
  isAdmin: boolean('is_admin'),
  balanceCents: cents('balance_cents'),
  /** What the account owes, because a payment went back that was spent. The balance itself is never below zero. */
  receivableCents: cents('receivable_cents'),
  reversalCount: int('reversal_count'),
  orderCount: int('order_count'),
  customerCount: int('customer_count'),
  entryCount: int('entry_count'),
  planChangeCount: int('plan_change_count'),
  /** null: the account has no listener, so events are not written. */
  eventCount: nullableInt('event_count'),
  /** An alert is sent when the balance falls below this; null sends none. */
  alertBelowCents: orNull(cents('alert_below_cents')),
  /** No new entry may be earlier. The last entry's time, or the end of the last month whose statement was read. */
  ledgerOpenFrom: nullableTime('ledger_open_from'),
  /** The last order that has an earlier date than its entries, because the clock had been set back. */
  postdatedOrder: nullableInt('postdated_order'),
  /** A notice is sent this many days before a plan ends; a copy of the alert setting. null: only the fixed notices. */
  alertDays: nullableInt('alert_days'),
  accessVersion: int('access_version'),
  blocked: boolean('blocked'),
  apiEnabled: boolean('api_enabled'),
  rateLimitPerMinute: int('rate_limit_per_minute'),
  allowedIps: words('allowed_ips'),
  capturesBodies: boolean('keeps_request_bodies'),
  /** The ledger was found wrong. Nothing is written until it is corrected. */
  isHalted: isSet('halted_at'),
  /** For good. The account's people and keys were shut out with it. */
  closedAt: nullableTime('closed_at'),
  isClosed: isSet('closed_at'),
  createdAt: time('created_at'),
  /** The hashes of the last order and the last plan change that have one (row-hashes.ts). */
  orderHash: nullableText('order_hash'),
  changeHash: nullableText('change_hash'),
  /** A test account's real account. This and the next two are null for real accounts. */
  testOf: nullableInt('test_of'),
  testState: orNull(oneOf('test_state', testStates)),
  testClock: nullableTime('test_clock'),
});

export const accounts = allAccounts.without(
  'searchText',
  'planChangeCount',
  'eventCount',
  'ledgerOpenFrom',
  'postdatedOrder',
  'alertBelowCents',
  'alertDays',
  'reversalCount',
  'isHalted',
  'isClosed',
  'orderHash',
  'changeHash',
);

export type Account = RowOf<typeof accounts>;

export const numberedAccounts = allAccounts.pick(
  'id',
  'username',
  'displayName',
  'email',
  'searchText',
  'group',
  'isAdmin',
  'rateLimitPerMinute',
  'allowedIps',
  'createdAt',
);

export const newAccounts = numberedAccounts.without('id');

export const newTestAccounts = allAccounts.pick(
  'id',
  'username',
  'displayName',
  'searchText',
  'group',
  'isAdmin',
  'balanceCents',
  'entryCount',
  'blocked',
  'apiEnabled',
  'rateLimitPerMinute',
  'allowedIps',
  'capturesBodies',
  'createdAt',
  'testOf',
  'testState',
  'testClock',
);

export const accountSettings = allAccounts.pick(
  'id',
  'displayName',
  'email',
  'searchText',
  'group',
  'accessVersion',
  'blocked',
  'apiEnabled',
  'rateLimitPerMinute',
  'allowedIps',
);

/** Columns that every order changes, and the version of the rights, which reads compare. */
export const accountCounters = allAccounts.pick(
  'balanceCents',
  'receivableCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'accessVersion',
  'testClock',
);

export type AccountCounters = RowOf<typeof accountCounters>;

/** The columns that a batch reads for its decisions and changes. */
export const accountStates = allAccounts.pick(
  'id',
  'group',
  'accessVersion',
  'isHalted',
  'isClosed',
  'balanceCents',
  'receivableCents',
  'reversalCount',
  'orderCount',
  'customerCount',
  'entryCount',
  'planChangeCount',
  'eventCount',
  'ledgerOpenFrom',
  'alertBelowCents',
  'alertDays',
  'testOf',
  'testState',
  'testClock',
);

export type AccountState = RowOf<typeof accountStates>;

export const accountHashes = allAccounts.pick('id', 'orderHash', 'changeHash');

export type AccountHashes = RowOf<typeof accountHashes>;

export const movedAccounts = allAccounts.pick(
  'id',
  'balanceCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'planChangeCount',
  'eventCount',
  'ledgerOpenFrom',
  'orderHash',
  'changeHash',
);

export const receivables = allAccounts.pick('id', 'receivableCents', 'reversalCount');

export const postdatedOrders = allAccounts.pick('id', 'postdatedOrder');
