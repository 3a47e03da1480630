// Transactions on a session: which of several errors is thrown. test/service/ tests them with a real database.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import {
  DatabaseUnavailable,
  StatementFailed,
  TransactionRolledBack,
} from '../../src/platform/database/database.ts';
import {
  databaseError,
  refuseLockOfView,
  runTransaction,
  type Session,
} from '../../src/platform/database/postgres/pg-session.ts';

/** Answers each statement. After a failure, COMMIT is answered as the server would. */
function sessionOf(answer: (name: string) => Promise<never[]>, log: string[] = []): Session {
  return {
    query: ({ name }) => answer(name),
    async command(text) {
      log.push(text);
      return text === 'commit' ? 'ROLLBACK' : text;
    },
    roundTrips: () => 0,
    search: () => undefined,
    currentPath: null,
  };
}

const statement = (name: string) => ({ name, text: name });

test('the answer to a COMMIT that arrives before the failed statement’s is not the failure', async () => {
  const full = new DatabaseUnavailable('The disk is full.');
  const session = sessionOf(async (name) => {
    await nextTurn();
    if (name === 'good') return [];
    throw name === 'first' ? full : new StatementFailed('The transaction is aborted.', '25P02', undefined);
  });
  const work = async (
    names: readonly string[],
    transaction: Parameters<Parameters<typeof runTransaction>[1]>[0],
  ) => {
    const rows = names.map((name) => transaction.query(statement(name)));
    const committed = transaction.commit();
    await Promise.all([...rows, committed]);
  };
  for (const names of [['first'], ['good', 'first', 'second'], ['first', 'good']]) {
    await assert.rejects(
      runTransaction(session, (transaction) => work(names, transaction)),
      full,
    );
  }
});

test('what a statement refused is marked where its shard may have moved meanwhile', async () => {
  const session = sessionOf(() =>
    Promise.reject(new StatementFailed('The number is taken.', '23505', 'orders_pkey')),
  );
  for (const isSpread of [false, true]) {
    const paths = { own: null, ofAccount: () => null, ofGroups: null, isSpread };
    await assert.rejects(
      runTransaction(session, (transaction) => transaction.query(statement('insert')), {}, paths),
      { constraint: 'orders_pkey', mayBeOutrun: isSpread },
    );
  }
});

test('a COMMIT that says ROLLBACK although nothing failed is the failure itself', async () => {
  const log: string[] = [];
  const session = sessionOf(async () => [], log);
  await assert.rejects(
    runTransaction(session, (transaction) => transaction.query(statement('good'))),
    TransactionRolledBack,
  );
  assert.deepEqual(log, ['begin', 'commit']);
});

test('a constraint has its own name, also where Citus names that of a shard or only its message has it', () => {
  const emitted = (message: string, code: string, constraint?: string) => {
    const failure = databaseError(
      Object.assign(new pg.DatabaseError(message, message.length, 'error'), { code, constraint }),
      'insert_one',
    );
    return failure instanceof StatementFailed ? failure.constraint : failure;
  };
  const words = (name: string) => `duplicate key value violates unique constraint "${name}"`;
  assert.equal(emitted(words('people_username'), '23505', 'people_username'), 'people_username');
  assert.equal(emitted(words('orders_pkey_102059'), '23505', 'orders_pkey_102059'), 'orders_pkey');
  for (const code of ['23505', 'XX000'])
    assert.equal(emitted(words('customer_references_pkey_102010'), code), 'customer_references_pkey');
  assert.equal(emitted('new row violates row-level security', '42501'), undefined);
});

test('rows of accounts are locked in their group alone: a view of all groups would lock none', () => {
  for (const lock of ['for update', 'for no key update of a', 'for share', 'for key share skip locked']) {
    const text = `select a.id from accounts a where a.id = $1 ${lock}`;
    assert.throws(
      () => refuseLockOfView({ name: 'lock', text }),
      /lock locks rows of accounts outside/,
      lock,
    );
  }
  for (const text of [
    'select a.id from accounts a where a.id = $1',
    'select currency from service_state for no key update',
    'select 1 from alerts where account_id = $1 for update',
  ]) {
    refuseLockOfView({ name: 'read', text });
  }
});
