// A server that records the signed requests of a service that is killed. It checks signatures itself.

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface SignedRequest {
  readonly path: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
}

export type SignedAnswer = { readonly status: number; readonly body?: string } | null;

export interface SignedServer {
  readonly address: string;
  readonly forged: readonly string[];
  goAway(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

const forgedMax = 20;

/** `secretOf`: the secret for a path; null if no request may arrive there. */
export async function startSignedServer(
  secretOf: (path: string) => string | null,
  answer: (request: SignedRequest) => SignedAnswer,
): Promise<SignedServer> {
  const forged: string[] = [];
  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // Aborted requests have no end and were not received.
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name]);
      const received = {
        path: request.url ?? '',
        id: header('webhook-id'),
        timestamp: header('webhook-timestamp'),
        signature: header('webhook-signature'),
        body: Buffer.concat(chunks).toString(),
      };
      const secret = secretOf(received.path);
      if ((secret === null || !isSigned(received, secret)) && forged.length < forgedMax) {
        forged.push(`Not signed as it must be: ${JSON.stringify(received)}`);
      }
      const given = answer(received);
      if (given === null) {
        hanging.add(response.on('close', () => hanging.delete(response)));
        return;
      }
      response.writeHead(given.status, { 'content-type': 'application/json' }).end(given.body ?? '');
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  let away: Promise<void> | null = null;

  async function leave(): Promise<void> {
    const closed = once(server, 'close');
    server.close();
    for (const response of hanging) response.destroy();
    server.closeAllConnections();
    await closed;
  }

  return {
    address: `http://127.0.0.1:${port}`,
    forged,
    goAway(milliseconds) {
      away ??= (async () => {
        await leave();
        await pause(milliseconds);
        server.listen(port, '127.0.0.1');
        await once(server, 'listening');
      })().finally(() => {
        away = null;
      });
      return away;
    },
    async close() {
      await away;
      await leave();
    },
  };
}

/** Checks the signature with node:crypto only, so that the service's own code is not trusted. */
function isSigned({ id, timestamp, signature, body }: SignedRequest, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return /^\d{10,}$/.test(timestamp) && signature === `v1,${expected}`;
}
