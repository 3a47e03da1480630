// Resets a test by moving its keys to a new test account.
// Invariant: the old account and its contents are no longer reachable, and a job deletes them (clean-test-accounts.ts).

import { accountChanged, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { queryShards } from '../../platform/database/shards/query-shards.ts';
import { describeTable, int, text, time, writeRows } from '../../platform/database/table.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { listenToAccount } from '../events/event-log.ts';
import { moveKeys } from '../identity/api-key-rows.ts';
import { deleteWebhooksOf } from '../webhooks/webhook-store.ts';
import { lockRealAccount, makeTestAccount, testStartCents } from './test-account.ts';

const lockTestAccounts: SqlStatement = {
  name: 'lock_test_accounts',
  text: `select id, test_state = 'current' as is_current from accounts where test_of = $1::int order by id`,
};

const discardTestAccount: SqlStatement = {
  name: 'discard_test_account',
  text: `update accounts set test_state = 'discarded', access_version = access_version % 2000000000 + 1
    where id = $1::int`,
};

const resets = describeTable('test_resets', {
  accountId: int('account_id'),
  idempotencyKey: text('idempotency_key'),
  at: time('at'),
});

const insertReset = resets.insert('insert_test_reset');

/** How many reset tests an account may have that are not deleted yet. Frequent resets need not wait for the job. */
const formerMax = 10;

/** Clients repeat a request with its idempotency key sooner than this. */
const keysKeptSeconds = 30 * 86_400;

const deleteOldResets: SqlStatement = {
  name: 'delete_old_test_resets',
  text: 'delete from test_resets where account_id = $1::int and at < to_timestamp($2::bigint)',
};

const findReset: SqlStatement = {
  name: 'find_test_reset',
  text: `select ${resets.list('r')} from test_resets r where r.account_id = $1::int and r.idempotency_key = $2::text`,
};

export interface TestReset {
  readonly at: EpochSeconds;
  readonly balanceCents: bigint;
  readonly replayed: boolean;
}

/** Safe to repeat with the same key. `accountId`: the real account. null: too many resets are not deleted yet. */
export function resetTestAccount(
  database: Database,
  accountId: number,
  idempotencyKey: string | null,
  now: EpochSeconds,
): Promise<TestReset | null> {
  return database.transaction(async (transaction) => {
    const real = await lockRealAccount(transaction, accountId);
    if (real === null) throw new Error(`Account ${accountId} has no test mode.`);
    if (idempotencyKey !== null) {
      const [earlier] = await transaction.query(findReset, [accountId, idempotencyKey]);
      if (earlier !== undefined)
        return { at: resets.parse(earlier).at, balanceCents: testStartCents, replayed: true };
    }
    const testAccounts = await queryShards(transaction, lockTestAccounts, [accountId], 'any');
    const current = testAccounts.find((row) => row['is_current'] === true);
    if (current === undefined) throw new Error(`Account ${accountId} has no current test account.`);
    if (testAccounts.length > formerMax) return null;
    const formerId = Number(current['id']);
    if (idempotencyKey !== null) {
      await transaction.query(deleteOldResets, [accountId, now - keysKeptSeconds]);
      await writeRows(transaction, insertReset, [{ accountId, idempotencyKey, at: now }]);
    }
    // Discard it first, because only one test account may be current.
    await transaction.ofAccount(formerId).query(discardTestAccount, [formerId]);
    const next = await makeTestAccount(transaction, real, now);
    await moveKeys(transaction, formerId, next.id);
    // As for a first test account, events are recorded from its first key on.
    await listenToAccount(transaction, next.id);
    await deleteWebhooksOf(transaction, formerId);
    for (const id of [formerId, next.id]) {
      await transaction.query(notifyChange, [changesChannel, accountChanged(id)]);
    }
    return { at: now, balanceCents: testStartCents, replayed: false };
  });
}
