// PATCH /customers/{id} with a reference: the former one still names the customer, and no other customer can have it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { expectRefusal } from '../harness/refusals.ts';

let service: TestService;
let account: TestAccount;
let other: TestAccount;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '10000.00' });
  other = await service.createReseller({ credit: '10000.00' });
});
after(() => service.close());

async function order(customer: string, by = account, key?: string) {
  const body = { package_id: service.packages.basic, customer };
  return by.post('/orders', key === undefined ? body : { ...body, idempotency_key: key });
}

async function newCustomer(reference: string): Promise<{ id: number; orderId: number; path: string }> {
  const { status, text, body } = await order(reference);
  assert.equal(status, 201, text);
  const { id } = body.order.customer;
  return { id, orderId: body.order.id, path: `/customers/${id}` };
}

test('orders, renewals, bulks and repeated requests find a customer by the former reference', async () => {
  const placed = await order('old@example.com', account, 'first');
  const { id } = placed.body.order.customer;
  const renamed = await account.patch(`/customers/${id}`, { reference: ' New@Example.com ' });
  assert.equal(renamed.status, 200, renamed.text);
  const { customer } = renamed.body;
  assert.deepEqual(
    [customer.reference, customer.email, customer.name],
    [...new Array(3).fill('new@example.com')],
  );

  const replayed = await order('old@example.com', account, 'first');
  assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [201, 'true']);
  assert.deepEqual(replayed.body.order, {
    ...placed.body.order,
    customer: { ...placed.body.order.customer, reference: 'new@example.com', email: 'new@example.com' },
  });
  for (const reference of ['old@example.com', 'new@example.com', 'OLD@example.com']) {
    const renewed = await order(reference);
    assert.deepEqual([renewed.body.order.kind, renewed.body.order.customer.id], ['renew', id], reference);
    assert.equal(renewed.body.order.customer.reference, 'new@example.com');
  }
  const bulk = await account.post('/orders/bulk', {
    orders: [
      { renew_customer: 'old@example.com', idempotency_key: 'bulk-1' },
      { package_id: service.packages.basic, customer: 'old@example.com', idempotency_key: 'bulk-2' },
      { package_id: service.packages.basic, customer: 'new@example.com', idempotency_key: 'bulk-3' },
    ],
  });
  for (const result of bulk.body.results) assert.equal(result.order.customer.id, id, bulk.text);
  const { data } = (await account.get('/customers?reference=old@example.com')).body;
  assert.deepEqual(
    data.map((one: { id: number }) => one.id),
    [id],
  );
});

test('no other customer can have a reference that is or was taken, in this account or another', async () => {
  const { path } = await newCustomer('first-of-all');
  const { path: second } = await newCustomer('second');
  assert.equal((await account.patch(path, { reference: 'renamed' })).status, 200);
  for (const reference of ['first-of-all', 'renamed'])
    expectRefusal(await account.patch(second, { reference }), '409 reference_taken', { field: 'reference' });
  const theirs = await order('theirs', other);
  assert.equal(theirs.status, 201);
  expectRefusal(await account.patch(second, { reference: 'theirs' }), '409 reference_taken', {
    field: 'reference',
  });
  expectRefusal(await order('first-of-all', other), '409 customer_not_yours', {});
  const back = await account.patch(path, { reference: 'first-of-all' });
  assert.equal(back.body.customer.reference, 'first-of-all');
  assert.equal((await order('renamed')).body.order.customer.reference, 'first-of-all');
});

test('two customers who want one reference at once: one gets it', async () => {
  const own = await newCustomer('racer-1');
  const placed = await order('racer-2', other);
  const path = `/customers/${placed.body.order.customer.id}`;
  const answers = await Promise.all([
    account.patch(own.path, { reference: 'prize' }),
    other.patch(path, { reference: 'prize' }),
    order('prize', await service.createReseller({ credit: '100.00' })),
  ]);
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status < 300).length, 1, statuses.join());
  assert.equal(statuses.filter((status) => status === 409).length, 2, statuses.join());
});

test('a name of its own stays, a key binds the reference too, and what cannot be one is refused', async () => {
  const { path } = await newCustomer('named');
  await account.patch(path, { name: 'Ada Lovelace' });
  const key = { 'idempotency-key': 'rename' };
  const renamed = await account.patch(path, { reference: 'named-2' }, key);
  assert.deepEqual(
    [renamed.body.customer.name, renamed.body.customer.reference],
    ['Ada Lovelace', 'named-2'],
  );
  const again = await account.patch(path, { reference: 'named-2' }, key);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  expectRefusal(await account.patch(path, { reference: 'named-3' }, key), '409 idempotency_conflict', {});
  for (const reference of ['', 'two words', 'ünder', 'a@b@c', 'erased-2000000001', 'x'.repeat(65)]) {
    const refused = await account.patch(path, { reference });
    expectRefusal(refused, '422 invalid_customer');
    assert.equal(refused.body.error.details.field, 'reference');
  }
});

test('a customer keeps at most ten former references', async () => {
  const { path } = await newCustomer('many-0');
  for (let count = 1; count <= 10; count += 1)
    assert.equal((await account.patch(path, { reference: `many-${count}` })).status, 200);
  const eleventh = await account.patch(path, { reference: 'many-11' });
  expectRefusal(eleventh, '422 validation_failed');
  assert.equal(eleventh.body.error.details.field, 'reference');
  assert.equal((await account.patch(path, { reference: 'many-3' })).status, 200, 'one of their own');
  assert.equal((await order('many-11')).body.order.kind, 'activate', 'it is free');
});

test('a trial is not given again under a former reference', async () => {
  const trial = { package_id: service.packages.trial, customer: 'trial-1' };
  const give = (body: object) => service.admin.post(`/api/admin/v1/accounts/${account.id}/trials`, body);
  const given = await give(trial);
  assert.equal(given.status, 201, given.text);
  const { id } = given.body.customer;
  assert.equal((await account.patch(`/customers/${id}`, { reference: 'trial-2' })).status, 200);
  service.clock.seconds += 60 * 86_400;
  expectRefusal(await give(trial), '409 trial_already_granted', {});
});
