// Writes what a batch decided, in one round trip with COMMIT.

import { appendAudits } from '../../platform/audit-log/append-audit.ts';
import type { Queryable, SqlStatement } from '../../platform/database/database.ts';
import { textArray } from '../../platform/database/sql-arrays.ts';
import { type Write, writeRows } from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import {
  type AccountHashes,
  accountStates,
  movedAccounts,
  postdatedOrders,
  receivables,
} from '../identity/account-table.ts';
import type { CustomerState } from './decisions/customer-state.ts';
import type { Decision } from './decisions/decide-orders.ts';
import { writePayments } from './payment-rows.ts';
import {
  customerLives,
  customerReferences,
  customers,
  customersWithoutLives,
  lifeRow,
  testCustomerReferences,
} from './records/customer-table.ts';
import { ledgerEntries } from './records/ledger-entry.ts';
import { writeLoginLinks } from './records/login-link-rows.ts';
import { newHandoffs, settledHandoffs } from './records/order-handoff.ts';
import { hashedOrders } from './records/order-table.ts';
import { hashedPlanChanges } from './records/plan-change.ts';
import {
  closeProductCalls,
  holdBackCalls,
  insertProductCalls,
  type NewProductCall,
  supersedeEarlierCalls,
} from './records/product-call-rows.ts';
import { dropTestMoves, putTestMoves } from './records/test-move-table.ts';
import { type TestUsage, testRowBytes } from './records/test-usage.ts';
import { hashRows } from './row-hashes.ts';

export const insertReferences = customerReferences.insert('insert_customer_references');
export const insertTestReferences = testCustomerReferences.insert('insert_test_customer_references');
export const freeTestReferences: SqlStatement = {
  name: 'free_test_customer_references',
  text: `delete from test_customer_references r
    where r.reference = any($1::text[]) and not exists (select 1 from tests_in_use o where o.id = r.account_id)`,
};
const insertCustomers = customersWithoutLives.insert('insert_customers');
const insertOrders = hashedOrders.insert('insert_orders');
const insertEntries = ledgerEntries.insert('insert_ledger_entries');
const insertPlanChanges = hashedPlanChanges.insert('insert_plan_changes');
const insertHandoffs = newHandoffs.insert('insert_order_handoffs');
const settleHandoffs = settledHandoffs.update('settle_order_handoffs', ['accountId', 'orderNumber']);

const updateCustomers = customersWithoutLives
  .without('reference', 'name', 'createdAt')
  .update('update_customers', ['accountId', 'number']);
const updateWholeCustomers = customers
  .without('reference', 'name', 'createdAt')
  .update('update_whole_customers', ['accountId', 'number']);
const updateLives = customerLives.update('update_customer_lives', ['accountId', 'number']);
const updateAccounts = movedAccounts.update('update_account_balances', ['id']);

const updatePostdatedOrders = postdatedOrders.update('update_postdated_orders', ['id']);
const updateReceivables = receivables.update('update_receivables', ['id']);
const updateClocks = accountStates.pick('id', 'testClock').update('update_test_clocks', ['id']);

export function writeTests(database: Queryable, { changes }: Decision): Promise<unknown>[] {
  const { movedClocks, testMoves: moves } = changes;
  const sent: Promise<unknown>[] = [];
  if (movedClocks.length > 0) sent.push(writeRows(database, updateClocks, movedClocks));
  const kept = moves.filter(({ isForgotten }) => !isForgotten).map(({ move }) => move);
  const forgotten = moves.filter(({ isForgotten }) => isForgotten).map(({ move }) => move);
  if (kept.length > 0) sent.push(writeRows(database, putTestMoves, kept));
  if (forgotten.length > 0) sent.push(writeRows(database, dropTestMoves, forgotten));
  return sent;
}

