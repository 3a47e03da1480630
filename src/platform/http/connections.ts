// Handles pipelining and malformed requests between Node's server and the app. Each request of a connection gets one answer,
// in order. Some pipelined requests run at once; while others wait, the socket is not read. Bytes that are not a request are
// refused and logged here.

import { randomUUID } from 'node:crypto';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Refusal } from '../../shared/error-catalog.ts';
import { rawErrorResponse } from './error-responses.ts';
import { requestIdOf } from './request-id.ts';

export interface ConnectionLimits {
  readonly pipelinedMax: number;
  /** Limit of waiting requests over all connections. A connection that would exceed it is closed. */
  readonly pipelinedHeldMax: number;
  /** A connection's next request does not start while more answer bytes than this are unsent. */
  readonly unreadBytesMax: number;
  /** How long a client may go on sending after the last answer before the connection is closed. */
  readonly lingerMilliseconds: number;
}

export interface UnparsedRequest {
  readonly requestId: string;
  readonly code: Refusal['code'];
  readonly address: string;
}

export interface UnparsedAnswer {
  readonly refusal: Refusal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Connections {
  attend(server: Server): void;
  onClientError(error: { readonly code?: string }, socket: Socket, answer: () => UnparsedAnswer): void;
  /** Sends the connection's last answer. Bytes after that are not read. */
  refuse(socket: Socket, answer: UnparsedAnswer): void;
}

interface Connection {
  readonly socket: Socket;
  /** Responses of requests that the app has received. */
  readonly begun: Set<ServerResponse>;
  /** Responses of requests that wait. While there are any, the socket is not read. */
  held: ServerResponse[];
  /** The newest request, whose body may still be arriving. */
  newest: ServerResponse | null;
  /** The connection closes after the answers that are still due. */
  isEnding: boolean;
}

export function createConnections(
  limits: ConnectionLimits,
  onUnparsed: (request: UnparsedRequest) => void,
): Connections {
  const connections = new WeakMap<Socket, Connection>();
  let heldCount = 0;

  function connectionOf(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = {
      socket,
      begun: new Set<ServerResponse>(),
      held: [],
      newest: null,
      isEnding: false,
    };
    connections.set(socket, connection);
    // Node calls this after a connection's last answer, even if the request's body is unread.
    socket.destroySoon = () => {
      const isUnread = connection.newest?.req.complete === false;
      connection.isEnding ||= isUnread;
      if (isUnread) endAfter(socket);
      else Socket.prototype.destroySoon.call(socket);
    };
    return connection;
  }

  function attend(server: Server): void {
    const listeners = server.listeners('request') as RequestListener[];
    server.removeAllListeners('request');
    const answer: RequestListener = (request, response) => {
      for (const listener of listeners) listener(request, response);
    };
    server.on('request', (request, response) => {
      const connection = connectionOf(request.socket);
      if (connection.isEnding || connection.socket.destroyed) return;
      connection.newest = response;
      if (connection.held.length === 0 && hasRoom(connection)) begin(connection, response);
      else hold(connection, response);
    });

    function begin(connection: Connection, response: ServerResponse): void {
      connection.begun.add(response);
      response.on('close', end);
      answer(response.req, response);
    }

    function end(this: ServerResponse): void {
      const connection = connectionOf(this.req.socket);
      connection.begun.delete(this);
      goOn(connection);
    }

    function hold(connection: Connection, response: ServerResponse): void {
      const { socket, held } = connection;
      // Pausing the socket does not stop the parser: it still delivers all requests of the bytes already read.
      if (heldCount === limits.pipelinedHeldMax) {
        socket.destroy();
        return;
      }
      heldCount += 1;
      if (held.push(response) > 1) return;
      socket.pause();
      if (socket.listeners('resume').includes(pauseAgain)) return;
      // Node resumes a connection by itself, for example after a body was read.
      socket.on('resume', pauseAgain);
      socket.once('close', () => {
        heldCount -= connection.held.length;
        connection.held = [];
      });
    }

    function pauseAgain(this: Socket): void {
      if (connectionOf(this).held.length > 0) this.pause();
    }

    function goOn(connection: Connection): void {
      if (connection.socket.destroyed) return;
      const wasHeld = connection.held.length > 0;
      while (connection.held.length > 0 && hasRoom(connection)) {
        const next = connection.held.shift();
        heldCount -= 1;
        if (next !== undefined) begin(connection, next);
      }
      if (connection.isEnding && !hasWhole(connection)) endAfter(connection.socket);
      else if (wasHeld && connection.held.length === 0) connection.socket.resume();
    }
  }

  function hasRoom({ begun }: Connection): boolean {
    if (begun.size === 0) return true;
    if (begun.size >= limits.pipelinedMax) return false;
    let unreadBytes = 0;
    for (const { writableLength } of begun) unreadBytes += writableLength;
    return unreadBytes <= limits.unreadBytesMax;
  }

  function onClientError(
    error: { readonly code?: string },
    socket: Socket,
    answer: () => UnparsedAnswer,
  ): void {
    const connection = connectionOf(socket);
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    if (error.code === 'ECONNRESET' || (!socket.writable && !connection.isEnding)) socket.destroy();
    else if (isLate && socket.bytesRead === 0) closeSilently(socket);
    // A request that is late because others wait in front of it is not the client's fault.
    else if (!connection.isEnding && !(isLate && connection.held.length > 0)) refuse(socket, answer());
  }

  function refuse(socket: Socket, { refusal, headers = {} }: UnparsedAnswer): void {
    const connection = connectionOf(socket);
    const { newest, begun, held } = connection;
    const broken = newest === null || newest.req.complete ? null : newest;
    connection.isEnding = true;
    if (broken !== null && held.at(-1) === broken) {
      held.pop();
      heldCount -= 1;
    }
    // The request was refused before its body was read, and that answer is already logged.
    if (broken?.headersSent === true) {
      if (!begun.has(broken) && !hasWhole(connection)) endAfter(socket);
      return;
    }
    const requestId = broken === null ? randomUUID() : requestIdOf(broken.req);
    onUnparsed({ requestId, code: refusal.code, address: socket.remoteAddress ?? '' });
    // While an earlier request is unanswered, the client would take this answer for that request's.
    if (!hasWhole(connection)) endAfter(socket, rawErrorResponse(refusal, requestId, headers));
  }

  /** The client may lose the answer if the socket is closed with unread bytes, so close it only after a while. */
  function endAfter(socket: Socket, answer = ''): void {
    if (socket.writableEnded) return;
    socket.on('error', () => undefined);
    socket.end(answer, () => setTimeout(() => socket.destroy(), limits.lingerMilliseconds).unref());
  }

  return { attend, onClientError, refuse };
}

/** True while a complete request is unanswered. The request whose body is malformed is not complete. */
function hasWhole({ begun, held }: Connection): boolean {
  for (const { req } of begun) if (req.complete) return true;
  return held.some(({ req }) => req.complete);
}

/** First reads bytes that have already arrived, so that a request that came just before the timeout is still answered. */
function closeSilently(socket: Socket): void {
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
}
