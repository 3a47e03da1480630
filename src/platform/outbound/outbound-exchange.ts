// One request and its answer on an open connection, for outbound.ts.
// Invariant: it ends when the signal aborts, and keeps only the first KiB of the answer.

import { type Dispatcher, errors } from 'undici';
import type { OutboundConnection } from './outbound-connections.ts';
import { type OutboundFailure, OutboundProblem } from './outbound-problem.ts';

interface OutboundMessage {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Exchange =
  | {
      readonly type: 'answered';
      readonly status: number;
      readonly answer: string;
      /** True if the answer was read to its end, so that the connection is reusable. */
      readonly isWhole: boolean;
    }
  | {
      readonly type: 'failed';
      readonly reason: OutboundFailure;
      readonly hasBegun: boolean;
    };

const answerBytesKept = 1_024;

/** Rejects only for an invalid request, which is a bug of the caller. */
export function exchange(
  { client }: OutboundConnection,
  message: OutboundMessage,
  answerBytesMax: number,
  signal: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let hasBegun = false;
    let bytes = 0;
    const kept: Buffer[] = [];

    const settle = (exchanged: Exchange): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(exchanged);
    };
    const answered = (isWhole: boolean): void =>
      settle({ type: 'answered', status, answer: textOf(Buffer.concat(kept)), isWhole });
    const onAbort = (): void =>
      settle({ type: 'failed', reason: OutboundProblem.of(signal.reason).reason, hasBegun });

    signal.addEventListener('abort', onAbort);
    if (signal.aborted) return onAbort();
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      // Called for each interim answer (1xx) too.
      onResponseStart(_controller, statusCode) {
        hasBegun = true;
        status = statusCode;
      },
      onResponseData(_controller, chunk) {
        if (bytes < answerBytesKept) kept.push(Buffer.from(chunk.subarray(0, answerBytesKept - bytes)));
        bytes += chunk.length;
        // The caller drops the connection, and the rest of the answer with it.
        if (bytes > answerBytesMax) answered(false);
      },
      onResponseEnd: () => answered(true),
      onResponseError(_controller, error) {
        if (error instanceof errors.InvalidArgumentError) reject(error);
        else settle({ type: 'failed', reason: failureOf(error), hasBegun });
      },
    };
    client.dispatch({ ...message, method: 'POST' }, handler);
  });
}

function failureOf(error: Error): OutboundFailure {
  // Only the message shows that the connection ended within an answer.
  if (error instanceof errors.HTTPParserError) {
    return error.message.includes('EOF') ? 'connection_lost' : 'malformed_answer';
  }
  if (error instanceof errors.HeadersOverflowError) return 'malformed_answer';
  if (error instanceof errors.ResponseContentLengthMismatchError) return 'malformed_answer';
  if (error instanceof errors.SocketError && error.message.startsWith('bad ')) return 'malformed_answer';
  // In TLS 1.3 a server refuses a missing client certificate only after the handshake.
  return hasCode(error) && error.code.startsWith('ERR_SSL_') ? 'tls' : 'connection_lost';
}

function hasCode(error: Error): error is Error & { readonly code: string } {
  return 'code' in error && typeof error.code === 'string';
}

/** Makes valid UTF-8 without NUL, for the database. Drops a character that was cut at the end. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
}
