// One connection to Valkey or Redis. The library is loaded on first use.
// Invariant: it never reconnects or resends. The caller opens a new connection instead.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Call } from './limit-operations.ts';
import type { ValkeyAddress } from './valkey-address.ts';

export interface ValkeyConnection {
  run(call: Call): Promise<unknown>;
  command(name: string, ...words: readonly string[]): Promise<unknown>;
  close(): void;
}

export interface ValkeyOptions {
  readonly connectMilliseconds: number;
  /** Called once when the connection breaks, but not after close(). */
  readonly onBroken: (reason: string) => void;
}

/** Rejects if the server is unreachable. A wrong password fails the first command. */
export async function openValkey(address: ValkeyAddress, options: ValkeyOptions): Promise<ValkeyConnection> {
  const { Redis } = await import('iovalkey');
  const { host, port, isTls, username, password, database } = address;
  const script = readScript();
  const client = new Redis({
    host,
    port,
    db: database,
    connectionName: 'sellthrough',
    connectTimeout: options.connectMilliseconds,
    ...(username === null ? {} : { username }),
    ...(password === null ? {} : { password }),
    ...(isTls ? { tls: {} } : {}),
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => null,
  });
  let isOver = false;
  let reason = 'the connection was closed';
  client.on('error', (error: Error) => {
    reason = error.message;
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw reason === 'the connection was closed' ? error : new Error(reason, { cause: error });
  }
  client.once('end', () => {
    if (!isOver) options.onBroken(reason);
    isOver = true;
  });
  return {
    async run({ keys, words }) {
      const rest = [keys.length, ...keys, ...words];
      try {
        return await client.call('EVALSHA', [script.sha, ...rest]);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.call('EVAL', [script.text, ...rest]);
      }
    },
    command: (name, ...words) => client.call(name, [...words]),
    close() {
      isOver = true;
      client.disconnect();
    },
  };
}

function readScript(): { readonly text: string; readonly sha: string } {
  const text = readFileSync(new URL('./shared-limits.lua', import.meta.url), 'utf8');
  // The server identifies scripts by SHA-1.
  return { text, sha: hash('sha1', text) };
}
