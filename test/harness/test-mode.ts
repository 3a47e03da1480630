import assert from 'node:assert/strict';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import { findTestAccount } from '../../src/features/identity/test-account-settings.ts';
import { expectStatus } from './refusals.ts';

export async function testModeOf(
  { admin, database, address }: Pick<TestService, 'admin' | 'database' | 'address'>,
  { id }: Pick<TestAccount, 'id'>,
): Promise<TestAccount> {
  const made = await admin.post(`/api/admin/v1/accounts/${id}/keys`, { name: 'Tests', test: true });
  const { key: view, api_key: key } = expectStatus(made, 201);
  assert.equal(view.mode, 'test');
  return { id: await testAccountIdOf(database, id), key, ...createApiClient(address, key) };
}

export async function createTestAccounts(
  service: TestService,
  credit = '100.00',
): Promise<{ live: TestAccount; tests: TestAccount }> {
  const live = await service.createReseller({ credit });
  return { live, tests: await testModeOf(service, live) };
}

/** The id of the test account that the account's test keys reach now. */
export async function testAccountIdOf(database: TestService['database'], accountId: number): Promise<number> {
  const testAccount = await findTestAccount(database, accountId);
  assert.ok(testAccount, `account ${accountId} has a test account`);
  return testAccount.id;
}

export async function advance(account: TestAccount, duration: string) {
  const answer = await account.post('/test/clock', { advance: duration });
  return expectStatus(answer, 200);
}

export async function clockOf(account: TestAccount): Promise<string> {
  return expectStatus(await account.get('/test/clock'), 200).clock.now;
}
