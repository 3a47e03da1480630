// Limits of test data: refusals, how a moving clock stops, what counts, and that real orders are not affected.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { cleanDiscardedTests } from '../../src/features/test-mode/clean-test-accounts.ts';
import { sqlOf } from '../harness/group-sql.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder } from '../harness/shop.ts';
import { createTestAccounts, testAccountIdOf } from '../harness/test-mode.ts';

const rowsMax = 1_000;
/** The most rows that one action writes: order, entry, change, events, call, customer, link. */
const rowsOfStep = 10;

let service: TestService;
before(async () => {
  service = await startTestService({ environment: { TEST_ROWS_MAX: String(rowsMax) } });
});
after(() => service.close());

const sql = (text: string) => service.database.query({ name: '', text });

async function usageOf(accountId: number): Promise<{ rows: number; bytes: number }> {
  const [row] = await sql(`select row_count, byte_count from test_usage where account_id = ${accountId}`);
  assert.ok(row, `account ${accountId} is counted`);
  return { rows: Number(row['row_count']), bytes: Number(row['byte_count']) };
}

async function rowsOf(account: TestAccount): Promise<number> {
  const tables = [
    'customers',
    'orders',
    'ledger_entries',
    'plan_changes',
    'events',
    'login_links',
    'test_moves',
  ];
  const counts = tables.map((table) => `(select count(*) from ${table} where account_id = ${account.id})`);
  const [row] = await sqlOf(service, account, `select ${counts.join(' + ')} as rows`);
  return Number(row?.['rows']);
}

async function fillUpTo(accountId: number, rows: number): Promise<void> {
  await sql(`update test_usage set row_count = ${rows} where account_id = ${accountId}`);
}

