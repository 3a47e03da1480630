// Turns refusals and failures into the error envelope; the only place that maps codes to statuses. Any exception but
// RequestRefused is a failure of the service or its database.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ErrorCode,
  type ErrorDetails,
  errorCatalog,
  type Refusal,
  refusal,
  tooLarge,
} from '../../shared/error-catalog.ts';
import type { ApiError } from '../../shared/error-schema.ts';
import { Overloaded } from '../../shared/overloaded.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { privateAnswer } from './answer-headers.ts';
import { RequestRefused } from './request-refused.ts';

declare module 'fastify' {
  interface FastifyReply {
    refuse(refusal: Refusal): FastifyReply;
    /** For logs and metrics; null for success. */
    errorCode: ErrorCode | null;
  }
}

// An import would evaluate every export of node:http. Its WebSocket loads Node's fetch, which takes 50 ms of a start.
const http = process.getBuiltinModule('node:http');

/** A restarted database is usually back after this time. */
const retryAfterSeconds = 2;

export function installErrors(app: FastifyInstance): void {
  app.decorateReply('errorCode', null);
  app.decorateReply('refuse', function refuse(this: FastifyReply, answer: Refusal) {
    return send(this, answer);
  });
  app.setErrorHandler((error: FastifyError | RequestRefused, request, reply) => {
    if (error instanceof RequestRefused) return send(reply, error.refusal);
    const answer = refusalOfFailure(error, request);
    // Without this, the rest of a body that is too large would be read as the next request.
    if (answer.code === 'payload_too_large') reply.header('connection', 'close');
    // Set again: for a method that Node knows but the framework does not (such as RTSP's), the hooks did not run.
    return send(reply.headers({ ...privateAnswer, 'x-request-id': request.id }), answer);
  });
}

const unknownKey = 'Bearer realm="Sellthrough", error="invalid_token"';

/** WWW-Authenticate of a 401 from the API (RFC 6750). The panel sends none: its sessions are not an HTTP scheme. */
export const challenges: ReadonlyMap<ErrorCode, string> = new Map([
  ['missing_api_key', 'Bearer realm="Sellthrough"'],
  ['invalid_api_key', unknownKey],
  ['revoked_api_key', unknownKey],
]);

export const undeclaredCode = 'undeclared error code sent';

function send(reply: FastifyReply, answer: Refusal): FastifyReply {
  const { code } = answer;
  const { url, method, config } = reply.request.routeOptions;
  if (config.answeredCodes?.has(code) === false) reply.log.error({ method, url, code }, undeclaredCode);
  const status = statusOf(code, isAdminUrl(reply.request.url));
  reply.errorCode = code;
  const challenge = challenges.get(code);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
  if (status === 503) reply.header('retry-after', retryAfterSeconds);
  const { retry_after: waitSeconds } = answer.details;
  if (status === 429 && waitSeconds !== undefined) reply.header('retry-after', waitSeconds);
  return reply.code(status).type('application/json; charset=utf-8').send(envelopeText(answer));
}

function isAdminUrl(url: string): boolean {
  return url.startsWith('/api/admin/') || url.startsWith('/panel/api/admin/');
}

/** In the admin API a debit below zero is an invalid field (422): 402 would ask the administrator to pay. */
export function statusOf(code: ErrorCode, isAdminApi: boolean): number {
  return isAdminApi && code === 'insufficient_credit' ? 422 : errorCatalog[code].status;
}

export function statusText(status: number): string {
  return http.STATUS_CODES[status] ?? String(status);
}

export function refuseRoute(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: readonly string[],
): FastifyReply {
  if (allowed.length === 0 || allowed.includes(request.method)) return reply.refuse(refusal('not_found'));
  return reply.header('allow', allowed.join(', ')).refuse(refusal('method_not_allowed'));
}

/** The refusal for an exception of a request or of one order in a bulk. Failures that are not the client's are logged. */
export function refusalOfFailure(error: unknown, request: FastifyRequest): Refusal {
  if (error instanceof RequestRefused) return error.refusal;
  const answer = refusalOf(error as FastifyError, request);
  const { id: reqId, log } = request;
  if (answer.code === 'internal_error') log.error({ reqId, err: error }, 'request failed');
  else if (answer.code === 'service_unavailable') {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reqId, reason }, 'request rejected');
  }
  return answer;
}

function refusalOf(error: FastifyError, { routeOptions }: FastifyRequest): Refusal {
  if (error instanceof DatabaseUnavailable || error instanceof Overloaded)
    return refusal('service_unavailable');
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(routeOptions.bodyLimit);
  if (error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return {
      ...refusal('invalid_json', { reason: 'wrong length' }),
      message: 'The request body does not have the length that Content-Length states.',
    };
  if (error.code === 'FST_ERR_NOT_FOUND') return refusal('not_found');
  // A malformed body, or a client that disconnected while sending it.
  if (error.statusCode !== undefined && error.statusCode < 500) return refusal('invalid_json');
  return refusal('internal_error');
}

export function rawErrorResponse(
  refused: Refusal,
  requestId: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const { status } = errorCatalog[refused.code];
  const body = envelopeText(refused);
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...privateAnswer,
    'x-request-id': requestId,
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${statusText(status)}\r\n${lines.join('')}\r\n${body}`;
}

function envelopeText(answer: Refusal): string {
  return JSON.stringify({ error: errorOf(answer) });
}

export function errorOf({ code, details, message = messageOf(code, details) }: Refusal): ApiError {
  return { code, message, details };
}

/** Names a wrong field with the reason. Other messages take the values of their `{names}` from the details. */
function messageOf(code: ErrorCode, details: ErrorDetails): string {
  const { field, reason } = details;
  if (field !== undefined && typeof reason === 'string') {
    const named = field === '' ? 'The body' : `\`${field}\``;
    if (reason === 'missing') return `${named} is missing.`;
    if (/^(must|is|was|has) /.test(reason)) return `${named} ${reason}.`;
    if (reason.includes(' ')) return `${named}: ${reason}.`;
  }
  return errorCatalog[code].message.replace(/\{(\w+)\}/g, (text, name) => String(details[name] ?? text));
}
