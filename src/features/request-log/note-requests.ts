// Hooks that log each answered API request with a key.
// Invariant: without body capture nothing is held, copied or serialized.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type CutText,
  redactedAnswer,
  redactedIdempotencyKey,
  redactedJson,
  redactedQuery,
  redactedRaw,
  redactedText,
} from '../../platform/secrets/redaction.ts';
import type { EpochSeconds } from '../../shared/times.ts';
import type { CapturedExchange } from './request-bodies.ts';
import { loggablePath } from './request-lines.ts';
import type { RequestLog } from './request-log.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** With body capture, the raw body if it was not a JSON object. */
    unparsedBody: Buffer | null;
  }
  interface FastifyReply {
    keptAnswer: string | null;
  }
}

const keptBytesMax = 4_096;
const queryBytesMax = 1_024;
const headerLettersMax = 200;

export interface NotedRequestsDependencies {
  readonly requestLog: RequestLog;
  readonly now: () => EpochSeconds;
}

export function noteRequests(apis: FastifyInstance, { requestLog, now }: NotedRequestsDependencies): void {
  apis.decorateRequest('unparsedBody', null);
  apis.decorateReply('keptAnswer', null);
  apis.addHook('onSend', (request, reply, payload, done) => {
    if (isKept(request) && typeof payload === 'string') reply.keptAnswer = payload;
    done();
  });
  apis.addHook('onResponse', (request, reply, done) => {
    const { principal } = request;
    const actor = principal?.actor.type === 'key' ? principal.actor : null;
    const line = {
      accountId: principal === null ? null : principal.account.id,
      keyId: actor?.id ?? null,
      secretId: actor?.secretId ?? null,
      at: now(),
      method: request.method,
      path: loggablePath(request.url),
      status: reply.statusCode,
      code: reply.errorCode,
      requestId: request.id,
      milliseconds: Math.round(reply.elapsedTime),
      address: request.ip,
    };
    requestLog.note(line, isKept(request) ? exchangeOf(request, reply) : null);
    done();
  });
}

export function keepUnparsedBody(request: FastifyRequest, body: Buffer): void {
  if (request.unparsedBody === null && isKept(request)) request.unparsedBody = body;
}

function isKept({ principal }: FastifyRequest): boolean {
  return principal?.account.capturesBodies === true;
}

const nothing = { text: null, isCut: false } as const;

function exchangeOf(request: FastifyRequest, reply: FastifyReply): CapturedExchange {
  const query = request.url.split('?').slice(1).join('?');
  const idempotencyKey = headerOf(request, 'idempotency-key');
  const sent = sentBody(request);
  const answeredType = reply.getHeader('content-type');
  const isJson = typeof answeredType === 'string' && answeredType.startsWith('application/json');
  const answered =
    isJson && reply.keptAnswer !== null ? redactedAnswer(reply.keptAnswer, keptBytesMax) : nothing;
  return {
    query: query === '' ? null : redactedQuery(query, queryBytesMax).text,
    idempotencyKey: idempotencyKey === null ? null : redactedIdempotencyKey(idempotencyKey),
    sentType: redactedHeader(headerOf(request, 'content-type')),
    userAgent: redactedHeader(headerOf(request, 'user-agent')),
    sent: sent.text,
    sentIsCut: sent.isCut,
    answeredType: typeof answeredType === 'string' ? answeredType.slice(0, headerLettersMax) : null,
    answered: answered.text,
    answeredIsCut: answered.isCut,
  };
}

function sentBody({ body, unparsedBody }: FastifyRequest): CutText | typeof nothing {
  if (unparsedBody !== null) return redactedRaw(unparsedBody.toString(), keptBytesMax);
  return body === undefined || body === null ? nothing : redactedJson(body, keptBytesMax);
}

/** Reads the raw headers, because the content type is replaced before parsing. */
function headerOf({ raw: { rawHeaders } }: FastifyRequest, name: string): string | null {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== name) continue;
    return (rawHeaders[index + 1] ?? '').slice(0, headerLettersMax).replace(/\p{Cc}/gu, '\uFFFD');
  }
  return null;
}

function redactedHeader(text: string | null): string | null {
  return text === null ? null : redactedText(text);
}
