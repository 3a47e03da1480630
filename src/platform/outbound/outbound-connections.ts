// Connections of outbound.ts, kept alive between calls. Each is opened to addresses that have been checked, by us and
// not by the HTTP client, and is never opened again: its client has this one connection for its whole life.
// Always true: an idle connection is reused for the origin it was opened for; however many origins there are, no more
// than `idleConnectionsMax` are idle, and none lives on for ever, so that names that move are followed.

import { connect as connectTcp, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client } from 'undici';
import { type OutboundFailure, OutboundProblem } from './outbound-problem.ts';
import { type OutboundTarget, tlsName } from './outbound-target.ts';

export interface ConnectionLimits {
  /** How long one address of a name is tried before the next is. */
  readonly addressMilliseconds: number;
  /** Of all origins together. */
  readonly idleConnectionsMax: number;
  /** Less where the server says so. */
  readonly idleMilliseconds: number;
  /** After this long a connection takes no further call. */
  readonly connectionMilliseconds: number;
  readonly answerHeaderBytesMax: number;
}

export interface OutboundConnection {
  readonly origin: string;
  readonly client: Client;
  readonly socket: Socket;
  readonly openedAtMilliseconds: number;
}

export interface OutboundConnections {
  /** The idle connection that was used last; it is the caller's until it is released or dropped. */
  findIdle(origin: string): OutboundConnection | null;
  /**
   * A new one, to the first of the checked addresses that takes it.
   * @throws OutboundProblem
   */
  open(
    target: OutboundTarget,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<OutboundConnection>;
  /** After an answer that was read to its end. */
  release(connection: OutboundConnection): void;
  drop(connection: OutboundConnection): void;
  /** Drops all, and whatever is opened or released from now on; resolves when they are closed. */
  close(): Promise<void>;
}

export function createConnections(limits: ConnectionLimits): OutboundConnections {
  // Each origin's last is the one used last; `idle` as a whole has the one that waits longest first.
  const byOrigin = new Map<string, OutboundConnection[]>();
  const idle = new Set<OutboundConnection>();
  // Every one there is: idle, in use, or being closed.
  const all = new Set<OutboundConnection>();
  let isClosed = false;

  function take(connection: OutboundConnection): void {
    if (!idle.delete(connection)) return;
    const left = (byOrigin.get(connection.origin) ?? []).filter((other) => other !== connection);
    if (left.length > 0) byOrigin.set(connection.origin, left);
    else byOrigin.delete(connection.origin);
  }

  function drop(connection: OutboundConnection): void {
    take(connection);
    connection.socket.destroy();
    // It has nothing to wait for but the connection that has just gone.
    void connection.client.destroy();
  }

  return {
    findIdle(origin) {
      for (;;) {
        const found = byOrigin.get(origin)?.at(-1);
        if (found === undefined) return null;
        take(found);
        if (!found.socket.destroyed && found.socket.readable) return found;
        drop(found);
      }
    },
    async open(target, addresses, signal) {
      const socket = await openSocket(target, addresses, limits, signal);
      let isTaken = false;
      const client = new Client(target.origin, {
        // Undici waits for an answer that comes later.
        connect: (_options, callback) => {
          const isFirst = !isTaken;
          isTaken = true;
          queueMicrotask(() => (isFirst ? callback(null, socket) : callback(connectionOver(), null)));
        },
        keepAliveTimeout: limits.idleMilliseconds,
        keepAliveMaxTimeout: limits.idleMilliseconds,
        maxHeaderSize: limits.answerHeaderBytesMax,
        // The limit of the whole call is outbound.ts's.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const connection = { origin: target.origin, client, socket, openedAtMilliseconds: performance.now() };
      all.add(connection);
      socket.once('close', () => {
        take(connection);
        all.delete(connection);
      });
      return connection;
    },
    release(connection) {
      const age = performance.now() - connection.openedAtMilliseconds;
      if (isClosed || connection.socket.destroyed || age > limits.connectionMilliseconds) {
        drop(connection);
        return;
      }
      idle.add(connection);
      const ofOrigin = byOrigin.get(connection.origin);
      if (ofOrigin === undefined) byOrigin.set(connection.origin, [connection]);
      else ofOrigin.push(connection);
      const [oldest] = idle;
      if (idle.size > limits.idleConnectionsMax && oldest !== undefined) drop(oldest);
    },
    drop,
    async close() {
      isClosed = true;
      const closed = [...all].map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
      for (const connection of all) drop(connection);
      await Promise.all(closed);
    },
  };
}

/** Connected, and for https with the certificate checked. */
function openSocket(
  target: OutboundTarget,
  addresses: readonly string[],
  limits: ConnectionLimits,
  signal: AbortSignal,
): Promise<Socket> {
  const options = {
    host: target.hostname,
    port: target.port,
    lookup: pinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: limits.addressMilliseconds,
    noDelay: true,
  };
  return new Promise((resolve, reject) => {
    const socket = target.isEncrypted
      ? connectTls({
          ...options,
          servername: tlsName(target),
          ALPNProtocols: ['http/1.1'],
          // Not to be switched off by an environment variable.
          rejectUnauthorized: true,
        })
      : connectTcp(options);
    let isConnected = false;
    const settle = (problem: OutboundProblem | null): void => {
      signal.removeEventListener('abort', onAbort);
      socket.off(ready, onReady);
      if (problem === null) {
        socket.off('close', onClose);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(problem);
    };
    const onAbort = () => settle(OutboundProblem.of(signal.reason));
    const onError = (error: NodeJS.ErrnoException) =>
      settle(new OutboundProblem(isConnected ? handshakeFailure(error) : connectFailure(error)));
    const onClose = () => settle(new OutboundProblem('connection_lost'));
    const onReady = () => settle(null);
    const ready = target.isEncrypted ? 'secureConnect' : 'connect';
    socket.once('connect', () => {
      isConnected = true;
    });
    // Stays for good: an error may come while nobody else listens, and end the process.
    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once(ready, onReady);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/** The look-up that makes a connection go to the addresses that were checked, and asks nobody again. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses
    .slice(0, addressesTriedMax)
    .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, _options, callback) => callback(null, found);
}

/** Of a name that has more, which is nobody's who wants to be reached. */
const addressesTriedMax = 8;

function connectFailure(error: NodeJS.ErrnoException): OutboundFailure {
  if (error.code === 'ETIMEDOUT') return 'timeout';
  // Taken and broken at once: the reset may be here before we have heard of the connection.
  return error.code === 'ECONNRESET' ? 'connection_lost' : 'connection_refused';
}

function handshakeFailure(error: NodeJS.ErrnoException): OutboundFailure {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 'connection_lost' : 'tls';
}

function connectionOver(): Error {
  return Object.assign(new Error('The connection is over.'), { code: 'ECONNRESET' });
}
