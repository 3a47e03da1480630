// Plan changes without an order are history, numbered within the account: trials, suspensions and their ends.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import type { PlanChange } from '../../src/features/order-engine/records/plan-change.ts';
import { planChanges } from '../../src/features/order-engine/records/plan-change.ts';
import { expectStatus } from '../harness/refusals.ts';

const api = '/api/admin/v1';
let service: TestService;

before(async () => {
  service = await startTestService();
});
after(() => service.close());

async function historyOf({ id }: TestAccount): Promise<PlanChange[]> {
  const rows = await service.database.query(
    {
      name: '',
      text: `select ${planChanges.list('p')} from plan_changes p where p.account_id = $1::int order by p.number`,
    },
    [id],
  );
  return rows.map((row) => planChanges.parse(row));
}

test('a plain order writes no plan change; a trial, a suspension and its end write one each, in their place', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const reference = `history-${reseller.id}`;
  const grant = { package_id: service.packages.trial, customer: reference };
  expectStatus(await service.admin.post(`${api}/accounts/${reseller.id}/trials`, grant), 201);
  const order = { package_id: service.packages.basic, customer: reference };
  const { customer } = expectStatus(await reseller.post('/orders', order), 201).order;
  expectStatus(await service.admin.patch(`${api}/customers/${customer.id}`, { status: 'suspended' }), 200);
  service.clock.seconds += 5;
  expectStatus(await reseller.post('/orders', order), 201);
  expectStatus(await service.admin.patch(`${api}/customers/${customer.id}`, { status: 'active' }), 200);

  const now = service.clock.seconds;
  const shared = {
    accountId: reseller.id,
    customerNumber: 1,
    actorId: service.admin.id,
    byParty: 'operator',
  };
  const { trial, basic } = service.packages;
  const trialEnd = now - 5 + 14 * 86_400;
  assert.partialDeepStrictEqual(await historyOf(reseller), [
    {
      ...shared,
      number: 1,
      kind: 'trial',
      createdAt: now - 5,
      afterOrder: 0,
      packageId: trial,
      expiresAt: trialEnd,
      planStatus: 'active',
    },
    {
      ...shared,
      number: 2,
      kind: 'suspend',
      createdAt: now - 5,
      afterOrder: 1,
      packageId: basic,
      planStatus: 'suspended',
      isSuspended: true,
    },
    { ...shared, number: 3, kind: 'resume', createdAt: now, afterOrder: 2, isSuspended: false },
  ]);
  assert.equal((await historyOf(reseller)).length, 3);
});

test('of twenty requests that suspend one customer at once, one is a change; the others find it suspended', async () => {
  const reseller = await service.createReseller({ credit: '20.00' });
  const order = { package_id: service.packages.basic, customer: `many-${reseller.id}` };
  const { id } = expectStatus(await reseller.post('/orders', order), 201).order.customer;
  const suspend = () => service.admin.patch(`${api}/customers/${id}`, { status: 'suspended' });
  const answers = await Promise.all(Array.from({ length: 20 }, suspend));
  for (const answer of answers) assert.equal(expectStatus(answer, 200).customer.status, 'suspended');
  assert.deepEqual(
    (await historyOf(reseller)).map(({ kind }) => kind),
    ['suspend'],
  );
  const { data } = expectStatus(await service.admin.get(`${api}/audit?limit=5`), 200);
  const noted = data.filter(({ subject }: { subject: string }) => subject === `customer ${id}`);
  assert.equal(noted.length, 1, 'the audit log has the change once');
});

test('orders and suspensions of one customer at once leave every one of them in the books', async () => {
  const reseller = await service.createReseller({ credit: '1000.00' });
  const order = { package_id: service.packages.basic, customer: `both-${reseller.id}` };
  const { id } = expectStatus(await reseller.post('/orders', order), 201).order.customer;
  await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const status = index % 2 === 0 ? 'suspended' : 'active';
      expectStatus(await reseller.post('/orders', order), 201);
      expectStatus(await service.admin.patch(`${api}/customers/${id}`, { status }), 200);
    }),
  );
  const { customer } = expectStatus(await reseller.get(`/customers/${id}`), 200);
  const history = await historyOf(reseller);
  const last = history.at(-1)?.kind ?? 'resume';
  assert.equal(customer.status, last === 'suspend' ? 'suspended' : 'active');
  assert.deepEqual(
    history.map(({ number }) => number),
    history.map((_, index) => index + 1),
  );
  for (const [index, { kind }] of history.entries()) {
    assert.equal(kind, index % 2 === 0 ? 'suspend' : 'resume', 'each changes what the one before left');
  }
  assert.equal(expectStatus(await reseller.get('/orders'), 200).total, 11);
});
