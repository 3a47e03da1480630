// A TCP proxy between a client and the service that loses the answer: the service hears the whole request, carries it
// out and answers; the client's connection is cut when the answer arrives, before any of it or in its middle.
// Always true: what is not cut is forwarded byte for byte.

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly address: string;
  /** How many answers were cut so far. */
  readonly cuts: () => number;
  /** Cuts the next `count` answers to POSTs; health checks of a proxy in between pass. */
  cutAnswers(count: number, where: 'before' | 'middle'): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(serviceAddress: string): Promise<CuttingProxy> {
  const target = new URL(serviceAddress);
  const sockets = new Set<Socket>();
  let left = 0;
  let place: 'before' | 'middle' = 'before';
  let cuts = 0;

  const listener = createServer((client) => {
    const service = openSocket({ host: target.hostname, port: Number(target.port) });
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    let isPost = false;
    client.on('data', (bytes) => {
      // A head begins a piece of its own: clients wait for each answer.
      if (/^[A-Z]+ \/\S* HTTP\//.test(bytes.toString('latin1', 0, 300)))
        isPost = bytes.toString('latin1', 0, 5) === 'POST ';
      service.write(bytes);
    });
    service.on('data', (bytes) => {
      if (left === 0 || !isPost) return void client.write(bytes);
      left -= 1;
      cuts += 1;
      // An answer is small and arrives in one piece: its head and the first half of its body.
      if (place === 'before') client.destroy();
      else client.write(bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 40), () => client.destroy());
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    address: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cuts: () => cuts,
    cutAnswers(count, where) {
      left = count;
      place = where;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
