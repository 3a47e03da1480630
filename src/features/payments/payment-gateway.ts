// The payment provider as it is set up now: its client, and the name by which it knows this service.

import type { Database } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { PaymentProvider } from './payment-provider.ts';
import { demoCardKey, findPaymentSettings, openCardKey, type PaymentSettings } from './payment-settings.ts';
import { createStripeProvider } from './stripe-provider.ts';

export interface PaymentGateway {
  readonly provider: PaymentProvider;
  readonly installation: string;
}

export interface PaymentGateways {
  /** null: no provider is set up. Also returned if cards are off, because earlier payments go on. */
  of(settings: PaymentSettings): Promise<PaymentGateway | null>;
  current(): Promise<PaymentGateway | null>;
}

export function createPaymentGateways(parts: {
  readonly database: Database;
  readonly seal: Seal;
  readonly stripeApiBase: string | null;
  /** The address of the demo's stand-in; null: this process has none. */
  readonly demoApiBase: () => string | null;
}): PaymentGateways {
  const { database, seal, stripeApiBase, demoApiBase } = parts;
  let made: { readonly cardKeySealed: string; readonly provider: PaymentProvider } | null = null;

  async function of({ cardKeySealed, installation }: PaymentSettings): Promise<PaymentGateway | null> {
    if (cardKeySealed === null) return null;
    if (made?.cardKeySealed !== cardKeySealed) {
      const secretKey = openCardKey(seal, cardKeySealed);
      const apiBase = secretKey === demoCardKey ? demoApiBase() : stripeApiBase;
      if (secretKey === demoCardKey && apiBase === null) return null;
      made = { cardKeySealed, provider: await createStripeProvider({ secretKey, apiBase }) };
    }
    return { provider: made.provider, installation };
  }

  return { of, current: async () => of(await findPaymentSettings(database)) };
}
