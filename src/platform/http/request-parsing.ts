// Checks before routing: request id, duplicate headers, body size, encoding and JSON, paths, malformed requests.
// Invariant: every answer is the error envelope.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { refusal, unreadable } from '../../shared/error-catalog.ts';
import { isJsonObject } from '../../shared/json.ts';
import type { Connections, UnparsedAnswer } from './connections.ts';

export const bodyBytesMax = 65_536;

/** Absolute URLs lose their host; undecodable paths stay as sent. */
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

export function installRequestParsing(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const problem = headerProblem(request.raw);
    if (problem === null) return;
    reply.header('connection', 'close');
    return reply.refuse(unreadable(problem));
  });
}

/** Accepts one JSON object in UTF-8, regardless of Content-Type. `onUnparsed` receives the raw bytes of all other bodies. */
export function installJsonBodies(
  app: FastifyInstance,
  onUnparsed: (request: FastifyRequest, body: Buffer) => void = () => undefined,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: bodyBytesMax },
    (request, body, done) => {
      if (body.length === 0) return done(null, undefined);
      const encoding = request.headers['content-encoding'] ?? 'identity';
      const isPlain = encoding.toLowerCase() === 'identity';
      const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
      const parsed = isPlain ? parseJsonObject(bytes) : null;
      if (parsed !== null) return done(null, parsed);
      onUnparsed(request, bytes);
      done(invalidJson());
    },
  );
  app.addHook('onRequest', async ({ headers, raw }) => {
    // Gives all bodies to the JSON parser, regardless of the type sent.
    if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
      raw.headers['content-type'] = 'application/json';
    } else {
      delete raw.headers['content-type'];
    }
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

const singleHeaders = ['authorization', 'host', 'idempotency-key'];

function headerProblem({ rawHeaders, httpVersion, headers }: IncomingMessage): string | null {
  // `seen` has a bit for each header. Lengths are compared first, because this runs for every header of every request.
  let seen = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const place = singleHeaders.findIndex(
      (single) => single.length === name.length && single === name.toLowerCase(),
    );
    if (place === -1) continue;
    if ((seen & (1 << place)) !== 0) return `the header ${singleHeaders[place]} was sent twice`;
    seen |= 1 << place;
  }
  return httpVersion === '1.1' && headers.host === undefined ? 'the Host header is missing' : null;
}

export function unparsedAnswer(
  error: { readonly code?: string; readonly rawPacket?: unknown },
  allowedMethods: (path: string) => readonly string[],
): UnparsedAnswer {
  const [, url] = /^[A-Z-]+ (\S+) HTTP/.exec(rawText(error.rawPacket)) ?? [];
  const isUnknownMethod = error.code === 'HPE_INVALID_METHOD' && url !== undefined;
  const allowed = isUnknownMethod ? allowedMethods(readablePath(url).split('?')[0] ?? '') : [];
  return allowed.length > 0
    ? { refusal: refusal('method_not_allowed'), headers: { allow: allowed.join(', ') } }
    : { refusal: unreadable(problems.get(error.code ?? '') ?? 'it is not well-formed HTTP/1.1') };
}

const problems: ReadonlyMap<string, string> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'it did not arrive in time'],
  ['HPE_HEADER_OVERFLOW', 'its address and headers are larger than 16 KiB'],
  ['HPE_INVALID_EOF_STATE', 'it ended in the middle'],
]);

function rawText(packet: unknown): string {
  return Buffer.isBuffer(packet) ? packet.toString('latin1', 0, 2_000) : '';
}

/** Handles the cases in which Node would answer without the envelope. */
export function answerForNode(server: Server, connections: Connections): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    connections.refuse(socket, {
      refusal: refusal('method_not_allowed'),
      headers: { allow: 'GET, POST, PATCH' },
    });
  });
  // Node answers any Expect but 100-continue with a bare 417, so ignore the header.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}
