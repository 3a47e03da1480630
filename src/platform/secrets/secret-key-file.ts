// The secret key that an embedded service makes for itself and keeps beside its database. Called by open-database.ts, under
// the folder's lock. Always true: only a start that finds no key and no set-up database makes one; it is whole or not
// there, and on disk before anything is sealed with it.

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function keptSecretKeyPath(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

/** null: there is none. */
export function findKeptSecretKey(dataDir: string): string | null {
  const path = keptSecretKeyPath(dataDir);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

export function makeKeptSecretKey(dataDir: string): string {
  const path = keptSecretKeyPath(dataDir);
  const key = randomBytes(32).toString('base64url');
  writeFileSync(`${path}.new`, `${key}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  // Without this a power cut may take the name back, after keys were sealed.
  const folder = openSync(dataDir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return key;
}
