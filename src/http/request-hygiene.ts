// What is settled before a request means anything: its id, doubled headers, the body's size, encoding and
// JSON, paths that do not decode, and sockets whose bytes are no request at all. Whatever comes, the
// answer is the contract's envelope.

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyInstance } from 'fastify';
import { refusal } from '../contract/error-catalogue.ts';
import { isJsonObject } from '../contract/json.ts';
import { rawErrorResponse } from './errors.ts';

export const bodyBytesMax = 65_536;

/** The client's X-Request-Id when it is harmless in a log line, else a new one. */
export function requestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(sent) ? sent : randomUUID();
}

/** The path of a request line: absolute forms lose their host, and what does not decode stays as it was sent. */
export function readablePath(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '');
  if (!local.includes('%')) return local.startsWith('/') ? local : `/${local}`;
  const [path = '', ...query] = local.split('?');
  try {
    decodeURIComponent(path);
    return local;
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}

/** @param pipelinedMax answers that may wait on one connection: who sends more and reads none is cut off */
export function installRequestHygiene(app: FastifyInstance, pipelinedMax: number): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', async (request, reply) => {
    const { socket } = request.raw;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    reply.raw.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count > pipelinedMax || socket.destroyed) {
      socket.destroy();
      return reply.hijack();
    }
    reply.header('x-request-id', request.id);
    const problem = headerProblem(request.raw);
    if (problem === null) return;
    reply.header('connection', 'close');
    return reply.refuse(refusal('invalid_json', { reason: problem }));
  });
}

/** Bodies of the JSON APIs: one JSON object in UTF-8, whatever Content-Type says. */
export function installJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: bodyBytesMax },
    (_request, body, done) => {
      // An empty chunked body is an absent one; each route says what that means.
      if (body.length === 0) return done(null, undefined);
      const parsed = parseJsonObject(Buffer.isBuffer(body) ? body : Buffer.from(body));
      if (parsed === null) done(invalidJson());
      else done(null, parsed);
    },
  );
  app.addHook('onRequest', async ({ headers, raw }, reply) => {
    // One parser for every body: the type that was sent is not looked at.
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
      raw.headers['content-type'] = 'application/json';
    } else {
      delete raw.headers['content-type'];
    }
    if ((headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity') return;
    reply.header('connection', 'close');
    return reply.refuse(refusal('invalid_json', { reason: 'Content-Encoding is not supported' }));
  });
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parseJsonObject(bytes: Buffer): object | null {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function invalidJson(): FastifyError {
  return Object.assign(new Error('The body is not one JSON object in UTF-8.'), {
    name: 'FastifyError',
    code: 'FST_ERR_CTP_INVALID_JSON_BODY',
    statusCode: 400,
  });
}

const singleHeaders = new Set(['authorization', 'host', 'idempotency-key']);

function headerProblem({ rawHeaders, httpVersion, headers }: IncomingMessage): string | null {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return `the header ${name} was sent twice`;
    seen.add(name);
  }
  return httpVersion === '1.1' && headers.host === undefined ? 'the Host header is missing' : null;
}

/** The answer on a socket whose bytes are no request: Fastify's clientErrorHandler. */
export function answerBrokenRequest(
  error: { readonly code?: string; readonly rawPacket?: unknown },
  socket: Duplex,
  allowedMethods: (path: string) => readonly string[],
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [, url] = /^[A-Z-]+ (\S+) HTTP/.exec(rawText(error.rawPacket)) ?? [];
  const isUnknownMethod = error.code === 'HPE_INVALID_METHOD' && url !== undefined;
  const allowed = isUnknownMethod ? allowedMethods(readablePath(url).split('?')[0] ?? '') : [];
  const answer =
    allowed.length > 0
      ? rawErrorResponse('method_not_allowed', randomUUID(), { allow: allowed.join(', ') })
      : rawErrorResponse('invalid_json', randomUUID());
  endAfter(socket, answer);
}

function rawText(packet: unknown): string {
  return Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 2_000) : '';
}

/** The corners where Node would answer by itself, without the envelope. */
export function answerForNode(server: Server): void {
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    endAfter(socket, rawErrorResponse('method_not_allowed', randomUUID(), { allow: 'GET, POST, PATCH' }));
  });
  // Expect: anything but 100-continue would be answered with a bare 417: the header is ignored instead.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Writes the answer and closes; a peer that never reads it is cut off. */
function endAfter(socket: Duplex, answer: string): void {
  socket.on('error', () => undefined);
  socket.end(answer);
  setTimeout(() => socket.destroy(), 1_000).unref();
}
