// Erases a customer after switching auto-renewal off, which only the engine may do.

import type { AuditAuthor } from '../../platform/audit-log/actor.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Seal } from '../../platform/secrets/seal.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import { mintOrderKey } from '../order-engine/mint-order-key.ts';
import type { OrderEngine } from '../order-engine/order-engine.ts';
import { submitForAccount } from '../order-engine/submit-for-account.ts';
import { type EraseOutcome, type Erasure, eraseCustomer } from './erase-customer.ts';

/** Another request may switch auto-renewal on again meanwhile. */
const attemptsMax = 3;

export async function eraseOnceIdle(
  {
    database,
    engine,
    seal,
  }: { readonly database: Database; readonly engine: OrderEngine; readonly seal: Seal },
  erasure: Erasure,
  {
    byParty,
    ...author
  }: AuditAuthor & { readonly actorId: number; readonly byParty: 'account' | 'operator' },
  around: { readonly now: EpochSeconds; readonly realNow: EpochSeconds },
): Promise<EraseOutcome> {
  const { accountId, number: customerNumber } = erasure;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await eraseCustomer(database, erasure, author, { ...around, seal });
    if (outcome.type !== 'renews_itself' || attempts === attemptsMax) return outcome;
    await submitForAccount(database, accountId, ({ accessVersion }) =>
      engine.submit({
        ...{ type: 'set_auto_renew', autoRenew: null, accountId, accessVersion, customerNumber, byParty },
        ...{ actorId: author.actorId, by: author.by ?? null },
        ...{ idempotencyKey: mintOrderKey(), keyIsMinted: true },
      }),
    );
  }
}
