// The story that the API reference tells: one request for each operation, in an order that works, against a fresh
// service whose clock stands still, so that every id in it is always the same. reference-pages.ts shows the requests
// and their real answers; test/tools/reference-samples.test.ts runs the printed samples in the same order.

import assert from 'node:assert/strict';
import { startTestService, type TestService } from '../throwaway/test-service.ts';

export interface Step {
  readonly operationId: string;
  /** Of the path. */
  readonly id?: number;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly idempotencyKey?: string;
}

/** A value of a body that a sample reads from the environment: it is another one each time. */
export const loginCode = { environment: 'LOGIN_CODE' } as const;

const order = 2_000_000_001;
const customer = 2_000_000_001;
const northwind = 2;
const contoso = 3;

export const resellerStory: readonly Step[] = [
  { operationId: 'getBalance' },
  { operationId: 'listPackages' },
  {
    operationId: 'placeOrder',
    body: { package_id: 1, customer: 'ada@example.com', customer_name: 'Ada Lovelace', return_login: true },
    idempotencyKey: 'signup-1001',
  },
  { operationId: 'listOrders', query: { page: 1, limit: 25 } },
  { operationId: 'getOrder', id: order },
  { operationId: 'renewOrder', id: order, body: { months: 3 }, idempotencyKey: 'renewal-1001-1' },
  { operationId: 'listCustomers', query: { page: 1, limit: 25 } },
  { operationId: 'getCustomer', id: customer },
];

export const adminStory: readonly Step[] = [
  {
    operationId: 'createAccount',
    body: { username: 'contoso', group: 'reseller', display_name: 'Contoso Web', rate_limit_per_minute: 120 },
  },
  { operationId: 'listAccounts', query: { q: 'contoso', limit: 25 } },
  { operationId: 'getAccount', id: contoso },
  { operationId: 'changeAccount', id: contoso, body: { allowed_ips: ['203.0.113.0/24'] } },
  {
    operationId: 'creditAccount',
    id: contoso,
    body: { amount: '250.00', memo: 'Bank transfer 2026-017' },
    idempotencyKey: 'transfer-2026-017',
  },
  { operationId: 'resetApiKey', id: contoso },
  { operationId: 'grantTrial', id: contoso, body: { package_id: 4, customer: 'grace@example.com' } },
  { operationId: 'listAccountLedger', id: northwind, query: { limit: 2 } },
  { operationId: 'listAccountOrders', id: northwind, query: { limit: 1 } },
  { operationId: 'listAccountCustomers', id: northwind, query: { limit: 1 } },
  { operationId: 'listAllPackages' },
  {
    operationId: 'createPackage',
    body: {
      name: 'Studio',
      features: ['5 connected accounts', 'Post scheduling'],
      limits: { accounts: 5, posts_per_day: 20, ai_images_per_month: 50 },
      prices: {
        reseller: { monthly: '15.00', quarterly: '42.00', yearly: '150.00' },
        distributor: { monthly: '12.00', quarterly: '33.00', yearly: '120.00' },
      },
    },
  },
  { operationId: 'getPackage', id: 5 },
  { operationId: 'changePackage', id: 5, body: { prices: { reseller: { monthly: '16.00' } } } },
  { operationId: 'exchangeLoginCode', body: { code: loginCode } },
  { operationId: 'changeCustomer', id: customer, body: { status: 'suspended' } },
  { operationId: 'listAudit', query: { limit: 2 } },
  { operationId: 'verify' },
];

export interface StoryWorld {
  readonly service: TestService;
  readonly resellerKey: string;
  readonly adminKey: string;
  /** What the samples of a step read from the environment, besides address and key. */
  environmentOf(step: Step): Promise<Readonly<Record<string, string>>>;
}

/** A service on which the stories can be told once, the reseller's first. */
export async function startStoryWorld(): Promise<StoryWorld> {
  const service = await startTestService({
    environment: {
      PUBLIC_URL: 'https://sell.example.com',
      PRODUCT_URL: 'https://product.example.com/welcome',
    },
  });
  const { admin } = service;
  const created = await admin.post('/api/admin/v1/accounts', {
    username: 'northwind',
    display_name: 'Northwind Media',
    group: 'reseller',
  });
  assert.equal(created.body?.account?.id, northwind, created.text);
  const resellerKey: string = created.body.api_key;
  const opening = { amount: '500.00', memo: 'Bank transfer 2026-001' };
  const credited = await admin.post(`/api/admin/v1/accounts/${northwind}/credit`, opening);
  assert.equal(credited.status, 201, credited.text);
  return {
    service,
    resellerKey,
    adminKey: admin.key,
    environmentOf: async ({ operationId }) =>
      operationId === 'exchangeLoginCode' ? { LOGIN_CODE: await codeOfLogin(service, resellerKey) } : {},
  };
}

/** What the product is opened with by a customer who uses a login link. The order is a replay: it changes nothing. */
async function codeOfLogin({ address }: TestService, key: string): Promise<string> {
  const placed = resellerStory.find(({ operationId }) => operationId === 'placeOrder');
  const replay = await fetch(`${address}/api/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': placed?.idempotencyKey ?? '' },
    body: JSON.stringify(placed?.body),
  });
  const { login_url: link } = (await replay.json()) as { login_url: string };
  const opened = await fetch(address + new URL(link).pathname, { method: 'POST', redirect: 'manual' });
  const code = new URL(opened.headers.get('location') ?? '', 'https://nowhere.example').searchParams.get(
    'code',
  );
  assert.ok(code, 'the login link leads to the product with a code');
  return code;
}
