// Automatic renewals with a moved clock: a whole year, refusals, missed ends, clocks that jump, and two processes.

import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { isPostgres } from '../../scripts/throwaway/test-database.ts';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { booksOf } from '../harness/books.ts';
import { sqlOfAll } from '../harness/group-sql.ts';
import { expectStatus } from '../harness/refusals.ts';
import { onlyJobs } from '../harness/run-job.ts';
import { runRenewals } from '../harness/run-renewals.ts';
import {
  changeAccount,
  changePackage,
  createPackage,
  credit,
  placeOrder,
  secondsOf,
} from '../harness/shop.ts';

const hour = 3_600;
let service: TestService;
before(async () => {
  service = await startTestService({ limits: { scheduledJobs: onlyJobs('renewals') } });
});
after(() => service.close());
beforeEach(() => {
  service.clock.seconds = secondsOf('2026-01-31T10:00:00Z');
});

async function runJobs(time: string, of = service.service): Promise<void> {
  service.clock.seconds = secondsOf(time);
  await service.database.query({
    name: '',
    text: "update jobs set next_run_at = to_timestamp(0) where kind = 'renewals' and leased_by is null",
  });
  await of.jobs.look();
  await of.jobs.idle();
}

async function shop(options: { credit?: string; renew?: object; order?: object } = {}) {
  const reseller = await service.createReseller({ credit: options.credit ?? '100.00' });
  const { order } = await placeOrder(service, reseller, options.order ?? {});
  const path = `/customers/${order.customer.id}`;
  const set = { months: 1, ...options.renew };
  expectStatus(await reseller.send('PUT', `${path}/auto-renew`, set), 200);
  return { reseller, path, plan: () => planOf(reseller, path) };
}

async function planOf(reseller: TestAccount, path: string) {
  return expectStatus(await reseller.get(path), 200).customer.plan;
}

const charges = async (reseller: TestAccount) => (await booksOf(service, reseller)).orders;

test('a year: twelve renewals, one of them refused for credit and topped up, then a refund to the cent', async () => {
  const { reseller, path, plan } = await shop({ credit: '60.00' });
  const sound = async () => {
    const { ok, problems } = expectStatus(await service.admin.get('/api/admin/v1/verify'), 200);
    assert.deepEqual([ok, problems], [true, []]);
  };
  // Each renewal comes exactly a day before the end. The plan's day of the month is the last one.
  const ends = ['02-28', '03-31', '04-30', '05-31', '06-30'].map((day) => `2026-${day}T10:00:00Z`);
  for (const [index, end] of ends.entries()) {
    const due = secondsOf(end) - 24 * hour;
    await runJobs(timeOf(due - 1));
    assert.equal((await plan()).expires_at, end);
    await runJobs(timeOf(due));
    await runJobs(timeOf(due));
    assert.equal(await charges(reseller), index + 2, 'once for each end');
  }
  assert.equal((await booksOf(service, reseller)).balance, '0.00');

  await runJobs('2026-07-30T10:00:00Z');
  assert.partialDeepStrictEqual((await plan()).auto_renew, {
    next_at: '2026-07-30T16:00:00Z',
    failure: 'insufficient_credit',
  });
  await credit(service, reseller, '100.00');
  await runJobs('2026-07-30T15:59:59Z');
  assert.equal((await plan()).expires_at, '2026-07-31T10:00:00Z');
  await sound();
  for (const due of ['07-30T16', '08-30T10', '09-29T10', '10-30T10', '11-29T10', '12-30T10']) {
    await runJobs(`2026-${due}:00:00Z`);
  }
  await runJobs('2027-01-30T10:00:00Z');
  assert.partialDeepStrictEqual(await plan(), { expires_at: '2027-02-28T10:00:00Z', status: 'active' });
  const { orders, balance } = await booksOf(service, reseller);
  assert.deepEqual([orders, balance], [13, '30.00'], 'an order, and twelve renewals by itself');

  // Of the 28 days from 31 January 10:00, 21 days less a second are left: 10.00 × 1,814,399 s ÷ 2,419,200 s = 7.4999958…
  service.clock.seconds = secondsOf('2027-02-07T10:00:01Z');
  const cancelled = expectStatus(await reseller.post(`${path}/cancel`, { at: 'now' }), 200);
  assert.deepEqual([cancelled.refund, cancelled.balance], ['7.49', '37.49']);
  await runJobs('2027-03-01T00:00:00Z');
  assert.equal(await charges(reseller), 13, 'a plan that was cancelled does not renew itself');
  await sound();
});

test('a refusal is tried every six hours until the end, and then no more', async () => {
  const own = await createPackage(service, 'Dearer', ['10.00', '28.00', '100.00']);
  const { reseller, plan } = await shop({ order: { package_id: own }, renew: { max_charge: '10.00' } });
  await changePackage(service, own, { prices: { reseller: { monthly: '10.01' } } });
  for (const [at, next] of [
    ['27T10:00:05', '27T16:00:05'],
    ['27T16:00:05', '27T22:00:05'],
    ['27T22:00:05', '28T04:00:05'],
    ['28T04:00:05', null],
  ] as const) {
    await runJobs(`2026-02-${at}Z`);
    const { next_at, failure } = (await plan()).auto_renew;
    assert.deepEqual([next_at, failure], [next === null ? null : `2026-02-${next}Z`, 'price_changed']);
  }
  await runJobs('2026-02-28T10:00:00Z');
  assert.deepEqual([await charges(reseller), (await plan()).status], [1, 'expired']);
  await placeOrder(service, reseller, { package_id: own });
  assert.partialDeepStrictEqual((await plan()).auto_renew, {
    next_at: '2026-03-27T10:00:00Z',
    failure: null,
  });
});

