// A service that takes cards at the stand-in for Stripe, for tests of top-ups.

import assert from 'node:assert/strict';
import {
  startTestService,
  type TestAccount,
  type TestService,
  type TestServiceOptions,
} from '../../scripts/throwaway/test-service.ts';
import { type StandInStripe, startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { expectStatus } from './refusals.ts';
import { onlyJobs, runJob } from './run-job.ts';

export const webhookSecret = 'whsec_FirstSecret';
export const bank = { enabled: true, holder: 'Example Ltd', iban: 'DE89370400440532013000' };
export const card = {
  provider: 'stripe',
  secret_key: 'sk_test_standin',
  webhook_secret: webhookSecret,
  enabled: true,
};

export interface PaymentScene {
  readonly service: TestService;
  readonly standIn: StandInStripe;
  /** Asks the provider and books what it says, as the job does. */
  reconcile(): Promise<void>;
  close(): Promise<void>;
}

/** Cards and transfers are on. The stand-in has the service's clock and sends its events at once. */
export async function startPaymentScene(options: TestServiceOptions = {}): Promise<PaymentScene> {
  let seconds = () => 0;
  const standIn = await startStandInStripe({ milliseconds: () => seconds() * 1000, retryMilliseconds: [] });
  const service = await startTestService({
    ...options,
    limits: { scheduledJobs: onlyJobs('payments', 'autoTopups', 'mail'), ...options.limits },
    environment: { CURRENCY: 'EUR', STRIPE_API_BASE: standIn.url, ...options.environment },
  });
  seconds = () => service.clock.seconds;
  standIn.control.setEndpoints([{ urls: [`${service.address}/payments/stripe`], secrets: [webhookSecret] }]);
  await setPayments(service, {});
  return {
    service,
    standIn,
    reconcile: () => runJob(service, 'payments'),
    async close() {
      await standIn.control.deliveriesSettled();
      await service.close();
      await standIn.stop();
    },
  };
}

export async function setPayments({ admin }: TestService, more: object): Promise<void> {
  const settings = { methods: { card, bank_transfer: bank }, minimum: '1.00', maximum: '5000.00', ...more };
  expectStatus(await admin.send('PUT', '/api/admin/v1/payments', settings), 200);
}

export interface ShownTopup {
  readonly id: number;
  readonly status: string;
  readonly pay_url: string;
  readonly credited_at: string | null;
  readonly [member: string]: unknown;
}

export async function topUp(account: TestAccount, amount: string, more: object = {}): Promise<ShownTopup> {
  return expectStatus(await account.post('/api/v1/topups', { amount, method: 'card', ...more }), 201).topup;
}

export async function topupOf(account: TestAccount, id: number): Promise<ShownTopup> {
  return expectStatus(await account.get(`/api/v1/topups/${id}`), 200).topup;
}

export function sessionOf({ pay_url: url }: ShownTopup): string {
  const [session] = /cs_\w+/.exec(url) ?? [];
  assert.ok(session, `${url} names a session`);
  return session;
}

/** "balance, receivable". */
export async function moneyOf(account: TestAccount): Promise<string> {
  const { balance, receivable } = expectStatus(await account.get('/api/v1/balance'), 200);
  return `${balance}, ${receivable}`;
}
