// Automatic top-ups of an account: set, look at, remove, and save a card.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { ranked } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { isTestAccount } from '../../shared/identifiers.ts';
import { type EpochSeconds, monthOf } from '../../shared/times.ts';
import { actorOf, type Principal } from '../identity/principal.ts';
import {
  autoTopupAnswerSchema,
  cardSetupSchema,
  setAutoTopupBodySchema,
  setUpCardBodySchema,
} from './auto-topup-schemas.ts';
import {
  type AutoTopup,
  type AutoTopupSettings,
  findAutoTopup,
  setAutoTopup,
  storeCard,
  storeCustomer,
} from './auto-topup-store.ts';
import { topupsPageUrl } from './open-checkout.ts';
import { ProviderAway, ProviderRefused } from './payment-provider.ts';
import { findPaymentSettings, type PaymentSettings } from './payment-settings.ts';
import { readReturnUrl } from './return-url.ts';
import type { TopupRoutesDependencies } from './topup-routes.ts';

export function autoTopupRoutes(
  app: FastifyInstance,
  dependencies: TopupRoutesDependencies,
  confirm: { readonly preHandler: preHandlerAsyncHookHandler },
): void {
  const { database, currency } = dependencies;
  const lookups = ranked(database, 'lookups');
  const answer = (auto: AutoTopup, { now }: Principal) => ({
    auto_topup: autoTopupView(auto, currency, now()),
  });

  app.get(
    '/auto-topup',
    {
      ...confirm,
      config: { scopes: ['topups:read'], codes: [] },
      schema: {
        operationId: 'getAutoTopup',
        summary: 'Automatic top-up',
        description: 'Whether your balance is topped up by itself, and what was charged this month.',
        response: { 200: autoTopupAnswerSchema },
      },
    },
    async ({ principal }, reply) =>
      reply.send(answer(await findAutoTopup(lookups, principal.account.id), principal)),
  );

  app.put<WithBody<typeof setAutoTopupBodySchema>>(
    '/auto-topup',
    {
      config: {
        scopes: ['topups:write'],
        codes: [
          'validation_failed',
          'card_missing',
          'payment_method_off',
          'test_mode_only',
          'reset_in_progress',
        ],
      },
      schema: {
        operationId: 'setAutoTopup',
        summary: 'Top up automatically',
        description:
          'Charges the saved card whenever the balance is below a threshold, one charge at a time, and never more than the monthly maximum.',
        body: setAutoTopupBodySchema,
        response: { 200: autoTopupAnswerSchema },
      },
    },
    async ({ principal, body }, reply) => {
      const { id } = principal.account;
      const settings = readSettings(body, await findPaymentSettings(lookups), isTestAccount(id));
      const { now: _, ...author } = actorOf(principal);
      const set = await setAutoTopup(database, id, settings, { ...author, now: principal.now() });
      return reply.send(answer(orRefuse(set), principal));
    },
  );

  app.delete(
    '/auto-topup',
    {
      config: { scopes: ['topups:write'], codes: ['reset_in_progress'] },
      schema: {
        operationId: 'removeAutoTopup',
        summary: 'Stop topping up automatically',
        description: 'The card stays saved. A charge in flight is completed.',
        response: { 200: autoTopupAnswerSchema },
      },
    },
    async ({ principal }, reply) => {
      const { now: _, ...author } = actorOf(principal);
      const set = await setAutoTopup(database, principal.account.id, null, {
        ...author,
        now: principal.now(),
      });
      return reply.send(answer(orRefuse(set), principal));
    },
  );

  app.post<WithBody<typeof setUpCardBodySchema>>(
    '/auto-topup/card',
    {
      config: {
        scopes: ['topups:write'],
        codes: ['validation_failed', 'payment_method_off', 'provider_unavailable'],
        isBodyOptional: true,
      },
      schema: {
        operationId: 'setUpCard',
        summary: 'Save a card for automatic top-ups',
        description: 'Answers the provider’s page. No card data passes through this service.',
        body: setUpCardBodySchema,
        response: { 201: cardSetupSchema },
      },
    },
    async ({ principal, body }, reply) => {
      const returnUrl = body?.return_url === undefined ? null : readReturnUrl(body.return_url);
      return reply.code(201).send({ setup_url: await setUpCard(dependencies, principal, returnUrl) });
    },
  );
}

/** @throws RequestRefused */
async function setUpCard(
  { database, gateways, checkout, currency, onProviderProblem }: TopupRoutesDependencies,
  { account: { id: accountId, username } }: Principal,
  sentReturnUrl: string | null,
): Promise<string> {
  const returnUrl = sentReturnUrl ?? topupsPageUrl(checkout.publicUrl());
  if (isTestAccount(accountId)) {
    await storeCard(database, accountId, { customerId: 'test', methodId: 'test', label: 'visa 4242' });
    return returnUrl;
  }
  const lookups = ranked(database, 'lookups');
  const settings = await findPaymentSettings(lookups);
  const gateway = settings.cardEnabled ? await gateways.of(settings) : null;
  if (gateway === null) throw new RequestRefused('payment_method_off');
  const { provider, installation } = gateway;
  const { customerId } = await findAutoTopup(lookups, accountId);
  try {
    const asked = { installation, accountId, username, customerId, currency, returnUrl };
    const opened = await provider.openCardSetup(asked);
    await storeCustomer(database, accountId, opened.customerId);
    return opened.url;
  } catch (error) {
    if (!(error instanceof ProviderAway || error instanceof ProviderRefused)) throw error;
    onProviderProblem(error);
    throw new RequestRefused('provider_unavailable');
  }
}

/** @throws RequestRefused */
function readSettings(
  body: WithBody<typeof setAutoTopupBodySchema>['Body'],
  { cardEnabled, minimumCents, maximumCents }: PaymentSettings,
  isTest: boolean,
): AutoTopupSettings {
  if (body.outcome !== undefined && !isTest) throw new RequestRefused('test_mode_only');
  if (!cardEnabled && !isTest) throw new RequestRefused('payment_method_off');
  const [belowCents, amountCents, monthlyMaximumCents] = [
    centsOf('below', body.below),
    centsOf('amount', body.amount),
    centsOf('monthly_maximum', body.monthly_maximum),
  ];
  if (amountCents < minimumCents || amountCents > maximumCents)
    throw invalid(
      'amount',
      `must be between ${formatAmount(minimumCents)} and ${formatAmount(maximumCents)}`,
    );
  if (monthlyMaximumCents < amountCents) throw invalid('monthly_maximum', 'must be at least the amount');
  return {
    belowCents,
    amountCents,
    monthlyMaximumCents,
    testOutcome: isTest ? (body.outcome ?? 'pay') : null,
  };
}

function centsOf(field: string, sent: string): bigint {
  const cents = parseAmount(sent);
  if (cents === null || cents <= 0n) throw invalid(field, 'must be above zero');
  return cents;
}

function invalid(field: string, reason: string): RequestRefused {
  return new RequestRefused(fieldRefusal('validation_failed', field, reason));
}

function autoTopupView(auto: AutoTopup, currency: string, now: EpochSeconds) {
  const { status, reason, belowCents, amountCents, monthlyMaximumCents, cardLabel, month, monthCents } = auto;
  const amount = (cents: bigint | null) => (cents === null ? null : formatAmount(cents));
  return {
    status,
    reason,
    below: amount(belowCents),
    amount: amount(amountCents),
    monthly_maximum: amount(monthlyMaximumCents),
    charged_this_month: formatAmount(month === monthOf(now) ? monthCents : 0n),
    card: cardLabel,
    currency,
  };
}
