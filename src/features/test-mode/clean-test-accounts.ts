// A job that deletes the contents of reset tests in pieces and then their account rows.
// Invariant: a row is deleted only after every table was seen empty under the account's lock, which all writers of a test
// hold. The database allows deleting only discarded tests and their history.

import { accountChanged, changesChannel, notifyChange } from '../../platform/database/change-notices.ts';
import type { Database, SqlStatement } from '../../platform/database/database.ts';
import { deleteInPieces } from '../../platform/database/delete-in-pieces.ts';
import { eachInTurn } from '../../platform/database/each-in-turn.ts';
import { realAccountIdMax } from '../../shared/identifiers.ts';
import { dropStrayTestUsage, dropTestUsage } from '../order-engine/records/test-usage.ts';
import { deleteWebhooksOf } from '../webhooks/webhook-store.ts';

/** Rows per statement. On the embedded database, orders wait for each statement. */
const rowsAtOnce = 1_000;

/** Keys have moved to the next test. Rows are deleted before their counts, so that a running job has nothing to count. */
const tables = [
  'test_customer_references',
  'event_inbox',
  'event_gaps',
  'event_stream',
  'events',
  'write_offs',
  'payment_entries',
  'reversals',
  'payments',
  'topup_refunds',
  'auto_topups',
  'topups',
  'ledger_entries',
  'plan_changes',
  'order_handoffs',
  'product_calls',
  'orders',
  'customers',
  'customer_edits',
  'former_references',
  'erasures',
  'login_links',
  'login_codes',
  'customer_sessions',
  'alerts',
  'test_moves',
  'webhook_requests',
  'mail_unsubscribes',
  'mail_addresses',
  'api_request_bodies',
  'api_requests',
  'api_request_counts',
  'ledger_day_marks',
  'ledger_days',
  'spending_marks',
  'spending_sums',
  'plan_sum_marks',
  'plan_sums',
  'cohort_sums',
  'list_stretch_marks',
  'list_stretches',
  'customer_term_marks',
  'customer_terms',
  'last_order_marks',
] as const;

const deletions = tables.map((table) => ({
  deletion: {
    name: `delete_test_rows_of_${table}`,
    // The repeated condition lets the planner use the indexes that contain only tests.
    text: `with gone as (delete from ${table} where ctid = any(array(
        select ctid from ${table} where account_id = $1::int and account_id > ${realAccountIdMax} limit ${rowsAtOnce})) returning 1)
      select count(*) as count from gone`,
  } satisfies SqlStatement,
  atOnceMax: rowsAtOnce,
}));

const listDiscarded: SqlStatement = {
  name: 'list_discarded_tests',
  text: `select id from accounts where test_state <> 'current' and id > $1::int order by id limit 100`,
};

const lockDiscarded: SqlStatement = {
  name: 'lock_discarded_test',
  text: `select id from accounts where id = $1::int and test_state <> 'current' for update`,
};

const isLeft: SqlStatement = {
  name: 'find_rows_of_discarded_test',
  text: `select ${[...tables, 'webhooks'].map((table) => `exists (select 1 from ${table} where account_id = $1::int and account_id > ${realAccountIdMax})`).join('\n      or ')} as is_left`,
};

const deleteEmpty: SqlStatement = {
  name: 'delete_discarded_test',
  text: 'delete from accounts where id = $1::int',
};

export async function cleanDiscardedTests(database: Database, signal: AbortSignal): Promise<number> {
  await dropStrayTestUsage(database);
  let left = 0;
  async function* discarded(): AsyncGenerator<number> {
    for (let after = 0; ; ) {
      const rows = await database.query(listDiscarded, [after]);
      if (rows.length === 0) return;
      for (const row of rows) {
        after = Number(row['id']);
        yield after;
      }
    }
  }
  await eachInTurn(discarded(), async (id) => {
    if (signal.aborted || !(await clean(database, id, signal))) left += 1;
  });
  return left;
}

async function clean(whole: Database, id: number, signal: AbortSignal): Promise<boolean> {
  const database = whole.ofAccount(id);
  while (!signal.aborted) {
    for (const deletion of deletions) {
      if (await deleteInPieces(database, deletion, [id], signal)) return false;
    }
    await database.transaction((transaction) => deleteWebhooksOf(transaction, id), { rank: 'reads' });
    if (await isGoneNow(database, id)) return true;
  }
  return false;
}

function isGoneNow(database: Database, id: number): Promise<boolean> {
  return database.transaction(
    async (transaction) => {
      const [locked] = await transaction.query(lockDiscarded, [id]);
      if (locked === undefined) return true;
      const [found] = await transaction.query(isLeft, [id]);
      if (found?.['is_left'] === true) return false;
      await transaction.query(deleteEmpty, [id]);
      await dropTestUsage(transaction, id);
      await transaction.query(notifyChange, [changesChannel, accountChanged(id)]);
      return true;
    },
    { rank: 'reads' },
  );
}
