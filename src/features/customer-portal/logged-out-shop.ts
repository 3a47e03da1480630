// Lets the customer's page name the shop for ten minutes after logout.
// Invariant: the value is sealed. Visitors can neither read the account's number nor make the page name another shop.

import type { Seal } from '../../platform/secrets/seal.ts';
import type { EpochSeconds } from '../../shared/times.ts';

export const loggedOutShopSeconds = 600;
const sealContext = 'shop of the logged-out page';

/** The value of the cookie that logout sets. */
export function sealLoggedOutShop(seal: Seal, accountId: number, now: EpochSeconds): string {
  return seal.seal(`${accountId} ${now + loggedOutShopSeconds}`, sealContext);
}

/** The number of the account; null if the value has expired or was not sealed here. */
export function openLoggedOutShop(seal: Seal, value: string, now: EpochSeconds): number | null {
  try {
    const [accountId = 0, until = 0] = seal.open(value, sealContext).split(' ').map(Number);
    return until > now ? accountId : null;
  } catch {
    return null;
  }
}
