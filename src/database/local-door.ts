// A socket in the data folder of a running service, for commands of the same machine and user: the folder belongs to one
// process, so that process does for others what needs its database. Opened by main.ts, used by the command line.
// Always true: other users cannot connect, at no moment: the socket is made in a folder of its own, which they cannot
// enter; one JSON value a line, in turn; a conversation ends with its connection, whoever drops it.

import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject } from '../contract/json.ts';

/** One end of a conversation. */
export interface DoorTalk {
  say(value: JsonObject): void;
  /** What the other end says next. @throws DoorClosed */
  hear(): Promise<JsonObject>;
  /** Aborted when the other end is gone. */
  readonly gone: AbortSignal;
}

export interface LocalDoor {
  /** Nobody new is let in, and whoever is inside is let go. */
  close(): Promise<void>;
}

/** The other end is gone. */
export class DoorClosed extends Error {
  override readonly name = 'DoorClosed';
}

const lineCharactersMax = 65_536;
/** What every system takes for the path of a socket. */
const pathBytesMax = 103;

/** null: the path is too long for a socket, or the system has none. */
function doorPath(dataDir: string): string | null {
  const path = join(resolve(dataDir), 'door', 'socket');
  const shorter = [path, relative(process.cwd(), path)].find((one) => Buffer.byteLength(one) <= pathBytesMax);
  return process.platform === 'win32' ? null : (shorter ?? null);
}

/**
 * `answer` carries one conversation out; what it throws is said to the other end and to `onProblem`. null: there can
 * be no door here. The folder must be locked by this process.
 */
export async function openDoor(
  dataDir: string,
  answer: (wish: JsonObject, talk: DoorTalk) => Promise<void>,
  onProblem: (error: unknown) => void,
): Promise<LocalDoor | null> {
  const path = doorPath(dataDir);
  if (path === null) return null;
  // Before there is a socket: its own mode would be set after it is there.
  mkdirSync(dirname(path), { recursive: true });
  chmodSync(dirname(path), 0o700);
  // What a process left that was killed.
  rmSync(path, { force: true });
  const inside = new Set<Socket>();
  const conversations = new Set<Promise<void>>();
  const server = createServer((socket) => {
    inside.add(socket);
    const talk = talkOver(socket);
    const conversation = talk
      .hear()
      .then((wish) => answer(wish, talk))
      .catch((error: unknown) => {
        if (error instanceof DoorClosed) return;
        onProblem(error);
        talk.say({ problem: error instanceof Error ? error.message : String(error) });
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

/** Talks to the service that has the folder open; null: there is none that listens. */
export async function enterDoor<Result>(
  dataDir: string,
  wish: JsonObject,
  conversation: (talk: DoorTalk) => Promise<Result>,
): Promise<Result | null> {
  const path = doorPath(dataDir);
  if (path === null) return null;
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch {
    return null;
  }
  try {
    const talk = talkOver(socket);
    talk.say(wish);
    return await conversation(talk);
  } finally {
    socket.destroy();
  }
}

function talkOver(socket: Socket): DoorTalk {
  const gone = new AbortController();
  const lines: string[] = [];
  let whenHeard: (() => void) | undefined;
  const wake = () => whenHeard?.();
  socket.on('error', () => undefined);
  socket.on('close', () => {
    gone.abort(new DoorClosed('The other end is gone.'));
    wake();
  });
  const reading = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  reading.on('line', (line) => {
    lines.push(line.slice(0, lineCharactersMax));
    wake();
  });
  return {
    gone: gone.signal,
    say(value) {
      if (!socket.destroyed) socket.write(`${JSON.stringify(value)}\n`);
    },
    async hear() {
      while (lines.length === 0 && !gone.signal.aborted) {
        await new Promise<void>((resolve) => {
          whenHeard = resolve;
        });
      }
      const line = lines.shift();
      if (line === undefined) throw new DoorClosed('The other end is gone.');
      const value: unknown = JSON.parse(line);
      if (!isJsonObject(value)) throw new DoorClosed('The other end does not speak as it should.');
      return value;
    },
  };
}
