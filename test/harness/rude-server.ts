// A server on loopback that treats each request as instructed, down to single bytes and the TLS handshake.
// Invariant: `allGone` and `close` wait for the other side, so they hang if it keeps a connection.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface RudeRequest {
  readonly socket: Socket;
  readonly head: string;
  readonly body: string;
  /** Counts the server's requests from 1. */
  readonly number: number;
}

export interface RudeServer {
  readonly port: number;
  readonly requests: readonly RudeRequest[];
  connections(): number;
  allGone(): Promise<void>;
  close(): Promise<void>;
}

export interface RudeServerOptions {
  readonly answer?: (request: RudeRequest) => void;
  readonly greet?: (socket: Socket) => void;
  readonly tls?: TlsOptions;
  readonly address?: string;
}

export async function startRudeServer({
  answer = ({ socket }) => void socket.write(plainAnswer),
  greet = () => {},
  tls,
  address = '127.0.0.1',
}: RudeServerOptions = {}): Promise<RudeServer> {
  const requests: RudeRequest[] = [];
  const closed: Promise<unknown>[] = [];

  const onConnection = (socket: Socket): void => {
    socket.on('error', () => {});
    greet(socket);
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (;;) {
        const [, head = '', rest = ''] = /^([\s\S]*?\r\n)\r\n([\s\S]*)$/.exec(text) ?? [];
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        if (head === '' || rest.length < length) return;
        text = rest.slice(length);
        const body = Buffer.from(rest.slice(0, length), 'latin1').toString();
        const request = { socket, head, body, number: requests.length + 1 };
        requests.push(request);
        answer(request);
      }
    });
  };

  const server: Server = tls === undefined ? createServer(onConnection) : createTlsServer(tls, onConnection);
  // The raw connection exists even if the TLS handshake fails.
  server.on('connection', (socket: Socket) => closed.push(once(socket, 'close').catch(() => {})));
  server.on('tlsClientError', () => {});
  server.listen(0, address);
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => closed.length,
    allGone: async () => void (await Promise.all(closed)),
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

export const plainAnswer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
