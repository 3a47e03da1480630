// Opens the provider's page for a card top-up, or finds the page that an earlier attempt opened.

import type { Database } from '../../platform/database/database.ts';
import { publicId } from '../../shared/identifiers.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import { storeSession } from './topup-store.ts';
import type { ListedTopup } from './topup-table.ts';

export interface CheckoutTexts {
  readonly publicUrl: () => string;
  /** What the provider's page says that is paid for. */
  readonly description: () => string;
  readonly currency: string;
}

/** The panel's page where funds are added. */
export function topupsPageUrl(publicUrl: string): string {
  return `${publicUrl}/panel/top-ups`;
}

/** The panel's page of a top-up. It shows "being confirmed" until the payment is credited. */
function topupPageUrl(publicUrl: string, { accountId, number }: Pick<ListedTopup, 'accountId' | 'number'>) {
  return `${topupsPageUrl(publicUrl)}/${publicId(accountId, number)}`;
}

/** @throws ProviderAway, ProviderRefused */
export async function openCheckout(
  database: Database,
  { provider, installation }: PaymentGateway,
  topup: ListedTopup & { readonly providerKey: string; readonly expiresAt: number },
  { publicUrl, description, currency }: CheckoutTexts,
): Promise<ListedTopup> {
  const { accountId, number, providerKey, amountCents, expiresAt, returnUrl } = topup;
  const page = topupPageUrl(publicUrl(), topup);
  const session = await provider.openCheckout({
    topup: { installation, accountId, number, key: providerKey },
    amountCents,
    currency,
    description: description(),
    expiresAt,
    successUrl: returnUrl ?? `${page}?state=confirming`,
    cancelUrl: returnUrl ?? page,
  });
  await storeSession(database, topup, session);
  return { ...topup, sessionId: session.id, payUrl: session.url };
}
