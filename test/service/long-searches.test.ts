// A search in the panel over a hundred thousand rows, far more than it may read at once. The rows are inserted directly.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { type PanelClient, signIn } from '../harness/panel-client.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('a filter with few matches reads a bounded range, and says where to go on', async () => {
  const account = await service.createReseller({ credit: '1.00' });
  await patiently(account, async (sql) => {
    await sql(`insert into customers (account_id, number, reference, name, created_at, package_id, anchor_at, months_run,
        expires_at, paid_periods)
      select ${account.id}, n, 'stretch-' || n, case n when 7 then 'Żółw' else 'Name' end, now(), 1, now(), 1, now(), '{}'
      from generate_series(1, 130000) n`);
    await sql(`insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents,
        refund_cents, balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
      select ${account.id}, n, n, 1, 1, case n when 5 then 'change' else 'activate' end, 0, 0, 0, now(), now(),
        'k' || n, '' from generate_series(1, 130000) n`);
    await sql(`update accounts set order_count = 130000, customer_count = 130000 where id = ${account.id}`);
  });
  try {
    const panel = await signIn(service, account);
    const first = await panel.get('/v1/orders?kind=change');
    const { next_cursor: afterFirst } = first.body;
    assert.deepEqual(first.body, { data: [], next_cursor: afterFirst, total: null });
    assert.equal(positionOf(afterFirst), '30001');
    const second = await panel.get(`/v1/orders?kind=change&cursor=${afterFirst}`);
    assert.deepEqual([second.body.data.length, second.body.next_cursor], [1, null]);
    assert.equal((await readAll(panel, `/v1/orders?kind=renew`)).length, 0);

    const cold = await panel.get(`/v1/customers?words=${encodeURIComponent('żÓŁ')}`);
    assert.deepEqual([cold.body.data.length, positionOf(cold.body.next_cursor)], [0, 'n30001']);
    const found = await panel.get(
      `/v1/customers?words=${encodeURIComponent('żÓŁ')}&cursor=${cold.body.next_cursor}`,
    );
    assert.deepEqual(
      found.body.data.map(({ reference }: { reference: string }) => reference),
      ['stretch-7'],
    );
    assert.equal(found.body.next_cursor, null);
    assert.equal((await panel.get('/v1/customers?words=stretch-12999')).body.data.length, 10);
    assert.equal((await readAll(panel, '/v1/customers?words=stretch-12999')).length, 11);
    const console = await signIn(service, service.admin);
    assert.equal((await readAll(console, '/admin/customers?words=stretch-77777')).length, 1);
  } finally {
    await patiently(account, async (sql) => {
      await sql('alter table orders disable trigger user');
      await sql(`delete from orders where account_id = ${account.id}`);
      await sql('alter table orders enable trigger user');
      await sql(`delete from customers where account_id = ${account.id}`);
      await sql(`update accounts set order_count = 0, customer_count = 0 where id = ${account.id}`);
    });
  }
});

async function readAll(panel: PanelClient, path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer: Answer = await panel.get(`${path}&cursor=${cursor}`);
    assert.equal(answer.status, 200, answer.text);
    rows.push(...answer.body.data);
    cursor = answer.body.next_cursor;
  }
  return rows;
}

function positionOf(cursor: string): string {
  return Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString();
}

/** Runs a slow transaction in the account's group. */
function patiently(
  account: TestAccount,
  work: (sql: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  return service.database.ofAccount(account.id).transaction(
    async (transaction) => {
      const sql = (text: string) => transaction.query({ name: '', text });
      await sql('set local statement_timeout = 0');
      await work(sql);
    },
    { timeoutMilliseconds: 600_000 },
  );
}
