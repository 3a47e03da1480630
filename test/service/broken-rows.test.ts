// In jobs over all accounts, a broken row of one account stops no others. Its work is done after it is repaired.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { queueAlertMails } from '../../src/features/alerts/alert-mails.ts';
import { createPlanSums } from '../../src/features/business/plan-sums.ts';
import { indexCustomerTerms } from '../../src/features/customers/customer-search-terms.ts';
import { createDailyTotals } from '../../src/features/ledger/daily-totals.ts';
import { createSpendingReads } from '../../src/features/ledger/spending-totals.ts';
import { cleanDiscardedTests } from '../../src/features/test-mode/clean-test-accounts.ts';
import { createMailOutbox } from '../../src/platform/mail/mail-outbox.ts';
import { sqlAtOnce, sqlOf } from '../harness/group-sql.ts';
import { startProductReceiver } from '../harness/product-receiver.ts';
import { expectStatus } from '../harness/refusals.ts';
import { runPlanEnds } from '../harness/run-plan-ends.ts';
import { beginProductCalls, endProductCalls } from '../harness/run-product-calls.ts';
import { placeOrder, secondsOf } from '../harness/shop.ts';
import { testAccountIdOf, testModeOf } from '../harness/test-mode.ts';

let service: TestService;
const accounts: TestAccount[] = [];
before(async () => {
  service = await startTestService();
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
  for (let count = 0; count < 3; count += 1)
    accounts.push(await service.createReseller({ credit: '100.00' }));
});
after(() => service.close());

const signal = new AbortController().signal;
const broken = () => accounts[1] ?? assert.fail('no account');

/** Makes the database refuse writes to the table for one account. @returns the repair */
async function breakTable(
  table: string,
  accountId: number,
  event = 'insert or update',
): Promise<() => Promise<void>> {
  const group = service.database.ofAccount(accountId);
  const row = event === 'delete' ? 'old' : 'new';
  const column = table === 'accounts' ? 'id' : 'account_id';
  await sqlAtOnce(group, [
    `create function refuse_${table}() returns trigger language plpgsql as $$
       begin raise exception 'broken on purpose'; end $$;
     create trigger broken before ${event} on ${table} for each row when (${row}.${column} = ${accountId})
       execute function refuse_${table}()`,
  ]);
  return () => sqlAtOnce(group, [`drop trigger broken on ${table}; drop function refuse_${table}()`]);
}

const counts = (table: string, where = 'true') =>
  Promise.all(
    accounts.map(async (account) => {
      const text = `select count(*)::int as count from ${table} where account_id = ${account.id} and ${where}`;
      const [row] = await sqlOf(service, account, text);
      return Number(row?.['count']);
    }),
  );

async function expectOnlyOneBroken(
  table: string,
  { run, where = 'true', each = 1 }: { run: () => Promise<unknown>; where?: string; each?: number },
): Promise<void> {
  const mend = await breakTable(table, broken().id);
  await assert.rejects(run, /broken on purpose/);
  assert.deepEqual(await counts(table, where), [each, 0, each]);
  // The next run also does work that came up later.
  await assert.rejects(run, /broken on purpose/);
  await mend();
  await run();
  assert.deepEqual(await counts(table, where), [each, each, each]);
}

test('an end that cannot be noted stops no other end, and is noted once it can be', async () => {
  const product = await startProductReceiver();
  const { url, secret } = product;
  const setting = { mode: 'notify', url, secret };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', setting), 200);
  await runPlanEnds(service);
  for (const account of accounts) await placeOrder(service, account, { customer: `ada-${account.id}` });
  service.clock.seconds = secondsOf('2026-02-28T10:00:00Z');
  const where = `type = 'plan.expire'`;
  await expectOnlyOneBroken('product_calls', { run: () => runPlanEnds(service), where });
  // The mark has moved on. Later ends are each reported once.
  for (const account of accounts) await placeOrder(service, account, { customer: `bea-${account.id}` });
  service.clock.seconds = secondsOf('2026-04-01T10:00:00Z');
  await runPlanEnds(service);
  await runPlanEnds(service);
  assert.deepEqual(await counts('product_calls', where), [2, 2, 2]);
  await product.close();
});

test('sums of days and of spending, and terms of customers, are made for all other accounts', async () => {
  const days = createDailyTotals(service.database);
  const spending = createSpendingReads(service.database);
  const planSums = createPlanSums(service.database);
  for (const { id } of accounts) {
    for (const table of [
      'ledger_days',
      'ledger_day_marks',
      'spending_sums',
      'spending_marks',
      'plan_sums',
      'cohort_sums',
      'plan_sum_marks',
      'customer_terms',
      'customer_term_marks',
    ])
      await sqlOf(service, { id }, `delete from ${table} where account_id = ${id}`);
  }
  await expectOnlyOneBroken('ledger_day_marks', { run: () => days.bringAllUpToDate() });
  await expectOnlyOneBroken('spending_marks', { run: () => spending.bringAllUpToDate() });
  await expectOnlyOneBroken('plan_sum_marks', { run: () => planSums.bringAllUpToDate() });
  await expectOnlyOneBroken('customer_term_marks', { run: () => indexCustomerTerms(service.database) });
});

