// Nobody waits a minute for the database's own first look at its tables (src/database/young-statistics.ts).

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';

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
  // The server's own round would look at fifty rows already.
  await service.database.query({ name: '', text: 'alter table orders set (autovacuum_enabled = false)' });
  await place(0, 40);
  // Movements of money that are no orders do not count.
  for (let topUp = 0; topUp < 70; topUp += 1) {
    const memo = { amount: '1.00', memo: `top-up ${topUp}` };
    const { status, text } = await service.admin.post(`/api/admin/v1/accounts/${reseller.id}/credit`, memo);
    assert.equal(status, 201, text);
  }
  await place(40, 59);
  assert.equal(await knownOrders(), -1, 'never looked at');
  await place(99, 1);
  while ((await knownOrders()) < 0) await nextTurn();
  assert.equal(await knownOrders(), 100);
});

/** What the planner believes that the table of orders holds; -1: it was never analyzed. */
async function knownOrders(): Promise<number> {
  const [row] = await service.database.query({
    name: '',
    text: "select reltuples::int as known from pg_class where oid = 'orders'::regclass",
  });
  return Number(row?.['known']);
}
