// One spelling for each machine's address: for allow-lists, limits and what people are shown.

import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** "192.0.2.1" for "::ffff:192.0.2.1", however it is spelled: one machine, one address. */
export function plainAddress(address: string): string {
  const withoutZone = address.split('%')[0] ?? '';
  if (!isIPv6(withoutZone)) return withoutZone;
  const parsed = parseAddress(withoutZone);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()
    ? parsed.toIPv4Address().toString()
    : withoutZone;
}

/** The /64 that an IPv6 address is in, an IPv4 address itself: what one customer of a provider can change at will. */
export function addressNeighbourhood(address: string): string {
  const plain = plainAddress(address);
  const parsed = isIPv6(plain) ? parseAddress(plain) : null;
  if (!(parsed instanceof ipaddr.IPv6)) return plain;
  const network = parsed.parts.slice(0, 4);
  return network.map((word) => word.toString(16)).join(':');
}

/** A valid address, without a zone. */
export function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  // The library takes the deprecated "::192.0.2.1" for a mapped address, which it is not.
  const dotted = /^::(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted === undefined) return ipaddr.parse(address);
  return new ipaddr.IPv6([...new Array<number>(12).fill(0), ...ipaddr.IPv4.parse(dotted).octets]);
}
