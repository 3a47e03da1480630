// What each connection still has to be answered: one answer for each request, in their order, and none that nobody
// asked for. Stands between Node's server and the app. Clients may send requests ahead: some are worked on at once, the
// others wait, and nothing more is read meanwhile. Bytes that are no request are refused here, each with one line of the
// log, and a connection on which nothing was asked is closed without a word.

import { randomUUID } from 'node:crypto';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Refusal } from '../../shared/error-catalogue.ts';
import { rawErrorResponse } from './error-responses.ts';
import { requestIdOf } from './request-id.ts';

export interface ConnectionLimits {
  /** Requests of one connection that are worked on at once. */
  readonly pipelinedMax: number;
  /** Requests of all connections that were read and wait for their turn; whoever adds one more is cut off. */
  readonly pipelinedHeldMax: number;
  /** Bytes of answers that one connection may leave unread before its next request is begun. */
  readonly unreadBytesMax: number;
  /** For what is still being sent to a connection that has its last answer. */
  readonly lingerMilliseconds: number;
}

/** Bytes that no request came of, for the log and the metrics. */
export interface UnparsedRequest {
  readonly requestId: string;
  readonly code: Refusal['code'];
  /** Of the peer: headers were not read. */
  readonly address: string;
}

export interface UnparsedAnswer {
  readonly refusal: Refusal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Connections {
  /** Each request reaches the server's listener in its turn. */
  attend(server: Server): void;
  /** What the parser refused, or what did not come in time. */
  onClientError(error: { readonly code?: string }, socket: Socket, answer: () => UnparsedAnswer): void;
  /** The last answer of a connection: bytes behind it are not read as a request. */
  refuse(socket: Socket, answer: UnparsedAnswer): void;
}

interface Connection {
  readonly socket: Socket;
  /** Answers to what was handed to the app. */
  readonly begun: Set<ServerResponse>;
  /** Answers to what waits for its turn; while there is any, nothing is read. */
  held: ServerResponse[];
  /** The answer to the request whose body may still be coming. */
  newest: ServerResponse | null;
  /** It ends with the answers to what was asked. */
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
    // Node ends a connection with its last answer so, also one whose body it has not read.
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
      // What one read brought is parsed to its end, however many requests it is.
      if (heldCount === limits.pipelinedHeldMax) {
        socket.destroy();
        return;
      }
      heldCount += 1;
      if (held.push(response) > 1) return;
      socket.pause();
      if (socket.listeners('resume').includes(pauseAgain)) return;
      // Node resumes a connection by itself, as when a request's body was read.
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
    // What is late waits for us.
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
    // It was refused before its body was looked at: that is its answer, and its line is written with it.
    if (broken?.headersSent === true) {
      if (!begun.has(broken) && !hasWhole(connection)) endAfter(socket);
      return;
    }
    const requestId = broken === null ? randomUUID() : requestIdOf(broken.req);
    onUnparsed({ requestId, code: refusal.code, address: socket.remoteAddress ?? '' });
    // Written now, it would be taken for the answer to the request before it.
    if (!hasWhole(connection)) endAfter(socket, rawErrorResponse(refusal, requestId, headers));
  }

  /** Whoever does not close its side is cut off; before that, closing with bytes unread could take the answer back. */
  function endAfter(socket: Socket, answer = ''): void {
    // Twice, it would be a write behind the end.
    if (socket.writableEnded) return;
    socket.on('error', () => undefined);
    socket.end(answer, () => setTimeout(() => socket.destroy(), limits.lingerMilliseconds).unref());
  }

  return { attend, onClientError, refuse };
}

/** A request whose own body broke gets the answer; those before it are whole. */
function hasWhole({ begun, held }: Connection): boolean {
  for (const { req } of begun) if (req.complete) return true;
  return held.some(({ req }) => req.complete);
}

/** What has arrived by now is read first: a request that met the end of our patience is still answered. */
function closeSilently(socket: Socket): void {
  setImmediate(() => {
    if (socket.bytesRead === 0) socket.destroy();
  });
}
