// Card payments of a demo: the stand-in for Stripe, in this process, and settings whose key leads to it. No money moves.

import type { DatedCaller } from '../features/packages/package-store.ts';
import {
  changePaymentSettings,
  demoCardKey,
  findPaymentSettings,
  openCardKey,
  openWebhookSecrets,
} from '../features/payments/payment-settings.ts';
import type { Database } from '../platform/database/database.ts';
import { randomBase62 } from '../platform/secrets/random-text.ts';
import type { Seal } from '../platform/secrets/seal.ts';
import type { EpochSeconds } from '../shared/times.ts';
import type { StandInStripe } from '../stand-in-stripe/stand-in-stripe.ts';

const demoIban = 'DE89370400440532013000';
const settleMilliseconds = 20_000;

/** Does nothing if payments were ever set, so that what an operator removed stays removed. */
export async function setDemoPayments(
  database: Database,
  seal: Seal,
  { actorId, now }: DatedCaller,
): Promise<void> {
  if ((await findPaymentSettings(database)).installation !== '') return;
  const change = {
    card: { secretKey: demoCardKey, webhookSecret: `whsec_${randomBase62(32)}`, enabled: true },
    bank: { enabled: true, holder: 'Demo', iban: demoIban, bic: null },
    ...{ minimumCents: 10_00n, maximumCents: 5_000_00n, dailyMaximumCents: null },
  };
  await changePaymentSettings(database, seal, change, { actorId, now });
}

export type DemoProvider = StandInStripe & { announceTo(serviceAddress: string): void };

/** @returns null if the settings are not the demo's: then a real provider takes the payments. */
export async function startDemoProvider(
  database: Database,
  seal: Seal,
  { host, now }: { readonly host: string; readonly now: EpochSeconds },
): Promise<DemoProvider | null> {
  const settings = await findPaymentSettings(database);
  if (settings.cardKeySealed === null || openCardKey(seal, settings.cardKeySealed) !== demoCardKey)
    return null;
  const { startStandInStripe } = await import('../stand-in-stripe/stand-in-stripe.ts');
  const standIn = await startStandInStripe({ host, apiKeys: [demoCardKey], settleMilliseconds });
  const secrets = openWebhookSecrets(seal, settings, now);
  return {
    ...standIn,
    announceTo: (serviceAddress) =>
      standIn.control.setEndpoints([{ urls: [`${serviceAddress}/payments/stripe`], secrets }]),
  };
}
