// What an administrator prepares for tests: packages, prices, settings.

import assert from 'node:assert/strict';
import type { TestAccount, TestService } from '../../scripts/throwaway/test-service.ts';

export async function createPackage(
  service: TestService,
  name: string,
  [monthly, quarterly, yearly]: readonly [string, string, string],
): Promise<number> {
  const prices = { monthly, quarterly, yearly };
  const answer = await service.admin.post('/api/admin/v1/packages', {
    name,
    limits: { accounts: 1, posts_per_day: 2, ai_images_per_month: 3 },
    prices: { reseller: prices, distributor: prices },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.package.id;
}

export async function changePackage(service: TestService, id: number, change: object): Promise<void> {
  const answer = await service.admin.patch(`/api/admin/v1/packages/${id}`, change);
  assert.equal(answer.status, 200, answer.text);
}

export async function schedulePrices(
  { admin }: Pick<TestService, 'admin'>,
  id: number,
  from: string,
  prices: object,
): Promise<void> {
  const answer = await admin.post(`/api/admin/v1/packages/${id}/prices`, { from, prices });
  assert.equal(answer.status, 201, answer.text);
}

export async function changeAccount(
  service: TestService,
  { id }: Pick<TestAccount, 'id'>,
  change: object,
): Promise<void> {
  const answer = await service.admin.patch(`/api/admin/v1/accounts/${id}`, change);
  assert.equal(answer.status, 200, answer.text);
}

/** A negative amount debits. */
export async function credit(
  service: TestService,
  { id }: Pick<TestAccount, 'id'>,
  amount: string,
): Promise<void> {
  const answer = await service.admin.post(`/api/admin/v1/accounts/${id}/credit`, { amount });
  assert.equal(answer.status, 201, answer.text);
}

export async function placeOrder(service: TestService, account: TestAccount, body: object) {
  const answer = await account.post('/orders', {
    package_id: service.packages.basic,
    customer: `c-${account.id}`,
    ...body,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function renewOrder(account: TestAccount, id: number, body?: object) {
  const answer = await account.post(`/orders/${id}/renew`, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export async function resetKey(service: TestService, { id }: Pick<TestAccount, 'id'>): Promise<string> {
  const answer = await service.admin.post(`/api/admin/v1/accounts/${id}/api-key`);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.api_key;
}

export function secondsOf(time: string): number {
  const milliseconds = Date.parse(time);
  assert.equal(milliseconds % 1000, 0, time);
  return milliseconds / 1000;
}
