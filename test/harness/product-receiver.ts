import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, never>> & {
    readonly account: { readonly id: number };
    readonly order_id: number | null;
    readonly customer: { readonly reference: string };
    readonly status: string;
  };
}

/** null never answers; `cut` disconnects without an answer. */
export type ProductAnswer = { readonly status: number; readonly body?: string } | 'cut' | null;

export interface ProductReceiver {
  readonly url: string;
  readonly secret: string;
  readonly calls: readonly ReceivedCall[];
  /** Calls that have a wrong signature, id or time. */
  readonly forged: readonly string[];
  answer(how: (call: ReceivedCall) => ProductAnswer): void;
  waitFor(count: number, which?: (call: ReceivedCall) => boolean): Promise<readonly ReceivedCall[]>;
  hanging(): number;
  close(): Promise<void>;
}

export async function startProductReceiver(): Promise<ProductReceiver> {
  const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const calls: ReceivedCall[] = [];
  const forged: string[] = [];
  const waiting = new Set<() => void>();
  const hanging = new Set<ServerResponse>();
  let answerOf: (call: ReceivedCall) => ProductAnswer = () => ({ status: 200 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers;
      const call: ReceivedCall = JSON.parse(body);
      const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
      if (signature !== `v1,${expected}` || id !== call.id || !/^\d{10}$/.test(String(at))) forged.push(body);
      calls.push(call);
      const answered = answerOf(call);
      if (answered === null) {
        hanging.add(response);
        response.on('close', () => hanging.delete(response));
      } else if (answered === 'cut') response.destroy();
      else
        response.writeHead(answered.status, { 'content-type': 'application/json' }).end(answered.body ?? '');
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/calls`,
    secret,
    calls,
    forged,
    answer(how) {
      answerOf = how;
    },
    waitFor: (count, which = () => true) =>
      new Promise((resolve) => {
        const look = () => {
          const found = calls.filter(which);
          if (found.length < count) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    hanging: () => hanging.size,
    async close() {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
