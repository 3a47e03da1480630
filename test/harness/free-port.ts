// Where a program that must be told its port can listen, and whether it does.

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** One that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Whatever its answer is. */
export async function isAnswering(address: string): Promise<boolean> {
  try {
    await (await fetch(address)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
