// How accounts pay in: read and set by administrators.

import type { FastifyInstance } from 'fastify';
import type { Database } from '../../platform/database/database.ts';
import { orRefuse, RequestRefused } from '../../platform/http/request-refused.ts';
import type { WithBody } from '../../platform/http/route-params.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { formatAmount, parseAmount } from '../../shared/amounts.ts';
import { fieldRefusal } from '../../shared/error-catalog.ts';
import { formatTime } from '../../shared/times.ts';
import { actorOf } from '../identity/principal.ts';
import { parseBic, parseIban } from './bank/bank-account-numbers.ts';
import {
  changePaymentSettings,
  findPaymentSettings,
  isTestKey,
  openCardKey,
  type PaymentChange,
  type PaymentSettings,
} from './payment-settings.ts';
import {
  type PaymentsView,
  paymentsAnswerSchema,
  setPaymentsBodySchema,
} from './payment-settings-schemas.ts';

interface PaymentSettingsRoutesDependencies {
  readonly currency: string;
  readonly database: Database;
  readonly seal: Seal;
  readonly now: () => number;
}

export function paymentSettingsRoutes(
  app: FastifyInstance,
  { database, seal, currency, now }: PaymentSettingsRoutesDependencies,
): void {
  const viewOf = (settings: PaymentSettings): PaymentsView => {
    const { cardKeySealed, cardWebhookPreviousUntil: until, bankHolder, bankIban, bankBic } = settings;
    const card =
      cardKeySealed === null
        ? {}
        : {
            card: {
              provider: 'stripe' as const,
              enabled: settings.cardEnabled,
              is_test: isTestKey(openCardKey(seal, cardKeySealed)),
              previous_webhook_secret_until: until !== null && now() < until ? formatTime(until) : null,
            },
          };
    const bank =
      bankHolder === null || bankIban === null
        ? {}
        : {
            bank_transfer: {
              enabled: settings.bankEnabled,
              holder: bankHolder,
              iban: bankIban,
              bic: bankBic,
            },
          };
    const { minimumCents, maximumCents, dailyMaximumCents } = settings;
    return {
      methods: { ...card, ...bank },
      minimum: formatAmount(minimumCents),
      maximum: formatAmount(maximumCents),
      daily_maximum: dailyMaximumCents === null ? null : formatAmount(dailyMaximumCents),
      currency,
    };
  };

  app.get(
    '/payments',
    {
      config: { scopes: ['admin:read'], codes: [] },
      schema: {
        operationId: 'getPayments',
        summary: 'How accounts pay in',
        description: 'All but the provider’s secrets.',
        response: { 200: paymentsAnswerSchema },
      },
    },
    async (_request, reply) => reply.send({ payments: viewOf(await findPaymentSettings(database)) }),
  );

  app.put<WithBody<typeof setPaymentsBodySchema>>(
    '/payments',
    {
      config: {
        scopes: ['admin:packages'],
        codes: ['validation_failed'],
        sensitiveAction: { passwordField: 'current_password' },
      },
      schema: {
        operationId: 'setPayments',
        summary: 'Set how accounts pay in',
        description: 'Replaces all of it: a method that is left out is removed.',
        body: setPaymentsBodySchema,
        response: { 200: paymentsAnswerSchema },
      },
    },
    async (request, reply) => {
      if (request.body.methods.card !== undefined && currency === currencyWithoutCents)
        throw invalid('methods.card', `is not available in ${currency}: Stripe counts it without cents`);
      const change = readChange(request.body);
      const set = orRefuse(await changePaymentSettings(database, seal, change, actorOf(request.principal)));
      return reply.send({ payments: viewOf(set) });
    },
  );
}

/** @throws RequestRefused */
function readChange(body: WithBody<typeof setPaymentsBodySchema>['Body']): PaymentChange {
  const { card, bank_transfer: bank } = body.methods;
  const minimumCents = centsOf('minimum', body.minimum);
  const maximumCents = centsOf('maximum', body.maximum);
  const daily = body.daily_maximum ?? null;
  const dailyMaximumCents = daily === null ? null : centsOf('daily_maximum', daily);
  if (minimumCents === 0n) throw invalid('minimum', 'must be above zero');
  if (maximumCents < minimumCents) throw invalid('maximum', 'must be at least the minimum');
  if (dailyMaximumCents !== null && dailyMaximumCents < maximumCents)
    throw invalid('daily_maximum', 'must be at least the maximum');
  return {
    card:
      card === undefined
        ? null
        : {
            secretKey: card.secret_key ?? null,
            webhookSecret: card.webhook_secret ?? null,
            enabled: card.enabled,
          },
    bank: bank === undefined ? null : readBank(bank),
    minimumCents,
    maximumCents,
    dailyMaximumCents,
  };
}

type SentBank = NonNullable<WithBody<typeof setPaymentsBodySchema>['Body']['methods']['bank_transfer']>;

function readBank({ enabled, holder, iban, bic }: SentBank): PaymentChange['bank'] {
  const name = holder.trim();
  if (name === '') throw invalid('methods.bank_transfer.holder', 'must not be empty');
  const parsedIban = parseIban(iban);
  if (parsedIban === null) throw invalid('methods.bank_transfer.iban', 'is not an IBAN');
  const parsedBic = bic === undefined ? null : parseBic(bic);
  if (bic !== undefined && parsedBic === null) throw invalid('methods.bank_transfer.bic', 'is not a BIC');
  return { enabled, holder: name, iban: parsedIban, bic: parsedBic };
}

/** The one currency of two decimals here that Stripe counts in whole units. */
const currencyWithoutCents = 'MGA';

/** Higher amounts could never be credited, because of the highest balance. */
const topupCentsMax = 100_000_000_00n;

function centsOf(field: string, sent: string): bigint {
  const cents = parseAmount(sent);
  if (cents === null || cents < 0n) throw invalid(field, 'must be an amount such as "10.00"');
  if (cents > topupCentsMax) throw invalid(field, `must be at most ${formatAmount(topupCentsMax)}`);
  return cents;
}

function invalid(field: string, reason: string): RequestRefused {
  return new RequestRefused(fieldRefusal('validation_failed', field, reason));
}
