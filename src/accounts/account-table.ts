// A row of `accounts`: who it is and what it may do, which account-store.ts writes; its balance and its counters, which
// the order batch alone moves, under the row's lock.

import { groups } from '../contract/periods.ts';
import { textArray } from '../database/sql-arrays.ts';
import {
  boolean,
  type Column,
  cents,
  describeTable,
  int,
  isSet,
  oneOf,
  type RowOf,
  text,
  time,
} from '../database/table.ts';

const allAccounts = describeTable('accounts', {
  id: int('id'),
  username: text('username'),
  displayName: text('display_name'),
  group: oneOf('group_name', groups),
  isAdmin: boolean('is_admin'),
  balanceCents: cents('balance_cents'),
  orderCount: int('order_count'),
  customerCount: int('customer_count'),
  entryCount: int('entry_count'),
  planChangeCount: int('plan_change_count'),
  accessVersion: int('access_version'),
  blocked: boolean('blocked'),
  apiEnabled: boolean('api_enabled'),
  rateLimitPerMinute: int('rate_limit_per_minute'),
  allowedIps: texts('allowed_ips'),
  /** Its books were found wrong: nothing is written until they are right. */
  isHalted: isSet('halted_at'),
  createdAt: time('created_at'),
});

/** Everything of an account that its owner or an administrator is shown or judged by. */
export const accounts = allAccounts.pick(
  'id',
  'username',
  'displayName',
  'group',
  'isAdmin',
  'balanceCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'accessVersion',
  'blocked',
  'apiEnabled',
  'rateLimitPerMinute',
  'allowedIps',
  'createdAt',
);

export type Account = RowOf<typeof accounts>;

/** What moves with every order, and the version of the rights that reads are held against. */
export const accountCounters = allAccounts.pick(
  'balanceCents',
  'orderCount',
  'customerCount',
  'entryCount',
  'accessVersion',
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
);

export type AccountState = RowOf<typeof accountStates>;

function texts(name: string): Column<readonly string[]> {
  return {
    name,
    arrayType: 'text[]',
    cast: (value) => `${value}::text[]`,
    toArray: (values) => textArray(values.map(textArray)),
    parse: (value) => (Array.isArray(value) ? value.map(String) : []),
  };
}
