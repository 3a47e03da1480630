// API keys: "sk_live_", 40 random base62 characters, 6 of checksum (decisions "API key"). The checksum lets
// a mistyped or made-up key be refused without a look-up. Stored as a hash for look-up and as a sealed
// copy for the account's own eyes.

import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'sk_live_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 40;
const checksumLength = 6;
const shape = /^sk_live_[0-9A-Za-z]{46}$/;

export function mintApiKey(): string {
  const body = prefix + randomBase62(randomLength);
  return body + checksumOf(body);
}

/** Whether it has the shape and the checksum of a key that was once minted here. */
export function isApiKey(text: string): boolean {
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
    text = alphabet.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** Base62 characters without bias: bytes above 247 are thrown away. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** Seals texts with AES-256-GCM under a key derived from SECRET_KEY; `context` must be the same to open them. */
export interface Seal {
  seal(text: string, context: string): string;
  /** @throws when the text was sealed under another SECRET_KEY or context, or was changed */
  open(sealed: string, context: string): string;
}

export function createSeal(secretKey: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secretKey, 'sellthrough', 'sealed texts', 32));
  return {
    seal(text, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    },
  };
}
