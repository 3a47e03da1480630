import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The client's X-Request-Id if it is safe to log, else a new id. */
export function requestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(sent) ? sent : randomUUID();
}
