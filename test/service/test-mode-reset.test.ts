// A test that is reset: nothing of it is left, nothing else is touched, and whoever was at work meanwhile learns of it.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { cleanDiscardedTests } from '../../src/test-mode/twin-cleaning.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { advance, clockOf, testModeOf, twinIdOf } from '../harness/test-mode.ts';

const start = '2026-01-31T10:00:00Z';
let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf(start);
});

async function twins(): Promise<{ live: TestAccount; tests: TestAccount }> {
  const live = await service.createReseller({ credit: '500.00' });
  return { live, tests: await testModeOf(service, live) };
}

const sql = (text: string) => service.database.query({ name: '', text });
const clean = () => cleanDiscardedTests(service.database, new AbortController().signal);

/** Every table that has rows of accounts, and how many of this one. */
async function rowsOf(accountId: number): Promise<Record<string, number>> {
  const tables = await sql(`select c.table_name as name from information_schema.columns c
    where c.table_schema = 'public' and c.column_name = 'account_id' order by 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql(`select count(*)::int as rows from ${name} where account_id = ${accountId}`);
    if (Number(row?.['rows']) > 0) counts[String(name)] = Number(row?.['rows']);
  }
  return counts;
}

/** Something in every list that a test can fill. */
async function fill(tests: TestAccount, name: string): Promise<string> {
  expectStatus(await tests.get('/events'), 200);
  const body = { package_id: service.packages.basic, customer: name, return_login: true };
  const { order, login_url: link } = expectStatus(await tests.post('/orders', body), 201);
  const path = `/customers/${order.customer.id}`;
  expectStatus(await tests.send('PUT', `${path}/auto-renew`, { months: 1 }), 200);
  expectStatus(await tests.patch(path, { external_ref: `ref-${name}`, idempotency_key: 'named' }), 200);
  expectStatus(await tests.post(`${path}/suspend`, { reason: 'late', idempotency_key: 'held' }), 200);
  expectStatus(await tests.post('/test/credit', { amount: '5.00', idempotency_key: 'more' }), 201);
  expectStatus(
    await tests.post('/webhooks', { url: 'https://127.0.0.1/hook', idempotency_key: 'hook' }),
    201,
  );
  expectStatus(await tests.send('PUT', '/alerts', { balance_below: '990.00', plans_ending_days: 3 }), 200);
  expectStatus(await tests.post('/test/clock', { advance: 'P2M', idempotency_key: 'later' }), 200);
  return link;
}

test('everything of it is deleted, everything of the real account stays, and its keys go on', async () => {
  const { live, tests } = await twins();
  await placeOrder(service, live, { customer: 'stays@example.com' });
  await fill(tests, 'goes@example.com');
  await service.service.app.ready();
  const before = await rowsOf(live.id);
  for (const table of [
    'orders',
    'customers',
    'ledger_entries',
    'events',
    'plan_changes',
    'webhooks',
    'test_moves',
  ]) {
    assert.ok((await rowsOf(tests.id))[table], `the test has something in ${table}`);
  }
  expectStatus(await tests.post('/test/reset'), 200);
  assert.equal(await clean(), 0);
  assert.deepEqual(await rowsOf(tests.id), {});
  assert.deepEqual(await rowsOf(live.id), before);
  const next = await twinIdOf(service.database, live.id);
  assert.notEqual(next, tests.id);
  assert.deepEqual(Object.keys(await rowsOf(next)).sort(), ['api_keys', 'ledger_entries']);
  assert.equal(expectStatus(await tests.get('/webhooks'), 200).data.length, 0);

  // The same names again, and back to the first row.
  await fill(tests, 'goes@example.com');
  expectStatus(await tests.post('/test/reset'), 200);
  assert.equal(await twinIdOf(service.database, live.id), tests.id);
  assert.equal(expectStatus(await tests.get('/balance'), 200).balance, '1000.00');
  assert.equal(expectStatus(await tests.get('/ledger'), 200).total, 1);
  await fill(tests, 'goes@example.com');
  assert.equal(await clean(), 0);
});

test('with the same key it happens once; before the former one is deleted it is refused', async () => {
  const { tests } = await twins();
  const first = expectStatus(await tests.post('/test/reset', { idempotency_key: 'once' }), 200);
  await placeOrder(service, tests, { customer: 'kept' });
  service.clock.seconds += 60;
  const again = await tests.post('/test/reset', { idempotency_key: 'once' });
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(expectStatus(again, 200), first);
  assert.equal(expectStatus(await tests.get('/orders'), 200).total, 1);
  expectRefusal(await tests.post('/test/reset', { idempotency_key: 'twice' }), '409 reset_in_progress');
  expectRefusal(await tests.post('/test/reset'), '409 reset_in_progress');
  await clean();
  expectStatus(await tests.post('/test/reset', { idempotency_key: 'twice' }), 200);
  await clean();
});

test('of ten resets at once one happens', async () => {
  const { tests } = await twins();
  const answers = await Promise.all(Array.from({ length: 10 }, () => tests.post('/test/reset')));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 200))
    expectRefusal(answer, '409 reset_in_progress');
  await clean();
});

test('orders under way are taken before it or after it, and never lost in between', async () => {
  const { live, tests } = await twins();
  const former = tests.id;
  const orders = Array.from({ length: 40 }, (_, index) =>
    tests.post('/orders', { package_id: service.packages.basic, customer: `under-way-${index}` }),
  );
  const reset = tests.post('/test/reset');
  const answers = await Promise.all(orders);
  expectStatus(await reset, 200);
  const current = await twinIdOf(service.database, live.id);
  const placed = answers.filter(({ status }) => status === 201).map(({ body }) => Number(body.order.id));
  assert.equal(
    placed.length,
    40,
    answers.map(({ text }) => text).find((text) => text.includes('error')) ?? '',
  );
  const owners = placed.map((id) => Math.floor(id / 1_000_000_000));
  assert.ok(owners.every((owner) => owner === former || owner === current));
  const now = expectStatus(await tests.get('/orders'), 200).total;
  assert.equal(now, owners.filter((owner) => owner === current).length);
  await clean();
});

test('a move under way ends, and does not move the clock of the test that follows', async () => {
  const { live, tests } = await twins();
  for (let from = 0; from < 300; from += 100) {
    const orders = Array.from({ length: 100 }, (_, index) => ({
      package_id: service.packages.basic,
      customer: `moved-${live.id}-${from + index}`,
      idempotency_key: `moved-${from + index}`,
    }));
    expectStatus(await tests.post('/orders/bulk', { orders: orders.slice(0, 33) }), 200);
  }
  const move = tests.post('/test/clock', { advance: 'P10Y' });
  const reset = tests.post('/test/reset');
  const [moved, done] = await Promise.all([move, reset]);
  expectStatus(done, 200);
  if (moved.status !== 200) expectRefusal(moved, '409 reset_in_progress');
  assert.equal(await clockOf(tests), start);
  await clean();
});

test('what comes late for the former one is taken by nobody', async () => {
  const { live, tests } = await twins();
  expectStatus(await tests.post('/test/reset'), 200);
  const late = await service.service.engine.submit({
    type: 'credit',
    accountId: tests.id,
    actorId: live.id,
    amountCents: 100n,
    memo: null,
    idempotencyKey: 'late',
    keyIsMinted: false,
  });
  assert.equal(late.type, 'access_changed');
  await clean();
});

describe('history', () => {
  test('of a real account, and of a test in use, is not deleted by anybody', async () => {
    const { live, tests } = await twins();
    for (const account of [live, tests])
      await placeOrder(service, account, { customer: `history-${account.id}` });
    for (const id of [live.id, tests.id]) {
      for (const table of ['orders', 'ledger_entries']) {
        await assert.rejects(
          sql(`delete from ${table} where account_id = ${id}`),
          /append-only: delete refused/,
        );
        await assert.rejects(
          sql(`update ${table} set number = number where account_id = ${id}`),
          /append-only/,
        );
      }
    }
    await assert.rejects(
      sql(`update accounts set test_state = 'discarded' where id = ${live.id}`),
      /accounts_test/,
    );
  });

  test('is deleted of a test that was discarded, and not changed', async () => {
    const { tests } = await twins();
    await placeOrder(service, tests, {});
    expectStatus(await tests.post('/test/reset'), 200);
    await assert.rejects(sql(`update orders set months = 3 where account_id = ${tests.id}`), /append-only/);
    await sql(`delete from orders where account_id = ${tests.id}`);
    await clean();
  });
});

test('a link to log in dies with its test', async () => {
  const { tests } = await twins();
  const link = await fill(tests, 'linked@example.com');
  const { pathname } = new URL(link);
  const browser = createApiClient(service.address, null);
  expectStatus(await tests.post('/test/reset'), 200);
  await clean();
  assert.equal((await browser.get(pathname)).status, 410);
});

test('two moves of a year after a reset give the same as before it', async () => {
  const { tests } = await twins();
  const year = async () => {
    const { order } = await placeOrder(service, tests, { customer: 'same@example.com' });
    expectStatus(await tests.send('PUT', `/customers/${order.customer.id}/auto-renew`, { months: 1 }), 200);
    return (await advance(tests, 'P1Y')).happened;
  };
  const first = await year();
  expectStatus(await tests.post('/test/reset'), 200);
  assert.deepEqual(await year(), first);
  await clean();
});
