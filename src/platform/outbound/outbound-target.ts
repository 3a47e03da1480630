// Parses and checks a URL to call.
// Invariant: name look-up, address check, connection, TLS and the Host header all use the host from the URL parser, which
// turns every odd spelling of an address into that address.

import { isIP } from 'node:net';
import type { AddressPlace } from './outbound-addresses.ts';

export interface OutboundTarget {
  readonly origin: string;
  /** A name, or an IP address without brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  readonly path: string;
}

const urlCharactersMax = 2_048;

/** The parsed URL, or a problem such as "must not contain …". */
export function parseTarget(url: string): OutboundTarget | string {
  if (url.length > urlCharactersMax) return `must not have more than ${urlCharactersMax} characters`;
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:')) return notHttps;
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a name or a password';
  // The parser reports nothing for an empty fragment ("…#").
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

/** The problem of calling this target at an address of this kind; null if it is allowed. */
export function targetProblem(target: OutboundTarget, place: AddressPlace): string | null {
  if (place === 'refused') return 'must not lead to a private or reserved address';
  if (place === 'own') return null;
  if (!target.isEncrypted) return notHttps;
  return target.port === 443 || target.port >= 1_024 ? null : 'must use port 443, or one from 1024 on';
}

/** "" for an IP address, which TLS does not name. */
export function tlsName({ hostname }: OutboundTarget): string {
  return isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : '';
}

const notHttps = 'must be an https address, such as https://example.com/hook';
