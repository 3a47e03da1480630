import { hash } from 'node:crypto';

/** A hash does not reveal the parts. JSON keeps them apart, no matter what they contain. */
export function fingerprintOf(...parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
