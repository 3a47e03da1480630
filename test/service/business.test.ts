// The figures of the business equal those that a script computes from the CSV export of orders alone.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { businessOf, type OracleCohort, type OracleMonth } from '../../proof/oracle/business-oracle.ts';
import { createRandom } from '../../proof/oracle/history-genes.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { createPlanSums } from '../../src/features/business/plan-sums.ts';
import { parseOwnedId } from '../../src/shared/identifiers.ts';
import { formatTime } from '../../src/shared/times.ts';
import { fixedSeed } from '../harness/fixed-seed.ts';
import { sqlOf, sqlOfAll } from '../harness/group-sql.ts';
import { signIn } from '../harness/panel-client.ts';
import { expectRefusal, expectStatus } from '../harness/refusals.ts';
import { changeAccount, credit, placeOrder, secondsOf } from '../harness/shop.ts';
import { testModeOf } from '../harness/test-mode.ts';

const day = 86_400;
const admin = '/api/admin/v1/business';
const orderPaths: string[] = [];

let service: TestService;
let accounts: readonly TestAccount[];

before(async () => {
  service = await startTestService();
  service.clock.seconds = secondsOf('2024-11-20T09:00:00Z');
  accounts = [
    await service.createReseller({ credit: '90000.00' }),
    await service.createReseller({ credit: '90000.00', group: 'distributor' }),
  ];
});
after(() => service.close());

const figures = async (query = '') => expectStatus(await service.admin.get(`${admin}${query}`), 200);

