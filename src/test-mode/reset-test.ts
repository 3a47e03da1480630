// A test is reset: its keys reach another row from then on, which is as on the first day. Called by test-routes.ts.
// Always true: what the former row holds is nobody's any more, and is deleted by a job (twin-cleaning.ts); before that is
// done there is no other reset.

import { type Account, accounts } from '../accounts/account-table.ts';
import { moveKeys } from '../accounts/api-key-store.ts';
import { lockRealAccount, makeTwin, testStartCents, writeTestStart } from '../accounts/twin-store.ts';
import type { EpochSeconds } from '../contract/times.ts';
import { accountChanged, changesChannel } from '../database/changes.ts';
import type { Database, Queryable, Statement } from '../database/database.ts';
import { describeTable, int, text, time, writeRows } from '../database/table.ts';
import { deleteWebhooksOf } from '../delivery/webhook-store.ts';
import { listenToNewAccount } from '../events/event-log.ts';

const lockTwins: Statement = {
  name: 'lock_twins',
  text: `select ${accounts.list('a')} from accounts a where a.test_of = $1::int order by a.id for no key update`,
};

const discardTwin: Statement = {
  name: 'discard_twin',
  text: `update accounts set test_state = 'discarded', access_version = access_version % 2000000000 + 1
    where id = $1::int`,
};

// What it held was deleted with its customers, orders and entries.
const beginAgain: Statement = {
  name: 'begin_twin_again',
  text: `update accounts t set test_state = 'current', test_clock = to_timestamp($2::bigint),
      display_name = a.display_name, search_text = a.search_text, group_name = a.group_name, blocked = a.blocked,
      api_enabled = a.api_enabled, rate_limit_per_minute = a.rate_limit_per_minute, allowed_ips = a.allowed_ips,
      access_version = t.access_version % 2000000000 + 1, created_at = to_timestamp($2::bigint),
      balance_cents = $3::bigint, order_count = 0, customer_count = 0, entry_count = 1, plan_change_count = 0,
      event_count = null, alert_below_cents = null, halted_at = null, halt_number = null
    from accounts a where t.id = $1::int and a.id = t.test_of
    returning ${accounts.list('t')}`,
};

const notifyChange: Statement = { name: 'notify_change', text: 'select pg_notify($1, $2)' };

const resets = describeTable('test_resets', {
  accountId: int('account_id'),
  idempotencyKey: text('idempotency_key'),
  at: time('at'),
});

const insertReset = resets.insert('insert_test_reset');

const findReset: Statement = {
  name: 'find_test_reset',
  text: `select ${resets.list('r')} from test_resets r where r.account_id = $1::int and r.idempotency_key = $2::text`,
};

/** When a test began, and with how much. */
export interface TestReset {
  readonly at: EpochSeconds;
  readonly balanceCents: bigint;
  readonly replayed: boolean;
}

/**
 * Everything of the test is gone: its keys reach another row from now on, which is as on the first day. What the former one
 * holds is deleted by a job (twin-cleaning.ts). With the same key it happens once. `accountId`: the real account.
 * null: the other row is not empty yet.
 */
export function resetTwin(
  database: Database,
  accountId: number,
  idempotencyKey: string | null,
  now: EpochSeconds,
): Promise<TestReset | null> {
  return database.transaction(async (transaction) => {
    const real = await lockRealAccount(transaction, accountId);
    if (real === null) throw new Error(`Account ${accountId} has no tests.`);
    if (idempotencyKey !== null) {
      const [earlier] = await transaction.query(findReset, [accountId, idempotencyKey]);
      if (earlier !== undefined)
        return { at: resets.parse(earlier).at, balanceCents: testStartCents, replayed: true };
    }
    const twins = (await transaction.query(lockTwins, [accountId])).map((row) => accounts.parse(row));
    const current = twins.find(({ testState }) => testState === 'current');
    const other = twins.find(({ testState }) => testState !== 'current');
    if (current === undefined) throw new Error(`Account ${accountId} has no tests.`);
    if (other !== undefined && other.testState !== 'clean') return null;
    if (idempotencyKey !== null) {
      await writeRows(transaction, insertReset, [{ accountId, idempotencyKey, at: now }]);
    }
    // Before the next one: of the twins of an account one is current.
    await transaction.query(discardTwin, [current.id]);
    const next =
      other === undefined
        ? await makeTwin(transaction, real, now)
        : await renewTwin(transaction, other.id, accountId, now);
    await moveKeys(transaction, current.id, next.id);
    await deleteWebhooksOf(transaction, current.id);
    for (const { id } of [current, next]) {
      await transaction.query(notifyChange, [changesChannel, accountChanged(id)]);
    }
    return { at: now, balanceCents: testStartCents, replayed: false };
  });
}

async function renewTwin(
  transaction: Queryable,
  id: number,
  accountId: number,
  now: EpochSeconds,
): Promise<Account> {
  const [row] = await transaction.query(beginAgain, [id, now, testStartCents]);
  await writeTestStart(transaction, id, accountId, now);
  await listenToNewAccount(transaction, id);
  return accounts.parse(row ?? {});
}
