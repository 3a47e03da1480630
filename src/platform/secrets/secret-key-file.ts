// The secret key that an embedded service creates beside its database.
// Invariant: created only when neither a key nor a database exists; complete and fsynced before anything is sealed with it.

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function keptSecretKeyPath(dataDir: string): string {
  return join(dataDir, 'secret.key');
}

export function findKeptSecretKey(dataDir: string): string | null {
  const path = keptSecretKeyPath(dataDir);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

export function makeKeptSecretKey(dataDir: string): string {
  const path = keptSecretKeyPath(dataDir);
  const key = randomBytes(32).toString('base64url');
  writeFileSync(`${path}.new`, `${key}\n`, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
  // Otherwise a power cut could undo the rename after keys were sealed.
  const folder = openSync(dataDir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
  return key;
}