/** Usage per account. Payloads are made later, so they count at their maximum size. */
export function usageOf(
  { changes }: Decision,
  calls: readonly NewProductCall[],
  newEvents: readonly { readonly accountId: number; readonly data: string }[],
): readonly (TestUsage & { readonly accountId: number })[] {
  const added = new Map<number, { rows: number; bytes: number }>();
  const add = (accountId: number, ...texts: readonly (string | null)[]) => {
    const sum = added.get(accountId) ?? { rows: 0, bytes: 0 };
    added.set(accountId, sum);
    sum.rows += 1;
    sum.bytes += testRowBytes + texts.reduce((total, each) => total + Buffer.byteLength(each ?? ''), 0);
  };
  const { newCustomers, orders: placed, entries, planChanges: changed, loginLinks } = changes;
  for (const { accountId, reference, name } of newCustomers) add(accountId, reference, reference, name, name);
  for (const { accountId } of placed) add(accountId);
  for (const { accountId, memo } of entries) add(accountId, memo);
  for (const { accountId, reason } of changed) add(accountId, reason);
  for (const { order } of loginLinks) add(order.accountId);
  for (const { accountId, data } of newEvents) add(accountId, data);
  for (const { accountId } of calls) add(accountId, largestPayload);
  for (const { move, isForgotten } of changes.testMoves) if (!isForgotten) add(move.accountId);
  return [...added].map(([accountId, sum]) => ({ accountId, ...sum }));
}

const largestPayload = ' '.repeat(1_024);

/** Sends all writes without waiting, so that the caller can send COMMIT behind them. */
export function write(
  database: Queryable,
  { changes }: Decision,
  calls: readonly NewProductCall[],
  {
    hashes,
    isTest,
    now,
  }: { readonly hashes: readonly AccountHashes[]; readonly isTest: boolean; readonly now: EpochSeconds },
): Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = <Item>({ statement, values }: Write<Item>, rows: readonly Item[]) => {
    if (rows.length > 0) sent.push(database.query(statement, values(rows)));
  };

  // Two lanes or processes may claim the same new customer. In sorted order, the later claim waits without a deadlock and
  // then fails, and its batch is decided again.
  const claims = changes.newCustomers.toSorted((a, b) => (a.reference < b.reference ? -1 : 1));
  if (isTest && claims.length > 0) {
    sent.push(database.query(freeTestReferences, [textArray(claims.map(({ reference }) => reference))]));
  }
  send(isTest ? insertTestReferences : insertReferences, claims);
  send(insertCustomers, changes.newCustomers.map(customerRow));
  // A moving clock changes both parts of thousands of customers. Write each of these rows only once.
  const whole = isTest ? inBoth(changes.changedCustomers, changes.changedLives) : none;
  const isPart = (customer: CustomerState) => !whole.has(customer);
  send(updateWholeCustomers, [...whole].map(wholeRow));
  send(updateCustomers, changes.changedCustomers.filter(isPart).map(customerRow));
  send(updateLives, changes.changedLives.filter(isPart).map(lifeRowOf));
  const hashed = hashRows(hashes, changes);
  send(insertOrders, hashed.orders);
  send(insertEntries, changes.entries);
  send(insertPlanChanges, hashed.planChanges);
  // A customer has one pending order, so settle the last one before the next one is inserted.
  send(settleHandoffs, changes.settledHandoffs);
  send(insertHandoffs, changes.newHandoffs);
  send(insertProductCalls, calls);
  send(holdBackCalls, changes.heldBackCalls);
  send(closeProductCalls, changes.settledHandoffs);
  send(supersedeEarlierCalls, changes.settledHandoffs);
  send(
    updateAccounts,
    changes.accounts.flatMap((account) => {
      const moved = hashed.accounts.get(account.id);
      return moved === undefined ? [] : [{ ...account, ...moved }];
    }),
  );
  send(updatePostdatedOrders, changes.postdatedOrders);
  send(updateReceivables, changes.changedReceivables);
  if (changes.payments !== null) sent.push(...writePayments(database, changes.payments));
  if (changes.loginLinks.length > 0) {
    sent.push(writeLoginLinks(database, changes.loginLinks, now));
  }
  // Write this last: administrators' changes lock the audit log, and none of them may wait behind it for an account. Tests
  // are not logged.
  if (changes.audits.length > 0 && !isTest) sent.push(appendAudits(database, changes.audits, now));
  return sent;
}

function customerRow({ plan, life: _life, ...customer }: CustomerState) {
  return { ...customer, ...plan };
}

const none: ReadonlySet<CustomerState> = new Set();

function inBoth(
  some: readonly CustomerState[],
  others: readonly CustomerState[],
): ReadonlySet<CustomerState> {
  const wanted = new Set(others);
  return new Set(some.filter((customer) => wanted.has(customer)));
}

function wholeRow(customer: CustomerState) {
  return { ...customerRow(customer), ...lifeRow(customer.life) };
}

function lifeRowOf({ accountId, number, life }: CustomerState) {
  return { accountId, number, ...lifeRow(life) };
}
