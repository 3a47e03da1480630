// Counts sealed texts by key, and reseals them under SECRET_KEY. It replaces a few texts at a time, each only if unchanged,
// so it can run beside busy services, be killed and be repeated.
// Invariant: a text is replaced only by its own plaintext, sealed again.

import { sealedSecrets } from '../features/auth/totp-store.ts';
import { sealedProductSecrets } from '../features/fulfillment/product-settings.ts';
import { sealedKeys } from '../features/identity/api-key-rows.ts';
import { sealedErasures } from '../features/order-engine/records/erasure-rows.ts';
import { sealedPaymentSecrets } from '../features/payments/payment-settings.ts';
import { sealedWebhookSecrets } from '../features/webhooks/webhook-store.ts';
import { type Database, DatabaseUnavailable, ranked } from '../platform/database/database.ts';
import { sealedMails } from '../platform/mail/mail-outbox.ts';
import type { Seal, SealedText } from '../platform/secrets/seal.ts';
import { listSessionsWithoutKey } from '../platform/secrets/secret-key-sessions.ts';
import { resealCheck } from '../platform/secrets/service-state.ts';

/** The request to the running embedded service. It also has the name of the key to use. */
export const resealWish = { wish: 'reseal' } as const;

const everySealedText = [
  sealedKeys,
  sealedSecrets,
  sealedProductSecrets,
  sealedPaymentSecrets,
  sealedMails,
  sealedErasures,
  ...sealedWebhookSecrets,
];

export interface SealedCount {
  readonly current: number;
  /** Sealed under SECRET_KEY, before sealed texts named their key. */
  readonly unnamed: number;
  readonly previous: number;
  readonly unreadable: number;
}

export async function countSealed(database: Database, seal: Seal): Promise<SealedCount> {
  const count = { current: 0, unnamed: 0, previous: 0, unreadable: 0 };
  for (const texts of everySealedText) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const found: SealedText[] = await texts.list(database, after);
      for (const { sealed, context } of found) count[seal.stateOf(sealed, context)] += 1;
      after = found.at(-1)?.id;
    }
  }
  return count;
}

export interface Resealed extends SealedCount {
  readonly resealed: number;
}

/** Services go on sealing meanwhile. A service with the old key would make this endless. */
const passesMax = 10;

export class ResealRefused extends Error {
  override readonly name = 'ResealRefused';
}

/** Repeats until a pass changes nothing. @throws ResealRefused; DatabaseUnavailable if the last pass still changed texts */
export async function resealTexts(database: Database, seal: Seal): Promise<Resealed> {
  let resealed = 0;
  for (let pass = 0; pass < passesMax; pass += 1) {
    // Checked before every pass, because a service may have started meanwhile.
    await refuseWhileSessionsLackKey(database, seal);
    const changed = await resealOnce(database, seal);
    resealed += changed;
    if (changed > 0) continue;
    await resealCheck(ranked(database, 'changes'), seal);
    return { resealed, ...(await countSealed(database, seal)) };
  }
  throw new DatabaseUnavailable(
    'a process still encrypts with the old key. Give every process the new SECRET_KEY first.',
  );
}

async function refuseWhileSessionsLackKey(database: Database, { keyName }: Seal): Promise<void> {
  const sessions = database.kind === 'embedded' ? [] : await listSessionsWithoutKey(database, keyName);
  if (sessions.length === 0) return;
  throw new ResealRefused(
    `These processes do not have the new SECRET_KEY and could not read what is sealed with it: ${sessions.join('; ')}. Restart them with it, as SECRET_KEY or SECRET_KEY_PREVIOUS, and run this again.`,
  );
}

async function resealOnce(database: Database, seal: Seal): Promise<number> {
  let count = 0;
  for (const texts of everySealedText) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const found: SealedText[] = await texts.list(database, after);
      const old = found.filter(({ sealed, context }) =>
        ['previous', 'unnamed'].includes(seal.stateOf(sealed, context)),
      );
      const changes = old.map(({ id, sealed, context }) => ({
        id,
        from: sealed,
        to: seal.seal(seal.open(sealed, context), context),
      }));
      if (changes.length > 0) await texts.replace(ranked(database, 'changes'), changes);
      count += changes.length;
      after = found.at(-1)?.id;
    }
  }
  return count;
}
