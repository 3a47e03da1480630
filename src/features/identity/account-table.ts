// A row of `accounts`: who it is and what it may do, which account-store.ts writes; its balance and its counters, which
// the order batch alone moves, under the row's lock.

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

/** Of a test account: test keys reach it; what it holds is being deleted; the version before has emptied it: it is deleted. */
const testStates = ['current', 'discarded', 'clean'] as const;

const allAccounts = describeTable('accounts', {
  id: int('id'),
  username: text('username'),
  displayName: text('display_name'),
  /** Where its own login is written to (people-table.ts). */
  email: nullableText('email'),
  searchText: text('search_text'),
  group: oneOf('group_name', groups),
  isAdmin: boolean('is_admin'),
  balanceCents: cents('balance_cents'),
  orderCount: int('order_count'),
  customerCount: int('customer_count'),
  entryCount: int('entry_count'),
  planChangeCount: int('plan_change_count'),
  /** null: nobody listens to it, and its events are not written. */
  eventCount: nullableInt('event_count'),
  /** Its people are told when the balance falls below; null: they are not. */
  alertBelowCents: orNull(cents('alert_below_cents')),
  /** No entry is dated earlier: the moment of the last one, or the end of the last month whose statement was read. */
  ledgerOpenFrom: nullableTime('ledger_open_from'),
  /** The last order dated before its own entries, because the clock had been set back. */
  postdatedOrder: nullableInt('postdated_order'),
  /** A notice is sent so many days before a plan ends; a copy of the alerts'. null: none beside the fixed ones. */
  alertDays: nullableInt('alert_days'),
  accessVersion: int('access_version'),
  blocked: boolean('blocked'),
  apiEnabled: boolean('api_enabled'),
  rateLimitPerMinute: int('rate_limit_per_minute'),
  allowedIps: words('allowed_ips'),
  /** What is sent and answered with its keys is kept for a while: its own choice. */
  capturesBodies: boolean('keeps_request_bodies'),
  /** Its books were found wrong: nothing is written until they are right. */
  isHalted: isSet('halted_at'),
  createdAt: time('created_at'),
  /** Of the last order, and of the last plan change, that has one (row-hashes.ts). */
  orderHash: nullableText('order_hash'),
  changeHash: nullableText('change_hash'),
  /** Of a test account: whose it is. null of every real account, as are the two below. */
  testOf: nullableInt('test_of'),
  testState: orNull(oneOf('test_state', testStates)),
  /** What time it is there. */
  testClock: nullableTime('test_clock'),
});

/** Everything of an account that its owner or an administrator is shown or judged by. */
export const accounts = allAccounts.without(
  'searchText',
  'planChangeCount',
  'eventCount',
  'ledgerOpenFrom',
  'postdatedOrder',
  'alertBelowCents',
  'alertDays',
  'isHalted',
  'orderHash',
  'changeHash',
);

export type Account = RowOf<typeof accounts>;

/** The same with the number that was drawn for it. */
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

/** What is decided when it is made. */
export const newAccounts = numberedAccounts.without('id');

/** A test account, as it is made. */
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

/** What an administrator changes. */
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

/** What moves with every order, and the version of the rights that reads are checked against. */
export const accountCounters = allAccounts.pick(
  'balanceCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'accessVersion',
  'testClock',
);

export type AccountCounters = RowOf<typeof accountCounters>;

/** What a batch decides on, and moves. */
export const accountStates = allAccounts.pick(
  'id',
  'group',
  'accessVersion',
  'isHalted',
  'balanceCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'planChangeCount',
  'eventCount',
  'ledgerOpenFrom',
  'alertBelowCents',
  'alertDays',
  'testState',
  'testClock',
);

export type AccountState = RowOf<typeof accountStates>;

/** What a batch reads and writes along with them. */
export const accountHashes = allAccounts.pick('id', 'orderHash', 'changeHash');

export type AccountHashes = RowOf<typeof accountHashes>;

/** The balance, the counters and the hashes: what a batch writes. */
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

export const postdatedOrders = allAccounts.pick('id', 'postdatedOrder');
