import type { RequestLine } from '../../src/features/request-log/request-lines.ts';

/** A successful request of an account, as the request log keeps it. */
export function requestLineOf(accountId: number, at: number): RequestLine {
  return {
    accountId,
    keyId: null,
    secretId: null,
    at,
    method: 'GET',
    path: '/',
    status: 200,
    code: null,
    requestId: 'r',
    milliseconds: 1,
    address: '127.0.0.1',
  };
}
