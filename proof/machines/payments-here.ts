// The place of payment histories in this process: a test service with its own clock, and the stand-in for Stripe.

import { startTestService, type TestService } from '../../scripts/throwaway/test-service.ts';
import { startStandInStripe } from '../../src/stand-in-stripe/stand-in-stripe.ts';
import { onlyJobs, runJob } from '../../test/harness/run-job.ts';
import { type PaymentPlace, preparePayments, sendWebhooksTo } from './payment-histories.ts';

export interface PaymentsHere {
  readonly place: PaymentPlace;
  readonly service: TestService;
  close(): Promise<void>;
}

export async function startPaymentsHere(): Promise<PaymentsHere> {
  let seconds = () => 0;
  const standIn = await startStandInStripe({ milliseconds: () => seconds() * 1000, retryMilliseconds: [] });
  const service = await startTestService({
    environment: { STRIPE_API_BASE: standIn.url },
    limits: { scheduledJobs: onlyJobs('payments', 'autoTopups') },
  });
  seconds = () => service.clock.seconds;
  sendWebhooksTo(standIn, { urls: [service.address] });
  const place: PaymentPlace = {
    address: () => service.address,
    adminKey: service.admin.key,
    standIn,
    async advance(more) {
      service.clock.seconds += more;
    },
    async runJobs() {
      await runJob(service, 'payments');
      await runJob(service, 'auto_topups');
    },
  };
  await preparePayments(place);
  return {
    place,
    service,
    async close() {
      await standIn.control.deliveriesSettled();
      await service.close();
      await standIn.stop();
    },
  };
}
