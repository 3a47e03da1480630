// An HTTP server that treats requests as instructed: it answers, disconnects or stays silent. It counts executed orders, one
// per idempotency key.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Treatment =
  | 'answer'
  /** Disconnects before it does anything. */
  | 'drop before'
  /** Executes the order and disconnects. */
  | 'drop after'
  /** Executes the order and disconnects in the middle of the answer's body. */
  | 'half body'
  /** Executes the order and never answers. */
  | 'silence'
  /** Executes the order, but the client gets a proxy's error page. */
  | 'html 502'
  | 'html 200'
  | 'redirect'
  | `${number} ${string}`;

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HostileServer {
  readonly address: string;
  readonly requests: readonly SeenRequest[];
  readonly charges: () => number;
  treat(...treatments: readonly Treatment[]): void;
  close(): Promise<void>;
}

export async function startHostileServer(): Promise<HostileServer> {
  const requests: SeenRequest[] = [];
  const orders = new Map<string, number>();
  let plan: readonly Treatment[] = ['answer'];

  const server = createServer(async (request, response) => {
    const [treatment = 'answer', ...rest] = plan;
    if (rest.length > 0) plan = rest;
    const { method = '', url = '', headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    if (treatment === 'drop before') return void request.socket.destroy();
    // A treatment such as "429 rate_limited" refuses the request without any effect.
    const [, status, code] = /^(\d{3}) (\w+)/.exec(treatment) ?? [];
    if (status !== undefined) {
      const seconds = /retry after (.+)$/.exec(treatment)?.[1];
      if (seconds !== undefined) response.setHeader('retry-after', seconds);
      return sendJson(response, Number(status), {
        error: { code, message: 'Refused.', details: { reason: 'test' } },
      });
    }
    const key = String(headers['idempotency-key'] ?? `none ${requests.length}`);
    const replayed = orders.has(key);
    if (method === 'POST' && !replayed) orders.set(key, orders.size + 1);
    carriedOut(treatment, response, { order: { id: orders.get(key) ?? 0 }, balance: '1.00' }, replayed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    charges: () => orders.size,
    treat(...treatments) {
      plan = treatments;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function carriedOut(treatment: Treatment, response: ServerResponse, body: object, replayed: boolean): void {
  switch (treatment) {
    case 'drop after':
      response.socket?.destroy();
      return;
    case 'silence':
      return;
    case 'half body': {
      const text = JSON.stringify(body);
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': text.length });
      response.write(text.slice(0, 10), () => response.socket?.destroy());
      return;
    }
    case 'html 502':
    case 'html 200':
      response.writeHead(Number(treatment.slice(5)), { 'content-type': 'text/html' }).end('<h1>Oops</h1>');
      return;
    case 'redirect':
      response.writeHead(301, { location: 'https://elsewhere.example/' }).end();
      return;
    default:
      if (replayed) response.setHeader('idempotent-replayed', 'true');
      sendJson(response, 201, body);
  }
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
