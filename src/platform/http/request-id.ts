// The id of a request, which its answer, its line of the log and its line of the request log have.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The client's X-Request-Id when it is harmless in a log line, otherwise a new one. */
export function requestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(sent) ? sent : randomUUID();
}
