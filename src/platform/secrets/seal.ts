// Seals texts with AES-256-GCM under a key derived from SECRET_KEY. A sealed text names its key, "name.text", so that
// SECRET_KEY can be replaced: SECRET_KEY_PREVIOUS opens what it sealed, until all of it is sealed anew
// (setup/reseal.ts). Texts without a name were sealed before there were names.
// Always true: a name says nothing about its key; a text opens only with the context it was sealed with.

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
  /** The name of the key that seals. */
  readonly keyName: string;
  /** Of every key that opens here: that one, and the previous one where there is one. */
  readonly keyNames: readonly string[];
  /** Under SECRET_KEY; `context` must be the same to open it. */
  seal(text: string, context: string): string;
  /** @throws when it was sealed under a key that is not known here, or under another context, or was changed */
  open(sealed: string, context: string): string;
  /** `current`: under SECRET_KEY, and by name; `unreadable`: no key that is known here opens it. */
  stateOf(sealed: string, context: string): 'current' | 'unnamed' | 'previous' | 'unreadable';
  /** What only a service with this SECRET_KEY can have written under the text: 22 letters, the same each time. */
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
}

/** A table's column of sealed texts, for whoever walks through all of them. */
export interface SealedTexts {
  /** Of the rows behind this id, the next few by id. */
  list(database: Queryable, after: number): Promise<SealedText[]>;
  /** Those that are still what they were; the others changed meanwhile. */
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

/** As three arrays, for `unnest`. */
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
