// A TCP proxy that loses answers: it cuts the client's connection before or in the middle of the answer.

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';

export interface CuttingProxy {
  readonly address: string;
  readonly cuts: () => number;
  /** Cuts the next `count` answers to POST requests. Other requests, such as health checks, pass. */
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
      // A request's head is at the start of a piece, because clients wait for each answer.
      if (/^[A-Z]+ \/\S* HTTP\//.test(bytes.toString('latin1', 0, 300)))
        isPost = bytes.toString('latin1', 0, 5) === 'POST ';
      service.write(bytes);
    });
    service.on('data', (bytes) => {
      if (left === 0 || !isPost) return void client.write(bytes);
      left -= 1;
      cuts += 1;
      // The whole answer arrives in one piece. `middle` forwards its head and the first 40 bytes of the rest.
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
