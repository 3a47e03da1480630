// Runs the API reference's story (story-requests.ts) against a fresh service whose clock stands still, so that ids are
// always the same. Used by reference-answers.ts and test/tools/reference-samples.test.ts.

import assert from 'node:assert/strict';
import { createLoginLink } from '../../src/features/customer-portal/login-links.ts';
import { findAutoTopup, storeCard } from '../../src/features/payments/auto-topup-store.ts';
import { deliveriesKind } from '../../src/features/webhooks/delivery-progress.ts';
import type { Outbound } from '../../src/platform/outbound/outbound.ts';
import { publicId } from '../../src/shared/identifiers.ts';
import { startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { type ApiClient, createApiClient } from '../throwaway/api-client.ts';
import { startTestService, type TestService } from '../throwaway/test-service.ts';
import type { SampleRequest } from './request-samples.ts';
import {
  contoso,
  exchanges,
  ids,
  idsOfSteps,
  innerIdsOfSteps,
  northwind,
  pendingOrders,
} from './story-requests.ts';

export function keyOf(
  { resellerKey, adminKey, testKey }: StoryWorld,
  client: SampleRequest['client'],
): string {
  if (client === 'client.testMode') return testKey;
  return client === 'client' ? resellerKey : adminKey;
}

export interface StoryWorld {
  readonly service: TestService;
  readonly resellerKey: string;
  readonly adminKey: string;
  readonly testKey: string;
  environmentOf(operationId: string): Promise<Readonly<Record<string, string>>>;
}

/** It always gives the same answer, without any network call. */
const endpoint: Outbound = {
  send: async () => ({ type: 'answered', status: 200, answer: 'ok', milliseconds: 87 }),
  problemOf: async () => null,
  close: async () => undefined,
};

export async function startStoryWorld(): Promise<StoryWorld> {
  let seconds = () => 0;
  const stripe = await startStandInStripe({
    milliseconds: () => seconds() * 1000,
    publicUrl: () => 'https://checkout.stripe.com',
  });
  const started = await startTestService({
    outbound: endpoint,
    environment: {
      STRIPE_API_BASE: stripe.url,
      PUBLIC_URL: 'https://sell.example.com',
      PRODUCT_URL: 'https://product.example.com/welcome',
    },
  });
  seconds = () => started.clock.seconds;
  const service: TestService = {
    ...started,
    async close() {
      await started.close();
      await stripe.stop();
    },
  };
  const { admin } = service;
  const created = await admin.post('/api/admin/v1/accounts', {
    username: 'northwind',
    display_name: 'Northwind Media',
    group: 'reseller',
  });
  assert.equal(created.body?.account?.id, northwind, created.text);
  const resellerKey: string = created.body.api_key;
  const old = await admin.post(`/api/admin/v1/accounts/${northwind}/keys`, { name: 'Old shop' });
  assert.equal(old.body?.key?.id, innerIdsOfSteps['revokeAccountKey'], old.text);
  // Reading the feed makes the service record northwind's events from here on.
  const feed = await fetch(`${service.address}/api/v1/events`, {
    headers: { authorization: `Bearer ${resellerKey}` },
  });
  assert.equal(feed.status, 200);
  await setUpEndpoints(service, resellerKey);
  await takePayments(service, createApiClient(service.address, resellerKey));
  const opening = { amount: '500.00', memo: 'Bank transfer 2026-001' };
  const credited = await admin.post(`/api/admin/v1/accounts/${northwind}/credit`, opening);
  assert.equal(credited.status, 201, credited.text);
  await deliverOnce(service);
  const made = await admin.post(`/api/admin/v1/accounts/${northwind}/keys`, { name: 'Tests', test: true });
  assert.equal(made.status, 201, made.text);
  const testKey: string = made.body.api_key;
  return {
    service,
    resellerKey,
    adminKey: admin.key,
    testKey,
    async environmentOf(operationId) {
      if (operationId === 'eraseCustomer') await leaveEndedPlan(service);
      if (operationId === 'closeAccount') await leaveAccountWithBalance(service);
      if (operationId === 'listOrdersNeedingAttention') await leaveOrdersPending(service);
      if (operationId === 'listProductCalls') await leaveCallUntaken(service);
      if (operationId === 'listReceivables') await leaveReceivable(service);
      return exchanges.includes(operationId) ? { LOGIN_CODE: await codeOfLogin(service) } : {};
    },
  };
}

async function leaveAccountWithBalance({ admin }: TestService): Promise<void> {
  const account = { username: 'litware', display_name: 'Litware', group: 'reseller' };
  const created = await admin.post('/api/admin/v1/accounts', account);
  const { id } = created.body?.account ?? {};
  assert.equal(id, idsOfSteps['closeAccount'], created.text);
  const credited = await admin.post(`/api/admin/v1/accounts/${id}/credit`, { amount: '37.50' });
  assert.equal(credited.status, 201, credited.text);
}

/** Also leaves a paid top-up, a saved card, and a payment that needs attention. */
async function takePayments(
  { admin, service: { engine }, database, clock }: TestService,
  northwindsClient: ApiClient,
): Promise<void> {
  const transfer = { enabled: true, holder: 'Example Ltd', iban: 'DE89370400440532013000' };
  const card = {
    provider: 'stripe',
    enabled: true,
    secret_key: 'sk_test_standin',
    webhook_secret: 'whsec_standin',
  };
  const payments = { methods: { card, bank_transfer: transfer }, minimum: '10.00', maximum: '5000.00' };
  const set = await admin.send('PUT', '/api/admin/v1/payments', payments);
  assert.equal(set.status, 200, set.text);
  const wanted = { amount: '50.00', method: 'bank_transfer' };
  const made = await northwindsClient.post('/api/v1/topups', wanted);
  assert.equal(made.status, 201, made.text);
  const paid = await engine.submit({
    type: 'receive_payment',
    accountId: northwind,
    topupNumber: 1,
    paymentRef: 'transfer:story',
    amountCents: 5_000n,
    memo: 'Northwind Media',
  });
  assert.equal(paid.type, 'payment_moved');
  const opened = await northwindsClient.post('/api/v1/auto-topup/card', {});
  assert.equal(opened.status, 201, opened.text);
  const { customerId } = await findAutoTopup(database, northwind);
  assert.ok(customerId);
  await storeCard(database, northwind, { customerId, methodId: 'pm_1', label: 'visa 4242' });
  await database.query({
    name: '',
    text: `insert into payment_problems (object_ref, account_id, topup_number, reason, amount_cents, currency, created_at)
      values ('stripe:pi_3TAbCdEfGhIjKlMn', ${northwind}, 1, 'second_payment', 5000, 'USD', to_timestamp(${clock.seconds}))`,
  });
}

async function setUpEndpoints({ address, admin }: TestService, resellerKey: string): Promise<void> {
  const northwindsClient = createApiClient(address, resellerKey);
  for (const [client, path, url] of [
    [northwindsClient, '/api/v1/webhooks', 'https://northwind.example.com/events'],
    [northwindsClient, '/api/v1/webhooks', 'https://northwind.example.com/old'],
    [admin, '/api/admin/v1/webhooks', 'https://ops.example.com/events'],
    [admin, '/api/admin/v1/webhooks', 'https://ops.example.com/old'],
  ] as const) {
    const made = await client.post(path, { url });
    assert.equal(made.status, 201, made.text);
  }
}

async function deliverOnce({ service, database }: TestService): Promise<void> {
  await service.jobs.hasten(deliveriesKind);
  await service.jobs.look();
  for (let endpoints = 0; endpoints < 4; ) {
    const text = 'select count(distinct webhook_id)::int as endpoints from webhook_attempts';
    const [row] = await database.query({ name: '', text });
    endpoints = Number(row?.['endpoints']);
  }
  await service.jobs.cancel(deliveriesKind);
  await service.jobs.idle();
}

async function leaveEndedPlan({ service: { engine }, database }: TestService): Promise<void> {
  const [row] = await database
    .ofAccount(northwind)
    .query({ name: '', text: `select access_version from accounts where id = ${northwind}` });
  const caller = { accountId: northwind, accessVersion: Number(row?.['access_version']) };
  const placed = await engine.submit({
    ...{ ...caller, type: 'place', idempotencyKey: 'signup-1900', keyIsMinted: false, maxChargeCents: null },
    ...{
      packageId: 2,
      months: 12,
      customerReference: 'mary@example.com',
      customerName: null,
      loginLink: null,
    },
  });
  assert.ok(placed.type === 'ordered', placed.type);
  const { customerNumber } = placed.order;
  assert.equal(publicId(northwind, customerNumber), idsOfSteps['eraseCustomer']);
  const ended = await engine.submit({
    ...{ ...caller, type: 'cancel', at: 'now', actorId: northwind, by: null, customerNumber },
    ...{ idempotencyKey: 'cancel-1900', keyIsMinted: false },
  });
  assert.equal(ended.type, 'plan_changed');
}

/** Leaves orders for a product that never answers, three days later. By then the account has another key. */
async function leaveOrdersPending({ service, admin, database, clock }: TestService): Promise<void> {
  const product = { mode: 'confirm', url: 'https://product.example.com', secret: `whsec_${'A'.repeat(32)}` };
  const set = await admin.send('PUT', '/api/admin/v1/product', product);
  assert.equal(set.status, 200, set.text);
  const query = (text: string) => database.ofAccount(northwind).query({ name: '', text });
  const [row] = await query(`select access_version from accounts where id = ${northwind}`);
  for (const [index, id] of Object.values(pendingOrders).entries()) {
    const placed = await service.engine.submit({
      type: 'place',
      accountId: northwind,
      accessVersion: Number(row?.['access_version']),
      idempotencyKey: `signup-${2001 + index}`,
      keyIsMinted: false,
      maxChargeCents: null,
      packageId: 2,
      months: 3,
      customerReference: ['katherine@example.com', 'dorothy@example.com'][index] ?? '',
      customerName: null,
      loginLink: null,
    });
    assert.ok(placed.type === 'ordered' && placed.order.handoff === 'pending', placed.type);
    assert.equal(publicId(northwind, placed.order.number), id);
  }
  const since = clock.seconds - 72 * 3_600;
  await query(`update product_calls set status = 'attention', attempts = 12, last_status = 503,
    first_attempt_at = to_timestamp(${since}) where confirms`);
}

/** A payment that is paid out and then disputed. */
async function leaveReceivable({ service, admin, database, clock }: TestService): Promise<void> {
  const text = `insert into topups (account_id, number, method, amount_cents, status, created_at)
    values (${contoso}, 1, 'card', 95000, 'open', to_timestamp(${clock.seconds}))`;
  await database.ofAccount(contoso).query({ name: '', text });
  const payment = { accountId: contoso, topupNumber: 1, amountCents: 95_000n };
  const { engine } = service;
  await engine.submit({ type: 'receive_payment', ...payment, paymentRef: 'stripe:pi_1', memo: null });
  const out = { amount: '-950.00', memo: 'Paid out' };
  const paidOut = await admin.post(`/api/admin/v1/accounts/${contoso}/credit`, out);
  assert.equal(paidOut.status, 201, paidOut.text);
  const taken = await engine.submit({
    type: 'reverse_payment',
    ...payment,
    cause: 'stripe:dp_1',
    kind: 'dispute',
    allowReceivable: true,
    by: null,
  });
  assert.ok(taken.type === 'payment_moved' && taken.receivableCents === 95_000n, taken.type);
}

async function leaveCallUntaken({ database, clock }: TestService): Promise<void> {
  const since = clock.seconds - 76 * 3_600;
  const answered = { status: 503, error: null, milliseconds: 41, answer: '{"error":"Down for maintenance"}' };
  const lastAttempt = { at: clock.seconds, ...answered };
  const text = `update product_calls set status = 'attention', attempts = 10, last_status = 503,
      first_attempt_at = to_timestamp(${since}), last_attempt_at = to_timestamp(${clock.seconds}),
      attempt_log = '[${JSON.stringify(lastAttempt)}]'
    where status = 'waiting' returning call_id`;
  const [call] = await database.ofAccount(northwind).query({ name: '', text });
  assert.equal(call?.['call_id'], ids['product-calls']);
}

async function codeOfLogin({ address, admin, database, clock }: TestService): Promise<string> {
  // Activate the customer, because a suspended one cannot sign in.
  await admin.patch(`/api/admin/v1/customers/${northwind}000000001`, { status: 'active' });
  const order = { accountId: northwind, customerNumber: 1, number: 1 };
  const maker = { by: null, isOperator: false };
  const token = await createLoginLink(database, order, 60, clock.seconds, maker);
  const opened = await fetch(`${address}/login/${token}`, { method: 'POST', redirect: 'manual' });
  const code = new URL(opened.headers.get('location') ?? '', 'https://nowhere.example').searchParams.get(
    'code',
  );
  assert.ok(code, 'the login link leads to the product with a code');
  return code;
}
