// One request over a real socket and its whole answer, for the clients of the tests and of the demo's story.
// By node:http and not by fetch, which computes several times as long for each, and tests send tens of
// thousands of them. As with fetch an address is normalised first, a body is sent with its length, connections are kept
// and used again, and nothing is sent a second time; redirects are answers.

import { Agent, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';

export interface RequestToSend {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** In place of the one that all share, with connections of its own. */
  readonly agent?: Agent;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

// What they hold open keeps no process alive.
const plainAgent = new Agent({ keepAlive: true });
const secureAgent = new SecureAgent({ keepAlive: true });

export function sendRequest(
  address: string,
  { method, headers = {}, body, agent }: RequestToSend,
): Promise<WholeAnswer> {
  const url = new URL(address);
  const options = {
    method,
    headers: { accept: '*/*', ...headersOfBody(body), ...lowerCased(headers) },
  };
  return new Promise((resolve, reject) => {
    const request =
      url.protocol === 'https:'
        ? requestSecure(url, { ...options, agent: agent ?? secureAgent })
        : requestPlain(url, { ...options, agent: agent ?? plainAgent });
    request.once('response', (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (piece: string) => {
        text += piece;
      });
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response.rawHeaders), text }),
      );
    });
    request.once('error', reject);
    request.end(body);
  });
}

/** Also where node:http would leave the length out, because such a method has no body as a rule. */
function headersOfBody(body: string | Uint8Array | undefined): Record<string, string> {
  if (body === undefined) return {};
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return typeof body === 'string' ? { ...length, 'content-type': 'text/plain;charset=UTF-8' } : length;
}

/** What is set must replace what stands there by another spelling. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let place = 0; place + 1 < raw.length; place += 2)
    headers.append(raw[place] ?? '', raw[place + 1] ?? '');
  return headers;
}
