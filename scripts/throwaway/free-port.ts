// Finds a free port for a server that may be restarted on it.
// Invariant: the port is outside the range for outgoing connections, which could take it before the server listens.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Outgoing connections use ports from 32,768 on Linux, from 49,152 elsewhere. Few services use ports above 20,000. */
const first = 20_000;
const behindLast = 32_768;
const triesMax = 100;

export async function freePort(): Promise<number> {
  for (let tried = 0; tried < triesMax; tried += 1) {
    const port = randomInt(first, behindLast);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
  throw new Error(`None of ${triesMax} ports between ${first} and ${behindLast} is free.`);
}
