// Sends one HTTP request over a real socket, for the clients of tests and the demo. Uses node:http, because fetch needs
// several times the CPU. It neither retries nor follows redirects.

import { Agent, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';

export interface RequestToSend {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly agent?: Agent;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

// Node lets the process exit while these connections are idle.
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

/** Sets the length, which node:http omits for methods that usually have no body. */
function headersOfBody(body: string | Uint8Array | undefined): Record<string, string> {
  if (body === undefined) return {};
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  return typeof body === 'string' ? { ...length, 'content-type': 'text/plain;charset=UTF-8' } : length;
}

/** Lower-cases names, so that a header replaces another one of the same name. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let place = 0; place + 1 < raw.length; place += 2)
    headers.append(raw[place] ?? '', raw[place + 1] ?? '');
  return headers;
}
