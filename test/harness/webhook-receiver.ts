// An endpoint on loopback that records requests and answers as instructed.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an event of any type
  readonly event: any;
}

export type Answering = (received: Received, response: ServerResponse) => number | null;

export interface ReceivedAt {
  readonly url: string;
  readonly received: Received[];
  answer: Answering;
  /** The ids of the received events, in order of arrival. */
  ids(): number[];
  /** Waits for this many requests. Fails after a long time. */
  gets(count: number): Promise<readonly Received[]>;
}

export interface WebhookReceiver {
  at(path: string): ReceivedAt;
  close(): Promise<void>;
}

const patienceMilliseconds = 60_000;

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const paths = new Map<string, ReceivedAt>();
  let onReceived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      const path = request.url ?? '';
      const place = paths.get(path);
      const one = { path, headers: request.headers, text, event: JSON.parse(text) };
      place?.received.push(one);
      onReceived.resolve();
      onReceived = Promise.withResolvers();
      const status = place === undefined ? 404 : place.answer(one, response);
      if (status === null) return;
      response.writeHead(status, { 'content-type': 'text/plain' }).end(`answer ${status}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function make(path: string): ReceivedAt {
    const received: Received[] = [];
    return {
      url: `${root}${path}`,
      received,
      answer: () => 200,
      ids: () => received.map(({ event }) => event.id),
      async gets(count) {
        const until = performance.now() + patienceMilliseconds;
        while (received.length < count) {
          const left = until - performance.now();
          assert.ok(left > 0, `${received.length} of ${count} requests came`);
          const late = Promise.withResolvers<void>();
          const timer = setTimeout(late.resolve, left);
          await Promise.race([onReceived.promise, late.promise]);
          clearTimeout(timer);
        }
        return received;
      },
    };
  }

  return {
    at(path) {
      const known = paths.get(path) ?? make(path);
      paths.set(path, known);
      return known;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
