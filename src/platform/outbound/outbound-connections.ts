// Keep-alive connections of outbound.ts. This file opens every socket, to checked addresses only.
// Invariant: an idle connection serves only its origin. At most `idleConnectionsMax` are idle. Each has a maximum age, so
// that DNS changes take effect.

import { connect as connectTcp, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client } from 'undici';
import { type OutboundFailure, OutboundProblem } from './outbound-problem.ts';
import { type OutboundTarget, tlsName } from './outbound-target.ts';

export interface ConnectionLimits {
  readonly addressMilliseconds: number;
  readonly idleConnectionsMax: number;
  /** How long a connection may be idle; less if the server asks for that. */
  readonly idleMilliseconds: number;
  /** Connections older than this are not used for another call. */
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
  /** The most recently used idle connection. The caller must release or drop it. */
  findIdle(origin: string): OutboundConnection | null;
  /** Tries the checked addresses in order. @throws OutboundProblem */
  open(
    target: OutboundTarget,
    addresses: readonly string[],
    signal: AbortSignal,
  ): Promise<OutboundConnection>;
  release(connection: OutboundConnection): void;
  drop(connection: OutboundConnection): void;
  /** Drops all connections, even those opened later. Resolves when all are closed. */
  close(): Promise<void>;
}

export function createConnections(limits: ConnectionLimits): OutboundConnections {
  // In each list, the most recently used connection is last. `idle` begins with the connection that was idle the longest.
  const byOrigin = new Map<string, OutboundConnection[]>();
  const idle = new Set<OutboundConnection>();
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
    // Not awaited: it only waits for the socket that was just destroyed.
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
        // Undici requires an asynchronous callback.
        connect: (_options, callback) => {
          const isFirst = !isTaken;
          isTaken = true;
          queueMicrotask(() => (isFirst ? callback(null, socket) : callback(connectionOver(), null)));
        },
        keepAliveTimeout: limits.idleMilliseconds,
        keepAliveMaxTimeout: limits.idleMilliseconds,
        maxHeaderSize: limits.answerHeaderBytesMax,
        // No separate time limits, because outbound.ts limits the whole call.
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

/** For https, resolves after the certificate check. */
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
          // Explicit, so that an environment variable cannot switch it off.
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
    // This listener stays, because a late error without a listener would end the process.
    socket.on('error', onError);
    socket.once('close', onClose);
    socket.once(ready, onReady);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses
    .slice(0, addressesTriedMax)
    .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, _options, callback) => callback(null, found);
}

/** No legitimate host needs more. */
const addressesTriedMax = 8;

function connectFailure(error: NodeJS.ErrnoException): OutboundFailure {
  if (error.code === 'ETIMEDOUT') return 'timeout';
  // The host may have reset the connection right after accepting it: the reset can arrive before the connect event.
  return error.code === 'ECONNRESET' ? 'connection_lost' : 'connection_refused';
}

function handshakeFailure(error: NodeJS.ErrnoException): OutboundFailure {
  return error.code === 'ECONNRESET' || error.code === 'EPIPE' ? 'connection_lost' : 'tls';
}

function connectionOver(): Error {
  return Object.assign(new Error('The connection is over.'), { code: 'ECONNRESET' });
}
