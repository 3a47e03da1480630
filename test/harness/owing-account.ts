import assert from 'node:assert/strict';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import { sqlOf } from './group-sql.ts';
import { createPackage, placeOrder } from './shop.ts';

/** An account that spent a payment of this size, which then went back. */
export async function createOwingAccount(service: TestService, cents: bigint): Promise<TestAccount> {
  const account = await service.createReseller({});
  const { id: accountId } = account;
  const { engine } = service.service;
  await sqlOf(
    service,
    account,
    `insert into topups (account_id, number, method, amount_cents, status, created_at)
      values (${accountId}, 1, 'card', ${cents}, 'open', now())`,
  );
  const common = { accountId, topupNumber: 1, amountCents: cents };
  await engine.submit({ type: 'receive_payment', ...common, paymentRef: 'stripe:pi_1', memo: null });
  const price = `${cents / 100n}.00`;
  const packageId = await createPackage(service, `For ${accountId}`, [price, price, price]);
  await placeOrder(service, account, { package_id: packageId, customer: `owes-${accountId}` });
  const taken = await engine.submit({
    type: 'reverse_payment',
    ...common,
    cause: 'stripe:dp_1',
    kind: 'dispute',
    allowReceivable: true,
    by: null,
  });
  assert.ok(taken.type === 'payment_moved' && taken.receivableCents === cents);
  return account;
}