async function exportOf({ id }: TestAccount): Promise<string> {
  const answer = await service.admin.get(`/api/admin/v1/accounts/${id}/orders?format=csv`);
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

interface MonthAnswer {
  readonly month: string;
  readonly active_plans: number;
  readonly mrr: string;
  readonly arr: string;
  readonly customers: number;
  readonly new_plans: number;
  readonly new_mrr: string;
  readonly returned_plans: number;
  readonly returned_mrr: string;
  readonly lost_plans: number;
  readonly lost_mrr: string;
  readonly expansion_mrr: string;
  readonly contraction_mrr: string;
  readonly changed_in_plans: number;
  readonly due_plans: number;
  readonly renewed_plans: number;
  readonly churn_percent: number | null;
  readonly renewal_percent: number | null;
}

const comparable = (one: MonthAnswer): OracleMonth => ({
  month: one.month,
  activePlans: one.active_plans,
  mrr: one.mrr,
  arr: one.arr,
  customers: one.customers,
  newPlans: one.new_plans,
  returnedPlans: one.returned_plans,
  lostPlans: one.lost_plans,
  lostMrr: one.lost_mrr,
  changedPlans: one.changed_in_plans,
  duePlans: one.due_plans,
  renewedPlans: one.renewed_plans,
  churnPercent: one.churn_percent,
  renewalPercent: one.renewal_percent,
});

interface PackageAnswer {
  readonly package: { readonly name: string };
  readonly mrr: string;
  readonly before: { readonly mrr: string };
}

interface AccountAnswer {
  readonly account: { readonly id: number };
  readonly active_plans: number;
  readonly mrr: string;
  readonly balance: string;
  readonly due_plans: number;
  readonly due: string;
  readonly runs_out_on: string | null;
}

interface CohortAnswer {
  readonly month: string;
  readonly customers: number;
  readonly kept: readonly { readonly plans: number; readonly mrr: string }[];
}

const comparableCohort = ({ month, customers, kept }: CohortAnswer): OracleCohort => ({
  month,
  customers,
  kept: kept.map(({ plans, mrr }) => ({ plans, mrr })),
});

async function expectAsComputed(months: number): Promise<void> {
  const now = formatTime(service.clock.seconds);
  const exports = await Promise.all(accounts.map(exportOf));
  const expected = businessOf(exports, now, months);
  const all = await figures(`?months=${months}`);
  assert.deepEqual(all.months.map(comparable), expected.months, now);
  const { cohorts } = expectStatus(await service.admin.get(`${admin}/cohorts?months=${months}`), 200);
  assert.deepEqual(cohorts.map(comparableCohort), expected.cohorts, now);
  const { accounts: listed } = expectStatus(await service.admin.get(`${admin}/accounts`), 200);
  for (const [index, account] of accounts.entries()) {
    const own = businessOf([exports[index] ?? ''], now, months);
    const answer = expectStatus(await account.get(`/business?months=${months}`), 200);
    assert.deepEqual(answer.months.map(comparable), own.months, `${now} ${account.id}`);
    assert.deepEqual(await figures(`?months=${months}&account_id=${account.id}`), answer);
    const row = (listed as AccountAnswer[]).find((one) => one.account.id === account.id);
    const last = own.months.at(-1);
    assert.deepEqual([row?.active_plans ?? 0, row?.mrr ?? '0.00'], [last?.activePlans, last?.mrr], now);
    const found = expectStatus(await account.get(`/business/cohorts?months=${months}`), 200);
    assert.deepEqual(found.cohorts.map(comparableCohort), own.cohorts, `${now} ${account.id}`);
  }
  for (const packageId of [service.packages.basic, service.packages.plus]) {
    const own = businessOf(exports, now, months, packageId);
    const { months: found } = await figures(`?months=${months}&package_id=${packageId}`);
    const without = (list: readonly OracleMonth[]) => list.map(({ customers: _customers, ...rest }) => rest);
    assert.deepEqual(without(found.map(comparable)), without(own.months), `${now} package ${packageId}`);
  }
}

async function setMode(mode: 'none' | 'confirm'): Promise<void> {
  const product = { mode, url: 'http://127.0.0.1:9/', secret: `whsec_${'A'.repeat(32)}` };
  expectStatus(await service.admin.send('PUT', '/api/admin/v1/product', product), 200);
}

async function settle(orderId: number, outcome: 'completed' | 'failed'): Promise<void> {
  const id = parseOwnedId(String(orderId));
  assert.ok(id);
  const { accountId, number: orderNumber } = id;
  const settled = { type: 'settle_order', accountId, orderNumber, outcome, reason: null, by: null } as const;
  assert.equal((await service.service.engine.submit(settled)).type, 'settled');
}

/** Days of random orders, renewals, changes and cancels. Some wait for the product and are settled days later. */
async function play(days: number, stream: number): Promise<void> {
  const random = createRandom(fixedSeed, stream);
  const { basic, plus } = service.packages;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  let waiting: { id: number; until: number; outcome: 'completed' | 'failed' }[] = [];
  for (let passed = 0; passed < days; passed += 1) {
    service.clock.seconds += day + Math.floor(random() * 3_600) - 1_800;
    for (const order of waiting.filter(({ until }) => until <= service.clock.seconds)) {
      await settle(order.id, order.outcome);
    }
    waiting = waiting.filter(({ until }) => until > service.clock.seconds);
    for (let count = Math.floor(random() * 3); count > 0; count -= 1) {
      const account = pick(accounts);
      const customer = `c${Math.floor(random() * 14)}-${account.id}`;
      const isWaiting = random() < 0.15;
      if (isWaiting) await setMode('confirm');
      const body = { customer, package_id: pick([basic, basic, plus]), months: pick([1, 1, 1, 3, 12]) };
      const answer = await account.post('/orders', body);
      if (isWaiting) await setMode('none');
      // A customer with a pending order gets no other.
      if (answer.body.error?.details.reason === 'order_pending') continue;
      const { order } = expectStatus(answer, 201);
      orderPaths.push(`/customers/${order.customer.id}`);
      if (isWaiting) {
        const until = service.clock.seconds + Math.floor(random() * 40 * day);
        waiting.push({ id: order.id, until, outcome: random() < 0.7 ? 'completed' : 'failed' });
      } else if (random() < 0.06) {
        await account.post(`/customers/${order.customer.id}/cancel`, { at: pick(['now', 'period_end']) });
      }
    }
    if (passed % 9 === 4) await service.service.jobs.look();
  }
  for (const { id, outcome } of waiting) await settle(id, outcome);
}

describe('a random history', () => {
  test('month by month, by account and by package, the figures are those of the orders’ export', async () => {
    for (let stream = 1; stream <= 9; stream += 1) {
      await play(47, stream);
      await expectAsComputed(18);
    }
    const { months } = await figures('?months=18');
    const sum = (of: (month: MonthAnswer) => number) =>
      (months as MonthAnswer[]).reduce((total, month) => total + of(month), 0);
    // The history has what it is to prove.
    for (const name of [
      'new_plans',
      'returned_plans',
      'lost_plans',
      'changed_in_plans',
      'renewed_plans',
    ] as const)
      assert.ok(sum((month) => month[name]) > 5, name);
  });

  test('each month follows from the one before it', async () => {
    const { months } = await figures('?months=24');
    const cents = (text: string) => Math.round(Number(text) * 100);
    for (const [index, month] of (months as MonthAnswer[]).entries()) {
      const previous = months[index - 1] as MonthAnswer | undefined;
      const plans = month.new_plans + month.returned_plans - month.lost_plans;
      assert.equal(month.active_plans, (previous?.active_plans ?? 0) + plans, month.month);
      const mrr =
        cents(month.new_mrr) +
        cents(month.returned_mrr) +
        cents(month.expansion_mrr) -
        cents(month.contraction_mrr);
      const expected = cents(previous?.mrr ?? '0.00') + mrr - cents(month.lost_mrr);
      // Each of the figures is rounded to a cent.
      assert.ok(Math.abs(cents(month.mrr) - expected) <= 3, `${month.month}: ${month.mrr}`);
    }
  });

  test('later months count as lost what was not renewed, without another order', async () => {
    service.clock.seconds += 75 * day;
    await expectAsComputed(20);
  });

  test('each order is summed once, by any number of processes at the same time', async () => {
    const whole = await figures('?months=24');
    const clear = async () => {
      for (const table of ['plan_sums', 'cohort_sums', 'plan_sum_marks'])
        await sqlOfAll(service, `delete from ${table}`);
      for (const table of ['plan_totals', 'cohort_totals'])
        await service.database.query({ name: '', text: `delete from ${table}` });
    };
    await clear();
    const other = createPlanSums(service.database);
    await Promise.all([
      figures(),
      other.bringAllUpToDate(),
      createPlanSums(service.database).bringAllUpToDate(),
      service.service.jobs.look(),
    ]);
    await service.service.jobs.idle();
    assert.deepEqual(await figures('?months=24'), whole);
    await expectAsComputed(12);
  });
});

describe('by hand', () => {
  let shop: TestService;
  let one: TestAccount;
  before(async () => {
    shop = await startTestService();
    one = await shop.createReseller({ credit: '75.00' });
  });
  after(() => shop.close());
  const at = (time: string) => {
    shop.clock.seconds = secondsOf(time);
  };
  const own = async (query = '') => expectStatus(await one.get(`/business${query}`), 200);

  test('a plan counts at the price of a month, is lost in the month of its end, and returns', async () => {
    at('2026-01-10T12:00:00Z');
    await placeOrder(shop, one, { customer: 'ada', months: 3 });
    const { months, as_of, ready, packages } = await own('?months=1');
    assert.deepEqual([as_of, ready], ['2026-01-10', true]);
    assert.deepEqual([months[0].mrr, months[0].arr, months[0].active_plans], ['9.00', '108.00', 1]);
    assert.deepEqual(
      packages.map(({ package: { name }, mrr, before }: PackageAnswer) => [name, mrr, before.mrr]),
      [['Basic', '9.00', '0.00']],
    );
    at('2026-04-10T00:00:00Z');
    assert.equal((await own('?months=1')).months[0].active_plans, 1, 'on its last day it still runs');
    at('2026-04-11T00:00:00Z');
    const ended = (await own('?months=1')).months[0];
    assert.deepEqual(
      [ended.active_plans, ended.lost_plans, ended.lost_mrr, ended.churn_percent],
      [0, 1, '9.00', 100],
    );
    at('2026-05-02T00:00:00Z');
    await placeOrder(shop, one, { customer: 'ada' });
    const [april, may] = (await own('?months=2')).months;
    assert.deepEqual([april.lost_plans, may.returned_plans, may.mrr, may.customers], [1, 1, '10.00', 1]);
  });

  test('a late renewal within the month is no loss', async () => {
    at('2026-06-20T00:00:00Z');
    assert.equal((await own('?months=1')).months[0].lost_plans, 1);
    await placeOrder(shop, one, { customer: 'ada' });
    const [june] = (await own('?months=1')).months;
    assert.deepEqual(
      [june.lost_plans, june.due_plans, june.renewed_plans, june.renewal_percent],
      [0, 1, 1, 100],
    );
  });

  test('the forecast has each end at its last price, and names the day on which the balance runs out', async () => {
    // 28.00 are left: 75.00 − 27.00 − 10.00 − 10.00.
    await placeOrder(shop, one, { customer: 'ben' });
    at('2026-06-25T00:00:00Z');
    await placeOrder(shop, one, { customer: 'cleo' });
    const found = expectStatus(await shop.admin.get(`${admin}/forecast`), 200);
    assert.deepEqual(found.days, [
      { date: '2026-07-20', plans: 2, amount: '20.00' },
      { date: '2026-07-25', plans: 1, amount: '10.00' },
    ]);
    assert.deepEqual(
      [found.until, found.plans, found.total, found.renewal_percent],
      ['2026-09-22', 3, '30.00', 0],
    );
    const { accounts: listed } = expectStatus(
      await shop.admin.get(`${admin}/accounts?sort=runs_out_on`),
      200,
    );
    assert.deepEqual(
      listed.map(({ account, balance, due, due_plans, runs_out_on, mrr }: AccountAnswer) => [
        account.id,
        balance,
        due,
        due_plans,
        runs_out_on,
        mrr,
      ]),
      [[one.id, '8.00', '30.00', 3, '2026-07-20', '30.00']],
    );
    await credit(shop, one, '100.00');
    const covered = expectStatus(await shop.admin.get(`${admin}/accounts?sort=runs_out_on`), 200);
    assert.deepEqual(covered.accounts, []);
    const [first] = expectStatus(await shop.admin.get(`${admin}/accounts`), 200).accounts;
    assert.deepEqual([first.account.id, first.runs_out_on, first.active_plans], [one.id, null, 3]);
  });

  test('the console lists the same accounts, and says which are blocked', async () => {
    const console = await signIn(shop, shop.admin);
    for (const blocked of [true, false]) {
      await changeAccount(shop, one, { blocked });
      const listed = expectStatus(await console.get('/admin/business-accounts?sort=mrr'), 200);
      const { accounts: known, ...rest } = expectStatus(
        await shop.admin.get(`${admin}/accounts?sort=mrr`),
        200,
      );
      assert.deepEqual(listed, { ...rest, accounts: known.map((each: object) => ({ ...each, blocked })) });
      assert.equal(known[0].account.id, one.id);
    }
    expectRefusal(await console.get('/admin/business-accounts?sort=name'), '422 invalid_filter');
  });

  test('trials are no plans of the business, and tests are seen by their account alone', async () => {
    const before = await shop.admin.get(admin);
    const trial = { package_id: shop.packages.trial, customer: 'on-trial' };
    expectStatus(await shop.admin.post(`/api/admin/v1/accounts/${one.id}/trials`, trial), 201);
    const tests = await testModeOf(shop, one);
    expectStatus(await tests.post('/orders', { package_id: shop.packages.plus, customer: 'try' }), 201);
    assert.deepEqual((await shop.admin.get(admin)).body, before.body);
    const { months } = expectStatus(await tests.get('/business?months=1'), 200);
    assert.deepEqual([months[0].active_plans, months[0].mrr], [1, '25.00']);
  });

  test('all of it is there as CSV', async () => {
    const csv = async (path: string) => {
      const answer = await shop.admin.get(`${admin}${path}`);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
      return answer.text.trimEnd().split('\n');
    };
    const months = await csv('?months=2&format=csv');
    assert.match(months[0] ?? '', /^month,running,active_plans,mrr,arr,customers,/);
    assert.match(months[2] ?? '', /^2026-06,true,3,30\.00,360\.00,3,2,20\.00,/);
    assert.equal((await csv('/cohorts?months=2&format=csv')).at(-1), '2026-06,2,0,2,100,20.00,USD');
    assert.equal((await csv('/forecast?format=csv')).at(-1), '2026-07-25,1,10.00,USD');
    assert.match((await csv('/accounts?format=csv')).at(-1) ?? '', new RegExp(`^${one.id},.*,3,30\\.00,`));
    const answer = await one.get('/business?format=csv');
    assert.match(answer.headers.get('content-disposition') ?? '', /business\.csv/);
  });

  test('an unknown account, and a span that is too long, are refused', async () => {
    expectRefusal(await shop.admin.get(`${admin}?account_id=4999999`), '404 account_not_found');
    for (const query of ['months=121', 'months=0', 'months=x', 'package_id=-1', 'format=pdf'])
      expectRefusal(await one.get(`/business?${query}`), '422 invalid_filter');
    expectRefusal(await shop.admin.get(`${admin}/accounts?sort=name`), '422 invalid_filter');
  });

  test('more orders than a request can wait for are left to the job, and until then there are no figures', async () => {
    const long = await shop.createReseller();
    await sqlOf(shop, long, `update accounts set plan_change_count = 25000 where id = ${long.id}`);
    assert.equal(expectStatus(await long.get('/business'), 200).ready, false);
    assert.deepEqual(expectStatus(await shop.admin.get(admin), 200).months, []);
    const left = await createPlanSums(shop.database).bringAllUpToDate(AbortSignal.abort());
    assert.ok(left >= 10_000, String(left));
    await createPlanSums(shop.database).bringAllUpToDate();
    assert.equal(expectStatus(await long.get('/business'), 200).ready, true);
    await sqlOf(shop, long, `update accounts set plan_change_count = 0 where id = ${long.id}`);
    await sqlOf(shop, long, `delete from plan_sum_marks where account_id = ${long.id}`);
  });
});
