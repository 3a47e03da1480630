// Tokens of links, sessions and codes: only hashes are stored, so nobody can log in with what is read from the database.

import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits for a link, a session or a code, and the hash under which they are kept. */
export function mintToken(): { token: string; tokenHash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashToken(token) };
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** 43 characters of base64url: anything else was never handed out. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
