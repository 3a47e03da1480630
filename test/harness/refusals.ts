// Checks what every refusal must look like, on any route.

import assert from 'node:assert/strict';
import type { Answer } from '../../scripts/throwaway/api-client.ts';
import { errorCatalog } from '../../src/shared/error-catalog.ts';

export function expectStatus(answer: Answer, status: number): Answer['body'] {
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

const everywherePolicy = /^default-src 'none';.*base-uri 'none';.*frame-ancestors 'none'/;

/** Answers with private data must not be cached, framed or interpreted as another type. */
export function expectPrivate({ headers }: Pick<Answer, 'headers'>, why: string): void {
  assert.equal(headers.get('cache-control'), 'no-store', `the answer is not cached: ${why}`);
  assert.equal(headers.get('x-content-type-options'), 'nosniff', why);
  assert.match(headers.get('content-security-policy') ?? '', everywherePolicy, why);
}

/** `expected` is for example "402 insufficient_credit". If details are given, all of them are compared. */
export function expectRefusal(answer: Answer, expected: string, details?: object, why = ''): void {
  const { status, headers, text, body } = answer;
  assert.equal(`${status} ${body?.error?.code}`, expected, `${why} ${text}`);
  assert.deepEqual(Object.keys(body), ['error'], text);
  assert.deepEqual(Object.keys(body.error).sort(), ['code', 'details', 'message'], text);
  assert.match(body.error.message, /^[\w`][^{}]{5,500}\.$/);
  assert.equal(Object.prototype.toString.call(body.error.details), '[object Object]', text);
  assert.match(headers.get('content-type') ?? '', /^application\/json; charset=utf-8$/);
  assert.match(headers.get('x-request-id') ?? '', /^[A-Za-z0-9._-]{1,64}$/, 'every answer has X-Request-Id');
  expectPrivate(answer, `${why} ${text}`);
  assert.doesNotMatch(
    text,
    /\n|node_modules|\.[jt]s:\d|Error:|\bselect\b|\binsert\b/i,
    'no insides are shown',
  );
  if (details !== undefined) assert.deepEqual(body.error.details, details, `${why} ${text}`);
}

/** For requests so broken that the documents name no refusal: accepts any code of the catalog. */
export function expectSomeRefusal(answer: Answer, why: string): void {
  const code: string = answer.body?.error?.code;
  const known = Object.entries(errorCatalog).find(([name]) => name === code);
  assert.ok(known, `${why}: answered with a code of the catalog, not ${answer.status} ${answer.text}`);
  expectRefusal(answer, `${known[1].status} ${code}`, undefined, why);
  assert.ok(answer.status < 500, `${why}: the client’s fault, not ours: ${answer.text}`);
}
