// A TCP proxy that cuts connections: before the service receives the request, before its answer, or in the middle of it.

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';

type Cut = 'request' | 'before' | 'middle';

export interface CuttingProxy {
  readonly address: string;
  readonly cuts: () => number;
  /** Cuts the next `count` answers to POST requests. Other requests, such as health checks, pass. */
  cutAnswers(count: number, where: 'before' | 'middle'): void;
  /** Cuts the next POST requests, one after another: `request` before the service receives it, the others in its answer. */
  cut(...places: readonly Cut[]): void;
  close(): Promise<void>;
}

export async function startCuttingProxy(serviceAddress: string): Promise<CuttingProxy> {
  const target = new URL(serviceAddress);
  const sockets = new Set<Socket>();
  let plan: readonly Cut[] = [];
  let cuts = 0;
  const nextCut = (): Cut | undefined => {
    const [place, ...rest] = plan;
    plan = rest;
    if (place !== undefined) cuts += 1;
    return place;
  };

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
      if (isPost && plan[0] === 'request') {
        nextCut();
        client.destroy();
      } else service.write(bytes);
    });
    service.on('data', (bytes) => {
      const place = isPost ? nextCut() : undefined;
      if (place === undefined) return void client.write(bytes);
      // The whole answer arrives in one piece. `middle` forwards its head and the first 40 bytes of the rest.
      if (place === 'middle')
        client.write(bytes.subarray(0, bytes.indexOf('\r\n\r\n') + 40), () => client.destroy());
      else client.destroy();
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    address: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cuts: () => cuts,
    cutAnswers(count, where) {
      plan = Array<Cut>(count).fill(where);
    },
    cut(...places) {
      plan = places;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.close();
      await once(listener, 'close');
    },
  };
}
