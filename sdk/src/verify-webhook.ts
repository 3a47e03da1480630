// Verifies webhook deliveries (Standard Webhooks) on the receiving server. Uses only Web Crypto, which every runtime has
// (Node since 18).

import type { KnownEvent } from './api-types.ts';

/** Header names may have any case: pass Node's `request.headers` or fetch's `Headers`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifiedWebhook =
  | KnownEvent
  | {
      id: null;
      type: 'webhook.test';
      created_at: string;
      account_id: number | null;
      data: { webhook: { id: number; url: string } };
    };

/** The delivery does not come from the service, or is too old. Answer 400, and the service sends it again. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const toleranceSeconds = 300;

/**
 * Returns the event if `secret` signed it within the last five minutes. `body` must be the unparsed text. During a rotation
 * both secrets work. @throws WebhookVerificationError
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<VerifiedWebhook> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(Date.now() / 1_000 - seconds) <= toleranceSeconds)) {
    throw new WebhookVerificationError('webhook-timestamp is more than five minutes away: check the clock.');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const subtle = await webCrypto();
  const key = await subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  for (const signature of signatures.split(' ')) {
    const [version, encoded = ''] = signature.split(',');
    if (version !== 'v1') continue;
    // `verify` compares in constant time.
    const isOurs = await subtle.verify('HMAC', key, decoded(encoded) ?? new Uint8Array(), signed);
    if (isOurs) return JSON.parse(text) as VerifiedWebhook;
  }
  throw new WebhookVerificationError(
    'No signature is of this secret: check the secret, and that the body is as it came.',
  );
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    'get' in headers && typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') {
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  }
  return value;
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(secret.replace(/^whsec_/, ''));
  if (bytes === null || bytes.length === 0) throw new TypeError('A secret looks like whsec_….');
  return bytes;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}

async function webCrypto(): Promise<SubtleCrypto> {
  if (globalThis.crypto?.subtle !== undefined) return globalThis.crypto.subtle;
  // Node 18 has no global crypto. The module's name is in a variable, so that bundlers do not resolve it.
  const name = 'node:crypto';
  const { webcrypto } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as {
    webcrypto: Crypto;
  };
  return webcrypto.subtle;
}
