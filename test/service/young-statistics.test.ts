// Tables are analyzed early, without a minute's wait for autovacuum (src/platform/database/schema/early-analyze.ts).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createEarlyAnalyze } from '../../src/platform/database/schema/early-analyze.ts';
import { bySharding } from '../../src/platform/database/shards/query-shards.ts';
import { sqlOf } from '../harness/group-sql.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('statistics are gathered after the first hundred orders, not before', async () => {
  const reseller = await service.createReseller({ credit: '100000.00' });
  const place = async (from: number, count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        reseller.post('/orders', {
          package_id: service.packages.basic,
          customer: `young-${from + index}`,
        }),
      ),
    );
    for (const { status, text } of answers) assert.equal(status, 201, text);
  };
  // Turn autovacuum off, because it would already analyze fifty rows.
  await sqlOf(service, reseller, 'alter table orders set (autovacuum_enabled = false)');
  await place(0, 40);
  // Ledger entries without orders do not count.
  for (let topUp = 0; topUp < 70; topUp += 1) {
    const memo = { amount: '1.00', memo: `top-up ${topUp}` };
    const { status, text } = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/credit`, memo);
    assert.equal(status, 201, text);
  }
  await place(40, 59);
  assert.equal(await knownOrders(reseller), -1, 'never looked at');
  await place(99, 1);
  while ((await knownOrders(reseller)) < 0) await nextTurn();
  assert.equal(await knownOrders(reseller), 100);
});

test('a table that is known to be large is not looked at again', async () => {
  const emitted: string[] = [];
  const [group = service.database] = service.database.accountGroups();
  const received: Database = {
    ...group,
    accountGroups: () => [received],
    query(statement, values, rank) {
      if (statement.text.startsWith('analyze ')) emitted.push(statement.text.slice('analyze '.length));
      return group.query(statement, values, rank);
    },
  };
  const setRows = (rows: number) =>
    group.query({
      name: '',
      text: `update pg_class set reltuples = ${rows} where oid = 'customers'::regclass`,
    });
  const lookAtAll = async (): Promise<readonly string[]> => {
    emitted.length = 0;
    const statistics = createEarlyAnalyze(received, ['accounts', 'customers', 'orders'], assert.ifError);
    statistics.count(100);
    while (!emitted.includes('orders')) await nextTurn();
    return emitted;
  };
  await group.query({ name: '', text: 'alter table customers set (autovacuum_enabled = false)' });
  await setRows(5_000_000);
  assert.deepEqual(await lookAtAll(), ['accounts', 'orders']);
  await setRows(1_000);
  assert.deepEqual(await lookAtAll(), ['accounts', 'customers', 'orders']);
});

/** The planner's estimate of the account's orders; −1 if it was never analyzed. */
async function knownOrders(account: TestAccount): Promise<number> {
  const [row] = await sqlOf(
    service,
    account,
    // On several servers, the rows and their planner are on the group's server.
    bySharding(service.database, {
      together: () => "select reltuples::int as known from pg_class where oid = 'orders'::regclass",
      apart: () =>
        "select result::real::int as known from run_command_on_shards('orders', 'select reltuples from pg_class where oid = ''%s''::regclass')",
    }),
  );
  return Number(row?.['known']);
}
