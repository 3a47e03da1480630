// Reads an account's balance, lists and counts, to compare them before and after something that must not change them.

import assert from 'node:assert/strict';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';

export interface Books {
  readonly balance: string;
  readonly orders: number;
  readonly customers: number;
  /** At most 100, newest first, such as "charge -10.00 90.00". */
  readonly entries: readonly string[];
}

/** As an administrator, because the account may be blocked or at its limit. */
export async function booksOf(service: TestService, { id }: Pick<TestAccount, 'id'>): Promise<Books> {
  const shown = await service.admin.get(`/api/admin/v1/accounts/${id}`);
  const ledger = await service.admin.get(`/api/admin/v1/accounts/${id}/ledger?limit=100`);
  assert.equal(`${shown.status} ${ledger.status}`, '200 200', shown.text + ledger.text);
  const { balance, order_count: orders, customer_count: customers } = shown.body.account;
  const entries = ledger.body.data.map(
    (entry: Record<string, string>) => `${entry['kind']} ${entry['amount']} ${entry['balance_after']}`,
  );
  return { balance, orders, customers, entries };
}
