// Sends raw requests over a socket, byte by byte, that no HTTP client would send.

import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Answer } from '../../scripts/throwaway/api-client.ts';

export interface RawExchange {
  readonly answers: readonly Answer[];
  readonly closed: boolean;
}

export interface RawOptions {
  /** How many answers to wait for, unless the connection closes. Default 1; Infinity waits until it closes. */
  readonly finalAnswers?: number;
  readonly halfClose?: boolean;
  /** The answers are to HEAD, so they have no bodies. */
  readonly head?: boolean;
}

/** Far longer than the limits for requests, so it is reached only if the service neither answers nor closes. */
const silenceMilliseconds = 60_000;

export function sendRaw(
  address: string,
  bytes: string | Uint8Array,
  { finalAnswers = 1, halfClose = false, head = false }: RawOptions = {},
): Promise<RawExchange> {
  const { protocol, hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const target = { host: hostname.replace(/[[\]]/g, ''), port: Number(port), allowHalfOpen: true };
    // TLS is used behind a proxy of `npm run test:proxies`.
    const socket = protocol === 'https:' ? connectTls(target) : connect(target);
    const answers: Answer[] = [];
    let rest: Buffer = Buffer.alloc(0);
    const settle = (closed: boolean) => {
      const parsed = parseAnswers(rest, head);
      answers.push(...parsed.answers);
      rest = parsed.rest;
      const finals = answers.filter(({ status }) => status >= 200).length;
      if (!closed && finals < finalAnswers) return;
      clearTimeout(silence);
      socket.destroy();
      resolve({ answers, closed });
    };
    const silence = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `The service neither answered nor closed; so far ${answers.length} answers and: ${rest.toString('latin1')}`,
        ),
      );
    }, silenceMilliseconds);
    // After a refusal the service may reset a connection that is still sending. Answers received before count.
    socket.on('error', () => settle(true));
    socket.on('end', () => settle(true));
    socket.on('close', () => settle(true));
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      settle(false);
    });
    if (halfClose) socket.end(bytes);
    else socket.write(bytes);
  });
}

export function rawRequest(lines: readonly string[], body = ''): string {
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** `rest`: the bytes behind the last whole answer. */
export function parseAnswers(
  received: Buffer,
  head = false,
): { readonly answers: Answer[]; readonly rest: Buffer } {
  const answers: Answer[] = [];
  let rest = received;
  for (;;) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) return { answers, rest };
    const [statusLine = '', ...headerLines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(statusLine)?.[1]);
    const headers = new Headers(
      headerLines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
    );
    const length = head || status < 200 ? 0 : Number(headers.get('content-length') ?? 0);
    const bodyAt = headEnd + 4;
    if (rest.length < bodyAt + length) return { answers, rest };
    const text = rest.toString('utf8', bodyAt, bodyAt + length);
    const isJson = headers.get('content-type')?.startsWith('application/json') === true;
    answers.push({ status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : null });
    rest = rest.subarray(bodyAt + length);
  }
}
