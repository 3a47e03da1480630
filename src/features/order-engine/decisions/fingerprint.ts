// What is kept of a request to tell a replay from another request with the same key.

import { hash } from 'node:crypto';

/**
 * What makes two requests the same (decisions "Same data"), as a hash: orders never change, and a hash
 * tells nothing about the customer. JSON keeps the parts apart, whatever they contain.
 */
export function fingerprintOf(...parts: readonly (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}
