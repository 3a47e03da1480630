// One request and its answer on a connection that is there. Called by outbound.ts, which keeps or drops the connection
// afterwards.
// Always true: it ends when the signal aborts, and no more of an answer is kept than its first KiB.

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
      /** Read to its end: the connection can take another request. */
      readonly isWhole: boolean;
    }
  | {
      readonly type: 'failed';
      readonly reason: OutboundFailure;
      /** Something of an answer came. */
      readonly hasBegun: boolean;
    };

const answerBytesKept = 1_024;

/** Rejects only for what is no HTTP request, which is a bug of the caller. */
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
      // Called for an interim answer (1xx) too, and then again.
      onResponseStart(_controller, statusCode) {
        hasBegun = true;
        status = statusCode;
      },
      onResponseData(_controller, chunk) {
        if (bytes < answerBytesKept) kept.push(Buffer.from(chunk.subarray(0, answerBytesKept - bytes)));
        bytes += chunk.length;
        // The caller drops the connection, and with it whatever may still come.
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
  // The parser says by its words alone that the connection ended in the middle of an answer.
  if (error instanceof errors.HTTPParserError) {
    return error.message.includes('EOF') ? 'connection_lost' : 'malformed_answer';
  }
  if (error instanceof errors.HeadersOverflowError) return 'malformed_answer';
  if (error instanceof errors.ResponseContentLengthMismatchError) return 'malformed_answer';
  // "bad upgrade", "bad response": what nobody asked for.
  if (error instanceof errors.SocketError && error.message.startsWith('bad ')) return 'malformed_answer';
  // Refused after the handshake, as TLS 1.3 refuses a client without a certificate.
  return hasCode(error) && error.code.startsWith('ERR_SSL_') ? 'tls' : 'connection_lost';
}

function hasCode(error: Error): error is Error & { readonly code: string } {
  return 'code' in error && typeof error.code === 'string';
}

/** Whatever bytes came, as a text that a database takes; a character that was cut through at the end is left out. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD');
}
