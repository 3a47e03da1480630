// A port for a server that has to be told one, and that may be stopped and started again on it. Called by what starts
// throwaway servers, and by tests.
// Always true: it is none of those that the system gives to outgoing connections. One of these would be taken in the moment
// before the server listens, or between two starts of it, by whatever connection is made on the machine, now and then by
// one to the server itself; and the server would not start.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Linux gives those from 32,768 on, other systems those from 49,152 on; few well-known services are beyond 20,000. */
const first = 20_000;
const behindLast = 32_768;
const triesMax = 100;

/** One that nobody listens on at 127.0.0.1 at this moment. */
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
