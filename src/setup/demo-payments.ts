// Payments of a demo: the stand-in for Stripe, in this process, and settings whose key leads to it. No money moves.

import { findAdministratorId } from '../features/identity/find-accounts.ts';
import type { DatedCaller } from '../features/packages/package-store.ts';
import {
  changePaymentSettings,
  demoCardKey,
  findPaymentSettings,
  openCardKey,
  openWebhookSecrets,
  type PaymentSettings,
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

/** A service that is not a demo asks no one for money on behalf of the example. What was set by hand stays. */
export async function endDemoPayments(database: Database, seal: Seal, now: EpochSeconds): Promise<void> {
  const settings = await findPaymentSettings(database);
  const actorId = await findAdministratorId(database);
  if (actorId === null || !isDemoCard(seal, settings)) return;
  const { bankEnabled: enabled, bankHolder: holder, bankIban: iban, bankBic: bic } = settings;
  const isOwnBank = holder !== null && iban !== null && iban !== demoIban;
  const change = { ...settings, card: null, bank: isOwnBank ? { enabled, holder, iban, bic } : null };
  await changePaymentSettings(database, seal, change, { actorId, now });
}

function isDemoCard(seal: Seal, { cardKeySealed }: PaymentSettings): boolean {
  return cardKeySealed !== null && openCardKey(seal, cardKeySealed) === demoCardKey;
}

export type DemoProvider = StandInStripe & { announceTo(serviceAddress: string): void };

/** @returns null if the settings are not the demo's: then a real provider takes the payments. */
export async function startDemoProvider(
  database: Database,
  seal: Seal,
  { publicUrl, now }: { readonly publicUrl: () => string; readonly now: EpochSeconds },
): Promise<DemoProvider | null> {
  const settings = await findPaymentSettings(database);
  if (!isDemoCard(seal, settings)) return null;
  const { startStandInStripe } = await import('../stand-in-stripe/stand-in-stripe.ts');
  // Only this process can reach it, and its pages are the service's own: a forwarded port shows them too.
  const standIn = await startStandInStripe({
    ...{ publicUrl, apiKeys: [demoCardKey], settleMilliseconds, shopName: 'Sellthrough Demo' },
  });
  const secrets = openWebhookSecrets(seal, settings, now);
  return {
    ...standIn,
    announceTo: (serviceAddress) =>
      standIn.control.setEndpoints([{ urls: [`${serviceAddress}/payments/stripe`], secrets }]),
  };
}
