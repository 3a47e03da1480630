// The control socket in a running service's data folder, for commands of the same user on the same machine. Each line is one
// JSON value, each connection one request.
// Invariant: other users can never connect, because the socket's folder is private before the socket exists.

import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject } from '../../../shared/json.ts';

export interface ControlConnection {
  send(value: JsonObject): void;
  receive(): Promise<JsonObject>;
  /** Aborted when the peer disconnects. */
  readonly gone: AbortSignal;
}

export interface ControlSocket {
  close(): Promise<void>;
}

export class ControlConnectionClosed extends Error {
  override readonly name = 'ControlConnectionClosed';
}

const lineCharactersMax = 65_536;
const pathBytesMax = 103;

function controlSocketPath(dataDir: string): string | null {
  const path = join(resolve(dataDir), 'door', 'socket');
  const shorter = [path, relative(process.cwd(), path)].find((one) => Buffer.byteLength(one) <= pathBytesMax);
  return process.platform === 'win32' ? null : (shorter ?? null);
}

/** `answer` serves one connection; its errors go to the peer and to `onProblem`. @returns null where no socket can exist */
export async function openControlSocket(
  dataDir: string,
  answer: (request: JsonObject, connection: ControlConnection) => Promise<void>,
  onProblem: (error: unknown) => void,
): Promise<ControlSocket | null> {
  const path = controlSocketPath(dataDir);
  if (path === null) return null;
  // Make the folder private first. Changing the mode of the socket itself would leave a moment in which anyone could connect.
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o700);
  rmSync(path, { force: true });
  const inside = new Set<Socket>();
  const conversations = new Set<Promise<void>>();
  const server = createServer((socket) => {
    inside.add(socket);
    const connection = connectionOver(socket);
    const conversation = connection
      .receive()
      .then((request) => answer(request, connection))
      .catch((error: unknown) => {
        if (error instanceof ControlConnectionClosed) return;
        onProblem(error);
        connection.send({ problem: error instanceof Error ? error.message : String(error) });
      })
      .finally(() => {
        socket.end();
        inside.delete(socket);
        conversations.delete(conversation);
      });
    conversations.add(conversation);
  });
  server.listen(path);
  await once(server, 'listening');
  server.on('error', onProblem);
  return {
    async close() {
      server.close();
      for (const socket of inside) socket.destroy();
      await Promise.all(conversations);
    },
  };
}

/** @returns null if no service is listening */
export async function connectControlSocket<Result>(
  dataDir: string,
  request: JsonObject,
  conversation: (connection: ControlConnection) => Promise<Result>,
): Promise<Result | null> {
  const path = controlSocketPath(dataDir);
  if (path === null) return null;
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch {
    return null;
  }
  try {
    const connection = connectionOver(socket);
    connection.send(request);
    return await conversation(connection);
  } finally {
    socket.destroy();
  }
}

function connectionOver(socket: Socket): ControlConnection {
  const gone = new AbortController();
  const lines: string[] = [];
  let whenReceived: (() => void) | undefined;
  const wake = () => whenReceived?.();
  socket.on('error', () => undefined);
  socket.on('close', () => {
    gone.abort(new ControlConnectionClosed('The other end is gone.'));
    wake();
  });
  const reading = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  reading.on('line', (line) => {
    lines.push(line.slice(0, lineCharactersMax));
    wake();
  });
  return {
    gone: gone.signal,
    send(value) {
      if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
    },
    async receive() {
      while (lines.length === 0 && !gone.signal.aborted) {
        await new Promise<void>((resolve) => {
          whenReceived = resolve;
        });
      }
      const line = lines.shift();
      if (line === undefined) throw new ControlConnectionClosed('The other end is gone.');
      const value: unknown = JSON.parse(line);
      if (!isJsonObject(value)) throw new ControlConnectionClosed('The other end sent an invalid message.');
      return value;
    },
  };
}