test('ends that were missed are caught up in the order of the ends; of a blocked account they are reported', async () => {
  const late = await shop();
  service.clock.seconds += 5;
  const later = await shop();
  const blocked = await shop();
  await changeAccount(service, blocked.reseller, { blocked: true });
  const dear = await shop({ credit: '10.00' });
  await runJobs('2026-03-05T00:00:00Z');
  for (const { plan } of [late, later]) {
    assert.partialDeepStrictEqual(await plan(), {
      starts_at: '2026-03-05T00:00:00Z',
      expires_at: '2026-04-05T00:00:00Z',
      active: true,
    });
  }
  await changeAccount(service, blocked.reseller, { blocked: false });
  for (const [{ plan }, failure] of [
    [blocked, 'account_blocked'],
    [dear, 'insufficient_credit'],
  ] as const) {
    assert.partialDeepStrictEqual(await plan(), {
      status: 'expired',
      auto_renew: { next_at: null, failure },
    });
  }
  await runJobs('2026-03-06T00:00:00Z');
  assert.deepEqual(
    await Promise.all([late, later, blocked, dear].map(({ reseller }) => charges(reseller))),
    [2, 2, 1, 1],
  );
});

test('a clock that jumps ahead and back renews once for each end', async () => {
  const { reseller, plan } = await shop();
  await runJobs('2026-02-27T10:00:00Z');
  await runJobs('2026-02-26T10:00:00Z');
  await runJobs('2026-02-27T10:00:00Z');
  assert.equal(await charges(reseller), 2);
  await runJobs('2026-04-20T00:00:00Z');
  await runJobs('2026-02-27T10:00:00Z');
  assert.deepEqual([await charges(reseller), (await plan()).expires_at], [3, '2026-05-20T00:00:00Z']);
});

test('a trial, a cancel and a cancel at the end leave nothing to renew', async () => {
  const ended = await shop();
  const atEnd = await shop();
  expectStatus(await ended.reseller.post(`${ended.path}/cancel`, { at: 'now' }), 200);
  expectStatus(await atEnd.reseller.post(`${atEnd.path}/cancel`, { at: 'period_end' }), 200);
  const expired = await shop({ credit: '10.00' });
  await runJobs('2026-02-28T10:00:00Z');
  const trial = { package_id: service.packages.trial, customer: `c-${expired.reseller.id}` };
  await credit(service, expired.reseller, '50.00');
  expectStatus(await service.admin.post(`/api/admin/v1/accounts/${expired.reseller.id}/trials`, trial), 201);
  assert.equal((await expired.plan()).auto_renew, null);
  await runJobs('2026-04-01T10:00:00Z');
  assert.deepEqual(
    await Promise.all([ended, atEnd, expired].map(({ reseller }) => charges(reseller))),
    [1, 1, 1],
  );
  // The cancellation is withdrawn after the end. A plan that was meant to end is not renewed.
  expectStatus(await atEnd.reseller.post(`${atEnd.path}/resume`), 200);
  assert.equal((await atEnd.plan()).auto_renew.next_at, null);
});

test('a renewal that breaks in the database holds up no one else: all others are made, and the run says that it failed', async () => {
  const first = await shop();
  const shops = [first, await shop(), await shop(), await shop(), await shop()];
  const ddl = (text: string) => service.database.query({ name: '', text });
  await ddl(`create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.account_id = ${first.reseller.id} then raise exception 'this order is poison'; end if;
      return new;
    end $$`);
  await sqlOfAll(
    service,
    'create trigger poison before insert on orders for each row execute function refuse_poison()',
  );
  service.clock.seconds = secondsOf('2026-02-27T10:00:00Z');
  // Renewals run two at a time, and the failing one is in the first pair.
  await assert.rejects(runRenewals(service), /poison/);
  const made = async () => Promise.all(shops.map(({ reseller }) => charges(reseller)));
  assert.deepEqual(await made(), [1, 2, 2, 2, 2]);
  await sqlOfAll(service, 'drop trigger poison on orders');
  await runRenewals(service);
  assert.deepEqual(await made(), [2, 2, 2, 2, 2]);
});

test('two processes that look at the same moment renew each plan once', { skip: !isPostgres }, async () => {
  const shops = await Promise.all(Array.from({ length: 5 }, () => shop()));
  const other = await service.startAnother();
  try {
    service.clock.seconds = secondsOf('2026-02-27T10:00:00Z');
    const both = [service.service, other.service];
    await Promise.all([...both, ...both].map((process) => runRenewals(service, process)));
  } finally {
    await other.close();
  }
  for (const { reseller } of shops) assert.equal(await charges(reseller), 2);
});

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}
