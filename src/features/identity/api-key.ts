// API keys: "sk_live_" or "sk_test_", 40 random base62 characters, and a checksum of 6 by which mistyped and invented keys
// are refused without a look-up. A sealed copy (seal.ts) lets the account see its key.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from '../../platform/secrets/random-text.ts';

const randomLength = 40;
const checksumLength = 6;
const shape = /^sk_(?:live|test)_[0-9A-Za-z]{46}$/;

export type KeyMode = 'live' | 'test';

export function mintApiKey(mode: KeyMode): string {
  const body = `sk_${mode}_${randomBase62(randomLength)}`;
  return body + checksumOf(body);
}

export function isApiKey(text: string, mode: KeyMode | 'any'): boolean {
  if (mode !== 'any' && !text.startsWith(`sk_${mode}_`)) return false;
  return shape.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The lookup hash. A key has 238 random bits, so even a plain hash cannot be reversed. */
export function lookupHash(key: string): string {
  return hash('sha256', key, 'base64url');
}

export function lastFour(key: string): string {
  return key.slice(-4);
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let index = 0; index < checksumLength; index += 1) {
    text = base62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
