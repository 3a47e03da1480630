// A URL that may be called, taken apart once; and what is wrong with one that may not. Called by outbound.ts.
// Always true: the host that is resolved, checked, connected to, named in TLS and in the Host header is the one that
// the URL parser made of it, so every odd spelling of an address ends as that address.

import { isIP } from 'node:net';
import type { AddressPlace } from './outbound-addresses.ts';

export interface OutboundTarget {
  /** What connections are kept for. */
  readonly origin: string;
  /** A name, or an IP address without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  /** With its query. */
  readonly path: string;
}

const urlCharactersMax = 2_048;

/** The parts of a URL, or a few words that end a sentence about it. */
export function parseTarget(url: string): OutboundTarget | string {
  if (url.length > urlCharactersMax) return `must not have more than ${urlCharactersMax} characters`;
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return notHttps;
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a name or a password';
  // A URL that ends with "#" has an empty fragment, of which the parser says nothing.
  if (url.includes('#')) return 'must not contain a fragment (#)';
  const isEncrypted = parsed.protocol === 'https:';
  return {
    origin: parsed.origin,
    hostname: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port === '' ? (isEncrypted ? 443 : 80) : parsed.port),
    isEncrypted,
    path: parsed.pathname + parsed.search,
  };
}

/** Why a target may not be called, whose host is at an address of that place; null: it may. */
export function targetProblem(target: OutboundTarget, place: AddressPlace): string | null {
  if (place === 'refused') return 'must not lead to a private or reserved address';
  if (place === 'own') return null;
  if (!target.isEncrypted) return notHttps;
  return target.port === 443 || target.port >= 1_024 ? null : 'must use port 443, or one from 1024 on';
}

/** Empty for an address, which TLS does not name. */
export function tlsName({ hostname }: OutboundTarget): string {
  return isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '';
}

const notHttps = 'must be an https address, such as https://example.com/hook';
