// Creates an account's test account on first use, with an initial balance.
// Invariant: an account has one current test account, and its ledger contains the initial balance. An id is reused only
// after four million others.

import { accountMade, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Database, Queryable, SqlStatement } from '../../platform/database/database.ts';
import { bySharding } from '../../platform/database/shards/query-shards.ts';
import { writeRows } from '../../platform/database/table.ts';
import { accountIdMax, realAccountIdMax } from '../../shared/identifiers.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { listenToNewAccount } from '../events/event-log.ts';
import { type Account, accounts, newTestAccounts } from '../identity/account-table.ts';
import { findTestAccount } from '../identity/test-account-settings.ts';
import { ledgerEntries } from '../order-engine/records/ledger-entry.ts';
import { addTestUsage, testRowBytes } from '../order-engine/records/test-usage.ts';

export const testStartCents = 100_000n;
const startMemo = 'Test credit';

// Lock the real account first, in the same order as the batches.
const lockReal: SqlStatement = {
  name: 'lock_real_account',
  text: `select ${accounts.list('a')} from accounts a where a.id = $1::int and a.test_of is null for no key update`,
};

// The lock on this row makes sure that each id is drawn once.
const drawingId = `insert into test_account_ids as t (last_id) values (${realAccountIdMax + 1})
    on conflict (is_only) do update
      set last_id = case when t.last_id < ${accountIdMax} then t.last_id + 1 else ${realAccountIdMax + 1} end
    returning t.last_id`;
const drawTestAccountId: SqlStatement = {
  name: 'draw_test_account_id',
  text: `${drawingId}, exists (select 1 from accounts a where a.id = t.last_id) as is_taken`,
};
/** On several servers a write cannot query all accounts, so the id is looked up in its own shard. */
const drawTestAccountIdApart: SqlStatement = { name: 'draw_test_account_id_apart', text: drawingId };
const findTaken: SqlStatement = {
  name: 'find_test_account_id',
  text: 'select id from accounts where id = $1::int',
};

const insertTestAccount = newTestAccounts.insert(
  'insert_test_account',
  `returning ${accounts.list('accounts')}`,
);
const insertStart = ledgerEntries.insert('insert_test_start');

/** Returns null if there is no such account, or if it is itself a test account. */
export async function ensureTestAccount(
  transaction: Queryable,
  accountId: number,
  now: EpochSeconds,
): Promise<Account | null> {
  const found = await findTestAccount(transaction, accountId);
  if (found !== null) return found;
  const locked = await lockRealAccount(transaction, accountId);
  if (locked === null) return null;
  // Another transaction may have created it while this one waited for the lock.
  return (await findTestAccount(transaction, accountId)) ?? makeTestAccount(transaction, locked, now);
}

export async function getTestAccount(
  database: Database,
  accountId: number,
  now: EpochSeconds,
): Promise<Account> {
  const found =
    (await findTestAccount(database, accountId)) ??
    (await database.transaction((transaction) => ensureTestAccount(transaction, accountId, now)));
  if (found === null) throw new Error(`Account ${accountId} can have no tests.`);
  return found;
}

export async function makeTestAccount(
  transaction: Queryable,
  real: Account,
  now: EpochSeconds,
): Promise<Account> {
  const id = await drawFreeId(transaction);
  const testAccount = {
    id,
    // Names of real accounts never contain spaces, so this cannot equal one.
    username: `test ${id} of ${real.id}`,
    displayName: real.displayName,
    searchText: `${real.username}\n${real.displayName.toLowerCase()}`,
    group: real.group,
    // An administrator's test has no administrator's rights.
    isAdmin: false,
    balanceCents: testStartCents,
    entryCount: 1,
    blocked: real.blocked,
    apiEnabled: real.apiEnabled,
    rateLimitPerMinute: real.rateLimitPerMinute,
    allowedIps: real.allowedIps,
    capturesBodies: real.capturesBodies,
    createdAt: now,
    testOf: real.id,
    testState: 'current',
    testClock: now,
  } as const;
  const [row] = await writeRows(transaction.ofAccount(id), insertTestAccount, [testAccount]);
  await writeTestStart(transaction, id, real.id, now);
  await addTestUsage(transaction, [{ accountId: id, rows: 1, bytes: testRowBytes }]);
  await listenToNewAccount(transaction, id);
  await transaction.query(notifyChange, [changesChannel, accountMade(id)]);
  return accounts.parse(row ?? {});
}

/** An id can only be taken after the ids have wrapped around. */
async function drawFreeId(transaction: Queryable): Promise<number> {
  for (;;) {
    const { id, isTaken } = await drawId(transaction);
    if (!isTaken) return id;
  }
}

function drawId(transaction: Queryable): Promise<{ id: number; isTaken: boolean }> {
  return bySharding(transaction, {
    together: async () => {
      const [drawn] = await transaction.query(drawTestAccountId);
      return { id: Number(drawn?.['last_id']), isTaken: drawn?.['is_taken'] === true };
    },
    apart: async () => {
      const [drawn] = await transaction.query(drawTestAccountIdApart);
      const id = Number(drawn?.['last_id']);
      return { id, isTaken: (await transaction.ofAccount(id).query(findTaken, [id])).length > 0 };
    },
  });
}

async function writeTestStart(
  transaction: Queryable,
  accountId: number,
  actorId: number,
  now: EpochSeconds,
): Promise<void> {
  const entry = {
    accountId,
    number: 1,
    kind: 'credit',
    amountCents: testStartCents,
    balanceAfterCents: testStartCents,
    createdAt: now,
    orderNumber: null,
    actorId,
    memo: startMemo,
    idempotencyKey: null,
    fingerprint: null,
  } as const;
  await writeRows(transaction.ofAccount(accountId), insertStart, [entry]);
}

export async function lockRealAccount(transaction: Queryable, accountId: number): Promise<Account | null> {
  const [locked] = await transaction.ofAccount(accountId).query(lockReal, [accountId]);
  return locked === undefined ? null : accounts.parse(locked);
}
