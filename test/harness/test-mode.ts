// An account's test mode, as tests reach it: with a key of its own.

import assert from 'node:assert/strict';
import { createApiClient } from '../../scripts/throwaway/api-client.ts';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';
import { findTwin } from '../../src/accounts/twin-settings.ts';
import { expectStatus } from './refusals.ts';

/** The twin of an account, by a test key of its own. */
export async function testModeOf(
  { admin, database, address }: Pick<TestService, 'admin' | 'database' | 'address'>,
  { id }: Pick<TestAccount, 'id'>,
): Promise<TestAccount> {
  const made = await admin.post(`/api/admin/v1/accounts/${id}/keys`, { name: 'Tests', test: true });
  const { key: view, api_key: key } = expectStatus(made, 201);
  assert.equal(view.mode, 'test');
  return { id: await twinIdOf(database, id), key, ...createApiClient(address, key) };
}

/** A new account, and its twin. */
export async function createTwins(
  service: TestService,
  credit = '100.00',
): Promise<{ live: TestAccount; tests: TestAccount }> {
  const live = await service.createReseller({ credit });
  return { live, tests: await testModeOf(service, live) };
}

/** Of the row that its test keys reach at this moment. */
export async function twinIdOf(database: TestService['database'], accountId: number): Promise<number> {
  const twin = await findTwin(database, accountId);
  assert.ok(twin, `account ${accountId} has a twin`);
  return twin.id;
}

/** What happened on the way. */
export async function advance(account: TestAccount, duration: string) {
  const answer = await account.post('/test/clock', { advance: duration });
  return expectStatus(answer, 200);
}

export async function clockOf(account: TestAccount): Promise<string> {
  return expectStatus(await account.get('/test/clock'), 200).clock.now;
}
