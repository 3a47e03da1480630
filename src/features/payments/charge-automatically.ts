// A job that tops up accounts whose balance fell below their threshold. Orders pay nothing for it, because it looks at the
// balances itself.
// Invariant: a charge is asked for with the top-up's own name, so asking again after a crash charges nothing twice.

import { JobProblem } from '../../platform/jobs/job-runner.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import type { TestBudget } from '../order-engine/records/test-usage.ts';
import {
  type AutoTopup,
  beginCharge,
  type ChargeEnd,
  endCharge,
  findAutoTopup,
  listDueAutoTopups,
  postpone,
} from './auto-topup-store.ts';
import { bookNews } from './book-payments.ts';
import { openCheckout } from './open-checkout.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import { type ChargeOutcome, ProviderAway, ProviderRefused } from './payment-provider.ts';
import { findPaymentSettings } from './payment-settings.ts';
import type { ReconcileDependencies } from './reconcile-payments.ts';
import { payInTestMode } from './test-outcomes.ts';
import { findTopup, moveStatus, setNextCheck, storeSession } from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';

export interface ChargeDependencies extends ReconcileDependencies {
  readonly testBudget: TestBudget;
}

const accountsAtOnce = 100;
const minuteSeconds = 60;
const hourSeconds = 3_600;
/** Stripe opens no page for less than half an hour. */
const shortestPageSeconds = 2_400;
/** When the reconciler first asks about the page. */
const checkSeconds = 120;

/** @returns 1 if work is left @throws JobProblem if the provider is away */
export async function chargeAutomatically(
  dependencies: ChargeDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { database, gateways, onProblem, now } = dependencies;
  const due = await listDueAutoTopups(database, now(), accountsAtOnce);
  if (due.length === 0) return 0;
  const settings = await findPaymentSettings(database);
  const gateway = await gateways.of(settings);
  for (const accountId of due) {
    if (signal.aborted) return 1;
    try {
      const auto = await findAutoTopup(database, accountId);
      const begun =
        auto.inFlight === null
          ? await beginCharge(database, accountId, { ...dependencies, settings, now: now() })
          : await inFlight(dependencies, auto);
      if (begun === null) continue;
      if (isTestAccount(accountId)) await chargeInTestMode(dependencies, begun.auto, begun.topup);
      else if (gateway === null) await postpone(database, accountId, now());
      else await charge(dependencies, gateway, begun.auto, begun.topup);
    } catch (error) {
      if (error instanceof ProviderAway) throw new JobProblem('The payment provider did not answer.');
      onProblem(error, `automatic top-up of account ${accountId}`);
    }
  }
  return due.length >= accountsAtOnce ? 1 : 0;
}

async function inFlight({ database }: ChargeDependencies, auto: AutoTopup) {
  const topup = auto.inFlight === null ? null : await findTopup(database, auto.accountId, auto.inFlight);
  return topup === null ? null : { auto, topup };
}

async function charge(
  dependencies: ChargeDependencies,
  gateway: PaymentGateway,
  { customerId, methodId }: AutoTopup,
  topup: ListedTopup,
): Promise<void> {
  const { database, checkout, now } = dependencies;
  const { accountId, providerKey, sessionId, expiresAt } = topup;
  // Before anything else, so that a charge that the provider cannot answer does not hold up the others.
  await postpone(database, accountId, now());
  if (topup.creditedAt !== null) return end(dependencies, topup, 'paid');
  if (customerId === null || methodId === null || providerKey === null || expiresAt === null)
    return end(dependencies, topup, 'declined');
  // The process died after it had opened the page where the card holder pays.
  if (sessionId?.startsWith('cs_') === true) return end(dependencies, topup, 'holder_needed');
  const outcome = await outcomeOf(dependencies, gateway, { topup, providerKey, customerId, methodId });
  if (outcome.type === 'processing') await storeSession(database, topup, { id: outcome.id, url: null });
  if (outcome.type === 'holder_needed' && now() < expiresAt - shortestPageSeconds) {
    await openCheckout(database, gateway, { ...topup, providerKey, expiresAt }, checkout);
    await setNextCheck(database, topup, now() + checkSeconds);
  }
  await settle(dependencies, gateway, topup, outcome);
}

interface Charged {
  readonly topup: ListedTopup;
  readonly providerKey: string;
  readonly customerId: string;
  readonly methodId: string;
}

/** Charges the card, unless an earlier attempt did. What the provider refuses counts as declined. @throws ProviderAway */
async function outcomeOf(
  { checkout, currency, now }: ChargeDependencies,
  { provider, installation }: PaymentGateway,
  { topup, providerKey, customerId, methodId }: Charged,
): Promise<ChargeOutcome> {
  const { accountId, number, sessionId, amountCents, createdAt } = topup;
  try {
    if (sessionId !== null) return await provider.readCharge(sessionId);
    const isFirst = now() < createdAt + minuteSeconds;
    // The provider forgets after a day that it was asked, so look before asking again.
    const earlier = isFirst
      ? null
      : await provider.findCharge({ key: providerKey, customerId, since: createdAt });
    if (earlier !== null) return earlier;
    if (now() > createdAt + hourSeconds) return { type: 'declined' };
    return await provider.chargeCard({
      topup: { installation, accountId, number, key: providerKey },
      card: { customerId, methodId },
      amountCents,
      currency,
      description: checkout.description(),
    });
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    return { type: 'declined' };
  }
}

async function settle(
  dependencies: ChargeDependencies,
  { provider, installation }: PaymentGateway,
  topup: ListedTopup,
  outcome: ChargeOutcome,
): Promise<void> {
  const { database, currency, now } = dependencies;
  const { accountId, number } = topup;
  if (outcome.type === 'processing') return;
  if (outcome.type === 'paid') await bookNews(dependencies, provider, installation, outcome.news);
  if (outcome.type === 'declined')
    await moveStatus(database, { accountId, number, to: 'failed', currency, now: now() });
  await end(dependencies, topup, outcome.type);
}

function end(
  { database, currency, now }: ChargeDependencies,
  topup: ListedTopup,
  how: ChargeEnd,
): Promise<void> {
  return endCharge(database, topup, how, { currency, now: now() });
}

async function chargeInTestMode(
  dependencies: ChargeDependencies,
  { testOutcome }: AutoTopup,
  topup: ListedTopup,
): Promise<void> {
  const outcome = testOutcome ?? 'pay';
  await payInTestMode(dependencies, topup, outcome === 'later' ? 'pay' : outcome);
  await end(dependencies, topup, outcome === 'fail' ? 'declined' : 'paid');
}
