// A real server on the loopback that does with each request what a test says, down to the bytes and the TLS handshake.
// For tests of src/features/webhooks/: what an address that somebody typed in may do to the service.
// Always true: `allGone` and `close` wait for the other side: they hang if it keeps a connection.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** One request that has arrived whole, and the connection that it came on. */
export interface RudeRequest {
  readonly socket: Socket;
  readonly head: string;
  readonly body: string;
  /** Counts all requests of the server, from 1. */
  readonly number: number;
}

export interface RudeServer {
  readonly port: number;
  readonly requests: readonly RudeRequest[];
  /** How many connections were ever opened. */
  connections(): number;
  /** All connections are closed. */
  allGone(): Promise<void>;
  close(): Promise<void>;
}

export interface RudeServerOptions {
  readonly answer?: (request: RudeRequest) => void;
  /** Done with each connection before anything is read. */
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
  // The raw connection, which is there even where a handshake fails.
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