test('every row that a test account is given is counted, and no other', async () => {
  const { live, tests } = await createTestAccounts(service);
  expectStatus(await tests.get('/events'), 200);
  const { order } = await placeOrder(service, tests, { customer: 'a', return_login: true });
  await placeOrder(service, live, { customer: 'b' });
  const path = `/customers/${order.customer.id}`;
  expectStatus(await tests.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  expectStatus(await tests.post(`${path}/suspend`, { reason: 'late' }), 200);
  expectStatus(await tests.post(`${path}/resume`), 200);
  expectStatus(await tests.post('/test/credit', { amount: '10.00' }), 201);
  expectStatus(await tests.post('/test/clock', { advance: 'P3M', idempotency_key: 'a' }), 200);
  const { rows, bytes } = await usageOf(tests.id);
  assert.equal(rows, await rowsOf(tests));
  assert.ok(rows > 20 && bytes > rows * 256 && bytes < rows * 1_024, `${bytes} bytes in ${rows} rows`);
  assert.deepEqual(await sql(`select 1 as one from test_usage where account_id = ${live.id}`), []);
});

test('a full test account is refused what would be stored, and answers everything else', async () => {
  const { live, tests } = await createTestAccounts(service);
  const body = { customer: 'first', idempotency_key: 'first' };
  const { order } = await placeOrder(service, tests, body);
  await fillUpTo(tests.id, rowsMax - 1);
  const last = await placeOrder(service, tests, { customer: 'last' });
  assert.equal(last.order.status, 'completed', 'one row of room is enough to begin');
  const full = ['409 test_full', { budget: 'account' }] as const;
  const another = { package_id: service.packages.basic, customer: 'another' };
  const path = `/customers/${order.customer.id}`;
  expectRefusal(await tests.post('/orders', another), ...full);
  expectRefusal(await tests.post('/orders/preview', another), ...full);
  expectRefusal(await tests.post(`/orders/${order.id}/renew`), ...full);
  expectRefusal(await tests.post(`${path}/suspend`), ...full);
  expectRefusal(await tests.send('PUT', `${path}/auto-renew`, { months: 1 }), ...full);
  expectRefusal(await tests.post('/test/credit', { amount: '1.00' }), ...full);
  expectRefusal(await tests.post('/test/clock', { advance: 'P1D' }), ...full);
  expectRefusal(await tests.patch(path, { name: 'Ada' }), '409 test_full', {});
  const bulk = await tests.post('/orders/bulk', { orders: [{ ...another, idempotency_key: 'in-bulk' }] });
  assert.equal(expectStatus(bulk, 200).results[0].error.code, 'test_full');

  const again = await tests.post('/orders', { package_id: service.packages.basic, ...body });
  assert.equal(expectStatus(again, 201).order.id, order.id, 'a key that was used answers as before');
  assert.equal(expectStatus(await tests.get('/orders'), 200).total, 2);
  await placeOrder(service, live, { customer: 'real' });
  expectStatus(await tests.post('/test/reset'), 200);
  await placeOrder(service, tests, { customer: 'after-the-reset' });
});

test('bytes have a budget beside rows', async () => {
  const { tests } = await createTestAccounts(service);
  await sql(`update test_usage set byte_count = ${rowsMax * 1_024} where account_id = ${tests.id}`);
  const order = { package_id: service.packages.basic, customer: 'large' };
  expectRefusal(await tests.post('/orders', order), '409 test_full', { budget: 'account' });
});

test('a clock that moves stops between two steps where the space ends, and says so', async () => {
  const { tests } = await createTestAccounts(service);
  expectStatus(await tests.get('/events'), 200);
  expectStatus(await tests.post('/test/credit', { amount: '100000.00' }), 201);
  for (const customer of ['a', 'b', 'c']) {
    const { order } = await placeOrder(service, tests, { customer: `${customer}-${tests.id}` });
    const path = `/customers/${order.customer.id}/auto-renew`;
    expectStatus(await tests.send('PUT', path, { months: 1 }), 200);
  }
  const move = { advance: 'P10Y', idempotency_key: 'ten-years' };
  const moved = expectStatus(await tests.post('/test/clock', move), 200);
  assert.partialDeepStrictEqual(moved, { reached: false, stopped_by: 'test_full' });
  assert.ok(moved.happened.renewals > 100, `${moved.happened.renewals} renewals`);
  const rows = await rowsOf(tests);
  assert.ok(rows >= rowsMax && rows < rowsMax + rowsOfStep, `${rows} rows`);
  const { clock } = expectStatus(await tests.get('/test/clock'), 200);
  assert.equal(clock.now, moved.clock.now);
  expectRefusal(await tests.post('/test/clock', move), '409 test_full', { budget: 'account' });
  await fillUpTo(tests.id, 0);
  const more = expectStatus(await tests.post('/test/clock', move), 200);
  assert.ok(more.happened.renewals > moved.happened.renewals);
  // Each command of a move counts the row of the move again.
  const counted = (await usageOf(tests.id)).rows + rows - (await rowsOf(tests));
  assert.ok(counted >= 0 && counted < 5, `${counted} rows more than there are`);
});

test('requests at the same moment go beyond the limit by a batch at most', async () => {
  const { tests } = await createTestAccounts(service);
  await fillUpTo(tests.id, rowsMax - 20);
  const before = await rowsOf(tests);
  const orders = Array.from({ length: 120 }, (_, index) =>
    tests.post('/orders', { package_id: service.packages.basic, customer: `at-once-${tests.id}-${index}` }),
  );
  const answers = await Promise.all(orders);
  const taken = answers.filter(({ status }) => status === 201).length;
  for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, '409 test_full');
  assert.ok(taken > 0 && taken <= 20, `${taken} orders taken`);
  assert.ok((await rowsOf(tests)) - before < 20 + rowsOfStep, 'a batch counts what it adds itself');
});

test('all test accounts together have a budget, in which those count that wait for deletion', async () => {
  const [one, other] = [await createTestAccounts(service), await createTestAccounts(service)];
  const formerId = one.tests.id;
  expectStatus(await one.tests.post('/test/reset'), 200);
  assert.notEqual(await testAccountIdOf(service.database, one.live.id), formerId);
  const allBytes = 50 * rowsMax * 1_024;
  await sql(`update test_usage set byte_count = ${allBytes} where account_id = ${formerId}`);
  const order = { package_id: service.packages.basic, customer: 'of-all' };
  expectRefusal(await other.tests.post('/orders', order), '409 test_full', { budget: 'all' });
  await placeOrder(service, other.live, { customer: 'of-all' });
  expectStatus(await other.tests.post('/test/reset'), 200);
  // A process of the previous version deletes a test's account and leaves this row.
  await sql('insert into test_usage (account_id, row_count, byte_count) values (9999999, 1, 1)');

  assert.equal(await cleanDiscardedTests(service.database, new AbortController().signal), 0);
  assert.deepEqual(
    await sql(`select 1 as one from test_usage where account_id in (${formerId}, 9999999)`),
    [],
  );
  expectStatus(await other.tests.post('/orders', order), 201);
});
