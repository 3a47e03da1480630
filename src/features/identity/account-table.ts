// The table `accounts`: identity and rights, written by account-store.ts; balance and counters, written only by the order
// batch under the row's lock.

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

/** A test account: in use; being deleted; or emptied by the previous version, and to be deleted. */
const testStates = ['current', 'discarded', 'clean'] as const;

const allAccounts = describeTable('accounts', {
  id: int('id'),
  username: text('username'),
  displayName: text('display_name'),
  /** The own login's address (people-table.ts). */
  email: nullableText('email'),
  searchText: text('search_text'),
  group: oneOf('group_name', groups),
  isAdmin: boolean('is_admin'),
  balanceCents: cents('balance_cents'),
  orderCount: int('order_count'),
  customerCount: int('customer_count'),
  entryCount: int('entry_count'),
  planChangeCount: int('plan_change_count'),
  /** null: no listener, so events are not written. */
  eventCount: nullableInt('event_count'),
  /** An alert is sent when the balance falls below; null: none. */
  alertBelowCents: orNull(cents('alert_below_cents')),
  /** No entry may be dated earlier: the last entry's time, or the end of the last month whose statement was read. */
  ledgerOpenFrom: nullableTime('ledger_open_from'),
  /** The last order dated before its own entries, because the clock had been set back. */
  postdatedOrder: nullableInt('postdated_order'),
  /** Days before a plan's end at which a notice is sent; a copy of the alert setting. null: only the fixed ones. */
  alertDays: nullableInt('alert_days'),
  accessVersion: int('access_version'),
  blocked: boolean('blocked'),
  apiEnabled: boolean('api_enabled'),
  rateLimitPerMinute: int('rate_limit_per_minute'),
  allowedIps: words('allowed_ips'),
  capturesBodies: boolean('keeps_request_bodies'),
  /** Its ledger was found wrong: nothing is written until it is corrected. */
  isHalted: isSet('halted_at'),
  createdAt: time('created_at'),
  /** Of the last order and plan change that have a hash (row-hashes.ts). */
  orderHash: nullableText('order_hash'),
  changeHash: nullableText('change_hash'),
  /** A test account's real account. null for real accounts, as are the two below. */
  testOf: nullableInt('test_of'),
  testState: orNull(oneOf('test_state', testStates)),
  testClock: nullableTime('test_clock'),
});

/** What its owner and administrators see, and what access checks use. */
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

/** Changed by every order, plus the version of the rights for reads. */
export const accountCounters = allAccounts.pick(
  'balanceCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'accessVersion',
  'testClock',
);

export type AccountCounters = RowOf<typeof accountCounters>;

/** What a batch reads for decisions, and changes. */
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

export const postdatedOrders = allAccounts.pick('id', 'postdatedOrder');
