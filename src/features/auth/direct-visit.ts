// Whether a request comes straight from a browser on this machine. Danger: a demo gives sessions without a password to such
// requests, so everything that is not clear counts as no.

import type { IncomingHttpHeaders } from 'node:http';
import { plainAddress } from '../../shared/ip-addresses.ts';

interface Visit {
  readonly headers: IncomingHttpHeaders;
  readonly raw: {
    readonly httpVersion: string;
    readonly headersDistinct: Readonly<Record<string, string[] | undefined>>;
  };
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Any of them shows a proxy. */
const proxyHeader =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|x-original-.*|cf-.*|fly-.*|fastly-.*)$/;
const loopbackHost = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const loopbackAddress = /^(?:127(?:\.\d{1,3}){3}|::1)$/;

export function isLoopbackHostName(host: string): boolean {
  return host === '::1' || host === 'localhost' || loopbackAddress.test(host);
}

/** Host is checked against DNS rebinding, HTTP 1.0 because nginx speaks it to its upstream by default. */
export function isDirectVisit({ raw, headers, socket }: Visit): boolean {
  const { host } = headers;
  if (raw.httpVersion !== '1.1' || host === undefined || !loopbackHost.test(host)) return false;
  if ((raw.headersDistinct['host'] ?? []).length !== 1) return false;
  if (!loopbackAddress.test(plainAddress(socket.remoteAddress ?? ''))) return false;
  return !Object.keys(headers).some((name) => proxyHeader.test(name));
}

/** A change: the browser must also name this service's own page as the one that sent it. */
export function isDirectChange(visit: Visit): boolean {
  const { host, origin, 'sec-fetch-site': site = 'same-origin' } = visit.headers;
  return isDirectVisit(visit) && origin === `http://${host}` && site === 'same-origin';
}
