// Erases the customers of accounts that were closed longer ago than the operator keeps them, each as POST
// /customers/{id}/erase does. The account's current test loses its customers too.
// Invariant: an account is marked only once none of its customers is left, so every run continues where the last one ended.

import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { customerView } from '../customers/customer-view.ts';
import { noteCustomersErased } from '../identity/account-row.ts';
import { findTestAccount } from '../identity/test-account-settings.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import type { Customer } from '../order-engine/records/customer-table.ts';
import type { PackageCatalogHolder } from '../packages/package-catalog.ts';
import { eraseOnceIdle } from './erase-once-idle.ts';

const accountsAtOnce = 500;
const customersAtOnce = 100;

const listClosed: SqlStatement = {
  name: 'list_closed_accounts_with_customers',
  text: `select a.id from accounts a where a.closed_at <= to_timestamp($1::bigint) and a.id > $2::int
      and a.closing->>'amount' is not null and a.closing->>'customers_erased' is null
    order by a.id limit ${accountsAtOnce}`,
};

// A row that a restore wrote names a customer who is not erased yet.
const listCustomers: SqlStatement = {
  name: 'list_customers_to_erase',
  text: `select c.number from customers c where c.account_id = $1::int and c.number > $2::int
      and not exists (select 1 from erasures e where e.account_id = c.account_id and e.customer_number = c.number
        and (e.sealed_words is not null or e.next_pass_at is null))
    order by c.number limit $3::int`,
};

const findDue: SqlStatement = {
  name: 'find_due_erasure',
  text: `select exists (select 1 from erasures
    where sealed_words is not null and next_pass_at <= to_timestamp($1::bigint)) as is_due`,
};

export interface EraseClosedDependencies {
  readonly database: Database;
  readonly engine: OrderEngine;
  readonly packages: PackageCatalogHolder;
  readonly seal: Seal;
  readonly now: () => EpochSeconds;
  readonly onErased: (customer: Customer) => void;
}

/**
 * Erases some customers, and none before the job `erasures` has taken the words of earlier ones out of the logs, so that
 * an erasure that someone asked for never waits behind all customers of an account. Resolves to true if some are left.
 */
export async function eraseClosedAccounts(
  dependencies: EraseClosedDependencies,
  closedBefore: EpochSeconds,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, now } = dependencies;
  let left = customersAtOnce;
  const isFull = () => left === 0 || signal.aborted;
  for (const group of database.accountGroups()) {
    for (let last = 0, isMore = true; isMore; ) {
      const rows = await group.query(listClosed, [closedBefore, last]);
      if (rows.length > 0 && (await group.query(findDue, [now()]))[0]?.['is_due'] === true) return true;
      await eachInTurn(rows, async (row) => {
        if (!isFull()) left -= await eraseCustomersOf(dependencies, Number(row['id']), left, signal);
      });
      if (isFull()) return true;
      last = Number(rows.at(-1)?.['id']);
      isMore = rows.length === accountsAtOnce;
    }
  }
  return false;
}

/** Returns how many customers it erased, at most `limit`. Refused ones are tried again by the next run. */
async function eraseCustomersOf(
  dependencies: EraseClosedDependencies,
  closedId: number,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  const { database, now } = dependencies;
  const test = await findTestAccount(database, closedId);
  const accounts = [{ id: closedId, now: now() }];
  if (test !== null) accounts.push({ id: test.id, now: test.testClock ?? now() });
  let erased = 0;
  let refused = 0;
  for (const account of accounts) {
    for (let last = 0, isMore = true; isMore; ) {
      const values = [account.id, last, customersAtOnce];
      const rows = await database.ofAccount(account.id).query(listCustomers, values);
      for (const row of rows) {
        if (erased === limit || signal.aborted) return erased;
        last = Number(row['number']);
        if (await erase(dependencies, account, last)) erased += 1;
        else refused += 1;
      }
      isMore = rows.length === customersAtOnce;
    }
  }
  if (refused === 0) await noteCustomersErased(database, closedId);
  return erased;
}

async function erase(
  { database, engine, packages, seal, now, onErased }: EraseClosedDependencies,
  account: { readonly id: number; readonly now: EpochSeconds },
  number: number,
): Promise<boolean> {
  const isTest = isTestAccount(account.id);
  const describe = (customer: Customer) => customerView(customer, packages.current(), account.now);
  const outcome = await eraseOnceIdle(
    { database, engine, seal },
    // Plans of a test may still run: closing looks at the account alone.
    { accountId: account.id, number, isRepeated: isTest, describe },
    { actorId: account.id, by: null, byParty: 'operator' },
    { now: account.now, realNow: now() },
  );
  if (outcome.type === 'erased' && outcome.isNew) onErased(outcome.customer);
  // A test that was reset meanwhile has no customers.
  return outcome.type === 'erased' || outcome.type === 'reset_in_progress';
}
