// A stand-in for Valkey that answers script calls by limit-model.ts. It can also be silent or send errors or nonsense.

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { readValkeyUrl, type ValkeyAddress } from '../../src/platform/limits/valkey-address.ts';
import { createLimitModel, type LimitModel } from './limit-model.ts';

export interface LimitStandIn {
  readonly url: string;
  readonly address: ValkeyAddress;
  readonly model: LimitModel;
  now: () => number;
  manner: 'model' | 'silence' | `error ${string}` | 'text';
  info: readonly string[];
  /** The operations of each received call, such as "take 1 1 0 …". Empty calls, which only probe it, are left out. */
  readonly calls: string[];
  count(): number;
  restart(): void;
  close(): Promise<void>;
}

export async function startLimitStandIn(): Promise<LimitStandIn> {
  const sockets = new Set<Socket>();
  const model = createLimitModel();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let text = '';
    // Latin 1 keeps one character per byte.
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
      for (;;) {
        const read = readCommand(text);
        if (read === null) return;
        text = text.slice(read.length);
        const reply = answer(read.words);
        if (reply !== null) socket.write(reply);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `redis://127.0.0.1:${port}/0`;
  const address = readValkeyUrl(url);
  if (address === null) throw new Error('The stand-in has no address.');

  function answer([name = '', ...rest]: readonly string[]): string | null {
    if (name.toUpperCase() === 'INFO') {
      const said = standIn.info.join('\r\n');
      return `$${said.length}\r\n${said}\r\n`;
    }
    if (!name.toUpperCase().startsWith('EVAL')) return '+OK\r\n';
    count += 1;
    const keyCount = Number(rest[1]);
    const keys = rest.slice(2, 2 + keyCount);
    const words = rest.slice(2 + keyCount);
    if (words.length > 1) standIn.calls.push(words.slice(1).join(' '));
    if (standIn.manner === 'silence') return null;
    if (standIn.manner === 'text') return '+as you like it\r\n';
    if (standIn.manner !== 'model') return `-${standIn.manner.slice('error '.length)}\r\n`;
    const numbers = model.run(keys, words, standIn.now());
    return `*${numbers.length}\r\n${numbers.map((number) => `:${number}\r\n`).join('')}`;
  }

  const standIn: LimitStandIn = {
    url,
    address,
    model,
    now: () => Math.round((performance.timeOrigin + performance.now()) * 1000),
    manner: 'model',
    info: [
      '# Server',
      'redis_version:7.2.4',
      'valkey_version:8.0.1',
      'maxmemory_policy:noeviction',
      'role:master',
    ],
    calls: [],
    count: () => count,
    restart() {
      model.clear();
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;
}

function readCommand(text: string): { readonly words: readonly string[]; readonly length: number } | null {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return null;
  const words: string[] = [];
  let place = head[0].length;
  for (let left = Number(head[1]); left > 0; left -= 1) {
    const end = text.indexOf('\r\n', place);
    if (end < 0) return null;
    const length = Number(text.slice(place + 1, end));
    if (text.length < end + length + 4) return null;
    words.push(text.slice(end + 2, end + 2 + length));
    place = end + length + 4;
  }
  return { words, length: place };
}
