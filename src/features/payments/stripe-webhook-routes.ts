// POST /payments/stripe: the provider's webhooks.
// Invariant: 200 is answered only once the effect is committed. What fails is answered 5xx, and the provider sends it again.

import type { FastifyInstance } from 'fastify';
import { type Database, ranked } from '../../platform/database/database.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { type BookingDependencies, bookEvent } from './book-payments.ts';
import type { PaymentGateways } from './payment-gateway.ts';
import { ProviderAway, ProviderRefused } from './payment-provider.ts';
import {
  findPaymentSettings,
  openWebhookSecrets,
  type PaymentMethods,
  type PaymentSettings,
} from './payment-settings.ts';
import { readStripeWebhook } from './stripe-provider.ts';

export interface StripeWebhookDependencies extends BookingDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly gateways: PaymentGateways;
  readonly paymentSettings: PaymentMethods['settings'];
  readonly onProviderProblem: (error: Error) => void;
}

const webhookBytesMax = 1_048_576;

export function stripeWebhookRoutes(app: FastifyInstance, dependencies: StripeWebhookDependencies): void {
  const { database, seal, gateways, now } = dependencies;
  app.removeAllContentTypeParsers();
  // The signature covers the bytes, so they are not parsed before.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: webhookBytesMax }, (_request, body, done) =>
    done(null, body),
  );

  let opened: { readonly of: PaymentSettings; readonly until: number; readonly secrets: string[] } | null =
    null;
  function secretsOf(settings: PaymentSettings): string[] {
    if (opened?.of === settings && now() < opened.until) return opened.secrets;
    const until = settings.cardWebhookPreviousUntil ?? 0;
    opened = {
      of: settings,
      until: until > now() ? until : Number.POSITIVE_INFINITY,
      secrets: openWebhookSecrets(seal, settings, now()),
    };
    return opened.secrets;
  }

  app.post('/payments/stripe', { schema: { hide: true } }, async ({ body, headers }, reply) => {
    const { 'stripe-signature': signature } = headers;
    if (!Buffer.isBuffer(body) || typeof signature !== 'string')
      throw new RequestRefused('invalid_signature');
    const read = async (settings: PaymentSettings) => {
      const event = await readStripeWebhook(body, signature, secretsOf(settings), now());
      const gateway = event === null ? null : await gateways.of(settings);
      return event === null || gateway === null ? null : { event, gateway };
    };
    // Another process may have changed the secrets, and the notice is still on its way.
    const found =
      (await read(dependencies.paymentSettings())) ??
      (await read(await findPaymentSettings(ranked(database, 'lookups'))));
    if (found === null) throw new RequestRefused('invalid_signature');
    try {
      await bookEvent(dependencies, found.gateway, found.event);
    } catch (error) {
      if (!(error instanceof ProviderAway || error instanceof ProviderRefused)) throw error;
      dependencies.onProviderProblem(error);
      throw new RequestRefused('provider_unavailable');
    }
    return reply.send({ received: true });
  });
}
