// A TCP proxy between the service and PostgreSQL that breaks connections at chosen moments. It reads the frames of the wire
// protocol (without TLS), because such moments lie between frames of one packet: "the writes arrived, COMMIT did not".
// Invariant: what is not cut is forwarded unchanged and in order.

import { once } from 'node:events';
import { type AddressInfo, createServer, connect as openSocket, type Socket } from 'node:net';

/**
 * What happens to the connection on which a chosen statement is sent.
 * `before`: the server gets only what was sent before it.
 * `behind`: the server gets the statement; the connection is reset in the same moment.
 * `unheard`: the server has executed it; the client gets no answer.
 * `half heard`: the client gets the first bytes of the answer.
 * A frozen connection stays open and is silent in both directions.
 */
export type Breakage =
  | 'cut before'
  | 'cut behind'
  | 'cut before receipt'
  | 'cut during receipt'
  | 'freeze before'
  | 'freeze unheard';

export type ProxyState = 'open' | 'refusing' | 'frozen';

export interface TcpProxy {
  /** The server's address with the proxy's port. `database` replaces the name of the database. */
  url(database?: string): string;
  /** Breaks the next connection that sends a matching statement, once, and then becomes `then`. */
  breakAt(statement: RegExp, how: Breakage, then?: ProxyState): Promise<void>;
  /** `refusing` cuts all connections and accepts none. `frozen` makes all hang, even new ones. */
  become(state: ProxyState): void;
  close(): Promise<void>;
}

interface Armed {
  readonly statement: RegExp;
  readonly how: Breakage;
  readonly then: ProxyState;
  happened(): void;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isFrozen: boolean;
}

export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl);
  const links = new Set<Link>();
  let state: ProxyState = 'open';
  let armed: Armed | null = null;

  // Forward ends explicitly, because a frozen connection must not even answer a FIN.
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    if (state === 'refusing') {
      client.resetAndDestroy();
      return;
    }
    const server = openSocket({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
    const link: Link = { client, server, isFrozen: state === 'frozen' };
    links.add(link);
    forwardRequests(link);
    forwardAnswers(link);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('end', () => link.isFrozen || other.end());
      socket.on('close', () => {
        if (link.isFrozen) return;
        links.delete(link);
        other.destroy();
      });
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const url = new URL(serverUrl);
  url.hostname = '127.0.0.1';
  url.port = String((listener.address() as AddressInfo).port);

  const awaitedAnswers = new WeakMap<Link, Armed>();

  function forwardRequests(link: Link): void {
    const read = createFrameReader({ beginsWithStartup: true });
    link.client.on('data', (bytes) => {
      if (link.isFrozen) return;
      const whole: Buffer[] = [];
      for (const frame of read(bytes)) {
        const plan = armed;
        if (plan === null || !plan.statement.test(statementOf(frame))) {
          whole.push(frame);
          continue;
        }
        armed = null;
        if (plan.how.endsWith('before')) {
          link.server.write(Buffer.concat(whole));
          breakLink(link, plan);
          return;
        }
        whole.push(frame);
        if (plan.how === 'cut behind') {
          link.server.write(Buffer.concat(whole));
          breakLink(link, plan);
          return;
        }
        awaitedAnswers.set(link, plan);
      }
      if (whole.length > 0) link.server.write(Buffer.concat(whole));
    });
  }

  function forwardAnswers(link: Link): void {
    const read = createFrameReader({ beginsWithStartup: false });
    link.server.on('data', (bytes) => {
      if (link.isFrozen) return;
      const whole: Buffer[] = [];
      for (const frame of read(bytes)) {
        const plan = awaitedAnswers.get(link);
        if (plan === undefined || !plan.statement.test(commandTagOf(frame))) {
          whole.push(frame);
          continue;
        }
        awaitedAnswers.delete(link);
        if (plan.how === 'cut during receipt') whole.push(frame.subarray(0, frame.length - 3));
        // Send the bytes before it first, then break the connection.
        link.client.write(Buffer.concat(whole), () => breakLink(link, plan));
        link.server.removeAllListeners('data').resume();
        return;
      }
      if (whole.length > 0) link.client.write(Buffer.concat(whole));
    });
  }

  function breakLink(link: Link, plan: Armed): void {
    if (plan.how.startsWith('freeze')) {
      link.isFrozen = true;
    } else if (plan.how === 'cut before') {
      link.client.destroy();
      link.server.end(); // after the forwarded bytes
    } else if (plan.how === 'cut behind') {
      link.client.resetAndDestroy();
      link.server.end();
    } else {
      link.client.destroy();
      link.server.destroy();
    }
    // Connections that are frozen stay frozen even if the state becomes "open".
    if (plan.then !== 'open') become(plan.then);
    plan.happened();
  }

  function become(next: ProxyState): void {
    state = next;
    for (const link of links) {
      if (next === 'frozen') link.isFrozen = true;
      if (next === 'refusing' || (next === 'open' && link.isFrozen)) drop(link);
    }
  }

  function drop(link: Link): void {
    links.delete(link);
    link.client.destroy();
    link.server.destroy();
  }

  return {
    url(database) {
      const own = new URL(url);
      if (database !== undefined) own.pathname = `/${database}`;
      return own.href;
    },
    breakAt(statement, how, then = 'open') {
      return new Promise((resolve) => {
        armed = { statement, how, then, happened: resolve };
      });
    },
    become,
    async close() {
      for (const link of links) drop(link);
      listener.close();
      await once(listener, 'close');
    },
  };
}

/** Splits the input into complete frames. An incomplete frame waits for the next call. */
function createFrameReader({ beginsWithStartup }: { beginsWithStartup: boolean }) {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = beginsWithStartup ? 0 : 1; // the startup packet alone has no type
  return (bytes: Buffer): Buffer[] => {
    rest = Buffer.concat([rest, bytes]);
    const frames: Buffer[] = [];
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < length) break;
      frames.push(rest.subarray(0, length));
      rest = rest.subarray(length);
      typeBytes = 1;
    }
    return frames;
  };
}

const query = 0x51;
const parse = 0x50;
const commandComplete = 0x43;

/** The text of a client's statement in a Query or Parse frame; "" for other frames. */
function statementOf(frame: Buffer): string {
  if (frame[0] === query) return frame.toString('utf8', 5, frame.length - 1);
  if (frame[0] !== parse) return '';
  const text = frame.indexOf(0, 5) + 1;
  return frame.toString('utf8', text, frame.indexOf(0, text));
}

function commandTagOf(frame: Buffer): string {
  return frame[0] === commandComplete ? frame.toString('utf8', 5, frame.length - 1) : '';
}
