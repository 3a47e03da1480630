// Start here: an order's path from a client's request to the ledger and back.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

test('an order is charged, shown, in the ledger, and a replay of it moves no money', async () => {
  const reseller = await service.createReseller({ credit: '100.00' });
  const body = { package_id: service.packages.basic, customer: ' Ada@Example.com ', customer_name: 'Ada' };

  const first = await reseller.post('/orders', body, { 'idempotency-key': 'key-1' });
  assert.equal(first.status, 201, first.text);
  assert.deepEqual(first.body, {
    order: {
      id: first.body.order.id,
      kind: 'activate',
      status: 'completed',
      package: { id: service.packages.basic, name: 'Basic' },
      months: 1,
      period: 'monthly',
      customer: { id: first.body.order.customer.id, reference: 'ada@example.com', email: 'ada@example.com' },
      price: '10.00',
      price_rule: 'group',
      refund: '0.00',
      currency: 'USD',
      expires_at: '2026-02-15T12:00:00Z',
      created_at: '2026-01-15T12:00:00Z',
      idempotency_key: 'key-1',
    },
    balance: '90.00',
  });
  assert.equal(first.headers.get('idempotent-replayed'), null);

  const balance = await reseller.get('/balance');
  assert.deepEqual(balance.body, {
    balance: '90.00',
    currency: 'USD',
    group: 'reseller',
    receivable: '0.00',
  });

  const ledger = await service.admin.get(`/api/admin/v1/accounts/${reseller.id}/ledger`);
  const entries = ledger.body.data.map(({ kind, amount, balance_after }: Record<string, string>) => [
    kind,
    amount,
    balance_after,
  ]);
  assert.deepEqual(entries, [
    ['charge', '-10.00', '90.00'],
    ['credit', '100.00', '100.00'],
  ]);

  const replay = await reseller.post('/orders', body, { 'idempotency-key': 'key-1' });
  assert.equal(replay.status, 201);
  assert.deepEqual(replay.body, first.body);
  assert.equal(replay.headers.get('idempotent-replayed'), 'true');
  assert.equal((await reseller.get('/balance')).body.balance, '90.00');

  const order = await reseller.get(`/orders/${first.body.order.id}`);
  assert.deepEqual(order.body, { order: first.body.order });
  const customer = await reseller.get(`/customers/${first.body.order.customer.id}`);
  assert.partialDeepStrictEqual(customer.body.customer, {
    id: first.body.order.customer.id,
    name: 'Ada',
    reference: 'ada@example.com',
    email: 'ada@example.com',
    status: 'active',
    plan: {
      package: 'Basic',
      active: true,
      starts_at: '2026-01-15T12:00:00Z',
      expires_at: '2026-02-15T12:00:00Z',
      days_left: 31,
    },
    created_at: '2026-01-15T12:00:00Z',
  });
});
