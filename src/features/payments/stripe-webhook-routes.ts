// POST /payments/stripe: the provider's webhooks.
// Invariant: 200 is answered only once the effect is committed. What fails is answered 5xx, and the provider sends it again.

import type { FastifyInstance } from 'fastify';
import { type Database, ranked } from '../../platform/database/database.ts';
import { RequestRefused } from '../../platform/http/request-refused.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import { type BookingDependencies, bookNews } from './book-payments.ts';
import { isHandled, noteHandled } from './payment-events.ts';
import type { PaymentGateways } from './payment-gateway.ts';
import { ProviderAway, ProviderRefused } from './payment-provider.ts';
import { findPaymentSettings, openWebhookSecrets } from './payment-settings.ts';
import { readStripeWebhook } from './stripe-provider.ts';

export interface StripeWebhookDependencies extends BookingDependencies {
  readonly database: Database;
  readonly seal: Seal;
  readonly gateways: PaymentGateways;
  readonly onProviderProblem: (error: Error) => void;
}

const webhookBytesMax = 1_048_576;

export function stripeWebhookRoutes(app: FastifyInstance, dependencies: StripeWebhookDependencies): void {
  const { database, seal, gateways, now } = dependencies;
  const lookups = ranked(database, 'lookups');
  app.removeAllContentTypeParsers();
  // The signature covers the bytes, so they are not parsed before.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: webhookBytesMax }, (_request, body, done) =>
    done(null, body),
  );

  app.post('/payments/stripe', { schema: { hide: true } }, async (request, reply) => {
    const settings = await findPaymentSettings(lookups);
    const { 'stripe-signature': signature } = request.headers;
    const secrets = openWebhookSecrets(seal, settings, now());
    const event =
      Buffer.isBuffer(request.body) && typeof signature === 'string'
        ? await readStripeWebhook(request.body, signature, secrets, now())
        : null;
    const gateway = event === null ? null : await gateways.of(settings);
    if (event === null || gateway === null) throw new RequestRefused('invalid_signature');
    const { provider, installation } = gateway;
    if (event.news !== null && !(await isHandled(lookups, provider.name, event.id))) {
      try {
        const booked = await bookNews(dependencies, provider, installation, event.news);
        if (booked !== 'ignored') await noteHandled(lookups, provider.name, event.id, now());
      } catch (error) {
        if (!(error instanceof ProviderAway || error instanceof ProviderRefused)) throw error;
        dependencies.onProviderProblem(error);
        throw new RequestRefused('provider_unavailable');
      }
    }
    return reply.send({ received: true });
  });
}
