// Which work waits for which on PostgreSQL (docs/decisions/0013-orders-first.md), beside continuous orders.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestDatabase, isPostgres } from '../../scripts/throwaway/test-database.ts';
import { openPostgres } from '../../src/platform/database/postgres/postgres.ts';
import { defaultLimits } from '../../src/setup/config.ts';

const statement = { name: '', text: 'select 1 as one' };

test('however much is read, a connection is left for what people change', {
  skip: isPostgres ? false : 'of PostgreSQL alone',
  timeout: 60_000,
}, async () => {
  const { config, remove } = await createTestDatabase();
  assert.ok(config.kind === 'postgres');
  const limits = { ...defaultLimits.database, connectMilliseconds: 60_000, readMilliseconds: 60_000 };
  const idle = { idleInTransactionMilliseconds: 60_000, answerMilliseconds: 60_000 };
  const database = openPostgres({ ...limits, ...idle, connectionString: config.connectionString });
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  let begun = 0;
  const reads = Array.from({ length: 2 * limits.readConnections }, () =>
    database.transaction(
      async (transaction) => {
        await transaction.query(statement);
        begun += 1;
        await held;
      },
      { rank: 'reads' },
    ),
  );
  while (begun < limits.readConnections - 1) await database.query(statement, [], 'lookups');
  await database.transaction((transaction) => transaction.query(statement));
  assert.equal(begun, limits.readConnections - 1);
  letGo();
  await Promise.all(reads);
  await database.close();
  await remove();
});

test('beside orders that never pause reads rest, and what people change does not', {
  skip: isPostgres ? false : 'of PostgreSQL alone',
  timeout: 60_000,
}, async () => {
  const { config, remove } = await createTestDatabase();
  assert.ok(config.kind === 'postgres');
  const limits = defaultLimits.database;
  // After one read, the pause before the next one is longer than this test.
  const readThrottle = {
    ...limits.readThrottle,
    // Orders start right after the database was opened, so they have not been busy for most of the time yet.
    busyShareMin: 0,
    restFactor: 1_000_000,
    restMillisecondsMax: 3_600_000,
    waitMilliseconds: 3_600_000,
  };
  const database = openPostgres({ ...limits, readThrottle, connectionString: config.connectionString });
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const orders = database.transaction(() => held, { rank: 'orders' });
  await database.query(statement);

  let hasRead = false;
  const read = database.query(statement).then(() => {
    hasRead = true;
  });
  await database.transaction((transaction) => transaction.query(statement));
  await database.query(statement, [], 'lookups');
  assert.equal(hasRead, false);
  letGo();
  await orders;
  await read;
  await database.close();
  await remove();
});
