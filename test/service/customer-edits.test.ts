// PATCH /customers/{id}: changes the name and the external id, beside orders.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { indexCustomerTerms } from '../../src/features/customers/customer-search-terms.ts';
import { expectRefusal } from '../harness/refusals.ts';

let service: TestService;
let account: TestAccount;
before(async () => {
  service = await startTestService();
  account = await service.createReseller({ credit: '10000.00' });
});
after(() => service.close());

async function newCustomer(reference: string): Promise<{ id: number; orderId: number }> {
  const answer = await account.post('/orders', { package_id: service.packages.basic, customer: reference });
  assert.equal(answer.status, 201, answer.text);
  return { id: answer.body.order.customer.id, orderId: answer.body.order.id };
}

async function found(query: string): Promise<string[]> {
  const { body } = await account.get(`/customers?${query}`);
  return body.data.map(({ reference }: { reference: string }) => reference);
}

test('a name and an id of the account’s own are set, shown, found, changed and removed, indexed or not', async () => {
  for (const round of ['fresh', 'indexed']) {
    const { id } = await newCustomer(`edited-${round}`);
    if (round === 'indexed') assert.equal(await indexCustomerTerms(service.database), 0);
    const path = `/customers/${id}`;
    const was = (await account.get(path)).body.customer;
    assert.ok(!('external_ref' in was));
    const set = await account.patch(path, { name: ' Żółw ', external_ref: `CRM-${round}` });
    assert.equal(set.status, 200, set.text);
    assert.deepEqual(set.body.customer, { ...was, name: 'Żółw', external_ref: `CRM-${round}` });
    assert.deepEqual((await account.get(path)).body, set.body);

    assert.deepEqual(await found(`external_ref=CRM-${round}`), [`edited-${round}`]);
    assert.deepEqual(await found(`external_ref=crm-${round}`), [], 'exactly');
    assert.deepEqual(await found(`q=crm-${round}`), [`edited-${round}`]);
    assert.ok((await found(`q=${encodeURIComponent('żÓ')}`)).includes(`edited-${round}`));

    const renamed = await account.patch(path, { name: 'Tortoise' });
    assert.equal(renamed.body.customer.external_ref, `CRM-${round}`, 'what is not sent stays');
    assert.ok(!(await found(`q=${encodeURIComponent('żÓ')}`)).includes(`edited-${round}`));
    assert.ok((await found('q=tort')).includes(`edited-${round}`));
    const removed = await account.patch(path, { external_ref: null });
    assert.ok(!('external_ref' in removed.body.customer));
    assert.deepEqual(await found(`external_ref=CRM-${round}`), []);
    await indexCustomerTerms(service.database);
    assert.deepEqual(await found(`q=crm-${round}`), []);
    assert.deepEqual(await found(`q=edited-${round}`), [`edited-${round}`]);
  }
});

test('several customers may have one external_ref', async () => {
  for (const reference of ['shared-1', 'shared-2']) {
    const { id } = await newCustomer(reference);
    assert.equal((await account.patch(`/customers/${id}`, { external_ref: 'shared' })).status, 200);
  }
  assert.deepEqual((await found('external_ref=shared')).sort(), ['shared-1', 'shared-2']);
});

test('a key that is sent again changes nothing again, and with other data it is refused', async () => {
  const { id } = await newCustomer('keyed');
  const path = `/customers/${id}`;
  const key = { 'idempotency-key': 'edit-1' };
  const first = await account.patch(path, { name: 'Old' }, key);
  assert.deepEqual([first.status, first.headers.get('idempotent-replayed')], [200, null]);
  await account.patch(path, { name: 'New' });
  const late = await account.patch(path, { name: 'Old' }, key);
  assert.deepEqual([late.body.customer.name, late.headers.get('idempotent-replayed')], ['New', 'true']);
  expectRefusal(await account.patch(path, { name: 'Other' }, key), '409 idempotency_conflict', {});
  expectRefusal(
    await account.patch(path, { name: 'Old', external_ref: null }, key),
    '409 idempotency_conflict',
    {},
  );
  // "null" as a text is an id and does not mean that there is none.
  assert.equal((await account.patch(path, { external_ref: 'null', idempotency_key: 'edit-3' })).status, 200);
  const none = { external_ref: null, idempotency_key: 'edit-3' };
  expectRefusal(await account.patch(path, none), '409 idempotency_conflict', {});
  const testAccounts = await Promise.all(
    Array.from({ length: 5 }, () =>
      account.patch(path, { external_ref: 'repeated', idempotency_key: 'edit-2' }),
    ),
  );
  assert.equal(testAccounts.filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 4);
  const order = { package_id: service.packages.basic, customer: 'keyed', idempotency_key: 'edit-1' };
  assert.equal((await account.post('/orders', order)).status, 201);
});

test('orders that are decided meanwhile bring no old name back, and edits undo no order', async () => {
  const { id, orderId } = await newCustomer('busy');
  const path = `/customers/${id}`;
  for (let round = 0; round < 20; round += 1) {
    const [edited, renewed] = await Promise.all([
      account.patch(path, { name: `Busy ${round}`, external_ref: `b-${round}` }),
      account.post(`/orders/${orderId}/renew`, {}),
    ]);
    assert.deepEqual([edited.status, renewed.status], [200, 201]);
    const { customer } = (await account.get(path)).body;
    assert.deepEqual([customer.name, customer.external_ref], [`Busy ${round}`, `b-${round}`]);
    assert.equal(customer.plan.expires_at, renewed.body.order.expires_at);
  }
});

test('each change is in the audit log, a change of nothing is not', async () => {
  const { id } = await newCustomer('audited');
  await account.patch(`/customers/${id}`, { external_ref: 'a-1' });
  await account.patch(`/customers/${id}`, { external_ref: 'a-1', name: 'audited' });
  const { data } = (await service.admin.get('/api/admin/v1/audit?limit=5')).body;
  const entries = data.filter(({ subject }: { subject: string }) => subject === `customer ${id}`);
  assert.equal(entries.length, 1);
  assert.deepEqual(
    [entries[0].action, entries[0].before, entries[0].after],
    ['customer.update', { name: 'audited', external_ref: null }, { name: 'audited', external_ref: 'a-1' }],
  );
});

test('what cannot be set is refused by its field, and a customer of another account is not there', async () => {
  const { id } = await newCustomer('refused');
  const path = `/customers/${id}`;
  for (const [body, field] of [
    [{ external_ref: '' }, 'external_ref'],
    [{ external_ref: 'x'.repeat(81) }, 'external_ref'],
    [{ external_ref: 'a b' }, 'external_ref'],
    [{ external_ref: 'ü' }, 'external_ref'],
    [{ external_ref: 7 }, 'external_ref'],
    [{ name: null }, 'name'],
    [{ name: '  ' }, 'name'],
    [{ name: 'x'.repeat(121) }, 'name'],
    [{ name: 'a\u0007b' }, 'name'],
  ] as const) {
    const answer = await account.patch(path, body);
    expectRefusal(answer, '422 validation_failed');
    assert.equal(answer.body.error.details.field, field, answer.text);
  }
  expectRefusal(await account.patch(path, { idempotency_key: '' }), '422 invalid_idempotency_key');
  const other = await service.createReseller();
  const missing = await other.patch(`/customers/${other.id * 1_000_000_000 + 1}`, { name: 'x' });
  expectRefusal(missing, '404 customer_not_found', {});
  const foreign = await other.patch(path, { name: 'x' });
  assert.equal(foreign.text, missing.text);
});
