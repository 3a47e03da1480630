// API keys: "sk_live_", or "sk_test_" of test mode, 40 random base62 characters, 6 of checksum (decisions "API key"). The checksum lets
// a mistyped or made-up key be refused without a look-up. Stored as a hash for look-up and as a sealed
// copy (seal.ts) for the account's own eyes.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, randomBase62 } from '../../platform/secrets/random-text.ts';

const randomLength = 40;
const checksumLength = 6;
const shape = /^sk_(?:live|test)_[0-9A-Za-z]{46}$/;

/** Whether it reaches the account, or its test account. */
export type KeyMode = 'live' | 'test';

export function mintApiKey(mode: KeyMode): string {
  const body = `sk_${mode}_${randomBase62(randomLength)}`;
  return body + checksumOf(body);
}

/** Whether it has the shape and the checksum of a key that was once minted here: of this mode, or of any. */
export function isApiKey(text: string, mode: KeyMode | 'any'): boolean {
  if (mode !== 'any' && !text.startsWith(`sk_${mode}_`)) return false;
  return shape.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** What the key is looked up by. A key has 238 random bits: a plain hash cannot be turned back. */
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
