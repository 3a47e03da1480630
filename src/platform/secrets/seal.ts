// Seals texts with AES-256-GCM under a key derived from SECRET_KEY. A sealed text is "keyname.text" (the oldest have no
// name): SECRET_KEY_PREVIOUS opens older texts until setup/reseal.ts has resealed them.
// Invariant: a key's name reveals nothing about the key. A text opens only with the context that it was sealed for.

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Queryable } from '../database/database.ts';
import { numberArray, textArray } from '../database/sql-arrays.ts';

export interface Seal {
  readonly keyName: string;
  /** The current key, and the previous one if set. */
  readonly keyNames: readonly string[];
  seal(text: string, context: string): string;
  /** @throws on an unknown key, another context, or a changed text */
  open(sealed: string, context: string): string;
  /** `current`: sealed under SECRET_KEY, with the key's name. `unreadable`: no known key opens it. */
  stateOf(sealed: string, context: string): 'current' | 'unnamed' | 'previous' | 'unreadable';
  /** A MAC under SECRET_KEY: 22 characters, deterministic. */
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
}

export interface SealedTexts {
  list(database: Queryable, after: number): Promise<SealedText[]>;
  /** Skips texts that changed meanwhile. */
  replace(database: Queryable, changes: readonly SealedChange[]): Promise<void>;
}

export interface SealedText {
  readonly id: number;
  readonly sealed: string;
  readonly context: string;
}

export interface SealedChange {
  readonly id: number;
  readonly from: string;
  readonly to: string;
}

export function sealedChangeValues(changes: readonly SealedChange[]): readonly unknown[] {
  return [
    numberArray(changes.map(({ id }) => id)),
    textArray(changes.map(({ from }) => from)),
    textArray(changes.map(({ to }) => to)),
  ];
}

interface SealingKey {
  readonly name: string;
  readonly key: Buffer;
  readonly signingKey: Buffer;
}

export function createSeal(secretKey: string, previousKey: string | null = null): Seal {
  const current = sealingKey(secretKey);
  const keys = previousKey === null ? [current] : [current, sealingKey(previousKey)];

  function openWith(sealed: string, context: string): { text: string; by: SealingKey; isNamed: boolean } {
    const [, name, rest = sealed] = /^([\w-]{8})\.(.*)$/s.exec(sealed) ?? [];
    let problem: unknown = new Error('It is sealed under a key that is not known here.');
    for (const by of keys) {
      if (name !== undefined && name !== by.name) continue;
      try {
        return { text: decipher(by.key, rest, context), by, isNamed: name !== undefined };
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  return {
    keyName: current.name,
    keyNames: keys.map(({ name }) => name),
    seal: (text, context) => `${current.name}.${encipher(current.key, text, context)}`,
    open: (sealed, context) => openWith(sealed, context).text,
    stateOf(sealed, context) {
      try {
        const { by, isNamed } = openWith(sealed, context);
        if (by !== current) return 'previous';
        return isNamed ? 'current' : 'unnamed';
      } catch {
        return 'unreadable';
      }
    },
    sign: (text) => signature(current, text),
    isSigned: (text, sent) =>
      keys.some((key) => {
        const [expected, found] = [Buffer.from(signature(key, text)), Buffer.from(sent)];
        return expected.length === found.length && timingSafeEqual(expected, found);
      }),
  };
}

function sealingKey(secretKey: string): SealingKey {
  const derived = (purpose: string, length: number) =>
    Buffer.from(hkdfSync('sha256', secretKey, 'sellthrough', purpose, length));
  return {
    name: derived('name of the key', 6).toString('base64url'),
    key: derived('sealed texts', 32),
    signingKey: derived('signatures', 32),
  };
}

function signature({ signingKey }: SealingKey, text: string): string {
  return createHmac('sha256', signingKey).update(text).digest().subarray(0, 16).toString('base64url');
}

function encipher(key: Buffer, text: string, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

function decipher(key: Buffer, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const opening = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([opening.update(bytes.subarray(28)), opening.final()]).toString('utf8');
}
