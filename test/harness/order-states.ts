// What the order engine reads, for tests that decide orders without a database.

import type { AccountState } from '../../src/features/identity/account-table.ts';
import type { OrderState } from '../../src/features/order-engine/decisions/order-state.ts';

/** A reseller without a balance and without any row. */
export function accountState(changed: Partial<AccountState> = {}): AccountState {
  return {
    id: 1,
    group: 'reseller',
    accessVersion: 1,
    isHalted: false,
    isClosed: false,
    balanceCents: 0n,
    receivableCents: 0n,
    reversalCount: 0,
    orderCount: 0,
    customerCount: 0,
    entryCount: 0,
    planChangeCount: 0,
    eventCount: null,
    ledgerOpenFrom: null,
    alertBelowCents: null,
    alertDays: null,
    testOf: null,
    testState: null,
    testClock: null,
    ...changed,
  };
}

export function orderState(account: AccountState, changed: Partial<OrderState> = {}): OrderState {
  return {
    accounts: [account],
    customers: [],
    foreignReferences: [],
    orders: [],
    credits: [],
    planChanges: [],
    packages: new Map(),
    currency: 'USD',
    cancelRefund: 'unused',
    productMode: 'none',
    ...changed,
  };
}