test('alert mails are queued for all other accounts', async () => {
  const mails = createMailOutbox({
    isOn: true,
    seal: service.service.seal,
    language: () => 'en',
    publicUrl: () => 'https://resell.example.com',
    keptTryingSeconds: 86_400,
  });
  const run = () =>
    queueAlertMails(
      { database: service.database, mails, publicUrl: () => '', now: () => service.clock.seconds },
      signal,
    );
  for (const account of accounts) {
    const { balance } = expectStatus(await account.get('/balance'), 200);
    const alerts = { balance_below: balance, emails: [`owner-${account.id}@example.com`] };
    expectStatus(await account.send('PUT', '/alerts', alerts), 200);
    await placeOrder(service, account, { customer: `low-${account.id}` });
  }
  await expectOnlyOneBroken('alerts', { run, where: 'low_mailed_number > 0' });
});

test('a late notice that cannot be given stops no other notice, and is given once it can be', async () => {
  const [first = assert.fail()] = accounts;
  const setAlerts = async (account: TestAccount, alerts: object) =>
    expectStatus(await account.send('PUT', '/alerts', alerts), 200);
  // From here on, the search for new ends starts after those of the orders below.
  await setAlerts(first, { plans_ending_days: 40 });
  await runPlanEnds(service);
  await setAlerts(first, {});
  for (const account of accounts) await placeOrder(service, account, { customer: `late-${account.id}` });
  for (const account of accounts) await setAlerts(account, { plans_ending_days: 40 });
  const where = `type = 'plan.ending' and data like '%"days":40%' and data like '%late-%'`;
  await expectOnlyOneBroken('events', { run: () => runPlanEnds(service), where });
});

test('tests that were reset are deleted, apart from one that cannot be', async () => {
  const testAccounts: number[] = [];
  for (const account of accounts) {
    const tests = await testModeOf(service, account);
    testAccounts.push(tests.id);
    expectStatus(await tests.post('/test/reset', {}), 200);
    assert.notEqual(await testAccountIdOf(service.database, account.id), tests.id);
  }
  const left = async () => {
    const rows = await service.database.query(
      { name: '', text: 'select id from accounts where id = any($1::int[]) order by id' },
      [`{${testAccounts.join()}}`],
    );
    return rows.map((row) => Number(row['id']));
  };
  const run = () => cleanDiscardedTests(service.database, signal);
  const mend = await breakTable('accounts', testAccounts[1] ?? 0, 'delete');
  await assert.rejects(run, /broken on purpose/);
  assert.deepEqual(await left(), testAccounts.slice(1, 2));
  await mend();
  await run();
  assert.deepEqual(await left(), []);
});

test('a call to the product that cannot be read or prepared keeps no other from being sent', async () => {
  const product = await startProductReceiver();
  const { url, secret } = product;
  expectStatus(
    await service.admin.send('PUT', '/api/admin/v1/product', { mode: 'confirm', url, secret }),
    200,
  );
  const names = ['unread', 'unprepared', 'fine'];
  const { id } = accounts[0] ?? assert.fail('no account');
  const account = accounts[0] ?? assert.fail('no account');
  for (const name of names) await placeOrder(service, account, { customer: `${name}-${id}` });
  const call = (name: string) => `account_id = ${id} and status = 'waiting' and customer_number =
    (select number from customers where account_id = ${id} and reference = '${name}-${id}')`;
  await sqlOf(service, account, `update product_calls set type = 'plan.unknown' where ${call('unread')}`);
  const [row] = await sqlOf(service, account, `select id from product_calls where ${call('unprepared')}`);
  const group = service.database.ofAccount(id);
  await sqlAtOnce(group, [
    `create function refuse_payload() returns trigger language plpgsql as $$
       begin raise exception 'broken on purpose'; end $$;
     create trigger broken before update on product_calls for each row
       when (new.id = ${Number(row?.['id'])} and new.payload is not null) execute function refuse_payload()`,
  ]);
  await beginProductCalls(service);
  const sent = await product.waitFor(1, ({ data }) => data.customer.reference === `fine-${id}`);
  assert.equal(sent.length, 1);
  await endProductCalls(service);
  const waiting = await sqlOf(
    service,
    account,
    // The run's first answer makes other calls due, maybe before the run ends.
    `select attempts > 0 as was_tried, last_error from product_calls
    where account_id = ${id} and status = 'waiting' and confirms order by id`,
  );
  assert.deepEqual(waiting, [
    { was_tried: true, last_error: 'unreadable' },
    { was_tried: true, last_error: 'not_prepared' },
  ]);
  await sqlAtOnce(group, ['drop trigger broken on product_calls; drop function refuse_payload()']);
  await sqlOf(service, account, `update product_calls set type = 'plan.activate' where ${call('unread')}`);
  service.clock.seconds += 3_600;
  await beginProductCalls(service);
  for (const name of names)
    await product.waitFor(1, ({ data }) => data.customer.reference === `${name}-${id}`);
  await endProductCalls(service);
  expectStatus(await service.admin.send('DELETE', '/api/admin/v1/product'), 200);
  await product.close();
});
