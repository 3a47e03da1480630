// What the tables themselves refuse, no matter what the program does. They are the last line of defense behind the engine.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  startTestService,
  type TestAccount,
  type TestService,
} from '../../scripts/throwaway/test-service.ts';
import { StatementFailed } from '../../src/platform/database/database.ts';
import { sqlOf } from '../harness/group-sql.ts';

let service: TestService;
let reseller: TestAccount;
before(async () => {
  service = await startTestService();
  reseller = await service.createReseller({ credit: '100.00' });
  const body = { package_id: service.packages.basic, customer: 'someone' };
  const placed = await reseller.post('/orders', body);
  assert.equal(placed.status, 201);
  const path = `/customers/${placed.body.order.customer.id}/suspend`;
  assert.equal((await reseller.post(path, { reason: 'unpaid' })).status, 200);
});
after(() => service.close());

const copyOrder = (values: Partial<Record<'months' | 'kind' | 'price' | 'refund' | 'balance', string>>) =>
  `insert into orders (account_id, number, customer_number, package_id, months, kind, price_cents, refund_cents,
      balance_after_cents, created_at, expires_at, idempotency_key, fingerprint)
    select account_id, 2, customer_number, package_id, ${values.months ?? 'months'}, ${values.kind ?? 'kind'},
      ${values.price ?? 'price_cents'}, ${values.refund ?? 'refund_cents'}, ${values.balance ?? 'balance_after_cents'},
      created_at, expires_at, 'another', fingerprint from orders`;

const copyEntry = (kind: string, balance: string) =>
  `insert into ledger_entries (account_id, number, kind, amount_cents, balance_after_cents, created_at)
    select account_id, 99, ${kind}, amount_cents, ${balance}, created_at from ledger_entries limit 1`;

const scheduled = (values: Partial<Record<'group' | 'months' | 'price', string>>) =>
  `insert into scheduled_prices (package_id, starts_at, group_name, months, price_cents)
    select id, now(), ${values.group ?? "'reseller'"}, ${values.months ?? '1'}, ${values.price ?? '1'} from packages limit 1`;

const refused: readonly (readonly [string, string])[] = [
  ['a balance below zero', 'update accounts set balance_cents = -1'],
  ['an account without a number', 'update accounts set id = 0'],
  ['a real account that is a test', "update accounts set test_state = 'current' where id <= 5000000"],
  ['a test that stands at no time', 'update accounts set id = 5000001'],
  ['a second row of ids for tests', 'insert into test_account_ids values (false, 1)'],
  ['a group that there is not', "update accounts set group_name = 'friend'"],
  ['a rate limit of nothing', 'update accounts set rate_limit_per_minute = 0'],
  ["a customer's status that there is not", "update customers set status = 'gone'"],
  ['an order of two months', copyOrder({ months: '2' })],
  ['an order of another kind', copyOrder({ kind: "'gift'" })],
  ['a price below zero', copyOrder({ price: '-1' })],
  ['a refund below zero', copyOrder({ refund: '-1' })],
  ['an order that leaves a balance below zero', copyOrder({ balance: '-1' })],
  ['a scheduled price below zero', scheduled({ price: '-1' })],
  ['a scheduled price of two months', scheduled({ months: '2' })],
  ['a scheduled price of a group that there is not', scheduled({ group: "'friend'" })],
  ['an entry of another kind', copyEntry("'gift'", 'balance_after_cents')],
  ['an entry that leaves a balance below zero', copyEntry('kind', '-1')],
];

for (const [what, text] of refused) {
  test(`${what} is refused by the table`, async () => {
    await assert.rejects(sqlOf(service, reseller, text), (error) => {
      assert.ok(error instanceof StatementFailed);
      assert.equal(error.code, '23514', error.message);
      return true;
    });
  });
}

const rewritten: readonly (readonly [string, string])[] = [
  ['an order', 'update orders set price_cents = 0'],
  ['an order’s existence', 'delete from orders'],
  ['an entry of the ledger', 'update ledger_entries set amount_cents = 0'],
  ['a plan change', 'update plan_changes set after_order = 0'],
  ['the reason of a plan change', `update plan_changes set reason = 'paid'`],
  [
    'the rest of a plan change',
    'update plan_changes set reason = null, reason_erased = true, after_order = 0',
  ],
  ['the audit log', 'delete from audit_log'],
  ['an entry of the audit log', `update audit_log set subject = 'nothing'`],
  [
    'the time of an entry of the audit log',
    `with allowed as materialized (select set_config('sellthrough.erasing', 'on', true) as on)
      update audit_log set at = now() from allowed`,
  ],
  ['a scheduled price', 'update scheduled_prices set price_cents = 0'],
];

for (const [what, text] of rewritten) {
  test(`${what} cannot be rewritten`, async () => {
    await assert.rejects(sqlOf(service, reseller, text), /append-only/);
  });
}

test('what all these copy from is itself taken', async () => {
  await assert.rejects(
    service.database.ofAccount(reseller.id).transaction(async (transaction) => {
      await transaction.query({ name: '', text: copyOrder({}) });
      await transaction.query({ name: '', text: scheduled({}) });
      await transaction.query({ name: '', text: copyEntry('kind', 'balance_after_cents') });
      throw new Error('taken, and rolled back');
    }),
    /taken, and rolled back/,
  );
});
